"""The steps of a training run: which sentence pairs are seen together, and when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from crosslingua.encoders.laser.directions import PivotDirection
from crosslingua.encoders.laser.settings import LaserSettings
from crosslingua.encoders.specials import Specials
from crosslingua.laser.laser import cut


class TranslationBatch(NamedTuple):
    """Sentence pairs of one direction, padded on the right."""

    source: Tensor  # (batch, time) int64, ends in `</s>`
    lengths: Tensor  # (batch,) int64; stays on the CPU
    previous: Tensor  # (batch, target time) int64: `</s>`, then the target's subwords but the last
    target_lengths: Tensor  # (batch,) int64
    following: Tensor  # (target subwords,) int64: the targets, sentence by sentence, each with `</s>`
    language: int

    def to(self, device: str) -> TranslationBatch:
        """Return the batch on a device, but for the lengths that packing wants on the CPU."""
        moved = ("source", "previous", "target_lengths", "following")
        return self._replace(**{name: getattr(self, name).to(device) for name in moved})


class Plan(NamedTuple):
    """A batch before it is made: which pairs of which direction."""

    direction: int
    rows: np.ndarray


@dataclass(frozen=True)
class Steps:
    """The steps of a run; they depend on nothing but the fields, so that a run can go on anywhere."""

    directions: Sequence[PivotDirection]
    specials: Specials
    settings: LaserSettings
    seed: int

    @property
    def number(self) -> int:
        """Steps of the whole run; every epoch has equally many."""
        return self.settings.epochs * len(self.epoch(0))

    def since(self, start: int) -> Iterator[list[TranslationBatch]]:
        """Yield the batches of every step but the first `start`."""
        done = 0
        for epoch in range(self.settings.epochs):
            planned = self.epoch(epoch)
            for step in planned[max(0, start - done) :]:
                yield [make_batch(self.directions[plan.direction], plan.rows, self.specials) for plan in step]
            done += len(planned)

    def epoch(self, epoch: int) -> list[list[Plan]]:
        """Return the steps of an epoch, each of up to `accumulate` batches; a batch is of one direction.

        As in the authors' program: within a direction pairs of like length go together, those of equal length
        in another order each epoch, and the batches of all directions are shuffled together.
        """
        rng = np.random.default_rng([self.seed, epoch])
        plans = [
            Plan(number, rows)
            for number, direction in enumerate(self.directions)
            for rows in self._cut(direction, rng)
        ]
        plans = [plans[i] for i in rng.permutation(len(plans))]
        size = self.settings.accumulate
        return [plans[start : start + size] for start in range(0, len(plans), size)]

    def _cut(self, direction: PivotDirection, rng: np.random.Generator) -> Iterator[np.ndarray]:
        rows, lengths = rng.permutation(direction.rows), direction.lengths
        order = rows[np.lexsort((lengths[rows, 1], lengths[rows, 0]))]
        return cut(order, lengths.max(axis=1), self.settings.batch_tokens)


def make_batch(direction: PivotDirection, rows: np.ndarray, specials: Specials) -> TranslationBatch:
    """Return the pairs `rows` of a direction side by side."""
    sources, targets = direction.sources, direction.targets
    first = np.full((len(rows), 1), specials.end)
    return TranslationBatch(
        source=torch.from_numpy(sources.padded(rows, specials.pad)),
        lengths=torch.from_numpy(sources.lengths[rows]),
        previous=torch.from_numpy(np.hstack([first, targets.padded(rows, specials.pad)[:, :-1]])),
        target_lengths=torch.from_numpy(targets.lengths[rows]),
        following=torch.from_numpy(targets.joined(rows)),
        language=direction.language,
    )
