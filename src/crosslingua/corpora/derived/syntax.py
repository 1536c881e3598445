"""Transformations of word order: inversion, and the dependents of nouns and verbs as another language orders them.

align_mlm (appendix F) follows Galactic Dependencies (Wang and Eisner 2016). The constituents of each noun and verb get
an order drawn from the target language's model; subtrees move as a whole.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise, permutations
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from scipy.sparse import csr_matrix

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.conllu_trees import Tree, read_conllu
from crosslingua.io.json import read_json, write_json

# Wang and Eisner (2016) order the dependents of nouns (common, proper and pronouns) and of verbs.
CLASSES = {"NOUN": "noun", "PROPN": "noun", "PRON": "noun", "VERB": "verb"}
HEAD = "@"


class Label(NamedTuple):
    """A constituent's part of speech and relation, without subtypes: `NOUN`, `nsubj`; of the head `@VERB`, `@`."""

    tag: str
    relation: str


class Node(NamedTuple):
    """A word with dependents: its class (noun, verb or None) and its constituents in their order, by word index."""

    kind: str | None
    words: tuple[int, ...]
    labels: tuple[Label, ...]


def dependents(tree: Tree) -> list[list[int]]:
    """Return the dependents of every word (0-based) in order, and the root's at index len(tree)."""
    children: list[list[int]] = [[] for _ in range(len(tree.forms) + 1)]
    for index, head in enumerate(tree.heads):
        children[head - 1].append(index)  # the root's head is 0: index -1
    return children


def node(tree: Tree, word: int, children: list[int]) -> Node:
    """Return a word and its dependents as they stand in the sentence."""
    words = tuple(sorted([*children, word]))
    labels = [Label(tree.upos[index], tree.relations[index].partition(":")[0]) for index in words]
    labels[words.index(word)] = Label(HEAD + tree.upos[word], HEAD)
    return Node(CLASSES.get(tree.upos[word]), words, tuple(labels))


def nodes(tree: Tree) -> Iterator[Node]:
    """Yield every noun and verb with dependents."""
    for word, children in enumerate(dependents(tree)[:-1]):
        if children and tree.upos[word] in CLASSES:
            yield node(tree, word, children)


def is_projective(tree: Tree) -> bool:
    """Whether every subtree is one stretch of words, so that moving subtrees keeps them in one piece."""
    size, low, high = [1] * len(tree.forms), list(range(len(tree.forms))), list(range(len(tree.forms)))
    for word in reversed(top_down(tree)):
        head = tree.heads[word] - 1
        if head >= 0:
            size[head] += size[word]
            low[head], high[head] = min(low[head], low[word]), max(high[head], high[word])
    return all(high[word] - low[word] + 1 == size[word] for word in range(len(size)))


def top_down(tree: Tree) -> list[int]:
    """Return the words, each after its head."""
    children = dependents(tree)
    order = list(children[-1])
    for word in order:  # grows while it is read
        order += children[word]
    return order


# The kinds of features: two adjacent constituents (the node's edges count as constituents); one anywhere before the
# other; both before the head, on both sides, or after the head; and chains of 3 to 5 adjacent constituents.
CHAINS = (3, 4, 5)
START, END = -2, -1  # the edges, as indices of constituents
Column = tuple[str, tuple[int, ...]]  # kind, constituents


class Structure:
    """The orders of n constituents: `orders` [n!, n] and, sparse, which columns each has.

    `pairs` [n!, pair columns] and `chains` [n!, chain columns] are the two kinds of columns. `pair_columns` and
    `chain_columns` list their (kind, constituents). `rank` finds an order's row.
    """

    def __init__(self, n: int):
        self.orders = np.array(list(permutations(range(n))), dtype=np.int8)
        self.rank = {tuple(order): row for row, order in enumerate(self.orders.tolist())}
        columns = [_columns(order) for order in self.orders.tolist()]
        self.pair_columns, self.pairs = _table([[c for c in row if c[0] != "chain"] for row in columns])
        self.chain_columns, self.chains = _table([[c for c in row if c[0] == "chain"] for row in columns])


def _table(rows: list[list[Column]]) -> tuple[list[Column], csr_matrix]:
    """Return the distinct columns and the 0/1 matrix of which row has which."""
    number: dict[Column, int] = {}
    cells = [(row, number.setdefault(c, len(number))) for row, columns in enumerate(rows) for c in columns]
    places = np.array(cells, dtype=np.int64).reshape(-1, 2).T
    shape = (len(rows), len(number))
    return list(number), csr_matrix((np.ones(places.shape[1]), (places[0], places[1])), shape=shape)


def _columns(order: list[int]) -> list[Column]:
    head = order.index(0)
    framed = [START, *order, END]
    columns = [("next", pair) for pair in pairwise(framed)]
    for i, first in enumerate(order):
        for j, second in enumerate(order[i + 1 :], i + 1):
            columns.append(("precede", (first, second)))
            if head not in (i, j):
                side = "before" if j < head else "after" if i > head else "around"
                columns.append((side, (first, second)))
    for length in CHAINS:
        columns += [("chain", tuple(order[i : i + length])) for i in range(len(order) - length + 1)]
    return columns


