"""Settings of a training run, by default the published ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, get_type_hints

from crosslingua.errors import ConfigError
from crosslingua.settings import parse_settings, unknown_setting


@dataclass(frozen=True)
class LaserSettings:
    """Defaults are those of Artetxe and Schwenk 2019 (section 3); where it is silent, the authors' program's (*).

    - `embedding_size`, `hidden_size` (of a direction), `layers`: the encoder's
    - `decoder_embedding_size` (*), `decoder_hidden_size`, `decoder_output_size` (*; between the decoder's state and the
      vocabulary), `language_size`: the decoder's
    - `dropout` (*): after each layer of the encoder (the paper says only 0.1)
    - `lr`: of Adam, constant
    - `clip_norm` (*): largest norm of the gradient
    - `epochs`: passes over all bitext in all directions
    - `batch_tokens`: subwords of a batch, the longer side's, with padding
    - `accumulate`: batches of a step; as published 128,000 subwords in all
    - `max_length` (*): subwords with `</s>`; longer pairs are left out and counted
    - `checkpoint_every`, `log_every`: steps between two checkpoints, or two points of the loss curve
    - `device`: cpu or cuda
    """

    embedding_size: int = 320
    hidden_size: int = 512
    layers: int = 5
    decoder_embedding_size: int = 320
    decoder_hidden_size: int = 2048
    decoder_output_size: int = 512
    language_size: int = 32
    dropout: float = 0.1
    lr: float = 0.001
    clip_norm: float = 5.0
    epochs: int = 17
    batch_tokens: int = 4000
    accumulate: int = 32
    max_length: int = 1024
    checkpoint_every: int = 1000
    log_every: int = 10
    device: str = "cpu"

    def __post_init__(self) -> None:
        for name in WHOLE:
            if getattr(self, name) < 1:
                raise ConfigError(f"{name}={getattr(self, name)}: must be at least 1")
        for name in ("lr", "clip_norm"):
            if not getattr(self, name) > 0:
                raise ConfigError(f"{name}={getattr(self, name)}: must be above 0")
        if self.device not in ("cpu", "cuda"):
            raise ConfigError(f"device={self.device}: must be cpu or cuda")
        if not 0 <= self.dropout < 1:
            raise ConfigError(f"dropout={self.dropout}: must be in [0, 1)")


TYPES: dict[str, type] = get_type_hints(LaserSettings)
WHOLE = tuple(name for name, kind in TYPES.items() if kind is int)


def read_settings(options: Iterable[str]) -> LaserSettings:
    """Return the settings with `name=value` options in place of defaults.

    Raises ConfigError for an unknown name and for a value that is not of its type or out of range.
    """
    return LaserSettings(**{name: _read(name, text) for name, text in parse_settings(options).items()})


def _read(name: str, text: str) -> Any:
    if name not in TYPES:
        raise unknown_setting("LASER", name, TYPES)
    try:
        return TYPES[name](text)
    except ValueError:
        kind = "whole number" if TYPES[name] is int else "number"
        raise ConfigError(f"{name}={text}: must be a {kind}") from None
