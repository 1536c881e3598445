"""How examples of a form of data become text, and what is written becomes predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Row:
    """What is read at once, and what is to be written: pieces, the end included.

    `example`: whose part it is; `size`: its words, where each has a label.
    """

    example: int
    source: list[int]
    target: list[int]
    size: int = 1


@dataclass
class Counted:
    """What did not fit (`cut`: words, sentences or passages that lost pieces), and what could not be read back."""

    divided: int = 0
    cut: int = 0
    unparsed: int = 0


class TextForm(Protocol):
    """A form of data as text."""

    labels: Sequence[str]

    def rows(self, examples: Sequence[Any], counted: Counted) -> list[Row]:
        """Return the rows of examples, in order."""

    def most(self, size: int) -> int:
        """Return how many pieces may be written for a row of `size` words, the end included."""

    def read_back(self, rows: Sequence[Row], written: Sequence[Sequence[int]], counted: Counted) -> list[Any]:
        """Return a prediction for each example, whatever was written."""
