"""Verdicts: where an interval lies, by how many comparisons, seeds and looks."""

from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest
from scipy import stats

from crosslingua.claims.statements import Claim, Comparison, Region
from crosslingua.claims.verdict import Finding, Judgement, LeftOut, decide, judge, levels
from crosslingua.evidence.evidence import Evidence
from crosslingua.statistics.interval import Interval, Spread, possible

CLAIM = Claim(
    "better", "joint_align", "table 1", "a is better than b.", "a - b > 0", "precision", (Comparison("a", "b"),),
    Region(above=0), threshold={"meaning": "better"},
)  # fmt: skip
ORDER = replace(CLAIM, holds=Region(above=2), threshold="smallest_effect", smallest=2.0)
SEVERAL = replace(CLAIM, comparisons=(Comparison("a", "b"), Comparison("a", "c")))


def evidence(**systems: dict[str, np.ndarray]) -> dict:
    """`a={"x-y": values (seeds, queries)}`: the evidence of the claim above."""
    found = Evidence("points")
    for system, pairs in systems.items():
        for pair, values in pairs.items():
            for seed, row in enumerate(values):
                found.add(pair, system, seed, {("x", f"{pair}{i}"): float(v) for i, v in enumerate(row)})
    return {("precision", "all"): found}


MANY = 10**6  # items: the quantile is the normal distribution's


def finding(low: float, high: float, name: str = "a", claim: Claim = CLAIM, seeds: int = 3) -> Finding:
    """A finding with this 95% interval."""
    variance = ((high - low) / 2 / NormalDist().inv_cdf(0.975)) ** 2
    return Finding(claim, Comparison(name), "mean", Spread((low + high) / 2, 0, variance, 0, seeds, MANY))


def decided(*findings: Finding) -> Judgement:
    return decide(findings[0].claim, findings)


@pytest.mark.parametrize(
    ("region", "low", "high", "verdict"),
    [
        (Region(above=0), 0.1, 5, "reproduced"), (Region(above=0), -5, -0.1, "contradicted"),
        (Region(above=0), -1, 5, "inconclusive"), (Region(above=0), 0, 0, "inconclusive"),
        (Region(above=0), 1, 1, "reproduced"), (Region(above=-2), -1.5, 1, "reproduced"),
        (Region(below=1), -3, 0.9, "reproduced"), (Region(below=1), 1.1, 3, "contradicted"),
        (Region(below=1), 0.5, 1.5, "inconclusive"),
    ],
)  # fmt: skip
def test_where_the_interval_lies_is_the_verdict(region, low, high, verdict) -> None:
    one = finding(low, high, claim=replace(CLAIM, holds=region))
    found = decided(one)
    assert (found.verdict, found.decisive.spread) == (verdict, one.spread)
    outcome = {"reproduced": "holds", "contradicted": "fails", "inconclusive": "open"}[verdict]
    assert found.decisive.outcome == outcome


@pytest.mark.parametrize(
    ("low", "high", "verdict", "size"),
    [
        (2.5, 4, "reproduced", "relevant"), (0.5, 4, "reproduced", "open"), (0.5, 1.5, "reproduced", "negligible"),
        (-1, 1.5, "negligible", "negligible"), (-1, 2.5, "inconclusive", "open"),
        (-3, 1, "inconclusive", "negligible"), (-1.5, -0.5, "contradicted", "negligible"),
        (-5, -3, "contradicted", "negligible"),
    ],
)  # fmt: skip
def test_an_order_has_a_direction_and_a_size(low, high, verdict, size) -> None:
    found = decided(finding(low, high, claim=ORDER))
    assert (found.verdict, found.decisive.size) == (verdict, size)
    below = replace(ORDER, holds=Region(below=-2))
    found = decided(finding(-high, -low, claim=below))
    assert (found.verdict, found.decisive.size) == (verdict, size)


