"""Rotations and centring on known vectors, features of a rotated encoder, word vectors one at a time."""

from collections import defaultdict
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.spatial.transform import Rotation

from crosslingua.embedders.encoder import Encoder
from crosslingua.embedders.encoder_layers import EncoderLayers
from crosslingua.embedders.word_states import Rotations, WordStates, last_layers
from crosslingua.encoder_alignment import DICTIONARY, ENCODER_ALIGNMENTS, PARALLEL
from crosslingua.encoder_alignment.rotate import NormRotate, Rotate, solve
from crosslingua.encoder_alignment.signal import Moments, Signal
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.json import read_json
from crosslingua.mappers import MAPPERS
from embedders.hidden_states import hidden_states
from encoder_alignment.conftest import SOURCE, parallel_text

RNG = np.random.default_rng(1)
TURNS = Rotation.random(2, random_state=3).as_matrix()  # (layers, 3, 3)
SHIFTS = np.array([[5.0, -2.0, 1.0], [0.0, 3.0, 3.0]])
ROTATED = [["sa", "unheard", "sb"], ["sc"]]
SENTENCES = [["sa", "unheard", "sb"], [], ["tc"], ["xyz", "td", "te", "tf", "sa"]]


def moments(source: np.ndarray, target: np.ndarray) -> Moments:
    found = Moments(*source.shape[1:])
    for start in range(0, len(source), 7):  # in parts, as text comes
        found.add(source[start : start + 7], target[start : start + 7])
    return found


def test_a_shifted_rotation_is_recovered_by_centring_alone() -> None:
    source = RNG.normal(size=(50, 2, 3)) - 4
    target = np.einsum("nld,lde->nle", source, TURNS) + SHIFTS
    centred, plain = (solve(moments(source, target), (1, 2), centred=c) for c in (True, False))
    np.testing.assert_allclose(centred.apply(source), target, atol=1e-5)
    assert np.abs(plain.apply(source) - target).max() > 0.5


def test_centring_makes_means_equal() -> None:
    """Whatever the vectors: no rotation relates these."""
    source, target = RNG.normal(size=(40, 2, 3)) + 3, RNG.normal(size=(40, 2, 3)) - 1
    found = solve(moments(source, target), (1, 2), centred=True)
    np.testing.assert_allclose(found.apply(source).mean(0), target.mean(0), atol=1e-5)
    assert np.abs(found.matrices @ found.matrices.transpose(0, 2, 1) - np.eye(3)).max() < 1e-9


@pytest.mark.parametrize(("centred", "normalise"), [(False, "none"), (True, "centre")])
def test_each_layer_is_what_the_mapper_finds(centred: bool, normalise: str) -> None:
    source, target = (RNG.normal(size=(30, 2, 3)).astype(np.float32) + shift for shift in (1, 2))
    found = solve(moments(source, target), (1, 2), centred).apply(source)
    rows = np.stack([np.arange(30)] * 2, axis=1)
    for layer in (0, 1):
        mapping = MAPPERS["procrustes"](normalise=normalise).fit(source[:, layer], target[:, layer], rows)
        np.testing.assert_allclose(found[:, layer], mapping.into_target(source[:, layer]), atol=1e-5)


def linked_vectors(signal: Signal) -> list[np.ndarray]:
    """The vectors of the source's and the target's words, a row a link."""
    states, links = WordStates(signal.encoder, signal.layers), signal.text.flat_links()
    texts = signal.text.source, signal.text.target
    return [states.all(text, None).numpy()[links[:, side]] for side, text in enumerate(texts)]


def vectors(signal: Signal, side: list) -> list[np.ndarray]:
    """The words' vectors, sentence by sentence."""
    states = WordStates(signal.encoder, signal.layers)
    return [states.all([sentence], None).numpy() for sentence in side]


def test_parallel_supervision_takes_linked_words(signal: Signal) -> None:
    source, target = vectors(signal, signal.text.source), vectors(signal, signal.text.target)
    links = zip(source, target, signal.text.links, strict=True)
    left, right = zip(*[(a[i], b[j]) for a, b, pairs in links for i, j in pairs], strict=True)
    found = signal.moments(PARALLEL)
    assert found.pairs == len(left)
    np.testing.assert_allclose(found.means, [np.mean(left, 0), np.mean(right, 0)], atol=1e-5)
    expected = np.einsum("nld,nle->lde", left, right)
    np.testing.assert_allclose(found.products(False), expected, rtol=1e-4, atol=1e-3)


