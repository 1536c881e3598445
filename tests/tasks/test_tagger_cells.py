"""Training taggers on files of features: outputs, and shared work."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch

from crosslingua.embedders import EMBEDDERS
from crosslingua.errors import InputError
from crosslingua.io.conll import TaggedSentence, read_conll, write_conll
from crosslingua.tasks.kinds import score
from crosslingua.tasks.tagger_settings import TaggerFiles
from crosslingua.tasks.tagger_training import TaggedFeatures, run_tagger, together, train_tagger, union
from tasks.tagged_data import files, options, sentences


def test_a_tagger_learns_and_writes_what_it_predicts(parsed: TaggerFiles, tmp_path: Path) -> None:
    run_tagger(options(), parsed, [1, 2], tmp_path / "out")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"seed1", "seed2"}
    gold = parsed.test["en"][0]
    for seed in (1, 2):
        folder = tmp_path / "out" / f"seed{seed}"
        assert {path.name for path in folder.iterdir()} == {"en.conll", "training.json"}
        assert score("ner", gold, folder / "en.conll")["f1"] > 95
        about = json.loads((folder / "training.json").read_text())
        assert about["labels"] == ["B-LOC", "B-PER", "I-LOC", "O"]
        assert about["selected"] == max(about["epochs"], key=lambda epoch: epoch["validation"])["epoch"]
        assert (about["seed"], about["embedder"], about["trained_on"]) == (seed, "random_vectors", ["en"])


def test_a_seed_gives_the_same_whatever_was_trained_before(parsed: TaggerFiles, tmp_path: Path) -> None:
    short = options("epochs=2", "tagger.dropout=0.5", "dropout=0.3")
    run_tagger(short, parsed, [1, 2], tmp_path / "both")
    run_tagger(short, parsed, [2], tmp_path / "alone")
    cells = "both/seed2", "alone/seed2", "both/seed1"
    reports = [json.loads((tmp_path / cell / "training.json").read_text()) for cell in cells]
    both, alone, first = (report["epochs"] for report in reports)
    assert both == alone != first


def test_majority_is_the_lower_line(parsed: TaggerFiles, tmp_path: Path) -> None:
    run_tagger(options(tagger="majority"), parsed, [1], tmp_path / "out")
    labels = {label for one in read_conll(tmp_path / "out/seed1/en.conll", "plain") for label in one.labels}
    counts = Counter(label for one in read_conll(parsed.train["en"][0]) for label in one.labels)
    assert labels == {counts.most_common(1)[0][0]} == {"O"}


def test_the_union_of_two_sets_is_trained_on_with_their_shares(tmp_path: Path) -> None:
    train, valid, test = (
        [files(tmp_path / split, name, sentences(n, seed)) for seed, name in enumerate(("en", "de"))]
        for split, n in (("train", 40), ("valid", 10), ("test", 10))
    )
    found = TaggerFiles.parse(train, valid, test, ["ner/de=0.25"])
    both = together(found, "train")
    assert len(both.sentences) == len(both.features) == 40 + 10
    assert len(together(found, "valid").sentences) == 10 + round(0.25 * 10)
    chosen = {one.tokens for one in both.sentences[40:]}
    assert chosen <= {one.tokens for one in read_conll(tmp_path / "train/de.conll")}
    run_tagger(options("epochs=1"), found, [1], tmp_path / "out")
    about = json.loads((tmp_path / "out/seed1/training.json").read_text())
    assert (about["train_sentences"], about["trained_on"]) == (50, ["en", "de"])
    assert about["shares"] == {"de": 0.25}
    written = {path.name for path in (tmp_path / "out/seed1").iterdir()}
    assert written == {"en.conll", "de.conll", "training.json"}


def test_features_of_a_union_and_of_a_share_are_those_of_their_sentences(tmp_path: Path) -> None:
    parts = []
    for seed, name in enumerate(("en", "de")):
        option = files(tmp_path, name, sentences(12, seed))
        parts.append(TaggedFeatures.read("ner", *option.partition("=")[2].split(",")))
    joined = union([parts[0], parts[1].share(0.5)])
    embedder = EMBEDDERS["random_vectors"].of(["dimension=16", "share_spellings=true"])
    afresh = embedder.embed([one.tokens for one in joined.sentences], "en")
    numbers = np.arange(len(joined.features))[::-1].copy()
    mine, theirs = joined.features.batch(numbers), afresh.batch(numbers)
    assert len(joined.features) == 18
    assert mine.vectors.equal(theirs.vectors)
    assert mine.mask.equal(theirs.mask)


def test_single_words_and_one_sentence_are_enough(tmp_path: Path) -> None:
    option = files(tmp_path, "en", [TaggedSentence(("Ada",), ("B-PER",))])
    parsed = TaggerFiles.parse([option], [option], [option], [])
    run_tagger(options("epochs=1"), parsed, [1], tmp_path / "out")
    assert [one.tokens for one in read_conll(tmp_path / "out/seed1/en.conll", "plain")] == [("Ada",)]


def test_the_score_on_sentences_of_training_if_asked_for(parsed: TaggerFiles, tmp_path: Path) -> None:
    train = TaggedFeatures.read("ner", *parsed.train["en"])
    model, report = train_tagger(options("score_training=true"), "ner", train, train, seed=1)
    told = report["training_per_sentence"]
    assert len(told) == len(train.sentences)
    best = max(epoch["validation"] for epoch in report["epochs"])  # of the same sentences
    assert np.mean(told) == pytest.approx(best, abs=1e-3)
    plain, other = train_tagger(options(), "ner", train, train, seed=1)
    assert "training_per_sentence" not in other
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), plain.parameters(), strict=True))


def test_features_of_a_share_serve_smaller_ones_too(script, tmp_path: Path) -> None:
    data = sentences(40, 0)
    write_conll(tmp_path / "data.conll", data)
    made = {}
    for part in (1.0, 0.5):
        named = ("--embedder", "random_vectors", "--language", "en", "--task", "ner", "--data", "data.conll")
        script("embed_words.py", *named, "--share", part, "--out", f"{part}.st")
        made[part] = TaggedFeatures.read("ner", tmp_path / "data.conll", tmp_path / f"{part}.st")
    assert len(made[0.5].sentences) == 20
    for part in (0.5, 0.2):
        whole, few = (made[own].share(part) for own in (1.0, 0.5))
        rows = np.arange(len(few.sentences))
        assert few.sentences == whole.sentences
        assert len(rows) == 40 * part
        assert torch.equal(few.features.batch(rows).vectors, whole.features.batch(rows).vectors)
    one = f"ner/en={tmp_path}/data.conll,{tmp_path}/0.5.st"
    with pytest.raises(InputError, match=r"features of a share of 0\.5"):
        run_tagger(options(), TaggerFiles.parse([one], [one], [one], []), [1], tmp_path / "out")
