"""Comparison of two systems' tags, on sentences counted by hand."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.metrics import confusion_matrix

from crosslingua.errors import InputError
from crosslingua.io.conll import TaggedSentence, write_conll
from crosslingua.tasks.kinds import KINDS
from crosslingua.tasks.scoring import SignTest, compare, confusion, sign_test

WORDS = (("the", "games", "ended"), ("games", "the"), ("orlando", "pace", "won"))
GOLD = (("O", "B-MISC", "O"), ("O", "O"), ("B-PER", "I-PER", "O"))
STATIC = (("O", "O", "O"), ("O", "B-LOC"), ("B-PER", "O", "O"))
CONTEXT = (("O", "B-PER", "O"), ("O", "O"), ("B-PER", "I-PER", "O"))


def write(path: Path, tags) -> Path:
    write_conll(path, (TaggedSentence(*pair) for pair in zip(WORDS, tags, strict=True)))
    return path


@pytest.fixture
def found(tmp_path: Path) -> dict:
    names = {"gold": GOLD, "static": STATIC, "context": CONTEXT}
    return compare(KINDS["ner"], *(write(tmp_path / f"{name}.conll", tags) for name, tags in names.items()))


def test_sentences_vote_by_their_right_tags_and_some_are_examples(found: dict) -> None:
    # right tags: static 2, 1, 2; contextual 2, 2, 3
    assert found["sign_test"] == {"wins": 0, "losses": 2, "ties": 1}
    assert (found["p_value"], found["sentences"]) == (0.5, 3)
    # only the second has them right: in the first it has the wrong type; in the second nothing was missed
    assert found["examples"] == [{"sentence": 3, "text": "orlando PACE/O won"}]


COUNTED = {  # what the first and the second system get right
    # types do not count in the confusion of B, I and O
    "bio": ([[1, 0, 1], [0, 0, 1], [1, 0, 4]], [[2, 0, 0], [0, 1, 0], [0, 0, 5]]),
    # words of entities, by sentence
    "detection": ([[0, 1, 0], [0, 0, 1], [1, 2, 1]], [[1, 1, 1], [0, 0, 0], [2, 2, 2]]),
    # games is B-MISC in the first sentence and O in the second; orlando and pace are never outside
    "ambiguous": ([[0, 1], [0, 0], [0, 0]], [[1, 1], [0, 0], [0, 0]]),
}


@pytest.mark.parametrize("what", COUNTED)
def test_tags_are_counted_by_hand(found: dict, what: str) -> None:
    assert (found["first"][what], found["second"][what]) == COUNTED[what]


def test_confusion_is_that_of_scikit_learn() -> None:
    sides = np.random.default_rng(1).choice(["B-X", "I-X", "O", "B-Y"], (2, 20, 9))
    known = confusion_matrix(*([tag[0] for tag in side.flat] for side in sides), labels=list("BIO"))
    np.testing.assert_array_equal(confusion(*sides.tolist()), known)


def test_parts_of_speech_have_the_sign_test_alone(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.conll", [["X", "Y", "Z"], ["X", "Y"], ["X", "X", "X"]])
    found = compare(KINDS["pos"], gold, gold, gold)
    assert found["sign_test"] == {"wins": 0, "losses": 0, "ties": 3}
    assert found["p_value"] == 1
    assert not {"first", "examples"} & found.keys()


def test_other_words_are_told_with_their_line(tmp_path: Path) -> None:
    gold, other = write(tmp_path / "gold.conll", GOLD), tmp_path / "other.conll"
    other.write_text(gold.read_text(encoding="utf-8").replace("pace", "peace"), encoding="utf-8")
    with pytest.raises(InputError, match=r"other.conll:9: .*'peace'"):
        compare(KINDS["ner"], gold, gold, other)


COUNTS = st.integers(0, 40)


@given(COUNTS, COUNTS, COUNTS)
def test_p_value_is_scipys(wins: int, losses: int, ties: int) -> None:
    known = binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    assert SignTest(wins, losses, ties).p_value == pytest.approx(known, rel=1e-9)


def test_items_are_counted() -> None:
    assert sign_test([1, 2, 3, 4, 5], [0, 2, 4, 3, 3]) == SignTest(wins=3, losses=1, ties=1)
    with pytest.raises(ValueError, match="shorter"):
        sign_test([1, 2], [1])
