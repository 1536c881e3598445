"""Training of taggers: search, shared work, intents, tuned vectors, warnings and errors."""

import csv
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from crosslingua.embedders import EMBEDDERS
from crosslingua.errors import ConfigError, CrosslinguaError, InputError
from crosslingua.io.conll import TaggedSentence, read_conll, write_conll
from crosslingua.io.json import read_json
from crosslingua.tasks import tagger_training
from crosslingua.tasks.kinds import score
from crosslingua.tasks.tagger_settings import TaggerFiles, TaggerOptions
from crosslingua.tasks.tagger_training import TaggedFeatures, in_one_table, run_tagger, together, train_tagger
from tasks.tagged_data import files, options, sentences

TRAIN = [TaggedSentence(("Ada", "saw", "Rom"), ("B-PER", "O", "B-LOC")), TaggedSentence(("Ada",), ("B-PER",))]
TEST = [TaggedSentence(("Rom", "vit", "Ada", "hier"), ("B-LOC", "O", "B-PER", "O"))]
ONE_STEP = ("epochs=1", "clip_norm=0", "dropout=0", "tagger.dropout=0", "l2=0")


def report_of(parsed: TaggerFiles, *settings: str) -> dict:
    """Train a tagger and return its report."""
    return train_tagger(options(*settings), "ner", together(parsed, "train"), together(parsed, "valid"), 1)[1]


def with_tests(parsed: TaggerFiles, folder: Path, data: list[TaggedSentence]) -> TaggerFiles:
    """Return the files with other data to test on."""
    option = [files(folder, "en", data)]
    return replace(parsed, test=TaggerFiles.parse(option, option, option, []).test)


def test_a_search_reads_no_test_data_and_keeps_every_trial(parsed: TaggerFiles, tmp_path: Path) -> None:
    run_tagger(options("epochs=1", "trials=3"), parsed, [1, 2], tmp_path / "out")
    one, two = (read_json(tmp_path / f"out/seed{n}/training.json") for n in (1, 2))
    assert one["trials"] == two["trials"]
    assert [set(trial) for trial in one["trials"]] == [{*tagger_training.SPACE, "validation"}] * 3
    best = max(one["trials"], key=lambda trial: trial["validation"])
    assert one["settings"]["l2"] == two["settings"]["l2"] == best["l2"]
    for name, (low, high, _) in tagger_training.SPACE.items():
        assert all(low <= trial[name] <= high for trial in one["trials"])
    chosen = [f"tagger.dropout={best['tagger.dropout']}", f"dropout={best['dropout']}", f"l2={best['l2']}"]
    assert report_of(parsed, "epochs=1", *chosen)["epochs"][0]["validation"] == best["validation"]


def test_seeds_that_read_other_features_share_a_search_of_their_folder(script, tmp_path: Path) -> None:
    rows = []
    for seed in (1, 2):
        features = {split: files(tmp_path / f"run{seed}" / split, "en", sentences(n, s), dimension=12 + seed)
                    for split, n, s in (("train", 60, 0), ("valid", 30, 1), ("test", 10, 2))}  # fmt: skip
        own = {"tagger": "bilstm_crf", **features, "set": "epochs=1 trials=2 tagger.hidden=4", "seed": seed}
        rows += [own | {"out": tmp_path / name} for name in ("together", f"alone{seed}")]
    rows.append(own | {"tagger": "majority", "set": "", "seed": "1 2", "out": tmp_path / "several"})
    with (tmp_path / "cells.csv").open("w") as stream:
        table = csv.DictWriter(stream, rows[0])
        table.writeheader()
        table.writerows(rows)
    script("train_tagger.py", "--cells", "cells.csv")

    def trials(name: str) -> list[dict]:
        return read_json(tmp_path / name / "training.json")["trials"]

    assert trials("together/seed1") == trials("alone1/seed1") == trials("together/seed2")
    assert trials("alone2/seed2") != trials("alone1/seed1")  # of other features, and another seed
    assert {path.name for path in (tmp_path / "several").iterdir()} == {"seed1", "seed2"}


