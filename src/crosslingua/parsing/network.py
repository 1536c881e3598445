"""Deep biaffine attention over a BiLSTM (Dozat and Manning 2017), small, with parts of speech predicted beside it."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class TreeScores(NamedTuple):
    """`arcs[b, word, head]`, head 0 the root; `relations[b, word, head, relation]`; `upos[b, word, tag]`."""

    arcs: Tensor
    relations: Tensor
    upos: Tensor


class Biaffine(nn.Module):
    """x W y, with a bias on the side of x and, where `both`, on that of y."""

    def __init__(self, size: int, out: int, both: bool):
        super().__init__()
        self.both = both
        self.weight = nn.Parameter(torch.zeros(out, size + 1, size + both))

    def forward(self, one: Tensor, other: Tensor) -> Tensor:
        """Return scores of shape (batch, out, rows of `one`, rows of `other`)."""
        one = torch.cat([one, one.new_ones(*one.shape[:-1], 1)], -1)
        if self.both:
            other = torch.cat([other, other.new_ones(*other.shape[:-1], 1)], -1)
        return torch.einsum("bxi,oij,byj->boxy", one, self.weight, other)


class ParserNetwork(nn.Module):
    """Scores of arcs, relations and parts of speech; the published network's parts at about a third of its sizes."""

    def __init__(self, words: int, endings: int, shapes: int, upos: int, relations: int, hidden: int = 128):
        super().__init__()
        self.embeddings = nn.ModuleList(
            nn.Embedding(number, size) for number, size in ((words, 100), (endings, 50), (shapes, 16))
        )
        self.lstm = nn.LSTM(166, hidden, num_layers=2, bidirectional=True, batch_first=True, dropout=0.33)
        self.root = nn.Parameter(torch.zeros(2 * hidden))
        sizes = {"arc_word": 128, "arc_head": 128, "relation_word": 64, "relation_head": 64}
        self.views = nn.ModuleDict(
            {
                name: nn.Sequential(nn.Linear(2 * hidden, size), nn.LeakyReLU(0.1))
                for name, size in sizes.items()
            }
        )
        self.arcs = Biaffine(128, 1, both=False)
        self.relations = Biaffine(64, relations, both=True)
        self.upos = nn.Linear(2 * hidden, upos)
        self.dropout = nn.Dropout(0.33)

    def forward(self, features: Tensor, lengths: Tensor) -> TreeScores:
        """Score sentences: `features` (batch, longest, 3) padded with 0, `lengths` (batch,)."""
        embedded = torch.cat([table(features[..., i]) for i, table in enumerate(self.embeddings)], -1)
        packed = pack_padded_sequence(self.dropout(embedded), lengths, batch_first=True, enforce_sorted=False)
        states = self.dropout(pad_packed_sequence(self.lstm(packed)[0], batch_first=True)[0])
        root = self.root.expand(len(states), 1, -1)
        with_root = torch.cat([root, states], 1)
        view = {name: self.dropout(layer(with_root)) for name, layer in self.views.items()}
        arcs = self.arcs(view["arc_word"], view["arc_head"])[:, 0, 1:]
        relations = self.relations(view["relation_word"], view["relation_head"])[:, :, 1:]
        return TreeScores(arcs, relations.permute(0, 2, 3, 1), self.upos(states))
