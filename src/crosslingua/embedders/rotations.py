"""Rotations of an encoder's layers, kept beside its weights: `rotations.safetensors`.

Its tensors, float32, are `rotation.K` (d, d), `source_mean.K` and `target_mean.K` (d) of each aligned layer K (0 is the
embeddings). A source word's vector v in layer K becomes `(v - source_mean) @ rotation + target_mean` (Eq. 5); target
words do not move. Without centring the means are zero.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from crosslingua.errors import ConfigError, InputError, check_finite

ROTATIONS = "rotations.safetensors"


@dataclass(frozen=True)
class Rotations:
    """For `layers`: `matrices` (layers, d, d) that multiply rows from the right, and centroids (layers, d)."""

    layers: tuple[int, ...]
    matrices: np.ndarray
    source_means: np.ndarray
    target_means: np.ndarray

    def apply(self, vectors: np.ndarray) -> np.ndarray:
        """Return vectors of source words (words, layers, d) in the target's space, float32 (Eq. 5). Raises ConfigError
        for other layers or dimensions.
        """
        if vectors.shape[1:] != self.source_means.shape:
            raise ConfigError(
                f"vectors of {vectors.shape[1:]} layers and dimensions, where {self.source_means.shape} were aligned"
            )
        centred = (vectors - self.source_means).transpose(1, 0, 2)
        return ((centred @ self.matrices).transpose(1, 0, 2) + self.target_means).astype(np.float32)

    def save(self, folder: str | Path) -> None:
        """Write the file into a folder."""
        parts = {
            "rotation": self.matrices,
            "source_mean": self.source_means,
            "target_mean": self.target_means,
        }
        tensors = {
            f"{name}.{layer}": np.ascontiguousarray(part[place], dtype=np.float32)
            for name, part in parts.items()
            for place, layer in enumerate(self.layers)
        }
        save_file(tensors, Path(folder) / ROTATIONS, metadata={"format": "pt"})

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Read the file of a folder. Raises InputError if it is missing, damaged or lacks a tensor."""
        path = Path(folder) / ROTATIONS
        try:
            tensors = load_file(path)
        except (FileNotFoundError, SafetensorError) as error:
            raise InputError(
                path, f"no rotations ({error})", remedy="make them with align_encoder.py"
            ) from None
        check_finite(path, tensors)
        layers = tuple(
            sorted(int(name.rpartition(".")[2]) for name in tensors if name.startswith("rotation."))
        )
        try:
            parts = [
                np.stack([tensors[f"{name}.{layer}"] for layer in layers])
                for name in ("rotation", "source_mean", "target_mean")
            ]
        except (KeyError, ValueError) as error:
            raise InputError(
                path, f"not whole: {error}", remedy="make it again with align_encoder.py"
            ) from None
        return cls(layers, *parts)
