"""Labelled sentences: formats, splits, and the score of a baseline that only memorises."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from seqeval.metrics import accuracy_score, f1_score

from corpora.world.support import memorise, parse_conll, parse_conllu, read_context, sentences_of
from crosslingua.corpora.world.concepts import INTENTS, LABELS
from crosslingua.corpora.world.dependencies import bio, conll, ner_blocks, treebank_blocks
from crosslingua.corpora.world.slots import slot_blocks
from crosslingua.errors import ConfigError
from crosslingua.io.conll import read_conll
from crosslingua.io.conllu_trees import read_conllu

CODES = ("ana", "cor", "dax")
UPOS = {
    "NOUN", "VERB", "ADJ", "ADV", "PROPN", "DET", "ADP", "NUM", "PRON", "AUX", "CCONJ", "SCONJ", "PART", "PUNCT",
}  # fmt: skip


def ner(world, code, split, n):
    return parse_conll("".join(ner_blocks(world, code, split, n)))


def slots(world, code, split, n, **options):
    return parse_conll("".join(slot_blocks(world, code, split, n, **options)))


def pos(world, code, split, n):
    trees = parse_conllu("".join(treebank_blocks(world, code, split, n)))
    return [[(word.form, word.upos) for word in tree] for tree in trees]


def labels(sentences):
    return [[label for _, label in sentence] for sentence in sentences]


def test_bio_begins_where_sentence_span_or_kind_changes():
    kind, span, row = np.array([[1, 1, 1, 2, 0, 2, 2], [0, 0, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0, 1]])
    assert bio(kind, span, row, ["X", "Y"]).tolist() == ["B-X", "I-X", "B-X", "B-Y", "O", "B-Y", "B-Y"]


def test_conll_lines():
    words, tags = np.array(["a", "b", "c"], object), np.array(["O", "B-X", "O"], object)
    lines = conll(words, tags, np.array([2, 1]), ["k = 1", "k = 2"])
    assert lines == "# k = 1\na\tO\nb\tB-X\n\n# k = 2\nc\tO\n\n"


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("kind", [ner_blocks, slot_blocks])
def test_the_library_reads_tagged_data(world, written, kind, code):
    text = "".join(kind(world, code, "valid", 600))
    sentences = list(read_conll(written([text])))
    assert len(sentences) == 600
    assert [list(sentence.labels) for sentence in sentences] == labels(parse_conll(text))


@pytest.mark.parametrize("code", CODES)
def test_the_library_reads_trees(world, written, code):
    trees = list(read_conllu(written(treebank_blocks(world, code, "valid", 300))))
    assert len(trees) == 300


@pytest.mark.parametrize("draw", [ner, pos, slots])
def test_splits_share_no_sentence_and_are_prefixes(world, draw):
    parts = {split: draw(world, "ber", split, 2500) for split in ("train", "valid", "test")}
    sets = {split: sentences_of(part) for split, part in parts.items()}
    assert all(len(part) == 2500 for part in parts.values())
    assert all(one.isdisjoint(other) for one, other in combinations(sets.values(), 2))
    assert draw(world, "ber", "test", 300) == parts["test"][:300]


def test_unknown_split_or_variant_is_refused(world):
    with pytest.raises(ConfigError, match="train, valid, test"):
        next(ner_blocks(world, "ana", "dev", 10))
    with pytest.raises(ConfigError, match="translated, independent"):
        next(slot_blocks(world, "ana", "test", 10, variant="parallel"))


@pytest.mark.parametrize("code", CODES)
def test_ner_is_learnt_from_context_not_by_heart(world, code):
    train, test = ner(world, code, "train", 2500), ner(world, code, "test", 600)
    gold = labels(test)
    kinds = Counter(label[2:] for sentence in gold for label in sentence if label.startswith("B-"))
    assert set(kinds) == {"PER", "LOC", "ORG", "MISC"}
    assert min(kinds.values()) > 0.05 * kinds.total()
    by_heart = f1_score(gold, memorise(train, test, "O"))
    assert by_heart < 0.45
    assert f1_score(gold, read_context(train, test)) > by_heart + 0.12


def test_most_names_of_the_test_are_new_and_some_are_ambiguous(world):
    def names(split):
        tagged = ner(world, "ana", split, 2500)
        return {(token, tag[2:]) for sentence in tagged for token, tag in sentence if tag.startswith("B-")}

    train, test = names("train"), names("test")
    seen = {token for token, _ in train}
    assert np.mean([token not in seen for token, _ in test]) > 0.4
    kinds = Counter(token for token, _ in train)
    assert np.mean([count > 1 for count in kinds.values()]) > 0.1


@pytest.mark.parametrize("code", CODES)
def test_parts_of_speech_are_learnt_from_context_not_by_heart(world, code):
    train, test = pos(world, code, "train", 2000), pos(world, code, "test", 500)
    gold = labels(test)
    assert {label for sentence in gold for label in sentence} <= UPOS
    by_heart = accuracy_score(gold, memorise(train, test, "NOUN"))
    assert by_heart < 0.93
    assert accuracy_score(gold, read_context(train, test)) > by_heart + 0.02


def test_slots_are_learnt_from_context_not_by_heart(world):
    train, test = slots(world, "ana", "train", 2000), slots(world, "ana", "test", 500)
    gold = labels(test)
    by_heart = f1_score(gold, memorise(train, test, "O"))
    assert by_heart < 0.7
    assert f1_score(gold, read_context(train, test)) > by_heart + 0.2
    assert {label[2:] for sentence in gold for label in sentence if label != "O"} == set(LABELS)


def intents(world, code, split, n, **options):
    text = "".join(slot_blocks(world, code, split, n, **options))
    return [line.removeprefix("# intent = ") for line in text.splitlines() if line.startswith("# ")]


def test_intents_cover_five_domains_and_follow_no_majority(world):
    found = Counter(intents(world, "ana", "train", 2000))
    assert set(found) == {intent.name for intent in INTENTS}
    assert len({intent.domain for intent in INTENTS}) == 5
    assert found.most_common(1)[0][1] < 0.25 * found.total()


def spans(sentence):
    return Counter(label[2:] for _, label in sentence if label.startswith("B-"))


def test_translated_commands_are_parallel_and_independent_ones_are_not(world):
    def of(code, variant):
        kinds, tagged = (made(world, code, "test", 400, variant=variant) for made in (intents, slots))
        return list(zip(kinds, map(spans, tagged), strict=True))

    assert of("ana", "translated") == of("cor", "translated") == of("dax", "translated")
    same = [a == b for a, b in zip(of("ana", "independent"), of("cor", "independent"), strict=True)]
    assert np.mean(same) < 0.3


def test_habits_differ_where_the_domain_is_shifted(world):
    def shares(code):
        found = Counter(intents(world, code, "train", 2000))
        return np.array([found[intent.name] / 2000 for intent in INTENTS])

    assert np.abs(shares("dax") - shares("ana")).sum() > np.abs(shares("ana") - 1 / len(INTENTS)).sum() + 0.1
