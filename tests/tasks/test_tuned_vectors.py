"""Static vectors that are trained with the tagger, of one table for the sets of two languages."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from crosslingua.embedders import EMBEDDERS
from crosslingua.embedders.features import Features
from crosslingua.errors import ConfigError
from crosslingua.io.conll import TaggedSentence
from crosslingua.tasks import tagger_training
from crosslingua.tasks.tagger_settings import TaggerFiles
from crosslingua.tasks.tagger_training import TaggedFeatures, in_one_table, run_tagger, train_tagger
from tasks.tagged_data import files, options, sentences

TRAIN = [TaggedSentence(("Ada", "saw", "Rom"), ("B-PER", "O", "B-LOC")), TaggedSentence(("Ada",), ("B-PER",))]
TEST = [TaggedSentence(("Rom", "vit", "Ada", "hier"), ("B-LOC", "O", "B-PER", "O"))]
ONE_STEP = ("epochs=1", "clip_norm=0", "dropout=0", "tagger.dropout=0", "l2=0")


def tagged(data: list[TaggedSentence], language: str, shared: bool) -> TaggedFeatures:
    """Sentences with random vectors, of a spelling in every language or in each."""
    embedder = EMBEDDERS["random_vectors"].of(["dimension=6", f"share_spellings={str(shared).lower()}"])
    return TaggedFeatures(data, embedder.embed([one.tokens for one in data], language), len(data))


def vector(examples: TaggedFeatures, place: int, table: torch.Tensor) -> torch.Tensor:
    """The vector of a word, counted through all sentences."""
    return table[examples.features.pieces.values[place]]


@pytest.mark.parametrize("shared", [True, False])
def test_a_step_moves_vectors_against_their_gradient_where_the_test_has_them_too(shared: bool) -> None:
    """The gradient of a softmax over W v + b is W' (p - y), here of the mean over four words; two sentences, rate 3."""
    train, test = in_one_table([tagged(TRAIN, "en", shared), tagged(TEST, "de", shared)])
    before = train.features.table[:, 0].float()
    linear = options(*ONE_STEP, "vector_rate=3", tagger="linear")
    torch.manual_seed(5)
    first = tagger_training.WordTagger(linear, train)
    weight, bias = first.tagger.scores.weight.detach(), first.tagger.scores.bias.detach()
    expected = before.clone()
    labels = [label for one in TRAIN for label in one.labels]
    for place, label in enumerate(labels):
        right = torch.eye(3)[["B-LOC", "B-PER", "O"].index(label)]
        error = torch.softmax(weight @ vector(train, place, before) + bias, dim=0) - right
        expected[train.features.pieces.values[place]] -= 3 * 2 * (weight.T @ error) / 4
    model, _ = train_tagger(linear, "ner", train, train, 5)
    torch.testing.assert_close(model.layer.table.detach(), expected)
    moved = [not torch.equal(vector(test, n, model.layer.table), vector(test, n, before)) for n in range(4)]
    assert moved == [shared, False, shared, False]


def test_words_without_a_vector_stay_zero(tmp_path: Path) -> None:
    (tmp_path / "en.vec").write_text("2 2\nada 1 2\nrom 3 4\n", encoding="utf-8")
    embedder = EMBEDDERS["static_vectors"].of([f"vectors={tmp_path}/en.vec"])
    features = embedder.embed([one.tokens for one in TRAIN], "en")
    (train,) = in_one_table([TaggedFeatures(TRAIN, features, len(TRAIN))])
    model, _ = train_tagger(options("vector_rate=1", tagger="linear"), "ner", train, train, 1)
    table = model.layer.table.detach()
    assert sorted(row.abs().sum().item() > 0 for row in table) == [False, True, True]
    assert not torch.isin(table[table != 0], torch.tensor([1.0, 2.0, 3.0, 4.0])).any()


def test_a_tuned_tagger_predicts_by_what_it_learnt_and_counts_the_words_it_could_move(tmp_path: Path) -> None:
    splits = ("train", 120), ("valid", 30), ("test", 40)
    train, valid, test = (files(tmp_path / split, "en", sentences(n, n)) for split, n in splits)
    other = files(tmp_path / "de", "de", TEST)  # two of its four words are in training
    found = TaggerFiles.parse([train], [valid], [test, other], [])
    about = {}
    for rate in ("0", "0.5"):
        run_tagger(options("epochs=1", f"vector_rate={rate}"), found, [1], tmp_path / rate)
        about[rate] = json.loads((tmp_path / rate / "seed1/training.json").read_text())
    assert about["0.5"]["tuned_words"] == {"en": 100.0, "de": 50.0}
    assert "tuned_words" not in about["0"]
    assert about["0"]["epochs"][0]["loss"] > about["0.5"]["epochs"][0]["loss"]


def test_only_vectors_of_words_can_be_tuned() -> None:
    part = tagged(TRAIN, "en", shared=True)
    context = replace(part.features, embedder="encoder_layers")
    message = "of static_vectors, random_vectors can be tuned, not of encoder_layers"
    with pytest.raises(ConfigError, match=message):
        in_one_table([part, TaggedFeatures(part.sentences, context, part.total)])
    wide: Features = replace(part.features, table=torch.zeros(3, 1, 7, dtype=torch.bfloat16))
    with pytest.raises(ConfigError, match="several dimensions"):
        in_one_table([part, TaggedFeatures(part.sentences, wide, part.total)])


def test_tables_are_shared_without_a_change_of_any_word() -> None:
    parts = [tagged(TRAIN, "en", shared=False), tagged(TEST, "de", shared=False)]
    for before, after in zip(parts, in_one_table(parts), strict=True):
        rows = np.arange(len(before.sentences))
        assert torch.equal(before.features.batch(rows).vectors, after.features.batch(rows).vectors)