def test_a_statement_counts_its_comparisons() -> None:
    good, close, open_, bad, none = (
        finding(5, 6, "g", ORDER),
        finding(1, 9, "c", ORDER),
        finding(-3, 9, "o", ORDER),
        finding(-4, -1, "b", ORDER),
        finding(-0.2, 0.3, "n", ORDER),
    )
    cases = [
        ((good, close), "reproduced", close, (2, 0, 0)),
        ((good, open_, close), "inconclusive", open_, (2, 0, 1)),
        ((good, open_, bad), "mixed", bad, (1, 1, 1)),
        ((good, none), "mixed", none, (1, 1, 0)),
        ((open_, bad, none), "contradicted", bad, (0, 2, 1)),
        ((open_, none), "negligible", none, (0, 1, 1)),
    ]
    for findings, verdict, shown, numbers in cases:
        found = decided(*findings)
        assert (found.verdict, found.decisive.comparison) == (verdict, shown.comparison)
        assert tuple(map(found.number_of, ("holds", "fails", "open"))) == numbers


def test_the_open_comparison_that_needs_most_seeds_is_shown() -> None:
    quick, slow = (
        Finding(CLAIM, Comparison(n), "mean", Spread(e, 4, 0, 0, 3, 1)) for n, e in (("q", 4), ("s", 1))
    )
    needs = {one.comparison.system: one.settle(2)["seeds"] for one in (quick, slow)}
    assert needs["q"] < needs["s"]
    found = decided(slow, quick)
    assert (found.decisive.comparison.system, found.settle["seeds"]) == ("s", needs["s"])
    endless = replace(slow, comparison=Comparison("e"), spread=replace(slow.spread, effect=0.01))
    found = decided(slow, endless, quick)
    assert (found.decisive.comparison.system, found.settle["seeds"]) == ("e", None)


def test_an_effect_below_the_smallest_is_too_small_to_test_unless_the_data_decide() -> None:
    tiny = replace(CLAIM, holds=Region(above=0.1), threshold={"printed": 0.2}, smallest=1.0)
    found = decided(Finding(tiny, Comparison("a"), "mean", Spread(0.2, 1, 0.0, 0, 4, 1)))
    assert found.verdict == "too_small"
    # Of 4 seeds the variance of the mean is 1: n seeds have 4 / n, and tell (1.96 + 0.84) standard errors.
    assert found.settle["seeds"] == pytest.approx((2.8 / 0.1) ** 2 * 4, rel=0.01)
    assert decided(finding(3, 5, claim=tiny)).verdict == "reproduced"
    assert decided(finding(-5, -3, claim=tiny)).verdict == "contradicted"
    assert decided(finding(-1, 1, claim=replace(tiny, threshold={"printed": 1.5}))).verdict == "inconclusive"


def test_an_effect_is_the_mean_difference_on_common_queries_and_seeds() -> None:
    a, b = np.array([[100, 100, 0, 100], [100, 0, 0, 100]]), np.array([[0, 100, 0], [0, 0, 0], [0, 0, 0]])
    found = judge(CLAIM, evidence(a={"x-y": a}, b={"x-y": b}))
    assert isinstance(found, Judgement)
    assert found.seeds == (0, 1)  # the third seed of b has no partner, and the fourth query of a has none
    assert found.decisive.spread.effect == pytest.approx(100 * 2 / 6)


def test_each_pair_is_judged_alone_or_all_in_the_mean() -> None:
    up, down = np.full((3, 400), 100.0), np.zeros((3, 400))
    up[:, ::2], down[:, ::5] = 0, 100
    found = evidence(a={"x-y": up, "x-z": down}, b={"x-y": np.zeros((3, 400)), "x-z": up})
    in_mean = judge(CLAIM, found)
    assert [f.pair for f in in_mean.findings] == ["mean"]
    assert in_mean.decisive.spread.effect == pytest.approx((50 - 30) / 2)
    each = judge(replace(CLAIM, pairs="each"), found)
    assert {f.pair: round(f.spread.effect) for f in each.findings} == {"x-y": 50, "x-z": -30}
    assert (each.verdict, each.decisive.pair) == ("mixed", "x-z")


