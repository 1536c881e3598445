"""Judge a claim: does its effect lie where the statement puts it, as surely as the seeds and items allow?

A claim names comparisons and the region of effects for which its statement is true (`Region`). Its key `pairs` says
where a comparison is made:

    each      in every language pair that has its systems
    mean      in the mean over the pairs, if all pairs have them
    common    in the mean over the pairs that have them

A pair is left out if a system is withheld there because it does not beat its controls. Each comparison keeps its own
seeds. It has an interval at 95 % (`interval.mean_spread`) and an outcome:

    holds     The whole interval lies in the region. The region of an order without a number begins at 0. There, `size`
              says whether the effect is relevant, which means above the smallest effect of interest.
    fails     The whole interval lies outside the region; or, of an order, within the smallest effect around 0.
    open      Anything else, and fewer seeds than MIN_SEEDS.

Holm's (1979) procedure corrects failures. Of k comparisons, it sets aside those that fail at 1 - 0.05 / k. It tests the
others at 1 - 0.05 / (k - those), and so on. The verdict of the statement counts its comparisons:

    reproduced      All hold. If one is outside in truth, at most 2.5 % of experiments give this verdict.
    contradicted    None holds, and some lie outside the region. If all are inside in truth: at most 2.5 %.
    mixed           Some hold, and some fail.
    negligible      None holds, some are within the smallest effect, and none lies outside the region.
    too_small       Open, and the difference that the paper prints is below the smallest effect of interest.
    inconclusive    Anything else.

Planned looks (`levels`) share the error of 5 % (O'Brien and Fleming 1979). A statement stops at the first look that
decides it. The judgement shows the comparison that decides, or the open comparison that needs most seeds.

One seed has no interval and decides nothing. Several seeds with equal values, such as a share of a vocabulary, have no
interval either. The judge takes their value as it stands.
"""

import logging
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import inf
from typing import Any

from crosslingua.arrays import check_whole
from crosslingua.claims.statements import MIN_SEEDS, Claim, Comparison
from crosslingua.errors import ConfigError
from crosslingua.evidence.evidence import Evidence
from crosslingua.statistics.interval import UNBOUNDED, Interval, Spread, mean_spread, possible
from crosslingua.statistics.skew import largest_skewness

log = logging.getLogger(__name__)
LEVEL, POWER = 0.95, 0.8
REPRODUCED, CONTRADICTED, MIXED, NEGLIGIBLE, TOO_SMALL, INCONCLUSIVE = VERDICTS = (
    "reproduced", "contradicted", "mixed", "negligible", "too_small", "inconclusive"
)  # fmt: skip
IN_WORDS = {  # in the order of pages
    REPRODUCED: "holds", CONTRADICTED: "contradicted", MIXED: "mixed", NEGLIGIBLE: "no relevant difference",
    INCONCLUSIVE: "open", TOO_SMALL: "too small to test",
}  # fmt: skip
HOLDS, FAILS, OPEN = "holds", "fails", "open"
RELEVANT, NO_SIZE = "relevant", ""
MEAN, COMMON = "mean", "common"
GENERATED, REAL = "generated", "real"  # text
ROUNDING = 1e-9  # half the width that equal values may have
MOST_SEEDS, MOST_ITEMS = 100, 100  # that may settle a claim; items: times those at hand
TEST_SEEDS = 1_000_000  # of a test of an effect that is too small


def levels(seeds: int, planned: Sequence[int] = ()) -> list[tuple[int, float]]:
    """Return the looks at `seeds`, as (number of seeds, level of the interval): the planned ones before, and the last.

    The boundary of look k is C sqrt(n / n_k), n being the last planned number of seeds (O'Brien and Fleming 1979); its
    level is used for Student's quantile (Jennison and Turnbull 2000, section 4.4). Without a plan: one look at 95 %.
    Raises ConfigError for what is no number of seeds.
    """
    for number in (seeds, *planned):
        check_whole(number, "the number of seeds")
    numbers = [number for number in sorted({*planned}) if number < seeds] + [seeds]
    every = sorted({*planned, seeds}) if planned and seeds <= max(planned) else numbers
    bounds = dict(zip(every, _boundaries(tuple(every)), strict=True))
    return [(number, bounds[number]) for number in numbers]


