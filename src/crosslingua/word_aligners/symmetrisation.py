"""Two directional alignments into one: intersection, union, and grow-diag-final-and (Koehn et al. 2005)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crosslingua.io.pharaoh import Link
from crosslingua.word_aligners.cooccurrence import Cooccurrence

SYMMETRISATIONS = ("grow_diag_final_and", "grow_diag", "intersect", "union", "forward", "backward")


def symmetrise(
    text: Cooccurrence, forward: np.ndarray, backward: np.ndarray, name: str = SYMMETRISATIONS[0]
) -> Iterator[frozenset[Link]]:
    """Yield the (source, target) links of each sentence pair.

    `forward` (target tokens,) is the source position of each target token, `backward` (source tokens,) the
    target position of each source token, -1 for none, in sentences one after another.
    """
    from crosslingua.word_aligners.symmetrisation_kernels import symmetrise_all  # compiled

    bounds = text.source.bounds, text.target.bounds
    ends, links = symmetrise_all(*bounds, forward, backward, SYMMETRISATIONS.index(name))
    for start, end in zip(np.concatenate([[0], ends[:-1]]), ends, strict=True):
        yield frozenset(map(tuple, links[start:end].tolist()))
