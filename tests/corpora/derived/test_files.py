"""Derived files of every kind: answers at their offsets, one spelling across files, errors."""

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corpora.derived.trees import clause
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
from crosslingua.io.bitext import read_dictionary
from crosslingua.io.conll import Span, TaggedSentence, read_conll, write_conll
from crosslingua.io.conllu_trees import read_conllu, write_conllu
from crosslingua.io.pairs import SentencePair, read_pairs, write_pairs
from crosslingua.io.squad import Answer, Article, Paragraph, Question, questions, read_squad, write_squad
from crosslingua.tasks import kinds
from texts import written

MAP = Transliteration(4)


def article(context, *answers, question="Who?"):
    return Article("T", (Paragraph(context, (Question("q", question, tuple(answers)),)),))


def derive(one, derivation, splitting="punctuation"):
    counts = Counter()
    derived = derive_articles([one], derivation, counts, splitting)
    paragraph, question = next(questions(derived))
    for text, start in question.answers:
        assert paragraph.context[start : start + len(text)] == text
    return paragraph, question, counts


def even_places_first(found, together=()):
    """An order that pulls everything apart."""
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
    assert (question.answers, counts["answers_widened"]) == ((Answer("40-km", 2),), 1)


def test_answers_that_come_apart_are_dropped_with_their_question():
    counts = Counter()
    good = article("a b c d", Answer("a", 0)).paragraphs[0]
    torn = Paragraph("a b c d", (Question("r", "?", (Answer("a b", 0),)),))
    derived = derive_articles([Article("", (good, torn))], Derivation(even_places_first), counts)
    assert [question.id for _, question in questions(derived)] == ["q"]
    assert (counts["answers_apart"], counts["questions_dropped"]) == (1, 1)
    with pytest.raises(InputError, match="no answer is left"):
        derive_articles([Article("", (torn,))], Derivation(even_places_first), counts)


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
    assert (counts["answers"], counts["answers_apart"]) == (1190, 0)
    assert counts["answers_widened"] < 30
    write_squad(tmp_path / "q.json", derived)
    after = read_squad(tmp_path / "q.json")
    for (_, old), (_, new) in zip(questions(articles), questions(after), strict=True):
        own = words(old.answers[0].text, "punctuation")
        found = new.answers[0].text.split()
        if len(own) == len(found) and "." not in own:
            assert found == own[::-1] or sorted(found) != sorted(own)  # widened answers have other words


TAGS = st.sampled_from(["O", "O", "B-A", "I-A", "B-B", "I-B"])
ROWS = st.lists(st.tuples(st.sampled_from(["x", "y", "z", "."]), TAGS), min_size=1, max_size=14)


def sentence(rows):
    tokens, tags = zip(*rows, strict=True)
    return TaggedSentence(tokens, tuple(conll.repair(tags)[0]), {"intent": "a", "text": "b"})


def derived(one, derivation, scheme="bio2"):
    return next(derive_tagged([one], derivation, scheme, Counter()))


def entities(one):
    return Counter((kind, tuple(sorted(one.tokens[a:b]))) for kind, a, b in conll.spans(one.labels))


@given(ROWS)
def test_inversion_keeps_entities_and_twice_is_nothing(rows):
    """Entities stay entities, as in align_mlm's appendix G.1."""
    before = sentence(rows)
    after = derived(before, Derivation(Inverted()))
    assert conll.first_error(after.labels) is None
    assert entities(after) == entities(before)
    assert after.comments == {"intent": "a"}  # texts are others now
    again = derived(after, Derivation(Inverted()))
    assert (again.tokens, again.labels) == (before.tokens, before.labels)


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


@given(labels=st.lists(TAGS, min_size=1, max_size=10), data=st.data())
def test_any_order_gives_valid_tags_and_keeps_every_words_type(labels, data):
    fixed, _ = conll.repair(labels)
    origin = data.draw(st.permutations(range(len(fixed))))
    counts = Counter()
    moved = moved_entities(conll.spans(fixed), origin, counts)
    assert conll.first_error(moved) is None
    assert [label[2:] for label in moved] == [fixed[old][2:] for old in origin]
    pieces, whole = (Counter(kind for kind, *_ in conll.spans(tags)) for tags in (moved, fixed))
    assert pieces >= whole
    assert (counts["entities_apart"] == 0) == (pieces == whole)


def test_two_entities_that_come_to_touch_stay_two():
    counts = Counter()
    assert moved_entities([Span("A", 0, 1), Span("A", 2, 3)], [0, 2, 1], counts) == ["B-A", "B-A", "O"]
    assert moved_entities([Span("A", 0, 2)], [0, 2, 1], counts) == ["B-A", "O", "B-A"]
    assert counts == {"entities": 3, "entities_apart": 1}


