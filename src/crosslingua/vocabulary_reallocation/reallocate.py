"""Divide a joint vocabulary into source-only, target-only and shared words (joint_align, section 3.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from crosslingua.errors import ConfigError


@dataclass(frozen=True)
class Division:
    """Three disjoint sets over a joint vocabulary, as arrays of row indices into it.

    `source` and `shared` (and likewise `target` and `shared`) together are what a language can look up.
    """

    source: np.ndarray
    target: np.ndarray
    shared: np.ndarray


def by_occurrence(counts_source: np.ndarray, counts_target: np.ndarray) -> Division:
    """Divide by occurrence alone (section 2.2): shared are the words that both corpora hold at least once.

    Arguments are the (n,) counts of the joint vocabulary's words in either corpus.
    """
    in_source, in_target = counts_source > 0, counts_target > 0
    return Division(
        source=np.flatnonzero(in_source & ~in_target),
        target=np.flatnonzero(in_target & ~in_source),
        shared=np.flatnonzero(in_source & in_target),
    )


def by_ratio(
    counts_source: np.ndarray, counts_target: np.ndarray, tokens_source: int, tokens_target: int, gamma: float
) -> Division:
    """Reallocate: shared stays what has (1 - gamma) / gamma <= r <= gamma / (1 - gamma) (Eq. 6).

    r = (T_target / T_source) * (C_source(w) / C_target(w)) (Eq. 5): T are the totals of the whole corpora, C the (n,)
    counts of the vocabulary's words. Any other word goes to the language where it is relatively more frequent. Raises
    ConfigError unless 0.5 <= gamma < 1.
    """
    if not 0.5 <= gamma < 1:
        raise ConfigError(
            f"gamma {gamma}: must be at least 0.5 and below 1 (Eq. 6 leaves no interval otherwise)"
        )
    # Eq. 6 in whole numbers, so that a word on the very edge is not moved by rounding: with gamma = p / q,
    # r < (q - p) / p  <=>  C_source T_target p < C_target T_source (q - p), and likewise above.
    p, q = Fraction(repr(gamma)).as_integer_ratio()
    source = counts_source.astype(object) * tokens_target
    target = counts_target.astype(object) * tokens_source
    seen = (counts_source > 0) | (counts_target > 0)
    too_low = (source * p < target * (q - p)).astype(bool)
    too_high = (source * (q - p) > target * p).astype(bool)
    return Division(
        source=np.flatnonzero(seen & too_high),
        target=np.flatnonzero(seen & too_low),
        shared=np.flatnonzero(seen & ~too_low & ~too_high),
    )


def count_array(words: Sequence[str], counts: Mapping[str, int]) -> np.ndarray:
    """Return the (n,) counts of `words`, 0 for a word that is not counted."""
    return np.fromiter((counts.get(word, 0) for word in words), dtype=np.int64, count=len(words))
