"""Labels move with their words; entities stay entities (align_mlm, appendix G.1)."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from crosslingua.corpora.derived.derivation import Derivation
from crosslingua.corpora.derived.files import derive_tagged, moved_entities
from crosslingua.corpora.derived.syntax import Inverted
from crosslingua.corpora.derived.transliteration import Transliteration
from crosslingua.io import conll
from crosslingua.io.conll import Span, TaggedSentence

TAGS = st.sampled_from(["O", "O", "B-A", "I-A", "B-B", "I-B"])
ROWS = st.lists(st.tuples(st.sampled_from(["x", "y", "z", "."]), TAGS), min_size=1, max_size=14)


def sentence(rows):
    tokens, tags = zip(*rows, strict=True)
    return TaggedSentence(tokens, tuple(conll.repair(tags)[0]), {"intent": "a", "text": "b"})


def derived(one, derivation, scheme="bio2"):
    return next(derive_tagged([one], derivation, scheme, Counter()))


def entities(one):
    return Counter(
        (kind, tuple(sorted(one.tokens[start:end]))) for kind, start, end in conll.spans(one.labels)
    )


@settings(deadline=None)
@given(ROWS)
def test_inversion_keeps_entities_and_twice_is_nothing(rows):
    before = sentence(rows)
    after = derived(before, Derivation(Inverted()))
    assert conll.first_error(after.labels) is None
    assert entities(after) == entities(before)
    again = derived(after, Derivation(Inverted()))
    assert (again.tokens, again.labels) == (before.tokens, before.labels)


@settings(deadline=None)
@given(ROWS)
def test_parts_of_speech_move_with_their_words(rows):
    tokens, tags = zip(*rows, strict=True)
    before = TaggedSentence(tokens, tags)
    map_ = Transliteration(1)
    after = derived(before, Derivation(Inverted(), map_), "plain")
    old = [(map_.original(token), tag) for token, tag in zip(after.tokens, after.labels, strict=True)]
    assert Counter(old) == Counter(rows)
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


def test_comments_stay_but_for_texts():
    after = derived(sentence([("x", "O")]), Derivation())
    assert after.comments == {"intent": "a"}


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
