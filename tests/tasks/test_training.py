from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from crosslingua.embedders.encoder import Encoder
from crosslingua.errors import ConfigError, CrosslinguaError
from crosslingua.io.conll import TaggedSentence
from crosslingua.io.pairs import SentencePair
from crosslingua.nn.checkpoint import Checkpoints
from crosslingua.tasks.batches import reading_batches, training_batches
from crosslingua.tasks.kinds import KINDS
from crosslingua.tasks.settings import FineTuning
from crosslingua.tasks.training import fine_tune, grid, override, rate, varied

POS, NER, NLI, PARAPHRASE = (KINDS[name].task() for name in ("pos", "ner", "nli", "paraphrase"))
FAST = FineTuning(lr=3e-3, epochs=8, batch_size=8)
TAGS = {"dog": "NOUN", "cat": "NOUN", "sees": "VERB", "a": "DET", "the": "DET", "old": "ADJ"}
WORDS = list(TAGS)


def sentences(number: int, seed: int) -> list[TaggedSentence]:
    rng = np.random.default_rng(seed)
    drawn = [rng.choice(list(TAGS), size=rng.integers(1, 9)).tolist() for _ in range(number)]
    return [TaggedSentence(tuple(words), tuple(TAGS[w] for w in words)) for words in drawn]


def trained(folder: Path, task, train: list, test: list, settings: FineTuning, seed: int = 1, kept=None):
    """Train a tiny encoder; return the model, its report, and what it predicts of `test`, which selects it."""
    torch.manual_seed(seed)
    model = task.model(Encoder.load(folder), train)
    data, held_out = model.prepare(train, "en"), model.prepare(test, "en")
    report = fine_tune(model, data, lambda: task.score(test, model.predict(held_out)), settings, seed, kept)
    return model, report, model.predict(held_out)


@pytest.mark.usefixtures("bf16")
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_a_trivial_tagging_is_learnt_to_the_last_word_and_repeats(folder: Path, precision) -> None:
    train, test = sentences(64, 1), sentences(20, 2)
    (model, report, predicted), (again, repeated, _), (_, other, _) = (
        trained(folder, POS, train, test, replace(FAST, precision=precision), seed) for seed in (1, 1, 2)
    )
    assert predicted == [list(sentence.labels) for sentence in test]
    assert report["epochs"][-1]["loss"] < report["epochs"][0]["loss"] / 3
    assert repeated["epochs"] == report["epochs"] != other["epochs"]
    assert all(map(torch.equal, model.parameters(), again.parameters()))


@pytest.mark.usefixtures("bf16")
@pytest.mark.parametrize(("task", "labels", "settings"), [
    # with half of the epochs half of the seeds learn it
    (NLI, ("entailment", "neutral", "contradiction"), replace(FAST, lr=1e-3, epochs=30)),
    (PARAPHRASE, ("1", "0"), replace(FAST, epochs=15)),
    (PARAPHRASE, ("1", "0"), replace(FAST, epochs=15, precision="bf16")),
], ids=["nli", "paraphrase", "paraphrase in bf16"])  # fmt: skip
def test_trivial_pairs_are_learnt(folder: Path, task, labels: tuple[str, ...], settings: FineTuning) -> None:
    """The first sentence, a word, tells the label."""
    rng, told = np.random.default_rng(1), dict(zip(("dog", "cat", "old"), labels, strict=False))
    firsts = rng.choice(list(told), 96)
    pairs = [SentencePair(w, " ".join(rng.choice(list(TAGS), 3)), told[w]) for w in firsts]
    assert learnt(folder, task, pairs, settings) == 100


def test_trivial_entities_are_learnt(folder: Path) -> None:
    """A dog is a person; an old dog, to the last word, a place."""
    rng, examples = np.random.default_rng(1), []
    for _ in range(72):
        old = bool(rng.integers(2))
        tail = rng.choice(["sees", "a", "the"], rng.integers(0, 4)).tolist()
        tags = ("B-LOC", "I-LOC") if old else ("B-PER",)
        words = ("old", "dog") if old else ("dog",)
        examples.append(TaggedSentence((*words, *tail), (*tags, *["O"] * len(tail))))
    assert learnt(folder, NER, examples, FAST) == 100


def learnt(folder: Path, task, examples: list, settings: FineTuning) -> float:
    """Return the best score of a tiny encoder on the last quarter of the examples; it is trained on the others."""
    number = len(examples) * 3 // 4
    _, report, _ = trained(folder, task, examples[:number], examples[number:], settings)
    return max(epoch["validation"] for epoch in report["epochs"])


class Drift(nn.Module):
    """Weights that a step of AdamW raises by the learning rate, as their gradient is always -1."""

    def __init__(self) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.zeros(1, 1)), nn.Parameter(torch.zeros(1))

    def loss(self, data, rows):
        return -self.weight.sum() - self.bias.sum()


class Rows:
    lengths = np.ones(4, dtype=np.int64)


@pytest.mark.parametrize("precision", ["fp32", "bf16"])  # the latter changes nothing without an encoder
def test_the_first_of_the_best_epochs_is_kept(precision) -> None:
    model, scores, seen = Drift(), iter([10.0, 30.0, 30.0, 20.0]), []

    def validate() -> float:
        seen.append(model.weight.item())
        return next(scores)

    settings = FineTuning(lr=0.1, epochs=4, precision=precision)
    report = fine_tune(model, Rows(), validate, settings, 1)
    assert report["selected"] == 2
    assert len(set(seen)) == 4
    assert model.weight.item() == seen[1]


