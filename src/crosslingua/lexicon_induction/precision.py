"""The precision of induced translations where there is no dictionary: criteria, and an estimate with a known error.

The criteria are of the QUERIES most frequent source words under CSLS. Their relation to the share that is right was
fitted on pairs whose dictionaries are known (benchmarks/precision_without_dictionary.py), and tested on pairs left out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np

from crosslingua.io.json import read_json
from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction.retrieval import csls, retrieve_back

QUERIES = 5000  # most frequent source words
FITTED = Path(__file__).with_name("precision.json")
FREQUENT = 1000  # most frequent source words whose spelling is looked up in the target language
# Criteria weighed as log odds.
SHARES = ("mutual", "different", "seeds", "systems", "itself", "alike", "common")
OTHERS = ("csls", "lead", "degenerate", "words")
KINDS = ("aligned", "joint")  # against both
LEAST = 1e-3  # a share that is told from none
Space = tuple[WordVectors, WordVectors]  # mapped vectors of source and target
Answers = dict[str, str]  # source word -> its best target word


@dataclass(frozen=True)
class Translated:
    """The queries of one space: their answers, and for each (n,) its CSLS, lead over the next, and whether mutual."""

    answers: Answers
    score: np.ndarray
    lead: np.ndarray
    mutual: np.ndarray

    @classmethod
    def of(cls, space: Space, queries: int = QUERIES) -> "Translated":
        """Translate the `queries` most frequent source words among all target words."""
        source, target = space
        rows = np.arange(min(queries, len(source)))
        indices, scores = csls(source.matrix, target.matrix, rows, k=2)
        best = indices[:, 0]
        mutual = retrieve_back(source.matrix, target.matrix, best) == rows
        answers = {source.words[row]: target.words[own] for row, own in zip(rows, best, strict=True)}
        return cls(answers, scores[:, 0], scores[:, 0] - scores[:, 1], mutual)


def criteria(
    spaces: Mapping[str, Sequence[Space]], strategies: Mapping[str, str], degenerate: Mapping[str, float]
) -> dict[str, dict[str, float]]:
    """Return the criteria of each system by name.

    `spaces` are those of a system's training runs, at least two; `strategies` says what each system does (aligned,
    joint, both; at least one is aligned), `degenerate` what share of its runs has a map that is no better than a
    random one.
    """
    translated = {system: [Translated.of(space) for space in runs] for system, runs in spaces.items()}
    known = {system: {*runs[0][1].words} for system, runs in spaces.items()}
    apart = [space for system, runs in spaces.items() if strategies[system] == "aligned" for space in runs]
    common = _mean(map(_common, apart))
    found = {}
    for system, runs in translated.items():
        own = [run.answers for run in runs]
        different = [other for other in translated if strategies[other] != strategies[system]]
        others = [run.answers for other in different for run in translated[other]]
        found[system] = {
            "mutual": _mean(run.mutual.mean() for run in runs),
            "different": _mean(_different(run).mean() for run in runs),
            "csls": _mean(run.score[run.mutual].mean() for run in runs),
            "lead": _mean(run.lead.mean() for run in runs),
            "seeds": _mean(_agreement(a, b) for a, b in combinations(own, 2)),
            "systems": _mean(_agreement(a, b) for a, b in product(own, others)),
            "itself": _mean(_mean(word == best for word, best in answers.items()) for answers in own),
            "alike": _mean(_alike(answers, known[system]) for answers in own),
            "common": common,
            "degenerate": degenerate.get(system, 0.0),
            "words": float(np.log(len(spaces[system][0][0]))),
        }
    return found


def _mean(values: Any) -> float:
    values = list(values)
    return float(np.mean(values)) if values else 0.0


def _different(run: Translated) -> np.ndarray:
    """Return (n,): whether a query and its answer are mutual, and not spelt alike."""
    return run.mutual & np.array([word != best for word, best in run.answers.items()])


def _agreement(first: Answers, second: Answers) -> float:
    """Return the share of common queries that are answered alike, by another word than themselves."""
    return _mean(first[word] == second[word] != word for word in first if word in second)


def _alike(answers: Answers, target: set[str]) -> float:
    """Return what share of the queries that are a word of the target too is answered by itself."""
    return _mean(best == word for word, best in answers.items() if word in target)


def _common(space: Space) -> float:
    """Return what share of the FREQUENT source words is spelt like a word of the target."""
    source, target = space
    return _mean(word in target.index for word in source.words[:FREQUENT])


@dataclass(frozen=True)
class Estimate:
    """The estimated precision of a system in percent, and its 90 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"about {self.value:.0f} %, 90 % interval {self.low:.0f} to {self.high:.0f}"


def fitted() -> dict[str, Any]:
    """Return the fitted model, what it was fitted on, and how it did on pairs left out."""
    return read_json(FITTED, dict)


def estimate(found: Mapping[str, Mapping[str, float]], strategies: Mapping[str, str]) -> dict[str, Estimate]:
    """Return the estimated precision of each system, by its criteria."""
    model = fitted()
    estimates = {}
    for system, values in found.items():
        row = inputs(values, strategies[system])
        score = model["intercept"] + sum(model["weights"][name] * value for name, value in row.items())
        low, high = model["held_out"]["errors"]
        estimates[system] = Estimate(*(_percent(score + shift) for shift in (0.0, low, high)))
    return estimates


def leader(estimates: Mapping[str, Estimate], strategies: Mapping[str, str]) -> str:
    """Return the system to use: the best that does both, since both was best in most pairs of the fit, unless the
    interval of another lies above its interval.
    """
    ranked = sorted(estimates, key=lambda name: estimates[name].value, reverse=True)
    both = next((name for name in ranked if strategies[name] == "both"), ranked[0])
    return ranked[0] if estimates[ranked[0]].low > estimates[both].high else both


def inputs(values: Mapping[str, float], strategy: str) -> dict[str, float]:
    """Return what the model weighs: shares as log odds, and the strategy."""
    row = {name: log_odds(values[name]) for name in SHARES} | {name: values[name] for name in OTHERS}
    return row | {kind: float(strategy == kind) for kind in KINDS}


def log_odds(share: float) -> float:
    """Return the logarithm of the odds of a share, which is at least LEAST from none and from all."""
    share = min(max(share, LEAST), 1 - LEAST)
    return float(np.log(share / (1 - share)))


def _percent(score: float) -> float:
    return float(100 / (1 + np.exp(-score)))
