"""The word-order model: features counted by hand, probabilities by brute force, training against finite
differences, observed frequencies and a grammar whose order is known."""

from collections import Counter
from dataclasses import replace
from itertools import permutations

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
    canonical_order,
    is_projective,
    nodes,
    structure,
)
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.conllu_trees import read_conllu
from texts import written

HEAD = Label("@NOUN", "@")
LABELS = [HEAD, Label("ADJ", "amod"), Label("ADJ", "amod"), Label("DET", "det"), Label("NOUN", "nmod")]


def features(order):
    """The features of a sequence of labels, written down independently of the package: name -> count."""
    found = Counter()
    head = order.index(HEAD)
    for level in ("both", "tag", "relation"):
        names = [f"{x.tag}&{x.relation}" if level == "both" else getattr(x, level) for x in order]
        framed = ["^", *names, "$"]
        for i in range(len(framed) - 1):
            found[f"next {level} {framed[i]} {framed[i + 1]}"] += 1
        for i in range(len(names)):
            for j in range(i + 1, len(names)):
                found[f"precede {level} {names[i]} {names[j]}"] += 1
                if i != head and j != head:
                    side = "before" if j < head else "after" if head < i else "around"
                    found[f"{side} {level} {names[i]} {names[j]}"] += 1
        if level == "both":
            for length in (3, 4, 5):
                for i in range(len(names) - length + 1):
                    found[f"chain both {' '.join(names[i : i + length])}"] += 1
    return found


def probabilities(model, kind, labels):
    """The probability of every order [n!] of labels, the head first."""
    cumulated = model.cumulated(kind, tuple(labels))
    return np.diff(cumulated, prepend=0.0) / cumulated[-1]


@settings(max_examples=25, deadline=None)
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


@settings(deadline=None)
@given(any_trees())
def test_projectivity_is_that_every_subtree_is_one_stretch(tree):
    stretches = [max(words) - min(words) + 1 == len(words) for words in subtrees(tree)]
    assert is_projective(tree) == all(stretches)


@settings(deadline=None)
@given(projective_trees())
def test_nodes_are_the_nouns_and_verbs_with_their_dependents(tree):
    assert is_projective(tree)
    for node in nodes(tree):
        (head,) = [i for i, label in zip(node.words, node.labels, strict=True) if label.relation == "@"]
        assert node.kind == {"VERB": "verb"}.get(tree.upos[head], "noun")
        assert {index for index in node.words if index != head} == {
            index for index, up in enumerate(tree.heads) if up == head + 1
        }
        assert all(":" not in label.relation for label in node.labels)
