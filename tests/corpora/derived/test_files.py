"""Questions: the answer stands at its offset in the derived context and has the words of the answer."""

from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from crosslingua.corpora.derived.files import (
    Derivation,
    derive_articles,
    derive_tagged,
    moved_entities,
    places,
    words,
)
from crosslingua.corpora.derived.syntax import Inverted
from crosslingua.corpora.derived.transliteration import Transliteration
from crosslingua.errors import ConfigError, InputError
from crosslingua.io import conll
from crosslingua.io.conll import Span, TaggedSentence
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
    one, map_ = article(context, Answer(context[start:end], start)), Transliteration(2)
    paragraph, question, _ = derive(one, Derivation(Inverted(), map_))
    spelled = map(map_.word, words(context, "punctuation"))
    assert Counter(paragraph.context.split()) == Counter(spelled)
    _, kept, _ = derive(one, Derivation())
    spelled = map(map_.word, kept.answers[0].text.split())
    assert Counter(question.answers[0].text.split()) == Counter(spelled)


def test_xquad_keeps_every_answer_under_inversion(mirror, tmp_path):
    articles, counts = read_squad(mirror / "xquad" / "xquad.en.json"), Counter()
    derived = derive_articles(articles, Derivation(Inverted()), counts)
    assert counts["answers"] == 1190
    assert counts["answers_apart"] == 0
    assert counts["answers_widened"] < 30
    write_squad(tmp_path / "q.json", derived)
    after = read_squad(tmp_path / "q.json")
    for (_, old), (_, new) in zip(questions(articles), questions(after), strict=True):
        own = words(old.answers[0].text, "punctuation")
        found = new.answers[0].text.split()
        if len(own) == len(found) and "." not in own:
            assert found == own[::-1] or sorted(found) != sorted(own)  # widened answers have other words


# Labels move with their words; entities stay entities (align_mlm, appendix G.1).


TAGS = st.sampled_from(["O", "O", "B-A", "I-A", "B-B", "I-B"])
ROWS = st.lists(st.tuples(st.sampled_from(["x", "y", "z", "."]), TAGS), min_size=1, max_size=14)


def sentence(rows):
    tokens, tags = zip(*rows, strict=True)
    return TaggedSentence(tokens, tuple(conll.repair(tags)[0]), {"intent": "a", "text": "b"})


def derived(one, derivation, scheme="bio2"):
    return next(derive_tagged([one], derivation, scheme, Counter()))


def entities(one):
    return Counter((kind, tuple(sorted(one.tokens[a:b]))) for kind, a, b in conll.spans(one.labels))


@settings(deadline=None)
@given(ROWS)
def test_inversion_keeps_entities_and_twice_is_nothing(rows):
    before = sentence(rows)
    after = derived(before, Derivation(Inverted()))
    assert conll.first_error(after.labels) is None
    assert entities(after) == entities(before)
    assert after.comments == {"intent": "a"}  # texts are others now
    again = derived(after, Derivation(Inverted()))
    assert (again.tokens, again.labels) == (before.tokens, before.labels)


@settings(deadline=None)
@given(ROWS)
def test_parts_of_speech_move_with_their_words(rows):
    before, map_ = TaggedSentence(*zip(*rows, strict=True)), Transliteration(1)
    after = derived(before, Derivation(Inverted(), map_), "plain")
    moved = Counter(zip(after.tokens, after.labels, strict=True))
    assert moved == Counter((map_.word(token), tag) for token, tag in rows)
    plain = derived(before, Derivation(Inverted()), "plain")
    assert [map_.word(token) for token in plain.tokens] == list(after.tokens)


def test_b_comes_first_again():
    before = TaggedSentence(
        ("Ann", "Lee", "saw", "Rome", "St", ".", "John", "."),
        ("B-PER", "I-PER", "O", "B-LOC", "B-PER", "I-PER", "I-PER", "O"),
    )
    after = derived(before, Derivation(Inverted()))
    assert after.tokens == ("John", ".", "St", "Rome", "saw", "Lee", "Ann", ".")
    assert after.labels == ("B-PER", "I-PER", "I-PER", "B-LOC", "O", "B-PER", "I-PER", "O")


@settings(deadline=None)
@given(labels=st.lists(TAGS, min_size=1, max_size=10), data=st.data())
def test_any_order_gives_valid_tags_and_keeps_every_words_type(labels, data):
    fixed, _ = conll.repair(labels)
    origin = data.draw(st.permutations(range(len(fixed))))
    counts = Counter()
    moved = moved_entities(conll.spans(fixed), origin, counts)
    assert conll.first_error(moved) is None
    assert [label[2:] for label in moved] == [fixed[old][2:] for old in origin]
    pieces = Counter(kind for kind, *_ in conll.spans(moved))
    whole = Counter(kind for kind, *_ in conll.spans(fixed))
    assert all(pieces[kind] >= whole[kind] for kind in whole)
    assert (counts["entities_apart"] == 0) == (pieces == whole)


def test_two_entities_that_come_to_touch_stay_two():
    counts = Counter()
    assert moved_entities([Span("A", 0, 1), Span("A", 2, 3)], [0, 2, 1], counts) == ["B-A", "B-A", "O"]
    assert moved_entities([Span("A", 0, 2)], [0, 2, 1], counts) == ["B-A", "O", "B-A"]
    assert counts == {"entities": 3, "entities_apart": 1}


# Words of raw text: hand-worked cases; nothing but white space is lost.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't stop, well-known Mr. X!", "Don't stop , well-known Mr . X !"),
        ("It cost $1,000.50 (or 7%).", "It cost $ 1,000.50 ( or 7 % ) ."),
        ("„Ja“, sagte l’homme…", "„ Ja “ , sagte l’homme …"),
        ("हिन्दी में है।", "हिन्दी में है।"),
        ("a_b -- c-", "a _ b - - c -"),
    ],
)
def test_punctuation_is_split_off(text, expected):
    assert words(text, "punctuation") == expected.split()


def test_tokenised_text_is_split_at_white_space_and_any_otherwise_not():
    assert words(" Don't , @-@ stop \u00a0 x", "whitespace") == ["Don't", ",", "@-@", "stop", "x"]
    with pytest.raises(ConfigError, match="not 'bytes'"):
        words("a", "bytes")


@settings(deadline=None)
@example("a\u2028b\u202f!", "punctuation")  # white space among the signs
@given(st.text(max_size=40), st.sampled_from(["whitespace", "punctuation"]))
def test_every_character_but_white_space_is_in_one_word(text, splitting):
    found = list(places(text, splitting))
    assert all(text[start:end] == word for word, start, end in found)
    covered = [index for _, start, end in found for index in range(start, end)]
    assert covered == [index for index, character in enumerate(text) if not character.isspace()]
    assert [place.word for place in found] == words(text, splitting)
