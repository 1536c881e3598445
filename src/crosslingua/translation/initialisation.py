"""The table of word vectors that training starts from: align, joint, joint_align, duong differ in nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crosslingua.errors import InputError
from crosslingua.io.vectors import WordVectors
from crosslingua.translation.vocabulary import SIDES, Vocabulary


def initial_table(
    vocabulary: Vocabulary, vectors: Sequence[WordVectors], seed: int, *, centre: bool = False
) -> np.ndarray:
    """Return the table (rows, d) float32; every row is of unit length.

    A word takes its language's vector. One that its language has none for takes the other language's (reallocation
    gives a word to the language that uses it; the other may still cite it), and one that neither has a random one.
    `centre` takes the mean of all words off each, and brings it to unit length again.
    Raises InputError where the languages' vectors differ in dimensions.
    """
    if vectors[0].dimension != vectors[1].dimension:
        raise InputError(
            "vectors", f"{vectors[0].dimension} and {vectors[1].dimension} dimensions: no common space"
        )
    rng = np.random.default_rng([seed, 1])
    table = _unit(rng.normal(size=(vocabulary.size, vectors[0].dimension)).astype(np.float32))
    known = np.zeros(vocabulary.size, bool)
    for side in reversed(SIDES):  # the first language's vector of a shared word stands
        for word, row in vocabulary.rows[side].items():
            found = next((v[word] for v in (vectors[side], vectors[1 - side]) if word in v), None)
            if found is not None:
                table[row], known[row] = found, True
    if known.any():
        table[known] = _unit(table[known])
    if centre and known.any():
        table[known] = _unit(table[known] - table[known].mean(0))
    return table


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


def covered(vocabulary: Vocabulary, vectors: Sequence[WordVectors]) -> list[float]:
    """Return, for each language, the share of its words in percent that its vectors hold."""
    return [
        100
        * sum(word in vectors[side] for word in vocabulary.rows[side])
        / max(1, len(vocabulary.rows[side]))
        for side in SIDES
    ]
