"""Training taggers on files of features: what is written, what is shared, and what is refused."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch

from crosslingua.embedders import EMBEDDERS
from crosslingua.errors import ConfigError, CrosslinguaError, InputError
from crosslingua.io.conll import TaggedSentence, read_conll, write_conll
from crosslingua.tasks import tagger_search
from crosslingua.tasks.kinds import score
from crosslingua.tasks.tagged_features import TaggedFeatures, union
from crosslingua.tasks.tagger_cells import TaggerFiles, check_folders, run_tagger
from crosslingua.tasks.tagger_search import SPACE
from crosslingua.tasks.tagger_settings import TaggerOptions
from crosslingua.tasks.tagger_training import decreases, train_tagger

NAMES = ["Ada", "Bo", "Cy", "Di"]
PLACES = ["Rom", "Ulm", "Ayr"]
QUICK = [
    "epochs=8",
    "learning_rate=0.02",
    "l2=0",
    "dropout=0",
    "patience=0",
    "batch_size=8",
    "tagger.hidden=8",
]
QUICK += ["tagger.dropout=0"]


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)  # of a loaded machine: threads of tiny products wait for one another


def sentences(number: int, seed: int, intents: bool = False) -> list[TaggedSentence]:
    """Somebody sees a place, of two words or one; or a word alone."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(number):
        who, where = rng.choice(NAMES), rng.choice(PLACES)
        if rng.random() < 0.2:
            tokens, labels, intent = (who,), ("B-PER",), "call"
        elif rng.random() < 0.5:
            tokens, labels = (who, "sees", "New", where), ("B-PER", "O", "B-LOC", "I-LOC")
            intent = "see"
        else:
            tokens, labels, intent = ("in", where, "is", who), ("O", "B-LOC", "O", "B-PER"), "be"
        found.append(TaggedSentence(tokens, labels, {"intent": intent} if intents else {}))
    return found


def files(folder: Path, name: str, data: list[TaggedSentence], task: str = "ner", dimension: int = 16) -> str:
    """Write data and features; return the option that names them."""
    folder.mkdir(parents=True, exist_ok=True)
    write_conll(folder / f"{name}.conll", data)
    embedder = EMBEDDERS["random_vectors"].of([f"dimension={dimension}", "share_spellings=true"])
    embedder.embed([one.tokens for one in data], "en").save(folder / f"{name}.safetensors")
    return f"{task}/{name.partition('.')[0]}={folder / name}.conll,{folder / name}.safetensors"


@pytest.fixture
def parsed(tmp_path: Path) -> TaggerFiles:
    made = {split: files(tmp_path / split, "en", sentences(n, s)) for split, n, s in
            (("train", 120, 0), ("valid", 30, 1), ("test", 40, 2))}  # fmt: skip
    return TaggerFiles.parse([made["train"]], [made["valid"]], [made["test"]], [])


def options(*more: str, tagger: str = "bilstm_crf") -> TaggerOptions:
    return TaggerOptions.of(tagger, [*QUICK, *more] if tagger == "bilstm_crf" else more)


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
    both, alone = (
        json.loads((tmp_path / name / "seed2/training.json").read_text()) for name in ("both", "alone")
    )
    assert both["epochs"] == alone["epochs"]
    first = json.loads((tmp_path / "both/seed1/training.json").read_text())
    assert first["epochs"] != both["epochs"]


def test_majority_is_the_lower_line(parsed: TaggerFiles, tmp_path: Path) -> None:
    run_tagger(options(tagger="majority"), parsed, [1], tmp_path / "out")
    labels = {label for one in read_conll(tmp_path / "out/seed1/en.conll", "plain") for label in one.labels}
    counts = Counter(label for one in read_conll(parsed.train["en"][0]) for label in one.labels)
    assert labels == {counts.most_common(1)[0][0]} == {"O"}


