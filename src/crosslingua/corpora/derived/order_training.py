"""Learn a language's word order from a treebank: the conditional likelihood of Wang and Eisner (2016), by L-BFGS.

They train without a penalty, by ten passes of AdaGrad. Here a small L2 penalty makes the optimum unique, whatever the
order of sentences.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from crosslingua.corpora.derived.syntax import (
    CHAINS,
    EDGES,
    END,
    LEVELS,
    START,
    Label,
    OrderModel,
    canonical_order,
    is_projective,
    key,
    name,
    nodes,
    structure,
)
from crosslingua.errors import InputError
from crosslingua.io.conllu_trees import Tree

LARGEST = 6  # constituents of a node that is learned from: all 720 orders are summed over
FREQUENT = 0.1  # share of the chains, the most frequent ones, that become features
Labels = tuple[Label, ...]


@dataclass
class Observed:
    """How often each order of each set of constituents was seen: `orders[labels][row of the structure]`."""

    orders: dict[Labels, Counter[int]]
    chains: Counter[tuple[str, ...]]


def observe(trees: Iterable[Tree], counts: Counter[str]) -> dict[str, Observed]:
    """Collect the orders of nouns' and verbs' constituents in projective trees.

    Counted: `trees`, `not_projective` (left out, as in the paper), `nodes`, `large_nodes` (left out).
    """
    observed = {kind: Observed({}, Counter()) for kind in ("noun", "verb")}
    for tree in trees:
        counts["trees"] += 1
        if not is_projective(tree):
            counts["not_projective"] += 1
            continue
        for node in nodes(tree):
            if len(node.labels) > LARGEST:
                counts["large_nodes"] += 1
                continue
            counts["nodes"] += 1
            seen, labels, canonical = observed[node.kind], node.labels, canonical_order(node.labels)
            row = structure(len(labels)).rank[tuple(canonical.index(index) for index in range(len(labels)))]
            seen.orders.setdefault(tuple(labels[index] for index in canonical), Counter())[row] += 1
            names = [name(label, "both") for label in labels]
            for length in CHAINS:
                seen.chains.update(tuple(names[i : i + length]) for i in range(len(names) - length + 1))
    return observed


@dataclass
class _Group:
    """All sets of n constituents and what was seen of them.

    `features` [sets, pair columns, levels] numbers the features of pairs. `chains` lists (set, chain column, feature)
    of chain features. `orders` [sets, n!] counts each observed order.
    """

    n: int
    features: np.ndarray
    chains: np.ndarray
    orders: np.ndarray


def train(trees: Iterable[Tree], l2: float = 3.0, iterations: int = 200) -> tuple[OrderModel, Counter[str]]:
    """Return the word order of a treebank, and what was counted on the way (see `observe`).

    `l2` is the penalty on half the squared weights, summed over all nodes of a class. Raises InputError if the
    treebank has no node with dependents of a class.
    """
    counts: Counter[str] = Counter()
    weights = {}
    for kind, seen in observe(trees, counts).items():
        if not seen.orders:
            raise InputError("treebank", f"no {kind} with dependents", remedy="give a treebank in UD's tags")
        weights[kind] = _fit(seen, l2, iterations)
        counts[f"{kind}_features"] = len(weights[kind])
    return OrderModel(weights), counts


def _fit(seen: Observed, l2: float, iterations: int) -> dict[str, float]:
    kept = max(1, round(FREQUENT * len(seen.chains))) if seen.chains else 0
    ranked = sorted(seen.chains, key=lambda chain: (-seen.chains[chain], chain))
    numbers: dict[str, int] = {key("chain", "both", chain): i for i, chain in enumerate(ranked[:kept])}
    groups = [_group(n, seen, numbers) for n in range(2, LARGEST + 1)]
    groups = [group for group in groups if len(group.orders)]

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = 0.5 * l2 * weights @ weights, l2 * weights
        for group in groups:
            lost, slope = _group_loss(group, weights)
            value, gradient = value + lost, gradient + slope
        return value, gradient

    start, options = np.zeros(len(numbers)), {"maxiter": iterations}
    result = minimize(loss, start, jac=True, method="L-BFGS-B", options=options)
    fitted = zip(numbers, result.x, strict=True)
    return {feature: float(weight) for feature, weight in fitted if abs(weight) > 1e-6}


def _group(n: int, seen: Observed, numbers: dict[str, int]) -> _Group:
    """Number the features of all sets of n constituents; every pair that some order has is a feature."""
    layout = structure(n)
    sets = [labels for labels in seen.orders if len(labels) == n]
    features = np.empty((len(sets), len(layout.pair_columns), len(LEVELS)), dtype=np.int32)
    orders = np.zeros((len(sets), len(layout.orders)))
    chains = []
    for row, labels in enumerate(sets):
        for level, level_name in enumerate(LEVELS):
            names = [*(name(label, level_name) for label in labels), EDGES[START], EDGES[END]]
            for column, (kind, places) in enumerate(layout.pair_columns):
                feature = key(kind, level_name, [names[i] for i in places])
                features[row, column, level] = numbers.setdefault(feature, len(numbers))
        names = [name(label, "both") for label in labels]
        for column, (kind, places) in enumerate(layout.chain_columns):
            number = numbers.get(key(kind, "both", [names[i] for i in places]))
            if number is not None:
                chains.append((row, column, number))
        for order, count in seen.orders[labels].items():
            orders[row, order] += count
    return _Group(n, features, np.array(chains, dtype=np.int64).reshape(-1, 3), orders)


def _group_loss(group: _Group, weights: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the negative log-likelihood of the group's orders and its gradient."""
    layout = structure(group.n)
    scores = (layout.pairs @ weights[group.features].sum(axis=2).T).T  # [sets, orders]
    rows, columns, numbers = group.chains.T
    shape = (len(scores), len(layout.chain_columns))
    chain_weights = csr_matrix((weights[numbers], (rows, columns)), shape=shape)
    scores += (chain_weights @ layout.chains.T).toarray()
    top = scores.max(axis=1, keepdims=True)
    exp = np.exp(scores - top)
    partition = exp.sum(axis=1, keepdims=True)
    totals = group.orders.sum(axis=1, keepdims=True)
    lost = (totals * (top + np.log(partition))).sum() - (group.orders * scores).sum()
    surplus = (exp / partition * totals - group.orders).T  # expected less observed, [orders, sets]
    slope = np.repeat((layout.pairs.T @ surplus).T[:, :, None], len(LEVELS), axis=2)
    gradient = np.bincount(group.features.ravel(), weights=slope.ravel(), minlength=len(weights))
    chain_slope = (layout.chains.T @ surplus)[columns, rows]
    return float(lost), gradient + np.bincount(numbers, weights=chain_slope, minlength=len(weights))