structure = lru_cache(maxsize=8)(Structure)  # made once for each n
FORMAT = "crosslingua word order 1"
LEVELS = ("both", "tag", "relation")  # what a feature sees of its labels; chains see both
EDGES = {START: "^", END: "$"}
Weights = Mapping[str, float]


def key(kind: str, level: str, names: Sequence[str]) -> str:
    """Return the name of a feature: `next tag ADJ @NOUN`, say."""
    return " ".join([kind, level, *names])


def name(label: Label, level: str) -> str:
    """Return what a level sees of a label."""
    return f"{label.tag}&{label.relation}" if level == "both" else getattr(label, level)


class OrderModel:
    """Log-linear weights of features: `weights["noun"]["next tag ADJ @NOUN"]` (Wang and Eisner 2016, section 5)."""

    def __init__(self, weights: Mapping[str, Weights]):
        self.weights = {kind: dict(weights.get(kind, {})) for kind in ("noun", "verb")}
        # The chains by their names alone: they are looked up most.
        self._chains = {
            kind: {tuple(k.split(" ")[2:]): weight for k, weight in weights.items() if k.startswith("chain ")}
            for kind, weights in self.weights.items()
        }
        self.cumulated = lru_cache(maxsize=4096)(self._cumulated)

    def sample(self, kind: str, labels: Sequence[Label], rng: np.random.Generator) -> list[int]:
        """Draw an order of the constituents: indices of `labels`, one of which is the head."""
        canonical = canonical_order(labels)
        cumulated = self.cumulated(kind, tuple(labels[index] for index in canonical))
        row = min(int(np.searchsorted(cumulated, rng.random() * cumulated[-1], "right")), len(cumulated) - 1)
        return [canonical[index] for index in structure(len(labels)).orders[row]]

    def _cumulated(self, kind: str, labels: tuple[Label, ...]) -> np.ndarray:
        """Return the cumulated exponentials of the sums of weights of every order [n!] of labels, the head first."""
        layout, weights = structure(len(labels)), self.weights[kind]
        pairs = np.zeros(len(layout.pair_columns))
        for level in LEVELS:
            names = {**EDGES, **{i: name(label, level) for i, label in enumerate(labels)}}
            for number, (feature, places) in enumerate(layout.pair_columns):
                pairs[number] += weights.get(key(feature, level, [names[i] for i in places]), 0.0)
        chains, names = self._chains[kind], [name(label, "both") for label in labels]
        columns = layout.chain_columns
        chained = np.array([chains.get(tuple([names[i] for i in places]), 0.0) for _, places in columns])
        scores = layout.pairs @ pairs + layout.chains @ chained
        return np.cumsum(np.exp(scores - scores.max()))

    def mixed_with(self, substrate: Self, share: float = 0.05) -> Self:
        """Return (1 - share) of this model and `share` of the source's own. ConfigError if it is not in [0, 1]."""
        if not 0 <= share <= 1:
            raise ConfigError(f"share {share} is not between 0 and 1")
        mixed = {}
        for kind, weights in self.weights.items():
            other = substrate.weights[kind]
            names = sorted({*weights, *other})
            mixed[kind] = {k: (1 - share) * weights.get(k, 0.0) + share * other.get(k, 0.0) for k in names}
        return OrderModel(mixed)

    def save(self, path: str | Path) -> None:
        """Write the model as JSON, features in order of their names."""
        weights = {kind: dict(sorted(weights.items())) for kind, weights in self.weights.items()}
        write_json(path, {"format": FORMAT, "weights": weights})

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a model. Raises InputError if the file is none."""
        document = read_json(path)
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise InputError(
                path, f"no word-order model ({FORMAT!r})", remedy="train one: crosslingua train-word-order"
            )
        return cls(document["weights"])


def canonical_order(labels: Sequence[Label]) -> list[int]:
    """Return the indices of labels with the head first, the others sorted; equal ones keep their order."""
    return sorted(range(len(labels)), key=lambda index: (labels[index].tag[0] != "@", labels[index], index))


LARGEST = 7  # constituents of a node that is permuted: 5,040 orders. The released treebanks stop there too


def permutation(tree: Tree, model: OrderModel, seed: int, counts: Counter[str]) -> list[int]:
    """Return the new order of a sentence's words, as their indices (0-based), drawn by the seed and the words alone.

    Counted: `sentences`, `not_projective` (as they are), `large_nodes` (in their order), `nodes` (permuted).
    """
    counts["sentences"] += 1
    if not is_projective(tree):
        counts["not_projective"] += 1
        return list(range(len(tree.forms)))
    digest = hashlib.blake2b("\0".join(tree.forms).encode(), digest_size=8).digest()
    rng = np.random.default_rng([seed, int.from_bytes(digest, "big")])
    children = dependents(tree)
    arranged: dict[int, list[int]] = {}  # a word and its dependents in their new order
    words = top_down(tree)
    for word in words:
        here = node(tree, word, children[word])
        order: Iterable[int] = range(len(here.words))
        if here.kind and children[word]:
            small = len(here.words) <= LARGEST
            counts["nodes" if small else "large_nodes"] += 1
            order = model.sample(here.kind, here.labels, rng) if small else order
        arranged[word] = [here.words[index] for index in order]
    spans: dict[int, list[int]] = {}
    for word in reversed(words):
        spans[word] = [i for part in arranged[word] for i in ([word] if part == word else spans.pop(part))]
    return [index for root in children[-1] for index in spans[root]]


def permuted(tree: Tree, order: Sequence[int]) -> Tree:
    """Return the tree with its words in another order, heads following their words, and without a comment `text`."""

    def moved(column: tuple) -> tuple:
        return tuple(column[i] for i in order) if column else ()

    new = {old: place for place, old in enumerate(order, 1)}
    heads = tuple(new[head - 1] if head else 0 for head in moved(tree.heads))
    comments = {key: value for key, value in tree.comments.items() if key != "text"}
    columns = moved(tree.forms), moved(tree.upos), heads, moved(tree.relations), moved(tree.xpos)
    return Tree(*columns, comments)


PERIOD = (".",)
WordRange = tuple[int, int]  # first word, and the one after the last


def inverted(words: Sequence[str], ends: Collection[str] = PERIOD) -> list[str]:
    """Return the words in their new order (fast, for text without labels)."""
    reordered: list[str] = []
    start = 0
    for index, word in enumerate(words):
        if word in ends:
            reordered += [*words[start:index][::-1], word]
            start = index + 1
    return [*reordered, *words[start:][::-1]]


def inversion(
    words: Sequence[str], ends: Collection[str] = PERIOD, together: Collection[WordRange] = ()
) -> list[int]:
    """Return the indices of `words`, each sentence reversed but for its period; applied twice it gives the old order.

    A period inside a span of `together` (an entity such as `J . Smith`, an answer) ends no sentence.
    """
    inside = {index for start, end in together if end - start > 1 for index in range(start, end)}
    order: list[int] = []
    start = 0
    for index, word in enumerate(words):
        if word in ends and index not in inside:
            order += [*range(index - 1, start - 1, -1), index]
            start = index + 1
    return [*order, *range(len(words) - 1, start - 1, -1)]


# From words, and spans that a sentence boundary must not cut, to the new order: indices of the words.
Order = Callable[[Sequence[str], Collection[WordRange]], list[int]]


class Inverted:
    """Every sentence in reverse, its period in place; see `inversion`."""

    def __init__(self, ends: Collection[str] = PERIOD):
        self.ends = frozenset(ends)

    def __call__(self, words: Sequence[str], together: Collection[WordRange] = ()) -> list[int]:
        """Return the new order."""
        return inversion(words, self.ends, together)


class Permuted:
    """Every sentence as a language's word order has it, by its tree; see `permutation`.

    Trees are looked up by their words: a text of several sentences needs the tree of each, else InputError.
    """

    def __init__(self, model: OrderModel, trees: Iterable[Tree], seed: int, counts: Counter[str]):
        self.model, self.seed, self.counts = model, seed, counts
        self.trees = {tree.forms: tree for tree in trees}
        self.longest = max(map(len, self.trees), default=0)

    def __call__(self, words: Sequence[str], together: Collection[WordRange] = ()) -> list[int]:
        """Return the new order."""
        order: list[int] = []
        start = 0
        while start < len(words):
            tree = self._tree(words, start)
            order += [start + index for index in self.order_of(tree)]
            start += len(tree.forms)
        return order

    def order_of(self, tree: Tree) -> list[int]:
        """Return the new order of a tree's words."""
        return permutation(tree, self.model, self.seed, self.counts)

    def _tree(self, words: Sequence[str], start: int) -> Tree:
        """Return the longest tree whose words begin at `start`."""
        for end in range(min(len(words), start + self.longest), start, -1):
            tree = self.trees.get(tuple(words[start:end]))
            if tree is not None:
                return tree
        raise InputError(
            "trees", f"no tree for: {' '.join(words[start : start + 12])} …",
            remedy="parse the sentences with the same words, and give the CoNLL-U file as --trees",
        )  # fmt: skip


def read_trees(paths: Iterable[str | Path], lowercase: bool = False) -> Iterable[Tree]:
    """Yield the trees of several CoNLL-U files; `lowercase`: with their words in lower case."""
    for path in paths:
        for tree in read_conllu(path):
            yield replace(tree, forms=tuple(map(str.lower, tree.forms))) if lowercase else tree
