"""Answers by hand, in six scripts; SQuAD's and MLQA's rules differ where their authors' programs do."""

from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosslingua.tasks.scores import exact_match, f1, mlqa_normalise, normaliser, squad_normalise

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
    ("bar Dogro!", "ana", "bar dogro", "bar dogro"),  # MLQA does not know the language: its words stay
]


@pytest.mark.parametrize(("text", "language", "squad", "mlqa"), CASES)
def test_normalised_by_hand(text: str, language: str, squad: str, mlqa: str) -> None:
    assert squad_normalise(text) == squad
    assert mlqa_normalise(text, language) == mlqa
    assert normaliser("mlqa", language)(text) == mlqa
    assert normaliser("squad", language)(text) == squad


def test_the_best_of_the_answers_counts() -> None:
    assert f1("Paris", ["in Paris", "the Paris"], squad_normalise) == 1


def as_squad_defines(text: str) -> list[str]:
    """Return the words that count by SQuAD 1.1: no case, no ASCII punctuation, then none of English's articles.

    An article ends where a letter, digit or _ (of any script) does not go on, as a regular expression has it.
    """
    kept = text.lower().translate(
        {number: None for number in range(128) if not chr(number).isalnum() and 32 < number < 127}
    )
    runs = ["".join(group) for _, group in groupby(kept, key=lambda c: c.isalnum() or c == "_")]
    return "".join(" " if run in ("a", "an", "the") else run for run in runs).split()


TEXT = st.text(
    st.one_of(st.sampled_from("aAnN theTHE _-'.,!$\u00a0\u200b\u0301ßİ北1٣"), st.characters()), max_size=25
)


@given(TEXT, st.lists(TEXT, min_size=1, max_size=3))
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
def test_scored_by_hand(
    prediction: str, answer: str, language: str, squad: tuple[bool, float], mlqa: tuple[bool, float]
) -> None:
    for convention, (exact, wanted) in (("squad", squad), ("mlqa", mlqa)):
        rule = normaliser(convention, language)
        assert exact_match(prediction, [answer], rule) is exact
        assert f1(prediction, [answer], rule) == pytest.approx(wanted)
