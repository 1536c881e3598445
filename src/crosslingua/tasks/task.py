"""What fine-tuning asks of a task and of its model."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from torch import Tensor

from crosslingua.embedders.encoder import Encoder
from crosslingua.tasks.training import FineTuning


class Prepared(Protocol):
    """Examples as arrays, cut to what the model reads at once."""

    lengths: np.ndarray  # pieces of each row that `TaskModel.loss` can be asked for

    def report(self) -> dict[str, int]:
        """Counts for the training report: examples, rows, and what did not fit."""


class TaskModel(Protocol):
    """A torch module that learns a task."""

    def prepare(self, examples: Sequence[Any], language: str) -> Any:
        """Return examples of one language as `Prepared`."""

    def loss(self, data: Any, rows: np.ndarray) -> Tensor:
        """Return the mean loss over some rows of prepared data."""

    def predict(self, data: Any) -> list[Any]:
        """Return a prediction for each example: its labels, or its label."""


class Task(Protocol):
    """What a kind (`kinds.Kind`) makes of itself to be fine-tuned."""

    published: FineTuning

    def read(self, path: str | Path) -> list[Any]:
        """Read labelled examples."""

    def model(self, encoder: Encoder, examples: Sequence[Any], settings: FineTuning) -> Any:
        """Return a new TaskModel on `encoder` for the labels of `examples`."""

    def score(self, gold: Sequence[Any], predicted: Sequence[Any]) -> float:
        """Return what selects the model: F1 or accuracy, 0 to 100."""

    def write(self, path: str | Path, examples: Sequence[Any], predicted: Sequence[Any]) -> None:
        """Write predictions for `examples`."""
