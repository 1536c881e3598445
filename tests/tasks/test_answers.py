"""Answers by hand, in six scripts; SQuAD's and MLQA's rules differ where their authors' programs do."""

from __future__ import annotations

import pytest

from crosslingua.tasks.answers import exact_match, f1, mlqa_normalise, normaliser, squad_normalise

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
    ("Великая «Москва»", "ru", "великая «москва»", "великая москва"),
    ("η Αθήνα·", "el", "η αθήνα·", "η αθήνα"),
    ("서울 (1988)", "ko", "서울 1988", "서울 1988"),
    ("กรุงเทพฯ", "th", "กรุงเทพฯ", "กรุงเทพฯ"),
    ("$5 + 3% ~ x", "en", "5 3 x", "5 3 x"),
]


@pytest.mark.parametrize(("text", "language", "squad", "mlqa"), CASES)
def test_normalised_by_hand(text: str, language: str, squad: str, mlqa: str) -> None:
    assert squad_normalise(text) == squad
    assert mlqa_normalise(text, language) == mlqa
    assert normaliser("mlqa", language)(text) == mlqa
    assert normaliser("squad", language)(text) == squad


def test_hand_worked_scores() -> None:
    # two of three words predicted, two of four wanted: P 2/3, R 1/2, F1 4/7
    assert f1("red big car", ["big red old house"], squad_normalise) == pytest.approx(4 / 7)
    assert f1("la la", ["la la la"], squad_normalise) == pytest.approx(
        0.8
    )  # a word counts as often as it is there
    assert f1("Paris", ["in Paris", "the Paris"], squad_normalise) == 1  # the best of the answers
    assert f1("北京", ["北京市"], normaliser("mlqa", "zh")) == pytest.approx(0.8)
    assert f1("北京", ["北京市"], squad_normalise) == 0
    assert exact_match("the U.S.", ["us"], squad_normalise)
    assert not exact_match("die USA", ["USA"], squad_normalise)
    assert exact_match("die USA", ["USA"], normaliser("mlqa", "de"))


def test_an_answer_of_nothing_but_articles_is_as_in_squads_program() -> None:
    """Equal, but without a word in common."""
    assert exact_match("the", ["a"], squad_normalise)
    assert f1("the", ["a"], squad_normalise) == 0


def test_another_language_keeps_its_words() -> None:
    assert mlqa_normalise("bar Dogro!", "ana") == "bar dogro"
