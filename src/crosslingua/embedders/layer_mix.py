"""A piece's vector from the hidden states of LSTM layers (laser_taggers, equations 2 and 3)."""

from __future__ import annotations

import torch
from torch import Tensor, nn


def max_over_directions(states: Tensor) -> Tensor:
    """Return the maximum (..., h) of forward and backward states, the halves of `states` (..., 2 h) (equation 2)."""
    forward, backward = states.chunk(2, dim=-1)
    return torch.maximum(forward, backward)


class LayerMix(nn.Module):
    """Layers weighted by a softmax of learnt weights and scaled by a learnt γ (equations 2 and 3; Peters et al. 2018).

    Weights begin equal and γ at 1. Of one layer, γ is all there is to learn: equation 2.
    """

    def __init__(self, layers: int):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(()))
        self.weights = nn.Parameter(torch.zeros(layers), requires_grad=layers > 1)

    def forward(self, states: Tensor) -> Tensor:
        """Return (pieces, h) of states (pieces, layers, h), each the maximum over directions."""
        shares = self.weights.softmax(dim=0)
        return self.scale * torch.einsum("plh,l->ph", states, shares)
