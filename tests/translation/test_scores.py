"""BLEU and chrF against published and hand-worked cases; degenerate output is found."""

from pathlib import Path

import numpy as np
import pytest
import sacrebleu

from crosslingua.errors import InputError
from crosslingua.io.vectors import WordVectors
from crosslingua.metrics import conditions
from crosslingua.translation.decoding import diagnose, repeats
from crosslingua.translation.scores import (
    detokeniser,
    induced_dictionary,
    score_translations,
    word_bleu,
    word_by_word,
)

PLAIN = detokeniser(None)


def test_bleu_by_hand() -> None:
    # Papineni et al. 2002 by hand: 4 of 5 words, 3 of 4 pairs, 2 of 3 triples, 1 of 2 quadruples; as long as it ought.
    wanted = 100 * (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25
    assert word_bleu([["a", "b", "c", "d", "x"]], [["a", "b", "c", "d", "e"]]) == pytest.approx(wanted)


def test_sacrebleus_own_example() -> None:
    # From sacrebleu's README (version 2), of which the first reference alone is given here.
    said = ["The dog bit the man.", "It wasn't surprising.", "The man had just bitten him."]
    wanted = ["The dog bit the man.", "It was not unexpected.", "The man bit him first."]
    found = score_translations(said, wanted, ["x"] * 3)
    assert found["bleu"] == sacrebleu.corpus_bleu(said, [wanted], lowercase=True).score
    assert (
        found["chrf"] == sacrebleu.corpus_chrf([s.lower() for s in said], [[s.lower() for s in wanted]]).score
    )
    assert found["sentences"] == 3


def test_text_is_detokenised_before_it_is_scored() -> None:
    detokenise = detokeniser("en")
    assert detokenise(["do", "n't", "stop", ",", "she", "said", "."]) in (
        "don't stop, she said.",
        "do n't stop, she said.",
    )
    assert detokeniser("fr")(["l'", "homme"]) == "l'homme"


def test_the_signature_can_be_read_back() -> None:
    signature = score_translations(["a b"], ["a b"], ["c"])["signature"]
    read = conditions(signature)
    assert "tok~13a" in read["bleu"]
    assert "case~lc" in read["bleu"]
    assert "nc~6" in read["chrf"]


def test_lines_that_do_not_belong_together_are_refused() -> None:
    with pytest.raises(InputError, match="1 lines, for 2 of source"):
        score_translations(["a"], ["a", "b"], ["a", "b"])


def test_nothing_at_all_scores_nothing_and_is_marked() -> None:
    found = score_translations(["", ""], ["a b c d", "b"], ["c", "d"])
    assert (found["bleu"], found["empty"], found["degenerate"]) == (0.0, 100.0, 100)


SOURCES = [f"a{i} b{i}" for i in range(10)]
GOOD = [f"c{i} d{i}" for i in range(10)]


@pytest.mark.parametrize(
    ("said", "what"),
    [
        (SOURCES, "copied"),
        (["the same"] * 10, "same"),
        ([f"x{i} {'y ' * 5}" for i in range(10)], "repeating"),
        ([""] * 10, "empty"),
    ],
)
def test_degenerate_output_is_marked(said: list[str], what: str) -> None:
    found = diagnose(said, GOOD, SOURCES)
    assert found["degenerate"] == 100
    assert found[what] >= 90


def test_good_output_is_not_marked() -> None:
    assert diagnose(GOOD, GOOD, SOURCES)["degenerate"] == 0
    # What the references copy too is no fault: names, numbers, a language and itself.
    assert diagnose(SOURCES, SOURCES, SOURCES)["degenerate"] == 0
    assert diagnose(["yes"] * 10, ["yes"] * 10, SOURCES)["degenerate"] == 0


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("a a a a", True), ("b a a a c", False), ("x a b a b a b a b", True), ("a b a b a b", False),
        ("a b c d", False), ("", False), ("a", False),
    ],
)  # fmt: skip
def test_repeats(line: str, found: bool) -> None:
    assert repeats(line) == found


def test_word_by_word() -> None:
    assert word_by_word(["a b c", ""], {"a": "x", "c": "z"}) == ["x b z", ""]


def test_an_induced_dictionary_finds_the_nearest_word(tmp_path: Path) -> None:

    eye = np.eye(4, dtype=np.float32)
    source, target = WordVectors(list("abcd"), eye), WordVectors(list("wxyz"), eye[[1, 0, 3, 2]])
    found = induced_dictionary(source, target, ["a", "c", "unknown"])
    assert found == {"a": "x", "c": "z"}
    assert induced_dictionary(source, target, ["unknown"]) == {}


@pytest.mark.parametrize(
    ("language", "tokeniser"), [("zh", "zh"), ("yue", "zh"), ("th", "char"), ("de", "13a"), (None, "13a")]
)
def test_bleu_counts_the_tokens_of_the_language(language: str | None, tokeniser: str) -> None:
    lines = ["今天天气很好我们去公园", "他们明天回家"]
    found = score_translations(lines, lines, ["a", "b"], language)
    assert f"tok~{tokeniser}," in found["signature"]
    if language in ("zh", "yue", "th"):
        assert found["bleu"] == pytest.approx(100)
