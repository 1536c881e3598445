"""Features: the file, batches, and the embedders that make them."""

from pathlib import Path

import numpy as np
import pytest
import torch

from crosslingua.embedders import EMBEDDERS
from crosslingua.embedders.embedder import OneVector
from crosslingua.embedders.features import Features
from crosslingua.embedders.word_states import Rotations
from crosslingua.errors import ConfigError, InputError
from crosslingua.nn.ragged import Ragged
from embedders.hidden_states import hidden_states
from texts import written
from tiny_encoder import write_encoder

SENTENCES = [("Hello", "world", "x"), ("a",), ("world", "b")]
VECTORS = {"hello": [1, 2], "world": [3, 4], "b": [5, 6], "B": [7, 8]}


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    lines = [f"{word} {' '.join(map(str, values))}" for word, values in VECTORS.items()]
    return written(tmp_path / "own.vec", "\n".join([f"{len(lines)} 2", *lines]) + "\n")


def embedded(name: str, *settings: str, sentences=SENTENCES, language: str = "en") -> Features:
    return EMBEDDERS[name].of(settings).embed(sentences, language)


def vectors_of(features: Features, numbers=None) -> torch.Tensor:
    """What the trainable half gives of sentences: (batch, words, d)."""
    numbers = np.arange(len(features)) if numbers is None else np.array(numbers)
    batch = features.batch(numbers)
    return EMBEDDERS[features.embedder].layer(features)(batch) * batch.mask[..., None]


def test_static_vectors_are_those_of_the_file_by_the_spelling_else_in_lower_case(vectors: Path) -> None:
    sentences = [("Hello", "B", "b", "x"), ("WORLD",)]
    found = embedded("static_vectors", f"vectors={vectors}", sentences=sentences)
    assert vectors_of(found).tolist() == [
        [VECTORS["hello"], VECTORS["B"], VECTORS["b"], [0, 0]],
        [VECTORS["world"], [0, 0], [0, 0], [0, 0]],
    ]
    assert found.report == {"words": 5, "unknown_words": 1, "unknown_share": 0.2}


def test_words_without_vectors(tmp_path: Path, vectors: Path) -> None:
    (tmp_path / "tr.vec").write_text("2 1\nılık 1\niyi 2\n", encoding="utf-8")
    words = [("ILIK", "İYİ", "Iyi")]
    for language, unknown in (("tr", 1), ("en", 2)):  # in English Iyi is iyi, and the others are nothing
        found = embedded("static_vectors", f"vectors={tmp_path}/tr.vec", sentences=words, language=language)
        assert found.report["unknown_words"] == unknown
    with pytest.raises(InputError, match="has none of the 2 words"):
        embedded("static_vectors", f"vectors={vectors}", sentences=[("q", "r")])


def test_a_file_of_vectors_is_parsed_once(vectors: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = "static_vectors", f"vectors={vectors}"
    once = embedded(*options)
    monkeypatch.setattr("crosslingua.embedders.static_vectors.read_vectors", None)
    assert torch.equal(once.table, embedded(*options).table)


def test_random_vectors_differ_by_language_unless_spellings_are_shared() -> None:
    one, two = (embedded("random_vectors", language=language) for language in ("en", "de"))
    assert not torch.equal(one.table, two.table)
    assert torch.equal(one.table, embedded("random_vectors").table)
    shared = (embedded("random_vectors", "share_spellings=true", language=name) for name in ("en", "de"))
    assert torch.equal(*(each.table for each in shared))
    assert vectors_of(one)[0, 1].equal(vectors_of(one)[2, 0])  # one word, one vector


@pytest.mark.parametrize("numbers", [[0, 1, 2], [2, 0], [1], [1, 1]])
def test_a_batch_is_the_sentences_in_the_order_that_is_asked_for(vectors: Path, numbers: list[int]) -> None:
    found = embedded("static_vectors", f"vectors={vectors}")
    sizes = found.batch(np.array(numbers)).mask.sum(dim=1).tolist()
    assert sizes == [len(SENTENCES[number]) for number in numbers]
    for number, size, row in zip(numbers, sizes, vectors_of(found, numbers), strict=True):
        assert torch.equal(row[:size], vectors_of(found, [number])[0])


def test_pieces_of_a_batch_belong_to_their_words() -> None:
    sentences = [("one", "two"), ("three",)]
    pieces = Ragged.of([[4], [0, 1], [2, 3, 2]])
    table = torch.arange(10.0).reshape(5, 2, 1)
    found = Features.of_words("any", "en", sentences, table, pieces)
    batch = found.batch(np.array([1, 0]))
    assert batch.rows.tolist() == [2, 3, 2, 4, 0, 1]
    assert batch.vectors[:, :, 0].tolist() == [[4, 5], [6, 7], [4, 5], [8, 9], [0, 1], [2, 3]]
    assert batch.sizes.tolist() == [3, 1, 2]
    assert batch.places.tolist() == [[0, 0], [1, 2]]
    assert batch.mask.tolist() == [[True, False], [True, True]]
    with pytest.raises(ConfigError, match="several layers or pieces"):
        OneVector(found)
    # A vocabulary of the trainable half needs no table.
    learnt = Features.of_words("any", "en", sentences, torch.zeros(0, 0, 0), pieces, vocabulary=5)
    assert learnt.batch(np.array([1, 0])).rows.tolist() == [2, 3, 2, 4, 0, 1]


def test_features_are_the_same_once_they_are_written_and_read(tmp_path: Path) -> None:
    made = embedded("random_vectors", "dimension=5")
    made.save(tmp_path / "f.safetensors")
    read = Features.load(tmp_path / "f.safetensors")
    assert read.table.dtype == torch.bfloat16
    assert torch.equal(read.table, made.table)
    for numbers in ([0], [2, 1]):
        assert torch.equal(vectors_of(read, numbers), vectors_of(made, numbers))
    read.check("f", SENTENCES)
    divided = [("Hello", "world"), ("x", "a"), ("world", "b")]  # the same words
    for other in ([*SENTENCES[:2], ("world", "c")], divided):
        with pytest.raises(InputError, match="other sentences"):
            read.check("f", other)


def test_what_is_no_file_of_features_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="embed-words"):
        Features.load(tmp_path / "f.safetensors")
    with pytest.raises(InputError, match="no features"):
        Features.load(written(tmp_path / "f.safetensors", "nothing"))


