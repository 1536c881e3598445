"""A step's batches: rows of like length, masks and labels of each stream, for the whole step on every process alike.

Seed and step determine everything. A run continues from any step without the state of generators, and several processes
read the same as one.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import count
from typing import TYPE_CHECKING, Self

import numpy as np
import torch

from crosslingua.encoders.data import Instances, Specials
from crosslingua.encoders.settings import Settings
from crosslingua.errors import ConfigError
from crosslingua.nn.ragged import cut

if TYPE_CHECKING:
    from crosslingua.encoders.objectives.objective import Objective

log = logging.getLogger(__name__)
WINDOW = 64  # batches whose rows are sorted by length together


@dataclass
class Batch:
    """A step's rows, or a process's part of them. Arrays of numpy, or after `tensors` of torch.

    Shapes: b rows, t tokens, m masked positions of a row at most.
    """

    clean: np.ndarray  # (b, t) ids as they are in the text
    present: np.ndarray  # (b, t) where there is a token, not padding
    languages: np.ndarray | None  # (b, t); None: the model has no language ids
    second: np.ndarray  # (b,) where the second language begins
    ids: np.ndarray | None = None  # (b, t) with masks
    columns: np.ndarray | None = None  # (b, m) masked positions; 0 where a row has fewer
    filled: np.ndarray | None = None  # (b, m) which of them are real
    labels: np.ndarray | None = None  # (b, m) what to predict there
    positions: np.ndarray | None = None  # (b, t) from 0; None: 0, 1, 2, ... in each row
    draws: np.ndarray | None = None  # (b, t) uniform in 0 to 1, for objectives that choose positions
    targets: np.ndarray | None = None  # (b, s) what a decoder writes, padded
    total: int | torch.Tensor = 0  # masked positions in the whole step; a tensor on a GPU, at least 1
    parts: int = 1  # parts that the step was divided into
    widths: tuple[int, int] | None = None  # tokens of the halves at most, of a batch that was made on a GPU

    @property
    def tokens(self) -> int:
        """Tokens that are read."""
        return int(self.present.sum())

    def part(self, index: int, parts: int) -> Self:
        """Return rows index, index + parts, ..., cut to their longest."""
        chosen = {
            field.name: value[index::parts]
            for field in fields(self)
            if isinstance(value := getattr(self, field.name), np.ndarray)
        }
        tokens = int(chosen["present"].sum(1).max())
        for name in ("clean", "present", "languages", "ids", "positions", "draws"):
            if name in chosen:
                chosen[name] = chosen[name][:, :tokens]
        if "filled" in chosen:
            masked = max(1, int(chosen["filled"].sum(1).max()))
            for name in ("columns", "filled", "labels"):
                chosen[name] = chosen[name][:, :masked]
        return replace(self, **chosen, parts=parts)

    def tensors(self, device: torch.device) -> Self:
        """Return it with tensors on `device`; `present` becomes None if there is no padding."""
        moved = {
            field.name: torch.from_numpy(np.ascontiguousarray(value)).to(device, non_blocking=True)
            for field in fields(self)
            if isinstance(value := getattr(self, field.name), np.ndarray)
        }
        if self.present.all():
            moved["present"] = None
        return replace(self, **moved)


def assemble(
    instances: Instances, rows: np.ndarray, pad: int, with_languages: bool, restart_positions: bool = False
) -> Batch:
    """Return some rows, padded to the longest; positions may begin again with the second language."""
    starts, lengths = instances.offsets[rows], instances.lengths[rows]
    places = np.arange(lengths.max())
    present = places < lengths[:, None]
    ids = np.full(present.shape, pad, dtype=np.int64)
    ids[present] = instances.ids[(starts[:, None] + places)[present]]
    languages, second = None, instances.second[rows]
    if with_languages:
        pairs = instances.languages[rows]
        languages = np.where(places < second[:, None], pairs[:, :1], pairs[:, 1:])
    batch = Batch(ids, present, languages, second)
    if restart_positions and (second < lengths).any():
        batch.positions = np.where(places < second[:, None], places, places - second[:, None])
    return batch


def batches_from(
    step: int, instances: Instances, size: int, unit: str, seed: int, least: int = 1
) -> Iterator[np.ndarray]:
    """Yield the rows of each batch from the given step on, without end, epoch after epoch.

    `unit` is sequences or tokens (padding included). A last batch that is not full is left out if there are others;
    so is one of fewer than `least` rows.
    """
    epoch = 0
    while True:
        batches = _epoch(instances.lengths, size, unit, np.random.default_rng([seed, epoch]))
        kept = [rows for rows in batches if len(rows) >= least]
        if not kept:
            raise ValueError(f"no batch has {least} rows")
        yield from kept[step:]
        step, epoch = max(0, step - len(kept)), epoch + 1


def _epoch(lengths: np.ndarray, size: int, unit: str, rng: np.random.Generator) -> list[np.ndarray]:
    """Shuffle, sort windows by length, cut into batches, shuffle these."""
    order = rng.permutation(len(lengths))
    if unit == "sequences" and len(order) > size:
        order = order[: len(order) // size * size]
    rows = size if unit == "sequences" else max(1, round(size / lengths.mean()))
    batches = []
    for start in range(0, len(order), WINDOW * rows):
        window = order[start : start + WINDOW * rows]
        window = window[np.argsort(lengths[window], kind="stable")]
        if unit == "sequences":
            batches += [window[at : at + size] for at in range(0, len(window), size)]
        else:
            batches += cut(window, lengths, size)
    return [batches[index] for index in rng.permutation(len(batches))]


# Masking as RoBERTa does it (Liu et al. 2019): anew for every batch, 15 % of the tokens of each row.
MASKED, RANDOM = 0.8, 0.1  # of the tokens to predict: replaced by the mask, by a random token; the rest stays


class Masker:
    """Chooses the tokens to predict and hides them.

    Of a row of n tokens without special ones, p·n are chosen, rounded at random with this mean (fairseq's RoBERTa).
    """

    def __init__(self, probability: float, specials: Specials, vocabulary: int):
        self.probability, self.mask = probability, specials.mask
        self.fixed = np.zeros(vocabulary, dtype=bool)
        self.fixed[[specials.start, specials.pad, specials.end]] = True
        self.ordinary = np.setdiff1d(np.arange(vocabulary), specials)

    def __call__(self, batch: Batch, rng: np.random.Generator) -> None:
        """Fill in what the batch lacks: `ids`, `columns`, `filled`, `labels`, `total`."""
        batch.columns, batch.filled = self._choose(~self.fixed[batch.clean], rng)
        batch.labels = np.take_along_axis(batch.clean, batch.columns, axis=1)
        batch.total = int(batch.filled.sum())
        rows = np.nonzero(batch.filled)[0]
        batch.ids = batch.clean.copy()
        batch.ids[rows, batch.columns[batch.filled]] = self._hidden(batch.labels[batch.filled], rng)

    def _choose(self, free: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        numbers = (self.probability * free.sum(1) + rng.random(len(free))).astype(int)
        most = max(1, int(numbers.max()))
        scores = np.where(free, rng.random(free.shape, dtype=np.float32), np.float32(2))
        nearest = np.argpartition(scores, most - 1, axis=1)[:, :most]
        order = np.argsort(np.take_along_axis(scores, nearest, axis=1), axis=1)
        filled = np.arange(most) < numbers[:, None]
        return np.where(filled, np.take_along_axis(nearest, order, axis=1), 0), filled

    def _hidden(self, tokens: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        chance = rng.random(len(tokens))
        others = self.ordinary[rng.integers(len(self.ordinary), size=len(tokens))]
        return np.where(chance < MASKED, self.mask, np.where(chance < MASKED + RANDOM, others, tokens))


# What a run reads, step by step.
NUMBERS = {"text": 0, "bitext": 1}


@dataclass(frozen=True)
class Streams:
    """Yields steps. `rows` and `objectives` are by stream, `text` and `bitext`; a step is divided into `parts`."""

    rows: Mapping[str, Instances]
    objectives: Mapping[str, Sequence[Objective]]
    masker: Masker
    settings: Settings
    seed: int
    pad: int
    language_ids: bool
    parts: int

    def __post_init__(self) -> None:
        settings, by_rows = self.settings, self.settings.batch_unit == "sequences"
        for name, rows in self.rows.items():
            most = settings.batch_size // (1 if by_rows else int(rows.lengths.max()))
            if min(most, len(rows)) < self.parts:
                raise ConfigError(
                    f"a batch of {name} has as few as {min(most, len(rows))} sequences, too few for {self.parts} parts "
                    "(processes times accumulate): raise batch_size"
                )
            there = len(rows) if by_rows else int(rows.lengths.sum())
            if there < settings.batch_size:
                log.warning(
                    "%s has %d %s in all, fewer than batch_size %d: each of the %d steps reads the whole text "
                    "again; give more %s or set batch_size=%d or less",
                    name, there, settings.batch_unit, settings.batch_size, settings.steps, name, there,
                )  # fmt: skip

    def steps(self, start: int) -> Iterator[dict[str, list[Batch]]]:
        """Yield, from step `start` (0-based) on, the parts of each stream's batch."""
        orders = {
            name: batches_from(
                start, rows, self.settings.batch_size, self.settings.batch_unit,
                seed=self.seed + 1000003 * NUMBERS[name], least=self.parts,
            )
            for name, rows in self.rows.items()
        }  # fmt: skip
        for step in count(start):
            yield {name: self._parts(name, next(order), step) for name, order in orders.items()}

    def _parts(self, name: str, rows: np.ndarray, step: int) -> list[Batch]:
        rng = np.random.default_rng([self.seed, step, NUMBERS[name]])
        batch = assemble(self.rows[name], rows, self.pad, self.language_ids, self.settings.restart_positions)
        objectives = self.objectives[name]
        if any(objective.masks for objective in objectives):
            self.masker(batch, rng)
        for objective in objectives:
            objective.prepare(batch, rng)
        return [batch.part(index, self.parts) for index in range(self.parts)]
