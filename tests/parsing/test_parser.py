"""A parser learns a grammar that is there to be learnt, says so of held-out sentences, and comes back from its file."""

import copy
import itertools
import random

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from crosslingua.corpora.derived.files import sentences_of
from crosslingua.corpora.derived.syntax import is_projective
from crosslingua.errors import InputError
from crosslingua.io.conllu_trees import Tree, head_error
from crosslingua.parsing import parser
from crosslingua.parsing.parser import Parser, accuracies, projective_heads, train
from texts import written

NOUNS, VERBS, ADJECTIVES = ("dog", "cat", "bird", "owl"), ("sees", "likes"), ("big", "old", "red")


def phrase(rng, start, relation, head=None):
    """A determiner, perhaps adjectives, a noun; head of the noun is word `head`, else the next."""
    adjectives = rng.choices(ADJECTIVES, k=rng.randrange(3))
    noun = start + len(adjectives) + 2
    words = [("the", "DET", noun, "det"), *((a, "ADJ", noun, "amod") for a in adjectives)]
    return [*words, (rng.choice(NOUNS), "NOUN", head or noun + 1, relation)]


def sentence(rng):
    subject = phrase(rng, 0, "nsubj")
    verb = len(subject) + 1
    rows = [*subject, (rng.choice(VERBS), "VERB", 0, "root"), *phrase(rng, verb, "obj:it", verb)]
    return Tree(*zip(*rows, strict=True))


@pytest.fixture(scope="module")
def grammar():
    rng = random.Random(1)
    return [sentence(rng) for _ in range(300)]


@pytest.fixture(scope="module")
def trained(grammar):
    return train(grammar[:200], seed=1, epochs=4)


def test_the_grammar_is_learnt_and_an_untrained_parser_does_not_know_it(grammar, trained):
    found = accuracies(trained, grammar[200:])
    assert min(found.values()) > 98, found
    torch.manual_seed(1)
    nothing = accuracies(Parser(parser.vocabulary_of(grammar)), grammar[200:])
    assert max(nothing["las"], nothing["upos"]) < 40, nothing


def test_trees_are_projective_with_one_root_and_no_other_word_is_called_root(grammar, trained):
    odd = [("owl",) * 9, ("Zq", "7", "...", "the"), ("x",)]
    for words, tree in zip(odd, trained.parse(odd), strict=True):
        assert tree.forms == words
        assert is_projective(tree)
        assert [r == "root" for r in tree.relations] == [head == 0 for head in tree.heads]
        assert tree.heads.count(0) == 1


def test_the_same_trees_in_any_order_and_from_a_file(tmp_path, grammar, trained):
    forms = [tree.forms for tree in grammar[:40]]
    trained.save(tmp_path / "p.parser")
    again = Parser.load(tmp_path / "p.parser")
    assert again.parse(forms) == trained.parse(forms) == trained.parse(forms[::-1])[::-1]
    with pytest.raises(InputError, match=r"bad: no parser"):
        Parser.load(written(tmp_path / "bad", "nothing"))
    spoilt = copy.deepcopy(trained)
    with torch.no_grad():
        next(spoilt.network.parameters())[0] = float("nan")
    spoilt.save(tmp_path / "bad")
    with pytest.raises(InputError, match=r"bad: .* holds values that are no numbers"):
        Parser.load(tmp_path / "bad")
    save_file({"w": torch.zeros(2)}, tmp_path / "bad", metadata={"format": parser.FORMAT, "vocabulary": "{}"})
    with pytest.raises(InputError, match=r"bad: no parser \("):
        Parser.load(tmp_path / "bad")


def test_the_same_seed_makes_the_same_parser(grammar):
    one, other = (train(grammar[:20], seed=3, epochs=1).network.state_dict() for _ in range(2))
    assert all(torch.equal(one[name], other[name]) for name in one)
    with pytest.raises(InputError, match="1 trees are too few"):
        train(grammar[:1], seed=1)


def test_shapes_of_words():
    shapes = [parser.shape(form) for form in ["dog", "Dog", "UN", "I", "3rd", "--"]]
    assert shapes == ["lower", "capital", "upper", "capital", "digit", "other"]


def test_the_sentences_of_a_file_are_those_that_its_derivation_asks_for(tmp_path):
    tagged = written(tmp_path / "a.conll", "A\tO\nb\tO\n\nA\tO\nb\tO\n\nC\tB-PER\n\n")
    assert sentences_of("ner", tagged) == [("A", "b"), ("C",)]
    pairs = written(tmp_path / "a.tsv", "premise\thypothesis\tlabel\nHe's up.\tNo!\tneutral\n")
    assert sentences_of("nli", pairs, "punctuation")[1] == ("No", "!")
    assert sentences_of("text", written(tmp_path / "a.txt", "a b .\nc\na b .\n")) == [("a", "b", "."), ("c",)]


def trees(words):
    """Every projective tree of so many words with one root."""
    for heads in itertools.product(range(words + 1), repeat=words):
        if heads.count(0) == 1 and head_error(heads) is None:
            names = ("x",) * words
            if is_projective(Tree(names, names, heads, names)):
                yield heads


@pytest.mark.parametrize("words", [1, 2, 3, 4, 5])
def test_the_best_of_all_projective_trees(words):
    every = list(trees(words))
    assert len(every) == [1, 2, 7, 30, 143][words - 1]  # Yuret 1998: C(3n - 2, n - 1) / n
    for seed in range(20):
        scores = np.random.default_rng([words, seed]).normal(size=(words + 1, words + 1))
        totals = {heads: sum(scores[head, word] for word, head in enumerate(heads, 1)) for heads in every}
        assert tuple(projective_heads(scores)) == max(totals, key=totals.get)


def test_wrong_scores():
    with pytest.raises(ValueError, match="shape"):
        projective_heads(np.zeros((3, 2)))
    with pytest.raises(ValueError, match="not finite"):
        projective_heads(np.full((3, 3), np.nan))
