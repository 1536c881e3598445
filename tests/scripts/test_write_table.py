"""From scored cells to a table and a merged file, through the scripts."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from crosslingua.cells import Cell, cell_line
from crosslingua.io.json import write_json

PAIRS = {"de-en": 30.0, "en-fr": 20.0}


@pytest.fixture
def run(repository: Path, tmp_path: Path):
    def call(script: str, *options: str) -> subprocess.CompletedProcess:
        command = [sys.executable, repository / "scripts" / script, *options]
        environment = os.environ | {"PYTHONPATH": str(repository / "src")}
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)

    return call


@pytest.fixture
def rows(run, tmp_path: Path) -> Path:
    """Rows of two gold sets in one seed."""
    cells = []
    for pair, aer in PAIRS.items():
        write_json(tmp_path / f"{pair}.json", {"aer": aer, "counts": {"pairs": 9}, "signature": "links=sure"})
        identity = ("xlm_align", "table2", "fast_align", "word_alignment", *pair.split("-"), 1)
        cells.append(Cell(*identity, f"{pair}.json", ("aer",), "0" * 12, conditions={"reads": "text"}))
    pd.DataFrame(map(cell_line, cells)).to_csv(tmp_path / "cells.csv", index=False)
    done = run("write_rows.py", "--cells", "cells.csv", "--scale", "demo", "--out", "rows.csv")
    assert done.returncode == 0, done.stderr
    return tmp_path / "rows.csv"


def test_a_table_in_every_format(run, rows: Path, repository: Path) -> None:
    outs = [f"t.{suffix}" for suffix in ("csv", "md", "tex", "html")]
    reference = str(repository / "reference/xlm_align_table2.csv")
    write_json(rows.parent / "said.json", {"note": "xlmr: none.", "made_by": "Made by hand."})
    done = run(
        "write_table.py", "--paper", "xlm_align", "--table", "table2", "--rows", "rows.csv", "--reference", reference,
        "--plan", "said.json", "--out", *outs,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    with (rows.parent / "t.csv").open(newline="") as stream:
        records = {
            record["column"]: record
            for record in csv.DictReader(stream)
            if record["convention"][-5:] == "AER)."
        }
    assert {column: (record["mean"], record["published"]) for column, record in records.items()} == {
        "de-en": ("30.0000", "32.14"), "en-fr": ("20.0000", "19.46"), "mean": ("25.0000", "")
    }  # fmt: skip
    for name in outs[1:]:
        text = (rows.parent / name).read_text()
        assert "Scale: demo. Alignment error rate" in text
        assert "xlmr: none." in text
        assert "Made by hand." in text
        assert "30.0" in text


def test_an_unknown_table_is_refused(run, rows: Path) -> None:
    done = run(
        "write_table.py", "--paper", "xlm_align", "--table", "table9", "--rows", "rows.csv", "--out", "t.csv"
    )
    assert done.returncode == 1
    assert "xlm_align has no table 'table9': " in done.stderr
    assert "table2" in done.stderr


def test_what_was_not_run_is_left_out_of_the_merged_file(run, rows: Path) -> None:
    done = run("merge_metrics.py", "--rows", "rows.csv", "not_run.csv", "--out", "metrics.csv")
    assert done.returncode == 0, done.stderr
    assert (rows.parent / "metrics.csv").read_text() == rows.read_text()
    done = run("merge_metrics.py", "--rows", "not_run.csv", "--out", "metrics.csv")
    assert done.returncode == 1
    assert "error: not_run.csv: no such file" in done.stderr
