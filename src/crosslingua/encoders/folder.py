"""Encoder folders as Hugging Face keeps them: config.json and model.safetensors, to and from our module."""

import logging
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import nn

from crosslingua.errors import ConfigError, InputError, check_finite
from crosslingua.io.json import read_json, write_json
from crosslingua.io.tokenizer_files import check_floats, readable_weights
from crosslingua.nn.bert import PRE_NORM, Shape

log = logging.getLogger(__name__)

HEADS = {  # of RoBERTa and of BERT
    "roberta": {"head": "lm_head.dense", "head_norm": "lm_head.layer_norm", "head_bias": "lm_head.bias"},
    "bert": {
        "head": "cls.predictions.transform.dense",
        "head_norm": "cls.predictions.transform.LayerNorm",
        "head_bias": "cls.predictions.bias",
    },
}
PREFIXES = {  # of weights, by model_type
    "roberta": "roberta", "xlm-roberta": "roberta", PRE_NORM: "roberta_prelayernorm", "bert": "bert",
}  # fmt: skip

COPIES = "copied_pieces"  # in config.json: how many of the last pieces are copies of others


def new_config(shape: Shape, specials: Any) -> dict[str, Any]:
    """Return the config.json of a new RoBERTa."""
    kind = (PRE_NORM, "RobertaPreLayerNorm") if shape.pre_norm else ("roberta", "Roberta")
    return {
        "architectures": [f"{kind[1]}ForMaskedLM"],
        "model_type": kind[0],
        "vocab_size": shape.vocabulary,
        "hidden_size": shape.hidden,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "intermediate_size": shape.feed_forward,
        "hidden_act": "gelu",
        "max_position_embeddings": shape.positions,
        "type_vocab_size": shape.types,
        "hidden_dropout_prob": shape.dropout,
        "attention_probs_dropout_prob": shape.dropout,
        "layer_norm_eps": shape.norm_epsilon,
        "initializer_range": 0.02,
        "tie_word_embeddings": True,
        "bos_token_id": specials.start,
        "pad_token_id": specials.pad,
        "eos_token_id": specials.end,
    }


def shape_of(config: Mapping[str, Any], folder: str | Path, dropout: float) -> Shape:
    """Return the shape in a folder's config.json. Raises ConfigError for an architecture that is not BERT's, and
    InputError for one that cannot be.
    """
    path = Path(folder) / "config.json"
    kind = config.get("model_type")
    if kind not in PREFIXES or config.get("hidden_act", "gelu") != "gelu":
        raise ConfigError(
            f"{path}: a model of type {kind!r} (hidden_act {config.get('hidden_act', 'gelu')!r}): give an encoder of "
            f"type {', '.join(PREFIXES)} with gelu, which pre-training can go on from"
        )
    return Shape.of(config, path)._replace(dropout=dropout, attention_dropout=None)


def _names(model: nn.Module, kind: str) -> dict[str, str]:
    """Return our name -> Hugging Face's name of every parameter, for a model_type."""
    prefix, named = PREFIXES[kind], {}
    for own, _ in model.named_parameters():
        first, dot, rest = own.partition(".")
        head = HEADS["bert" if prefix == "bert" else "roberta"]
        named[own] = f"{prefix if first == 'bert' else head[first]}{dot}{rest}"
    return named


def save_weights(folder: Path, model: nn.Module, config: dict[str, Any]) -> None:
    """Write config.json and model.safetensors, in single precision whatever the config says."""
    names = _names(model, config["model_type"])
    own = model.named_parameters()
    weights = {names[name]: value.detach().float().cpu().contiguous() for name, value in own}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    stated = {name: value for name, value in config.items() if name != "torch_dtype"} | {"dtype": "float32"}
    write_json(folder / "config.json", stated)


def load_config(folder: str | Path) -> dict[str, Any]:
    """Return the config.json of an encoder folder."""
    return read_json(Path(folder) / "config.json", dict)


def load_weights(folder: str | Path, model: nn.Module, kind: str) -> list[str]:
    """Read the weights of a folder into `model`; return which the folder lacks (a head, at most).

    Raises InputError if safetensors are missing or damaged, or if a weight is missing or of another size.
    """
    path = Path(folder) / "model.safetensors"
    if not path.is_file():
        raise InputError(
            folder, "no model.safetensors in it", remedy="write it with transformers' save_pretrained"
        )
    with readable_weights(path):
        found = load_file(path)
    # Savers differ: an encoder without its prefix, gamma and beta of old checkpoints.
    for name in list(found):
        whole = re.sub(r"^(embeddings|encoder|LayerNorm)\.", rf"{PREFIXES[kind]}.\1.", name)
        found[re.sub(r"\.gamma$", ".weight", re.sub(r"\.beta$", ".bias", whole))] = found.pop(name)
    wanted = _names(model, kind)
    missing = [own for own, name in wanted.items() if name not in found]
    if without := [own for own in missing if not own.startswith("head")]:
        raise InputError(path, f"has no {wanted[without[0]]}", remedy="it must be an encoder's whole folder")
    check_floats(path, found)
    check_finite(path, {name: found[name] for name in wanted.values() if name in found})
    with torch.no_grad():
        for own, parameter in model.named_parameters():
            if own not in missing:
                value = found[wanted[own]]
                if value.shape != parameter.shape:
                    raise InputError(
                        path,
                        f"{wanted[own]} is {tuple(value.shape)}, config.json says {tuple(parameter.shape)}",
                        remedy="the weights and config.json must be of one encoder",
                    )
                parameter.copy_(value)
    return missing


# Is a tokeniser the one that an encoder was trained with? With another, embeddings would stand for wrong pieces.
PARTS = ("pieces", "special tokens", "merges")


def check_same_tokenizer(tokenizer: str | Path, encoder: str | Path) -> None:
    """Raise ConfigError unless both folders' tokenizer.json have the same pieces, ids and merges."""
    given, own = (Path(folder) / "tokenizer.json" for folder in (tokenizer, encoder))
    if not own.is_file():
        log.warning("%s has no tokenizer.json to compare with %s", encoder, tokenizer)
        return
    if given.read_bytes() == own.read_bytes():
        return
    parts = zip(PARTS, _parts(given), _parts(own), strict=True)
    if differing := [name for name, one, other in parts if one != other]:
        raise ConfigError(
            f"the tokeniser {tokenizer} has other {differing[0]} than that of the encoder {encoder}: leave --tokenizer "
            "out, which takes the encoder's"
        )


def _parts(path: Path) -> tuple[Any, Any, Any]:
    """Return what a tokenizer.json says of each of PARTS, however it spells that."""
    told = read_json(path)
    model = told.get("model", {})
    added = {token["content"]: token["id"] for token in told.get("added_tokens", [])}
    merges = [merge.split(" ") if isinstance(merge, str) else merge for merge in model.get("merges", [])]
    return model.get("vocab"), added, merges
