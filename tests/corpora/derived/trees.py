"""Random dependency trees for property tests, and a small grammar whose word order is known."""

import numpy as np
from hypothesis import strategies as st

from crosslingua.io.conllu_trees import Tree

TAGS = ("NOUN", "VERB", "PROPN", "ADJ", "DET", "PUNCT")
RELATIONS = ("nsubj", "obj", "amod", "det", "nmod:poss")


@st.composite
def projective_trees(draw, most=9):
    """A projective tree: words are put into a stack of spans, each of which gets a head inside."""
    size = draw(st.integers(1, most))
    heads = [0] * size

    def attach(low, high, head):
        if low >= high:
            return
        root = draw(st.integers(low, high - 1))
        heads[root] = head
        for start, end in ((low, root), (root + 1, high)):
            cut = draw(st.integers(start, end)) if start < end else start
            attach(start, cut, root + 1)
            attach(cut, end, root + 1)

    attach(0, size, 0)
    words = tuple(f"w{index}" for index in range(size))
    tags = tuple(draw(st.sampled_from(TAGS)) for _ in words)
    return Tree(words, tags, tuple(heads), tuple(draw(st.sampled_from(RELATIONS)) for _ in words))


@st.composite
def any_trees(draw, most=8):
    """A tree over words in any order: each word's head comes earlier in a random order."""
    size = draw(st.integers(1, most))
    order = draw(st.permutations(range(size)))
    heads = [0] * size
    for place, word in enumerate(order[1:], 1):
        heads[word] = order[draw(st.integers(0, place - 1))] + 1
    words = tuple(f"w{index}" for index in range(size))
    return Tree(words, ("NOUN",) * size, tuple(heads), ("dep",) * size)


def clause(order: str, adjective_first: bool, rng: np.random.Generator) -> Tree:
    """A clause of subject, verb and object in an order such as "SOV"; some nouns have a determiner, an adjective."""
    words: list[tuple[str, str, str, str]] = []  # form, tag, relation, name of the head

    def phrase(name, relation):
        adjective = [(f"adj{name}", "ADJ", "amod", name)] if rng.random() < 0.6 else []
        determiner = [(f"det{name}", "DET", "det", name)] if rng.random() < 0.5 else []
        noun = [(name, "NOUN", relation, "V")]
        inner = [*adjective, *noun] if adjective_first else [*noun, *adjective]
        words.extend([*determiner, *inner])

    for letter in order:
        if letter == "V":
            words.append(("V", "VERB", "root", ""))
        else:
            phrase(letter, {"S": "nsubj", "O": "obj"}[letter])
    place = {form: index for index, (form, *_) in enumerate(words, 1)}
    forms, tags, relations, heads = zip(*words, strict=True)
    return Tree(forms, tags, tuple(place.get(head, 0) for head in heads), relations)


def subtrees(tree: Tree) -> list[set[int]]:
    """The words of every subtree, by following heads (slowly)."""
    found = []
    for root in range(len(tree.forms)):
        words = set()
        for word in range(len(tree.forms)):
            up = word
            while up >= 0 and up != root:
                up = tree.heads[up] - 1
            if up == root:
                words.add(word)
        found.append(words)
    return found