def test_the_union_of_two_sets_is_trained_on_with_their_shares(tmp_path: Path) -> None:
    made = {
        (name, split): files(tmp_path / split, name, sentences(n, seed))
        for seed, name in enumerate(("en", "de"))
        for split, n in (("train", 40), ("valid", 10), ("test", 10))
    }
    train, valid, test = (
        [made[name, split] for name in ("en", "de")] for split in ("train", "valid", "test")
    )
    found = TaggerFiles.parse(train, valid, test, ["ner/de=0.25"])
    together = found.together("train")
    assert len(together.sentences) == len(together.features) == 40 + 10
    assert len(found.together("valid").sentences) == 10 + round(0.25 * 10)
    chosen = {one.tokens for one in together.sentences[40:]}
    assert chosen <= {one.tokens for one in read_conll(tmp_path / "train/de.conll")}
    run_tagger(options("epochs=1"), found, [1], tmp_path / "out")
    about = json.loads((tmp_path / "out/seed1/training.json").read_text())
    assert (about["train_sentences"], about["trained_on"], about["shares"]) == (
        50,
        ["en", "de"],
        {"de": 0.25},
    )
    assert {path.name for path in (tmp_path / "out/seed1").iterdir()} == {
        "en.conll",
        "de.conll",
        "training.json",
    }


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
    data = [TaggedSentence(("Ada",), ("B-PER",))]
    option = files(tmp_path, "en", data)
    run_tagger(
        options("epochs=1"), TaggerFiles.parse([option], [option], [option], []), [1], tmp_path / "out"
    )
    assert [one.tokens for one in read_conll(tmp_path / "out/seed1/en.conll", "plain")] == [("Ada",)]


def test_a_label_that_training_never_saw_is_told_and_never_predicted(
    parsed: TaggerFiles, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    strange = [TaggedSentence(("Ada", "ate", "Rom"), ("B-PER", "O", "B-MISC"))] * 3
    option = files(tmp_path / "strange", "en", strange)
    found = TaggerFiles(
        "ner", parsed.train, parsed.valid, TaggerFiles.parse([option], [option], [option], []).test, {}
    )
    run_tagger(options("epochs=2"), found, [1], tmp_path / "out")
    assert "B-MISC never trained" in caplog.text
    about = json.loads((tmp_path / "out/seed1/training.json").read_text())["test"]["en"]
    assert about == {"never_trained": ["B-MISC"], "not_in_test": ["B-LOC", "I-LOC"]}


def test_test_labels_that_have_nothing_in_common_with_training_are_an_error(
    parsed: TaggerFiles, tmp_path: Path
) -> None:
    other = files(tmp_path / "x", "en", [TaggedSentence(("fly", "now"), ("O", "B-date"))])
    found = TaggerFiles(
        "ner", parsed.train, parsed.valid, TaggerFiles.parse([other], [other], [other], []).test, {}
    )
    with pytest.raises(InputError, match="none of its labels"):
        run_tagger(options("epochs=1"), found, [1], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_score_on_sentences_of_training_is_reported_where_it_is_asked_for(
    parsed: TaggerFiles, tmp_path: Path
) -> None:
    train = TaggedFeatures.read("ner", *parsed.train["en"])
    model, report = train_tagger(options("score_training=true"), "ner", train, train, seed=1)
    told = report["training_per_sentence"]
    assert len(told) == len(train.sentences)
    best = max(epoch["validation"] for epoch in report["epochs"])  # of the same sentences
    assert np.mean(told) == pytest.approx(best, abs=1e-3)
    plain, other = train_tagger(options(), "ner", train, train, seed=1)
    assert "training_per_sentence" not in other
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), plain.parameters(), strict=True))


def test_intents_are_learnt_where_they_are_told(tmp_path: Path) -> None:
    made = [files(tmp_path / s, "en", sentences(n, i, intents=True), "slots") for i, (s, n) in
            enumerate((("train", 120), ("valid", 20), ("test", 40)))]  # fmt: skip
    found = TaggerFiles.parse(made[:1], made[1:2], made[2:], [])
    run_tagger(options("intents=true", "epochs=15"), found, [1], tmp_path / "out")
    gold, predicted = (
        list(read_conll(path, "plain")) for path in (found.test["en"][0], tmp_path / "out/seed1/en.conll")
    )
    right = [a.comments["intent"] == b.comments["intent"] for a, b in zip(gold, predicted, strict=True)]
    assert np.mean(right) > 0.9
    scores = score("slots", found.test["en"][0], tmp_path / "out/seed1/en.conll")
    assert scores["intent_accuracy"] == pytest.approx(100 * np.mean(right))
    told = Counter(one.comments["intent"] for one in gold)
    assert scores["majority_intent_accuracy"] == pytest.approx(100 * max(told.values()) / len(gold))


