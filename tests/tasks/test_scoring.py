"""Scores against scikit-learn and hand-worked answers; comparison of two systems' tags."""

import random
import warnings
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
import seqeval.metrics
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import binomtest
from seqeval.scheme import IOB2
from sklearn.metrics import accuracy_score, confusion_matrix, f1_score

from crosslingua.errors import InputError
from crosslingua.io.conll import TaggedSentence, write_conll
from crosslingua.tasks import scores
from crosslingua.tasks.kinds import KINDS
from crosslingua.tasks.scores import (
    check_labels,
    exact_match,
    f1,
    normaliser,
    span_counts,
    squad_normalise,
    tag_counts,
)
from crosslingua.tasks.scoring import SignTest, compare, confusion, sign_test

UPOS = ["ADJ", "ADP", "NOUN", "PROPN", "PUNCT", "INTJ", "VERB", "PART"]
WORDS = (("the", "games", "ended"), ("games", "the"), ("orlando", "pace", "won"))
GOLD = (("O", "B-MISC", "O"), ("O", "O"), ("B-PER", "I-PER", "O"))
STATIC = (("O", "O", "O"), ("O", "B-LOC"), ("B-PER", "O", "O"))
CONTEXT = (("O", "B-PER", "O"), ("O", "O"), ("B-PER", "I-PER", "O"))
# text, language, SQuAD's form, MLQA's form. Latin, Arabic, Devanagari, Chinese, Cyrillic, Greek, Hangul, Thai.
CASES = [
    ("The  Beatles' first LP!", "en", "beatles first lp", "beatles first lp"),
    ("An answer, a test", "en", "answer test", "answer test"),
    ("La Casa de «los» Sueños", "es", "la casa de «los» sueños", "casa de sueños"),
    ("den Bürgermeister der Stadt", "de", "den bürgermeister der stadt", "bürgermeister stadt"),
    ("Straße – über–Wien", "de", "straße – über–wien", "straße überwien"),
    ("của những người Việt", "vi", "của những người việt", "người việt"),
    ("في القاهرة الكبرى", "ar", "في القاهرة الكبرى", "في قاهرة كبرى"),
    ("؟ما هذا", "ar", "؟ما هذا", "ما هذا"),
    ("नई दिल्ली।", "hi", "नई दिल्ली।", "नई दिल्ली"),
    ("北京，2008年", "zh", "北京，2008年", "北 京 2008 年"),
    ("NBA球星", "zh", "nba球星", "nba 球 星"),
    ("NBA球星", "zh_Hant", "nba球星", "nba 球 星"),
    ("der Bürgermeister", "deu", "der bürgermeister", "bürgermeister"),
    ("Великая «Москва»", "ru", "великая «москва»", "великая москва"),
    ("η Αθήνα·", "el", "η αθήνα·", "η αθήνα"),
    ("서울 (1988)", "ko", "서울 1988", "서울 1988"),
    ("กรุงเทพฯ", "th", "กรุงเทพฯ", "กรุงเทพฯ"),
    ("$5 + 3% ~ x", "en", "5 3 x", "5 3 x"),
    ("bar Dogro!", "ana", "bar dogro", "bar dogro"),  # MLQA does not know the language: its words stay
]


def test_the_error_about_labels_that_were_not_trained_names_none_that_was(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"none of its labels \(B-LOC\) was trained: the training set has B-PER "
    ):
        check_labels(tmp_path, {"O", "B-PER"}, {"O", "B-LOC"})
    told = check_labels(tmp_path, {"O", "B-PER"}, {"O", "B-PER", "B-LOC"})
    assert told == {"never_trained": ["B-LOC"], "not_in_test": []}


TAG = st.sampled_from(["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-a-b", "I-a-b"])
# Gold and predicted, half of them equal, with stray I- on both sides.
TAG_PAIR = TAG.map(lambda tag: (tag, tag)) | st.tuples(TAG, TAG)


