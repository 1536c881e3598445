"""What a pre-training run asks of the kind of model that its objectives train."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from torch import nn

from crosslingua.encoders.pieces import Pieces

if TYPE_CHECKING:
    from crosslingua.encoders.pretraining import Pretraining


class Architecture(Protocol):
    """Makes the model of a run and writes it as a Hugging Face folder.

    A model has a `shape` that tells its `vocabulary`, `hidden` dimensions and `layers`, and the modules `layers`.
    """

    def build(self, run: Pretraining, pieces: Pieces) -> tuple[nn.Module, dict[str, Any]]:
        """Return the model before training and its config.json. Raises ConfigError for settings that it has not."""

    def save(self, folder: Path, model: Any, config: dict[str, Any], tokenizer: str | Path) -> None:
        """Write weights, config.json and the tokeniser's files."""
