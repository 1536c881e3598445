"""What any system must beat: the source as it is, and its words replaced one by one by an induced dictionary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction import RETRIEVALS


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
