"""Choose settings by held-out translations: the same search for mappers and for whatever else sees a dictionary.

A grid is `name=value|value`; several grids form a product. The published settings come first and stay unless another
candidate is better by more than one standard error (`one_standard_error`).

Queries without vectors count by the rule of joint_align's program. If too few queries have vectors under every
candidate, that rule would score spelling. Only queries with vectors count then, as by MUSE's rule (`compare`).
"""

import logging
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeVar

import numpy as np

from crosslingua.errors import ConfigError
from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction import COVERED, bli

# One-standard-error rule (Breiman et al. 1984, section 3.4.3; Hastie et al. 2009, section 7.10), on paired items. The
# first candidate wins whose mean is below the best by at most one standard error of the difference. So candidates stand
# in the order of preference, the published one first.
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


@dataclass(frozen=True)
class Answers:
    """Whether each query is answered right (1, else 0) by the rule of the paper's program, and which have vectors."""

    hits: Mapping[str, float]
    covered: frozenset[str]


FEWEST = 20  # queries that all candidates must have vectors of, where these alone are to choose


@dataclass(frozen=True)
class ComparedAnswers:
    """Each candidate's values of the same queries, in the order of preference.

    `note` says which queries count, where not all do; without `chooses` they are too few, and the first stays.
    """

    values: Mapping[Any, Sequence[float]]
    note: str = ""
    chooses: bool = True

    @property
    def best(self) -> Any:
        """The candidate that is chosen."""
        return one_standard_error(self.values) if self.chooses else next(iter(self.values))


def compare(answers: Mapping[Candidate, Sequence[Answers]]) -> ComparedAnswers:
    """Return candidates' mean hits over their spaces, of all queries, or of queries that all candidates cover.

    The latter where they are less than COVERED percent. With fewer than FEWEST, all are shown, and nothing is chosen.
    """
    every = [one for spaces in answers.values() for one in spaces]
    queries, common = list(every[0].hits), frozenset.intersection(*(one.covered for one in every))
    counted, note, chooses = queries, "", True
    if 100 * len(common) < COVERED * len(queries):
        note = f"{len(common)} of {len(queries)} queries have vectors under every candidate: "
        if chooses := len(common) >= FEWEST:
            note += "only these count (MUSE's rule)"
            counted = [query for query in queries if query in common]
        else:
            note += f"fewer than {FEWEST}, the first candidate stays"
    values = {
        name: [float(np.mean([one.hits[query] for one in spaces])) for query in counted]
        for name, spaces in answers.items()
    }
    return ComparedAnswers(values, note, chooses)


log = logging.getLogger(__name__)
Settings = Mapping[str, str]
Pairs = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Choice:
    """The settings that were chosen, and P@1 (0-100) of every candidate on how many held-out queries.

    `note` says which queries count, where not all do.
    """

    settings: Settings
    scores: Sequence[tuple[Settings, float]]
    queries: int
    note: str = ""

    def record(self) -> dict[str, Any]:
        """The choice as JSON values."""
        tried = [{"settings": dict(settings), "p_at_1": score} for settings, score in self.scores]
        known = {"settings": dict(self.settings), "queries": self.queries, "tried": tried}
        return known | ({"note": self.note} if self.note else {})


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
    """Return the published settings and every combination of the grid's values, each `made` setting once."""
    every = [dict(published) | dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    distinct: list[Settings] = []
    for settings in (dict(published), *every):
        if made(settings) not in map(made, distinct):
            distinct.append(settings)
    return distinct


def choose(
    tried: Sequence[Settings], spaces: Sequence[Any], answer: Callable[[Settings, Any], Answers]
) -> Choice:
    """Return the choice among settings, by the answers that they give in every space."""
    answers = {}
    for number, settings in enumerate(tried):
        log.info("%s: answers the held-out queries", dict(settings))
        answers[number] = [answer(settings, space) for space in spaces]
    compared = compare(answers)
    values = compared.values
    scores = [(settings, 100 * float(np.mean(values[number]))) for number, settings in enumerate(tried)]
    for settings, score in scores:
        log.info("%s: P@1 %.1f on %d held-out queries", dict(settings), score, len(values[0]))
    return Choice(tried[compared.best], scores, len(values[0]), compared.note)


def apart(fit: Pairs, validation: Pairs) -> None:
    """Raise ConfigError where a source word both trains and chooses."""
    common = {source for source, _ in fit} & {source for source, _ in validation}
    if common:
        raise ConfigError(f"{len(common)} words both train and select, e.g. {min(common)}: hold them out")


def answered(source: WordVectors, target: WordVectors, pairs: Pairs, device: str = "cpu") -> Answers:
    """Return what CSLS answers to the queries of `pairs`; `device` is cpu or cuda."""
    predictions = bli.predict(source, target, pairs, top=1, device=device)
    ranks, known = (bli.score(predictions, pairs, rule, samples=1)["ranks"] for rule in ("paper", "muse"))
    return Answers({query: float(rank == 1) for query, rank in ranks.items()}, frozenset(known))
