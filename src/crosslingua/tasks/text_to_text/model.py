"""A model that reads and writes text as a TaskModel: its predictions are what the tasks' heads predict."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from torch import Tensor, nn

from crosslingua.embedders.text_to_text import TextToText
from crosslingua.ragged import Ragged
from crosslingua.tasks.kinds import Kind, imported
from crosslingua.tasks.text_to_text.form import Counted, Row, TextForm
from crosslingua.tasks.training import FineTuning, reading_batches


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
        return {
            "examples": self.examples,
            "rows": len(self.rows),
            "pieces": int(self.lengths.sum()),
            "written_pieces": int(self.targets.lengths.sum()),
            "divided": self.counted.divided,
            "cut": self.counted.cut,
            "unparsed": self.counted.unparsed,
        }


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
