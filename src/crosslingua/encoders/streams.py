"""A step's batches: rows, masks and labels of each stream, drawn for the whole step on every process alike.

Everything follows from seed and step, so that a run goes on from any step without a state of its generators, and
several processes read what one would.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from crosslingua.encoders.batches import Batch, Masker, assemble, batches_from
from crosslingua.encoders.data import Instances
from crosslingua.encoders.objectives.objective import Objective
from crosslingua.encoders.settings import Settings
from crosslingua.errors import ConfigError

log = logging.getLogger(__name__)

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
        unit = self.settings.batch_unit
        for name, rows in self.rows.items():
            longest = int(rows.lengths.max())
            most = self.settings.batch_size if unit == "sequences" else self.settings.batch_size // longest
            if min(most, len(rows)) < self.parts:
                raise ConfigError(
                    f"a batch of {name} has as few as {min(most, len(rows))} sequences, too few for {self.parts} parts "
                    "(processes times accumulate): raise batch_size"
                )

            self._warn_of_few(name, rows)

    def _warn_of_few(self, name: str, rows: Instances) -> None:
        settings = self.settings
        there = len(rows) if settings.batch_unit == "sequences" else int(rows.lengths.sum())
        if there < settings.batch_size:
            log.warning(
                "%s has %d %s in all, fewer than batch_size %d: each of the %d steps reads all of it again, and trains "
                "on less than was asked for; give more %s or set batch_size=%d or less",
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
        step = start
        while True:
            yield {name: self._parts(name, next(order), step) for name, order in orders.items()}
            step += 1

    def _parts(self, name: str, rows: np.ndarray, step: int) -> list[Batch]:
        rng = np.random.default_rng([self.seed, step, NUMBERS[name]])
        batch = assemble(self.rows[name], rows, self.pad, self.language_ids, self.settings.restart_positions)
        objectives = self.objectives[name]
        if any(objective.masks for objective in objectives):
            self.masker(batch, rng)
        for objective in objectives:
            objective.prepare(batch, rng)
        return [batch.part(index, self.parts) for index in range(self.parts)]
