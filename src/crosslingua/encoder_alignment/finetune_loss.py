"""The loss of fine-tuning alignment (mbert_align, Eq. 7 to 10; Cao et al. 2020)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from crosslingua.embedders.encoder import Encoder
from crosslingua.embedders.word_states import EncodedWords, WordStates
from crosslingua.ragged import offsets_of

TERMS = ("align", "regularise")


class AlignmentLoss(nn.Module):
    """Terms of a batch of sentence pairs: how far linked words are apart, and how far one side went from its place.

    `kept` is the side, 0 or 1, that is held near `frozen`, the encoder as it was. Each term is the sum over layers of
    its mean over words (the paper's sums, whatever the length of the batch).
    """

    def __init__(
        self,
        encoder: Encoder,
        frozen: Encoder,
        layers: Sequence[int],
        languages: tuple[int | None, int | None],
        kept: int,
        squared: bool,
    ):
        super().__init__()
        self.encoder = encoder
        self.states, self._before = WordStates(encoder, layers), WordStates(frozen, layers)
        self._languages, self._kept, self._squared = languages, kept, squared

    def forward(
        self, sides: Sequence[EncodedWords], links: Sequence[np.ndarray], pairs: np.ndarray
    ) -> Tensor:
        """Return the two terms (2,) of the sentence pairs numbered `pairs`; `links` are of all pairs."""
        vectors = [self._vectors(self.states, sides, side, pairs) for side in (0, 1)]
        with torch.no_grad():
            before = self._vectors(self._before, sides, self._kept, pairs)
        rows = torch.from_numpy(batch_links(sides, links, pairs))
        apart = vectors[0][rows[:, 0]] - vectors[1][rows[:, 1]]
        return torch.stack([self._size(apart), self._size(vectors[self._kept] - before)])

    def _vectors(
        self, states: WordStates, sides: Sequence[EncodedWords], side: int, pairs: np.ndarray
    ) -> Tensor:
        pieces = sides[side]
        return states.forward(pieces, pieces.rows(pairs), self._languages[side])

    def _size(self, difference: Tensor) -> Tensor:
        """Return the sum over layers of the mean size of differences (n, layers, d); of none it is zero."""
        if not len(difference):
            return difference.sum()
        sizes = difference.square().sum(-1) if self._squared else torch.linalg.vector_norm(difference, dim=-1)
        return sizes.mean(0).sum()


def batch_links(sides: Sequence[EncodedWords], links: Sequence[np.ndarray], pairs: np.ndarray) -> np.ndarray:
    """Return the links (n, 2) of the sentence pairs numbered `pairs`, words counted through the batch."""
    starts = np.stack([side.places(pairs)[:-1] for side in sides], axis=1)
    return np.concatenate([links[pair] + start for pair, start in zip(pairs, starts, strict=True)])


def batch_numbers(pairs: int, size: int, epochs: int, seed: int) -> list[np.ndarray]:
    """Return the sentence pairs of each update: every epoch in an order of its own."""
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(pairs) for _ in range(epochs)]
    return [order[start:stop] for order in orders for start, stop in _bounds(pairs, size)]


def _bounds(pairs: int, size: int) -> list[tuple[int, int]]:
    ends = offsets_of([min(size, pairs - start) for start in range(0, pairs, size)])
    return list(zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True))
