from pathlib import Path

import numpy as np
import pytest

from crosslingua.atlas.cards import is_told
from crosslingua.evidence.evidence import Evidence
from crosslingua.io.json import read_yaml
from crosslingua.papers.joint_align.answer import LEVEL, UNDECIDED, answer

STRATEGIES = {"rcsls": "aligned", "geomm": "aligned", "joint": "joint", "joint_align_rcsls": "both"}
WORDS = [f"w{n:03}" for n in range(200)]


def evidence_of(rates: dict[str, float], generator: np.random.Generator, seeds=3, pairs=1) -> dict:
    """Evidence of systems that are right with their rate, independently a word and seed."""
    evidence = Evidence("points of P@1")
    for pair in range(pairs):
        for system, rate in rates.items():
            for seed in range(seeds):
                right = generator.random(len(WORDS)) < rate
                values = {("ana", word): 100.0 * hit for word, hit in zip(WORDS, right, strict=True)}
                evidence.add(f"ana-l{pair}.world", system, seed, values)
    return {("precision", "all"): evidence, ("precision", "different_surface"): Evidence("points of P@1")}


def judged(rates: dict[str, float], seeds: int = 3, pairs: int = 1) -> dict:
    """The answer on such evidence."""
    return answer(evidence_of(rates, np.random.default_rng(1), seeds, pairs), ["joint"], STRATEGIES)


def test_the_strategy_whose_best_system_is_ahead_of_each_other_is_best() -> None:
    found = judged({"rcsls": 0.3, "geomm": 0.4, "joint": 0.1, "joint_align_rcsls": 0.7}, seeds=8)
    (condition,) = found["conditions"]
    # without a dictionary only joint competes, which needs none
    assert (condition["supervision"], condition["best"]) == ("dictionary", "both")
    assert condition["strategies"]["aligned"]["system"] == "geomm"
    assert [gap["over"] for gap in condition["comparisons"]] == ["aligned", "joint"]
    assert condition["comparisons"][0]["effect"] == pytest.approx(30, abs=8)
    assert (condition["seeds"], condition["test_words"]) == (8, len(WORDS))


def test_leads_are_of_each_other_strategy_over_alignment() -> None:
    (condition,) = judged({"rcsls": 0.4, "joint": 0.1, "joint_align_rcsls": 0.7}, seeds=8)["conditions"]
    values = {kind: one["value"] for kind, one in condition["strategies"].items()}
    assert list(condition["leads"]) == ["joint", "both"]
    for kind, lead in condition["leads"].items():
        assert lead["effect"] == pytest.approx(values[kind] - values["aligned"])
        assert lead["low"] < lead["effect"] < lead["high"]


def test_what_would_decide_is_what_does_when_it_is_there() -> None:
    """Leads of constant seeds: the variance over seeds falls with their number, and so does the quantile."""

    def grid(seeds: int) -> dict:
        evidence = evidence_of({}, np.random.default_rng(1))
        for system, level, sign in (("joint", 20.0, 1), ("joint_align_rcsls", 26.0, -1)):
            for seed in range(seeds):
                shift = 2.0 * (-1) ** seed * (seed < seeds - seeds % 2)
                values = {("ana", word): level + sign * shift for word in WORDS}
                evidence["precision", "all"].add("ana-l0.world", system, seed, values)
        return answer(evidence, ["joint"], STRATEGIES)["conditions"][0]

    few = grid(3)
    assert few["best"] == UNDECIDED
    assert few["would_decide"]["seeds"] > 3
    assert "words" not in few["would_decide"]  # words add nothing
    enough = grid(2 * few["would_decide"]["seeds"])
    assert (enough["best"], enough["would_decide"]) == ("both", {})


def spread(*levels: tuple[str, float, float, float], seeds: int = 3, words: int = 200) -> dict:
    """The answer of systems at a level in %, whose values differ by so much between seeds, and between words."""
    evidence = evidence_of({}, np.random.default_rng(1))
    generator = np.random.default_rng(7)
    for system, level, by_seed, by_word in levels:
        own, each = (centred(generator.standard_normal(number)) for number in (seeds, words))
        for seed in range(seeds):
            values = level + by_seed * own[seed] + by_word * each
            named = {("ana", f"w{place:05}"): float(value) for place, value in enumerate(values)}
            evidence["precision", "all"].add("ana-l0.world", system, seed, named)
    return answer(evidence, ["joint"], STRATEGIES)["conditions"][0]


def centred(values: np.ndarray) -> np.ndarray:
    return (values - values.mean()) / values.std()


def test_level_is_the_smallest_effect_of_interest(repository: Path) -> None:
    assert read_yaml(repository / "reference/smallest_effects.yaml")["joint_align"]["precision"] == LEVEL


def test_strategies_that_certainly_differ_by_less_than_two_points_are_level() -> None:
    levels = ("rcsls", 20.0, 0.1, 1), ("joint", 12.0, 0.1, 1), ("joint_align_rcsls", 20.1, 0.1, 1)
    found = spread(*levels)
    assert (found["leader"], found["best"], found["level"]) == ("both", UNDECIDED, ["aligned"])
    assert found["would_decide"] == {}
    few = spread(*levels, seeds=2)
    assert (few["level"], is_told(found), is_told(few)) == ([], True, False)


