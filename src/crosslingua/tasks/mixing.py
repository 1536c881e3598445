"""Shares of training data: the rows that a share takes, and mixtures of tagged files."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from crosslingua.errors import ConfigError
from crosslingua.io.conll import Scheme, TaggedSentence, read_conll

SEED = 1


def shared_rows(size: int, part: float) -> np.ndarray:
    """Return the numbers, in order, of a random share of `size` sentences, at least one.

    Raises ConfigError unless 0 < part <= 1.
    """
    if not 0 < part <= 1:
        raise ConfigError(f"a share of {part}: must be above 0, and at most 1")
    return np.sort(np.random.default_rng(SEED).permutation(size)[: max(1, round(part * size))])


def share_of(path: str | Path, scheme: Scheme, part: float, lowercase: bool) -> list[TaggedSentence]:
    """Return a share, 0 to 1, of a file's sentences, in their order. Raises InputError for a malformed file."""
    sentences = list(read_conll(path, scheme))
    chosen = [sentences[row] for row in shared_rows(len(sentences), part)]
    return [lowered(sentence) for sentence in chosen] if lowercase else chosen


def lowered(sentence: TaggedSentence) -> TaggedSentence:
    """Return a sentence with its words in lower case."""
    return replace(sentence, tokens=tuple(word.lower() for word in sentence.tokens))