def test_labels_are_the_same_whether_intents_are_learnt_or_not(tmp_path: Path) -> None:
    """Dropout, and clipping that bites, would tell."""
    data = [sentences(n, i, intents=True) for i, n in enumerate((60, 20))]
    train, valid = (
        TaggedFeatures.read(
            "slots", *files(tmp_path / str(n), "en", one, "slots").partition("=")[2].split(",")
        )
        for n, one in enumerate(data)
    )
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
    train = TaggedFeatures.read("slots", tmp_path / "en.conll", tmp_path / "en.safetensors")
    model, report = train_tagger(
        options("intents=true", "batch_size=1", "epochs=2"), "slots", train, train, seed=1
    )
    assert all(np.isfinite(epoch["loss"]) for epoch in report["epochs"])
    told = sorted({one.comments["intent"] for one in data[:8]})
    assert model.intents == told


def test_a_search_reads_no_test_data_and_keeps_every_trial(parsed: TaggerFiles, tmp_path: Path) -> None:
    run_tagger(options("epochs=1", "trials=3"), parsed, [1, 2], tmp_path / "out")
    one, two = (json.loads((tmp_path / f"out/seed{n}/training.json").read_text()) for n in (1, 2))
    assert one["trials"] == two["trials"]
    assert [set(trial) for trial in one["trials"]] == [{*SPACE, "validation"}] * 3
    best = max(one["trials"], key=lambda trial: trial["validation"])
    assert one["settings"]["l2"] == two["settings"]["l2"] == best["l2"]
    for name, (low, high, _) in SPACE.items():
        assert all(low <= trial[name] <= high for trial in one["trials"])
    chosen = [f"tagger.dropout={best['tagger.dropout']}", f"dropout={best['dropout']}", f"l2={best['l2']}"]
    train, valid = parsed.together("train"), parsed.together("valid")
    _, again = train_tagger(options("epochs=1", *chosen), "ner", train, valid, 1)
    assert again["epochs"][0]["validation"] == best["validation"]


def test_seeds_that_read_other_features_share_a_search_of_their_folder(
    parsed: TaggerFiles, tmp_path: Path
) -> None:
    rows = []
    for seed in (1, 2):
        features = {split: files(tmp_path / f"run{seed}" / split, "en", sentences(n, s), dimension=12 + seed)
                    for split, n, s in (("train", 60, 0), ("valid", 30, 1), ("test", 10, 2))}  # fmt: skip
        own = {"tagger": "bilstm_crf", **features, "set": "epochs=1 trials=2 tagger.hidden=4", "seed": seed}
        rows += [own | {"out": tmp_path / name} for name in ("together", f"alone{seed}")]
    with (tmp_path / "cells.csv").open("w") as stream:
        table = csv.DictWriter(stream, rows[0])
        table.writeheader()
        table.writerows(rows)
    subprocess.run([sys.executable, "scripts/train_tagger.py", "--cells", tmp_path / "cells.csv"], check=True)

    def trials(name: str) -> list[dict]:
        return json.loads((tmp_path / name / "training.json").read_text())["trials"]

    assert trials("together/seed1") == trials("alone1/seed1") == trials("together/seed2")
    assert trials("alone2/seed2") != trials("alone1/seed1")  # of other features, and another seed


