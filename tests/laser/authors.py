"""A small checkpoint of the published layout, and the output of the authors' encoder for it."""

import torch
from torch import nn

DICTIONARY = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "lo@@": 4, "w": 5, "er": 6, "w@@": 7}
PARAMS = {
    "num_embeddings": 9, "padding_idx": 1, "embed_dim": 6, "hidden_size": 4, "num_layers": 5,
    "bidirectional": True, "left_pad": True, "padding_value": 0.0,
}  # fmt: skip
CODES = "l o 5\ne r</w> 4\n"  # merges: lo, er
VOCABULARY = "lo@@ 5\ner 4\nw@@ 2\nw 1\n"


class AuthorsEncoder(nn.Module):
    """The modules whose state the authors saved; `embed` is the plainest reading of the paper."""

    def __init__(self):
        super().__init__()
        self.embed_tokens = nn.Embedding(9, 6, padding_idx=1)
        self.lstm = nn.LSTM(6, 4, num_layers=5, bidirectional=True)

    def embed(self, ids):
        states, _ = self.lstm(self.embed_tokens(torch.tensor(ids))[:, None])
        return states[:, 0].max(dim=0).values


def write(path, authors, **changes):
    """Save a checkpoint; `changes` replace its parts."""
    parts = {"params": PARAMS, "model": authors.state_dict(), "dictionary": DICTIONARY} | changes
    torch.save(parts, path)
