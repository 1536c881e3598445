"""The noise of denoising auto-encoding (Lample et al. 2018a, section 2.3): words are dropped, blanked, shuffled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Noise:
    """Takes the ids of a sentence (n,) int64, without end mark, and returns those of a corrupted copy."""

    drop: float
    blank: float
    shuffle: int
    blank_id: int

    def __call__(self, ids: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return a corrupted copy: words dropped, then blanked, then shuffled."""
        return shuffled(
            blanked(dropped(ids, self.drop, rng), self.blank, self.blank_id, rng), self.shuffle, rng
        )


def dropped(ids: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Leave each word out with probability `share`; where none would be left, one of them stays."""
    kept = rng.random(len(ids)) >= share
    if len(ids) and not kept.any():
        kept[rng.integers(len(ids))] = True
    return ids[kept]


def blanked(ids: np.ndarray, share: float, blank_id: int, rng: np.random.Generator) -> np.ndarray:
    """Put the blank in the place of each word with probability `share`."""
    return np.where(rng.random(len(ids)) < share, blank_id, ids)


def shuffled(ids: np.ndarray, farthest: int, rng: np.random.Generator) -> np.ndarray:
    """Permute words, none of them by more than `farthest` places.

    Sorts by position + U(0, farthest + 1), so that a word passes only those less than farthest + 1 places away.
    """
    if farthest == 0:
        return ids
    place = np.arange(len(ids)) + rng.uniform(0, farthest + 1, len(ids))
    return ids[np.argsort(place, kind="stable")]