def test_contradicting_comparisons_are_found_step_by_step() -> None:
    """Holm's procedure by its own p-values, on intervals of known variance."""
    rng = np.random.default_rng(6)
    for _ in range(50):
        effects = rng.normal(-2, 1.5, 6)
        spreads = [Spread(effect, 0, 1, 0, 3, MANY) for effect in effects]
        found = [Finding(CLAIM, Comparison(f"b{i}"), "mean", spread) for i, spread in enumerate(spreads)]
        tested = decided(*found).findings
        p = 2 * stats.norm.cdf(effects)  # two-sided, as the intervals are, of what lies below 0
        order = np.argsort(p)
        held = np.append(p[order] > 0.05 / (6 - np.arange(6)), True)
        failing = {i for i, one in enumerate(tested) if one.outcome == "fails"}
        # Of effects above 0 the two-sided p says nothing here.
        assert failing == {i for i in order[: held.argmax()] if effects[i] < 0}
        assert all(one.interval.high < 0 for one in tested if one.outcome == "fails")


def test_only_an_interval_that_allows_for_the_others_fails() -> None:
    bad, good = finding(-3.9, -0.1), [finding(1, 2, f"g{i}") for i in range(5)]
    assert decided(bad).verdict == "contradicted"
    found = decided(bad, *good)
    assert (found.verdict, found.decisive.comparison) == ("inconclusive", bad.comparison)
    assert found.decisive.level == pytest.approx(1 - 0.05 / 6)
    low, high = found.decisive.interval.low, found.decisive.interval.high
    assert low < -3.9 < 0 < high  # what decides nothing is what is shown
    found = decided(finding(-3.9, -2), *good)
    assert (found.verdict, found.decisive.level) == ("mixed", 1 - 0.05 / 6)
    low, high = found.decisive.interval.low, found.decisive.interval.high
    assert low < -3.9 < -2 < high < 0  # what decides is what is shown


def test_too_few_seeds_are_inconclusive_with_the_reason() -> None:
    rng = np.random.default_rng(0)
    a, b = (centre + rng.normal(size=(4, 50)) for centre in (50, 0))
    reasons = {1: "one seed; a verdict needs 3", 2: "2 seeds; a verdict needs 3", 3: "", 4: ""}
    for seeds, reason in reasons.items():
        part = evidence(a={"x-y": a[:seeds]}, b={"x-y": b[:seeds]})
        found = judge(CLAIM, part)
        assert (found.verdict, found.reason) == ("inconclusive" if reason else "reproduced", reason)
        assert (found.decisive.interval is None) == (seeds == 1)
        assert (found.decisive.detectable is None) == (seeds == 1)


def test_what_does_not_vary_has_no_interval_and_is_judged_by_its_value() -> None:
    """One value of one seed, as what is measured by encoder where there is one encoder, decides nothing."""
    alone = (1, "inconclusive", "one seed; a verdict needs 3", None)
    for seeds, verdict, reason, detectable in (alone, (4, "reproduced", "", 0)):
        found = judge(CLAIM, evidence(a={"x-y": np.full((seeds, 1), 3.0)}, b={"x-y": np.zeros((seeds, 1))}))
        assert (found.verdict, found.reason) == (verdict, reason)
        decisive = found.decisive
        assert (decisive.spread.effect, decisive.interval, decisive.detectable) == (3, None, detectable)
        assert found.settle == ({"seeds": None, "items": None} if seeds == 1 else {})


def test_failure_rates_are_those_of_clopper_and_pearson() -> None:
    """Beside the scores: the interval of scipy's binomial test, which is written apart from ours."""
    rows = np.full((5, 4), 5.0)
    part = evidence(a={"x-y": rows, "x-z": rows}, b={"x-y": rows}, c={"x-y": rows})["precision", "all"]
    part.failed += [("x-y", "a", seed) for seed in (0, 1, 2)] + [("x-z", "a", 0), ("x-z", "a", 0)]
    part.failed += [("x-y", "b", seed) for seed in range(5)]
    rates = part.failure_rates(("a", "b", "c", "d"))
    for name, bad, runs in (("a", 4, 10), ("b", 5, 5), ("c", 0, 5)):
        known = stats.binomtest(bad, runs).proportion_ci(0.95, "exact")
        assert (rates[name]["failed"], rates[name]["runs"]) == (bad, runs)
        assert (rates[name]["low"], rates[name]["high"]) == pytest.approx((100 * known.low, 100 * known.high))
    assert "d" not in rates