@pytest.mark.parametrize(("text", "expected"), [
    ("Don't stop, well-known Mr. X!", "Don't stop , well-known Mr . X !"),
    ("It cost $1,000.50 (or 7%).", "It cost $ 1,000.50 ( or 7 % ) ."),
    ("„Ja“, sagte l’homme…", "„ Ja “ , sagte l’homme …"),
    ("हिन्दी में है।", "हिन्दी में है।"), ("a_b -- c-", "a _ b - - c -"),
])  # fmt: skip
def test_punctuation_is_split_off(text, expected):
    assert words(text, "punctuation") == expected.split()


def test_tokenised_text_is_split_at_white_space_and_any_otherwise_not():
    assert words(" Don't , @-@ stop \u00a0 x", "whitespace") == ["Don't", ",", "@-@", "stop", "x"]
    with pytest.raises(ConfigError, match="not 'bytes'"):
        words("a", "bytes")


@example("a\u2028b\u202f!", "punctuation")  # white space among the signs
@given(st.text(max_size=40), st.sampled_from(["whitespace", "punctuation"]))
def test_every_character_but_white_space_is_in_one_word(text, splitting):
    found = list(places(text, splitting))
    assert all(text[start:end] == word for word, start, end in found)
    covered = [index for _, start, end in found for index in range(start, end)]
    assert covered == [index for index, character in enumerate(text) if not character.isspace()]
    assert [place.word for place in found] == words(text, splitting)


@pytest.fixture
def derive_language(script, tmp_path):
    def run(transform, kind, source, *more, out="out"):
        named = ("--transform", transform, "--kind", kind, "--input", source, "--out", out)
        script("derive_language.py", *named, "--seed", 4, *more)
        return tmp_path / out

    return run


def spelled(text):
    return " ".join(map(MAP.word, text.split()))


def test_text_with_its_gold_dictionary(derive_language, tmp_path):
    source = written(tmp_path / "en.txt", "the cat sat . the end\n\nthe cat .\n")
    out = derive_language("trans_inv", "text", source, "--dictionary", "gold.txt", "--report", "report.json")
    lines = out.read_text(encoding="utf-8").split("\n")
    assert lines == list(map(spelled, ["sat cat the . end the", "", "cat the .", ""]))
    pairs = read_dictionary(tmp_path / "gold.txt")
    assert [source for source, _ in pairs] == ["the", ".", "cat", "end", "sat"]
    assert all(MAP.word(word) == derived for word, derived in pairs)
    found = json.loads((tmp_path / "report.json").read_text())
    assert (found["transform"], found["records"], found["types"]) == ("trans_inv", 3, 5)
    few = ("--overlap", 0.5, "--dictionary", "few.txt", "--dictionary-share", 0.5)
    half = derive_language("trans", "text", source, *few, out="half").read_text(encoding="utf-8")
    kept = Transliteration(4, overlap=0.5)
    changed = [word for word in ("the", ".", "cat", "end", "sat") if not kept.keeps(word)]
    assert len(read_dictionary(tmp_path / "few.txt")) == round(len(changed) / 2)
    assert half.split("\n")[2] == " ".join(map(kept.word, ("the", "cat", ".")))


def test_every_kind_of_task_data(derive_language, tmp_path):
    tagged = [TaggedSentence(("Ann", "Lee", "ran", "."), ("B-PER", "I-PER", "O", "O"), {"intent": "run"})]
    write_conll(tmp_path / "ner", tagged)
    for kind in ("ner", "slots"):
        (after,) = read_conll(derive_language("trans_inv", kind, tmp_path / "ner"))
        assert " ".join(after.tokens) == spelled("ran Lee Ann .")
        assert (after.labels, after.comments) == (("O", "B-PER", "I-PER", "O"), {"intent": "run"})
    write_conll(tmp_path / "pos", [TaggedSentence(("a", "cat"), ("DET", "NOUN"))])
    (after,) = read_conll(derive_language("inv", "pos", tmp_path / "pos"), scheme="plain")
    assert (after.tokens, after.labels) == (("cat", "a"), ("NOUN", "DET"))
    nli, paraphrase = (kinds.KINDS[kind].pairs for kind in ("nli", "paraphrase"))
    pairs = [SentencePair("It is.", "So it is.", "neutral"), SentencePair("A", "B", "entailment")]
    write_pairs(tmp_path / "nli", pairs, nli)
    after = read_pairs(derive_language("inv", "nli", tmp_path / "nli", "--words", "punctuation"), nli)
    assert list(after) == [SentencePair("is It .", "is it So .", "neutral"), pairs[1]]
    pairs = [SentencePair("a b", "b a", "1"), SentencePair("a", "b", "0")]
    write_pairs(tmp_path / "para", pairs, paraphrase)
    after = list(read_pairs(derive_language("trans", "paraphrase", tmp_path / "para"), paraphrase))
    assert after == [(spelled(one), spelled(other), label) for one, other, label in pairs]
    article = Article("T", (Paragraph("Ann ran far .", (Question("q", "Who ran ?", (Answer("Ann", 0),)),)),))
    write_squad(tmp_path / "qa", [article])
    ((paragraph, question),) = questions(read_squad(derive_language("inv", "qa", tmp_path / "qa")))
    assert (paragraph.context, question.answers) == ("far ran Ann .", (Answer("Ann", 8),))


