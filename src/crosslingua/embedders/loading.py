"""A Hugging Face encoder and its tokeniser from a folder or the hub, with no more layers than are read. Only this
module loads weights and configurations of others, and never runs code that comes with them.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from crosslingua.errors import ConfigError, CrosslinguaError, InputError, check_finite
from crosslingua.io.json import read_json
from crosslingua.io.tokenizer_files import UNSEEN, check_floats, read_tokenizer, readable_weights
from crosslingua.nn.bert import KINDS, Bert, Shape


def is_known(config: Any) -> bool:
    """Whether `Bert` supports a config.json."""
    plain = getattr(config, "position_embedding_type", "absolute") in (None, "absolute")
    decodes = getattr(config, "is_decoder", False) or getattr(config, "add_cross_attention", False)
    return config.model_type in KINDS and config.hidden_act == "gelu" and plain and not decodes


class LoadedBert(Bert):
    """A `Bert` with the configuration that it was loaded with."""

    def __init__(self, config: Any, path: str | Path):
        super().__init__(Shape.of(config.to_dict(), path))
        self.config = config

    def save_pretrained(self, folder: str | Path) -> None:
        """Write config.json and model.safetensors."""
        from safetensors.torch import save_file

        self.config.save_pretrained(folder)
        weights = {name: value.detach().cpu().contiguous() for name, value in self.state_dict().items()}
        save_file(weights, Path(folder) / "model.safetensors", metadata={"format": "pt"})


PARTS = ("embeddings", "encoder", "LayerNorm")  # of an encoder
# Encoders whose k-th hidden state is the output of k layers. Others normalise the last layer's output, so that the k-th
# state takes one layer more.
NO_FINAL_NORM = {"bert", "camembert", "distilbert", "electra", "roberta", "xlm", "xlm-roberta"}
# Encoders whose position numbers start after the padding token's.
POSITIONS_AFTER_PADDING = {"camembert", "roberta", "roberta-prelayernorm", "xlm-roberta", "xlm-roberta-xl"}


def load_encoder(name: str, layer: int | None = None) -> tuple[Any, Any]:
    """Return model and tokeniser of `name`, in float32, with the layers needed to read state `layer` (None: all).
    Raises InputError for no such encoder, missing weights or a need of own code; ConfigError for too few layers.
    """
    config, tokeniser = _described(name)
    if is_known(config):
        Shape.of(config.to_dict(), _file_of(name, "config.json"))
    total = config.num_hidden_layers
    if layer is not None:
        if not 0 <= layer <= total:
            raise ConfigError(f"layer {layer} of {name}: it has layers 0 (embeddings) to {total}")
        # 1 at least: some classes cannot be built without a layer
        config.num_hidden_layers = min(total, max(1, layer + (config.model_type not in NO_FINAL_NORM)))
    weights = Path(name) / "model.safetensors"
    if is_known(config) and weights.is_file():
        return _quick(weights, name, config), tokeniser
    from transformers import AutoModel, AutoModelForTextEncoding

    model_class = AutoModelForTextEncoding if config.is_encoder_decoder else AutoModel
    return _weights(model_class, name, config), tokeniser


def _quick(path: Path, name: str, config: Any) -> LoadedBert:
    from safetensors import safe_open

    with _readable(name, "config.json"):
        model = LoadedBert(config, Path(name) / "config.json")
    wanted = model.state_dict()
    with _readable(name, *WEIGHTS), safe_open(path, framework="pt") as stream:
        named = {_own_name(given): given for given in stream.keys()}  # noqa: SIM118 (it is no mapping)
        stored = {own: stream.get_tensor(named[own]) for own in wanted if own in named}
    check_floats(path, stored)
    found = {own: value.float() for own, value in stored.items()}
    _refuse(
        name,
        other=[own for own, value in found.items() if value.shape != wanted[own].shape],
        missing=[own for own in wanted if own not in found],
    )
    check_finite(path, found)
    model.load_state_dict(found)
    return model.eval()


def _own_name(name: str) -> str:
    """Return the name of an encoder's weight without the prefix of a model with a head, in old files too."""
    first, _, rest = name.partition(".")
    if first not in PARTS and rest.startswith(PARTS):
        name = rest
    return re.sub(r"\.gamma$", ".weight", re.sub(r"\.beta$", ".bias", name))


def is_encoder_decoder(name: str) -> bool:
    """Whether `name` has a decoder, as T5. Raises InputError as `load_encoder`."""
    return bool(_configured(name).is_encoder_decoder)


def load_encoder_decoder(name: str) -> tuple[Any, Any]:
    """Return model and tokeniser of an encoder with a decoder, in float32. Raises InputError as `load_encoder`."""
    from transformers import AutoModelForSeq2SeqLM

    config, tokeniser = _described(name)
    return _weights(AutoModelForSeq2SeqLM, name, config), tokeniser


