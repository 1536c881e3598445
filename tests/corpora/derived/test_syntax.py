"""The syntax transformation and its word-order model: brute force, finite differences and a known grammar."""

from collections import Counter
from dataclasses import replace
from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.derived.trees import any_trees, clause, projective_trees, subtrees
from crosslingua.corpora.derived import order_training
from crosslingua.corpora.derived.order_training import observe, train
from crosslingua.corpora.derived.syntax import (
    Label,
    OrderModel,
    Permuted,
    canonical_order,
    inversion,
    inverted,
    is_projective,
    nodes,
    permutation,
    permuted,
    structure,
)
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.conllu_trees import Tree, read_conllu
from texts import written

ANY = OrderModel({})  # all orders are equally likely
HEAD = Label("@NOUN", "@")
LABELS = [HEAD, Label("ADJ", "amod"), Label("ADJ", "amod"), Label("DET", "det"), Label("NOUN", "nmod")]


@settings(max_examples=150)
@given(tree=projective_trees(), seed=st.integers(0, 9))
def test_the_permuted_tree_is_the_same_tree_and_projective(tree, seed):
    order = permutation(tree, ANY, seed, Counter())
    after = permuted(tree, order)
    assert sorted(order) == list(range(len(tree.forms)))

    def arcs(one):
        heads = [one.forms[head - 1] if head else "" for head in one.heads]
        return set(zip(one.forms, heads, one.upos, one.relations, strict=True))

    assert arcs(after) == arcs(tree)
    assert is_projective(after)
    assert order == permutation(tree, ANY, seed, Counter())


@given(any_trees())
def test_a_tree_that_is_not_projective_stays_as_it_is(tree):
    counts = Counter()
    order = permutation(tree, ANY, 1, counts)
    assert counts["not_projective"] == (not is_projective(tree))
    assert is_projective(tree) or order == list(range(len(tree.forms)))


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
        place < head for tree in trees
        for place, (head, relation) in enumerate(zip(tree.heads, tree.relations, strict=True), 1)
        if relation == "obj" and tree.upos[head - 1] == "VERB"
    ]  # fmt: skip
    return np.mean(found)


def test_real_english_takes_the_order_of_real_turkish(mirror):
    turkish = list(read_conllu(mirror / "ud-pud" / "tr_pud-ud-test.conllu"))[:300]
    english = list(read_conllu(mirror / "ud-english-partut" / "en_partut-ud-train.conllu"))[:300]
    model, _ = train(turkish, iterations=60)
    after = [permuted(tree, permutation(tree, model, 1, Counter())) for tree in english]
    assert before_the_verb(english) < 0.1 < 0.9 < before_the_verb(turkish)
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


SENTENCES = st.lists(st.sampled_from(["a", "b", "c", ".", "!"]), max_size=20)


@pytest.mark.parametrize(("text", "expected"), [
    ("Welcome to ACL", "ACL to Welcome"), ("I am Sam . I am", "Sam am I . am I"),
    ("One . Two three . .", "One . three Two . ."),
    ("", ""), (".", "."), ("Is it ?", "? it Is"),
])  # fmt: skip
def test_inversion_of_examples_as_in_table_9_of_align_mlm(text, expected):
    assert " ".join(inverted(text.split())) == expected
    assert " ".join(inverted(["Is", "it", "?", "Yes", "!", "So"], {".", "?", "!"})) == "it Is ? Yes ! So"


@given(SENTENCES)
def test_twice_is_nothing_and_both_ways_agree(words):
    order = inversion(words)
    assert sorted(order) == list(range(len(words)))
    assert [words[index] for index in order] == inverted(words)
    assert inverted(inverted(words)) == words
    assert [word == "." for word in inverted(words)] == [word == "." for word in words]


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


def features(order):
    """The features of a sequence of labels, written down independently of the package: name -> count."""
    found = Counter()
    head = order.index(HEAD)
    for level in ("both", "tag", "relation"):
        names = [f"{x.tag}&{x.relation}" if level == "both" else getattr(x, level) for x in order]
        found.update(f"next {level} {one} {other}" for one, other in pairwise(["^", *names, "$"]))
        for i, j in combinations(range(len(names)), 2):
            found[f"precede {level} {names[i]} {names[j]}"] += 1
            if head not in (i, j):
                side = "before" if j < head else "after" if head < i else "around"
                found[f"{side} {level} {names[i]} {names[j]}"] += 1
        if level == "both":
            chains = [names[i : i + length] for length in (3, 4, 5) for i in range(len(names) - length + 1)]
            found.update(f"chain both {' '.join(chain)}" for chain in chains)
    return found


def probabilities(model, kind, labels):
    """The probability of every order [n!] of labels, the head first."""
    cumulated = model.cumulated(kind, tuple(labels))
    return np.diff(cumulated, prepend=0.0) / cumulated[-1]


@settings(max_examples=25)
@given(size=st.integers(2, 5), seed=st.integers(0, 1000))
def test_probabilities_are_those_of_the_brute_force(size, seed):
    rng = np.random.default_rng(seed)
    labels = LABELS[:size]
    labels = [labels[index] for index in canonical_order(labels)]
    rows = list(permutations(range(size)))
    counted = [features([labels[index] for index in row]) for row in rows]
    weights = {name: rng.normal() for name in sorted(set().union(*counted)) if rng.random() < 0.7}
    scores = np.array([sum(weights.get(k, 0) * n for k, n in found.items()) for found in counted])
    expected = np.exp(scores) / np.exp(scores).sum()
    assert [tuple(order) for order in structure(size).orders] == rows
    model = OrderModel({"noun": weights})
    np.testing.assert_allclose(probabilities(model, "noun", labels), expected, atol=1e-12)


