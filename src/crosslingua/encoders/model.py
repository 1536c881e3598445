"""The masked language model of pre-training: an encoder (`bert`) and its head, computed where it is asked for."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from crosslingua.bert import Bert, Mask, Shape, keys


class MaskedLanguageModel(nn.Module):
    """An encoder with a tied language-model head; what it computes agrees with `RobertaForMaskedLM`.

    The head stands apart from transformers' names, which differ between RoBERTa and BERT: see `folder.HEADS`.
    """

    def __init__(self, shape: Shape):
        super().__init__()
        self.shape, d = shape, shape.hidden
        self.bert = Bert(shape, pretraining=True)
        self.head, self.head_norm = nn.Linear(d, d), nn.LayerNorm(d, shape.norm_epsilon)
        self.head_bias = nn.Parameter(torch.zeros(shape.vocabulary))

    @property
    def layers(self) -> nn.ModuleList:
        """The layers of the Transformer."""
        return self.bert.layers

    @property
    def words(self) -> nn.Embedding:
        """The embeddings of pieces."""
        return self.bert.get_input_embeddings()

    def initialise(self, generator: torch.Generator) -> None:
        """Draw new weights as BERT does: normal with deviation 0.02, biases zero, scales one."""
        with torch.no_grad():
            for module in self.modules():
                if isinstance(module, nn.Linear | nn.Embedding):
                    module.weight.normal_(0, 0.02, generator=generator)
                if isinstance(module, nn.Linear):
                    module.bias.zero_()
            self.words.weight[self.shape.pad].zero_()

    def hidden_states(
        self,
        ids: Tensor,
        languages: Tensor | None,
        mask: Mask,
        last: int | None = None,
        positions: Tensor | None = None,
    ) -> list[Tensor]:
        """Return the states (b, t, d) after the embeddings and each of the first `last` layers.

        `mask` (b, t) is true where there is a token; None if there is one everywhere. `positions` (b, t) count from 0;
        None: each row's are 0, 1, 2, ...
        """
        if positions is None:
            positions = torch.arange(ids.shape[1], device=ids.device)
        embedded = self.bert.embeddings(ids, languages, positions + self.shape.position_offset)
        return self.bert.states(embedded, keys(mask), last)

    def states_at(
        self,
        ids: Tensor,
        languages: Tensor | None,
        mask: Mask,
        columns: Tensor,
        positions: Tensor | None = None,
    ) -> Tensor:
        """Return the last layer's states (b, m, d) at `columns` (b, m), computing nothing else of that layer."""
        x = self.hidden_states(ids, languages, mask, -1, positions)[-1]
        return self.bert.last_state(x, keys(mask), columns)

    def logits(self, states: Tensor) -> Tensor:
        """Return the scores of every piece (..., vocabulary) for states (..., d)."""
        x = self.head_norm(F.gelu(self.head(states)))
        return F.linear(x, self.words.weight, self.head_bias)
