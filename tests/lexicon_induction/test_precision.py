"""Precision without a dictionary on known spaces, its confidence, and degenerate maps."""

import csv
import sys
from pathlib import Path

import numpy as np
import pytest

from crosslingua.errors import ConfigError
from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction import confidence, precision
from crosslingua.lexicon_induction.confidence import InducedLexicon, calibrate
from crosslingua.lexicon_induction.degenerate import is_degenerate, is_marked, mark_degenerate

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
    values = found(0.05, shared=50)  # of 200 words, 150 are not spelt alike
    expected = dict.fromkeys(("mutual", "alike"), 1) | dict.fromkeys(("different", "seeds", "systems"), 0.75)
    expected |= {"itself": 0.25, "common": 0.25, "degenerate": 0.5, "words": np.log(200)}
    assert {name: values[name] for name in expected} == pytest.approx(expected)


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


def test_features_of_a_translation() -> None:
    target = WordVectors(["eins", "zwei", "drei"], np.float32([[1, 0], [0, 1], [-1, 0]]))
    source = WordVectors(["one", "uno", "two"], np.float32([[1, 0.1], [1, 0.5], [0.1, 1]]))
    # takes `one` for zwei
    other = WordVectors(["two", "one", "uno"], np.float32([[0, 1], [0.2, 1], [1, 0]])), target
    found = confidence.induce([(source, target), other])
    assert found.best == ["eins", "eins", "zwei"]
    csls, lead, mutual, votes, rank = found.features.T
    assert mutual.tolist() == [1, 0, 1]  # eins retrieves `one`
    assert votes.tolist() == [0, 1, 1]
    assert rank == pytest.approx(np.log([1, 2, 3]))
    assert (lead > 0).all()
    assert csls.argmin() == 1


def test_confidence_is_the_share_of_right_translations() -> None:
    """Translations are right with a probability that follows from two features: confidence finds this probability."""
    generator = np.random.default_rng(1)
    features = generator.normal(size=(4000, 5))
    truth = 1 / (1 + np.exp(-(1.5 * features[:, 0] - features[:, 3] - 0.5)))
    right = generator.random(4000) < truth
    words = [f"w{n}" for n in range(4000)]
    lexicon = InducedLexicon(words, ["right" if hit else "wrong" for hit in right], ["x"] * 4000, features)
    found = calibrate(lexicon, {word: {"right"} for word in words[:2000]})
    assert found.entries == 2000
    assert np.abs(found.confidence - truth)[2000:].mean() < 0.03
    assert found.precision == pytest.approx(100 * right[:2000].mean())
    assert found.mean == pytest.approx(found.precision, abs=1)
    assert found.error < 4
    some = {word: {"right" if n % 3 else "none"} for n, word in enumerate(words[:2000])}
    control = calibrate(lexicon, some)
    assert control.confidence.std() < found.confidence.std()


def test_calibration_error_by_hand() -> None:
    found = confidence.calibration_error(np.array([0.1, 0.1, 0.9, 0.9]), np.array([0, 1, 1, 1]), bins=2)
    assert found == pytest.approx((0.4 + 0.1) / 2)


def test_few_entries_are_refused_and_files_hold_all_words(tmp_path: Path) -> None:
    lexicon = InducedLexicon(["a", "b"], ["x", "y"], ["y", "x"], np.zeros((2, 5)))
    with pytest.raises(ConfigError, match="1 of 1 held-out translations are right"):
        calibrate(lexicon, {"a": {"x"}})
    confidence.write(tmp_path / "lexicon.tsv", lexicon, np.array([0.5, 0.25]))
    assert (tmp_path / "lexicon.tsv").read_text().splitlines()[1:] == ["a\tx\t0.500\ty", "b\ty\t0.250\tx"]


def test_the_report_of_a_mapping_says_whether_it_failed() -> None:
    reports = ({"degenerate": True}, {"degenerate": False}, {"pairs": 3})
    assert [is_degenerate({"name": "muse", "mapper": each}) for each in reports] == [True, False, False]


def test_a_mark_stands_in_every_signature_and_changes_no_number() -> None:
    scores = [{"signature": "csls|oov=muse", "p_at_1": 29.2}, {"signature": "nn|oov=muse", "p_at_1": 3.0}]
    marked = mark_degenerate(scores)
    assert marked == [one | {"signature": f"{one['signature']}|map=degenerate"} for one in scores]
    assert [is_marked(one["signature"]) for one in (*marked, *scores)] == [True, True, False, False]
