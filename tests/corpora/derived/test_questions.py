"""Questions: the answer stands at its offset in the derived context and consists of the answer's own words."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosslingua.corpora.derived.derivation import Derivation
from crosslingua.corpora.derived.files import derive_articles, words
from crosslingua.corpora.derived.syntax import Inverted
from crosslingua.corpora.derived.transliteration import Transliteration
from crosslingua.errors import InputError
from crosslingua.io.squad import Answer, Article, Paragraph, Question, questions, read_squad, write_squad


def article(context, *answers, question="Who?"):
    return Article("T", (Paragraph(context, (Question("q", question, tuple(answers)),)),))


def derive(one, derivation, splitting="punctuation"):
    counts = Counter()
    derived = derive_articles([one], derivation, counts, splitting)
    paragraph, question = next(questions(derived))
    for text, start in question.answers:
        assert paragraph.context[start : start + len(text)] == text
    return paragraph, question, counts


class Backwards:
    """An order that pulls everything apart: even places first."""

    def __call__(self, found, together=()):
        return [*range(0, len(found), 2), *range(1, len(found), 2)]


def test_hand_worked():
    one = article("Ann met J. Smith. He left.", Answer("J. Smith", 8), Answer("Ann", 0), question="Who met?")
    paragraph, question, counts = derive(one, Derivation(Inverted()))
    assert paragraph.context == "Smith . J met Ann . left He ."
    assert question.answers == (Answer("Smith . J", 0), Answer("Ann", 14))
    assert question.text == "? met Who"
    assert counts == {"answers": 2, "answers_widened": 0, "answers_apart": 0, "questions_dropped": 0}


def test_an_answer_inside_a_word_is_widened():
    _, question, counts = derive(article("a 40-km walk", Answer("40", 2)), Derivation())
    assert question.answers == (Answer("40-km", 2),)
    assert counts["answers_widened"] == 1


def test_answers_that_come_apart_are_dropped_with_their_question():
    counts = Counter()
    good = article("a b c d", Answer("a", 0)).paragraphs[0]
    torn = Paragraph("a b c d", (Question("r", "?", (Answer("a b", 0),)),))
    derived = derive_articles([Article("", (good, torn))], Derivation(Backwards()), counts)
    assert [question.id for _, question in questions(derived)] == ["q"]
    assert (counts["answers_apart"], counts["questions_dropped"]) == (1, 1)
    with pytest.raises(InputError, match="no answer is left"):
        derive_articles([Article("", (torn,))], Derivation(Backwards()), counts)


@settings(deadline=None)
@given(
    parts=st.lists(st.sampled_from(["a", "bc", "d.", ".", "e-f", "(g)", "h,"]), min_size=1, max_size=12),
    data=st.data(),
)
def test_answers_keep_their_words(parts, data):
    context = " ".join(parts)
    start = data.draw(st.integers(0, len(context) - 1).filter(lambda index: context[index] != " "))
    end = data.draw(st.integers(start + 1, len(context)).filter(lambda index: context[index - 1] != " "))
    one = article(context, Answer(context[start:end], start))
    map_ = Transliteration(2)
    paragraph, question, _ = derive(one, Derivation(Inverted(), map_))
    assert Counter(map(map_.original, paragraph.context.split())) == Counter(words(context, "punctuation"))
    _, kept, _ = derive(one, Derivation())
    assert Counter(map(map_.original, question.answers[0].text.split())) == Counter(
        kept.answers[0].text.split()
    )


def test_xquad_keeps_every_answer_under_inversion(mirror, tmp_path):
    articles = read_squad(mirror / "xquad" / "xquad.en.json")
    counts = Counter()
    derived = derive_articles(articles, Derivation(Inverted()), counts)
    assert counts["answers"] == 1190
    assert counts["answers_apart"] == 0
    assert counts["answers_widened"] < 30
    write_squad(tmp_path / "q.json", derived)
    for (_, old), (_, new) in zip(
        questions(articles), questions(read_squad(tmp_path / "q.json")), strict=True
    ):
        own = words(old.answers[0].text, "punctuation")
        found = new.answers[0].text.split()
        if len(own) == len(found) and "." not in own:
            assert found == own[::-1] or sorted(found) != sorted(own)  # widened answers have other words
