"""Parallel text with the links of its words, or without."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.bitext import read_bitext
from crosslingua.io.pharaoh import read_pharaoh

log = logging.getLogger(__name__)
Sentence = Sequence[str]
SENTENCES = 30_000  # pairs (mbert_align, section 4.1)


@dataclass(frozen=True)
class AlignedText:
    """Sentence pairs as words, and the links (n, 2) of each pair's words; `links` is None for text without."""

    source: list[Sentence]
    target: list[Sentence]
    links: list[np.ndarray] | None = None

    @classmethod
    def read(
        cls, source: str | Path, target: str | Path, links: str | Path | None = None, take: int = SENTENCES
    ) -> AlignedText:
        """Read the first `take` pairs of tokenised text, and the sure links of a file in Pharaoh's format.

        Raises InputError for an empty text, files of unequal length, and links outside their sentences or none at all.
        """
        if take < 1:
            raise ConfigError(f"{take} sentence pairs: at least 1")
        every = [tuple(line.split() for line in pair) for pair in read_bitext(source, target)]
        if not every:
            raise InputError(source, "is empty: there is nothing to align with")
        left, right = (list(side) for side in zip(*every[:take], strict=True))
        if links is None:
            return cls(left, right)
        lengths = [(len(a), len(b)) for a, b in every]
        found = [
            np.array(sorted(pair.sure), dtype=np.int64).reshape(-1, 2)
            for pair in read_pharaoh(links, lengths)
        ]
        if not any(map(len, found[:take])):
            raise InputError(links, f"no sure link (i-j) in the first {take} sentence pairs")
        return cls(left, right, found[:take])

    def __len__(self) -> int:
        return len(self.source)

    def chunks(self, size: int) -> Iterator[AlignedText]:
        """Yield the pairs in parts of at most `size`."""
        for start in range(0, len(self), size):
            part = slice(start, start + size)
            yield AlignedText(self.source[part], self.target[part], self.links and self.links[part])

    def flat_links(self) -> np.ndarray:
        """Return all links (n, 2), words counted through the whole of either side."""
        starts = np.zeros((len(self) + 1, 2), dtype=np.int64)
        lengths = [(len(a), len(b)) for a, b in zip(self.source, self.target, strict=True)]
        np.cumsum(lengths, axis=0, out=starts[1:])
        shifted = [
            links + start for links, start in zip(self.links or [], islice(starts, len(self)), strict=False)
        ]
        return np.concatenate(shifted) if shifted else np.empty((0, 2), dtype=np.int64)
