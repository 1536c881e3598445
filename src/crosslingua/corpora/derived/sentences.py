"""The sentences that a derivation of a file asks an order for: what must be parsed before syntax can be changed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from crosslingua.corpora.derived.derivation import Derivation
from crosslingua.corpora.derived.files import derive_file
from crosslingua.corpora.derived.inversion import Span
from crosslingua.corpora.derived.words import Splitting


class Collected:
    """An order that leaves words where they are and remembers them."""

    def __init__(self) -> None:
        self.sentences: dict[tuple[str, ...], None] = {}

    def __call__(self, words: Sequence[str], together: Collection[Span] = ()) -> list[int]:
        """Remember the words; return their indices."""
        if words:
            self.sentences[tuple(words)] = None
        return list(range(len(words)))


def sentences_of(kind: str, source: str | Path, splitting: Splitting = "whitespace") -> list[tuple[str, ...]]:
    """Return the distinct word sequences of a file, in the order in which they come first; errors as `derive_file`."""
    collected = Collected()
    with TemporaryDirectory() as folder:
        derive_file(kind, source, Path(folder) / "unused", Derivation(collected), splitting)
    return list(collected.sentences)
