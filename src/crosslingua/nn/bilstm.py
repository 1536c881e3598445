"""A bidirectional LSTM layer (Hochreiter and Schmidhuber 1997; Graves and Schmidhuber 2005) for padded sentences."""

import torch
from torch import Tensor, nn


class BiLstm(nn.Module):
    """One layer of `hidden` units a direction; initial weights are uniform in ±1/√hidden, as in torch.

    The second LSTM reads each sentence reversed, with padding last, which is faster than torch's packed sentences. An
    LSTM has one bias. Of torch's two, one stays 0, since their sum would move twice as far under Adam.
    """

    def __init__(self, dimension: int, hidden: int):
        super().__init__()
        lstms = (nn.LSTM(dimension, hidden, device="meta").to_empty(device="cpu") for _ in range(2))
        self.lstms = nn.ModuleList(lstms)
        parts = {"weight_ih_l0": dimension, "weight_hh_l0": hidden, "bias_ih_l0": 1}
        for name, size in parts.items():
            # Drawn for both directions at once, output gates before the other three.
            drawn = torch.empty(2, size, 4 * hidden).uniform_(-(hidden**-0.5), hidden**-0.5)
            for lstm, own in zip(self.lstms, drawn, strict=True):
                weights = getattr(lstm, name)
                weights.data = own.T.roll(-hidden, 0).reshape(weights.shape)
        for lstm in self.lstms:
            nn.init.zeros_(lstm.bias_hh_l0).requires_grad_(False)

    def forward(self, vectors: Tensor, reverse: Tensor) -> Tensor:
        """Return (words, rows, 2 hidden) of vectors (words, rows, d). `reverse` (words, rows) is from `reversal`.
        Values at padding are undefined, and must get no gradient.
        """
        first, second = self.lstms
        ahead, back = first(vectors)[0], second(_reversed(vectors, reverse))[0]
        return torch.cat([ahead, _reversed(back, reverse)], dim=-1)


def reversal(mask: Tensor) -> Tensor:
    """Return (words, rows): the word at each place of a reversed sentence; padding stays."""
    places = torch.arange(mask.shape[1], device=mask.device)[:, None]
    lengths = mask.sum(dim=1)
    return torch.where(places < lengths, lengths - 1 - places, places)


def _reversed(values: Tensor, reverse: Tensor) -> Tensor:
    """Return values (words, rows, d) with each row reversed; the function is its own inverse."""
    rows = torch.arange(reverse.shape[1], device=reverse.device)
    places = (reverse * reverse.shape[1] + rows).flatten()
    return values.flatten(0, 1).index_select(0, places).view(values.shape)
