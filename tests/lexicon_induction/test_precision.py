"""Precision without a dictionary: its criteria on spaces that are known, and the committed model."""

import csv
import sys
from pathlib import Path

import numpy as np
import pytest

from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction import precision

RANDOM = np.random.default_rng(1)
STRATEGIES = {"vecmap": "aligned", "joint_align_identity": "both"}


def space(noise: float, shared: int = 0, words: int = 200) -> precision.Space:
    """Translations 0 to `words` with so much noise; the first `shared` words are spelt alike."""
    target = RANDOM.normal(size=(words, 30)).astype(np.float32)
    source = target + noise * RANDOM.normal(size=target.shape).astype(np.float32)
    names = ([f"{'b' if n < shared else own}{n}" for n in range(words)] for own in "st")
    return tuple(map(WordVectors, names, (source, target)))


def found(noise: float, other: float = 0.1, **more: int) -> dict[str, float]:
    spaces = {"vecmap": [space(noise, **more) for _ in range(2)]}
    spaces["joint_align_identity"] = [space(other, **more)] * 2
    return precision.criteria(spaces, STRATEGIES, {"vecmap": 0.5})["vecmap"]


def test_criteria_of_a_perfect_map_are_known() -> None:
    values = found(0.05, shared=50)
    for name in ("mutual", "alike"):
        assert values[name] == 1
    for name in ("different", "seeds", "systems"):  # of 200 words, 150 are not spelt alike
        assert values[name] == pytest.approx(0.75)
    assert (values["itself"], values["common"], values["degenerate"]) == (0.25, 0.25, 0.5)
    assert values["words"] == np.log(200)


def test_criteria_of_a_random_map_are_those_of_chance() -> None:
    values = found(1000.0)
    assert max(values["seeds"], values["systems"]) < 0.05
    assert values["mutual"] < 0.7  # many are, by chance: what is mutual is not yet right


def test_a_worse_map_has_a_lower_estimate() -> None:
    measured = [{"vecmap": found(noise)} for noise in (0.1, 1.2, 1000.0)]
    estimates = [precision.estimate(values, STRATEGIES)["vecmap"] for values in measured]
    values = [each.value for each in estimates]
    assert values == sorted(values, reverse=True)
    assert values[0] > 2 * values[2]
    for each in estimates:
        assert 0 <= each.low < each.value < each.high <= 100


def test_the_committed_model_is_that_of_the_committed_observations(repository: Path, monkeypatch) -> None:
    monkeypatch.setattr(sys, "path", [str(repository / "benchmarks"), *sys.path])
    from precision_without_dictionary import fit

    with (repository / "benchmarks/precision_without_dictionary.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    again, told = fit(rows), precision.fitted()
    assert again["fitted_on"] == told["fitted_on"]
    assert again["weights"] == pytest.approx(told["weights"], abs=1e-3)
    assert again["held_out"]["spearman"] == pytest.approx(told["held_out"]["spearman"], abs=0.01)
    # The interval is one of 90 %: that of pairs left out holds as many.
    low, high = told["held_out"]["errors"]
    assert low < 0 < high


def test_both_is_the_first_choice_unless_another_is_surely_better() -> None:
    both = {"joint_align_identity": precision.Estimate(20, 10, 40)}
    for low, expected in ((39, "joint_align_identity"), (41, "vecmap")):
        estimates = {"vecmap": precision.Estimate(60, low, 80), **both}
        assert precision.leader(estimates, STRATEGIES) == expected
