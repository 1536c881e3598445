"""Fine-tunings that were killed go on, from files to files."""

from __future__ import annotations

from pathlib import Path

import pytest

from crosslingua.embedders.encoder import Encoder
from crosslingua.io.conll import TaggedSentence, write_conll
from crosslingua.io.json import read_json
from crosslingua.tasks.cells import run_cells
from crosslingua.tasks.files import Files, parse_files
from crosslingua.tasks.tagging import TaggingModel
from tiny_encoder import write_encoder

SETTINGS = ["learning_rate=3e-3", "epochs=3", "batch_size=2"]  # 9 steps a cell


class Killed(Exception):
    """What ends a run in its middle."""


@pytest.fixture
def losses(monkeypatch: pytest.MonkeyPatch) -> dict[str, int | None]:
    """Counts steps, and ends the run at step `kill_at`; a checkpoint is written after each."""
    seen: dict[str, int | None] = {"steps": 0, "kill_at": None}
    loss = TaggingModel.loss

    def counted(self, *arguments):
        if seen["steps"] == seen["kill_at"]:
            raise Killed
        seen["steps"] += 1
        return loss(self, *arguments)

    monkeypatch.setattr(TaggingModel, "loss", counted)
    monkeypatch.setattr("crosslingua.tasks.training.CHECKPOINT_SECONDS", 0.0)
    return seen


def test_what_was_killed_goes_on_to_the_same_bytes(tmp_path: Path, losses: dict[str, int | None]) -> None:
    sentences = [
        TaggedSentence(("dog",) * n + ("cat",), ("NOUN",) * n + ("VERB",)) for n in (1, 2, 3, 4, 5, 6)
    ]
    for name in ("en", "de"):
        write_conll(tmp_path / name, sentences)
    folder = write_encoder(tmp_path / "encoder", ["dog", "cat"])
    named = parse_files(f"pos/{name}={tmp_path / name}" for name in ("en", "de"))
    files, kept = Files(named, named, named), tmp_path / "kept"

    def run(out: str, kill_at: int | None = None, learning: str = SETTINGS[0]) -> int:
        losses.update(steps=0, kill_at=kill_at)
        options = [learning, *SETTINGS[1:]]
        run_cells(Encoder.load(folder), files, options, 1, tmp_path / out, checkpoints=kept)
        return losses["steps"]

    assert run("whole") == 18
    with pytest.raises(Killed):
        run("killed", kill_at=13)  # within the second epoch of the second cell
    assert not (tmp_path / "killed/pos/de").exists()
    assert kept.is_dir()
    assert run("killed") == 5  # of the first cell none, of the second the rest
    for name in ("en", "de"):
        one, other = (tmp_path / out / "pos" / name for out in ("whole", "killed"))
        assert (one / "de.conll").read_bytes() == (other / "de.conll").read_bytes()
        reports = [read_json(each / "training.json") for each in (one, other)]
        for report in reports:
            del report["seconds"], report["cpu_seconds"]
        assert reports[0] == reports[1]
    assert not kept.exists()
    with pytest.raises(Killed):
        run("other", kill_at=13)
    assert run("other", learning="learning_rate=2e-3") == 18  # another run's checkpoints are not taken
