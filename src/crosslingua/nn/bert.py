"""The encoders of BERT, RoBERTa (of either norm) and XLM-R, with transformers' names of weights and its results.

A module of its own because importing transformers' models costs more processor time than a small fine-tuning: they
bring torch's compiler, sympy and more. Pre-training also needs less than the library computes: the last layer at some
positions only, and layers up to any one. Other activations and decoders are left to transformers.
"""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Self

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from crosslingua.errors import InputError
from crosslingua.nn.half import Dropout, dropped

PRE_NORM = "roberta-prelayernorm"
KINDS = ("bert", "roberta", "xlm-roberta", PRE_NORM)  # model_type
FIRST = slice(0, 1)  # columns: the first piece of each row


class Shape(NamedTuple):
    """The architecture, which the weights do not state or from which they are made."""

    vocabulary: int
    hidden: int
    layers: int
    heads: int
    feed_forward: int
    positions: int  # rows of the table, offset included
    position_offset: int  # index of the first token's position: behind padding's for RoBERTa, 0 for BERT
    types: int  # languages, or 1
    dropout: float
    norm_epsilon: float
    pad: int
    attention_dropout: float | None = None  # None: as elsewhere
    pre_norm: bool = False  # whether a layer normalises before its parts, not after them

    @classmethod
    def of(cls, config: Mapping[str, Any], path: str | Path) -> Self:
        """Return the shape in a config.json of KINDS at `path`. Raises InputError for a key that cannot be."""
        bert = config["model_type"] == "bert"
        pad = config.get("pad_token_id", 0 if bert else 1)
        _check(config, pad, path)
        return cls(
            vocabulary=config["vocab_size"],
            hidden=config["hidden_size"],
            layers=config["num_hidden_layers"],
            heads=config["num_attention_heads"],
            feed_forward=config["intermediate_size"],
            positions=config["max_position_embeddings"],
            position_offset=0 if bert else pad + 1,
            types=config.get("type_vocab_size", 1),
            dropout=config.get("hidden_dropout_prob", 0.1),
            norm_epsilon=config.get("layer_norm_eps", 1e-12),
            pad=pad,
            attention_dropout=config.get("attention_probs_dropout_prob", 0.1),
            pre_norm=config["model_type"] == PRE_NORM,
        )


SIZES = (
    "vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size",
    "max_position_embeddings", "type_vocab_size",
)  # fmt: skip
NUMBERS = ("hidden_dropout_prob", "layer_norm_eps", "attention_probs_dropout_prob")


def _check(config: Mapping[str, Any], pad: Any, path: str | Path) -> None:
    """Raise InputError for the first key of a config.json whose value no encoder can have."""
    for name in SIZES:
        size = config.get(name, 1 if name == "type_vocab_size" else None)
        if not isinstance(size, int) or isinstance(size, bool) or size < 1:
            _refuse(path, name, size, "a whole number from 1")
    for name in NUMBERS:
        number = config.get(name, 0.0)
        if not isinstance(number, int | float) or not 0 <= number <= 1:
            _refuse(path, name, number, "a number from 0 to 1")
    heads, hidden = config["num_attention_heads"], config["hidden_size"]
    if hidden % heads:
        _refuse(path, "num_attention_heads", heads, f"a divisor of hidden_size, which is {hidden}")
    room = min(config["vocab_size"], config["max_position_embeddings"])
    known = isinstance(pad, int) and not isinstance(pad, bool) and 0 <= pad < room
    if not known and not (pad is None and config["model_type"] == "bert"):
        _refuse(path, "pad_token_id", pad, f"a whole number from 0 to {room - 1}")


def _refuse(path: str | Path, name: str, value: Any, legal: str) -> None:
    raise InputError(
        path, f"{name} is {value!r:.40}, and must be {legal}", remedy="fetch or write the encoder again"
    )


