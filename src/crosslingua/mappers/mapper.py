"""The protocol of a mapper, and the checks of its input that all members share."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod

import numpy as np

from crosslingua.errors import ConfigError
from crosslingua.mappers.mapping import Mapping
from crosslingua.mappers.threads import single_thread

log = logging.getLogger(__name__)


class Mapper(ABC):
    """A way to find maps between two vector spaces; members are dataclasses whose fields are hyperparameters."""

    uses_pairs: bool = True  # whether `fit` needs a dictionary, which may depend on the settings

    def fit(
        self, source: np.ndarray, target: np.ndarray, pairs: np.ndarray | None = None, *, seed: int = 0
    ) -> Mapping:
        """Fit the maps.

        `source` (n_s, d) and `target` (n_t, d) are float32 vectors, most frequent words first; `pairs` (k,
        2) holds the row numbers of words that translate each other, and is ignored by members that use
        none. Equal seeds give equal bytes, on any number of cores. Raises ConfigError for unequal
        dimensions, zero or non-finite vectors, and a missing or empty dictionary where one is needed.
        """
        pairs = check_pairs(self, pairs, source, target) if self.uses_pairs else None
        check_vectors(source, target)
        with single_thread():
            return self._fit(source, target, pairs, seed)

    @abstractmethod
    def _fit(self, source: np.ndarray, target: np.ndarray, pairs: np.ndarray | None, seed: int) -> Mapping:
        """Fit on checked input."""


def check_vectors(source: np.ndarray, target: np.ndarray) -> None:
    """Raise ConfigError unless both are matrices of equal width with finite rows that are not zero."""
    for name, matrix in (("source", source), ("target", target)):
        if matrix.ndim != 2 or not matrix.size:
            raise ConfigError(
                f"{name} vectors have shape {matrix.shape}: need at least one vector of one dimension"
            )
        bad = np.flatnonzero(~(np.isfinite(matrix).all(axis=1) & matrix.any(axis=1)))
        if len(bad):
            raise ConfigError(
                f"{len(bad)} {name} vectors are zero or not finite, the first in row {bad[0]}: "
                "leave these words out"
            )
    if source.shape[1] != target.shape[1]:
        raise ConfigError(
            f"source vectors have {source.shape[1]} dimensions and target vectors {target.shape[1]}: "
            "train both with the same number"
        )


def check_pairs(
    mapper: Mapper, pairs: np.ndarray | None, source: np.ndarray, target: np.ndarray
) -> np.ndarray:
    """Return `pairs` as (k, 2) int64; ConfigError where there is none or one points past the vectors."""
    name = type(mapper).__name__
    if pairs is None:
        raise ConfigError(f"{name} is supervised and needs a dictionary")
    pairs = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    if not len(pairs):
        raise ConfigError(
            f"{name} needs at least one dictionary pair with both words in the vocabularies, got none"
        )
    if pairs.min() < 0 or (pairs.max(axis=0) >= (len(source), len(target))).any():
        raise ConfigError(
            f"a dictionary pair points outside the {len(source)} source and {len(target)} target vectors"
        )
    if len(pairs) < source.shape[1]:
        log.warning(
            "%d dictionary pairs for %d dimensions: the map is not determined by them in every direction",
            len(pairs),
            source.shape[1],
        )
    return pairs