def test_samples_follow_the_probabilities():
    weights = {"precede relation amod @": 1.3, "next tag ^ DET": 2.0}
    model, rng = OrderModel({"noun": weights}), np.random.default_rng(0)
    labels = [Label("DET", "det"), HEAD, Label("ADJ", "amod")]
    drawn = Counter(tuple(model.sample("noun", labels, rng)) for _ in range(4000))
    canonical = canonical_order(labels)
    expected = probabilities(model, "noun", [labels[index] for index in canonical])
    for order, probability in zip(structure(3).orders, expected, strict=True):
        share = drawn[tuple(canonical[index] for index in order)] / 4000
        assert abs(share - probability) < 4 * np.sqrt(probability * (1 - probability) / 4000) + 1e-9


def test_gradient_is_that_of_finite_differences():
    rng = np.random.default_rng(1)
    trees = [clause(order, first, rng) for order in ("SVO", "SOV", "VSO") for first in (True, False)]
    seen = observe(trees, Counter())["noun"]
    names = dict.fromkeys(f"chain both {' '.join(chain)}" for chain in seen.chains)
    numbers = {name: number for number, name in enumerate(names)}
    groups = [order_training._group(n, seen, numbers) for n in range(2, 4)]
    weights = rng.normal(size=len(numbers)) * 0.5
    for group in (group for group in groups if len(group.orders)):
        _, gradient = order_training._group_loss(group, weights)
        for index in rng.choice(len(weights), 25, replace=False):
            step = np.zeros_like(weights)
            step[index] = 1e-5
            up, down = (order_training._group_loss(group, weights + sign * step)[0] for sign in (1, -1))
            assert gradient[index] == pytest.approx((up - down) / 2e-5, abs=1e-4)


def test_without_penalty_one_kind_of_node_gets_its_observed_frequencies():
    rng = np.random.default_rng(2)
    trees = [clause("SOV", first, rng) for first in [True] * 30 + [False] * 10]
    model, _ = train(trees, l2=1e-6, iterations=2000)
    seen = observe(trees, Counter())["noun"].orders
    labels = next(labels for labels in seen if [label.tag for label in labels] == ["@NOUN", "ADJ"])
    expected = [seen[labels][row] / seen[labels].total() for row in range(2)]
    np.testing.assert_allclose(probabilities(model, "noun", labels), expected, atol=0.02)


def test_a_known_order_is_learned():
    rng = np.random.default_rng(3)
    model, counts = train([clause("SOV", False, rng) for _ in range(60)])
    assert counts["trees"] == 60
    verb = [Label("@VERB", "@"), Label("NOUN", "nsubj"), Label("NOUN", "obj")]
    best = structure(3).orders[probabilities(model, "verb", verb).argmax()]
    assert [verb[index].relation for index in best] == ["nsubj", "obj", "@"]
    noun = [HEAD._replace(tag="@PROPN"), Label("ADJ", "amod"), Label("DET", "det")]  # backs off from NOUN
    best = structure(3).orders[probabilities(model, "noun", noun).argmax()]
    assert [noun[index].relation for index in best] == ["det", "@", "amod"]


def test_real_treebanks_are_predicted_better_than_by_chance(mirror):
    trees = list(read_conllu(mirror / "ud-pud" / "tr_pud-ud-test.conllu"))[:360]
    model, counts = train(trees[:280], iterations=60)
    assert counts["not_projective"] > 0
    held_out = observe(trees[280:], Counter())
    for kind, most in (("noun", 0.45), ("verb", 0.55)):  # bits, relative to a uniform choice
        bits = uniform = 0.0
        for labels, orders in held_out[kind].orders.items():
            of_orders = probabilities(model, kind, labels)
            bits -= sum(count * np.log2(of_orders[row]) for row, count in orders.items())
            uniform += orders.total() * np.log2(len(of_orders))
        assert bits / uniform < most


def test_mixing_and_saving(tmp_path):
    target, source = OrderModel({"noun": {"a": 1.0, "b": 2.0}}), OrderModel({"noun": {"b": -2.0, "c": 4.0}})
    mixed = target.mixed_with(source, 0.25)
    assert mixed.weights["noun"] == {"a": 0.75, "b": 1.0, "c": 1.0}
    mixed.save(tmp_path / "m.json")
    assert OrderModel.load(tmp_path / "m.json").weights == mixed.weights
    with pytest.raises(ConfigError, match="share 2"):
        target.mixed_with(source, 2)
    with pytest.raises(InputError, match="no word-order model"):
        OrderModel.load(written(tmp_path / "n.json", "{}"))


def test_a_treebank_without_verbs_is_refused():
    tree = clause("SOV", False, np.random.default_rng(3))
    with pytest.raises(InputError, match="no verb with dependents"):
        train([replace(tree, upos=("NOUN",) * len(tree.forms))])


@given(any_trees())
def test_projectivity_is_that_every_subtree_is_one_stretch(tree):
    assert is_projective(tree) == all(max(part) - min(part) + 1 == len(part) for part in subtrees(tree))


@given(projective_trees())
def test_nodes_are_the_nouns_and_verbs_with_their_dependents(tree):
    assert is_projective(tree)
    for node in nodes(tree):
        (head,) = [i for i, label in zip(node.words, node.labels, strict=True) if label.relation == "@"]
        assert node.kind == {"VERB": "verb"}.get(tree.upos[head], "noun")
        dependents = {index for index, up in enumerate(tree.heads) if up == head + 1}
        assert {*node.words} - {head} == dependents
        assert all(":" not in label.relation for label in node.labels)
