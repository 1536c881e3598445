"""Trees written beside the data: the same sentences token by token, one root each, and data unchanged by it."""

import json
from collections import Counter

import pytest

from corpora.world.support import parse_conll
from crosslingua.corpora.derived.syntax import is_projective
from crosslingua.corpora.world.dependencies import Trees, ner_blocks
from crosslingua.corpora.world.nli import nli_blocks
from crosslingua.corpora.world.paraphrase import paraphrase_blocks
from crosslingua.corpora.world.slots import qa_blocks, slot_blocks
from crosslingua.corpora.world.text import text_blocks
from crosslingua.io.conllu_trees import read_conllu


def tagged(text):
    return [" ".join(token for token, _ in sentence) for sentence in parse_conll(text)]


def pairs(text):
    return [sentence for line in text.splitlines()[1:] for sentence in line.split("\t")[:2]]


KINDS = {
    "text": (text_blocks, str.splitlines),
    "ner": (ner_blocks, tagged),
    "slots": (slot_blocks, tagged),
    "nli": (nli_blocks, pairs),
    "paraphrase": (paraphrase_blocks, pairs),
}


def with_trees(written, make, world, code, n):
    """The data and the trees, made together; the data without trees is the same."""
    found: list[str] = []
    arguments = (world, code, n) if make is text_blocks else (world, code, "train", n)
    text = "".join(make(*arguments, trees=Trees(found.append, "x")))
    assert text == "".join(make(*arguments))
    return text, list(read_conllu(written(found)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("code", ["ana", "cor", "dax"])
def test_trees_are_those_of_the_sentences_in_their_order(world, written, kind, code):
    make, sentences = KINDS[kind]
    sizes = {"text": 5000, "paraphrase": 300}  # of short sentences in other words cor has few
    text, trees = with_trees(written, make, world, code, sizes.get(kind, 1500))
    assert [" ".join(tree.forms) for tree in trees] == sentences(text)
    for tree in trees:  # that heads make a tree is the reader's own check
        assert tree.heads.count(0) == 1
        assert [relation == "root" for relation in tree.relations] == [head == 0 for head in tree.heads]
    assert sum(map(is_projective, trees)) > 0.9 * len(trees)
    assert len({tree.comments["sent_id"] for tree in trees}) == len(trees)


@pytest.mark.parametrize("code", ["ana", "dax"])
def test_trees_of_passages_and_questions(world, written, code):
    text, trees = with_trees(written, qa_blocks, world, code, 100)
    paragraphs = [article["paragraphs"][0] for article in json.loads(text)["data"]]
    size = len(trees) // len(paragraphs)
    for number, paragraph in enumerate(paragraphs):
        *passage, question = [" ".join(tree.forms) for tree in trees[number * size : (number + 1) * size]]
        assert question == paragraph["qas"][0]["question"]
        assert Counter(" ".join(passage).split()) == Counter(paragraph["context"].split())
        assert all(sentence in paragraph["context"] for sentence in passage)


def test_a_premise_hangs_together_as_its_grammar_says(world, written):
    """Of the English-like language: articles before their nouns, subjects of the verb, the full stop of the root."""
    _, trees = with_trees(written, nli_blocks, world, "ana", 300)
    for tree in trees:
        root = tree.heads.index(0) + 1
        assert tree.heads[-1] == root
        assert tree.upos[root - 1] in ("VERB", "ADJ")
        for place, (head, relation) in enumerate(zip(tree.heads, tree.relations, strict=True), 1):
            if relation == "det":
                assert place < head
                assert tree.upos[head - 1] == "NOUN"
            if relation.startswith("nsubj"):
                assert head == root or tree.relations[head - 1] == "conj"  # of the second clause