@lru_cache(64)
def _boundaries(numbers: tuple[int, ...]) -> tuple[float, ...]:
    """Return the level of each look at so many seeds, which together err in 5 %."""
    if len(numbers) == 1:
        return (LEVEL,)
    import numpy as np
    from scipy.optimize import brentq
    from scipy.stats import multivariate_normal, norm

    times = np.array(numbers) / numbers[-1]
    shared = np.sqrt(np.minimum.outer(times, times) / np.maximum.outer(times, times))
    sums = multivariate_normal(np.zeros(len(times)), shared, allow_singular=True, seed=0)

    def inside(constant: float) -> float:
        edges = constant / np.sqrt(times)
        return float(sums.cdf(edges, lower_limit=-edges))

    constant = brentq(lambda value: inside(value) - LEVEL, 1.5, 4, xtol=1e-4)
    return tuple(float(2 * norm.cdf(constant / np.sqrt(time)) - 1) for time in times)


@dataclass(frozen=True)
class Finding:
    """One comparison in one language pair (or `mean`), with its `outcome` at `level`; `alone` is the level of a
    comparison that is the only one. `sides` are the spreads of two systems whose values have `bounds`.
    """

    claim: Claim
    comparison: Comparison
    pair: str
    spread: Spread
    alone: float = LEVEL
    level: float = LEVEL
    outcome: str = OPEN
    bounds: tuple[float, float] = UNBOUNDED
    sides: tuple[Spread, ...] = ()

    @property
    def interval(self) -> Interval | None:
        """The interval at the finding's level; none of one seed, nor of values that are all equal."""
        known = self.spread.seeds > 1 and self.spread.margin(self.level) > ROUNDING
        return self.at(self.level) if known else None

    @property
    def enough(self) -> bool:
        """Whether there are seeds enough for a verdict."""
        return self.spread.seeds >= MIN_SEEDS

    def at(self, level: float, spread: Spread | None = None) -> Interval:
        """The interval at `level`, within what the values of its systems allow; of another `spread` without that."""
        found = (spread or self.spread).interval(level)
        if spread or self.bounds == UNBOUNDED:
            return found
        own = [side.interval(level) for side in self.sides]
        return possible(found, *own, self.bounds) if own else found.within(*self.bounds)

    def outcome_at(self, level: float, spread: Spread | None = None) -> str:
        """The outcome of the comparison alone; failing is the one that Holm's procedure corrects."""
        found = self.at(level, spread)
        if self.claim.region.slack(found.low, found.high) > 0:
            return HOLDS
        return FAILS if self.outside(level, spread) > 0 or self._within(found) > 0 else OPEN

    def outside(self, level: float, spread: Spread | None = None) -> float:
        """How far the interval lies outside the region (negative: not wholly)."""
        found = self.at(level, spread)
        return -self.claim.region.slack(found.high, found.low)

    def _within(self, found: Interval) -> float:
        """How far an interval lies within the smallest effect on both sides of 0, of an order."""
        if not self.claim.is_order:
            return -inf
        return self.claim.smallest - max(abs(found.low), abs(found.high))

    @property
    def size(self) -> str:
        """Of an order that is decided or not: a relevant effect, a negligible one (below the smallest), or open."""
        if not self.claim.is_order or not self.enough:
            return NO_SIZE
        found = self.at(self.alone)
        if self.claim.holds.slack(found.low, found.high) > 0:
            return RELEVANT
        return NEGLIGIBLE if self.claim.holds.slack(found.high, found.low) < 0 else OPEN

    @property
    def slack(self) -> float:
        """How far the end of the interval that is nearest to leaving the region lies inside it."""
        found = self.at(self.alone)
        return self.claim.region.slack(found.low, found.high)

    @property
    def detectable(self) -> float | None:
        """The distance from the region's edge that 80 % of experiments like this one would tell; none of one seed."""
        return _detectable(self.spread, self.alone) if self.spread.seeds > 1 else None

    def settle(self, comparisons: int) -> dict[str, int | None]:
        """Return how many seeds, or items of a seed, would decide if the effect stayed the same.

        None where it takes more than MOST_SEEDS or MOST_ITEMS, where items cannot make up for missing seeds, and of
        one seed.
        """
        spread = self.spread
        if spread.seeds == 1:
            return {"seeds": None, "items": None}
        strict = 1 - (1 - self.alone) / comparisons  # Holm's first level

        def settled(other: Spread) -> bool:
            return self.outcome_at(self.alone, other) == HOLDS or self.outcome_at(strict, other) == FAILS

        least = max(spread.seeds, MIN_SEEDS)
        seeds = _first(range(least, MOST_SEEDS + 1), lambda number: settled(spread.with_seeds(number)))
        items = None
        if self.enough and spread.items > 1:
            numbers = range(spread.items, MOST_ITEMS * spread.items + 1)
            items = _first(numbers, lambda number: settled(spread.with_items(number)))
        return {"seeds": seeds, "items": items}

    def seeds_to_test(self, distance: float) -> int | None:
        """Return the seeds with which a `distance` from the region's edge is told in 80 % of experiments."""
        if self.spread.seeds == 1:
            return None
        numbers = range(MIN_SEEDS, TEST_SEEDS + 1)
        return _first(numbers, lambda n: _detectable(self.spread.with_seeds(n), self.alone) <= distance)

    def record(self) -> dict[str, Any]:
        """The finding as JSON values."""
        known = {"comparison": str(self.comparison), "pair": self.pair, "effect": self.spread.effect}
        low, high = (self.interval.low, self.interval.high) if self.interval else (None, None)
        told = {"low": low, "high": high, "level": self.level, "seeds": self.spread.seeds}
        return known | told | {"outcome": self.outcome, "size": self.size}


