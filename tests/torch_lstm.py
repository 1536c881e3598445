"""torch's bidirectional LSTM as the oracle of ours."""

import torch

from crosslingua.nn.bilstm import BiLstm


def names(layer: BiLstm) -> dict[str, torch.Tensor]:
    """The layer's weights by their names in torch's bidirectional LSTM."""
    forward, backward = (lstm.named_parameters() for lstm in layer.lstms)
    return {**dict(forward), **{f"{name}_reverse": weight for name, weight in backward}}


def torchs(layer: BiLstm) -> torch.nn.LSTM:
    first = layer.lstms[0]
    found = torch.nn.LSTM(first.input_size, first.hidden_size, bidirectional=True, batch_first=True)
    found.load_state_dict(names(layer))
    return found
