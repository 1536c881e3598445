"""A folder that cannot be written, or must not be replaced, is refused before any input is read."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PRETRAIN = ["pretrain.py", "--objective", "mlm", "--tokenizer", "absent", "--text", "a=absent"]
COMMANDS = {
    "pretrain": PRETRAIN,
    "train_tokenizer": ["train_tokenizer.py", "--text", "absent", "--vocabulary-size", "50"],
    "train_laser": ["train_laser.py", "--bitext", "a-b=absent,absent", "--pivots", "a", "b", "--tokenizer", "absent"],
    "import_laser": ["import_laser.py", "--checkpoint", "absent", "--codes", "absent"],
    "finetune": ["finetune.py", "--encoder", "absent", "--train", "ner/a=absent", "--valid", "ner/a=absent", "--test",
                 "ner/a=absent", "--seed", "1"],
}  # fmt: skip


def refused(repository: Path, folder: Path, command: list[str], out: str) -> str:
    """Run a script in `folder`; return the one line of its error."""
    environment = os.environ | {"PYTHONPATH": str(repository / "src"), "OMP_NUM_THREADS": "1"}
    script = [sys.executable, str(repository / "scripts" / command[0]), *command[1:], "--out", out]
    done = subprocess.run(script, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    (line,) = done.stderr.splitlines()
    return line


@pytest.mark.parametrize("name", COMMANDS)
def test_a_file_is_no_folder(repository: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("mine")
    assert "file" in refused(repository, tmp_path, COMMANDS[name], "file/deep")
    if name != "finetune":  # its folders are in OUT
        assert refused(repository, tmp_path, COMMANDS[name], "file").startswith("error: file: is a file")
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize(("out", "reason"), [(".", "working folder"), ("thesis", "holds chapter.tex")])
def test_nothing_of_the_users_is_lost(repository: Path, tmp_path: Path, out: str, reason: str) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.tex").touch()
    assert reason in refused(repository, tmp_path, PRETRAIN, out)
    assert (tmp_path / "thesis" / "chapter.tex").exists()


def test_training_data_in_the_place_of_predictions_stay(repository: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data" / "ner" / "a"
    folder.mkdir(parents=True)
    (folder / "train.conll").touch()
    assert "holds train.conll" in refused(repository, tmp_path, COMMANDS["finetune"], "data")