def _detectable(spread: Spread, level: float) -> float:
    return spread.margin(level) + replace(spread, skewness=0.0).margin(2 * POWER - 1)


@dataclass(frozen=True)
class Judgement:
    """The verdict of a claim with what led to it.

    `missing` systems were not run; `not_compared` says which are withheld and why, `failures` how many runs of each
    system failed. Of an open claim, `reason` says why, and `settle` how many seeds or items would decide (None: not by
    these). `likeness` is A, B or C, with the reason.
    """

    claim: Claim
    verdict: str
    decisive: Finding
    findings: tuple[Finding, ...]
    seeds: tuple[int, ...]
    unit: str
    missing: tuple[str, ...] = ()
    reason: str = ""
    settle: Mapping[str, int | None] = field(default_factory=dict)
    not_compared: tuple[str, ...] = ()
    failures: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    looks: int = 1
    likeness: tuple[str, str] = ("C", "")

    def number_of(self, outcome: str) -> int:
        """How many comparisons have this outcome."""
        return sum(finding.outcome == outcome for finding in self.findings)


@dataclass(frozen=True)
class LeftOut:
    """A claim that cannot be tested with the systems at hand, and why."""

    claim: Claim
    reason: str


def judge_all(
    claims: Sequence[Claim],
    evidence: Mapping[tuple[str, str], Evidence],
    runs: Mapping[int, int] | None = None,
    planned: Sequence[int] = (),
    text: str = GENERATED,
) -> list[Judgement | LeftOut]:
    """Test claims, and log the verdicts; see `judge`."""
    results = [judge(claim, evidence, runs, planned, text) for claim in claims]
    for result in results:
        if isinstance(result, Judgement):
            log.info("%s: %s", result.claim.claim, result.verdict)
    return results


