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
        cls,
        source: str | Path,
        target: str | Path,
        links: str | Path | None = None,
        take: int = SENTENCES,
        reverse: bool = False,
    ) -> AlignedText:
        """Read the first `take` pairs of tokenised text, and the sure links of a file in Pharaoh's format.

        `reverse`: the file's links go from target to source. Raises InputError for an empty text, files of unequal
        length, links outside their sentences, and where there is no link at all.
        """
        if take < 1:
            raise ConfigError(f"{take} sentence pairs: at least 1")
        pairs = [tuple(line.split() for line in pair) for pair in read_bitext(source, target)]
        if not pairs:
            raise InputError(source, "is empty: there is nothing to align with")
        found = None if links is None else _links(links, pairs, reverse)[:take]
        if found is not None and not any(map(len, found)):
            raise InputError(links, f"no sure link (i-j) in the first {take} sentence pairs")
        left, right = (list(side) for side in zip(*pairs[:take], strict=True))
        return cls(left, right, found)

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


def _links(path: str | Path, pairs: Sequence[Sequence[Sentence]], reverse: bool) -> list[np.ndarray]:
    """Read the sure links (n, 2) of each pair, source first."""
    step = -1 if reverse else 1
    lengths = [(len(a), len(b))[::step] for a, b in pairs]
    every = read_pharaoh(path, lengths)
    return [np.array(sorted(one.sure), dtype=np.int64).reshape(-1, 2)[:, ::step].copy() for one in every]
