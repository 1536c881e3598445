"""The judge itself is judged: on results in which a statement is true, false or at its edge, and by how much.

Results are made up for every claim of every paper, with its comparisons and seeds. Values vary with the training run,
the test item and both, in the range of variances of the demo.
"""

from collections import Counter

import numpy as np
import pytest

from crosslingua.claims.interval import Evidence
from crosslingua.claims.statements import Claim, Comparison
from crosslingua.claims.verdict import judge
from judged import ROOT, claims_of

ITEMS, PAIRS = 60, 2
# Standard deviations of an effect: over seeds, over items, and of what neither explains. In the demo, in points: 0.5 to
# 1.5 and 20 to 50 for P@1 of 1,500 queries; 3 to 10 and 30 for POS of 600 sentences. Here for 60 items.
NOISE = [(0.3, 2.0, 2.0), (3.0, 6.0, 3.0), (3.0, 0.5, 0.5)]


def all_claims() -> list[Claim]:
    papers = sorted(path.stem.removesuffix("_claims") for path in ROOT.glob("reference/*_claims.yaml"))
    return [claim for paper in papers for claim in claims_of(paper).values()]


def one_way(claim: Claim) -> list[Comparison]:
    """The comparisons; of two that are each other's reverse the first: where its effect is 5, the other's is -5."""
    found: dict[frozenset, Comparison] = {}
    for one in claim.comparisons:
        found.setdefault(frozenset((one.system, one.over)), one)
    return list(found.values())


def world(claim: Claim, effect: float, noise: tuple[float, float, float], rng: np.random.Generator) -> dict:
    """Results in which each comparison's effect is `effect`: what is compared with stands at 0, without noise."""
    seeds = max(claim.min_seeds, 3)
    found = Evidence("points")
    pairs = claim.tested_on or tuple(f"p{number}" for number in range(PAIRS))
    comparisons = one_way(claim)
    over = {one.over for one in comparisons if one.over}
    base = dict.fromkeys(over, 0.0)
    # A system that is compared and compared with has to be above what it is compared with, and so on.
    for _ in comparisons:
        for one in comparisons:
            base[one.system] = base.get(one.over, 0.0) + effect if one.over else effect
    over_seeds, over_items, rest = noise
    for pair in pairs:
        items = [(pair, str(number)) for number in range(ITEMS)]
        for system, value in base.items():
            spread = 0.0 if system in over else 1.0
            values = value + spread * (
                rng.normal(0, over_seeds, (seeds, 1))
                + rng.normal(0, over_items, (1, ITEMS))
                + rng.normal(0, rest, (seeds, ITEMS))
            )
            for seed, row in enumerate(values, 1):
                found.add(pair, system, seed, dict(zip(items, row.tolist(), strict=True)))
    return {(claim.measure, claim.words): found}


def edge(claim: Claim) -> tuple[float, int]:
    """Where the statement begins to be true, and in which direction it is."""
    if claim.holds.above is not None:
        return claim.holds.above, 1
    return claim.holds.below, -1


@pytest.mark.parametrize("claim", all_claims(), ids=lambda claim: f"{claim.paper}.{claim.claim}")
def test_every_claim_holds_where_it_is_true_and_fails_where_it_is_false(claim: Claim) -> None:
    """By a margin of ten standard errors: a claim that no result contradicts says nothing."""
    at, towards = edge(claim)
    true, false = (at + 50 * towards, NOISE[1]), (at - 50 * towards, NOISE[1])
    if len(one_way(claim)) < len(claim.comparisons):
        # neither above the other: true in the middle between the edges
        true = (0.0, tuple(noise / 10 for noise in NOISE[1]))
    for (effect, noise), verdict in ((true, "reproduced"), (false, "contradicted")):
        found = judge(claim, world(claim, effect, noise, np.random.default_rng(1)))
        assert found.verdict == verdict, found.decisive


@pytest.mark.parametrize("noise", NOISE)
def test_wrong_verdicts_are_rare_where_the_truth_lies_at_the_edge(noise: tuple[float, float, float]) -> None:
    """Exactly null: either verdict would be wrong, and the two together happen in at most 5% of experiments."""
    rng = np.random.default_rng(2)
    verdicts: Counter[str] = Counter()
    for claim in all_claims():
        for _ in range(6):
            verdicts[judge(claim, world(claim, edge(claim)[0], noise, rng)).verdict] += 1
    assert 1 - verdicts["inconclusive"] / verdicts.total() <= 0.05, verdicts


@pytest.mark.parametrize("noise", NOISE)
def test_an_effect_that_is_said_to_be_detectable_is_detected(noise: tuple[float, float, float]) -> None:
    """80% of experiments at least with an effect that far from the edge come to the verdict, none to the opposite."""
    claim = next(one for one in all_claims() if len(one.comparisons) == 1 and one.pairs == "mean")
    rng = np.random.default_rng(3)
    at, towards = edge(claim)
    told = np.mean([judge(claim, world(claim, at, noise, rng)).decisive.detectable for _ in range(20)])
    there = at + towards * told
    verdicts = Counter(judge(claim, world(claim, there, noise, rng)).verdict for _ in range(120))
    assert verdicts["contradicted"] == 0
    assert verdicts["reproduced"] / verdicts.total() >= 0.7, verdicts
