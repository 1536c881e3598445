"""Shares of training data, and batches of similar length."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from crosslingua.errors import ConfigError
from crosslingua.io.conll import Scheme, TaggedSentence, read_conll
from crosslingua.io.decode import lowercase as lowercased
from crosslingua.nn.ragged import cut

SEED = 1


def shared_rows(size: int, part: float) -> np.ndarray:
    """Return sorted numbers of a random share of `size` sentences, at least one. ConfigError unless 0 < part <= 1."""
    if not 0 < part <= 1:
        raise ConfigError(f"a share of {part}: must be above 0, and at most 1")
    return np.sort(np.random.default_rng(SEED).permutation(size)[: max(1, round(part * size))])


def share_of(
    path: str | Path, scheme: Scheme, part: float, lowercase: bool, language: str = ""
) -> list[TaggedSentence]:
    """Return a share, 0 to 1, of a file's sentences, in their order. Raises InputError for a malformed file."""
    sentences = list(read_conll(path, scheme))
    chosen = [sentences[row] for row in shared_rows(len(sentences), part)]
    return [lowered(sentence, language) for sentence in chosen] if lowercase else chosen


def lowered(sentence: TaggedSentence, language: str = "") -> TaggedSentence:
    """Return a sentence with its words in lower case."""
    return replace(sentence, tokens=tuple(lowercased(word, language) for word in sentence.tokens))


POOL = 50  # batches whose rows are sorted together: enough for like lengths, few enough to stay random
TOKENS = 8192  # pieces, padding included, of a batch that is only read


def training_batches(
    lengths: np.ndarray, size: int, rng: np.random.Generator, groups: np.ndarray | None = None
) -> list[np.ndarray]:
    """Return all rows in random batches of `size` (the last of a pool may be smaller), in random order. Rows with the
    same number in `groups` (rows,) stay in one batch; then `size` is the mean.
    """
    if groups is not None:
        _, number, counts = np.unique(groups, return_inverse=True, return_counts=True)
        members = np.split(np.argsort(number, kind="stable"), np.cumsum(counts)[:-1])
        longest = np.array([lengths[rows].max() for rows in members])
        together = max(1, round(size / counts.mean()))
        return [
            np.concatenate([members[i] for i in some]) for some in training_batches(longest, together, rng)
        ]
    order = rng.permutation(len(lengths))
    batches: list[np.ndarray] = []
    for start in range(0, len(order), POOL * size):
        pool = order[start : start + POOL * size]
        pool = pool[np.argsort(lengths[pool], kind="stable")]
        batches += [pool[i : i + size] for i in range(0, len(pool), size)]
    return [batches[i] for i in rng.permutation(len(batches))]


def reading_batches(lengths: np.ndarray) -> list[np.ndarray]:
    """Return all rows by length, in batches of at most TOKENS pieces after padding (or of one row)."""
    return list(cut(np.argsort(lengths, kind="stable"), lengths, TOKENS))
