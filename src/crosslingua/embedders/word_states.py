"""Contextual vectors of words in several layers: means of pieces' vectors (mbert_align, section 4.1); rotations."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file
from torch import Tensor

from crosslingua.embedders.encoder import Encoder, Windows, WordPieces
from crosslingua.errors import ConfigError, InputError, check_finite
from crosslingua.laser.model import by_length
from crosslingua.nn.ragged import Ragged, offsets_of

BATCH_PIECES = 4096  # of a batch, padding included


@dataclass(frozen=True)
class EncodedWords:
    """Encoded sentences. `words` (sentences + 1,) are the first words of each."""

    windows: Windows
    words: np.ndarray

    def rows(self, sentences: np.ndarray) -> np.ndarray:
        """Return the windows of some sentences, in their order; an empty sentence has none."""
        bounds = self.windows.starts.offsets
        first = np.searchsorted(bounds[:-1], self.words[sentences], side="left")
        last = np.searchsorted(bounds[:-1], self.words[sentences + 1], side="left")
        return np.concatenate([np.arange(*ends) for ends in zip(first, last, strict=True)])

    def places(self, sentences: np.ndarray) -> np.ndarray:
        """Return the first word of each sentence, counted in `rows(sentences)`: (sentences + 1,)."""
        return offsets_of(np.diff(self.words)[sentences])


LAST = 4  # layers (mbert_align, section 4.1)


def last_layers(total: int, number: int | None = None) -> list[int]:
    """Return the numbers of the last `number` of `total` layers (0 is the embeddings); without a number LAST, or all
    where there are fewer. Raises ConfigError for a number that there are not.
    """
    if number is not None and not 1 <= number <= total:
        raise ConfigError(f"{number} layers: the encoder has {total}, so name 1 to {total}")
    return list(range(max(1, total - (number or LAST) + 1), total + 1))


class WordStates:
    """The vectors of words in `layers` of an encoder, (words, layers, d)."""

    def __init__(self, encoder: Encoder, layers: Sequence[int]):
        self.encoder, self.layers = encoder, tuple(layers)
        self._pieces = WordPieces(encoder.tokenizer, encoder.max_length)

    def encode(self, sentences: Sequence[Sequence[str]]) -> EncodedWords:
        """Divide sentences into pieces; see `WordPieces.encode` for long ones."""
        windows = self._pieces.encode([sentence for sentence in sentences if sentence])
        return EncodedWords(windows, offsets_of([len(sentence) for sentence in sentences]))

    def forward(self, pieces: EncodedWords, rows: np.ndarray, language: int | None) -> Tensor:
        """Return the vectors of the words of some windows, in order."""
        windows = pieces.windows
        ids = windows.ids.padded(rows, self.encoder.tokenizer.pad_token_id or 0)
        lengths = windows.ids.lengths[rows]
        states = self.encoder.states(ids, lengths, language)
        chosen = torch.stack([states[layer] for layer in self.layers], dim=2)  # (rows, pieces, layers, d)
        shift = np.repeat(np.arange(len(rows)) * ids.shape[1], windows.starts.lengths[rows])
        firsts, sizes = windows.starts.joined(rows) + shift, Ragged(windows.sizes, windows.starts.offsets)
        return means(chosen.float().flatten(0, 1), firsts, sizes.joined(rows))

    @torch.inference_mode()
    def all(self, sentences: Sequence[Sequence[str]], language: int | None) -> Tensor:
        """Return the vectors of all words of some sentences. Raises InputError for vectors that are not finite."""
        total = sum(map(len, sentences))
        out = torch.empty(total, len(self.layers), self.encoder.dimension)
        if not total:
            return out
        pieces = self.encode(sentences)
        numbers = Ragged(np.arange(total), pieces.windows.starts.offsets)
        for rows in by_length(pieces.windows.ids.lengths, BATCH_PIECES):
            out[torch.from_numpy(numbers.joined(rows))] = self.forward(pieces, rows, language).cpu()
        if not out.isfinite().all():
            raise InputError(
                self.encoder.folder, "its vectors are not finite (nan, inf)",
                remedy="its weights are damaged or its training diverged: fetch or train it again",
            )  # fmt: skip
        return out


def means(vectors: Tensor, first: np.ndarray, sizes: np.ndarray) -> Tensor:
    """Return means of consecutive rows of `vectors` (n, ...), one for each of the spans `first`, `sizes` (words,)."""
    within = np.arange(sizes.sum()) - np.repeat(offsets_of(sizes)[:-1], sizes)
    taken = vectors[torch.from_numpy(np.repeat(first, sizes) + within).to(vectors.device)]
    pieces = torch.from_numpy(sizes)
    if taken.is_cuda:  # where index_add_ adds in any order, so that last bits would differ each time
        sums = torch.segment_reduce(taken, "sum", lengths=pieces.to(taken.device), axis=0, unsafe=True)
    else:
        words = torch.from_numpy(np.repeat(np.arange(len(sizes)), sizes))
        sums = taken.new_zeros(len(sizes), *vectors.shape[1:]).index_add_(0, words, taken)
    return sums / pieces.to(sums).view(-1, *[1] * (sums.ndim - 1))


# Rotations of an encoder's layers.
ROTATIONS = "rotations.safetensors"  # beside an encoder's weights
PARTS = ("rotation", "source_mean", "target_mean")


@dataclass(frozen=True)
class Rotations:
    """For `layers`: `matrices` (layers, d, d) that multiply rows from the right, and centroids (layers, d).

    The file's tensors, float32, are `rotation.K` (d, d), `source_mean.K` and `target_mean.K` (d) of each aligned layer
    K (0 is the embeddings). A source word's vector v in layer K becomes `(v - source_mean) @ rotation + target_mean`
    (Eq. 5); target words do not move. Without centring the means are zero.
    """

    layers: tuple[int, ...]
    matrices: np.ndarray
    source_means: np.ndarray
    target_means: np.ndarray

    def apply(self, vectors: np.ndarray) -> np.ndarray:
        """Return vectors of source words (words, layers, d), float32, in the target's space. Raises ConfigError."""
        if vectors.shape[1:] != self.source_means.shape:
            raise ConfigError(
                f"vectors of {vectors.shape[1:]} layers and dimensions, where {self.source_means.shape} were aligned"
            )
        centred = (vectors - self.source_means).transpose(1, 0, 2)
        return ((centred @ self.matrices).transpose(1, 0, 2) + self.target_means).astype(np.float32)

    def save(self, folder: str | Path) -> None:
        """Write the file into a folder."""
        tensors = {
            f"{name}.{layer}": np.ascontiguousarray(part[place], dtype=np.float32)
            for name, part in zip(PARTS, (self.matrices, self.source_means, self.target_means), strict=True)
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
                path, f"no rotations ({error})", remedy="make them with crosslingua align-encoder"
            ) from None
        check_finite(path, tensors)
        numbers = [name.removeprefix("rotation.") for name in tensors if name.startswith("rotation.")]
        layers = tuple(sorted(map(int, numbers)))
        try:
            parts = [np.stack([tensors[f"{name}.{layer}"] for layer in layers]) for name in PARTS]
        except (KeyError, ValueError) as error:
            raise InputError(
                path, f"not whole: {error}", remedy="make it again with crosslingua align-encoder"
            ) from None
        return cls(layers, *parts)
