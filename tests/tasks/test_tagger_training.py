"""The search, stopping and clipping of a tagger's training."""

import csv
import json
from pathlib import Path

import pytest

from crosslingua.errors import CrosslinguaError
from crosslingua.tasks import tagger_training
from crosslingua.tasks.tagger_settings import TaggerFiles, TaggerOptions
from crosslingua.tasks.tagger_training import TaggedFeatures, run_tagger, together, train_tagger
from tasks.tagged_data import files, options, sentences


def test_a_search_reads_no_test_data_and_keeps_every_trial(parsed: TaggerFiles, tmp_path: Path) -> None:
    run_tagger(options("epochs=1", "trials=3"), parsed, [1, 2], tmp_path / "out")
    one, two = (json.loads((tmp_path / f"out/seed{n}/training.json").read_text()) for n in (1, 2))
    assert one["trials"] == two["trials"]
    assert [set(trial) for trial in one["trials"]] == [{*tagger_training.SPACE, "validation"}] * 3
    best = max(one["trials"], key=lambda trial: trial["validation"])
    assert one["settings"]["l2"] == two["settings"]["l2"] == best["l2"]
    for name, (low, high, _) in tagger_training.SPACE.items():
        assert all(low <= trial[name] <= high for trial in one["trials"])
    chosen = [f"tagger.dropout={best['tagger.dropout']}", f"dropout={best['dropout']}", f"l2={best['l2']}"]
    train, valid = together(parsed, "train"), together(parsed, "valid")
    _, again = train_tagger(options("epochs=1", *chosen), "ner", train, valid, 1)
    assert again["epochs"][0]["validation"] == best["validation"]


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
        return json.loads((tmp_path / name / "training.json").read_text())["trials"]

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
    train, valid = together(parsed, "train"), together(parsed, "valid")
    _, report = train_tagger(options("patience=2"), "ner", train, valid, 1)
    assert [epoch["validation"] for epoch in report["epochs"]] == [50, 70, 60, 55]
    assert report["selected"] == 2


def test_a_loss_that_is_not_finite_ends_the_run(parsed: TaggerFiles) -> None:
    train, valid = together(parsed, "train"), together(parsed, "valid")
    with pytest.raises(CrosslinguaError, match="lower learning_rate"):
        train_tagger(options("learning_rate=1e38", "clip_norm=1e38"), "ner", train, valid, 1)


def test_without_a_clip_norm_nothing_is_clipped(parsed: TaggerFiles) -> None:
    train, valid = together(parsed, "train"), together(parsed, "valid")
    losses = []
    for clip in ("0", "1e38", "1e-3"):
        # Adam hides the length of a gradient
        sgd = options(f"clip_norm={clip}", "optimiser=one_cycle", "epochs=2")
        _, report = train_tagger(sgd, "ner", train, valid, 1)
        losses.append([epoch["loss"] for epoch in report["epochs"]])
    assert losses[0] == losses[1] != losses[2]
