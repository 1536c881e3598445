"""Taggers that learn the intents of sentences beside the labels of their words."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch

from crosslingua.io.conll import read_conll
from crosslingua.tasks.kinds import score
from crosslingua.tasks.tagger_settings import TaggerFiles
from crosslingua.tasks.tagger_training import TaggedFeatures, run_tagger, train_tagger
from tasks.tagged_data import files, options, sentences


def test_intents_are_learnt_where_they_are_told(tmp_path: Path) -> None:
    made = [files(tmp_path / s, "en", sentences(n, i, intents=True), "slots") for i, (s, n) in
            enumerate((("train", 120), ("valid", 20), ("test", 40)))]  # fmt: skip
    found = TaggerFiles.parse(made[:1], made[1:2], made[2:], [])
    run_tagger(options("intents=true", "epochs=15"), found, [1], tmp_path / "out")
    paths = found.test["en"][0], tmp_path / "out/seed1/en.conll"
    gold, predicted = (list(read_conll(path, "plain")) for path in paths)
    right = [a.comments["intent"] == b.comments["intent"] for a, b in zip(gold, predicted, strict=True)]
    assert np.mean(right) > 0.9
    scores = score("slots", *paths)
    assert scores["intent_accuracy"] == pytest.approx(100 * np.mean(right))
    told = Counter(one.comments["intent"] for one in gold)
    assert scores["majority_intent_accuracy"] == pytest.approx(100 * max(told.values()) / len(gold))


def read(folder: Path, name: str) -> TaggedFeatures:
    return TaggedFeatures.read("slots", folder / f"{name}.conll", folder / f"{name}.safetensors")


def test_labels_are_the_same_whether_intents_are_learnt_or_not(tmp_path: Path) -> None:
    """Dropout, and clipping that bites, would tell."""
    for name, n, seed in (("train", 60, 0), ("valid", 20, 1)):
        files(tmp_path, name, sentences(n, seed, intents=True), "slots")
    train, valid = (read(tmp_path, name) for name in ("train", "valid"))
    found = [
        train_tagger(options(f"intents={learnt}", "tagger.dropout=0.3", "dropout=0.1", "clip_norm=0.05", "epochs=3"),
                     "slots", train, valid, seed=1)[0] for learnt in ("false", "true")
    ]  # fmt: skip
    plain, both = (dict(one.named_parameters()) for one in found)
    assert set(both) - set(plain) == {"intent.weight", "intent.bias"}
    assert all(torch.equal(weight, both[name]) for name, weight in plain.items())


def test_sentences_that_tell_no_intent_are_not_learnt_from(tmp_path: Path) -> None:
    """A batch of nothing else has a finite loss."""
    data = sentences(8, 0, intents=True) + sentences(8, 0)
    files(tmp_path, "en", data, "slots")
    train, learning = read(tmp_path, "en"), options("intents=true", "batch_size=1", "epochs=2")
    model, report = train_tagger(learning, "slots", train, train, seed=1)
    assert all(np.isfinite(epoch["loss"]) for epoch in report["epochs"])
    told = sorted({one.comments["intent"] for one in data[:8]})
    assert model.intents == told