def test_dictionary_supervision_takes_average_anchors(signal: Signal) -> None:
    """Eq. 6, word by word."""
    anchors = []
    for side in (signal.text.source, signal.text.target):
        clouds = defaultdict(list)
        for word, vector in zip(chain(*side), chain(*vectors(signal, side)), strict=True):
            clouds[word].append(vector)
        anchors.append({word: np.mean(cloud, axis=0) for word, cloud in clouds.items()})
    left, right = (np.stack([a[pair[side]] for pair in signal.dictionary]) for side, a in enumerate(anchors))
    found = signal.moments(DICTIONARY)
    assert found.pairs == len(SOURCE)
    np.testing.assert_allclose(found.means, [left.mean(0), right.mean(0)], atol=1e-5)
    expected = np.einsum("nld,nle->lde", left, right)
    np.testing.assert_allclose(found.products(False), expected, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("method", ["rotate", "norm_rotate"])
@pytest.mark.parametrize("supervision", [DICTIONARY, PARALLEL])
def test_linked_words_come_closer(signal: Signal, tmp_path: Path, method: str, supervision: str) -> None:
    ENCODER_ALIGNMENTS[method](supervision).align(signal, tmp_path / "out")
    before, target = linked_vectors(signal)
    after = Rotations.load(tmp_path / "out").apply(before)
    assert np.linalg.norm(after - target, axis=-1).mean() < np.linalg.norm(before - target, axis=-1).mean()


def test_the_folder_loads_as_the_encoder_does(signal: Signal, tmp_path: Path) -> None:
    ENCODER_ALIGNMENTS["norm_rotate"](PARALLEL).align(signal, tmp_path / "out")
    loaded = Encoder.load(tmp_path / "out").state_dict()
    assert all(torch.equal(loaded[name], weights) for name, weights in signal.encoder.state_dict().items())
    report = read_json(tmp_path / "out" / "alignment.json")
    known = {"method": "norm_rotate", "layers": [1, 2], "pairs": sum(map(len, signal.text.links))}
    assert report.items() >= known.items()


def test_centroids_are_apart_until_they_are_centred(signal: Signal, tmp_path: Path) -> None:
    """Section 2.1, against means and distances of the vectors themselves."""
    source, target = linked_vectors(signal)
    apart = np.linalg.norm(source.mean(0) - target.mean(0), axis=1)
    around = [((side - side.mean(0)) ** 2).sum(axis=2).mean(0) for side in (source, target)]
    for method in ("rotate", "norm_rotate"):
        ENCODER_ALIGNMENTS[method](PARALLEL).align(signal, tmp_path / method)
    rotate, centred = (read_json(tmp_path / name / "alignment.json") for name in ("rotate", "norm_rotate"))
    assert rotate["separation"] == pytest.approx(100 * np.mean(apart / np.sqrt(np.mean(around, 0))), rel=1e-4)
    assert centred["separation"] == rotate["separation"]
    assert centred["separation_after"] < 1e-3 < rotate["separation_after"]


def test_saved_rotations_are_read_back(tmp_path: Path) -> None:
    matrices, means = np.float32(TURNS), np.float32(SHIFTS)
    Rotations((9, 10), matrices, means, -means).save(tmp_path)
    found = Rotations.load(tmp_path)
    assert found.layers == (9, 10)
    for name, value in (("matrices", matrices), ("source_means", means), ("target_means", -means)):
        np.testing.assert_array_equal(getattr(found, name), value)
    with pytest.raises(ConfigError, match="were aligned"):
        found.apply(np.zeros((4, 3, 3)))


def test_what_does_not_fit_is_refused(encoder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"align-encoder"):
        Rotations.load(tmp_path)
    with pytest.raises(InputError, match="both words"):
        Signal(encoder, parallel_text(5), ("src", "tgt"), [("house", "haus")]).moments(DICTIONARY)
    with pytest.raises(ConfigError, match="give a dictionary"):
        Signal(encoder, parallel_text(5), ("src", "tgt")).moments(DICTIONARY)


def test_a_dictionary_in_lower_case_serves_text_with_its_case(encoder: Path) -> None:
    text = parallel_text(20)
    text.source[:] = [[word.upper() for word in sentence] for sentence in text.source]
    pairs = [("sa", "ta"), ("sb", "tb")]
    assert Signal(encoder, text, ("src", "tgt"), pairs, lowercase=True).moments(DICTIONARY).pairs == 2
    with pytest.raises(InputError):
        Signal(encoder, text, ("src", "tgt"), pairs).moments(DICTIONARY)


def states(embedder: EncoderLayers) -> torch.Tensor:
    """The vectors of the words, in order."""
    features = embedder.embed(ROTATED, "src")
    return features.table[features.pieces.values.astype(np.int64), 0].float()


def test_rotations_of_one_text_encode_it_once(signal: Signal, tmp_path: Path, monkeypatch) -> None:
    for name, method in (("a", Rotate), ("b", NormRotate)):
        method("dictionary").align(signal, tmp_path / name)
    encoded = []
    once = WordStates.all
    monkeypatch.setattr(WordStates, "all", lambda *a: (encoded.append(1), once(*a))[1])
    folder = str(signal.folder)
    plain = states(EncoderLayers(folder, layers=1))
    turned = [states(EncoderLayers(folder, rotations=str(tmp_path / name))) for name in ("a", "b")]
    assert len(encoded) == 2  # the last layer, then all
    assert not torch.equal(*turned)
    assert not torch.equal(plain, states(EncoderLayers(folder)))
    assert len(encoded) == 2


def test_words_are_means_of_their_pieces_in_every_layer(encoder: Path) -> None:
    states = WordStates(Encoder.load(encoder).eval(), [0, 1, 2])
    found = states.all(SENTENCES, None)
    assert found.shape == (9, 3, 32)
    expected = torch.cat([hidden_states(encoder, sentence) for sentence in SENTENCES if sentence])
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)
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
    told = "layers: the encoder has 12, so name 1 to 12"
    for number in (0, 13, 99):
        with pytest.raises(ConfigError, match=f"{number} {told}"):
            last_layers(12, number)
