"""The statistics of a pair's card: sizes of texts and dictionary, how far words are shared, how alike spaces are."""

from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from crosslingua.errors import InputError
from crosslingua.io.bitext import Pair
from crosslingua.io.decode import decoded_lines, is_word, tokens_of
from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction.retrieval import nearest, unit_rows

BEGINNING = 50_000  # words of a text that the type-token ratio is of: it falls with length
FREQUENT = 1_000  # words of a space that are compared with another's: each text of 65,000 words has as many
ENERGY = 0.9  # share of the sum of eigenvalues that the compared ones reach

Counts = Mapping[str, int]


def card_statistics(
    texts: Sequence[str | Path],
    counts: Sequence[Counts],
    train: Iterable[Pair],
    test: Iterable[Pair],
    min_count: int,
    vectors: Sequence[WordVectors] | None = None,
) -> dict[str, Any]:
    """Return the `statistics` of a card from two prepared texts, their word counts and the pairs of two dictionaries.
    Words have a letter: punctuation and numbers, which all languages share, do not count.

    Dictionary words are source words which, like a translation, have a vector. Before training, without `vectors`,
    these are the words with `min_count` occurrences, and `eigen_similarity` is None. Raises InputError as the readers.
    """
    known: Sequence[Container[str]] = vectors or [
        {word for word, n in one.items() if n >= min_count} for one in counts
    ]
    counts = [{word: n for word, n in one.items() if is_word(word)} for one in counts]
    return {
        "text_words": [sum(one.values()) for one in counts],
        "text_types": [len(one) for one in counts],
        "type_token_ratio": [type_token_ratio(text) for text in texts],
        "spelt_alike": spelt_alike(counts[0], counts[1], min_count),
        "train_words": covered_words(train, *known),
        "test_words": covered_words(test, *known),
        "eigen_similarity": eigen_similarity(vectors[0], vectors[1]) if vectors else None,
    }


def type_token_ratio(text: str | Path) -> float:
    """Return distinct words by words of the first 50,000 words of a prepared text. InputError for no words."""
    tokens = chain.from_iterable(map(tokens_of, decoded_lines(text)))
    words = list(islice(filter(is_word, tokens), BEGINNING))
    if not words:
        raise InputError(text, "the text has no words", remedy="prepare it: crosslingua prepare-text")
    return len(set(words)) / len(words)


def spelt_alike(source: Counts, target: Counts, min_count: int) -> float:
    """Return in percent the words of both texts that stand in the other text `min_count` times or more."""
    shared = sum(
        n for own, other in ((source, target), (target, source)) for word, n in own.items()
        if other.get(word, 0) >= min_count
    )  # fmt: skip
    return 100 * shared / (sum(source.values()) + sum(target.values()))


def covered_words(pairs: Iterable[Pair], source: Container[str], target: Container[str]) -> int:
    """Return how many distinct source words of a dictionary are in `source` with a translation in `target`."""
    return len({one for one, other in pairs if one in source and other in target})


def eigen_similarity(source: WordVectors, target: WordVectors, words: int = FREQUENT) -> float | None:
    """Return how far the nearest-neighbour graphs of two spaces are from having one spectrum, 0 for equal spectra.

    It is the sum of squared differences of the k largest eigenvalues of the graphs' Laplacians. k is the smaller of
    the numbers that reach 90 % of the sum of either graph (Søgaard, Ruder and Vulić 2018). A graph links
    each of the `words` most frequent words with its nearest neighbour. None where a space has fewer words: the sum
    grows with them.
    """
    if min(len(source), len(target)) < words:
        return None
    return spectral_difference(*(spectrum(neighbour_graph(one.matrix[:words])) for one in (source, target)))


def neighbour_graph(matrix: np.ndarray) -> np.ndarray:
    """Return the symmetric adjacency (n, n) that links each row of `matrix` (n, d) with the row of highest cosine,
    after scaling to length 1 and centring.
    """
    unit = unit_rows(matrix)
    centred = unit - unit.mean(axis=0, dtype=np.float64)
    found, _ = nearest(centred, centred, k=2)
    rows = np.arange(len(matrix))
    other = np.where(
        found[:, 0] == rows, found[:, 1], found[:, 0]
    )  # equal vectors may come before the row itself
    adjacency = np.zeros((len(matrix), len(matrix)))
    adjacency[rows, other] = adjacency[other, rows] = 1
    return adjacency


def spectrum(adjacency: np.ndarray) -> np.ndarray:
    """Return the eigenvalues (n,) of the Laplacian, degrees less adjacency (n, n), largest first."""
    from scipy.linalg import eigvalsh
    from scipy.sparse.csgraph import connected_components

    laplacian = np.diag(adjacency.sum(axis=0)) - adjacency
    _, parts = connected_components(adjacency, directed=False)  # small ones, each with eigenvalues of its own
    rows = np.split(np.argsort(parts, kind="stable"), np.cumsum(np.bincount(parts))[:-1])
    return np.sort(np.concatenate([eigvalsh(laplacian[np.ix_(own, own)]) for own in rows]))[::-1]


def spectral_difference(one: np.ndarray, other: np.ndarray) -> float:
    """Return the sum of squared differences of the first k eigenvalues (`eigen_similarity`)."""
    k = 1 + min(int(np.argmax(np.cumsum(each) >= ENERGY * each.sum() - 1e-9)) for each in (one, other))
    return float(((one[:k] - other[:k]) ** 2).sum())
