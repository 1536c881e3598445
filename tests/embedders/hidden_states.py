"""What transformers itself computes of words."""

from collections.abc import Sequence
from pathlib import Path

import torch
from transformers import AutoModel, AutoTokenizer


@torch.no_grad()
def hidden_states(folder: Path, words: Sequence[str]) -> torch.Tensor:
    """Return the states of each word (words, layers, d) of a sentence, the embeddings first: means of its pieces."""
    pieces = AutoTokenizer.from_pretrained(folder)(list(words), is_split_into_words=True, return_tensors="pt")
    states = AutoModel.from_pretrained(folder).eval()(**pieces, output_hidden_states=True).hidden_states
    owners = torch.tensor([-1 if word is None else word for word in pieces.word_ids()])
    return torch.stack([torch.stack(states)[:, 0, owners == word].mean(dim=1) for word in range(len(words))])