def test_differences_of_percentages_are_possible() -> None:
    """14 less at most 14.9 and 29 at most 32: whatever the seeds say of the difference."""
    of, over = Interval(29, 26, 32), Interval(14, -2, 14.9)
    cut = possible(Interval(15, -40, 70), of, over, (0, 100))
    assert (cut.effect, cut.low, cut.high) == (15, pytest.approx(26 - 14.9), 32)
    # Seeds that go opposite ways leave a difference open by 99 points, which these systems cannot have.
    found = evidence(a={"x-y": np.array([[45.0], [5], [5]])}, b={"x-y": np.array([[5.0], [45], [5]])})
    found["precision", "all"].bounds = (0.0, 100.0)
    own = 55 / 3 + stats.t.ppf(0.975, 2) * np.std([45, 5, 5], ddof=1) / np.sqrt(3)
    shown = judge(CLAIM, found, planned=()).decisive
    assert shown.spread.interval(0.95).low == pytest.approx(-99.4, abs=0.1)
    assert (shown.interval.low, shown.interval.high) == (pytest.approx(-own), pytest.approx(own))


def test_what_a_difference_can_be_is_told_by_the_items_that_both_answered() -> None:
    """The second system leaves out items on which the first is good."""
    noise = np.random.default_rng(0).normal(size=(2, 3, 40))
    easy = np.repeat([10.0, 50.0], 20)
    found = evidence(a={"x-y": 20 + easy + noise[0]}, b={"x-y": (5 + easy + noise[1])[:, :20]})
    found["precision", "all"].bounds = (0.0, 100.0)
    interval = judge(CLAIM, found, planned=()).decisive.interval
    assert interval.low < interval.effect < interval.high
    assert interval.effect == pytest.approx(15, abs=1)


def test_each_comparison_keeps_its_own_seeds() -> None:
    rng = np.random.default_rng(0)
    rows = 50 + rng.normal(size=(5, 40))
    found = judge(SEVERAL, evidence(a={"x-y": rows}, b={"x-y": rows[:3] - 9}, c={"x-y": rows - 9}))
    assert {one.comparison.over: one.spread.seeds for one in found.findings} == {"b": 3, "c": 5}
    assert (found.verdict, found.seeds) == ("reproduced", (0, 1, 2, 3, 4))


def test_runs_on_one_encoder_count_as_one() -> None:
    rng = np.random.default_rng(0)
    values = 50 + rng.normal(size=(8, 50))
    part, claim = (
        evidence(a={"x-y": values}, b={"x-y": rng.normal(size=(8, 50))}),
        replace(CLAIM, encoders=True),
    )
    of_two, of_four = ({seed: seed % count for seed in range(8)} for count in (2, 4))
    assert len(judge(claim, part).seeds) == 8
    found = judge(claim, part, of_two)
    assert (found.verdict, found.reason) == ("inconclusive", "2 seeds; a verdict needs 3")
    assert judge(claim, part, of_four).verdict == "reproduced"
    assert len(judge(CLAIM, part, of_two).seeds) == 8  # what is no encoder has runs of its own
    pooled = part["precision", "all"].by_run(of_four).values["x-y"]["a"]
    for run in range(4):
        assert list(pooled[run].values()) == pytest.approx((values[run] + values[run + 4]) / 2)


