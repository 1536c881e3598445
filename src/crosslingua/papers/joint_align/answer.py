"""The answer to the suite's question: which strategy translates best, pair by pair, and how surely.

The strategies are alignment of vectors trained apart, joint training, joint training whose vectors are then mapped, and
`both`: joint training, reallocation of shared words, and mapping. The third differs from `both` by reallocation alone.

A condition is a language pair, with or without a dictionary, on all test words or on those not spelt alike. In it each
strategy stands for its best system. The best of many systems is too good by chance on the words that choose it, so
that words take turns (cross-fitting): the words of one half choose the system that answers those of the other half.
Intervals are those of claims, over seeds and words.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

from crosslingua.atlas.cards import ALIGNED, STRATEGIES, UNDECIDED
from crosslingua.claims.statements import MIN_SEEDS
from crosslingua.evidence.evidence import Evidence
from crosslingua.statistics.interval import Crossed, Interval, Spread, mean_spread, possible

ALL, UNLIKE = "all", "different_surface"  # test words
WORDS = {ALL: "all", UNLIKE: "not spelt alike"}
SUPERVISIONS = {True: "dictionary", False: "none"}
PERCENT = (0.0, 100.0)
LEVEL = 2.0  # points of P@1: strategies that are certainly closer are level (reference/smallest_effects.yaml)
TENFOLD, HUNDREDFOLD = 10, 100


@dataclass(frozen=True)
class Contender:
    """A strategy in a condition: its best `system` there, and the grid (seeds x words) of cross-fitted values."""

    system: str
    grid: Crossed


def answer(
    evidence: Mapping[tuple[str, str], Evidence], unsupervised: Collection[str], strategies: Mapping[str, str]
) -> dict[str, Any]:
    """Return the answer: `conditions`, one by one, and `summaries` over the pairs of alike conditions.

    `strategies` names the strategy of each system, one of STRATEGIES or what competes beside them. `unsupervised` are
    the systems that need no dictionary. A condition has `strategies` {name: system, value, low, high}, `comparisons`
    of the best with the others (effect, low, high, at 95 % together), `best`, the strategy ahead of each other, or
    `UNDECIDED`, `level`, the strategies within 2 points of the leader by their interval, and `leads` of the others
    over `aligned`, each at 95 %. Where a strategy is neither behind the leader nor level with it, `would_decide` has
    the numbers of seeds or words that would tell, if the leads stay as they are. Words not spelt alike come first
    where a pair spells some alike: those are found at no cost by training on both texts.
    """
    conditions, kinds = [], dict.fromkeys([*STRATEGIES, *strategies.values()])
    for words in (UNLIKE, ALL) if _spelt_alike(evidence) else (ALL, UNLIKE):
        found = evidence["precision", words]
        for pair, systems in found.values.items():
            for supervised, supervision in SUPERVISIONS.items():
                allowed = [system for system in systems if supervised or system in unsupervised]
                by_strategy = {
                    kind: names
                    for kind in kinds
                    if (names := [system for system in allowed if strategies.get(system) == kind])
                }
                contenders = _contenders(found, pair, by_strategy)
                if len(contenders) > 1:
                    place = {
                        "pair": pair.partition(".")[0],
                        "supervision": supervision,
                        "words": WORDS[words],
                    }
                    conditions.append(place | _condition(contenders))
    alike: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for condition in conditions:
        alike.setdefault((condition["supervision"], condition["words"]), []).append(condition)
    summaries = [
        {"supervision": supervision, "words": words} | _summary(pairs)
        for (supervision, words), pairs in alike.items()
    ]
    return {"unit": evidence["precision", "all"].unit, "conditions": conditions, "summaries": summaries}


def _spelt_alike(evidence: Mapping[tuple[str, str], Evidence]) -> bool:
    """Whether a pair has test words that are spelt alike: those that the words not spelt alike lack."""
    every, unlike = (_items(evidence["precision", words]) for words in (ALL, UNLIKE))
    return any(items - unlike.get(pair, set()) for pair, items in every.items())


def _items(found: Evidence) -> dict[str, set[tuple[str, str]]]:
    """Return the test items of each pair."""
    return {
        pair: {item for runs in systems.values() for values in runs.values() for item in values}
        for pair, systems in found.values.items()
    }


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


def _condition(contenders: Mapping[str, Contender]) -> dict[str, Any]:
    leader = max(contenders, key=lambda kind: contenders[kind].grid.values.mean())
    others = [kind for kind in contenders if kind != leader]

    def own(kind: str, level: float = 0.95) -> Interval:
        return mean_spread([contenders[kind].grid]).interval(level).within(*PERCENT)

    def spread(over: str, of: str = leader) -> Spread:
        values = contenders[of].grid.values - contenders[over].grid.values
        return mean_spread([Crossed(contenders[of].grid.items, values)])

    def lead(over: str, level: float, of: str = leader) -> Interval:
        return possible(spread(over, of).interval(level), own(of, level), own(over, level), PERCENT)

    together = 1 - 0.05 / len(others)
    comparisons = [{"of": leader, "over": other, **vars(lead(other, together))} for other in others]
    ahead_of_aligned = {kind: vars(lead(ALIGNED, 0.95, kind)) for kind in contenders if ALIGNED in contenders}
    ahead_of_aligned.pop(ALIGNED, None)
    strategies = {}
    for kind, contender in contenders.items():
        mean = own(kind)
        strategies[kind] = {
            "system": contender.system, "value": mean.effect, "low": mean.low, "high": mean.high
        }  # fmt: skip
    seeds, words = contenders[leader].grid.values.shape
    behind = [each["over"] for each in comparisons if seeds >= MIN_SEEDS and each["low"] > 0]
    level = [each["over"] for each in comparisons if seeds >= MIN_SEEDS and _level(each["low"], each["high"])]
    return {
        "seeds": seeds,
        "test_words": words,
        "leader": leader,
        "best": leader if behind == others else UNDECIDED,
        "strategies": strategies,
        "comparisons": comparisons,
        "leads": ahead_of_aligned,
        "level": level,
        "would_decide": {}
        if {*behind, *level} == {*others}
        else _would_decide([spread(other) for other in others], together),
    }


def _level(low: float, high: float) -> bool:
    """Whether the interval of a lead has 0 in it, and nothing that matters."""
    return -LEVEL < low <= 0 and high < LEVEL


def _would_decide(leads: Sequence[Spread], level: float) -> dict[str, int]:
    """Return how many `seeds`, or how many `words`, would show each lead, or that it is level, if a tenfold would;
    else how many `times` both numbers would, if a hundredfold would.
    """

    def told(lead: Interval) -> bool:
        return lead.low > 0 or _level(lead.low, lead.high)

    def first(numbers: Iterable[int], of: Callable[[Spread, int], Spread]) -> int | None:
        sure = (number for number in numbers if all(told(of(lead, number).interval(level)) for lead in leads))
        return next(sure, None)

    seeds, words = leads[0].seeds, leads[0].items
    found = {
        "seeds": first(range(max(seeds, MIN_SEEDS), TENFOLD * seeds + 1), Spread.with_seeds),
        "words": first(range(words, TENFOLD * words + 1, max(1, words // 10)), Spread.with_items),
    }
    if not any(found.values()):
        found = {
            "times": first(
                range(2, HUNDREDFOLD + 1), lambda lead, n: lead.with_seeds(n * seeds).with_items(n * words)
            )
        }
    return {name: number for name, number in found.items() if number}


def _summary(conditions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the mean of each strategy over the pairs that have all of them, in how many of these it leads, and in how
    many of those it is ahead of each other by the interval.
    """
    kinds = [kind for kind in STRATEGIES if any(kind in each["strategies"] for each in conditions)]
    whole = [each for each in conditions if {*kinds} == {*each["strategies"]}]
    return {
        "pairs": len(whole),
        "means": {
            kind: fmean(each["strategies"][kind]["value"] for each in whole) for kind in kinds if whole
        },
        "leads_in": {kind: sum(each["leader"] == kind for each in whole) for kind in kinds},
        "ahead_in": {kind: sum(each["best"] == kind for each in whole) for kind in kinds},
    }
