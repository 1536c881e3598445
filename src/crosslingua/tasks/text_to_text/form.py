"""How examples of a form of data become text, and what is written becomes predictions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from crosslingua.embedders.text_to_text import TextToText


@dataclass(frozen=True)
class Row:
    """Pieces to read and to write, the end included, of the example of that number; `size`: its words, if labelled."""

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


class Spelling:
    """The pieces of each of `names`; `markers` are names that must be one piece.

    If the tokenizer cannot spell a name, all become pieces of their own, so that none are spelled alike.
    """

    def __init__(self, model: TextToText, names: Iterable[str], markers: Iterable[str] = ()):
        self._model = model
        names, markers = list(dict.fromkeys(names)), list(dict.fromkeys(markers))
        if not all(map(self._reads_back, names)):
            model.add_words(names)
        is_one = {name: len(self._pieces(name)) == 1 and self._reads_back(name) for name in markers}
        if unknown := [name for name in markers if not is_one[name]]:
            model.add_words(unknown)
        self.ids = {name: self._pieces(name) for name in (*names, *markers)}

    def __getitem__(self, name: str) -> list[int]:
        return self.ids[name]

    def _pieces(self, name: str) -> list[int]:
        return self._model.tokenizer(name, add_special_tokens=False, verbose=False)["input_ids"]

    def _reads_back(self, name: str) -> bool:
        pieces, tokenizer = self._pieces(name), self._model.tokenizer
        if tokenizer.unk_token_id in pieces:
            return False
        return tokenizer.decode(pieces, clean_up_tokenization_spaces=False).strip() == name
