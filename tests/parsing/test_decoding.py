"""Projective decoding against enumeration of all trees."""

import itertools

import numpy as np
import pytest

from crosslingua.corpora.derived.syntax import is_projective
from crosslingua.io.conllu_trees import Tree, head_error
from crosslingua.parsing.parser import projective_heads


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
