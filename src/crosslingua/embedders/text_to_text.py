"""A Hugging Face encoder with a decoder (T5, mT5)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from crosslingua.embedders.encoder import Pretrained
from crosslingua.embedders.loading import load_encoder_decoder
from crosslingua.errors import InputError
from crosslingua.nn.ragged import Ragged

IGNORED = -100
LONGEST = 1024  # pieces read at once by a model that could read any number: mT5's in pre-training


class TextToText(Pretrained):
    """A model that writes text."""

    def __init__(self, model: nn.Module, tokenizer: Any, folder: str | Path):
        super().__init__(model, tokenizer, folder, LONGEST)
        self.end, self.pad = _needed(model.config, "eos_token_id"), _needed(model.config, "pad_token_id")

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Load a folder, in float32. Raises InputError if it holds no such model or lacks weights."""
        return cls(*load_encoder_decoder(str(folder)), folder)

    def add_words(self, words: Sequence[str]) -> None:
        """Add each word as a piece, with new embeddings as large as the others (torch's generator)."""
        self.tokenizer.add_tokens(list(words))
        size = len(self.tokenizer)
        if size > self.config.vocab_size:
            apart = self._tables()[1:]
            self.model.resize_token_embeddings(size, mean_resizing=False)  # which ties the output layer
            for weight in apart:
                grown = nn.Parameter(weight.new_zeros(size, weight.shape[1]), weight.requires_grad)
                with torch.no_grad():
                    grown[: len(weight)] = weight
                self.model.get_output_embeddings().weight = grown
        first = size - len(words)
        with torch.no_grad():
            for weight in self._tables():
                weight[first:].normal_(0, weight[:first].std().item())

    def _tables(self) -> list[nn.Parameter]:
        """Return the input embeddings, and the output embeddings if they differ (mT5)."""
        read, written = self.model.get_input_embeddings().weight, self.model.get_output_embeddings().weight
        return [read] if written is read else [read, written]

    def loss(self, sources: Ragged, targets: Ragged, rows: np.ndarray) -> Tensor:
        """Return the mean cross-entropy of all target pieces of some rows, ends included."""
        written = torch.from_numpy(targets.padded(rows, IGNORED)).to(self.device)
        logits = self.model(
            **self._inputs(sources, rows), decoder_input_ids=self._shifted(written), use_cache=False
        ).logits
        return F.cross_entropy(logits.flatten(0, 1), written.flatten(), ignore_index=IGNORED)

    def _inputs(self, sources: Ragged, rows: np.ndarray) -> dict[str, Tensor]:
        ids = torch.from_numpy(sources.padded(rows, self.pad)).to(self.device)
        lengths = torch.from_numpy(sources.lengths[rows]).to(self.device)
        present = torch.arange(ids.shape[1], device=self.device) < lengths[:, None]
        return {"input_ids": ids, "attention_mask": present.long()}

    def _shifted(self, written: Tensor) -> Tensor:
        """Return the decoder's input at each piece."""
        start = self.config.decoder_start_token_id
        start = self.pad if start is None else start
        return F.pad(written[:, :-1], (1, 0), value=start).masked_fill(
            F.pad(written[:, :-1], (1, 0), value=0) == IGNORED, self.pad
        )

    @torch.inference_mode()
    def write(self, sources: Ragged, rows: np.ndarray, most: int) -> list[list[int]]:
        """Return the greedy output for some rows, up to `most` pieces each, without the end. Keys and values are
        cached; once half of the rows have ended, these are no longer computed.
        """
        self.eval()
        inputs = self._inputs(sources, rows)
        states = self.model.get_encoder()(**inputs).last_hidden_state
        mask = inputs["attention_mask"]
        token = self._shifted(torch.zeros(len(rows), 1, dtype=torch.int64, device=self.device))
        cache, open_rows = None, np.arange(len(rows))
        written = np.full((len(rows), most), self.end)
        for place in range(most):
            output = self.model(
                encoder_outputs=(states,), attention_mask=mask, decoder_input_ids=token,
                past_key_values=cache, use_cache=True,
            )  # fmt: skip
            cache, token = output.past_key_values, output.logits[:, -1:].argmax(dim=-1)
            written[open_rows, place] = token[:, 0].cpu().numpy()
            going = (written[open_rows, : place + 1] != self.end).all(axis=1)
            if not going.any():
                break
            if 2 * going.sum() <= len(going):  # to copy the cache costs too: not at every step
                left = torch.from_numpy(np.flatnonzero(going)).to(self.device)
                cache.batch_select_indices(left)
                states, mask, token, open_rows = states[left], mask[left], token[left], open_rows[going]
        return [self._until_end(row) for row in written.tolist()]

    def _until_end(self, pieces: list[int]) -> list[int]:
        return pieces[: pieces.index(self.end)] if self.end in pieces else pieces

    def text(self, pieces: Sequence[int]) -> str:
        """Return the text of pieces, without special ones."""
        return self.tokenizer.decode(
            list(pieces), skip_special_tokens=True, clean_up_tokenization_spaces=False
        ).strip()


def _needed(config: Any, name: str) -> int:
    value = getattr(config, name, None)
    if not isinstance(value, int):
        raise InputError(config.name_or_path, f"config.json has no {name}, which writing needs")
    return value