def judge(
    claim: Claim,
    evidence: Mapping[tuple[str, str], Evidence],
    runs: Mapping[int, int] | None = None,
    planned: Sequence[int] = (),
    text: str = GENERATED,
) -> Judgement | LeftOut:
    """Test `claim` on `evidence[measure, words]` of generated or real `text`; `runs` and `planned` as in `by_run` and
    `levels`.
    """
    whole = evidence.get((claim.measure, claim.words), Evidence(""))
    found = whole.restricted(claim.tested_on)
    if not any(found.values.values()) and not found.withheld:
        if any(whole.values.values()):
            return LeftOut(claim, f"no data of {', '.join(claim.tested_on)} at this scale")
        return LeftOut(claim, f"{claim.measure} was not measured as the paper does")
    wanted = {name for comparison in claim.comparisons for name in comparison.systems} | claim.needs
    failures = found.failure_rates(wanted) if found.failed else {}
    if not claim.counts_failures:
        found = found.converged(MIN_SEEDS)
    if claim.encoders:
        found = found.by_run(runs or {})
    missing, not_compared = tuple(_missing(wanted, _run(claim, found))), found.not_compared(wanted)
    parts = [
        (comparison, pair, part)
        for comparison in claim.comparisons
        for pair, part in _parts(claim, found, comparison).items()
        if part.seeds(comparison.systems)
    ]
    if not parts:
        reasons = [f"not run at this scale: {', '.join(missing)}"] * bool(missing)
        reasons += [f"not compared: {', '.join(not_compared)}"] * bool(not_compared)
        lost = [
            f"{name} ({of['failed']} of {of['runs']} failed)"
            for name, of in failures.items()
            if of["failed"] and not claim.counts_failures
        ]
        reasons += [f"too few runs converged: {', '.join(lost)}"] * bool(lost)
        return LeftOut(claim, "; ".join(reasons) or "no seed is common to what it compares")
    # One system's errors may be skewed; those of differences of two systems are not, and have no such guard.
    samples = [whole.means(pair, system) for pair, of in whole.values.items() for system in of]
    skewness = 0.0 if whole.differences else largest_skewness(samples)
    try:
        judgement = _at_first_deciding_look(claim, parts, planned, skewness)
    except ConfigError as problem:
        return LeftOut(claim, str(problem))
    learnt = found.controlled and judgement.decisive.enough
    letter = ("B" if text == GENERATED else "A") if learnt else "C"
    why = "compared with controls" if found.controlled else "without controls"
    return replace(
        judgement, unit=found.unit, missing=missing, not_compared=not_compared, failures=failures,
        likeness=(letter, f"{text} text, {why}, {judgement.decisive.spread.seeds} seeds"),
    )  # fmt: skip


Parts = Sequence[tuple[Comparison, str, Evidence]]


def _at_first_deciding_look(claim: Claim, parts: Parts, planned: Sequence[int], skewness: float) -> Judgement:
    """Return the verdict of the first look that decides, or of the last."""
    most = max(len(part.seeds(comparison.systems)) for comparison, _, part in parts)
    planned_looks = levels(most, planned)
    for look, (number, level) in enumerate(planned_looks, 1):
        judgement = decide(claim, [_finding(claim, *one, number, level, skewness) for one in parts])
        if look == len(planned_looks) or judgement.verdict not in (INCONCLUSIVE, TOO_SMALL):
            seeds = {seed for one, _, part in parts for seed in part.seeds(one.systems)[:number]}
            return replace(judgement, looks=look, seeds=tuple(sorted(seeds)))
    raise AssertionError("no look")


def decide(claim: Claim, findings: Sequence[Finding]) -> Judgement:
    """Return the verdict over all `findings`, with their outcomes and the finding that is shown (module docstring)."""
    tested = _holm(findings)
    of = {outcome: [one for one in tested if one.outcome == outcome] for outcome in (HOLDS, FAILS, OPEN)}
    outside = [finding for finding in of[FAILS] if finding.outside(finding.level) > 0]
    verdict, reason, settle = INCONCLUSIVE, "", {}
    if of[FAILS]:
        verdict = MIXED if of[HOLDS] else CONTRADICTED if outside else NEGLIGIBLE
        shown = max(outside or of[FAILS], key=lambda finding: finding.outside(finding.level))
    elif not of[OPEN]:
        verdict, shown = REPRODUCED, min(tested, key=lambda finding: finding.slack)
    else:
        needs = [(finding.settle(len(tested)), finding) for finding in of[OPEN]]
        shown = max(needs, key=lambda one: (one[0]["seeds"] or inf, -abs(one[1].slack)))[1]
        settle = {name: _most(need[name] for need, _ in needs) for name in ("seeds", "items")}
        reason = _reason(shown)
        if claim.is_too_small:
            verdict = TOO_SMALL
            numbers = [finding.seeds_to_test(claim.printed_distance) for finding in of[OPEN]]
            settle = {"seeds": _most(numbers), "items": None}
            reason = f"the paper's difference is below the smallest effect of interest, {claim.smallest:g}"
    return Judgement(claim, verdict, shown, tested, (), "", reason=reason, settle=settle)


def _most(numbers: Collection[int | None] | Iterator[int | None]) -> int | None:
    """Return the greatest number, None where one of them is."""
    every = list(numbers)
    return None if None in every else max(every)


