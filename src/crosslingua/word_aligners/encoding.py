"""Vectors of subwords from the layers of a transformer encoder, in batches."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from crosslingua.embedders.encoder import Encoder
from crosslingua.embedders.loading import load_encoder, longest_input
from crosslingua.embedders.words import Words, special_tokens
from crosslingua.errors import ConfigError, InputError
from crosslingua.word_aligners.layout import Layout, Template
from crosslingua.word_aligners.units import Pair, UnitPair, Units, padded

log = logging.getLogger(__name__)


class EncoderEmbedding:
    """Hidden vectors of `layers` (0: the embeddings, k: the k-th layer) of an encoder.

    A pair that is encoded jointly is joined as its tokeniser joins pairs (BERT: `[CLS] source [SEP] target [SEP]`,
    XLM-R: `<s> source </s></s> target </s>`; XLM-Align's released aligner has one `</s>` there). The target's positions
    begin at 0 again if the encoder was trained on such pairs (`restart_positions` in its configuration). `languages`,
    the names of source and target, are needed by encoders with language embeddings (`lang2id` there).
    Sequences too long for the encoder are encoded in overlapping windows (`over_length="window"`) or are an error
    ("refuse"). `model` need not have more layers than are read.
    """

    def __init__(
        self,
        model: Any,
        tokeniser: Any,
        layers: Sequence[int],
        languages: Sequence[str] | None = None,
        over_length: str = "window",
    ):
        self.encoder = Encoder(model, tokeniser, model.config.name_or_path or "the encoder").eval()
        self.layers = tuple(layers)
        self.words = Words(tokeniser)
        limit = longest_input(model.config, tokeniser)
        self.alone, self.joint = (Template(special_tokens(tokeniser, n), limit, over_length) for n in (1, 2))
        self._padding = tokeniser.pad_token_id or 0
        self._languages = _language_numbers(self.encoder, languages)
        self._restart = getattr(model.config, "restart_positions", False)

    @classmethod
    def load(
        cls, name: str, layers: Sequence[int], device: str = "cpu", dtype: str = "float32", **options: Any
    ) -> EncoderEmbedding:
        """Load the encoder in a folder, or by its name on the hub, up to the highest of `layers`.

        `dtype` is the precision of the encoder ("bfloat16": about twice as fast where a processor has it); the
        aligners compute with float32. Raises ConfigError for a device that torch does not find.
        """
        return cls(*load_on(device, dtype, name, max(layers)), layers, **options)

    def units(self, pair: Pair) -> UnitPair:
        """Divide the words of a pair into subwords."""
        return UnitPair(*map(self._units, pair))

    def vectors(self, pairs: Sequence[UnitPair], joint: bool) -> list[tuple[Tensor, Tensor]]:
        """Encode pairs; see `UnitEmbedding`. Raises InputError for vectors that are not finite."""
        if not joint:
            return list(zip(*(self._alone(pairs, side) for side in (0, 1)), strict=True))
        layout = Layout(self.joint)
        for pair in pairs:
            layout.add([side.ids for side in pair], self._languages or (0, 1))
        hidden = self._hidden(layout)
        sides = [self._gather(hidden, layout, slice(side, None, 2)) for side in (0, 1)]
        return list(zip(*sides, strict=True))

    def report(self) -> None:
        """Log the words of which the tokeniser drops every character."""
        if words := self.words.dropped:
            log.warning(
                "the tokeniser makes nothing of %d words, such as %r: unknown tokens", len(words), words[0]
            )

    def _units(self, sentence: list[str]) -> Units:
        pieces = self.words.pieces(sentence)
        return Units(
            [piece for word in pieces for piece in word],
            [number for number, word in enumerate(pieces) for _ in word],
        )

    def _alone(self, pairs: Sequence[UnitPair], side: int) -> list[Tensor]:
        """Encode the sentences of one side by themselves."""
        layout = Layout(self.alone)
        for pair in pairs:
            layout.add([pair[side].ids], [self._languages[side] if self._languages else 0])
        return self._gather(self._hidden(layout), layout, slice(None))

    def _hidden(self, layout: Layout) -> list[Tensor]:
        """Return the hidden states (sequences, longest, d) of the layers that are read."""
        ids, types = padded(layout.sequences, self._padding), padded(layout.types, 0)
        lengths = np.array([len(sequence) for sequence in layout.sequences])
        positions = padded(layout.positions, 0) if self._restart else None
        states = self.encoder.states(ids, lengths, types, positions)
        return [states[layer] for layer in self.layers]

    def _gather(self, hidden: list[Tensor], layout: Layout, sentences: slice) -> list[Tensor]:
        """Take the units' vectors (b, n, d) out of the hidden state of each layer."""
        rows, columns = (
            torch.from_numpy(padded(index[sentences], 0)).to(hidden[0].device)
            for index in (layout.rows, layout.columns)
        )
        found = [state[rows, columns].float() for state in hidden]
        for layer, vectors in zip(self.layers, found, strict=True):
            if not vectors.isfinite().all():  # from which any aligner would make links of some kind
                raise InputError(
                    self.encoder.folder, f"layer {layer} has vectors that are not finite (nan, inf)",
                    remedy="its weights are damaged or its training diverged: fetch or train it again",
                )  # fmt: skip
        return found


def load_on(device: str, dtype: str, name: str, layer: int) -> tuple[Any, Any]:
    """Return model and tokeniser of `loading.load_encoder`, the model on `device` in the precision `dtype`."""
    _check_device(device)
    model, tokeniser = load_encoder(name, layer)
    return model.to(device, getattr(torch, dtype)), tokeniser


def _check_device(device: str) -> None:
    try:
        torch.empty(0, device=device)
    except (AssertionError, RuntimeError):  # a torch without CUDA asserts
        raise ConfigError(
            f"device is {device}, but torch finds none of this name: say cpu (--device)"
        ) from None


def _language_numbers(encoder: Encoder, languages: Sequence[str] | None) -> tuple[int, int] | None:
    """Return the numbers of source and target language; None for an encoder without language embeddings."""
    if not encoder.languages:
        return None
    if not languages:
        names = ", ".join(sorted(encoder.languages))
        raise ConfigError(
            f"{encoder.folder} has language ids: name the source's and the target's (--languages) of {names}"
        )
    source, target = (encoder.language_id(language) for language in languages)
    return source, target
