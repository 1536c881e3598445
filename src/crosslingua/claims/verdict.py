"""Judge a claim: does its effect lie where the statement puts it, as surely as the seeds and items allow?

A claim names comparisons and the region of effects for which its statement is true (`Region`). With `pairs: each`
every comparison is made in every language pair that has its systems, with `pairs: mean` in the mean over the pairs,
if all have them, with `pairs: common` in the mean over those that have them. Each has an interval
(`interval.mean_spread`), at 95% or, where it contradicts, at the level of Holm's (1979) procedure: of k comparisons,
those whose interval at 1 - 0.05 / k lies outside the region are set aside, the others tested at
1 - 0.05 / (k - those), and so on. With a probability of 95% none is set aside that is in truth inside.

    reproduced      every 95% interval lies inside the region (where one of them is in truth outside, this happens
                    in at most 2.5% of experiments, as it takes that one too: an intersection-union test)
    contradicted    some interval lies outside it at its level in Holm's procedure (where all are in truth inside, this
                    happens in at most 2.5% of experiments, up to the intervals' approximations)
    inconclusive    anything else: the data at hand do not decide, there are fewer seeds than `min_seeds`, or a
                    comparison is lacking, since a system learnt too little (`Evidence.unlearnt`)

A statement may be looked at several times, each time with more seeds. Of k planned looks each, the first too, is at
1 - 0.05 / k (Bonferroni), and all together are wrong in at most 5%. Where no plan was made the first look spends it
all: look k is at 1 - 0.05 / k, and `Judgement.error` says how often all looks so far are wrong (`error`).

What the seeds of a comparison cannot show by themselves, failures (`record`) and skew (`skew`), widens its interval by
what all runs of the measure tell.

A claim's `effect`, `ci_low` and `ci_high` are those of the comparison that decides, at the level that decides: the
one furthest outside the region, or else the one whose 95% interval comes nearest to leaving it, or has left it and by
Holm's procedure decides nothing (shown at that procedure's first level). One seed has no interval, nor have seeds whose
values are all equal, as a share of a vocabulary: these are judged by that value.

Beside every claim stands the effect that could have been told from the region's edge in 80% of experiments
(`detectable`), and beside an inconclusive one how many seeds or items would settle it, were the effect what it seems.
"""

import logging
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf, sqrt
from typing import Any

import numpy as np

from crosslingua.claims.interval import Evidence, Interval, Spread, mean_spread
from crosslingua.claims.record import ROUNDING, Doubt, Record, record_of
from crosslingua.claims.skew import quantile
from crosslingua.claims.statements import Claim, Comparison, Region
from crosslingua.errors import ConfigError

log = logging.getLogger(__name__)
LEVEL, POWER = 0.95, 0.8
REPRODUCED, CONTRADICTED, INCONCLUSIVE = "reproduced", "contradicted", "inconclusive"
MEAN, COMMON = "mean", "common"
CERTAIN = Doubt()
MOST_SEEDS, MOST_ITEMS = 100, 100  # that may settle a claim; items: times those at hand


def looks(seeds: int, earlier: Sequence[int]) -> int:
    """Return how often a statement that rests on `seeds` was looked at, after looks at `earlier` numbers of seeds."""
    return 1 + sum(number < seeds for number in earlier)


def levels(seeds: int, earlier: Sequence[int], planned: Sequence[int] = ()) -> list[float]:
    """Return the level of each look up to `seeds`: of a plan all alike, else of look k at 1 - 0.05 / k."""
    number = looks(seeds, earlier or planned)
    if planned and seeds <= max(planned):
        return [1 - (1 - LEVEL) / len(planned)] * number
    return [1 - (1 - LEVEL) / max(look, len(planned)) for look in range(1, number + 1)]


@lru_cache(256)
def error(seeds: tuple[int, ...], at: tuple[float, ...]) -> float:
    """Return how often one of the looks, each at more seeds, leaves its level: simulated, of normal errors."""
    values = np.random.default_rng(0).normal(size=(20_000, seeds[-1]))
    wrong = np.zeros(len(values), dtype=bool)
    for number, level in zip(seeds, at, strict=True):
        seen = values[:, :number]
        wrong |= np.abs(seen.mean(axis=1)) > quantile(level, number, 0.0) * seen.std(axis=1) / sqrt(
            number - 1
        )
    return float(wrong.mean())