class Spans(NamedTuple):
    """A mask: sequences stand end to end in one row, so that no padding is computed and shapes stay the same.

    Where they begin, and the last ends, among the tokens of the row: `keys` (s + 1,) int32. `queries` (s + 1,) are the
    same bounds of the tokens that attend, `masked` (s + 1,) of masked positions. `longest`, `most` and `most_masked`
    bound how many of each a sequence has.
    """

    keys: Tensor
    queries: Tensor
    masked: Tensor
    longest: int
    most: int
    most_masked: int

    def of_columns(self) -> Self:
        """Return the mask for queries of masked positions alone."""
        return self._replace(queries=self.masked, most=self.most_masked)

    def attend(self, q: Tensor, k: Tensor, v: Tensor, dropout: float) -> Tensor:
        """Return the attention (1, h, n, d) of queries (1, h, n, d) to the keys (1, h, t, d) of their sequence."""
        if not q.is_cuda:
            asking, asked = (
                torch.searchsorted(starts, torch.arange(x.shape[2], dtype=torch.int32), right=True)
                for starts, x in ((self.queries, q), (self.keys, k))
            )
            together = asking[:, None] == asked  # a query and a key of one sequence
            return F.scaled_dot_product_attention(q, k, v, together, dropout)
        # x[0] would be copied in the backward pass
        q, k, v = (x.squeeze(0).transpose(0, 1) for x in (q, k, v))
        # torch's public function for this, varlen_attn, has no dropout.
        found = torch.ops.aten._flash_attention_forward(
            q, k, v, self.queries, self.keys, self.most, self.longest, dropout, False, False
        )
        return found[0].transpose(0, 1).unsqueeze(0)


class Packed(NamedTuple):
    """A mask: pieces (1, n) without padding, attended to as rows (b, t) on a CPU in bfloat16.

    `places` (n,) are those of the pieces in the rows, `numbers` (b * t,) the inverse, n at padding, and `real` (b, t)
    tells them apart. `first`: the first piece of each row alone attends.
    """

    places: Tensor
    numbers: Tensor
    real: Tensor
    first: bool = False

    @classmethod
    def of(cls, real: Tensor) -> Self:
        """Return the mask of rows whose pieces are `real` (b, t)."""
        places = real.flatten().nonzero().squeeze(1)
        numbers = torch.full((real.numel(),), len(places))
        numbers[places] = torch.arange(len(places))
        return cls(places, numbers, real)

    @property
    def starts(self) -> Tensor:
        """The places (1, b) of the first pieces of rows."""
        return self.numbers.view(self.real.shape)[None, :, 0]

    def of_columns(self) -> Self:
        """Return the mask for queries of the first pieces alone."""
        return self._replace(first=True)

    def pack(self, x: Tensor) -> Tensor:
        """Return the pieces (1, n, d) of x (b, t, d)."""
        return _Moved.apply(x.flatten(0, 1), self.places, self.numbers)[None]

    def unpack(self, x: Tensor) -> Tensor:
        """Return rows (b, t, d) of the pieces x (1, n, d), with zeros at padding."""
        return _Moved.apply(x[0], self.numbers, self.places).unflatten(0, self.real.shape)

    def attend(self, q: Tensor, k: Tensor, v: Tensor, dropout: float) -> Tensor:
        """Return the attention (1, h, n, d) of queries (1, h, n, d) to the keys of their row."""
        heads = q.shape[1]
        q, k, v = (x.transpose(1, 2).flatten(2) for x in (q, k, v))
        asking = q.transpose(0, 1) if self.first else self.unpack(q)
        rows = (_heads(x, heads) for x in (asking, self.unpack(k), self.unpack(v)))
        found = _attention(*rows, keys(self.real), dropout).transpose(1, 2).flatten(2)
        found = found.transpose(0, 1) if self.first else self.pack(found)
        return _heads(found, heads)


