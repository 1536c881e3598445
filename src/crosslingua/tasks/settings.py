"""Settings of fine-tuning: the published ones (align_mlm, table 11), and others given as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import get_type_hints

from crosslingua.errors import ConfigError
from crosslingua.settings import parse_settings, read_setting, unknown_setting
from crosslingua.tasks.kinds import kind_of

POSITIVE = (
    "learning_rate", "max_length", "epochs", "batch_size", "adam_epsilon", "clip_norm",
    "stride", "question_length", "answer_length", "n_best",
)  # fmt: skip


@dataclass(frozen=True)
class FineTuning:
    """How an encoder is fine-tuned: as in align_mlm (table 11), and where it is silent as in XTREME's code.

    - `share`: of the training examples that are read, drawn once for all; for small machines
    - `learning_rate`: the highest
    - `max_length`: pieces of a sentence that are read at once
    - `epochs`: passes over the training data; published are 10, and 5 for nli and paraphrase
    - `batch_size`: sentences or pairs
    - `warmup`: share of the steps, 0 to 1, over which the rate rises; then it falls to zero, both linearly
    - `decay`: false: after the warm-up the rate stays (mT5: Xue et al. 2021)
    - `weight_decay` and `adam_epsilon`: of AdamW (beta 0.9 and 0.999)
    - `clip_norm`: largest norm of the gradient
    - `language_ids`: tell an encoder that has them (XLM) each text's language; false: none, so that it can read any
    - `freeze_embeddings`: leave the encoder's word embeddings as pre-training left them
    - of pairs: `restart_positions`, the second sentence's positions begin at 0 again, as TLM has them (Conneau and
      Lample 2019); `twins`, pairs of one first sentence go into one batch, so that a step sees what tells them apart.
      Models that write text do without either
    - of questions, as in XTREME's code: `stride`, pieces from where a window of a passage begins to the next;
      `question_length` and `answer_length`, the most pieces of either; `n_best`, starts and ends that are tried
    """

    share: float = 1.0
    learning_rate: float = 2e-5
    max_length: int = 128
    epochs: int = 10
    batch_size: int = 32
    warmup: float = 0.1
    decay: bool = True
    weight_decay: float = 0.0
    adam_epsilon: float = 1e-8
    clip_norm: float = 1.0
    language_ids: bool = True
    freeze_embeddings: bool = False
    restart_positions: bool = False
    twins: bool = False
    stride: int = 128
    question_length: int = 64
    answer_length: int = 30
    n_best: int = 20

    def __post_init__(self) -> None:
        for name in POSITIVE:
            if not getattr(self, name) > 0:
                raise ConfigError(f"{name} is {getattr(self, name)}: must be above 0")
        if not 0 < self.share <= 1:
            raise ConfigError(f"share is {self.share}: must be above 0, and at most 1")
        if not 0 <= self.warmup <= 1:
            raise ConfigError(f"warmup is {self.warmup}: must be a share of the steps, 0 to 1")
        if not self.weight_decay >= 0:
            raise ConfigError(f"weight_decay is {self.weight_decay}: must not be negative")


TYPES = get_type_hints(FineTuning)


def override(published: FineTuning, task: str, options: Iterable[str]) -> FineTuning:
    """Return `published` with `name=value` of all tasks and, over them, `task.name=value` of this one.

    Raises ConfigError for an unknown name or task, for a value that is no number or out of range, and for several.
    """
    found = grid(published, task, options)
    if len(found) > 1:
        raise ConfigError(
            f"{len(found)} settings of {task} are given, by values with commas: select_settings.py chooses one of them"
        )
    return found[0]


def grid(published: FineTuning, task: str, options: Iterable[str]) -> list[FineTuning]:
    """Return `published` with every combination of the values that options give; see `override`.

    `name=value,value` gives a setting several. The last named varies fastest.
    """
    given = parse_settings(options)
    values: dict[str, list] = {}
    for key in sorted(given, key=lambda key: "." in key):
        owner, dot, name = key.rpartition(".")
        if dot:
            kind_of(owner)
        if name not in TYPES:
            raise unknown_setting("fine-tuning", name, TYPES)
        if not dot or owner == task:
            values[name] = [read_setting(key, one, TYPES[name]) for one in given[key].split(",")]
    return [
        replace(published, **dict(zip(values, point, strict=True))) for point in product(*values.values())
    ]


def varied(points: Sequence[FineTuning]) -> dict[str, list]:
    """Return the settings in which the points of a grid differ, with their values in order."""
    values = {name: list(dict.fromkeys(getattr(point, name) for point in points)) for name in TYPES}
    return {name: those for name, those in values.items() if len(those) > 1}
