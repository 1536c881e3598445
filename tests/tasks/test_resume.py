"""Fine-tunings that were killed go on, from files to files."""

from collections.abc import Callable
from pathlib import Path

import pytest

from crosslingua.embedders.encoder import Encoder
from crosslingua.io.conll import TaggedSentence, write_conll
from crosslingua.io.json import read_json
from crosslingua.io.squad import Answer, Article, Paragraph, Question, write_squad
from crosslingua.tasks.fine_tuning import run_cells
from crosslingua.tasks.tuner import Files, Tuner, parse_files
from tiny_encoder import write_encoder

SETTINGS = ["learning_rate=3e-3", "epochs=3", "batch_size=2"]  # 9 steps a cell


def write_tags(path: Path) -> None:
    made = (TaggedSentence(("dog",) * n + ("cat",), ("NOUN",) * n + ("VERB",)) for n in range(1, 7))
    write_conll(path, made)


def write_questions(path: Path) -> None:
    asked = {n: Question(str(n), "dog", (Answer("cat", 4 * n),)) for n in range(1, 7)}
    write_squad(path, [Article("", tuple(Paragraph("dog " * n + "cat", (q,)) for n, q in asked.items()))])


@pytest.mark.parametrize(
    ("task", "write", "suffix"), [("pos", write_tags, "conll"), ("qa", write_questions, "json")]
)
def test_what_was_killed_goes_on_to_the_same_bytes(
    tmp_path: Path, losses, monkeypatch, task: str, write: Callable[[Path], None], suffix: str
) -> None:
    monkeypatch.setattr("crosslingua.tasks.training.CHECKPOINT_SECONDS", 0.0)
    for name in ("en", "de"):
        write(tmp_path / name)
    folder = write_encoder(tmp_path / "encoder", ["dog", "cat"])
    named = parse_files(f"{task}/{name}={tmp_path / name}" for name in ("en", "de"))
    files, kept = Files(named, named, named), tmp_path / "kept"

    def run(out: str, kill_at: int | None = None, learning: str = SETTINGS[0]) -> int:
        losses.steps, losses.kill_at = 0, kill_at
        options = [learning, *SETTINGS[1:]]
        run_cells(Tuner(Encoder.load(folder), files, 1, checkpoints=kept), options, tmp_path / out)
        return losses.steps

    assert run("whole") == 18
    with pytest.raises(InterruptedError):
        run("killed", kill_at=13)  # within the second epoch of the second cell
    assert not (tmp_path / "killed" / task / "de").exists()
    assert kept.is_dir()
    assert run("killed") == 5  # of the first cell none, of the second the rest
    for name in ("en", "de"):
        one, other = (tmp_path / out / task / name for out in ("whole", "killed"))
        assert (one / f"de.{suffix}").read_bytes() == (other / f"de.{suffix}").read_bytes()
        reports = [read_json(each / "training.json") for each in (one, other)]
        for report in reports:
            del report["seconds"], report["cpu_seconds"]
        assert reports[0] == reports[1]
    assert not kept.exists()
    with pytest.raises(InterruptedError):
        run("other", kill_at=13)
    assert run("other", learning="learning_rate=2e-3") == 18  # another run's checkpoints are not taken