def test_half_of_a_short_search_is_asked_of_the_gaussian_process(parsed, monkeypatch) -> None:
    import optuna

    def trained(options: TaggerOptions, *_: object) -> tuple[None, dict]:
        return None, {"epochs": [{"validation": 100 - 100 * options.training.dropout}]}

    monkeypatch.setattr(tagger_training, "train_tagger", trained)
    train = TaggedFeatures.read("ner", *parsed.train["en"])
    _, found = tagger_training.search(options("trials=6"), "ner", train, train, seed=1)
    drawn = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
    drawn.optimize(lambda trial: trial.suggest_float("dropout", 0, 0.6) + trial.suggest_float("other", 0, 0.6)
                   + trial.suggest_float("l2", 1e-6, 1e-2, log=True), n_trials=6)  # fmt: skip
    at_random = [trial.params["dropout"] for trial in drawn.trials]
    dropouts = [trial["dropout"] for trial in found]
    assert dropouts[:3] == at_random[:3]
    assert not set(dropouts[3:]) & set(at_random)
    assert max(dropouts[3:]) < min(dropouts[:3])  # it goes where the score rises


@pytest.mark.parametrize(
    ("scores", "expected"),
    [([1], 0), ([1, 2, 3], 0), ([3, 2], 1), ([3, 2, 1], 2), ([3, 2, 2], 0), ([5, 1, 4, 3, 2], 2)],
)
def test_rounds_of_consecutive_decrease(scores: list[float], expected: int) -> None:
    assert tagger_training.decreases(scores) == expected


def test_training_stops_early_and_keeps_the_best_epoch(parsed: TaggerFiles, monkeypatch) -> None:
    told = iter([50.0, 70.0, 60.0, 55.0, 99.0])
    monkeypatch.setattr("crosslingua.tasks.tagger_training.validation", lambda *args: (next(told), 0.0))
    report = report_of(parsed, "patience=2")
    assert [epoch["validation"] for epoch in report["epochs"]] == [50, 70, 60, 55]
    assert report["selected"] == 2


def test_a_loss_that_is_not_finite_ends_the_run(parsed: TaggerFiles) -> None:
    with pytest.raises(CrosslinguaError, match="lower lr"):
        report_of(parsed, "lr=1e38", "clip_norm=1e38")


def test_without_a_clip_norm_nothing_is_clipped(parsed: TaggerFiles) -> None:
    sgd = "optimiser=one_cycle", "epochs=2"  # Adam hides the length of a gradient
    reports = [report_of(parsed, f"clip_norm={clip}", *sgd) for clip in ("0", "1e38", "1e-3")]
    losses = [[epoch["loss"] for epoch in report["epochs"]] for report in reports]
    assert losses[0] == losses[1] != losses[2]


def test_a_tagger_learns_and_writes_what_it_predicts(parsed: TaggerFiles, tmp_path: Path) -> None:
    run_tagger(options(), parsed, [1, 2], tmp_path / "out")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"seed1", "seed2"}
    gold = parsed.test["en"][0]
    for seed in (1, 2):
        folder = tmp_path / "out" / f"seed{seed}"
        assert {path.name for path in folder.iterdir()} == {"en.conll", "training.json"}
        assert score("ner", gold, folder / "en.conll")["f1"] > 95
        about = read_json(folder / "training.json")
        assert about["labels"] == ["B-LOC", "B-PER", "I-LOC", "O"]
        assert about["selected"] == max(about["epochs"], key=lambda epoch: epoch["validation"])["epoch"]
        assert (about["seed"], about["embedder"], about["trained_on"]) == (seed, "random_vectors", ["en"])


