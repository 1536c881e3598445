"""Rotation alignment (mbert_align, section 2): an orthogonal matrix for each layer, with or without centring."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from crosslingua.embedders.word_states import Rotations
from crosslingua.encoder_alignment import PARALLEL
from crosslingua.encoder_alignment.signal import Moments, Signal, write_aligned
from crosslingua.mappers.procrustes import rotation_of


def solve(moments: Moments, layers: tuple[int, ...], centred: bool) -> Rotations:
    """Return the rotations that bring the source's vectors closest to the target's (Eq. 2 to 4)."""
    matrices = np.stack([rotation_of(product) for product in moments.products(centred)])
    means = moments.means if centred else [np.zeros(matrices.shape[:2])] * 2
    return Rotations(layers, matrices, *means)


def separation(moments: Moments, rotations: Rotations | None = None) -> float:
    """Return the centroids' distance, after `rotations` if given, in percent of the spread; a mean over layers."""
    source, target = moments.means
    moved = source if rotations is None else rotations.apply(source[None])[0]
    return float(100 * np.mean(np.linalg.norm(moved - target, axis=1) / moments.spread))


@dataclass(frozen=True)
class Rotate:
    """RotateAlign: the Procrustes solution on vectors as they are.

    - `supervision`: `parallel` takes linked words in context, `dictionary` average word anchors (section 2.2)
    """

    centred: ClassVar[bool] = False
    supervision: str = PARALLEL

    def align(self, signal: Signal, out: str | Path) -> None:
        """Write the encoder with its rotations to the folder `out`."""
        moments = signal.moments(self.supervision)
        rotations = solve(moments, tuple(signal.layers), self.centred)
        report = {
            "method": "norm_rotate" if self.centred else "rotate",
            "supervision": self.supervision,
            "pairs": moments.pairs,
            "separation": separation(moments),
            "separation_after": separation(moments, rotations),
            "signature": "centroids",
        }
        write_aligned(signal, out, report, rotations=rotations)


class NormRotate(Rotate):
    """NormRotateAlign: both languages are centred first, and the target's centroid is added last (section 2.1)."""

    centred: ClassVar[bool] = True
