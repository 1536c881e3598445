"""Similarity search: is a sentence's translation its nearest sentence of the other language? (section 4.4)"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crosslingua.laser.laser import Laser
from crosslingua.lexicon_induction.retrieval import nearest


def similarity_search(laser: Laser, source: Sequence[str], target: Sequence[str]) -> dict[str, float]:
    """Return the accuracy (0-100) of finding line i of `target` from line i of `source`, and the other way.

    Sentences are words separated by spaces, and compared by cosine.
    """
    x, y = (laser.embed([line.split() for line in side]) for side in (source, target))
    return {"forward": _accuracy(x, y), "backward": _accuracy(y, x), "sentences": len(x)}


def _accuracy(queries: np.ndarray, candidates: np.ndarray) -> float:
    found, _ = nearest(queries, candidates, k=1)
    return 100 * float((found[:, 0] == np.arange(len(queries))).mean())
