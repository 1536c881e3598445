"""How examples become text and what is written predictions, and the model that reads and writes it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from torch import Tensor, nn

from crosslingua.embedders.text_to_text import TextToText
from crosslingua.ragged import Ragged
from crosslingua.tasks.batches import reading_batches
from crosslingua.tasks.kinds import Kind, imported
from crosslingua.tasks.training import FineTuning


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


@dataclass(frozen=True)
class TextData:
    """Examples of one language as rows of pieces to read and to write."""

    rows: list[Row]
    sources: Ragged
    targets: Ragged
    counted: Counted
    examples: int

    @property
    def lengths(self) -> np.ndarray:
        """Pieces that are read of each row."""
        return self.sources.lengths

    def report(self) -> dict[str, int]:
        """Counts: examples, rows, pieces, what did not fit, and what could not be read back."""
        pieces = {"pieces": int(self.lengths.sum()), "written_pieces": int(self.targets.lengths.sum())}
        return {"examples": self.examples, "rows": len(self.rows), **pieces, **vars(self.counted)}


class TextModel(nn.Module):
    """Reads and writes the text of a task (`TextForm`)."""

    def __init__(self, encoder: TextToText, form: TextForm):
        super().__init__()
        self.encoder, self.form, self.labels = encoder, form, list(form.labels)

    def prepare(self, examples: Sequence[Any], language: str) -> TextData:
        """Encode examples once; all languages alike."""
        counted = Counted()
        rows = self.form.rows(examples, counted)
        sources, targets = (Ragged.of([getattr(row, side) for row in rows]) for side in ("source", "target"))
        return TextData(rows, sources, targets, counted, len(examples))

    def loss(self, data: TextData, rows: np.ndarray) -> Tensor:
        """Return the mean cross entropy of what is to be written for some rows."""
        return self.encoder.loss(data.sources, data.targets, rows)

    def predict(self, data: TextData) -> list[Any]:
        """Return a prediction for each example."""
        written: list[list[int]] = [[]] * len(data.rows)
        for rows in reading_batches(data.lengths):
            most = max(self.form.most(data.rows[row].size) for row in rows)
            for row, pieces in zip(rows, self.encoder.write(data.sources, rows, most), strict=True):
                written[row] = pieces
        data.counted.unparsed = 0  # of this prediction
        return self.form.read_back(data.rows, written, data.counted)


def text_model(kind: Kind, encoder: TextToText, examples: Sequence[Any], settings: FineTuning) -> TextModel:
    """Return the model of a task, for the labels of `examples`."""
    return TextModel(encoder, imported(kind.form.text)(kind, encoder, examples, settings))