@pytest.mark.parametrize("effect", [2.0, -2.0])
@pytest.mark.parametrize("comparisons", [1, 4])
def test_what_would_settle_a_claim_does_and_one_less_does_not(effect: float, comparisons: int) -> None:
    one = Finding(CLAIM, Comparison("a"), "mean", Spread(effect, 3, 0.2, 1, 3, 40))
    fixed = replace(one, spread=replace(one.spread, over_seeds=1.0))
    seeds, items = one.settle(comparisons), fixed.settle(comparisons)
    assert seeds["items"] is None  # what trainings add does not fall with items
    level = 0.95 if effect > 0 else 1 - 0.05 / comparisons
    for number, changed in (
        (seeds["seeds"], one.spread.with_seeds),
        (items["items"], fixed.spread.with_items),
    ):
        assert changed(number).margin(level) < 2 <= changed(number - 1).margin(level)
    nothing = replace(one, spread=replace(one.spread, effect=1e-9))
    assert nothing.settle(1) == {"seeds": None, "items": None}
    # Nothing settles as an order: within the smallest effect.
    order = replace(nothing, claim=ORDER).settle(1)["seeds"]
    assert one.spread.with_seeds(order).margin() < 2 <= one.spread.with_seeds(order - 1).margin()
    few = Finding(CLAIM, Comparison("a"), "mean", Spread(50.0, 1, 1, 0, 2, 40))
    assert few.settle(1) == {"seeds": 3, "items": None}  # items do not make up for seeds


def test_the_detectable_effect_is_told_in_80_percent_at_least_of_experiments() -> None:
    rng = np.random.default_rng(8)

    def experiment(effect: float) -> Judgement:
        values = effect + rng.normal(0, 0.3, (5, 1)) + rng.normal(0, 3, (1, 80)) + rng.normal(0, 1, (5, 80))
        return judge(CLAIM, evidence(a={"x-y": values}, b={"x-y": np.zeros((5, 80))}))

    size = np.mean([experiment(0).decisive.detectable for _ in range(60)])
    told = np.mean([experiment(size).verdict == "reproduced" for _ in range(200)])
    assert 0.78 < told < 0.98


def test_systems_that_were_not_run_are_left_out_with_the_reason() -> None:
    a, b = {"x-y": np.eye(3)}, {"x-y": np.zeros((3, 3))}
    assert judge(SEVERAL, evidence(a=a, b=b)).missing == ("c",)
    needed = judge(replace(SEVERAL, needs=frozenset({"c"})), evidence(a=a, b=b))
    assert isinstance(needed, LeftOut)
    assert "not run at this scale: c" in needed.reason
    assert judge(CLAIM, evidence(b=b)).reason == "not run at this scale: a"
    assert "not measured" in judge(CLAIM, evidence()).reason
    assert judge(CLAIM, evidence(a=a | {"x-z": np.eye(3)}, b=b)).reason == "not run at this scale: b"


def test_a_mean_over_common_pairs_is_over_those_that_have_both() -> None:
    rows = np.full((3, 9), 5.0)
    part = evidence(a={"x-y": rows, "x-z": rows}, b={"x-y": rows - 2}, c={"x-y": rows - 1, "x-z": rows - 3})
    claim = replace(SEVERAL, pairs="common")
    found = judge(claim, part)
    assert {one.comparison.over: one.spread.effect for one in found.findings} == {"b": 2, "c": 2}
    assert {one.pair for one in found.findings} == {"mean"}
    assert (found.verdict, found.missing) == ("reproduced", ("b (x-z)",))
    assert judge(replace(claim, needs=frozenset("d")), part).reason == "not run at this scale: b (x-z), d"


def test_pair_by_pair_what_a_pair_lacks_is_told_and_the_others_are_judged() -> None:
    rows = np.full((3, 9), 5.0)
    measured = evidence(a={"x-y": rows, "x-z": rows, "x-w": rows}, b={"x-y": rows - 2, "x-w": rows - 3})
    claim = replace(SEVERAL, pairs="each")
    found = judge(claim, measured)
    assert {one.pair: one.spread.effect for one in found.findings} == {"x-y": 2, "x-w": 3}
    assert found.missing == ("b (x-z)", "c")
    assert judge(replace(claim, needs=frozenset("c")), measured).reason == "not run at this scale: b (x-z), c"
    assert judge(replace(claim, tested_on=("x-z",)), measured).reason == "not run at this scale: b, c"
    assert judge(replace(claim, tested_on=("q-*",)), measured).reason == "no data of q-* at this scale"


def hits(rng: np.random.Generator, chance: float, queries: np.ndarray, seed_sd: float) -> np.ndarray:
    """Simulated hits (3, n) in percent: queries differ in difficulty, and trainings in luck."""
    luck = rng.normal(0, seed_sd, (3, 1))
    return 100.0 * (queries + luck + rng.normal(0, 0.5, (3, len(queries))) < chance)


