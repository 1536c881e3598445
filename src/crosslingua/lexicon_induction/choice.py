"""Choose settings by held-out translations: the same search for mappers and for whatever else sees a dictionary.

A grid is `name=value|value`, several of them a product; the settings as published come first, and are kept unless
another candidate is better by more than one standard error (`one_standard_error`).
"""

import logging
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeVar

import numpy as np

from crosslingua.errors import ConfigError
from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction import bli

# One-standard-error rule (Breiman et al. 1984, section 3.4.3; Hastie et al. 2009, section 7.10), on paired
# items: of the candidates whose mean falls short of the best one's by at most one standard error of the
# difference, the first counts. So candidates stand in the order of preference, the published one first.
Candidate = TypeVar("Candidate", bound=Hashable)


def one_standard_error(scores: Mapping[Candidate, Sequence[float]]) -> Candidate:
    """Return the first candidate that is within one standard error of the best.

    `scores` are each candidate's values of the same items (n,), in the order of preference. A candidate that is the
    best itself, or differs from it on no item, is within.
    """
    values = {name: np.asarray(items, dtype=np.float64) for name, items in scores.items()}
    best = max(values, key=lambda name: values[name].mean())
    return next(name for name in values if _within(values[best] - values[name]))


def _within(lost: np.ndarray) -> bool:
    """Whether the mean of differences (n,) is at most its standard error, sd / sqrt(n); one item has none."""
    if len(lost) < 2:
        return not lost.any()
    error = lost.std(ddof=1) / np.sqrt(len(lost))
    return bool(lost.mean() <= error * (1 + 1e-9))  # one query that differs is within, whatever rounding says


log = logging.getLogger(__name__)
Settings = Mapping[str, str]
Pairs = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Choice:
    """The settings that were chosen, and P@1 (0-100) of every candidate on how many held-out queries."""

    settings: Settings
    scores: Sequence[tuple[Settings, float]]
    queries: int

    def record(self) -> dict[str, Any]:
        """The choice as JSON values."""
        tried = [{"settings": dict(settings), "p_at_1": score} for settings, score in self.scores]
        return {"settings": dict(self.settings), "queries": self.queries, "tried": tried}


def parse_grid(words: Sequence[str]) -> dict[str, list[str]]:
    """Read `["lr=1|10", "niter=10|20"]`. Raises ConfigError for a word that is not of this form."""
    grid = {}
    for word in words:
        name, equals, values = word.partition("=")
        if not (name and equals and values):
            raise ConfigError(f"--search {word}: write name=value|value")
        grid[name] = values.split("|")
    return grid


def candidates(
    published: Settings, grid: Mapping[str, Sequence[str]], made: Callable[[Settings], Any]
) -> list[Settings]:
    """Return the published settings and every combination of the grid's values, each once by what is `made`."""
    every = [dict(published) | dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    distinct: list[Settings] = []
    for settings in (dict(published), *every):
        if made(settings) not in map(made, distinct):
            distinct.append(settings)
    return distinct


def choose(
    tried: Sequence[Settings], spaces: Sequence[Any], hits: Callable[[Settings, Any], Mapping[str, float]]
) -> Choice:
    """Return the choice among settings; a query's value is its mean of `hits` (1 right, 0 wrong) over the spaces."""
    values = []
    for settings in tried:
        found = [hits(settings, space) for space in spaces]
        values.append([float(np.mean([one[query] for one in found])) for query in found[0]])
        log.info(
            "%s: P@1 %.1f on %d held-out queries", dict(settings), 100 * np.mean(values[-1]), len(values[-1])
        )
    best = one_standard_error(dict(enumerate(values)))
    scores = [(settings, 100 * float(np.mean(value))) for settings, value in zip(tried, values, strict=True)]
    return Choice(tried[best], scores, len(values[0]))


def apart(fit: Pairs, validation: Pairs) -> None:
    """Raise ConfigError where a source word both trains and chooses."""
    common = {source for source, _ in fit} & {source for source, _ in validation}
    if common:
        raise ConfigError(f"{len(common)} words both train and select, e.g. {min(common)}: hold them out")


def right(source: WordVectors, target: WordVectors, pairs: Pairs) -> dict[str, float]:
    """Return 1 for each query that CSLS answers right and 0 for others, under the rule of the paper's program."""
    ranks = bli.score(bli.predict(source, target, pairs, top=1), pairs, samples=1)["ranks"]
    return {query: float(rank == 1) for query, rank in ranks.items()}
