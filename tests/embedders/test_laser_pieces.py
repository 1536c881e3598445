"""The parts of the embedders on LASER, against hand-worked values and against one sentence or word at a time."""

from unittest.mock import create_autospec

import numpy as np
import pytest
import torch
from torch import nn

from crosslingua.embedders import EMBEDDERS
from crosslingua.embedders.features import Features
from crosslingua.embedders.laser_pieces import LaserPieces, max_over_directions
from crosslingua.laser.model import Laser, LaserEncoder
from torch_lstm import torchs

PADDING, END, UNKNOWN = 1, 2, 3


class Letters:
    """Subwords that are letters; a word of none is unknown, as TokenizerSubwords has it."""

    padding, end = PADDING, END

    def split(self, words):
        return [[4 + "abcde".index(letter) for letter in word if letter in "abcde"] or [3] for word in words]


SENTENCES = [["ab", "c"], ["d"], ["e"], [], ["\u200b", "abcde", "a"], ["b", "b"]]
SIZES = [2, 1, 1, 1, 1, 5, 1, 1, 1]
SENTENCE_SIZES = [3, 1, 1, 7, 2]
IDS = [4, 5, 6, 7, 8, 3, 4, 5, 6, 7, 8, 4, 5, 5]


@pytest.fixture
def laser() -> Laser:
    torch.manual_seed(1)
    return Laser(LaserEncoder(9, PADDING, embedding_size=4, hidden_size=3, layers=3).eval(), Letters())


@torch.no_grad()
def test_every_word_has_its_pieces_and_their_states_in_its_sentence_alone_with_its_end(laser: Laser) -> None:
    pieces = LaserPieces(laser, laser.read(SENTENCES))
    table, rows = pieces.embeddings()
    assert pieces.sizes.tolist() == rows.lengths.tolist() == SIZES
    assert len(table) == 6  # of the nine subwords, those that occur
    torch.testing.assert_close(table[rows.values], laser.encoder.embedding.weight[IDS])
    found = pieces.read_states(batch_subwords=7)
    assert found.shape == (len(IDS), 3, 3)
    for layer in range(3):
        np.testing.assert_allclose(found[:, layer], alone(laser, layer), atol=1e-6)


@pytest.fixture
def folder(laser: Laser, monkeypatch: pytest.MonkeyPatch) -> str:
    """A folder's name that stands for `laser`."""
    monkeypatch.setattr("crosslingua.embedders.laser_pieces.LOADED", {"laser": laser}.__getitem__)
    return "laser"


def test_sentences_are_read_once_for_embedders_that_follow_each_other(folder: str, monkeypatch) -> None:
    counted = Laser.read, LaserEncoder.layer_outputs
    read, layer_outputs = (create_autospec(does, side_effect=does) for does in counted)
    monkeypatch.setattr(Laser, "read", read)
    monkeypatch.setattr(LaserEncoder, "layer_outputs", layer_outputs)
    members = (EMBEDDERS[name].of([f"encoder={folder}"]) for name in ("laser_top", "laser_elmo", "bpe_bow"))
    top, elmo, _ = (member.embed([["ab", "c"], ["d"]], "xx") for member in members)
    assert (read.call_count, layer_outputs.call_count) == (1, 1)
    assert torch.equal(top.table[:, 0], elmo.table[:, -1])
    EMBEDDERS["laser_top"].of([f"encoder={folder}"]).embed([["e"]], "xx")
    assert (read.call_count, layer_outputs.call_count) == (2, 2)


def embedded(member: str, folder: str, tmp_path) -> Features:
    """Return the features of the sentences with words, from the file that keeps them."""
    made = EMBEDDERS[member].of([f"encoder={folder}"]).embed([s for s in SENTENCES if s], "xx")
    made.save(tmp_path / "features.safetensors")
    return Features.load(tmp_path / "features.safetensors")


ORDER = np.array([3, 0, 4, 1, 2])  # of the sentences with words


def outputs(member: str, features: Features, change=lambda layer: None) -> tuple[nn.Module, torch.Tensor]:
    """Return the layer and the words' vectors, in the order of the text, of a batch in another order."""
    torch.manual_seed(2)
    layer = EMBEDDERS[member].layer(features)
    change(layer)
    batch = features.batch(ORDER)
    with torch.no_grad():
        found = layer(batch)
    assert found.shape == (*batch.mask.shape, layer.dimension)
    rows = {number: found[row][batch.mask[row]] for row, number in enumerate(ORDER.tolist())}
    return layer, torch.cat([rows[number] for number in sorted(rows)])