@pytest.mark.parametrize(
    ("others", "seed_sd", "repeats"), [(1, 0.0, 300), (1, 0.1, 300), (1, 0.3, 300), (6, 0.1, 100)]
)
def test_systems_of_equal_quality_seldom_get_a_verdict(others: int, seed_sd: float, repeats: int) -> None:
    rng, decided = np.random.default_rng(3), 0
    names = [f"b{i}" for i in range(others)]
    claim = replace(CLAIM, comparisons=tuple(Comparison("a", name) for name in names))
    for _ in range(repeats):
        queries = rng.normal(0, 1, 120)
        systems = {name: {"x-y": hits(rng, 0.0, queries, seed_sd)} for name in ("a", *names)}
        decided += judge(claim, evidence(**systems)).verdict != "inconclusive"
    assert decided / repeats <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / repeats)


def test_a_clear_effect_is_found_whichever_way_it_goes() -> None:
    rng, verdicts = np.random.default_rng(5), []
    for _ in range(100):
        queries = rng.normal(0, 1, 300)
        a, b = ({"x-y": hits(rng, chance, queries, 0.05)} for chance in (1.8, 0.0))
        verdicts.append(tuple(judge(CLAIM, way).verdict for way in (evidence(a=a, b=b), evidence(a=b, b=a))))
    assert verdicts.count(("reproduced", "contradicted")) >= 97


def test_failed_runs_count_or_are_left_out_as_the_statement_says() -> None:
    above = np.random.default_rng(0).normal(5, 1, size=(5, 50))
    # In x-z four of five runs of `c` failed: they measure what is 9 below `b`, the fifth what is 5 above.
    failing = above - 5 - np.array([[9], [9], [9], [9], [-5]])
    both = {"x-y": above, "x-z": above}
    found = evidence(a=both, b={pair: values - 5 for pair, values in both.items()}, c=both | {"x-z": failing})
    found["precision", "all"].failed += [("x-z", "c", seed) for seed in (0, 1, 2, 3, 3)]
    claim = replace(CLAIM, comparisons=(Comparison("a", "b"), Comparison("c", "b")), pairs="each")
    for policy in ("", "counted"):
        judged = judge(replace(claim, failed_runs=policy), found)
        effects = {(str(one.comparison), one.pair): one.spread.effect for one in judged.findings}
        assert effects["c - b", "x-z"] == pytest.approx((4 * -9 + 5) / 5)
        assert (judged.missing, judged.failures["c"]["failed"]) == ((), 4)
        assert judged.verdict != "reproduced"
    judged = judge(replace(claim, failed_runs="left_out"), found)
    assert (judged.seeds, judged.verdict) == ((0, 1, 2, 3, 4), "reproduced")
    assert (judged.missing, judged.failures["c"]["failed"]) == ((), 4)
    places = {(str(one.comparison), one.pair) for one in judged.findings}
    assert places == {("a - b", "x-y"), ("a - b", "x-z"), ("c - b", "x-y")}
    # Of two failed runs three are left, which are enough.
    found["precision", "all"].failed[:] = [("x-z", "c", 0), ("x-z", "c", 1)]
    judged = judge(replace(claim, failed_runs="left_out"), found)
    assert {one.spread.seeds for one in judged.findings if one.pair == "x-z"} == {5, 3}


def test_a_system_that_does_not_beat_its_controls_is_not_compared() -> None:
    rows = np.full((3, 9), 5.0)
    found = evidence(a={"x-y": rows, "x-z": rows}, b={"x-y": rows - 2, "x-z": rows + 2}, c={"x-y": rows})
    part = found["precision", "all"]
    part.withhold("x-y", "c", "does not beat the linear control")
    part.withhold("x-z", "c", "does not beat the linear control")
    several = judge(SEVERAL, found)
    assert (several.missing, several.not_compared) == ((), ("c does not beat the linear control",))
    assert len(several.findings) == 1
    refused = "not compared: c does not beat the linear control"
    assert judge(replace(CLAIM, comparisons=(Comparison("c", "b"),)), found).reason == refused
    assert judge(replace(CLAIM, needs=frozenset({"c"})), found).reason == refused
    # A mean is over the pairs that are left.
    part.withhold("x-z", "b", "does not beat random vectors")
    in_mean = judge(CLAIM, found)
    assert (in_mean.decisive.spread.effect, in_mean.verdict) == (2, "reproduced")
    assert in_mean.not_compared == ("b does not beat random vectors (x-z)",)
    part.withheld["x-w", "b"] = "does not beat random vectors"  # and nobody else is there
    assert judge(CLAIM, found).decisive.spread.effect == 2


