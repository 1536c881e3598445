"""A model that was fine-tuned and kept: another language is predicted with it, and nothing is trained again."""

from __future__ import annotations

from pathlib import Path

import pytest

from crosslingua.embedders.encoder import Encoder
from crosslingua.errors import ConfigError
from crosslingua.io.conll import TaggedSentence, write_conll
from crosslingua.io.json import read_json
from crosslingua.tasks.cells import run_cells
from crosslingua.tasks.files import Files, parse_files
from crosslingua.tasks.settings import FineTuning
from crosslingua.tasks.shares import shared_rows
from crosslingua.tasks.tagging import TaggingModel
from tiny_encoder import write_encoder

SETTINGS = ["learning_rate=3e-3", "epochs=2", "batch_size=2"]
SENTENCES = [TaggedSentence(("dog",) * n + ("cat",), ("NOUN",) * n + ("VERB",)) for n in (1, 2, 3, 4, 5, 6)]


@pytest.fixture
def losses(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One entry for every batch that is trained on."""
    seen: list[int] = []
    loss = TaggingModel.loss
    monkeypatch.setattr(TaggingModel, "loss", lambda *given: seen.append(1) or loss(*given))
    return seen


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for name, sentences in (("en", SENTENCES), ("de", SENTENCES[::-1]), ("fr", SENTENCES[2:4])):
        write_conll(tmp_path / name, sentences)
    write_encoder(tmp_path / "encoder", ["dog", "cat"])
    return tmp_path


def tune(
    data: Path, out: str, tested: list[str], *more: str, models: str | None = "kept", train: str = "en"
) -> Path:
    own = parse_files([f"pos/en={data / train}"])
    test = parse_files(f"pos/{name}={data / name}" for name in tested)
    kept = data / models if models else None
    encoder = Encoder.load(data / "encoder")
    run_cells(encoder, Files(own, own, test), [*SETTINGS, *more], 1, data / out, models=kept)
    return data / out / "pos/en"


def test_another_language_is_predicted_and_nothing_is_trained(data: Path, losses: list[int]) -> None:
    first = tune(data, "first", ["en"])
    assert len(losses) == 6  # two epochs of three batches
    more = tune(data, "more", ["en", "de", "fr"])
    assert len(losses) == 6
    afresh = tune(data, "afresh", ["en", "de", "fr"], models=None)
    assert len(losses) == 12
    for name in ("en.conll", "de.conll", "fr.conll"):
        assert (more / name).read_bytes() == (afresh / name).read_bytes()
    assert (first / "en.conll").read_bytes() == (more / "en.conll").read_bytes()
    reports = [read_json(folder / "training.json") for folder in (first, more)]
    assert reports[0]["epochs"] == reports[1]["epochs"]
    assert [set(report["test"]) for report in reports] == [{"en"}, {"en", "de", "fr"}]


def test_a_kept_model_of_other_settings_or_data_is_not_taken(data: Path, losses: list[int]) -> None:
    tune(data, "first", ["en"])
    tune(data, "other", ["en"], "learning_rate=1e-3")
    assert len(losses) == 12
    write_conll(data / "longer", [*SENTENCES, *SENTENCES[:2]])
    tune(data, "data", ["en"], "learning_rate=1e-3", train="longer")
    assert len(losses) == 12 + 2 * 4


def test_a_share_of_the_training_data_is_the_same_sentences_for_all(data: Path) -> None:
    half = tune(data, "half", ["de"], "share=0.5", models=None)
    told = read_json(half / "training.json")
    assert (told["train"]["sentences"], told["valid"]["sentences"]) == (3, 6)
    write_conll(data / "rows", [SENTENCES[row] for row in shared_rows(6, 0.5)])
    encoder = Encoder.load(data / "encoder")
    by_hand, valid, test = (parse_files([f"pos/en={data / name}"]) for name in ("rows", "en", "de"))
    run_cells(encoder, Files(by_hand, valid, test), SETTINGS, 1, data / "by_hand")
    assert read_json(data / "by_hand/pos/en/training.json")["epochs"] == told["epochs"]
    for wrong in (0, 1.5):
        with pytest.raises(ConfigError, match="share is"):
            FineTuning(share=wrong)