class _Moved(torch.autograd.Function):
    """The rows `there` of x (n, d), zeros where that is n. `back` is the inverse: the gradient moves as the rows do."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, there: Tensor, back: Tensor) -> Tensor:
        ctx.save_for_backward(there, back)
        if len(there) > len(x):  # some are n
            x = torch.cat([x, x.new_zeros(1, x.shape[1])])
        return x.index_select(0, there)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        there, back = ctx.saved_tensors
        return _Moved.apply(gradient, back, there), None, None


Mask = Tensor | Spans | Packed | None  # None: there is a piece everywhere


class Output(NamedTuple):
    """The last layer (b, t, d) and, if asked for, the embeddings and what leaves each layer."""

    last_hidden_state: Tensor
    hidden_states: tuple[Tensor, ...] | None


class Bert(nn.Module):
    """An encoder, called as transformers' are; its weights are to be loaded or drawn.

    `pretraining` adds the same numbers in another order, forwards and backwards, which changes the last bits. Committed
    runs of pre-training have one order, and all readers of encoders have the other.
    """

    def __init__(self, shape: Shape, pretraining: bool = False):
        super().__init__()
        self.embeddings = Embeddings(shape, pretraining)
        layers = nn.ModuleList(BertLayer(shape, pretraining) for _ in range(shape.layers))
        self.encoder = nn.ModuleDict({"layer": layers})
        self.LayerNorm = nn.LayerNorm(shape.hidden, shape.norm_epsilon) if shape.pre_norm else nn.Identity()

    @property
    def layers(self) -> nn.ModuleList:
        """The layers of the Transformer."""
        return self.encoder["layer"]

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
        padded = attention_mask is not None and not bool(attention_mask.all())
        mask = keys(attention_mask.bool()) if padded else None
        x = self.embeddings(input_ids, token_type_ids, position_ids)
        x = x.to(self.layers[0].output["dense"].weight.dtype)
        columns = FIRST if first_only else None
        if packs := padded and _is_half(x):
            mask = Packed.of(attention_mask.bool())
            x, columns = mask.pack(x), mask.starts if first_only else None
        states = self.states(x, mask, -1)
        states.append(self.last_state(states[-1], mask, columns))
        if packs:
            *states, last = states
            states = [mask.unpack(x) for x in states] if output_hidden_states else []
            states.append(last.transpose(0, 1) if first_only else mask.unpack(last))
        return Output(states[-1], tuple(states) if output_hidden_states else None)

    def states(self, x: Tensor, mask: Mask, last: int | None) -> list[Tensor]:
        """Return the embeddings x (b, t, d) and what leaves the layers `[:last]`; `mask` as of a layer.

        What leaves the last layer of all is normalised once more if layers normalise before their parts.
        """
        states = [x]
        for layer in list(self.layers)[:last]:
            states.append(layer(states[-1], mask))
        if len(states) > len(self.layers):
            states[-1] = self.LayerNorm(states[-1])
        return states

    def last_state(self, x: Tensor, mask: Mask, columns: Tensor | slice | None) -> Tensor:
        """Return what `states` has last, from the state x before it, or that at `columns` only."""
        return self.LayerNorm(self.layers[-1](x, mask, columns))


class Embeddings(nn.Module):
    """The sum of the embeddings of word, position and type, normalised."""

    def __init__(self, shape: Shape, pretraining: bool):
        super().__init__()
        size, self.behind_padding = shape.hidden, shape.position_offset > 0
        self.word_embeddings = _embeddings(shape.vocabulary, size, shape.pad)
        behind = shape.pad if self.behind_padding else None
        self.position_embeddings = _embeddings(shape.positions, size, behind)
        self.token_type_embeddings = _embeddings(shape.types, size, None)
        self.LayerNorm = nn.LayerNorm(size, eps=shape.norm_epsilon)
        self.dropout = Dropout(shape.dropout)
        self._positions_first = pretraining

    def forward(self, ids: Tensor, types: Tensor | None, positions: Tensor | None) -> Tensor:
        """Return (b, t, d). Positions count pieces, behind padding's number in RoBERTa; types are 0 by default."""
        if positions is None and self.behind_padding:
            pad = self.word_embeddings.padding_idx
            real = ids.ne(pad).long()
            positions = real.cumsum(dim=1) * real + pad
        elif positions is None:
            positions = torch.arange(ids.shape[1], device=ids.device).expand(ids.shape)
        kinds = self.token_type_embeddings.weight[0] if types is None else self.token_type_embeddings(types)
        more = [kinds, self.position_embeddings(positions)]
        first, second = reversed(more) if self._positions_first else more
        return self.dropout(self.LayerNorm(self.word_embeddings(ids) + first + second))


def _embeddings(rows: int, size: int, pad: int | None) -> nn.Embedding:
    """Return embeddings whose weights are still to come: to draw 250,000 first takes seconds."""
    return nn.Embedding.from_pretrained(torch.empty(rows, size), freeze=False, padding_idx=pad)


