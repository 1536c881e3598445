"""The confidence of translations, and degenerate maps."""

from pathlib import Path

import numpy as np
import pytest

from crosslingua.errors import ConfigError
from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction import confidence
from crosslingua.lexicon_induction.confidence import InducedLexicon, calibrate, right_and_tested
from crosslingua.lexicon_induction.degenerate import is_degenerate, is_marked, mark_degenerate


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
    confidence.write(tmp_path / "lexicon.tsv", lexicon, np.array([0.5, np.nan]), counts={"a": 7})
    assert lines(tmp_path) == ["a x 0.500 y induced 7", "b y  x induced "]


def lines(folder: Path) -> list[str]:
    return [line.replace("\t", " ") for line in (folder / "lexicon.tsv").read_text().splitlines()[1:]]


def test_given_entries_stand_in_place_of_induced_ones(tmp_path: Path) -> None:
    lexicon = InducedLexicon(["a", "b"], ["x", "y"], ["y", "x"], np.zeros((2, 5)))
    confidence.write(tmp_path / "lexicon.tsv", lexicon, None, {"c": ["q"], "b": ["z", "y"]}, {"b": 3, "c": 1})
    assert lines(tmp_path) == ["a x  y induced ", "b z   given 3", "b y   given 3", "c q   given 1"]


def test_examples_are_two_more_columns(tmp_path: Path) -> None:
    lexicon = InducedLexicon(["a", "b"], ["x", "y"], ["y", "x"], np.zeros((2, 5)))
    examples = {("a", "x"): ("an a", "the x"), ("b", "z"): ("b !", "z !"), ("b", "y"): ("b", "y")}
    confidence.write(tmp_path / "lexicon.tsv", lexicon, None, {"b": ["z"], "c": ["q"]}, examples=examples)
    assert (tmp_path / "lexicon.tsv").read_text().splitlines() == [
        "source\ttarget\tconfidence\tsecond\torigin\tfrequency\texample_source\texample_target",
        "a\tx\t\ty\tinduced\t\tan a\tthe x",
        "b\tz\t\t\tgiven\t\tb !\tz !",
        "c\tq\t\t\tgiven\t\t\t",
    ]


def test_copies_and_other_translations_are_calibrated_apart() -> None:
    """Nine of ten copies are right, and one of four others, whatever the features say."""
    generator = np.random.default_rng(4)
    words = [f"w{n}" for n in range(2000)]
    copied = np.arange(2000) % 2 == 0
    right = generator.random(2000) < np.where(copied, 0.9, 0.25)
    best = [word if copy else f"{word}x" for word, copy in zip(words, copied, strict=True)]
    gold = {word: {own if hit else "none"} for word, own, hit in zip(words, best, right, strict=True)}
    lexicon = InducedLexicon(words, best, best, generator.normal(size=(2000, 5)))
    found = calibrate(lexicon, gold)
    assert found.confidence[copied].mean() == pytest.approx(0.9, abs=0.03)
    assert found.confidence[~copied].mean() == pytest.approx(0.25, abs=0.04)
    assert right_and_tested(lexicon, gold) == (right[~copied].sum(), 1000)
    few = {word: gold[word] for word in words[:150]}  # 75 of each: too few, of copies 7 wrong ones
    with pytest.raises(ConfigError, match="held-out translations are right"):
        calibrate(lexicon, few)
    some = calibrate(lexicon, {word: gold[word] for word in words[:240]})  # 120 of each
    assert some.confidence[copied].std() == pytest.approx(0)
    assert some.confidence[0] == pytest.approx((right[:240][copied[:240]].sum() + 1) / 122)


def test_the_report_of_a_mapping_says_whether_it_failed() -> None:
    reports = ({"degenerate": True}, {"degenerate": False}, {"pairs": 3})
    assert [is_degenerate({"name": "muse", "mapper": each}) for each in reports] == [True, False, False]


def test_a_mark_stands_in_every_signature_and_changes_no_number() -> None:
    scores = [{"signature": "csls|oov=muse", "p_at_1": 29.2}, {"signature": "nn|oov=muse", "p_at_1": 3.0}]
    marked = mark_degenerate(scores)
    assert marked == [one | {"signature": f"{one['signature']}|map=degenerate"} for one in scores]
    assert [is_marked(one["signature"]) for one in (*marked, *scores)] == [True, True, False, False]