def test_a_seed_gives_the_same_whatever_was_trained_before(parsed: TaggerFiles, tmp_path: Path) -> None:
    short = options("epochs=2", "tagger.dropout=0.5", "dropout=0.3")
    for out, seeds in (("both", [1, 2]), ("alone", [2])):
        run_tagger(short, parsed, seeds, tmp_path / out)
    cells = "both/seed2", "alone/seed2", "both/seed1"
    both, alone, first = (read_json(tmp_path / cell / "training.json")["epochs"] for cell in cells)
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
    about = read_json(tmp_path / "out/seed1/training.json")
    assert (about["train_sentences"], about["trained_on"]) == (50, ["en", "de"])
    assert about["shares"] == {"de": 0.25}
    names = sorted(path.name for path in (tmp_path / "out/seed1").iterdir())
    assert names == ["de.conll", "en.conll", "training.json"]


def test_features_of_a_union_and_of_a_share_are_those_of_their_sentences(tmp_path: Path) -> None:
    options = (files(tmp_path, name, sentences(12, seed)) for seed, name in enumerate(("en", "de")))
    parts = [TaggedFeatures.read("ner", *option.partition("=")[2].split(",")) for option in options]
    joined = tagger_training.union([parts[0], parts[1].share(0.5)])
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


def test_intents_are_learnt_where_they_are_told(tmp_path: Path) -> None:
    made = ([files(tmp_path / split, "en", sentences(n, seed, intents=True), "slots")]
            for seed, (split, n) in enumerate((("train", 120), ("valid", 20), ("test", 40))))  # fmt: skip
    found = TaggerFiles.parse(*made, [])
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
    alike = "tagger.dropout=0.3", "dropout=0.1", "clip_norm=0.05", "epochs=3"
    learnings = (options(f"intents={learnt}", *alike) for learnt in ("false", "true"))
    found = (train_tagger(learning, "slots", train, valid, seed=1)[0] for learning in learnings)
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


