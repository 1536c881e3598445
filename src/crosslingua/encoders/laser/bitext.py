"""The bitext of a training run: every pair in each direction that ends in a pivot language."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from crosslingua.encoders.laser.laser import cut, pad
from crosslingua.encoders.laser.settings import LaserSettings
from crosslingua.encoders.pieces import Pieces, Sentences
from crosslingua.errors import ConfigError
from crosslingua.io.bitext import read_bitext

log = logging.getLogger(__name__)

Files = Mapping[tuple[str, str], tuple[str, str]]


@dataclass(frozen=True)
class Direction:
    """Sentences of one language and their translations into a pivot, without `</s>`."""

    source: str
    pivot: str
    language: int  # the pivot's number
    sources: Sentences
    targets: Sentences
    rows: np.ndarray  # (pairs,) int64: the pairs that are short enough

    @property
    def lengths(self) -> np.ndarray:
        """Subwords (pairs, 2) of either side, with `</s>`."""
        return np.stack([self.sources.lengths, self.targets.lengths], axis=1) + 1


class TranslationBatch(NamedTuple):
    """Sentence pairs of one direction, padded on the right."""

    source: Tensor  # (batch, time) int64, ends in `</s>`
    lengths: Tensor  # (batch,) int64; stays on the CPU
    previous: Tensor  # (batch, target time) int64: `</s>`, then the target but for its last subword
    target_lengths: Tensor  # (batch,) int64
    following: Tensor  # (target subwords,) int64: the targets, sentence by sentence, each with `</s>`
    language: int


def read_directions(files: Files, pivots: Sequence[str], pieces: Pieces, max_length: int) -> list[Direction]:
    """Return the directions of bitext files, given by pair of languages.

    A pair of both pivots gives two directions. Raises ConfigError for a pair without a pivot, a pivot that
    nothing is translated into, and bitext of which no pair is within `max_length` subwords.
    """
    _check(files, pivots)
    directions = []
    for languages, paths in files.items():
        lines = [list(side) for side in zip(*read_bitext(*paths), strict=True)] or [[], []]
        sides = dict(zip(languages, (pieces.encode(side) for side in lines), strict=True))
        rows = _short_enough("-".join(languages), list(sides.values()), max_length)
        for source, pivot in (languages, languages[::-1]):
            if pivot in pivots:
                number = list(pivots).index(pivot)
                directions.append(Direction(source, pivot, number, sides[source], sides[pivot], rows))
    return directions


def _check(files: Files, pivots: Sequence[str]) -> None:
    for first, second in files:
        if first == second or not {first, second} & set(pivots):
            raise ConfigError(f"bitext {first}-{second}: one of two languages must be a pivot ({', '.join(pivots)})")
    for pivot in pivots:
        if not any(pivot in pair for pair in files):
            raise ConfigError(f"pivot {pivot}: no bitext translates into it")


def _short_enough(name: str, sides: Sequence[Sentences], max_length: int) -> np.ndarray:
    """Return the numbers of the pairs of which neither side is empty or too long."""
    lengths = np.stack([side.lengths for side in sides])
    rows = np.flatnonzero((lengths.min(axis=0) > 0) & (lengths.max(axis=0) < max_length))
    if not len(rows):
        raise ConfigError(f"bitext {name}: no pair of 1 to {max_length - 1} subwords a side")
    if left_out := lengths.shape[1] - len(rows):
        log.warning("bitext %s: %d pairs are empty or longer than max_length and are left out", name, left_out)
    return rows


class Plan(NamedTuple):
    """A batch before it is made: which pairs of which direction."""

    direction: int
    rows: np.ndarray


def epoch_steps(directions: Sequence[Direction], settings: LaserSettings, seed: int, epoch: int) -> list[list[Plan]]:
    """Return the steps of an epoch, each of up to `accumulate` batches; a batch is of one direction.

    As in the authors' program: within a direction pairs of like length go together, those of equal length in
    another order each epoch, and the batches of all directions are shuffled together.
    """
    rng = np.random.default_rng([seed, epoch])
    plans = []
    for number, direction in enumerate(directions):
        rows = rng.permutation(direction.rows)
        lengths = direction.lengths
        order = rows[np.lexsort(lengths[rows].T[::-1])]
        plans += [Plan(number, part) for part in cut(order, lengths.max(axis=1), settings.batch_tokens)]
    plans = [plans[i] for i in rng.permutation(len(plans))]
    return [plans[start : start + settings.accumulate] for start in range(0, len(plans), settings.accumulate)]


def steps(
    directions: Sequence[Direction], settings: LaserSettings, seed: int, pieces: Pieces, start: int = 0
) -> Iterator[list[TranslationBatch]]:
    """Yield the batches of every step of a run from step `start` on; they depend on nothing but the arguments."""
    done = 0
    for epoch in range(settings.epochs):
        planned = epoch_steps(directions, settings, seed, epoch)
        for step in planned[max(0, start - done) :]:
            yield [make_batch(directions[plan.direction], plan.rows, pieces) for plan in step]
        done += len(planned)


def make_batch(direction: Direction, rows: np.ndarray, pieces: Pieces) -> TranslationBatch:
    """Return the pairs `rows` of a direction side by side."""
    end, padding = pieces.specials.end, pieces.specials.pad
    source, lengths = pad([np.append(_row(direction.sources, row), end) for row in rows], padding)
    targets = [_row(direction.targets, row) for row in rows]
    previous, target_lengths = pad([np.insert(target, 0, end) for target in targets], padding)
    following = torch.from_numpy(np.concatenate([np.append(target, end) for target in targets]).astype(np.int64))
    return TranslationBatch(source, lengths, previous, target_lengths, following, direction.language)


def _row(sentences: Sentences, row: int) -> np.ndarray:
    return sentences.pieces[sentences.offsets[row] : sentences.offsets[row + 1]]


def to_device(batch: TranslationBatch, device: str) -> TranslationBatch:
    """Return the batch on a device, but for the lengths that packing wants on the CPU."""
    moved = {name: getattr(batch, name).to(device) for name in ("source", "previous", "target_lengths", "following")}
    return batch._replace(**moved)