def assert_near(found: torch.Tensor, known: list[torch.Tensor]) -> None:
    """Features are kept in bf16, which has 8 bits."""
    torch.testing.assert_close(found, torch.stack(known), atol=2e-3, rtol=1e-2)


@pytest.mark.parametrize("member", list(EMBEDDERS)[3:])
def test_every_word_has_one_vector(member: str, folder: str, tmp_path) -> None:
    features = embedded(member, folder, tmp_path)
    assert (features.embedder, features.report["pieces"]) == (member, len(IDS))
    assert features.lengths.tolist() == [2, 1, 1, 3, 2]
    assert len(outputs(member, features)[1]) == 9


@torch.no_grad()
def test_a_bag_of_subwords_is_their_mean(laser: Laser, folder: str, tmp_path) -> None:
    layer, found = outputs("bpe_bow", embedded("bpe_bow", folder, tmp_path))
    assert_near(found, [word.mean(dim=0) for word in laser.encoder.embedding.weight[IDS].split(SIZES)])
    assert not list(layer.parameters())


@torch.no_grad()
def test_a_gru_reads_each_word_as_if_alone(laser: Laser, folder: str, tmp_path) -> None:
    layer, found = outputs("bpe_gru", embedded("bpe_gru", folder, tmp_path))
    words = laser.encoder.embedding.weight[IDS].split(SIZES)
    assert_near(found, [layer.gru(word[None])[0][0].amax(dim=0) for word in words])


def alone(laser: Laser, layer: int) -> torch.Tensor:
    """The maximum over directions of a layer (pieces, h), each sentence read by itself."""
    found = []
    for ids in torch.tensor(IDS).split(SENTENCE_SIZES):
        whole = torch.tensor([[*ids, END]])
        states = laser.encoder.layer_outputs(whole, torch.tensor([len(ids) + 1]))[layer][0, : len(ids)]
        found.append(torch.maximum(states[:, :3], states[:, 3:]))
    return torch.cat(found)


@torch.no_grad()
def test_laser_top_is_equation_2(laser: Laser, folder: str, tmp_path) -> None:
    features = embedded("laser_top", folder, tmp_path)
    # a negative gamma makes the smallest the largest
    _, found = outputs("laser_top", features, lambda layer: layer.mix.scale.fill_(-1.5))
    assert_near(found, [(-1.5 * word).amax(dim=0) for word in alone(laser, 2).split(SIZES)])


@torch.no_grad()
def test_laser_elmo_is_equation_3(laser: Laser, folder: str, tmp_path) -> None:
    def weigh(layer) -> None:
        layer.mix.weights.copy_(torch.tensor([1, 3, 4]).log())  # 1/8, 3/8, 4/8
        layer.mix.scale.fill_(2)

    _, found = outputs("laser_elmo", embedded("laser_elmo", folder, tmp_path), weigh)
    mixed = 2 * (alone(laser, 0) + 3 * alone(laser, 1) + 4 * alone(laser, 2)) / 8
    assert_near(found, [word.amax(dim=0) for word in mixed.split(SIZES)])


@torch.no_grad()
def test_a_new_lstm_of_two_layers_is_pooled_as_laser_elmo(laser: Laser, folder: str, tmp_path) -> None:
    features = embedded("lstm_no_pretraining", folder, tmp_path)
    layer, found = outputs("lstm_no_pretraining", features, lambda own: own.mix.scale.fill_(1.5))
    first, second = map(torchs, layer.layers)
    known = []
    for sentence in laser.encoder.embedding.weight[IDS].split(SENTENCE_SIZES):
        lower = first(sentence[None])[0]
        upper = second(lower)[0]
        known.append(1.5 * (max_over_directions(lower[0]) + max_over_directions(upper[0])) / 2)
    assert_near(found, [word.amax(dim=0) for word in torch.cat(known).split(SIZES)])


@pytest.mark.parametrize("member", ["bpe_gru", "laser_top", "laser_elmo", "lstm_no_pretraining"])
def test_everything_that_is_to_be_learnt_has_a_gradient(member: str, folder: str, tmp_path) -> None:
    features = embedded(member, folder, tmp_path)
    layer = EMBEDDERS[member].layer(features)
    layer(features.batch(ORDER)).square().sum().backward()
    learnt = [weight for weight in layer.parameters() if weight.requires_grad]
    assert learnt
    assert all(weight.grad is not None and weight.grad.abs().sum() > 0 for weight in learnt)