@dataclass(frozen=True)
class Finding:
    """One comparison in one language pair (or `mean`), at the level that decides; whether it contradicts.

    `alone` is the level of a comparison that is the only one: `level` may be higher, by Holm's procedure.
    """

    comparison: Comparison
    pair: str
    spread: Spread
    level: float = LEVEL
    contradicts: bool = False
    bounds: tuple[float, float] = (-inf, inf)
    alone: float = LEVEL
    doubt: Doubt = CERTAIN

    @property
    def interval(self) -> Interval | None:
        """The interval at the finding's level; none of one seed, nor of values that are all equal."""
        known = self.spread.seeds > 1 and self.spread.margin(self.level) > ROUNDING
        return self.at(self.level).within(*self.bounds) if known else None

    def at(self, level: float) -> Interval:
        """The interval at `level`: of seeds and items, and of failures that these seeds may not show."""
        down, up = self.doubt.around(self.spread, level)
        return Interval(self.spread.effect, self.spread.effect - down, self.spread.effect + up)

    @property
    def detectable(self) -> float | None:
        """The distance from the region's edge that 80% of experiments like this one would tell; none of one seed."""
        power = replace(self.spread, skewness=0.0).margin(2 * POWER - 1)
        both = max(self.doubt.around(self.spread, self.alone)) + power
        lost = self.doubt.unseen(self.alone, self.spread.seeds)  # of an effect, too, by failures
        return both / (1 - lost) if self.spread.seeds > 1 else None

    def inside(self, region: Region) -> float:
        """How far the interval of the comparison alone lies inside the region (negative: not wholly)."""
        found = self.at(self.alone)
        return region.slack(found.low, found.high)

    def outside(self, region: Region, level: float) -> float:
        """How far the interval at `level` lies outside the region (negative: not wholly)."""
        found = self.at(level)
        return -region.slack(found.high, found.low)

    def record(self) -> dict[str, Any]:
        """The finding as JSON values."""
        known = {"comparison": str(self.comparison), "pair": self.pair, "effect": self.spread.effect}
        low, high = (self.interval.low, self.interval.high) if self.interval else (None, None)
        return known | {"low": low, "high": high, "level": self.level, "contradicts": self.contradicts}


@dataclass(frozen=True)
class Judgement:
    """The verdict of a claim with what led to it; `missing` systems were not run, `failed` says what failed.

    Of an inconclusive one, `reason` says why, and `settle` how many seeds or items would decide (None: not by these).
    """

    claim: Claim
    verdict: str
    decisive: Finding
    findings: tuple[Finding, ...]
    seeds: tuple[int, ...]
    unit: str
    missing: tuple[str, ...]
    reason: str = ""
    settle: Mapping[str, int | None] | None = None
    failed: tuple[str, ...] = ()
    looks: int = 1
    error: float = 0.05


@dataclass(frozen=True)
class LeftOut:
    """A claim that cannot be tested with the systems at hand, and why."""

    claim: Claim
    reason: str


def judge_all(
    claims: Sequence[Claim],
    evidence: Mapping[tuple[str, str], Evidence],
    runs: Mapping[int, int] | None = None,
    earlier: Sequence[int] = (),
    planned: Sequence[int] = (),
) -> list[Judgement | LeftOut]:
    """Test claims, and log the verdicts; see `judge`."""
    results = [judge(claim, evidence, runs, earlier, planned) for claim in claims]
    for result in results:
        if isinstance(result, Judgement):
            log.info("%s: %s", result.claim.claim, result.verdict)
    return results