def _reason(shown: Finding) -> str:
    """Say why a claim is inconclusive."""
    seeds, least = shown.spread.seeds, MIN_SEEDS
    if not shown.enough:
        return f"{'one seed' if seeds == 1 else f'{seeds} seeds'}; a verdict needs {least}"
    return f"the interval is neither wholly {shown.claim.region} nor wholly outside"


def _holm(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return the findings with their outcomes, those that fail at their level in Holm's procedure."""
    tested = [
        replace(finding, outcome=HOLDS)
        if finding.enough and finding.outcome_at(finding.alone) == HOLDS
        else finding
        for finding in findings
    ]
    left = [place for place, finding in enumerate(tested) if finding.enough]
    while left:
        levels_left = {place: 1 - (1 - tested[place].alone) / len(left) for place in left}
        failing = [place for place in left if tested[place].outcome_at(levels_left[place]) == FAILS]
        if not failing:
            break
        for place in failing:
            tested[place] = replace(tested[place], level=levels_left[place], outcome=FAILS)
            left.remove(place)
    # An open comparison that fails by its interval alone is shown at the level that left it open.
    for place in left:
        if tested[place].outcome == OPEN and tested[place].outcome_at(tested[place].alone) == FAILS:
            tested[place] = replace(tested[place], level=1 - (1 - tested[place].alone) / len(left))
    return tuple(tested)


def _first(numbers: range, holds: Callable[[int], bool]) -> int | None:
    """Return the first of `numbers` for which `holds`, as it does for all after it."""
    place = bisect_left(numbers, True, key=holds)
    return numbers[place] if place < len(numbers) else None


def _run(claim: Claim, found: Evidence) -> dict[str, set[str]]:
    """Return the systems that were run, also where they are withheld or failed, by what they are compared in: pairs, or
    their mean.
    """
    lost = [*found.withheld, *((pair, name) for pair, name, _ in found.failed)]
    run = {pair: {*found.values.get(pair, ())} for pair in (*found.values, *(pair for pair, _ in lost))}
    for pair, name in lost:
        run[pair].add(name)
    return {MEAN: set.intersection(*run.values())} if claim.pairs == MEAN and run else run


def _parts(claim: Claim, found: Evidence, comparison: Comparison) -> dict[str, Evidence]:
    """Return the evidence in which a comparison is made, by pair or for the mean over pairs, where it can be."""
    wanted = {*comparison.systems, *claim.needs}
    having = [pair for pair, systems in found.values.items() if wanted <= set(systems)]
    if claim.pairs not in (MEAN, COMMON):
        return {pair: found.restricted([pair]) for pair in having}
    barred = {pair for pair, system in found.withheld if system in wanted}
    whole = claim.pairs == COMMON or {*having} | barred >= {*found.values}
    return {MEAN: found.restricted(having)} if having and whole else {}


def _missing(wanted: Collection[str], run: Mapping[str, Collection[str]]) -> Iterator[str]:
    """Yield which systems were `run` in no pair, and which in some were not: `muse (en-de)`."""
    for system in sorted(wanted):
        lacking = [name for name, systems in run.items() if system not in systems]
        if lacking or not run:
            yield system if len(lacking) == len(run) else f"{system} ({', '.join(lacking)})"


def _finding(
    claim: Claim,
    comparison: Comparison,
    name: str,
    part: Evidence,
    number: int,
    level: float,
    skewness: float,
) -> Finding:
    """Return the finding of a comparison on its first `number` seeds; `skewness` is that of one system's errors."""
    seeds = part.seeds(comparison.systems)[:number]

    def spread(system: str, over: str | None = None, beside: str | None = None) -> Spread:
        found = mean_spread([part.grid(pair, system, over, seeds, beside) for pair in part.values])
        return found if comparison.over else replace(found, skewness=skewness)

    compared = comparison.systems if comparison.over and part.bounds != UNBOUNDED else ()
    # Both systems on the items that both answered, as their difference is.
    sides = tuple(
        spread(system, beside=other) for system, other in zip(compared, compared[::-1], strict=True)
    )
    own = spread(comparison.system, comparison.over)
    return Finding(claim, comparison, name, own, level, level, bounds=part.bounds, sides=sides)