def test_a_loss_that_is_no_number_stops_with_its_step() -> None:
    model = Drift()
    model.weight.data.fill_(float("nan"))
    with pytest.raises(CrosslinguaError, match="the loss is nan at step 1: lower lr"):
        fine_tune(model, Rows(), lambda: 0.0, FineTuning(), 1)


def test_the_rate_rises_and_falls_linearly() -> None:
    expected = [0, 0.5, 1, 0.875, 0.75, 0.625, 0.5, 0.375, 0.25, 0.125, 0]
    assert [rate(step, 10, 0.2) for step in range(11)] == pytest.approx(expected)
    assert rate(0, 10, 0.0) == 1
    assert [rate(step, 10, 0.2, decay=False) for step in range(11)] == [0, 0.5] + [1] * 9


def test_batches_hold_every_row_once_and_rows_of_like_length() -> None:
    lengths = np.random.default_rng(0).integers(1, 100, 1000)
    batches = training_batches(lengths, 16, np.random.default_rng(1))
    assert sorted(np.concatenate(batches).tolist()) == list(range(1000))
    assert max(map(len, batches)) == 16
    padded = sum(len(rows) * lengths[rows].max() for rows in batches)
    assert padded < 1.1 * lengths.sum()
    assert [lengths[rows].max() for rows in batches] != sorted(lengths[rows].max() for rows in batches)
    read = reading_batches(np.append(lengths, 9000))
    assert sorted(np.concatenate(read).tolist()) == list(range(1001))
    assert all(len(rows) == 1 or len(rows) * lengths[rows].max() <= 8192 for rows in read)


def test_rows_of_a_group_stay_in_one_batch() -> None:
    rng = np.random.default_rng(0)
    groups = rng.permutation(np.arange(500).repeat(2))
    lengths = rng.integers(1, 40, 1000)
    batches = training_batches(lengths, 16, np.random.default_rng(1), groups)
    assert sorted(np.concatenate(batches).tolist()) == list(range(1000))
    assert {len(rows) for rows in batches[:-1]} <= {16, 8}  # 8: the last of all
    for rows in batches:
        assert (np.bincount(groups[rows])[groups[rows]] == 2).all()
    same = training_batches(lengths, 16, np.random.default_rng(1))  # without groups nothing changes
    alone = training_batches(lengths, 16, np.random.default_rng(1), np.arange(1000))
    assert all((one == other).all() for one, other in zip(same, alone, strict=True))


def test_settings_are_overridden_for_all_tasks_or_one() -> None:
    options = ["ner.epochs=4", "epochs=3", "lr=1e-3", "pos.batch_size=8"]
    assert override(FineTuning(), "ner", options) == FineTuning(lr=1e-3, epochs=4)
    assert override(FineTuning(), "pos", options) == FineTuning(lr=1e-3, epochs=3, batch_size=8)
    for option, message in (
        ("epoch=3", "no setting 'epoch'.*did you mean 'epochs'"),
        ("epochs", "write name=value"),
        ("nre.epochs=3", "unknown task 'nre'"),
        ("ner.epochs=x", "must be a whole number"),
        ("epochs=0", "from 1 to"),
        ("warmup=2", "from 0 to 1"),
    ):
        with pytest.raises(ConfigError, match=message):
            override(FineTuning(), "ner", [option])


def test_published_settings_are_those_of_table_11() -> None:
    for own, epochs in ((POS.published, 10), (NLI.published, 5)):
        assert (own.lr, own.max_length, own.batch_size, own.epochs) == (2e-5, 128, 32, epochs)


@pytest.mark.usefixtures("bf16")
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_a_run_that_was_killed_goes_on_to_the_same_bits(
    folder, tmp_path, losses, monkeypatch, precision
) -> None:
    monkeypatch.setattr("crosslingua.tasks.training.CHECKPOINT_SECONDS", 0.0)
    train, test = sentences(40, 1), sentences(10, 2)

    def run(out: str, kill_at: int | None = None, fingerprint: str = "a"):
        losses.steps, losses.kill_at = 0, kill_at
        settings = replace(FAST, epochs=3, lr=1e-3, precision=precision)
        kept = Checkpoints(tmp_path / out, fingerprint)
        return trained(folder, POS, train, test, settings, kept=kept)  # with dropout

    expected, whole, _ = run("whole")
    assert losses.steps == 15
    for kill_at in (1, 5, 7, 14):  # after one step, at an epoch's end, within one, before the last
        with pytest.raises(InterruptedError):
            run(f"killed{kill_at}", kill_at)
        model, report, _ = run(f"killed{kill_at}")
        assert losses.steps == 15 - kill_at
        assert (report["epochs"], report["selected"]) == (whole["epochs"], whole["selected"])
        assert all(map(torch.equal, model.parameters(), expected.parameters()))
    run("killed1", fingerprint="b")
    assert losses.steps == 15  # of another run: not taken


def test_a_grid_is_every_combination_and_one_setting_is_not_a_grid() -> None:
    options = ["ner.lr=1e-3,2e-3", "freeze_embeddings=false,true", "epochs=3", "pos.epochs=1,2"]
    points = grid(FineTuning(), "ner", options)
    found = [(p.freeze_embeddings, p.lr, p.epochs) for p in points]
    assert found == [(False, 1e-3, 3), (False, 2e-3, 3), (True, 1e-3, 3), (True, 2e-3, 3)]
    assert varied(points) == {"lr": [1e-3, 2e-3], "freeze_embeddings": [False, True]}
    assert varied(points[:1]) == {}
    with pytest.raises(ConfigError, match=r"4 settings of ner .*crosslingua select-settings"):
        override(FineTuning(), "ner", options)
    with pytest.raises(ConfigError, match="lr=0: must be a number, above 0"):
        grid(FineTuning(), "ner", ["ner.lr=1e-3,0"])
