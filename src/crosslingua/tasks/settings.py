"""Settings of fine-tuning: the published ones (align_mlm, table 11), and others given as text."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import get_type_hints

from crosslingua.errors import ConfigError


@dataclass(frozen=True)
class FineTuning:
    """How an encoder is fine-tuned.

    `learning_rate`, `max_length` (pieces), `epochs` and `batch_size` (sentences or pairs) are those of table 11.
    The paper is silent on the others, which follow XTREME's code: AdamW (beta 0.9 and 0.999, `adam_epsilon`) with
    `weight_decay` and gradients clipped at the norm `clip_norm`. Its rate rises over the first `warmup` of the
    steps (0 to 1) and falls to zero, both linearly.
    """

    learning_rate: float = 2e-5
    max_length: int = 128
    epochs: int = 10
    batch_size: int = 32
    warmup: float = 0.1
    weight_decay: float = 0.0
    adam_epsilon: float = 1e-8
    clip_norm: float = 1.0

    def __post_init__(self) -> None:
        for name in ("learning_rate", "max_length", "epochs", "batch_size", "adam_epsilon", "clip_norm"):
            if not getattr(self, name) > 0:
                raise ConfigError(f"{name} is {getattr(self, name)}: must be above 0")
        if not 0 <= self.warmup <= 1:
            raise ConfigError(f"warmup is {self.warmup}: must be a share of the steps, 0 to 1")
        if not self.weight_decay >= 0:
            raise ConfigError(f"weight_decay is {self.weight_decay}: must not be negative")


TYPES = get_type_hints(FineTuning)


def override(published: FineTuning, task: str, options: Iterable[str]) -> FineTuning:
    """Return `published` with `name=value` of all tasks and `task.name=value` of this one; the last one counts.

    Raises ConfigError for an unknown name, and for a value that is no number or out of range.
    """
    values = {}
    for option in options:
        key, equals, value = option.partition("=")
        owner, dot, name = key.rpartition(".")
        if not equals:
            raise ConfigError(f"setting {option!r}: write name=value, e.g. epochs=3 or ner.epochs=3")
        if name not in TYPES:
            close = difflib.get_close_matches(name, TYPES, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise ConfigError(f"fine-tuning has no setting {name!r}: it has {', '.join(TYPES)}{hint}")
        if not dot or owner == task:
            values[name] = _number(key, value, TYPES[name])
    return replace(published, **values)


def _number(key: str, value: str, kind: type) -> float:
    try:
        return kind(value)
    except ValueError:
        raise ConfigError(f"{key}={value}: must be a {'whole ' if kind is int else ''}number") from None


def as_record(settings: FineTuning) -> dict[str, float]:
    """The settings as JSON values."""
    return dataclasses.asdict(settings)