@given(st.lists(st.lists(TAG_PAIR, min_size=1), min_size=1))
def test_span_scores_are_seqevals(sentences: list) -> None:
    gold, predicted = ([[pair[side] for pair in each] for each in sentences] for side in (0, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for mode, options in (("strict", {"mode": "strict", "scheme": IOB2}), ("conll", {})):
            counts = span_counts(gold, predicted, mode)
            for ours, theirs in (
                (counts.f1, seqeval.metrics.f1_score),
                (counts.precision, seqeval.metrics.precision_score),
                (counts.recall, seqeval.metrics.recall_score),
            ):
                assert ours == pytest.approx(100 * theirs(gold, predicted, **options))
            assert counts.per_item().mean() == pytest.approx(counts.f1)


def test_span_scores_by_hand() -> None:
    gold = [["B-PER", "I-PER", "O", "B-LOC"], ["O"]]
    predicted = [["B-PER", "I-PER", "O", "I-LOC"], ["B-LOC"]]
    strict, conll = (span_counts(gold, predicted, mode) for mode in ("strict", "conll"))
    assert [c.tolist() for c in (strict.right, strict.gold, strict.predicted)] == [[1, 0], [2, 0], [1, 1]]
    assert (strict.precision, strict.recall, strict.f1) == (50, 50, 50)
    assert conll.f1 == pytest.approx(80)  # I-LOC begins an entity: 2 of 3 right, 2 of 2 found
    assert span_counts([["O"]], [["O"]]).f1 == 0


# Counted by hand by the rules of the shared task's program, conlleval.pl: a chunk begins at B-X, and at an I-X that
# follows O, another type, or the sentence's beginning; it ends before what is no I of its type. gold, predicted; chunks
# that are right, in gold, predicted.
CONLLEVAL = {
    "an I after O begins a chunk": ("O I-X I-X O", "O B-X I-X O", (1, 1, 1)),
    "so does an I after a B of another type": ("B-Y I-X O", "B-Y B-X O", (2, 2, 2)),
    "two B are two chunks": ("B-X B-X", "B-X I-X", (0, 2, 1)),
    "two I are one": ("I-X I-X", "I-X B-X", (0, 1, 2)),
    "two I of different types are two": ("I-X I-Y", "B-X B-Y", (2, 2, 2)),
    "a sentence's end is a chunk's end": ("O O B-X I-X", "O O I-X I-X", (1, 1, 1)),
    "a chunk that ends early is wrong": ("B-X I-X I-X", "B-X I-X O", (0, 1, 1)),
    "a chunk that ends late is wrong, the next is right": ("B-X I-X O B-Y", "B-X I-X I-X B-Y", (1, 2, 2)),
    "another type within divides it": ("B-X I-X I-X", "B-X I-Y I-X", (0, 1, 3)),
    "none is found": ("B-X O I-Y", "O O O", (0, 2, 0)),
}


@pytest.mark.parametrize("case", CONLLEVAL)
def test_spans_are_counted_as_conlleval_counts_them(case: str) -> None:
    gold, predicted, expected = CONLLEVAL[case]
    counts = span_counts([gold.split()], [predicted.split()], "conll")
    assert (*counts.right, *counts.gold, *counts.predicted) == expected


@pytest.mark.parametrize("seed", range(5))
def test_tag_scores_are_seqevals_and_scikit_learns(seed: int) -> None:
    draw = random.Random(seed)
    gold = [draw.choices(UPOS, k=draw.randint(1, 12)) for _ in range(60)]
    predicted = [[tag if draw.random() < 0.7 else draw.choice(UPOS) for tag in tags] for tags in gold]
    flat = [[tag for tags in side for tag in tags] for side in (gold, predicted)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = seqeval.metrics.f1_score(gold, predicted)
    assert scores.run_counts(gold, predicted).f1 == pytest.approx(100 * expected)
    assert tag_counts(gold, predicted).f1 == pytest.approx(100 * accuracy_score(*flat))
    assert tag_counts(gold, predicted).f1 == pytest.approx(100 * f1_score(*flat, average="micro"))
    assert scores.weighted_f1(gold, predicted) == pytest.approx(100 * f1_score(*flat, average="weighted"))


def test_accuracy_by_hand_and_labels_of_another_number() -> None:
    assert scores.accuracy(["a", "b", "a", "c"], ["a", "b", "c", "c"]) == 75
    with pytest.raises(ValueError, match="shorter"):
        scores.accuracy(["a", "b"], ["a"])
    with pytest.raises(ValueError, match="shorter"):
        tag_counts([["A", "B"]], [["A"]])


def test_values_of_sentences_have_f1_as_their_mean_and_its_spread_as_theirs() -> None:
    rng = np.random.default_rng(3)
    gold, predicted = rng.poisson(2, 500), rng.poisson(2, 500)
    counts = scores.SentenceCounts(np.minimum(gold, predicted) // rng.integers(1, 3, 500), gold, predicted)
    values = counts.per_item()
    assert values.mean() == pytest.approx(counts.f1)
    drawn = (rng.integers(500, size=500) for _ in range(500))
    drawn_f1 = [scores.SentenceCounts(counts.right[rows], gold[rows], predicted[rows]).f1 for rows in drawn]
    assert values.std() / np.sqrt(500) == pytest.approx(np.std(drawn_f1), rel=0.12)
    empty = np.zeros(3, dtype=int)
    assert scores.SentenceCounts(empty, empty, empty).per_item().tolist() == [0, 0, 0]


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
    assert (found["sign_test"], found["p_value"]) == ({"wins": 0, "losses": 0, "ties": 3}, 1)
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


@pytest.mark.parametrize(("text", "language", "squad", "mlqa"), CASES)
def test_normalised_by_hand(text: str, language: str, squad: str, mlqa: str) -> None:
    assert normaliser("squad", language)(text) == squad
    assert normaliser("mlqa", language)(text) == mlqa


def as_squad_defines(text: str) -> list[str]:
    """Return the words that count by SQuAD 1.1: no case, no ASCII punctuation, then none of English's articles.

    An article ends where a letter, digit or _ (of any script) does not go on, as a regular expression has it.
    """
    kept = "".join(char for char in text.lower() if char.isalnum() or not "!" <= char <= "~")
    runs = ["".join(group) for _, group in groupby(kept, key=lambda c: c.isalnum() or c == "_")]
    return "".join(" " if run in ("a", "an", "the") else run for run in runs).split()


TEXT = st.text(st.sampled_from("aAnN theTHE _-'.,!$\u00a0\u200b\u0301ßİ北1٣") | st.characters(), max_size=25)


@given(TEXT, st.lists(TEXT, min_size=1, max_size=3))
@example("Paris", ["in Paris", "the Paris"])  # the best of the answers counts
def test_scores_are_squads_by_its_definition(prediction: str, right: list[str]) -> None:
    found, wanted = as_squad_defines(prediction), [as_squad_defines(text) for text in right]
    assert squad_normalise(prediction).split() == found
    assert exact_match(prediction, right, squad_normalise) == (found in wanted)
    best = 0.0
    for words in wanted:
        rest = list(words)
        shared = [rest.remove(word) for word in found if word in rest]  # each word of the answer is met once
        if shared:
            precision, recall = len(shared) / len(found), len(shared) / len(words)
            best = max(best, 2 * precision * recall / (precision + recall))
    assert f1(prediction, right, squad_normalise) == pytest.approx(best)


# prediction, answer, language, (exact match, F1) by SQuAD's rule, and by MLQA's. Worked by hand: F1 = 2 shared / all.
SCORED = [
    # Latin: "the" goes by SQuAD's rule alone of English; "la", "de" of Spanish stay there, "la" goes by MLQA's
    ("the Eiffel Tower", "Eiffel Tower", "en", (True, 1), (True, 1)),
    ("the U.S.", "us", "en", (True, 1), (True, 1)),
    ("the", "a", "en", (True, 0), (True, 0)),  # as in SQuAD's program: equal, but without a word in common
    ("red big car", "big red old house", "en", (False, 4 / 7), (False, 4 / 7)),
    ("la la", "la la la", "en", (False, 4 / 5), (False, 4 / 5)),  # a word counts as often as it is there
    ("die USA", "USA", "de", (False, 2 / 3), (True, 1)),
    ("la Torre Eiffel", "Torre Eiffel", "es", (False, 4 / 5), (True, 1)),
    ("«Torre» de Eiffel", "la Torre", "es", (False, 0), (False, 2 / 4)),
    # Cyrillic: guillemets and the em dash are no ASCII; case is folded; no articles in either rule
    ("Великая Москва", "великая москва!", "ru", (True, 1), (True, 1)),
    ("«Москва» и Тверь", "Москва", "ru", (False, 0), (False, 2 / 4)),
    ("река Волга — Дон", "Волга Дон", "ru", (False, 4 / 6), (False, 4 / 5)),
    # Arabic: MLQA's pattern takes alif and lam off wherever they stand, in a word too; its question mark is no ASCII
    ("القاهرة", "قاهرة", "ar", (False, 0), (True, 1)),
    ("مدينة القاهرة الكبرى", "القاهرة", "ar", (False, 2 / 4), (False, 2 / 4)),
    ("في القاهرة؟", "في القاهرة", "ar", (False, 2 / 4), (True, 1)),
    ("سالم", "س م", "ar", (False, 0), (True, 1)),
    # Devanagari: the danda is no ASCII; vowel signs and virama are part of their word
    ("नई दिल्ली।", "नई दिल्ली", "hi", (False, 2 / 4), (True, 1)),
    ("दिल्ली", "नई दिल्ली", "hi", (False, 2 / 3), (False, 2 / 3)),
    # Greek: MLQA has no Greek, whose article stays; the tonos makes another word, the ano teleia is no ASCII
    ("η Αθήνα", "Αθήνα", "el", (False, 2 / 3), (False, 2 / 3)),
    ("ΑΘΉΝΑ·", "αθήνα", "el", (False, 0), (True, 1)),
    ("Αθηνα", "Αθήνα", "el", (False, 0), (False, 0)),
    # Thai: without spaces an answer is one word, so that a part of it is wrong
    ("กรุงเทพ", "กรุงเทพ", "th", (True, 1), (True, 1)),
    ("กรุงเทพมหานคร", "กรุงเทพ", "th", (False, 0), (False, 0)),
    ("กรุงเทพ (ไทย)", "กรุงเทพ", "th", (False, 2 / 3), (False, 2 / 3)),
    # Han: characters are words by MLQA's rule, the comma is no ASCII
    ("北京市", "北京", "zh", (False, 0), (False, 4 / 5)),
    ("在2008年，北京", "2008年北京", "zh", (False, 0), (False, 8 / 9)),
    # Hangul: a particle makes another word
    ("서울은", "서울", "ko", (False, 0), (False, 0)),
    ("서울, 1988", "서울 1988", "ko", (True, 1), (True, 1)),
]


@pytest.mark.parametrize(("prediction", "answer", "language", "squad", "mlqa"), SCORED)
def test_scored_by_hand(prediction: str, answer: str, language: str, squad: tuple, mlqa: tuple) -> None:
    for convention, (exact, wanted) in (("squad", squad), ("mlqa", mlqa)):
        rule = normaliser(convention, language)
        assert exact_match(prediction, [answer], rule) is exact
        assert f1(prediction, [answer], rule) == pytest.approx(wanted)