def test_half_of_a_short_search_is_asked_of_the_gaussian_process(
    parsed: TaggerFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import optuna

    def trained(options: TaggerOptions, *_: object) -> tuple[None, dict]:
        return None, {"epochs": [{"validation": 100 - 100 * options.training.dropout}]}

    monkeypatch.setattr(tagger_search, "train_tagger", trained)
    train = TaggedFeatures.read("ner", *parsed.train["en"])
    _, found = tagger_search.search(options("trials=6"), "ner", train, train, seed=1)
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
    assert decreases(scores) == expected


def test_training_stops_early_and_keeps_the_best_epoch(
    parsed: TaggerFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = iter([50.0, 70.0, 60.0, 55.0, 99.0])
    monkeypatch.setattr("crosslingua.tasks.tagger_training.validation", lambda *args: (next(told), 0.0))
    train, valid = parsed.together("train"), parsed.together("valid")
    _, report = train_tagger(options("patience=2"), "ner", train, valid, 1)
    assert [epoch["validation"] for epoch in report["epochs"]] == [50, 70, 60, 55]
    assert report["selected"] == 2


def test_a_loss_that_is_not_finite_ends_the_run(parsed: TaggerFiles) -> None:
    train, valid = parsed.together("train"), parsed.together("valid")
    with pytest.raises(CrosslinguaError, match="lower learning_rate"):
        train_tagger(options("learning_rate=1e38", "clip_norm=1e38"), "ner", train, valid, 1)


def test_without_a_clip_norm_nothing_is_clipped(parsed: TaggerFiles) -> None:
    train, valid = parsed.together("train"), parsed.together("valid")
    losses = []
    for clip in ("0", "1e38", "1e-3"):
        sgd = options(
            f"clip_norm={clip}", "optimiser=one_cycle", "epochs=2"
        )  # Adam hides the length of a gradient
        _, report = train_tagger(sgd, "ner", train, valid, 1)
        losses.append([epoch["loss"] for epoch in report["epochs"]])
    assert losses[0] == losses[1] != losses[2]


def test_features_of_other_sentences_are_refused(tmp_path: Path) -> None:
    files(tmp_path, "en", sentences(5, 0))
    files(tmp_path, "de", sentences(5, 1))
    mixed = f"ner/en={tmp_path / 'en.conll'},{tmp_path / 'de.safetensors'}"
    with pytest.raises(InputError, match="other sentences"):
        TaggerFiles.parse([mixed], [mixed], [mixed], []).together("train")


def test_features_of_different_kinds_are_not_joined(tmp_path: Path) -> None:
    one = files(tmp_path, "en", sentences(5, 0))
    two = files(tmp_path, "de", sentences(5, 1), dimension=8)
    with pytest.raises(ConfigError, match="different kinds"):
        TaggerFiles.parse([one, two], [one, two], [one], []).together("train")


def test_features_of_a_share_serve_it_and_smaller_ones_as_those_of_the_whole_do(tmp_path: Path) -> None:
    data = sentences(40, 0)
    write_conll(tmp_path / "data.conll", data)
    made = {}
    for part in (1.0, 0.5):
        own = ["scripts/embed_words.py", "--embedder", "random_vectors", "--language", "en", "--task", "ner"]
        own += [
            "--data",
            str(tmp_path / "data.conll"),
            "--share",
            str(part),
            "--out",
            str(tmp_path / f"{part}.st"),
        ]
        subprocess.run([sys.executable, *own], check=True)
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


@pytest.mark.parametrize(
    ("train", "valid", "share", "message"),
    [
        ("ner/en=a.conll", "ner/en=a,b", [], "after a comma"),
        ("ner/en=a,b", "ner/de=a,b", [], "--valid has no en"),
        ("ner/en=a,b", "pos/en=a,b", [], "several tasks"),
        ("nli/en=a,b", "nli/en=a,b", [], "no task of tagging"),
        ("en=a,b", "ner/en=a,b", [], "write TASK/NAME"),
        ("ner/en=a,b", "ner/en=a,b", ["ner/de=0.5"], "not among the training sets"),
        ("ner/en=a,b", "ner/en=a,b", ["ner/en=half"], "must be a number"),
    ],
)
def test_wrong_options_are_told(train: str, valid: str, share: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        TaggerFiles.parse([train], [valid], ["ner/de=a,b" if "ner" in train else train], share)


@pytest.mark.parametrize("share", [0.0, 1.5])
def test_a_share_is_above_0_and_at_most_1(tmp_path: Path, share: float) -> None:
    one = files(tmp_path, "en", sentences(5, 0))
    with pytest.raises(ConfigError, match="a share of"):
        TaggerFiles.parse([one], [one], [one], [f"ner/en={share}"]).together("train")


def test_a_folder_of_somebody_elses_is_not_replaced(parsed: TaggerFiles, tmp_path: Path) -> None:
    (tmp_path / "out/seed1").mkdir(parents=True)
    (tmp_path / "out/seed1/thesis.txt").write_text("mine")
    with pytest.raises(ConfigError, match=r"thesis\.txt"):
        check_folders(parsed, tmp_path / "out", [1])


@pytest.mark.parametrize(
    "setting", ["optimiser=sgd", "epochs=0", "dropout=1", "l2=-1", "learning_rate=0", "epoch=3"]
)
def test_wrong_settings_are_told(setting: str) -> None:
    with pytest.raises(ConfigError):
        TaggerOptions.of("bilstm_crf", [setting])
