"""Scripts around a run: unlocking, folders that are refused, the estimate, tables."""

import socket
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from crosslingua.cells import Cell, cell_line
from crosslingua.io.json import write_json
from crosslingua.workflow.locks import told_locked, unlock
from programs import call
from texts import csv_rows, written

COMMANDS = {
    "pretrain": ["pretrain.py", "--objective", "mlm", "--tokenizer", "absent", "--text", "a=absent"],
    "train_tokenizer": ["train_tokenizer.py", "--text", "absent", "--vocabulary-size", "50"],
    "train_laser": ["train_laser.py", "--bitext", "a-b=absent,absent", "--pivots", "a", "b", "--tokenizer", "absent"],
    "import_laser": ["import_laser.py", "--checkpoint", "absent", "--codes", "absent"],
    "finetune": ["finetune.py", "--encoder", "absent", "--train", "ner/a=absent", "--valid", "ner/a=absent", "--test",
                 "ner/a=absent", "--seed", "1"],
}  # fmt: skip
PAIRS = {"de-en": 30.0, "en-fr": 20.0}


@pytest.fixture
def locks(tmp_path: Path) -> Path:
    """The locks of a folder, as Snakemake leaves them."""
    return written(tmp_path / ".snakemake/locks/0.input.lock", "config.yaml\n").parent


def test_what_a_killed_run_left_locked_is_unlocked_and_nothing_else(locks: Path, tmp_path: Path) -> None:
    assert "Unlocked" in unlock(tmp_path)
    assert not locks.exists()
    assert unlock(tmp_path) == unlock(locks.parent) == ""


@pytest.mark.parametrize("name", ["bin/snakemake", "scripts/pretrain.py"])
def test_it_stays_locked_while_a_run_is_at_work(locks: Path, tmp_path: Path, name: str) -> None:
    written(tmp_path / name, "print('started', flush=True)\ninput()\n")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, name], cwd=tmp_path, **pipes) as process:
        process.stdout.readline()
        assert unlock(tmp_path) == ""
        assert locks.exists()
        told = told_locked(tmp_path)
        works = f"a run is at work in this folder (process {process.pid})"
        assert told == f"{works}: wait until it has ended, or work in another folder"
        written(tmp_path / "elsewhere/.snakemake/locks/0.input.lock", "")
        assert "Unlocked" in unlock(tmp_path / "elsewhere")
        process.kill()
    assert told_locked(tmp_path).endswith(
        "left the files of this folder locked: make, or crosslingua run, unlocks them"
    )
    assert "Unlocked" in unlock(tmp_path)


@pytest.mark.parametrize(
    ("host", "executor", "said"),
    [
        ("login1", "local", "a run of login1 may be at work"),
        (socket.gethostname(), "slurm", "executor slurm"),
        (socket.gethostname(), "local", "Unlocked"),
    ],
)
def test_it_stays_locked_after_a_run_that_other_machines_may_be_at_work_for(
    locks: Path, tmp_path: Path, host: str, executor: str, said: str
) -> None:
    write_json(tmp_path / ".snakemake/crosslingua_run.json", {"host": host, "executor": executor})
    assert said in unlock(tmp_path)
    assert locks.exists() == (said != "Unlocked")


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


def test_nothing_of_the_users_is_lost(tmp_path: Path) -> None:
    """Nor training data in the place of predictions."""
    own = [written(tmp_path / name, "") for name in ("thesis/chapter.tex", "data/ner/a/train.conll")]
    assert "working folder" in refused(tmp_path, COMMANDS["pretrain"], ".")
    assert "holds chapter.tex" in refused(tmp_path, COMMANDS["pretrain"], "thesis")
    assert "holds train.conll" in refused(tmp_path, COMMANDS["finetune"], "data")
    assert all(path.exists() for path in own)


def test_a_wrong_configuration_is_named(tmp_path: Path) -> None:
    (tmp_path / "empty.yaml").write_text("# nothing\n")
    (tmp_path / "bad.yaml").write_text("scale: mine\nmappers: {rscls: {}}\n")
    for file, message in (
        ("none.yaml", "--config none.yaml is no file: say --config mine.yaml"),
        ("empty.yaml", "--config empty.yaml is empty: write scale, pairs, languages"),
        ("bad.yaml", "bad.yaml:2: mappers.rscls: 'rscls' is not defined under the mappers"),
    ):
        assert message in call("estimate.py", "--config", file, folder=tmp_path, ok=False)


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Rows of two gold sets in one seed."""
    monkeypatch.chdir(tmp_path)
    cells = []
    for pair, aer in PAIRS.items():
        write_json(tmp_path / f"{pair}.json", {"aer": aer, "counts": {"pairs": 9}, "signature": "links=sure"})
        identity = ("xlm_align", "table2", "fast_align", "word_alignment", *pair.split("-"), 1)
        cells.append(Cell(*identity, f"{pair}.json", ("aer",), "0" * 12, conditions={"reads": "text"}))
    pd.DataFrame(map(cell_line, cells)).to_csv(tmp_path / "cells.csv", index=False)
    call("write_rows.py", "--cells", "cells.csv", "--scale", "demo", "--out", "rows.csv")
    return tmp_path / "rows.csv"


def write_table(name: str, *options: object, ok: bool = True) -> str:
    given = ("--paper", "xlm_align", "--table", name, "--rows", "rows.csv")
    return call("write_table.py", *given, *options, ok=ok)


def test_a_table_in_every_format_and_none_that_is_unknown(rows: Path, repository: Path) -> None:
    outs = [f"t.{suffix}" for suffix in ("csv", "md", "tex", "html")]
    reference = repository / "reference/xlm_align_table2.csv"
    write_json(rows.parent / "said.json", {"note": "xlmr: none.", "made_by": "Made by hand."})
    write_table("table2", "--reference", reference, "--plan", "said.json", "--out", *outs)
    errors = [row for row in csv_rows(rows.parent / "t.csv") if row["convention"].endswith("AER).")]
    shown = [(row["column"], row["mean"], row["published"]) for row in errors]
    assert shown == [("de-en", "30.0000", "32.14"), ("en-fr", "20.0000", "19.46"), ("mean", "25.0000", "")]
    for text in [(rows.parent / name).read_text() for name in outs[1:]]:
        for shown in ("Scale: demo. Alignment error rate", "xlmr: none.", "Made by hand.", "30.0"):
            assert shown in text
    error = write_table("table9", "--out", "t.csv", ok=False)
    assert "table2" in error.partition("xlm_align has no table 'table9': ")[2]


def test_what_was_not_run_is_left_out_of_the_merged_file(rows: Path) -> None:
    call("merge_metrics.py", "--rows", "rows.csv", "not_run.csv", "--out", "metrics.csv")
    assert (rows.parent / "metrics.csv").read_text() == rows.read_text()
    error = call("merge_metrics.py", "--rows", "not_run.csv", "--out", "metrics.csv", ok=False)
    assert "error: not_run.csv: no such file" in error