def test_labels_never_trained_are_told_and_refused_if_there_are_no_others(parsed, tmp_path, caplog) -> None:
    strange = [TaggedSentence(("Ada", "ate", "Rom"), ("B-PER", "O", "B-MISC"))] * 3
    run_tagger(options("epochs=2"), with_tests(parsed, tmp_path / "strange", strange), [1], tmp_path / "out")
    assert "labels B-MISC are not in the training data" in caplog.text
    about = read_json(tmp_path / "out/seed1/training.json")["test"]["en"]
    assert about == {"never_trained": ["B-MISC"], "not_in_test": ["B-LOC", "I-LOC"]}
    others = with_tests(parsed, tmp_path / "others", [TaggedSentence(("fly", "now"), ("O", "B-date"))])
    with pytest.raises(InputError, match="none of its labels"):
        run_tagger(options("epochs=1"), others, [1], tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_features_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    one, other = (files(tmp_path, name, sentences(5, n), dimension=n) for name, n in (("en", 8), ("de", 9)))
    mixed = f"ner/en={tmp_path / 'en.conll'},{tmp_path / 'de.safetensors'}"
    for train, shares, error, message in (
        ([mixed], [], InputError, "other sentences"),
        ([one, other], [], ConfigError, "different kinds"),
        *(([one], [f"ner/en={share}"], ConfigError, "share .*above 0 and at most 1") for share in (0.0, 1.5)),
    ):
        with pytest.raises(error, match=message):
            together(TaggerFiles.parse(train, train, train[:1], shares), "train")


@pytest.mark.parametrize(("train", "valid", "share", "message"), [
    ("ner/en=a.conll", "ner/en=a,b", [], "after a comma"),
    ("ner/en=a,b", "ner/de=a,b", [], "--valid has no en"),
    ("ner/en=a,b", "pos/en=a,b", [], "several tasks"),
    ("nli/en=a,b", "nli/en=a,b", [], "no task of tagging"),
    ("en=a,b", "ner/en=a,b", [], "write TASK/NAME"),
    ("ner/en=a,b", "ner/en=a,b", ["ner/de=0.5"], "not among the training sets"),
    ("ner/en=a,b", "ner/en=a,b", ["ner/en=half"], "must be a number"),
    ("ner/en=a,b", "ner/en=a,b", ["ner/en=nan"], "must be a number"),
    ("ner/../../x=a,b", "ner/en=a,b", [], r"'\.\./\.\./x' can't be the name of a file"),
])  # fmt: skip
def test_wrong_options_are_told(train: str, valid: str, share: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        TaggerFiles.parse([train], [valid], ["ner/de=a,b" if "ner" in train else train], share)


def test_a_folder_of_somebody_elses_is_not_replaced(parsed: TaggerFiles, tmp_path: Path) -> None:
    (tmp_path / "out/seed1").mkdir(parents=True)
    (tmp_path / "out/seed1/thesis.txt").write_text("mine")
    with pytest.raises(ConfigError, match=r"thesis\.txt"):
        tagger_training.check_folders(parsed, tmp_path / "out", [1])


def test_wrong_settings_are_told() -> None:
    for setting in ("optimiser=sgd", "epochs=0", "dropout=1", "l2=-1", "lr=0", "epoch=3"):
        with pytest.raises(ConfigError):
            TaggerOptions.of("bilstm_crf", [setting])


def tagged(data: list[TaggedSentence], language: str, shared: bool) -> TaggedFeatures:
    """Sentences with random vectors, of a spelling in every language or in each."""
    embedder = EMBEDDERS["random_vectors"].of(["dimension=6", f"share_spellings={str(shared).lower()}"])
    return TaggedFeatures(data, embedder.embed([one.tokens for one in data], language), len(data))


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
    for row, label in zip(train.features.pieces.values, labels, strict=True):
        right = torch.eye(3)[["B-LOC", "B-PER", "O"].index(label)]
        error = torch.softmax(weight @ before[row] + bias, dim=0) - right
        expected[row] -= 3 * 2 * (weight.T @ error) / 4
    model, _ = train_tagger(linear, "ner", train, train, 5)
    torch.testing.assert_close(model.layer.table.detach(), expected)
    moved = [not torch.equal(model.layer.table[row], before[row]) for row in test.features.pieces.values]
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


def test_a_tuned_tagger_predicts_by_what_it_learnt_and_counts_words_it_could_move(parsed, tmp_path) -> None:
    other = [files(tmp_path / "de", "de", TEST)]  # two of its four words are in training
    found = replace(parsed, test=parsed.test | TaggerFiles.parse(other, other, other, []).test)
    for rate in ("0", "0.5"):
        run_tagger(options("epochs=1", f"vector_rate={rate}"), found, [1], tmp_path / rate)
    frozen, tuned = (read_json(tmp_path / rate / "seed1/training.json") for rate in ("0", "0.5"))
    assert tuned["tuned_words"] == {"en": 100.0, "de": 50.0}
    assert "tuned_words" not in frozen
    assert frozen["epochs"][0]["loss"] > tuned["epochs"][0]["loss"]


def test_only_vectors_of_words_can_be_tuned() -> None:
    part = tagged(TRAIN, "en", shared=True)
    context = replace(part.features, embedder="encoder_layers")
    wide = replace(part.features, table=torch.zeros(3, 1, 7, dtype=torch.bfloat16))
    only = "of static_vectors, random_vectors can be tuned, not of encoder_layers"
    for other, message in ((context, only), (wide, "several dimensions")):
        with pytest.raises(ConfigError, match=message):
            in_one_table([part, TaggedFeatures(part.sentences, other, part.total)])


def test_tables_are_shared_without_a_change_of_any_word() -> None:
    parts = [tagged(TRAIN, "en", shared=False), tagged(TEST, "de", shared=False)]
    for before, after in zip(parts, in_one_table(parts), strict=True):
        rows = np.arange(len(before.sentences))
        assert torch.equal(before.features.batch(rows).vectors, after.features.batch(rows).vectors)
