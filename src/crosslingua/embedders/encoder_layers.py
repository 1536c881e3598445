"""Layers of a frozen encoder as features: the sum of the last four (joint_align, section 4.2), rotated or not."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import Annotated, Literal

import numpy as np
import torch
from torch import Tensor

from crosslingua.embedders.embedder import Embedder
from crosslingua.embedders.encoder import Encoder
from crosslingua.embedders.features import Device, Features
from crosslingua.embedders.word_states import Rotations, WordStates, last_layers
from crosslingua.nn.half import in_half
from crosslingua.settings import SizeOrNone, settings


@settings
class EncoderLayers(Embedder):
    """A word's vector is the mean of its pieces', summed over layers (joint_align, section 4.2; mbert_align, 4.1).

    A long sentence is several windows. A word that the tokenizer drops becomes the unknown piece.
    """

    encoder: Annotated[str, "Hugging Face folder"]
    layers: Annotated[
        SizeOrNone, "how many of the last layers are summed; 0: 4 as published, or all of fewer"
    ] = 0
    rotations: Annotated[
        str,
        "a folder with rotations.safetensors: each layer's vectors are rotated before the sum, which is meant for the "
        "source language's sentences",
    ] = ""
    max_length: Annotated[
        SizeOrNone, "pieces that are read at once, special tokens included; 0: as many as the encoder can"
    ] = 0
    precision: Annotated[Literal["fp32", "bf16"], "of the encoder's layers"] = "fp32"

    def embed(self, sentences: Sequence[Sequence[str]], language: str, device: Device = "cpu") -> Features:
        """Return one vector a word."""
        vectors = _states(replace(self, rotations=""), tuple(map(tuple, sentences)), language, device)
        if self.rotations:
            vectors = torch.from_numpy(Rotations.load(self.rotations).apply(vectors.numpy()))
        numbers = np.arange(len(vectors))
        report = {"words": len(numbers), "distinct_words": len(set(chain.from_iterable(sentences)))}
        table = vectors.sum(dim=1, keepdim=True)
        return Features.of_words("encoder_layers", language, sentences, table, numbers, report=report)


@lru_cache(maxsize=1)
def _loaded(folder: str, precision: str, device: Device) -> Encoder:
    """Load an encoder once for consecutive data sets of a process."""
    encoder = Encoder.load(folder).eval()
    if in_half(precision, device):
        encoder.halve()
    return encoder.to(device)


@lru_cache(maxsize=1)
def _states(
    embedder: EncoderLayers, sentences: tuple[tuple[str, ...], ...], language: str, device: Device
) -> Tensor:
    """Return the words' vectors in the layers that are summed, (words, layers, d), before any rotation, on the CPU.

    They are computed once for consecutive rotations of one data set.
    """
    encoder = _loaded(embedder.encoder, embedder.precision, device)
    encoder.limit(embedder.max_length or encoder.max_length)
    states = WordStates(encoder, last_layers(encoder.config.num_hidden_layers, embedder.layers or None))
    return states.all(sentences, encoder.language_id(language))
