"""The answer to the suite's question: of aligned, joint and both, which translates best, pair by pair, and how surely.

A condition is a language pair, with or without a dictionary, on all test words or on those not spelt alike. In it each
strategy stands for its best system. The best of many systems is too good by chance on the words that choose it, so
that words take turns (cross-fitting): the words of one half choose the system that answers those of the other half.
Intervals are those of claims: they allow for skewed seeds and for failures that few seeds do not show.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from crosslingua.claims.interval import Crossed, Evidence, Interval, mean_spread
from crosslingua.claims.record import Record, record_of
from crosslingua.claims.statements import MIN_SEEDS

ALIGNED, JOINT, BOTH = STRATEGIES = ("aligned", "joint", "both")
WORDS = {"all": "all", "different_surface": "not spelt alike"}
SUPERVISIONS = {True: "dictionary", False: "none"}
DRAWS = 2000  # of the bootstrap over pairs, words and seeds
UNDECIDED = "not told apart"


@dataclass(frozen=True)
class Contender:
    """A strategy in a condition: its best `system` there, and the grid (seeds x words) of cross-fitted values."""

    system: str
    grid: Crossed


def answer(
    evidence: Mapping[tuple[str, str], Evidence], unsupervised: Collection[str], strategies: Mapping[str, str]
) -> dict[str, Any]:
    """Return the answer: `conditions`, one by one, and `summaries` over the pairs of alike conditions.

    `strategies` names the strategy of each system, `unsupervised` the systems that need no dictionary. A condition has
    `strategies` {name: system, value, low, high}, `comparisons` of the best with the others (effect, low, high, at 95 %
    together) and `best`, the strategy ahead of each other, or `UNDECIDED`.
    """
    conditions, grids = [], {}
    for words, name in WORDS.items():
        found = evidence["precision", words]
        record = record_of(found)
        for pair, systems in found.values.items():
            for supervised, supervision in SUPERVISIONS.items():
                allowed = [system for system in systems if supervised or system in unsupervised]
                by_strategy = {
                    kind: names
                    for kind in STRATEGIES
                    if (names := [system for system in allowed if strategies.get(system) == kind])
                }
                contenders = _contenders(found, pair, by_strategy)
                if len(contenders) > 1:
                    place = {"pair": pair.partition(".")[0], "supervision": supervision, "words": name}
                    conditions.append(place | _condition(contenders, record, pair))
                    grids.setdefault((supervision, name), {})[place["pair"]] = contenders
    summaries = [
        {"supervision": supervision, "words": words} | _summary(pairs)
        for (supervision, words), pairs in grids.items()
    ]
    return {"unit": evidence["precision", "all"].unit, "conditions": conditions, "summaries": summaries}


def _contenders(found: Evidence, pair: str, by_strategy: Mapping[str, Sequence[str]]) -> dict[str, Contender]:
    """Return each strategy's contender on the seeds and words that all systems share; systems with fewer seeds than
    the others of their strategy do not compete.
    """
    runs = found.values[pair]
    competing = {}
    for kind, systems in by_strategy.items():
        most = max(len(runs[system]) for system in systems)
        competing[kind] = [system for system in systems if len(runs[system]) == most]
    every = [system for systems in competing.values() for system in systems]
    seeds = sorted(set.intersection(*(set(runs[system]) for system in every))) if every else []
    columns = [runs[system][seed] for system in every for seed in seeds]
    items = sorted(set.intersection(*map(set, columns))) if columns else []
    if len(items) < 2:
        return {}
    values = {
        system: np.array([[runs[system][seed][item] for item in items] for seed in seeds]) for system in every
    }
    return {
        kind: _cross_fitted(items, {system: values[system] for system in systems})
        for kind, systems in competing.items()
    }


def _cross_fitted(items: Sequence[Any], values: Mapping[str, np.ndarray]) -> Contender:
    """Return the values of the systems that the other half of the words chooses, and the best system on all words."""
    grid = np.empty_like(next(iter(values.values())))
    for half in (0, 1):
        chosen = max(values, key=lambda system: values[system][:, 1 - half :: 2].mean())
        grid[:, half::2] = values[chosen][:, half::2]
    best = max(values, key=lambda system: values[system].mean())
    return Contender(best, Crossed(items, grid))


def _condition(contenders: Mapping[str, Contender], record: Record, pair: str) -> dict[str, Any]:
    leader = max(contenders, key=lambda kind: contenders[kind].grid.values.mean())
    others = [kind for kind in contenders if kind != leader]

    def interval(kind: str, over: str | None = None, level: float = 0.95) -> Interval:
        of, less = contenders[kind], contenders[over] if over else None
        values = of.grid.values - less.grid.values if less else of.grid.values
        spread = replace(mean_spread([Crossed(of.grid.items, values)]), skewness=record.skewness)
        down, up = record.doubt([pair], of.system, less and less.system).around(spread, level)
        return Interval(spread.effect, spread.effect - down, spread.effect + up)

    comparisons = [
        {"of": leader, "over": other, **vars(interval(leader, other, 1 - 0.05 / len(others)))}
        for other in others
    ]
    strategies = {}
    for kind in contenders:
        mean = interval(kind).within(0.0, 100.0)
        place = {"system": contenders[kind].system, "value": mean.effect}
        strategies[kind] = place | {"low": mean.low, "high": mean.high}
    seeds, words = contenders[leader].grid.values.shape
    ahead = seeds >= MIN_SEEDS and all(comparison["low"] > 0 for comparison in comparisons)
    return {
        "seeds": seeds,
        "test_words": words,
        "leader": leader,
        "best": leader if ahead else UNDECIDED,
        "strategies": strategies,
        "comparisons": comparisons,
    }


def _summary(pairs: Mapping[str, Mapping[str, Contender]]) -> dict[str, Any]:
    """Return the mean of each strategy over the pairs that have all of them, how often each is first, and the share of
    bootstrap draws (of pairs, and of words and seeds within them) in which its mean is the highest.
    """
    kinds = [kind for kind in STRATEGIES if any(kind in contenders for contenders in pairs.values())]
    whole = [contenders for contenders in pairs.values() if set(kinds) <= set(contenders)]
    means = np.array([[contenders[kind].grid.values.mean() for kind in kinds] for contenders in whole])
    draws = np.array([_resampled([contenders[kind].grid.values for kind in kinds]) for contenders in whole])
    chosen = np.random.default_rng(0).integers(len(whole), size=(DRAWS, len(whole)))
    drawn = draws[chosen, np.arange(DRAWS)[:, None]].mean(axis=1)  # (draws, strategies)
    first = Counter(kinds[place] for place in means.argmax(axis=1))
    highest = Counter(kinds[place] for place in drawn.argmax(axis=1))
    return {
        "pairs": len(whole),
        "means": dict(zip(kinds, means.mean(axis=0).tolist(), strict=True)),
        "first_in": {kind: first[kind] for kind in kinds},
        "first_in_draws": {kind: 100 * highest[kind] / DRAWS for kind in kinds},
    }


def _resampled(grids: Sequence[np.ndarray]) -> np.ndarray:
    """Return (draws, strategies), the means of `grids` (seeds, words) over seeds and words drawn with replacement."""
    seeds, words = grids[0].shape
    generator = np.random.default_rng(0)
    of_seeds = generator.multinomial(seeds, np.full(seeds, 1 / seeds), size=DRAWS) / seeds
    of_words = generator.multinomial(words, np.full(words, 1 / words), size=DRAWS) / words
    return np.array([((of_seeds @ grid) * of_words).sum(axis=1) for grid in grids]).T
