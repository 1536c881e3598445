"""The syntax transformation: the same tree, subtrees in one piece, the order of the target language."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.derived.trees import any_trees, clause, projective_trees, subtrees
from crosslingua.corpora.derived.order_training import train
from crosslingua.corpora.derived.syntax import (
    OrderModel,
    Permuted,
    inversion,
    inverted,
    is_projective,
    permutation,
    permuted,
)
from crosslingua.errors import InputError
from crosslingua.io.conllu_trees import Tree, read_conllu

ANY = OrderModel({})  # all orders are equally likely


@settings(max_examples=150, deadline=None)
@given(tree=projective_trees(), seed=st.integers(0, 9))
def test_the_permuted_tree_is_the_same_tree_and_projective(tree, seed):
    order = permutation(tree, ANY, seed, Counter())
    after = permuted(tree, order)
    assert sorted(order) == list(range(len(tree.forms)))

    def arcs(one):
        return {
            (form, one.forms[head - 1] if head else "", tag, relation)
            for form, head, tag, relation in zip(one.forms, one.heads, one.upos, one.relations, strict=True)
        }

    assert arcs(after) == arcs(tree)
    assert is_projective(after)
    for words in subtrees(after):
        assert max(words) - min(words) + 1 == len(words)
    assert order == permutation(tree, ANY, seed, Counter())


@settings(deadline=None)
@given(any_trees())
def test_a_tree_that_is_not_projective_stays_as_it_is(tree):
    counts = Counter()
    order = permutation(tree, ANY, 1, counts)
    assert counts["not_projective"] == (not is_projective(tree))
    if counts["not_projective"]:
        assert order == list(range(len(tree.forms)))


def test_only_dependents_of_nouns_and_verbs_are_permuted():
    tree = Tree(("x", "y", "z", "h"), ("ADV", "ADV", "ADV", "ADJ"), (4, 4, 4, 0), ("advmod",) * 3 + ("root",))
    assert all(permutation(tree, ANY, seed, Counter()) == [0, 1, 2, 3] for seed in range(20))


def test_a_node_with_more_than_seven_constituents_keeps_its_order():
    forms = tuple("abcdefgh")
    tree = Tree(forms, ("NOUN",) * 7 + ("VERB",), (8,) * 7 + (0,), ("obj",) * 7 + ("root",))
    counts = Counter()
    assert permutation(tree, ANY, 1, counts) == list(range(8))
    assert counts == {"sentences": 1, "large_nodes": 1}
    smaller = Tree(forms[1:], ("NOUN",) * 6 + ("VERB",), (7,) * 6 + (0,), ("obj",) * 6 + ("root",))
    assert any(permutation(smaller, ANY, seed, Counter()) != list(range(7)) for seed in range(3))


def test_draws_depend_on_seed_and_words_alone():
    tree = clause("SVO", True, np.random.default_rng(0))
    assert len({tuple(permutation(tree, ANY, seed, Counter())) for seed in range(40)}) > 5


def test_english_like_clauses_become_turkish_like():
    rng = np.random.default_rng(1)
    target, _ = train([clause("SOV", True, rng) for _ in range(150)], l2=0.1)
    source, _ = train([clause("SVO", True, rng) for _ in range(150)], l2=0.1)
    model, trees = target.mixed_with(source), [clause("SVO", True, rng) for _ in range(200)]
    after = [permuted(tree, permutation(tree, model, 7, Counter())) for tree in trees]
    assert sum(tree.upos[-1] == "VERB" for tree in after) > 190


def before_the_verb(trees):
    """The share of objects of verbs that stand before them."""
    found = [
        index < tree.heads[index] - 1
        for tree in trees
        for index, relation in enumerate(tree.relations)
        if relation == "obj" and tree.upos[tree.heads[index] - 1] == "VERB"
    ]
    return sum(found) / len(found)


def test_real_english_takes_the_order_of_real_turkish(mirror):
    turkish = list(read_conllu(mirror / "ud-pud" / "tr_pud-ud-test.conllu"))[:300]
    english = list(read_conllu(mirror / "ud-english-partut" / "en_partut-ud-train.conllu"))[:300]
    model, _ = train(turkish, iterations=60)
    after = [permuted(tree, permutation(tree, model, 1, Counter())) for tree in english]
    assert before_the_verb(english) < 0.1
    assert before_the_verb(turkish) > 0.9
    assert before_the_verb(after) > 0.6


def test_texts_of_several_sentences_are_looked_up_tree_by_tree():
    one = Tree(("a", "b"), ("DET", "NOUN"), (2, 0), ("det", "root"))
    other = Tree(("c", "."), ("VERB", "PUNCT"), (0, 1), ("root", "punct"))
    order = Permuted(ANY, [one, other], 1, Counter())
    expected = [*permutation(other, ANY, 1, Counter()), *(2 + i for i in permutation(one, ANY, 1, Counter()))]
    assert order(["c", ".", "a", "b"]) == expected
    with pytest.raises(InputError, match=r"no tree for: x y …"):
        order(["a", "b", "x", "y"])


def test_comments_about_the_old_text_are_left_out():
    tree = Tree(("a",), ("X",), (0,), ("root",), ("_",), {"text": "a", "sent_id": "1"})
    assert permuted(tree, [0]).comments == {"sent_id": "1"}


# Inversion: the examples of align_mlm's table 9, twice is nothing, spans stay whole.


SENTENCES = st.lists(st.sampled_from(["a", "b", "c", ".", "!"]), max_size=20)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Welcome to ACL", "ACL to Welcome"),
        ("I am Sam . I am", "Sam am I . am I"),
        ("One . Two three . .", "One . three Two . ."),
        ("", ""),
        (".", "."),
        ("Is it ?", "? it Is"),
    ],
)
def test_hand_worked(text, expected):
    assert " ".join(inverted(text.split())) == expected
    assert " ".join(inverted(["Is", "it", "?", "Yes", "!", "So"], {".", "?", "!"})) == "it Is ? Yes ! So"


@settings(deadline=None)
@given(SENTENCES)
def test_twice_is_nothing_and_both_ways_agree(words):
    order = inversion(words)
    assert sorted(order) == list(range(len(words)))
    assert [words[index] for index in order] == inverted(words)
    assert inverted(inverted(words)) == words
    assert [word == "." for word in inverted(words)] == [word == "." for word in words]


@settings(deadline=None)
@given(words=SENTENCES, data=st.data())
def test_spans_stay_together_and_twice_is_still_nothing(words, data):
    cuts = sorted(data.draw(st.sets(st.integers(0, len(words)), max_size=8)))
    spans = list(zip(cuts[::2], cuts[1::2], strict=False))
    order = inversion(words, together=spans)
    moved = []
    for start, end in spans:
        places = [place for place, old in enumerate(order) if start <= old < end]
        assert places == list(range(places[0], places[0] + len(places)))
        turned = [order[place] for place in places] == list(range(end - 1, start - 1, -1))
        assert turned or "." in words[start:end]
        moved.append((places[0], places[-1] + 1))
    again = inversion([words[index] for index in order], together=moved)
    assert [order[index] for index in again] == list(range(len(words)))


def test_a_period_inside_a_span_ends_no_sentence():
    words = ["Dr", ".", "Who", "slept", ".", "He", "woke"]
    for together, expected in (([(0, 3)], "slept Who . Dr . woke He"), ([], "Dr . slept Who . woke He")):
        assert " ".join(words[index] for index in inversion(words, together=together)) == expected
