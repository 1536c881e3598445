"""The lower line: every word gets the most frequent label of training."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from crosslingua.taggers.settings import MajoritySettings
from crosslingua.taggers.tagger import PADDING, Tagger


class Majority(Tagger):
    """Counts the labels of training."""

    Settings = MajoritySettings

    def __init__(self, settings: MajoritySettings, dimension: int, labels: Sequence[str]):
        super().__init__()
        self.register_buffer("counts", torch.zeros(len(labels), dtype=torch.int64))
        self.nothing = nn.Parameter(torch.zeros(()))  # for an optimiser; the loss does not depend on it

    def loss(self, vectors: Tensor, labels: Tensor) -> Tensor:
        """Count labels; return 0."""
        self.counts += torch.bincount(labels[labels != PADDING], minlength=len(self.counts))
        return self.nothing * 0.0

    def decode(self, vectors: Tensor, mask: Tensor) -> Tensor:
        """Return the most frequent label for each word."""
        return self.counts.argmax().expand(mask.shape)
