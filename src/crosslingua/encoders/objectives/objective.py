"""The base class of objectives. All see a batch and the model's states, which are computed once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import torch.nn.functional as F
from torch import Tensor, nn

from crosslingua.encoders.batches import Batch
from crosslingua.encoders.data import Specials
from crosslingua.encoders.model import MaskedArchitecture, MaskedLanguageModel
from crosslingua.nn.bert import at_columns

if TYPE_CHECKING:
    from crosslingua.encoders.settings import Pretraining

IGNORED = -100  # the label of positions that are not predicted


@dataclass(frozen=True)
class Setup:
    """What an objective is made from. `settings` are its own; `dictionary` holds pairs of ids (k, 2), or is None."""

    settings: Any
    layers: int
    hidden: int
    vocabulary: int
    specials: Specials
    dictionary: np.ndarray | None


class Objective(nn.Module):
    """A term of the loss; the registry names the data of each. Its parameters, if any, are no part of the encoder."""

    language_ids: ClassVar[bool] = False  # whether it was published with them
    predicts: ClassVar[bool] = True  # whether it uses the whole model, the language-model head too
    every_state: ClassVar[bool] = False  # whether it looks at positions that are not masked
    packs: ClassVar[bool] = True  # whether its rows may hold several sentences or pairs
    mixes: ClassVar[bool] = False  # whether it is MLM on bitext, whose rows may be drawn from text's pool
    recorded: ClassVar[bool] = True  # whether a GPU can repeat an update for other batches of the same shape
    masks: ClassVar[bool] = True  # whether its batches are masked as MLM's are

    def __init__(self, setup: Setup):
        super().__init__()
        self.settings = setup.settings

    @classmethod
    def architecture(cls, settings: Any) -> Any:
        """Return the kind of model that it trains; `settings` are its own."""
        return MaskedArchitecture()

    @classmethod
    def check(cls, run: Pretraining) -> None:
        """Raise ConfigError where it cannot be trained as `run` says."""

    @property
    def prepares(self) -> bool:
        """Whether `prepare` changes batches, which are then made on the processor."""
        return type(self).prepare is not Objective.prepare

    def prepare(self, batch: Batch, rng: np.random.Generator) -> None:
        """Change a whole step's batch after masking, before it is divided."""

    def forward(self, encoded: Encoded) -> Tensor:
        """Return this part's share of the step's loss: shares add up over the parts. By default it is MLM's."""
        return encoded.prediction_loss


def at_least_one(number: int | Tensor) -> int | Tensor:
    """Return a number to divide by; a tensor is one already, and looking would wait for it."""
    return number if isinstance(number, Tensor) else max(1, number)


class Encoded:
    """A batch with the model's states on its masked text, computed when first asked for."""

    def __init__(self, model: MaskedLanguageModel, batch: Batch, every_state: bool):
        self.model, self.batch, self._every_state = model, batch, every_state

    @cached_property
    def states(self) -> list[Tensor]:
        """The states (b, t, d) after the embeddings and each layer."""
        batch = self.batch
        return self.model.hidden_states(batch.ids, batch.languages, batch.present, positions=batch.positions)

    @cached_property
    def masked_states(self) -> Tensor:
        """The last layer's states at the masked positions (b, m, d), and at others where a row has fewer."""
        if self._every_state:
            return at_columns(self.states[-1], self.batch.columns)
        batch = self.batch
        return self.model.states_at(batch.ids, batch.languages, batch.present, batch.columns, batch.positions)

    @cached_property
    def prediction_loss(self) -> Tensor:
        """The cross-entropy of the labels, a mean over the step's masked positions."""
        # Places that are not predicted are computed too: arrays of few shapes are faster than as few entries as can be.
        labels = self.batch.labels.masked_fill(~self.batch.filled, IGNORED).flatten()
        logits = self.model.logits(self.masked_states).flatten(0, 1).float()
        total = F.cross_entropy(logits, labels, ignore_index=IGNORED, reduction="sum")
        return total / at_least_one(self.batch.total)
