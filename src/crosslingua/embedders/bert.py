"""The encoders of BERT, RoBERTa and XLM-R, with transformers' names of weights and its results.

A module of its own because importing transformers' models costs more processor time than a small fine-tuning: they
bring torch's compiler, sympy and more. What is not said here (another activation, a decoder) is left to transformers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

FIRST_POSITION = {
    "bert": 0,
    "roberta": 1,
    "xlm-roberta": 1,
}  # model_type -> of the first token, behind padding's


class Output(NamedTuple):
    """The last layer (b, t, d) and, if asked for, the embeddings and what leaves each layer."""

    last_hidden_state: Tensor
    hidden_states: tuple[Tensor, ...] | None


def is_known(config: Any) -> bool:
    """Whether `Bert` computes what a config.json describes."""
    plain = getattr(config, "position_embedding_type", "absolute") in (None, "absolute")
    decodes = getattr(config, "is_decoder", False) or getattr(config, "add_cross_attention", False)
    return config.model_type in FIRST_POSITION and config.hidden_act == "gelu" and plain and not decodes


class Bert(nn.Module):
    """An encoder, called as transformers' are."""

    def __init__(self, config: Any):
        super().__init__()
        self.config = config
        self.embeddings = Embeddings(config)
        self.encoder = nn.ModuleDict(
            {"layer": nn.ModuleList(BertLayer(config) for _ in range(config.num_hidden_layers))}
        )

    def get_input_embeddings(self) -> nn.Embedding:
        """Return the embeddings of words."""
        return self.embeddings.word_embeddings

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        position_ids: Tensor | None = None,
        output_hidden_states: bool = False,
        return_dict: bool = True,
        first_only: bool = False,
    ) -> Output:
        """Return the states of pieces (b, t); `attention_mask` is 0 at padding, None where there is none.

        `first_only`: the last layer is computed of the first piece alone, (b, 1, d): no other piece is read after it.
        """
        states = [self.embeddings(input_ids, token_type_ids, position_ids)]
        padded = attention_mask is not None and not bool(attention_mask.all())
        mask = attention_mask.bool()[:, None, None, :] if padded else None
        *lower, last = self.encoder["layer"]
        for layer in lower:
            states.append(layer(states[-1], mask))
        states.append(last(states[-1], mask, first_only))
        return Output(states[-1], tuple(states) if output_hidden_states else None)

    def save_pretrained(self, folder: str | Path) -> None:
        """Write config.json and model.safetensors."""
        from safetensors.torch import save_file

        self.config.save_pretrained(folder)
        weights = {name: value.detach().cpu().contiguous() for name, value in self.state_dict().items()}
        save_file(weights, Path(folder) / "model.safetensors", metadata={"format": "pt"})


class Embeddings(nn.Module):
    """The sum of the embeddings of word, position and type, normalised."""

    def __init__(self, config: Any):
        super().__init__()
        size, pad = config.hidden_size, config.pad_token_id
        self.behind_padding = bool(FIRST_POSITION[config.model_type])
        self.word_embeddings = _embeddings(config.vocab_size, size, pad)
        behind = pad if self.behind_padding else None
        self.position_embeddings = _embeddings(config.max_position_embeddings, size, behind)
        self.token_type_embeddings = _embeddings(config.type_vocab_size, size, None)
        self.LayerNorm = nn.LayerNorm(size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, ids: Tensor, types: Tensor | None, positions: Tensor | None) -> Tensor:
        """Return (b, t, d). Positions count pieces, behind padding's number in RoBERTa; types are 0 by default."""
        if positions is None:
            positions = self._counted(ids)
        kinds = self.token_type_embeddings.weight[0] if types is None else self.token_type_embeddings(types)
        return self.dropout(
            self.LayerNorm(self.word_embeddings(ids) + kinds + self.position_embeddings(positions))
        )

    def _counted(self, ids: Tensor) -> Tensor:
        if not self.behind_padding:
            return torch.arange(ids.shape[1], device=ids.device).expand(ids.shape)
        pad = self.word_embeddings.padding_idx
        real = ids.ne(pad).long()
        return real.cumsum(dim=1) * real + pad


def _embeddings(rows: int, size: int, pad: int | None) -> nn.Embedding:
    """Return embeddings that weights will be loaded into: to draw 250,000 first takes seconds."""
    return nn.Embedding.from_pretrained(torch.empty(rows, size), freeze=False, padding_idx=pad)


class BertLayer(nn.ModuleDict):
    """One layer of the Transformer, normalised after each part."""

    def __init__(self, config: Any):
        size = config.hidden_size

        def ending(inputs: int) -> nn.ModuleDict:
            norm = nn.LayerNorm(size, eps=config.layer_norm_eps)
            return nn.ModuleDict({"dense": nn.Linear(inputs, size), "LayerNorm": norm})

        own = nn.ModuleDict({name: nn.Linear(size, size) for name in ("query", "key", "value")})
        super().__init__(
            {
                "attention": nn.ModuleDict({"self": own, "output": ending(size)}),
                "intermediate": nn.ModuleDict({"dense": nn.Linear(size, config.intermediate_size)}),
                "output": ending(config.intermediate_size),
            }
        )
        self.heads, self.seen = config.num_attention_heads, config.attention_probs_dropout_prob
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, x: Tensor, mask: Tensor | None, first_only: bool = False) -> Tensor:
        """Return what leaves the layer (b, t, d); `mask` (b, 1, 1, t) is true where there is a piece.

        `first_only`: (b, 1, d), of the first piece, which attends to all.
        """
        own, every = self["attention"]["self"], x
        x = x[:, :1] if first_only else x
        read = {"query": x, "key": every, "value": every}
        q, k, v = (own[name](read[name]).unflatten(-1, (self.heads, -1)).transpose(1, 2) for name in own)
        found = F.scaled_dot_product_attention(q, k, v, mask, self.seen if self.training else 0.0)
        x = self._ended(self["attention"]["output"], found.transpose(1, 2).flatten(2), x)
        return self._ended(self["output"], F.gelu(self["intermediate"]["dense"](x)), x)

    def _ended(self, part: nn.ModuleDict, found: Tensor, x: Tensor) -> Tensor:
        return part["LayerNorm"](x + self.dropout(part["dense"](found)))