@pytest.fixture
def order(script, tmp_path):
    """A learned verb-final order, made by the script."""
    rng = np.random.default_rng(5)
    for order in ("SOV", "SVO"):
        write_conllu(tmp_path / f"{order.lower()}.conllu", [clause(order, True, rng) for _ in range(80)])
    files = ("--input", "sov.conllu", "--source", "svo.conllu", "--out", "order.json")
    script("train_word_order.py", *files, "--report", "order.report.json")
    assert json.loads((tmp_path / "order.report.json").read_text())["target"]["trees"] == 80
    return tmp_path / "order.json"


def test_syntax_of_trees_text_and_tags(script, derive_language, tmp_path, order):
    source = tmp_path / "svo.conllu"
    trees = list(read_conllu(source))
    after = list(read_conllu(derive_language("syn", "trees", source, "--order", order, out="out.conllu")))
    assert sum(tree.upos[-1] == "VERB" for tree in after) > 70
    text = derive_language("trans_syn", "text", source, "--order", order)
    lines = text.read_text(encoding="utf-8").splitlines()
    assert lines == [spelled(" ".join(tree.forms)) for tree in after]
    write_conll(tmp_path / "pos", [TaggedSentence(tree.forms, tree.upos) for tree in trees])
    given = ("--order", order, "--trees", source)
    tagged = read_conll(derive_language("syn", "pos", tmp_path / "pos", *given), scheme="plain")
    assert [(s.tokens, s.labels) for s in tagged] == [(tree.forms, tree.upos) for tree in after]
    plan, outs = tmp_path / "plan.csv", [tmp_path / "first", tmp_path / "second"]
    plan.write_text("out\n" + "".join(f"{out}\n" for out in outs))  # trees are read once, and found twice
    common = ("--transform", "syn", "--kind", "pos", "--input", "pos", "--seed", 4)
    script("derive_language.py", *common, *given, "--cells", plan)
    assert outs[0].read_bytes() == outs[1].read_bytes() == (tmp_path / "out").read_bytes()


@pytest.mark.parametrize(("arguments", "message"), [
    (("--transform", "inv", "--dictionary", "d"), "--dictionary: inv changes no word"),
    (("--transform", "syn"), "--transform syn needs --order"),
    (("--transform", "syn", "--order", "x"), "--transform syn needs --trees"),
    (("--transform", "trans", "--overlap", "25"), "argument --overlap: 25: must be a number from 0 to 1"),
    (("--transform", "trans", "--input", "empty"), "empty: no lines"),
])  # fmt: skip
def test_wrong_options_and_no_text(script, tmp_path, arguments, message):
    (tmp_path / "a").write_text("a\n")
    (tmp_path / "empty").touch()
    common = ("--kind", "text", "--input", "a", "--out", "b", "--seed", 1)
    status = 2 if message.startswith("argument") else 1
    done = script("derive_language.py", *common, *arguments, status=status)
    assert f"error: {message}" in done.stderr
    assert not (tmp_path / "b").exists()


def test_several_files_are_derived_as_each_alone(script, derive_language, tmp_path):
    (tmp_path / "a").write_text("the cat sat .\n")
    (tmp_path / "b").write_text("a cat .\nthe end .\n")
    plan = written(tmp_path / "plan.csv", "input,out,report\na,a.out,a.report\nb,b.out,b.report\n")
    common = ("--transform", "trans_inv", "--kind", "text", "--seed", 4)
    script("derive_language.py", *common, "--cells", plan)
    for name, types in (("a", 4), ("b", 5)):
        alone = derive_language("trans_inv", "text", tmp_path / name, out="alone")
        assert (tmp_path / f"{name}.out").read_bytes() == alone.read_bytes()
        assert json.loads((tmp_path / f"{name}.report").read_text())["types"] == types
