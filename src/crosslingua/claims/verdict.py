"""Judge a claim: is its effect, as surely as the seeds and items at hand allow, where the statement puts it?

A claim names comparisons and the region of effects for which its statement is true (`Region`). With `pairs: each`
every comparison is made in every language pair, with `pairs: mean` in the mean over the pairs. Each of the k
comparisons gets two intervals (`interval.mean_interval`): one at 95%, and one at 1 - 0.05 / k, so that with a
probability of 95% all k of these cover the truth (Bonferroni).

    reproduced      every 95% interval lies inside the region (where one of them is in truth outside, this happens
                    in at most 2.5% of experiments, as it takes that one too: an intersection-union test)
    contradicted    some interval at 1 - 0.05 / k lies outside it (where all are in truth inside, this happens in at
                    most 2.5% of experiments, up to the intervals' approximations)
    inconclusive    anything else: the data at hand do not decide

A claim's `effect`, `ci_low` and `ci_high` are those of the comparison that decides, at the level that decides: the
one furthest outside the region, or else the one whose 95% interval comes nearest to leaving it.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from crosslingua.claims.evidence import Evidence
from crosslingua.claims.interval import Interval, mean_interval
from crosslingua.claims.statements import Claim, Comparison, Region
from crosslingua.errors import ConfigError

log = logging.getLogger(__name__)
LEVEL = 0.95
REPRODUCED, CONTRADICTED, INCONCLUSIVE = "reproduced", "contradicted", "inconclusive"
MEAN = "mean"


@dataclass(frozen=True)
class Finding:
    """One comparison in one language pair (or `mean`): its 95% interval, and the one that allows for the others."""

    comparison: Comparison
    pair: str
    interval: Interval
    joint: Interval

    def record(self) -> dict[str, Any]:
        """The finding as JSON values."""
        return {"comparison": str(self.comparison), "pair": self.pair} | asdict(self.interval)


@dataclass(frozen=True)
class Judgement:
    """The verdict of a claim with what led to it; `missing` are systems it names that were not run."""

    claim: Claim
    verdict: str
    decisive: Finding
    findings: tuple[Finding, ...]
    seeds: tuple[int, ...]
    unit: str
    missing: tuple[str, ...]


@dataclass(frozen=True)
class LeftOut:
    """A claim that cannot be tested with the systems at hand, and why."""

    claim: Claim
    reason: str


def judge_all(
    claims: Sequence[Claim], evidence: Mapping[tuple[str, str], Evidence]
) -> list[Judgement | LeftOut]:
    """Test claims, and log the verdicts."""
    results = [judge(claim, evidence) for claim in claims]
    for result in results:
        if isinstance(result, Judgement):
            log.info("%s: %s", result.claim.claim, result.verdict)
    return results


def judge(claim: Claim, evidence: Mapping[tuple[str, str], Evidence]) -> Judgement | LeftOut:
    """Test `claim` on the evidence of its measure and words, `evidence[measure, words]`; without any it is left out."""
    found = evidence.get((claim.measure, claim.words), Evidence("")).restricted(claim.tested_on)
    systems = found.systems()
    if not systems:
        return LeftOut(claim, f"{claim.measure} was not measured as the paper does")
    wanted = {name for comparison in claim.comparisons for name in comparison.systems}
    missing = tuple(sorted(wanted - systems))
    possible = [c for c in claim.comparisons if set(c.systems) <= systems]
    if not possible or not claim.needs <= systems:
        return LeftOut(claim, f"not run at this scale: {', '.join(sorted(claim.needs - systems) or missing)}")
    used = sorted({name for comparison in possible for name in comparison.systems})
    seeds = found.seeds(used)
    if not seeds:
        return LeftOut(claim, f"no seed is common to {', '.join(used)}")
    try:
        findings = _findings(claim, possible, found, seeds)
    except ConfigError as error:
        return LeftOut(claim, str(error))
    verdict, decisive = decide(claim.holds, findings)
    return Judgement(claim, verdict, decisive, tuple(findings), tuple(seeds), found.unit, missing)


def decide(region: Region, findings: Sequence[Finding]) -> tuple[str, Finding]:
    """Return the verdict over all `findings`, and the one that decides (module docstring)."""

    def inside(finding: Finding) -> float:
        return region.slack(finding.interval.low, finding.interval.high)

    def outside(finding: Finding) -> float:
        return -region.slack(finding.joint.high, finding.joint.low)

    worst = max(findings, key=outside)
    if outside(worst) > 0:
        return CONTRADICTED, replace(worst, interval=worst.joint)
    nearest = min(findings, key=inside)
    return (REPRODUCED if inside(nearest) > 0 else INCONCLUSIVE), nearest


def _findings(
    claim: Claim, comparisons: Sequence[Comparison], found: Evidence, seeds: Sequence[int]
) -> list[Finding]:
    groups = {MEAN: list(found.values)} if claim.pairs == MEAN else {pair: [pair] for pair in found.values}
    family = 1 - (1 - LEVEL) / (len(comparisons) * len(groups))
    results = []
    for comparison in comparisons:
        for name, members in groups.items():
            grids = [found.grid(pair, *_sides(comparison), seeds) for pair in members]
            results.append(
                Finding(comparison, name, mean_interval(grids, LEVEL), mean_interval(grids, family))
            )
    return results


def _sides(comparison: Comparison) -> tuple[str, str | None]:
    return comparison.system, comparison.over