def test_what_neither_seeds_nor_words_alone_would_tell_takes_more_of_both() -> None:
    levels = ("joint", 20.0, 3, 20), ("joint_align_rcsls", 23.0, 3, 20)
    few = spread(*levels)
    assert few["best"] == UNDECIDED
    ((name, times),) = few["would_decide"].items()
    assert name == "times"
    assert spread(*levels, seeds=6 * times, words=400 * times)["best"] == "both"
    assert spread(*levels, seeds=times, words=70 * times)["best"] == UNDECIDED


def test_intervals_are_those_of_the_mean_over_seeds_and_words() -> None:
    """Three seeds whose values differ by a constant: the words add nothing, and t(2, 95 %) is 4.303."""
    evidence = evidence_of({}, np.random.default_rng(1))
    for system, level in (("joint", 20.0), ("joint_align_rcsls", 60.0)):
        for seed, shift in enumerate((-3.0, 0.0, 3.0)):
            values = {("ana", word): level + shift * (1 if system == "joint" else -1) for word in WORDS}
            evidence["precision", "all"].add("ana-l0.world", system, seed, values)
    (condition,) = answer(evidence, ["joint"], STRATEGIES)["conditions"]
    (lead,) = condition["comparisons"]
    margin = 4.303 * 6 / np.sqrt(3)  # differences 46, 40 and 34
    assert [lead[key] for key in ("effect", "low", "high")] == pytest.approx(
        [40, 40 - margin, 40 + margin], abs=0.01
    )
    own = 4.303 * 3 / np.sqrt(3)
    assert condition["strategies"]["both"]["low"] == pytest.approx(60 - own, abs=0.01)


def test_a_lead_is_no_larger_than_two_percentages_allow() -> None:
    """Joint is at 10 ± 24.9 % and both at 14 ± 24.9 %: a difference lies between -34.9 and 38.9 points."""
    evidence = evidence_of({}, np.random.default_rng(1))
    for system, level, sign in (("joint", 10.0, 1), ("joint_align_rcsls", 14.0, -1)):
        for seed, shift in enumerate((-10.0, 0.0, 10.0)):
            values = {("ana", word): level + sign * shift for word in WORDS}
            evidence["precision", "all"].add("ana-l0.world", system, seed, values)
    (lead,) = answer(evidence, ["joint"], STRATEGIES)["conditions"][0]["comparisons"]
    own = 4.303 * 10 / np.sqrt(3)  # the differences alone would give 4 ± 49.7
    assert (lead["low"], lead["high"]) == pytest.approx((-10 - own, 14 + own), abs=0.01)


def test_alike_strategies_and_few_seeds_are_not_told_apart() -> None:
    (alike,) = judged({"rcsls": 0.5, "joint": 0.1, "joint_align_rcsls": 0.5})["conditions"]
    (few,) = judged({"rcsls": 0.1, "joint": 0.1, "joint_align_rcsls": 0.9}, seeds=2)["conditions"]
    assert (alike["best"], few["best"], few["leader"]) == (UNDECIDED, UNDECIDED, "both")


def test_the_best_of_many_equal_systems_is_not_taken_for_better() -> None:
    """Of 30 systems that guess alike, the best seems good on the words that choose it, and not on others."""
    names = {f"map{n}": "aligned" for n in range(30)} | {"joint": "joint"}
    evidence = evidence_of(dict.fromkeys(names, 0.2), np.random.default_rng(2))
    (condition,) = answer(evidence, [], names)["conditions"]
    systems = evidence["precision", "all"].values["ana-l0.world"].values()
    assert max(np.mean([[*run.values()] for run in runs.values()]) for runs in systems) > 23
    assert condition["strategies"]["aligned"]["value"] == pytest.approx(20, abs=2)


def test_pairs_with_all_strategies_are_counted_by_the_judges_interval() -> None:
    """In two pairs `both` is far ahead, in one it leads by a word; a fourth pair lacks joint training."""
    evidence = evidence_of(
        {"rcsls": 0.4, "joint": 0.1, "joint_align_rcsls": 0.9}, np.random.default_rng(1), 3, 4
    )
    pairs = evidence["precision", "all"].values
    for seed in range(3):
        values = dict(pairs["ana-l2.world"]["rcsls"][seed])
        missed = next(word for word, value in values.items() if value == 0)
        pairs["ana-l2.world"]["joint_align_rcsls"][seed] = values | {missed: 100.0}
    del pairs["ana-l3.world"]["joint"]
    (summary,) = answer(evidence, ["joint"], STRATEGIES)["summaries"]
    assert summary["pairs"] == 3
    assert summary["leads_in"] == {"aligned": 0, "joint": 0, "both": 3}
    assert summary["ahead_in"] == {"aligned": 0, "joint": 0, "both": 2}
    assert summary["means"]["both"] == pytest.approx((90 + 90 + 40.5) / 3, abs=3)


def test_words_not_spelt_alike_come_first_where_some_are() -> None:
    rates = {"joint": 0.1, "joint_align_rcsls": 0.9}
    evidence = evidence_of(rates, np.random.default_rng(1))
    every = evidence["precision", "all"].values["ana-l0.world"]
    for kept, first in ((WORDS[:150], "not spelt alike"), (WORDS, "all")):
        unlike = Evidence("points of P@1")
        for system, runs in every.items():
            for seed, values in runs.items():
                unlike.add(
                    "ana-l0.world", system, seed, {("ana", word): values["ana", word] for word in kept}
                )
        evidence["precision", "different_surface"] = unlike
        found = answer(evidence, ["joint"], STRATEGIES)
        for part in ("conditions", "summaries"):
            assert next(each["words"] for each in found[part]) == first
            assert {each["words"] for each in found[part]} == {"all", "not spelt alike"}
