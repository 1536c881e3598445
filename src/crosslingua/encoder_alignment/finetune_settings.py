"""Settings of fine-tuning alignment, by default the published ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from crosslingua.encoders.checked import Checked
from crosslingua.settings import from_options

DIRECTIONS = ("src_to_tgt", "tgt_to_src")


@dataclass(frozen=True)
class FineTuneSettings(Checked):
    """mbert_align, section 3; what it does not say is as in the program of Cao et al. 2020, whose method it is.

    - `direction`: `src_to_tgt` moves the source's vectors and keeps the target's near where they were (Eq. 10),
      `tgt_to_src` the other way round (Eq. 8)
    - `distance` of two vectors in the loss: `norm`, as Eq. 7 prints it, or `squared`, as Cao et al. 2020 have it
    - `regularisation`: weight of the second term of Eq. 9
    - `epochs`: passes over the sentence pairs; `batch_size`: sentence pairs of an update
    - `lr`: rate of Adam, reached after a linear rise over `warmup`, a share of the updates, and then constant
    - `adam_beta1`, `adam_beta2`, `adam_epsilon`: of Adam (Vaswani et al. 2017)
    - `clip_norm`: largest norm of the gradient; 0: any
    - `checkpoint_every`: updates
    """

    direction: str = "src_to_tgt"
    distance: str = "norm"
    regularisation: float = 1.0
    epochs: int = 1
    batch_size: int = 32
    lr: float = 5e-5
    warmup: float = 0.1
    adam_beta1: float = 0.9
    adam_beta2: float = 0.98
    adam_epsilon: float = 1e-9
    clip_norm: float = 0.0
    checkpoint_every: int = 500

    choices: ClassVar = {"direction": DIRECTIONS, "distance": ("norm", "squared")}
    positive: ClassVar = ("epochs", "batch_size", "lr", "adam_epsilon", "checkpoint_every")
    not_negative: ClassVar = ("regularisation", "warmup", "clip_norm", "adam_beta1", "adam_beta2")
    shares: ClassVar = ("warmup", "adam_beta1", "adam_beta2")


def from_words(options: Iterable[str]) -> FineTuneSettings:
    """Return the settings of `name=value` words. Raises ConfigError for an unknown name or a wrong value."""
    return from_options(FineTuneSettings, options, "finetune")
