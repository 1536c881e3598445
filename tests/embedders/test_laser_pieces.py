"""What the embedders on LASER are made of, against values worked by hand and against one sentence or word at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import nn

from crosslingua.embedders.bpe_gru import PieceGru
from crosslingua.embedders.laser_pieces import LaserPieces
from crosslingua.embedders.layer_mix import LayerMix, max_over_directions
from crosslingua.embedders.lstm_no_pretraining import PieceLstm
from crosslingua.embedders.pooling import max_over_pieces, mean_over_pieces
from crosslingua.encoders.laser.encoder import LaserEncoder
from crosslingua.encoders.laser.laser import Laser

PADDING, END, UNKNOWN = 1, 2, 3


class Letters:
    """Subwords that are letters; a word of none is unknown, as TokenizerSubwords has it."""

    padding, end = PADDING, END

    def split(self, words):
        return [[4 + "abcde".index(letter) for letter in word if letter in "abcde"] or [3] for word in words]


SENTENCES = [["ab", "c"], ["d"], ["e"], [], ["\u200b", "abcde", "a"], ["b", "b"]]
SIZES = [2, 1, 1, 1, 1, 5, 1, 1, 1]
IDS = [4, 5, 6, 7, 8, 3, 4, 5, 6, 7, 8, 4, 5, 5]


@pytest.fixture
def laser() -> Laser:
    torch.manual_seed(1)
    return Laser(LaserEncoder(9, PADDING, embedding_size=4, hidden_size=3, layers=3).eval(), Letters())


def test_every_word_has_its_pieces(laser: Laser) -> None:
    pieces = LaserPieces.of(laser, SENTENCES)
    assert pieces.sizes.tolist() == SIZES
    np.testing.assert_array_equal(pieces.embeddings(), laser.encoder.embedding.weight.detach().numpy()[IDS])


@torch.no_grad()
def test_states_are_those_of_each_sentence_alone_with_its_end(laser: Laser) -> None:
    found = LaserPieces.of(laser, SENTENCES).states([0, 2], batch_tokens=7)
    assert found.shape == (len(IDS), 2, 3)
    start = 0
    for size in (3, 1, 1, 0, 7, 2):
        ids = torch.tensor([[*IDS[start : start + size], END]])
        outputs = laser.encoder.layer_outputs(ids, torch.tensor([size + 1]))
        for place, layer in enumerate((0, 2)):
            alone = outputs[layer][0, :size]
            known = torch.stack([alone[:, :3], alone[:, 3:]]).amax(dim=0)
            np.testing.assert_allclose(found[start : start + size, place], known, atol=1e-6)
        start += size


def test_the_larger_direction_counts() -> None:
    states = torch.tensor([[1.0, -2.0, 3.0, -5.0]])  # forward 1, -2; backward 3, -5
    assert max_over_directions(states).tolist() == [[3, -2]]


def test_layers_are_weighted_by_a_softmax_and_scaled() -> None:
    mix, states = LayerMix(2), torch.tensor([[[1.0, 2.0], [5.0, -2.0]]])
    assert mix(states).tolist() == [[3, 0]]  # equal weights, gamma 1
    with torch.no_grad():
        mix.weights.copy_(torch.tensor([0.0, math.log(3)]))  # a quarter and three quarters
        mix.scale.fill_(2)
    torch.testing.assert_close(mix(states), torch.tensor([[8.0, -2.0]]))


def test_one_layer_is_only_scaled() -> None:
    mix = LayerMix(1)
    assert [name for name, weight in mix.named_parameters() if weight.requires_grad] == ["scale"]
    with torch.no_grad():
        mix.scale.fill_(-0.5)
    assert mix(torch.tensor([[[4.0, -2.0]]])).tolist() == [[-2, 1]]


def test_pooling_keeps_words_apart() -> None:
    states = torch.tensor([[1.0, 9.0], [3.0, -1.0], [-7.0, 2.0]])
    assert max_over_pieces(states, torch.tensor([2, 1])).tolist() == [[3, 9], [-7, 2]]
    assert mean_over_pieces(states, torch.tensor([2, 1])).tolist() == [[2, 4], [-7, 2]]


@torch.no_grad()
def test_a_gru_reads_each_word_as_if_alone() -> None:
    torch.manual_seed(2)
    gru, pieces, sizes = PieceGru(4), torch.randn(6, 4), [3, 1, 2]
    found = gru(pieces, torch.tensor(sizes))
    for word, own in zip(found, pieces.split(sizes), strict=True):
        states, _ = gru.gru(own[None])
        torch.testing.assert_close(word, states[0].amax(dim=0))


@torch.no_grad()
def test_a_new_lstm_is_pooled_as_laser_elmo_is() -> None:
    torch.manual_seed(3)
    model, pieces = PieceLstm(4, hidden=3), torch.randn(7, 4)
    model.mix.scale.fill_(1.5)
    stack = nn.LSTM(4, 3, num_layers=2, bidirectional=True, batch_first=True)
    for number, layer in enumerate(model.layers):
        for name, weight in layer.named_parameters():
            getattr(stack, name.replace("_l0", f"_l{number}")).copy_(weight)
    found = model(pieces, torch.tensor([2, 1, 3, 1]), torch.tensor([2, 2]))
    first_layer = model.layers[0]
    rows = []
    for sentence, sizes in ((pieces[:3], [2, 1]), (pieces[3:], [3, 1])):
        lower, upper = first_layer(sentence[None])[0][0], stack(sentence[None])[0][0]
        mixed = 1.5 * (max_over_directions(lower) + max_over_directions(upper)) / 2
        rows += [word.amax(dim=0) for word in mixed.split(sizes)]
    torch.testing.assert_close(found, torch.stack(rows))
