"""torch's LSTM as the oracle of ours."""

import torch

from crosslingua.bilstm import BiLstm


def torchs(layer: BiLstm) -> torch.nn.LSTM:
    """torch's LSTM with the same weights; its gates stand in the order input, forget, candidate, output."""
    dimension, hidden = layer.inputs.shape[1], layer.recurrent.shape[1]
    found = torch.nn.LSTM(dimension, hidden, bidirectional=True, batch_first=True)
    with torch.no_grad():
        for side, suffix in enumerate(("", "_reverse")):
            for name, weights in (("ih", layer.inputs), ("hh", layer.recurrent), ("bias", layer.bias)):
                out, enter, keep, candidate = weights[side].chunk(4, dim=-1)
                own = torch.cat([enter, keep, candidate, out], dim=-1)
                if name == "bias":
                    getattr(found, f"bias_ih_l0{suffix}").copy_(own[0])
                    getattr(found, f"bias_hh_l0{suffix}").zero_()
                else:
                    getattr(found, f"weight_{name}_l0{suffix}").copy_(own.T)
    return found
