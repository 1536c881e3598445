"""Word vectors of several layers against the encoder itself, one sentence and one word at a time."""

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from crosslingua.embedders.encoder import Encoder
from crosslingua.embedders.word_states import WordStates
from crosslingua.encoder_alignment.signal import last_layers
from crosslingua.errors import ConfigError, InputError

SENTENCES = [["sa", "unheard", "sb"], [], ["tc"], ["xyz", "td", "te", "tf", "sa"]]


def one_by_one(folder: Path, layers: list[int]) -> torch.Tensor:
    """Return what the library computes, pieces of a word averaged."""
    model, tokeniser = AutoModel.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    found = []
    for sentence in filter(None, SENTENCES):
        pieces = tokeniser(sentence, is_split_into_words=True, return_tensors="pt")
        with torch.no_grad():
            states = model(**pieces, output_hidden_states=True).hidden_states
        for word in range(len(sentence)):
            places = [place for place, number in enumerate(pieces.word_ids()) if number == word]
            found.append(torch.stack([states[layer][0, places].mean(0) for layer in layers]))
    return torch.stack(found)


def test_words_are_means_of_their_pieces_in_every_layer(encoder: Path) -> None:
    states = WordStates(Encoder.load(encoder).eval(), [0, 1, 2])
    found = states.all(SENTENCES, None)
    assert found.shape == (9, 3, 32)
    torch.testing.assert_close(found, one_by_one(encoder, [0, 1, 2]), atol=1e-5, rtol=1e-5)
    assert WordStates(Encoder.load(encoder), [1]).all([[], []], None).shape == (0, 1, 32)


def test_a_word_of_a_long_sentence_has_the_vector_of_the_window_with_most_context(encoder: Path) -> None:
    """38 of 51 pieces fit: words 0 to 35, and 13 to 48; "xyz" has 11 pieces at its lesser side in both."""
    states = WordStates(Encoder.load(encoder).eval(), [1, 2])
    sentence = ["sa", "tb"] * 12 + ["xyz"] + ["sc", "td"] * 12
    whole = states.all([sentence], None)
    first, last = states.all([sentence[:36]], None), states.all([sentence[13:]], None)
    torch.testing.assert_close(whole[:25], first[:25], atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(whole[25:], last[12:], atol=1e-5, rtol=1e-5)


def test_windows_of_chosen_sentences(encoder: Path) -> None:
    states = WordStates(Encoder.load(encoder).eval(), [2])
    pieces = states.encode([["sa"], ["unheard", "sa"] * 30, [], ["sb", "sc"]])
    assert pieces.rows(np.array([3, 0])).tolist() == [len(pieces.windows.ids) - 1, 0]
    assert len(pieces.rows(np.array([1]))) == len(pieces.windows.ids) - 2
    assert pieces.rows(np.array([2])).tolist() == []
    assert pieces.places(np.array([3, 2, 1])).tolist() == [0, 2, 2, 62]


def test_vectors_that_are_not_finite_are_refused(encoder: Path) -> None:
    broken = Encoder.load(encoder).eval()
    with torch.no_grad():
        broken.model.encoder.layer[1].output.LayerNorm.bias.fill_(float("nan"))
    with pytest.raises(InputError, match="not finite"):
        WordStates(broken, [2]).all([["sa"]], None)


def test_the_last_layers() -> None:
    assert last_layers(12) == [9, 10, 11, 12]
    assert last_layers(2) == [1, 2]  # never the embeddings
    assert last_layers(12, 2) == [11, 12]
    for number in (0, 13, 99):
        with pytest.raises(
            ConfigError, match=f"{number} layers to align: the encoder has 12, so name 1 to 12"
        ):
            last_layers(12, number)
