"""Features of a rotated encoder for taggers."""

from pathlib import Path

import numpy as np
import torch

from crosslingua.embedders.encoder_layers import EncoderLayers
from crosslingua.embedders.word_states import WordStates
from crosslingua.encoder_alignment.rotate import NormRotate, Rotate
from crosslingua.encoder_alignment.signal import Signal

SENTENCES = [["sa", "unheard", "sb"], ["sc"]]


def vectors(embedder: EncoderLayers) -> torch.Tensor:
    """The vectors of the words, in order."""
    features = embedder.embed(SENTENCES, "src")
    return features.table[features.pieces.values.astype(np.int64), 0].float()


def test_rotations_of_one_text_encode_it_once(signal: Signal, tmp_path: Path, monkeypatch) -> None:
    for name, method in (("a", Rotate), ("b", NormRotate)):
        method("dictionary").align(signal, tmp_path / name)
    encoded = []
    once = WordStates.all
    monkeypatch.setattr(WordStates, "all", lambda *a: (encoded.append(1), once(*a))[1])
    folder = str(signal.folder)
    plain = vectors(EncoderLayers(folder, layers=1))
    turned = [vectors(EncoderLayers(folder, rotations=str(tmp_path / name))) for name in ("a", "b")]
    assert len(encoded) == 2  # the last layer, then all
    assert not torch.equal(*turned)
    assert not torch.equal(plain, vectors(EncoderLayers(folder)))
    assert len(encoded) == 2
