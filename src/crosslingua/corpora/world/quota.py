"""Draw chunk after chunk until enough of what is drawn can be used."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crosslingua.errors import CrosslinguaError

PATIENCE = 60  # chunks in a row without anything usable before giving up


class Quota:
    """Iterates over chunk numbers until `wanted` rows have been taken.

    Raises CrosslinguaError when PATIENCE chunks in a row give nothing: the languages' parameters leave nothing
    to draw from.
    """

    def __init__(self, wanted: int, what: str):
        self.wanted, self.done, self._what, self._dry = wanted, 0, what, 0

    def __iter__(self) -> Iterator[int]:
        number = 0
        while self.done < self.wanted:
            if self._dry >= PATIENCE:
                raise CrosslinguaError(
                    f"{self._what}: {self.done} of {self.wanted} found, and none in the last {PATIENCE} chunks;"
                    " enlarge the world (nouns, verbs, adjectives, names, synonyms) or ask for fewer"
                )
            self._dry += 1
            yield number
            number += 1

    def take(self, rows: np.ndarray) -> np.ndarray:
        """Return as many of `rows` as are still wanted, and count them."""
        rows = rows[: self.wanted - self.done]
        self.done += len(rows)
        if len(rows):
            self._dry = 0
        return rows