def _weights(model_class: Any, name: str, config: Any) -> Any:
    """Return a model with the weights of `name`. Raises InputError if some are missing or have other shapes."""
    import torch

    with _no_report(), _readable(name, *WEIGHTS):
        model, report = model_class.from_pretrained(
            name, config=config, dtype=torch.float32, trust_remote_code=False, output_loading_info=True,
            ignore_mismatched_sizes=True,
        )  # fmt: skip
    _refuse(
        name,
        other=[str(key) for key, *_ in report["mismatched_keys"]],
        missing=[key for key in report["missing_keys"] if "pooler" not in key],
    )
    check_finite(name, model.state_dict())
    return model


def _refuse(name: str, other: list[str], missing: list[str]) -> None:
    """Raise InputError for weights that are missing or have other shapes than config.json says."""
    faults = {"have other shapes than config.json says": other, "of the encoder are missing": missing}
    for fault, weights in faults.items():
        if weights:
            raise InputError(
                _file_of(name, *WEIGHTS), f"{len(weights)} weights {fault}, {min(weights)} among them",
                remedy="the weights and config.json must be of one encoder",
            )  # fmt: skip


WEIGHTS = ("model.safetensors", "model.safetensors.index.json", "pytorch_model.bin")
TOKENISERS = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json")
GIVE = "give a folder or a hub name"


def _file_of(name: str, *files: str) -> str | Path:
    """Return the first of some files that an encoder's folder has; the encoder's name without any."""
    return next((path for file in files if (path := Path(name) / file).is_file()), name)


def _described(name: str) -> tuple[Any, Any]:
    from transformers import AutoTokenizer

    config = _configured(name)
    with _readable(name, *TOKENISERS):
        tokeniser = AutoTokenizer.from_pretrained(name, trust_remote_code=False)
        tokeniser.tokenize(UNSEEN)
        size, ids = getattr(config, "vocab_size", None), tokeniser.get_vocab().values()
    files = {"tokenizer.json", *tokeniser.vocab_files_names.values()}
    if tokeniser.vocab_files_names and Path(name).is_dir() and _file_of(name, *files) == name:
        # of which transformers makes a tokeniser without pieces
        raise InputError(name, "no tokeniser: there is no tokenizer.json", remedy="copy or train one")
    at = _file_of(name, *TOKENISERS)
    if isinstance(size, int) and max(ids, default=0) >= size:
        raise InputError(
            at, f"has ids up to {max(ids)}, and vocab_size of config.json is {size}",
            remedy="the tokeniser and config.json must be of one encoder",
        )  # fmt: skip
    longest = tokeniser.model_max_length
    if not isinstance(longest, int | float) or longest < 1:
        raise InputError(
            _file_of(name, "tokenizer_config.json"), f"model_max_length is {longest!r:.40}",
            remedy="write how many tokens the encoder reads at once",
        )  # fmt: skip
    return config, tokeniser


def _configured(name: str) -> Any:
    from transformers import AutoConfig, PreTrainedConfig

    with _readable(name, "config.json"):
        given, _ = PreTrainedConfig.get_config_dict(name)
        if "auto_map" in given:  # transformers would ask, or load another architecture of this name
            raise InputError(
                name, "config.json asks for code that comes with the encoder (auto_map), which is never run",
                remedy="give an encoder of an architecture that the library transformers has",
            )  # fmt: skip
        return AutoConfig.from_pretrained(name, trust_remote_code=False)


@contextmanager
def _readable(name: str, *files: str) -> Iterator[None]:
    """Turn the errors of a folder or name without an encoder into one InputError. It names the file that is damaged, of
    `files` of the folder. Libraries raise whatever a damaged file makes of their code.
    """
    try:
        yield
    except (CrosslinguaError, MemoryError):
        raise
    except Exception as error:
        if "memory" in str(error):
            raise
        for path in (Path(name) / file for file in files):
            if path.suffix == ".json" and path.is_file():
                read_json(path, dict)
        from safetensors import safe_open

        if files == TOKENISERS and (Path(name) / "tokenizer.json").is_file():
            read_tokenizer(name)
        stored = sorted(Path(name).glob("*.safetensors")) if files == WEIGHTS else []
        for path in filter(Path.is_file, stored):
            with readable_weights(path), safe_open(path, framework="numpy"):
                pass
        what = "weights" if files == WEIGHTS else "encoder"
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise InputError(
            _file_of(name, *files), f"no {what} could be loaded: {reason}", remedy=GIVE
        ) from None


def longest_input(config: Any, tokeniser: Any) -> int | None:
    """Return the longest sequence, special tokens included, that an encoder takes; None without a limit."""
    limits = [tokeniser.model_max_length] if tokeniser.model_max_length < 1e6 else []
    positions = getattr(config, "max_position_embeddings", None)
    if positions is not None:
        limits.append(positions - first_position(config))
    return min(limits, default=None)


def first_position(config: Any) -> int:
    """Return the number of the first token's position."""
    return config.pad_token_id + 1 if config.model_type in POSITIONS_AFTER_PADDING else 0


@contextmanager
def _no_report():
    """Keep transformers from listing the weights of omitted layers."""
    from transformers.utils import logging

    before = logging.get_verbosity()
    bars = logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(before)
        if bars:
            logging.enable_progress_bar()