def judge(
    claim: Claim,
    evidence: Mapping[tuple[str, str], Evidence],
    runs: Mapping[int, int] | None = None,
    earlier: Sequence[int] = (),
    planned: Sequence[int] = (),
) -> Judgement | LeftOut:
    """Test `claim` on `evidence[measure, words]`; `runs`, `earlier` and `planned` as in `by_run` and `levels`."""
    whole = evidence.get((claim.measure, claim.words), Evidence(""))
    found = whole.restricted(claim.tested_on)
    if not any(found.values.values()):
        if any(whole.values.values()):
            return LeftOut(claim, f"no data of {', '.join(claim.tested_on)} at this scale")
        return LeftOut(claim, f"{claim.measure} was not measured as the paper does")
    if not claim.counts_failures:
        found, whole = found.converged(claim.min_seeds), whole.converged(claim.min_seeds)
    if claim.encoders:
        found, whole = found.by_run(runs or {}), whole.by_run(runs or {})
    wanted = {name for comparison in claim.comparisons for name in comparison.systems}
    missing = tuple(_missing((wanted | claim.needs) - {*found.excluded}, _run(claim, found)))
    failed = found.failures(wanted | claim.needs, claim.counts_failures)
    lost = found.not_learnt(wanted)
    possible = [
        (comparison, name, part)
        for comparison in claim.comparisons
        for name, part in _parts(claim, found, comparison).items()
    ]
    if not possible:
        reasons = [f"not run at this scale: {', '.join(missing)}"] * bool(missing) + [*failed, *lost]
        return LeftOut(claim, "; ".join(reasons) or "nothing was learnt by what it compares")
    seeds = sorted(set.intersection(*(set(part.seeds(one.systems)) for one, _, part in possible)))
    if not seeds:
        used = {name for comparison, *_ in possible for name in comparison.systems}
        return LeftOut(claim, f"no seed is common to {', '.join(sorted(used))}")
    record, at = record_of(whole), levels(len(seeds), earlier, planned)
    try:
        findings = [_finding(*one, seeds, at[-1], record) for one in possible]
    except ConfigError as problem:
        return LeftOut(claim, str(problem))
    verdict, decisive, findings = decide(claim.holds, findings, len(seeds) >= claim.min_seeds)
    judgement = Judgement(
        claim, verdict, decisive, findings, tuple(seeds), found.unit, missing,
        failed=(*failed, *lost), looks=len(at), error=_error(len(seeds), earlier or planned, at),
    )  # fmt: skip
    if verdict == REPRODUCED and lost:
        reason = f"it holds of the rest, but {'; '.join(lost)}"
        return replace(judgement, verdict=INCONCLUSIVE, reason=reason, settle={"seeds": None, "items": None})
    if verdict != INCONCLUSIVE:
        return judgement
    return replace(judgement, reason=_reason(claim, decisive), settle=settle(claim, decisive, len(findings)))


def _error(seeds: int, before: Sequence[int], at: Sequence[float]) -> float:
    """The share of wrong verdicts over all looks: as planned, or what it comes to."""
    numbers = (*sorted(number for number in before if 1 < number < seeds), seeds)
    return max(0.05, error(numbers, tuple(at[-len(numbers) :]))) if len(numbers) > 1 else 0.05


def _reason(claim: Claim, decisive: Finding) -> str:
    """Say why a claim is inconclusive."""
    seeds = decisive.spread.seeds
    if seeds < claim.min_seeds:
        return f"{'one seed' if seeds == 1 else f'{seeds} seeds'}; a verdict needs {claim.min_seeds}"
    alone = replace(decisive, doubt=CERTAIN)
    if max(alone.inside(claim.holds), alone.outside(claim.holds, decisive.level)) > 0:
        hidden = max(decisive.doubt.margins(decisive.level, seeds))
        return f"its seeds would decide, but failures that they may not show could move the effect by {hidden:.2g}"
    return f"the interval is neither wholly {claim.holds} nor wholly outside"


def decide(
    region: Region, findings: Sequence[Finding], enough: bool = True
) -> tuple[str, Finding, tuple[Finding, ...]]:
    """Return the verdict over all `findings`, the one that decides, and all at their level (module docstring).

    Without `enough` seeds it is inconclusive, and each at the level of a comparison alone.
    """
    tested = _holm(region, findings) if enough else tuple(findings)
    if outside := [finding for finding in tested if finding.contradicts]:
        return CONTRADICTED, max(outside, key=lambda f: f.outside(region, f.level)), tested
    nearest = min(tested, key=lambda finding: finding.inside(region))
    if enough and nearest.inside(region) > 0:
        return REPRODUCED, nearest, tested
    if enough and nearest.outside(region, nearest.alone) > 0:
        # Its interval alone would seem to contradict: it is shown at Holm's first level.
        nearest = replace(nearest, level=1 - (1 - nearest.alone) / len(tested))
    return INCONCLUSIVE, nearest, tested


