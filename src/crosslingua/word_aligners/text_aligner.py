"""What the aligners on text share: both directions are learnt from the text that they align, then symmetrised."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, count, islice
from pathlib import Path

import numpy as np

from crosslingua.arrays import token_pairs
from crosslingua.errors import InputError
from crosslingua.io.pharaoh import Link
from crosslingua.mappers.mapper import workers
from crosslingua.settings import settings
from crosslingua.word_aligners.cooccurrence import Cooccurrence, Pair, count_cooccurrence
from crosslingua.word_aligners.settings import TextSettings
from crosslingua.word_aligners.symmetrisation import symmetrise


@settings
class TextAligner(TextSettings, ABC):
    """An aligner of words by their counts, with `TextSettings` and its own. Links do not depend on threads."""

    @abstractmethod
    def _direction(self, text: Cooccurrence, reverse: bool, number: int) -> np.ndarray:
        """Return the position linked to each generated token, -1 for none; at least of the first `number` pairs."""

    def align(self, pairs: Iterable[Pair], training: Iterable[Pair] = ()) -> Iterator[frozenset[Link]]:
        """Train on all tokenised sentence pairs, then yield the (source, target) links of each of `pairs`, 0-based.

        `training` is trained on besides. InputError for a pair of more than `max_cells`, ConfigError for no pair.
        """
        counter = count()  # when `pairs` ends it has their number: zip asks `pairs` first
        own = (pair for pair, _ in zip(self.admitted(pairs), counter, strict=False))
        text = count_cooccurrence(chain(own, self.admitted(training, "training text")))
        number = next(counter)
        if not len(text.entries):
            return iter([frozenset()] * number)
        with ThreadPoolExecutor(min(2, workers())) as pool:  # the compiled loops hold no lock
            forward, backward = pool.map(lambda back: self._direction(text, back, number), (False, True))
        return islice(symmetrise(text, forward, backward, self.symmetrisation), number)

    def admitted(self, pairs: Iterable[Pair], path: str | Path = "text") -> Iterator[Pair]:
        """Yield sentence pairs, the lines of `path`. Memory and time grow with cells: InputError beyond `max_cells`."""
        for number, (source, target) in enumerate(token_pairs(pairs), 1):
            if len(source) * len(target) > self.max_cells:
                raise InputError(
                    path, f"a pair of {len(source)} and {len(target)} words is too long: {self.max_cells} cells "
                    "(source words times target words) at most", line=number,
                    remedy="divide it into sentences, or raise the limit (--set max_cells=N; 4 bytes a cell at least)",
                )  # fmt: skip
            yield source, target
