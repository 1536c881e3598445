"""A Hugging Face encoder and its tokeniser from a folder or the hub, with no more layers than are read. Only this
module loads weights and configurations of others, and never runs code that comes with them.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from crosslingua.errors import ConfigError, InputError, check_finite
from crosslingua.nn.bert import KINDS, Bert, Shape


def is_known(config: Any) -> bool:
    """Whether `Bert` supports a config.json."""
    plain = getattr(config, "position_embedding_type", "absolute") in (None, "absolute")
    decodes = getattr(config, "is_decoder", False) or getattr(config, "add_cross_attention", False)
    return config.model_type in KINDS and config.hidden_act == "gelu" and plain and not decodes


class LoadedBert(Bert):
    """A `Bert` with the configuration that it was loaded with."""

    def __init__(self, config: Any):
        super().__init__(Shape.of(config.to_dict()))
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

    model = LoadedBert(config)
    wanted = model.state_dict()
    with _readable_weights(name), safe_open(path, framework="pt") as stream:
        named = {_own_name(given): given for given in stream.keys()}  # noqa: SIM118 (it is no mapping)
        found = {own: stream.get_tensor(named[own]).float() for own in wanted if own in named}
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

    with _no_report(), _readable_weights(name):
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
            raise InputError(name, f"{len(weights)} weights {fault}, {min(weights)} among them")


def _described(name: str) -> tuple[Any, Any]:
    from transformers import AutoTokenizer

    config = _configured(name)
    with _readable(name):
        return config, AutoTokenizer.from_pretrained(name, trust_remote_code=False)


def _configured(name: str) -> Any:
    from transformers import AutoConfig, PreTrainedConfig

    with _readable(name):
        given, _ = PreTrainedConfig.get_config_dict(name)
        if "auto_map" in given:  # transformers would ask, or load another architecture of this name
            raise InputError(
                name, "config.json asks for code that comes with the encoder (auto_map), which is never run",
                remedy="give an encoder of an architecture that the library transformers has",
            )  # fmt: skip
        return AutoConfig.from_pretrained(name, trust_remote_code=False)


@contextmanager
def _readable(name: str) -> Iterator[None]:
    """Turn the errors of a folder or name without an encoder into one InputError."""
    try:
        yield
    except (OSError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise InputError(
            name, f"no encoder could be loaded: {reason}", remedy="give a folder or a hub name"
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
def _readable_weights(name: str) -> Iterator[None]:
    """Turn the errors of missing or damaged weights into one InputError that names the file."""
    from safetensors import SafetensorError

    try:
        yield
    except SafetensorError as error:
        raise InputError(
            _damaged_file(name), f"truncated or damaged ({error})", remedy="fetch it, or train it, again"
        ) from None
    except OSError as error:
        reason = str(error).strip().partition("\n")[0]
        raise InputError(name, f"no weights could be loaded: {reason}") from None


def _damaged_file(name: str) -> Path | str:
    """Return the first invalid safetensors file of a folder; the encoder's name if it is not in a folder."""
    from safetensors import SafetensorError, safe_open

    for path in sorted(Path(name).glob("*.safetensors")):
        try:
            with safe_open(path, framework="numpy"):
                pass
        except SafetensorError:
            return path
    return name


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
