"""Scripts around a run: carrying results, unlocking, folders that are refused, the estimate, tables."""

import base64
import hashlib
import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import torch
from safetensors.torch import load_file, save_file

from crosslingua.cells import Cell, cell_line
from crosslingua.io.json import write_json
from programs import call, in_a_process
from texts import csv_rows, written

RECORDS = Path(".snakemake/metadata")
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
def checkouts(tmp_path: Path) -> tuple[Path, Path]:
    """A checkout with results and Snakemake's records, and an empty one."""
    here, there = tmp_path / "here", tmp_path / "there"
    there.mkdir()
    made = here / "results/x"
    written(made / "links.txt", "0-0\n" * 1000)
    written(made / "noise.bin", os.urandom(2_500_000))
    written(made / "left.log", "log")
    weights = {"w": torch.randn(50, 7), "n": torch.arange(3), "b": torch.randn(4).bfloat16()}
    save_file(weights, written(made / "encoder/model.safetensors", ""), {"format": "pt"})
    for place, path in enumerate(sorted(made.rglob("*.*"))):
        os.utime(path, ns=(10**18 + place, 10**18 + place))
    for output in ("results/x/links.txt", "results/x/encoder", "results/other.txt", "results/x/" + "n" * 200):
        name = base64.urlsafe_b64encode(output.encode()).decode()
        written(here / RECORDS / (name if len(name) < 255 else f"@{name[:254]}/{name[254:]}"), output)
    return here, there


def test_files_times_and_records_arrive(script, checkouts, tmp_path):
    here, there = checkouts
    given = ("pack", "results/x", "--out", tmp_path / "c", "--part-mb", 1, "--leave", "*.log")
    told = script("carry.py", *given, folder=here)
    parts = sorted(path.name for path in tmp_path.glob("c.0*"))
    assert parts == ["c.001", "c.002", "c.003"]
    sums = {name: hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in parts}
    assert json.loads((tmp_path / "c.json").read_text())["parts"] == sums
    assert max((tmp_path / name).stat().st_size for name in parts) == 1_000_000
    assert "3 files in 3 parts" in told.stdout
    assert "5 files are new" in script("carry.py", "unpack", tmp_path / "c.json", folder=there).stdout
    arrived = {path.relative_to(there) for path in there.rglob("*") if path.is_file()}
    expected = {path.relative_to(here) for path in (here / "results/x").rglob("*.*") if path.is_file()}
    assert {path for path in arrived if path.parts[0] == "results"} == expected - {Path("results/x/left.log")}
    for path in arrived:
        assert (there / path).read_bytes() == (here / path).read_bytes()
        assert (there / path).stat().st_mtime == pytest.approx((here / path).stat().st_mtime, abs=1e-6, rel=0)
    records = {(there / path).read_text() for path in arrived if path.parts[0] == ".snakemake"}
    assert records == {"results/x/links.txt", "results/x/encoder"}
    assert "0 files are new, 5 stay" in script("carry.py", "unpack", tmp_path / "c.json", folder=there).stdout


def test_a_newer_file_stays(script, checkouts, tmp_path):
    here, there = checkouts
    script("carry.py", "pack", "results/x/links.txt", "--out", tmp_path / "c", folder=here)
    links = written(there / "results/x/links.txt", "newer")
    script("carry.py", "unpack", tmp_path / "c.json", folder=there)
    assert links.read_text() == "newer"


def test_half_precision_keeps_eight_bits(script, checkouts, tmp_path):
    here, there = checkouts
    weights = "results/x/encoder/model.safetensors"
    script("carry.py", "pack", weights, "--out", tmp_path / "c", "--half", folder=here)
    script("carry.py", "unpack", tmp_path / "c.json", folder=there)
    before, after = load_file(here / weights), load_file(there / weights)
    assert after["w"].dtype == torch.float32
    assert torch.equal(after["w"], before["w"].bfloat16().float())
    for name in ("n", "b"):  # what is no single precision stays as it is
        assert after[name].dtype == before[name].dtype
        assert torch.equal(after[name], before[name])
    assert (there / weights).stat().st_mtime_ns == (here / weights).stat().st_mtime_ns


def test_nothing_is_written_of_a_damaged_archive(script, checkouts, tmp_path):
    here, there = checkouts
    script("carry.py", "pack", "results/x", "--out", tmp_path / "c", "--part-mb", 1, folder=here)
    part = tmp_path / "c.002"
    part.write_bytes(part.read_bytes()[:-1] + b"?")
    for message in ("other bytes than were packed", "the part is missing"):
        error = script("carry.py", "unpack", tmp_path / "c.json", status=1, folder=there).error
        assert re.search(f"{part}.*{message}", error)
        part.unlink(missing_ok=True)
    assert not list(there.iterdir())


def test_what_cannot_be_packed(script, checkouts, tmp_path):
    for arguments, message in (
        (["results/none"], "results/none does not exist"),
        (["/etc"], "relative to the checkout"),
        (["../here"], "relative to the checkout"),
        (["results/x", "--leave", "*"], "no file is left to pack"),
    ):
        ended = script("carry.py", "pack", "--out", tmp_path / "c", *arguments, status=1, folder=checkouts[0])
        assert message in ended.error
        assert not list(tmp_path.glob("c.*"))


@pytest.fixture
def locks(tmp_path: Path) -> Path:
    """The locks of a folder, as Snakemake leaves them."""
    return written(tmp_path / ".snakemake/locks/0.input.lock", "config.yaml\n").parent


def unlock(folder: Path) -> str:
    return in_a_process("unlock.py", folder=folder).stdout


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
        assert f"process {process.pid}" in unlock(tmp_path)
        assert locks.exists()
        written(tmp_path / "elsewhere/.snakemake/locks/0.input.lock", "")
        assert "Unlocked" in unlock(tmp_path / "elsewhere")
        process.kill()
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
