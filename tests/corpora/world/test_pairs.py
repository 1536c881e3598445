"""Inference and paraphrase pairs: labels that follow from the events, and no shortcut that gives them away."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from crosslingua.corpora.world import nli, paraphrase
from crosslingua.corpora.world.concepts import ADJUNCTS, NOUN_CLASSES
from crosslingua.corpora.world.edits import Editor
from crosslingua.corpora.world.nli import matched
from crosslingua.io.pairs import read_pairs
from crosslingua.tasks import kinds

ROLES = ("subject", "object", *ADJUNCTS)
PARTS = ("head", "second", "adjective", "numeral", "modifier", "owner", "adposition", "plural")
KINDS = {"nli": nli.nli_blocks, "paraphrase": paraphrase.paraphrase_blocks}


def rows(blocks):
    header, *lines = [line.split("\t") for line in "".join(blocks).splitlines()]
    return header, lines


def parts(world, kind):
    return {
        split: rows(KINDS[kind](world, "ana", split, n))[1] for split, n in (("train", 3000), ("test", 1200))
    }


@pytest.fixture(scope="module")
def nli_rows(world):
    return parts(world, "nli")


@pytest.fixture(scope="module")
def paraphrase_rows(world):
    return parts(world, "paraphrase")


@pytest.mark.parametrize("code", ["cor", "dax"])
@pytest.mark.parametrize("kind", KINDS)
def test_format_balance_and_prefix(world, written, kind, code):
    n = 600 if kind == "nli" else 200  # paraphrases of short sentences are rare in cor
    blocks = list(KINDS[kind](world, code, "valid", n))
    header, lines = rows(blocks)
    columns = ("premise", "hypothesis") if kind == "nli" else ("sentence1", "sentence2")
    assert header == [*columns, "label"]
    counts = Counter(label for *_, label in lines)
    assert len(lines) == n
    assert max(counts.values()) - min(counts.values()) < 0.06 * n
    assert set(counts) == ({"entailment", "neutral", "contradiction"} if kind == "nli" else {"0", "1"})
    assert len(list(read_pairs(written(blocks), kinds.KINDS[kind].pairs))) == n
    assert rows(KINDS[kind](world, code, "valid", 100))[1] == lines[:100]


def test_splits_share_no_hypothesis_or_first_sentence(nli_rows, paraphrase_rows):
    for found, column in ((nli_rows, 1), (paraphrase_rows, 0)):
        train, test = ({row[column] for row in found[split]} for split in ("train", "test"))
        assert not train & test
    train, test = ({s for row in paraphrase_rows[split] for s in row[:2]} for split in ("train", "test"))
    assert not train & test  # an exchanged sentence is the second one of another pair


def words_score(found, text):
    """Accuracy of a linear model of words and word pairs of `text(row)`."""
    vectoriser = CountVectorizer(token_pattern=r"\S+", ngram_range=(1, 2))
    model = LogisticRegression(C=0.3, max_iter=200)
    model.fit(vectoriser.fit_transform(map(text, found["train"])), [row[2] for row in found["train"]])
    return model.score(vectoriser.transform(map(text, found["test"])), [row[2] for row in found["test"]])


def overlap_score(found):
    """Accuracy of a decision tree that sees lengths and how many words are shared."""

    def features(row):
        first, second = (set(sentence.split(" ")) for sentence in row[:2])
        lengths = [len(sentence.split(" ")) for sentence in row[:2]]
        return [*lengths, len(first & second), len(first - second), len(second - first)]

    model = DecisionTreeClassifier(max_depth=6, random_state=0)
    model.fit([features(row) for row in found["train"]], [row[2] for row in found["train"]])
    return model.score([features(row) for row in found["test"]], [row[2] for row in found["test"]])


def test_nli_shortcuts_are_near_chance_and_reading_both_sentences_is_not(nli_rows):
    assert words_score(nli_rows, lambda row: row[1]) < 1 / 3 + 0.08
    assert words_score(nli_rows, lambda row: row[0]) < 1 / 3 + 0.14
    assert overlap_score(nli_rows) < 1 / 3 + 0.12

    def changes(row):
        first, second = (set(sentence.split(" ")) for sentence in row[:2])
        return " ".join([*(f"-{word}" for word in first - second), *(f"+{word}" for word in second - first)])

    assert words_score(nli_rows, changes) > 0.55


def test_a_paraphrase_and_an_adversary_of_each_first_sentence_follow_each_other(paraphrase_rows):
    for first, second in zip(paraphrase_rows["test"][0::2], paraphrase_rows["test"][1::2], strict=True):
        assert first[0] == second[0]
        assert first[1] != second[1]
        assert {first[2], second[2]} == {"0", "1"}
        assert first[0] not in (first[1], second[1])
    first_labels = Counter(row[2] for row in paraphrase_rows["test"][0::2])
    assert min(first_labels.values()) > 0.4 * 600  # in either order


def test_bags_of_words_say_nothing_of_paraphrases_and_neighbours_do(paraphrase_rows):
    def one_sided(row, sides=(0, 1)):
        words = [set(row[side].split(" ")) for side in sides]
        return " ".join([*(f"-{w}" for w in words[0] - words[1]), *(f"+{w}" for w in words[1] - words[0])])

    def pairs_lost(row):  # pairs of neighbours of either sentence that the other lacks
        words = [row[side].split(" ") for side in (0, 1)]
        first, second = ({*pairwise(one)} for one in words)
        return f"lost{len(first - second)} new{len(second - first)}"

    assert words_score(paraphrase_rows, lambda row: row[0]) == 0.5  # has both labels
    # what is likely to be said
    assert words_score(paraphrase_rows, lambda row: row[1]) == pytest.approx(0.5, abs=0.05)
    assert words_score(paraphrase_rows, one_sided) < 0.55
    assert overlap_score(paraphrase_rows) < 0.55
    assert words_score(paraphrase_rows, pairs_lost) > 0.7  # what must succeed
    words = [[sentence.split() for sentence in row[:2]] for row in paraphrase_rows["test"]]
    shared = [len({*first} & {*second}) / len({*first} | {*second}) for first, second in words]
    assert np.mean(shared) > 0.6


def facts(batch, i):
    """What clause i says: role -> (head, adjective, numeral, ...), whatever its voice."""
    names = ["verb", "predicate", "adverb"]
    names += [f"{role}.{part}" for role in ROLES if batch[f"{role}.head"][i] >= 0 for part in PARTS]
    return {name: int(batch[name][i]) for name in names if batch[name][i] >= 0}


def covers(hypernym, general, special):
    """Whether every fact of `general` is one of `special`, or is its hypernym."""
    return all(
        key in special and (special[key] == value or hypernym.get(special[key]) == value)
        for key, value in general.items()
    )


def test_nli_labels_follow_from_the_facts(world):
    """A brute-force prover on the events: an independent reading of what each label means."""
    nouns = world.concepts.nouns
    hypernym = {int(noun): int(nouns[name][0]) for name in NOUN_CLASSES for noun in nouns[name][1:]}
    antonym = world.concepts.antonym
    rng = world.stream("test")
    editor = Editor(world.knowledge, rng)
    topics = rng.integers(0, world.family.world.topics, 1500)
    premise, hypothesis, label = nli.sample_pairs(editor, rng, topics)
    assert set(label) == {0, 1, 2}
    for i in range(len(label)):
        p, h = facts(premise, i), facts(hypothesis, i)
        denied = premise["negated"][i], hypothesis["negated"][i]
        if denied[0] == denied[1]:
            general, special = (p, h) if denied[0] else (h, p)
            entailed = covers(hypernym, general, special)
            keys = {"verb", "predicate", "subject.numeral", "object.numeral"} & p.keys() & h.keys()
            opposed = any(
                p[key] != h[key] and (antonym[p[key]] == h[key] or key.endswith("numeral")) for key in keys
            )
            found = nli.CONTRADICTION if opposed else nli.ENTAILMENT if entailed else nli.NEUTRAL
        else:  # one denies what the other says
            denier, teller = (p, h) if denied[0] else (h, p)
            found = nli.CONTRADICTION if covers(hypernym, denier, teller) else nli.NEUTRAL
        assert found == label[i], (p, h, denied)


def test_paraphrase_labels_follow_from_the_facts(world):
    rng = world.stream("test")
    topics = rng.integers(0, world.family.world.topics, 1500)
    first, second, label = paraphrase.sample_paraphrases(Editor(world.knowledge, rng), rng, topics)
    for i in range(len(label)):
        assert (facts(first, i) == facts(second, i)) == bool(label[i])


def test_matching_equalises_labels_in_every_cell():
    rng = np.random.default_rng(1)
    labels, cells = rng.integers(0, 3, 3000), rng.integers(0, 20, 3000)
    kept = matched(labels, cells, 3)
    assert (np.diff(kept) > 0).all()
    for cell in range(20):
        counts = np.bincount(labels[kept][cells[kept] == cell], minlength=3)
        assert len(set(counts)) == 1
        assert counts[0] == np.bincount(labels[cells == cell], minlength=3).min()