@pytest.mark.parametrize(("name", "settings", "message"), [
    ("static_vectors", [], "needs the setting vectors"),
    ("static_vectors", ["vectors=x", "oov=zero"], "no setting 'oov'"),
    ("random_vectors", ["dimension=many"], "whole number"), ("random_vectors", ["dimension=0"], "from 1 to 100000"),
    ("encoder_layers", ["encoder=x", "layers=-1"], "from 0 to 100000"),
    ("nothing", [], "unknown embedder"),
])  # fmt: skip
def test_wrong_settings_are_told(name: str, settings: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        EMBEDDERS[name].of(settings)


@pytest.mark.parametrize("has_bf16", [True, False])
def test_layers_compute_in_bf16_where_the_processor_has_instructions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_bf16: bool
) -> None:
    monkeypatch.setattr("crosslingua.nn.half.has_bf16", lambda: has_bf16)
    folder, words = write_encoder(tmp_path / "encoder", ["the", "cat"]), [("the", "cat", "sat")]
    exact, rounded = (
        vectors_of(
            embedded("encoder_layers", f"encoder={folder}", f"precision={precision}", sentences=words)
        )[0]
        for precision in ("fp32", "bf16")
    )
    assert torch.equal(exact, rounded) is not has_bf16
    np.testing.assert_allclose(rounded.numpy(), exact.numpy(), atol=0.1)


def test_encoder_layers_are_summed_over_layers_and_averaged_over_pieces(tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / "encoder", ["the", "cat"])
    words = ("the", "cat", "sat")
    states = hidden_states(folder, words).numpy()  # embeddings and two layers: the last four are both layers
    found = vectors_of(embedded("encoder_layers", f"encoder={folder}", sentences=[words, ("a",)]))
    np.testing.assert_allclose(found[0].numpy(), states[:, 1] + states[:, 2], atol=0.03)
    last = vectors_of(embedded("encoder_layers", f"encoder={folder}", "layers=1", sentences=[words]))
    np.testing.assert_allclose(last[0].numpy(), states[:, 2], atol=0.02)
    with pytest.raises(ConfigError, match="99 layers: the encoder has 2, so name 1 to 2"):
        embedded("encoder_layers", f"encoder={folder}", "layers=99", sentences=[words])


def test_every_word_has_a_vector_whatever_the_tokenizer_makes_of_it(tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / "encoder", ["the"], positions=12)
    # the first in four windows
    sentences = [("the",) * 40, ("\u200b",), ("the", "\u200b", "the"), ("abcdefghijklmnopqrstuvwxyz",)]
    found = embedded("encoder_layers", f"encoder={folder}", sentences=sentences)
    assert found.lengths.tolist() == [40, 1, 3, 1]
    vectors = vectors_of(found)
    assert vectors.isfinite().all()
    assert (vectors.abs().sum(dim=2) > 0)[found.batch(np.arange(4)).mask].all()


def test_rotations_turn_each_layer_before_the_sum(tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / "encoder", ["the", "cat"])
    states = hidden_states(folder, ("the", "cat")).numpy()
    rng = np.random.default_rng(0)
    turns = np.stack([np.linalg.qr(rng.standard_normal((32, 32)))[0] for _ in range(2)])
    source, target = rng.standard_normal((2, 2, 32))
    (tmp_path / "turned").mkdir()
    Rotations((1, 2), turns, source, target).save(tmp_path / "turned")
    settings = f"encoder={folder}", f"rotations={tmp_path / 'turned'}"
    found = vectors_of(embedded("encoder_layers", *settings, sentences=[("the", "cat")]))
    expected = sum((states[:, k + 1] - source[k]) @ turns[k] + target[k] for k in range(2))
    np.testing.assert_allclose(found[0].numpy(), expected, atol=0.05)


def test_a_batch_is_where_the_table_is(vectors: Path) -> None:
    found = embedded("static_vectors", f"vectors={vectors}").to("meta")
    batch = found.batch(np.array([0, 1]))
    parts = batch.vectors, batch.rows, batch.sizes, batch.places, batch.mask
    assert {part.device.type for part in parts} == {"meta"}
    empty = Features("x", "en", torch.empty(0, 1, 2), found.pieces, found.sentences, "").to("meta")
    assert empty.batch(np.array([0])).vectors.device.type == "meta"
