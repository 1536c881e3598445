"""torch's bidirectional LSTM as the oracle of ours."""

import torch

from crosslingua.bilstm import BiLstm


def names(layer: BiLstm) -> dict[str, torch.Tensor]:
    """The layer's weights by their names in torch's bidirectional LSTM."""
    suffixes = zip(layer.lstms, ("", "_reverse"), strict=True)
    return {
        f"{name}{suffix}": weight for lstm, suffix in suffixes for name, weight in lstm.named_parameters()
    }


def torchs(layer: BiLstm) -> torch.nn.LSTM:
    """torch's LSTM with the same weights."""
    first = layer.lstms[0]
    found = torch.nn.LSTM(first.input_size, first.hidden_size, bidirectional=True, batch_first=True)
    found.load_state_dict(names(layer))
    return found