class BertLayer(nn.Module):
    """One layer of the Transformer, normalised after each part (Vaswani et al. 2017) or before (Xiong et al. 2020)."""

    def __init__(self, shape: Shape, pretraining: bool):
        super().__init__()
        size = shape.hidden

        def part(inputs: int, outputs: int, normalised: bool) -> nn.ModuleDict:
            norm = {"LayerNorm": nn.LayerNorm(size, eps=shape.norm_epsilon)} if normalised else {}
            return nn.ModuleDict({"dense": nn.Linear(inputs, outputs), **norm})

        pre, inner = shape.pre_norm, shape.feed_forward
        own = nn.ModuleDict({name: nn.Linear(size, size) for name in ("query", "key", "value")})
        self.attention = nn.ModuleDict({"self": own, "output": part(size, size, not pre)})
        if pre:
            self.attention["LayerNorm"] = nn.LayerNorm(size, eps=shape.norm_epsilon)
        self.intermediate, self.output = part(size, inner, pre), part(inner, size, not pre)
        self.pre_norm = pre
        self.heads, self.dropout = shape.heads, Dropout(shape.dropout)
        apart = shape.attention_dropout
        self.attention_dropout = shape.dropout if apart is None else apart
        self._order = ("key", "value", "query") if pretraining else ("query", "key", "value")

    def forward(self, x: Tensor, mask: Mask, columns: Tensor | slice | None = None) -> Tensor:
        """Return what leaves the layer (b, t, d), or that at `columns` of each row only (b, m, d), see `at_columns`.

        `mask` (b, 1, 1, t) is true where there is a piece; None if there is one everywhere.
        """
        every = asking = self._begun(self.attention, x)
        parts = {}
        for name in self._order:
            if name == "query" and columns is not None:
                x = at_columns(x, columns)
                asking = at_columns(every, columns) if self.pre_norm else x
                if isinstance(mask, Spans | Packed):
                    mask = mask.of_columns()
            part = self.attention["self"][name](asking if name == "query" else every)
            parts[name] = _heads(part, self.heads)
        dropout = self.attention_dropout if self.training else 0.0
        attend = mask.attend if isinstance(mask, Spans | Packed) else partial(_attention, mask=mask)
        found = attend(parts["query"], parts["key"], parts["value"], dropout=dropout)
        x = self._ended(self.attention["output"], found.transpose(1, 2).flatten(2), x)
        inner = self.intermediate["dense"](self._begun(self.intermediate, x))
        return self._ended(self.output, F.gelu(inner), x)

    def _begun(self, part: nn.ModuleDict, x: Tensor) -> Tensor:
        return part["LayerNorm"](x) if self.pre_norm else x

    def _ended(self, part: nn.ModuleDict, found: Tensor, x: Tensor) -> Tensor:
        x = x + self.dropout(part["dense"](found))
        return x if self.pre_norm else part["LayerNorm"](x)


def _heads(x: Tensor, heads: int) -> Tensor:
    """Return (b, h, t, d / h) of x (b, t, d)."""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def _is_half(x: Tensor) -> bool:
    """Whether x is computed with on a CPU in bfloat16."""
    return x.dtype == torch.bfloat16 and not x.is_cuda


def _attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, dropout: float) -> Tensor:
    """Return the attention (b, h, n, d) of queries (b, h, n, d) to keys (b, h, t, d) at `mask` (b, 1, 1, t)."""
    if not _is_half(q):
        return F.scaled_dot_product_attention(q, k, v, mask, dropout)
    # Torch's own kernel is slow on CPUs in bf16, and so are products of strided matrices.
    flat = [x.contiguous().flatten(0, 1) for x in (q, k, v)]
    added = q.new_zeros(q.shape[0], 1, 1, k.shape[2])
    if mask is not None:
        added.masked_fill_(~mask, torch.finfo(q.dtype).min)
    added = added.expand(-1, q.shape[1], -1, -1).flatten(0, 1)
    scores = torch.baddbmm(added, flat[0], flat[1].mT, beta=int(mask is not None), alpha=q.shape[-1] ** -0.5)
    shares = dropped(scores.softmax(-1, torch.float32).to(v.dtype), dropout)
    return (shares @ flat[2]).unflatten(0, q.shape[:2])


def keys(mask: Mask) -> Mask:
    """Return the mask (b, t) of pieces as a mask of keys, (b, 1, 1, t)."""
    return mask[:, None, None, :] if isinstance(mask, Tensor) else mask


def at_columns(x: Tensor, columns: Tensor | slice) -> Tensor:
    """Return the vectors (b, m, d) of x (b, t, d) at the places `columns` (b, m) of each row, or at a slice."""
    if isinstance(columns, slice):
        return x[:, columns]
    return x.gather(1, columns[..., None].expand(-1, -1, x.shape[-1]))