def _holm(region: Region, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return the findings, those that contradict at their level in Holm's procedure."""
    tested, left = list(findings), list(range(len(findings)))
    while left:
        level = 1 - (1 - findings[0].alone) / len(left)
        outside = [place for place in left if tested[place].outside(region, level) > 0]
        if not outside:
            break
        for place in outside:
            tested[place] = replace(tested[place], level=level, contradicts=True)
            left.remove(place)
    return tuple(tested)


def settle(claim: Claim, finding: Finding, comparisons: int) -> dict[str, int | None]:
    """Return how many seeds, or items of a seed, would take `finding` to a verdict if its effect stayed the same.

    None where it takes more than MOST_SEEDS or MOST_ITEMS, where items cannot make up for missing seeds, and of one
    seed.
    """
    spread = finding.spread
    if spread.seeds == 1:
        return {"seeds": None, "items": None}
    slack = claim.holds.slack(spread.effect, spread.effect)
    level = finding.alone if slack > 0 else 1 - (1 - finding.alone) / comparisons
    down = (claim.holds.above is not None) == (slack > 0)  # the end of the interval that is at stake

    def settled(other: Spread) -> bool:
        return finding.doubt.around(other, level)[0 if down else 1] < abs(slack)

    least = max(spread.seeds, claim.min_seeds)
    seeds = _first(range(least, MOST_SEEDS + 1), lambda number: settled(spread.with_seeds(number)))
    items = None
    if spread.seeds >= claim.min_seeds and spread.items > 1:
        numbers = range(spread.items, MOST_ITEMS * spread.items + 1)
        items = _first(numbers, lambda number: settled(spread.with_items(number)))
    return {"seeds": seeds, "items": items}


def _first(numbers: range, holds: Callable[[int], bool]) -> int | None:
    """Return the first of `numbers` for which `holds`, as it does for all after it."""
    place = bisect_left(numbers, True, key=holds)
    return numbers[place] if place < len(numbers) else None


def _run(claim: Claim, found: Evidence) -> dict[str, set[str]]:
    """Return the systems that were run, also where they learnt nothing or failed, by what they are compared in: pairs,
    or their mean.
    """
    without = {*found.unlearnt, *((pair, name) for pair, name, _ in found.failed)}
    lost = [(MEAN if claim.pairs == MEAN else pair, name) for pair, name in without]
    run = {MEAN: found.systems()} if claim.pairs == MEAN else {p: set(of) for p, of in found.values.items()}
    return {pair: names | {name for place, name in lost if place == pair} for pair, names in run.items()}


def _parts(claim: Claim, found: Evidence, comparison: Comparison) -> dict[str, Evidence]:
    """Return the evidence in which a comparison is made, by pair or for the mean over pairs, where it can be."""
    found = found.learnt_by(comparison.systems)
    wanted = {*comparison.systems, *claim.needs}
    having = [pair for pair, systems in found.values.items() if wanted <= set(systems)]
    if claim.pairs == MEAN:
        return {MEAN: found} if having and len(having) == len(found.values) else {}
    if claim.pairs == COMMON:
        return {MEAN: found.restricted(having)} if having else {}
    return {pair: found.restricted([pair]) for pair in having}


def _missing(wanted: Collection[str], run: Mapping[str, Collection[str]]) -> Iterator[str]:
    """Yield which systems were `run` in no pair, and which in some were not: `muse (en-de)`."""
    for system in sorted(wanted):
        lacking = [name for name, systems in run.items() if system not in systems]
        if lacking:
            yield system if len(lacking) == len(run) else f"{system} ({', '.join(lacking)})"


def _finding(
    comparison: Comparison, name: str, part: Evidence, seeds: Sequence[int], level: float, record: Record
) -> Finding:
    grids = [part.grid(pair, comparison.system, comparison.over, seeds) for pair in part.values]
    spread = replace(mean_spread(grids), skewness=record.skewness)
    doubt = record.doubt([*part.values], comparison.system, comparison.over)
    return Finding(comparison, name, spread, level, bounds=part.bounds, alone=level, doubt=doubt)
