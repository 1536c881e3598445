"""What any system must beat: the source as it is, and its words replaced one by one by an induced dictionary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction import RETRIEVALS
from crosslingua.translation.vocabulary import FIRST, SIDES, UNKNOWN, Vocabulary


def word_by_word(lines: Iterable[str], dictionary: Mapping[str, str]) -> list[str]:
    """Replace every word by its translation; a word that the dictionary lacks stays."""
    return [" ".join(dictionary.get(word, word) for word in line.split()) for line in lines]


def induced_dictionary(
    source: WordVectors, target: WordVectors, words: Iterable[str], retrieval: str = "csls"
) -> dict[str, str]:
    """Return the best of all target words for each of `words` that has a vector; `retrieval` is csls or nn."""
    rows = sorted({source.index[word] for word in words if word in source})
    if not rows:
        return {}
    best, _ = RETRIEVALS[retrieval](source.matrix, target.matrix, rows, k=1)
    return {source.words[row]: target.words[found] for row, found in zip(rows, best[:, 0], strict=True)}


def word_rows(vocabulary: Vocabulary, vectors: Sequence[WordVectors]) -> list[np.ndarray]:
    """Return, for each language, the row of every row's translation (rows,) by the dictionary that `vectors` induce.

    A word that has none stays, or is unknown where the other language does not know it.
    """
    found = []
    for side in SIDES:
        rows, others = vocabulary.rows[side], vocabulary.rows[1 - side]
        dictionary = induced_dictionary(vectors[side], vectors[1 - side], rows)
        translated = np.full(vocabulary.size, UNKNOWN)
        translated[:FIRST] = np.arange(FIRST)
        for word, row in rows.items():
            translated[row] = others.get(dictionary.get(word, word), UNKNOWN)
        found.append(translated)
    return found
