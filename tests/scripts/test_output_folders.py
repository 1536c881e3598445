"""A folder that cannot be written, or must not be replaced, is refused before any input is read."""

from pathlib import Path

import pytest

from programs import call
from texts import written

PRETRAIN = ["pretrain.py", "--objective", "mlm", "--tokenizer", "absent", "--text", "a=absent"]
COMMANDS = {
    "pretrain": PRETRAIN,
    "train_tokenizer": ["train_tokenizer.py", "--text", "absent", "--vocabulary-size", "50"],
    "train_laser": ["train_laser.py", "--bitext", "a-b=absent,absent", "--pivots", "a", "b", "--tokenizer", "absent"],
    "import_laser": ["import_laser.py", "--checkpoint", "absent", "--codes", "absent"],
    "finetune": ["finetune.py", "--encoder", "absent", "--train", "ner/a=absent", "--valid", "ner/a=absent", "--test",
                 "ner/a=absent", "--seed", "1"],
}  # fmt: skip


def refused(folder: Path, command: list[str], out: str) -> str:
    """Run a script in `folder`; return the one line of its error."""
    (line,) = call(*command, "--out", out, folder=folder, ok=False).splitlines()
    return line


@pytest.mark.parametrize("name", COMMANDS)
def test_a_file_is_no_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("mine")
    assert "file" in refused(tmp_path, COMMANDS[name], "file/deep")
    if name != "finetune":  # its folders are in OUT
        assert refused(tmp_path, COMMANDS[name], "file").startswith("error: file: is a file")
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize(("out", "reason"), [(".", "working folder"), ("thesis", "holds chapter.tex")])
def test_nothing_of_the_users_is_lost(tmp_path: Path, out: str, reason: str) -> None:
    chapter = written(tmp_path / "thesis/chapter.tex", "")
    assert reason in refused(tmp_path, PRETRAIN, out)
    assert chapter.exists()


def test_training_data_in_the_place_of_predictions_stay(tmp_path: Path) -> None:
    written(tmp_path / "data/ner/a/train.conll", "")
    assert "holds train.conll" in refused(tmp_path, COMMANDS["finetune"], "data")