def test_likeness_is_a_of_real_text_and_a_learnt_model() -> None:
    rows = np.full((3, 9), 5.0)
    found = evidence(a={"x-y": rows}, b={"x-y": rows - 2})
    assert judge(CLAIM, found, text="real").likeness[0] == "C"
    found["precision", "all"].controlled = True
    assert judge(CLAIM, found, text="real").likeness == ("A", "real text, compared with controls, 3 seeds")
    assert judge(CLAIM, found).likeness[0] == "B"
    few = evidence(a={"x-y": rows[:2]}, b={"x-y": rows[:2] - 2})
    few["precision", "all"].controlled = True
    assert judge(CLAIM, few, text="real").likeness[0] == "C"


# Looks with more and more seeds, as planned.

CLAIM_LOOKS = replace(CLAIM, comparisons=(Comparison("a"),), holds=Region(above=30))


def test_levels_are_those_of_obrien_and_fleming() -> None:
    """The constants of Jennison and Turnbull (2000), table 2.3, for looks at equal distances and an error of 5 %."""
    for looks, constant in ((2, 1.977), (3, 2.004), (4, 2.024), (5, 2.040)):
        planned = [5 * (look + 1) for look in range(looks)]
        found = levels(planned[-1], planned)
        assert [number for number, _ in found] == planned
        for look, (_, level) in enumerate(found, 1):
            assert stats.norm.ppf((1 + level) / 2) == pytest.approx(
                constant * np.sqrt(looks / look), abs=0.01
            )
    assert levels(7) == [(7, 0.95)]
    assert [number for number, _ in levels(3, (5, 10))] == [3]
    assert [number for number, _ in levels(7, (5, 10))] == [5, 7]
    assert [number for number, _ in levels(20, (5, 10))] == [5, 10, 20]


@pytest.mark.parametrize("planned", [(5, 10), (5, 10, 20), (10, 12, 40)])
def test_all_looks_together_are_wrong_in_five_percent(planned: tuple[int, ...]) -> None:
    """By scipy's t test on values of another generator."""
    values = np.random.RandomState(1).normal(size=(40_000, planned[-1]))
    p = np.array([stats.ttest_1samp(values[:, :count], 0, axis=1).pvalue for count in planned])
    at = np.array([level for _, level in levels(planned[-1], planned)])
    assert 0.043 < (p < 1 - at[:, None]).any(axis=0).mean() < 0.053


def test_a_statement_stops_at_the_look_that_decides_it() -> None:
    noise = np.random.default_rng(0).normal(size=(10, 1))
    clear, late = 60 + noise, 30.9 + noise - noise.mean()
    first = judge(CLAIM_LOOKS, evidence(a={"x-y": clear}), planned=(5, 10))
    assert (first.verdict, first.looks, first.seeds) == ("reproduced", 1, (0, 1, 2, 3, 4))
    second = judge(CLAIM_LOOKS, evidence(a={"x-y": late}), planned=(5, 10))
    assert (second.looks, len(second.seeds)) == (2, 10)
    once = judge(CLAIM_LOOKS, evidence(a={"x-y": late}))
    assert once.decisive.level == 0.95 < second.decisive.level < 0.97
    # Comparisons share the level of a look.
    claim = replace(CLAIM, comparisons=(Comparison("a"), Comparison("b")))
    judged = judge(claim, evidence(a={"x-y": noise - 9}, b={"x-y": noise + 9}), planned=(10,))
    assert (judged.verdict, judged.decisive.level) == ("mixed", pytest.approx(1 - 0.05 / 2))
