"""The bitext of a training run: every pair in each direction that ends in a pivot language."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from crosslingua.encoders.pieces import Pieces
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.bitext import read_bitext
from crosslingua.laser.subwords import ended
from crosslingua.ragged import Ragged

log = logging.getLogger(__name__)

Files = Mapping[tuple[str, str], tuple[str, str]]


@dataclass(frozen=True)
class PivotDirection:
    """Sentences of one language and their translations into a pivot, as subwords that end in `</s>`."""

    source: str
    pivot: str
    language: int  # the pivot's number
    sources: Ragged
    targets: Ragged
    rows: np.ndarray  # (pairs,) int64: the pairs that are short enough

    @property
    def lengths(self) -> np.ndarray:
        """Subwords (pairs, 2) of either side."""
        return np.stack([self.sources.lengths, self.targets.lengths], axis=1)


def read_directions(
    files: Files, pivots: Sequence[str], pieces: Pieces, max_length: int
) -> list[PivotDirection]:
    """Return the directions of bitext files, given by pair of languages.

    A pair of both pivots gives two directions. Raises ConfigError for a pair without a pivot, a pivot that
    nothing is translated into, and bitext of which no pair is within `max_length` subwords.
    """
    _check(files, pivots)
    directions = []
    for languages, paths in files.items():
        sides = _encoded(languages, paths, pieces)
        rows = _short_enough("-".join(languages), list(sides.values()), max_length)
        for source, pivot in (languages, languages[::-1]):
            if pivot in pivots:
                number = list(pivots).index(pivot)
                directions.append(PivotDirection(source, pivot, number, sides[source], sides[pivot], rows))
    return directions


def _encoded(languages: tuple[str, str], paths: tuple[str, str], pieces: Pieces) -> dict[str, Ragged]:
    sentences = [pieces.encode(side) for side in zip(*read_bitext(*paths), strict=True)]
    if not sentences:
        raise InputError(paths[0], "has no sentences")
    end = pieces.specials.end
    return {
        name: ended(side.pieces, side.offsets, end) for name, side in zip(languages, sentences, strict=True)
    }


def _check(files: Files, pivots: Sequence[str]) -> None:
    for first, second in files:
        if first == second or not {first, second} & set(pivots):
            raise ConfigError(
                f"bitext {first}-{second}: one of two languages must be a pivot ({', '.join(pivots)})"
            )
    if len(set(pivots)) < len(pivots):
        raise ConfigError(f"pivots {', '.join(pivots)}: name each once")
    for pivot in pivots:
        if not any(pivot in pair for pair in files):
            raise ConfigError(f"pivot {pivot}: no bitext translates into it")


def _short_enough(name: str, sides: Sequence[Ragged], max_length: int) -> np.ndarray:
    """Return the numbers of the pairs of which neither side is empty or too long."""
    lengths = np.stack([side.lengths for side in sides])
    rows = np.flatnonzero((lengths.min(axis=0) > 1) & (lengths.max(axis=0) <= max_length))
    if not len(rows):
        raise ConfigError(f"bitext {name}: no pair of 1 to {max_length - 1} subwords a side")
    if left_out := lengths.shape[1] - len(rows):
        log.warning(
            "bitext %s: %d pairs are empty or longer than max_length and are left out", name, left_out
        )
    return rows
