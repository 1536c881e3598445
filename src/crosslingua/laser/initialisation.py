"""Starting values as in the authors' training program: uniform, padding zero."""

from __future__ import annotations

from torch import nn

RANGE = 0.1


def uniform_(module: nn.Module) -> None:
    """Draw all weights from [-0.1, 0.1]; the embedding of padding is zero, and so is its gradient."""
    for parameter in module.parameters():
        nn.init.uniform_(parameter, -RANGE, RANGE)
    for part in module.modules():
        if isinstance(part, nn.Embedding) and part.padding_idx is not None:
            nn.init.zeros_(part.weight[part.padding_idx])
