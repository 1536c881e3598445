"""From scored cells to a table and a merged file, through the scripts."""

from pathlib import Path

import pandas as pd
import pytest

from crosslingua.cells import Cell, cell_line
from crosslingua.io.json import write_json
from programs import call
from texts import csv_rows

PAIRS = {"de-en": 30.0, "en-fr": 20.0}


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


def test_a_table_in_every_format(rows: Path, repository: Path) -> None:
    outs = [f"t.{suffix}" for suffix in ("csv", "md", "tex", "html")]
    reference = repository / "reference/xlm_align_table2.csv"
    write_json(rows.parent / "said.json", {"note": "xlmr: none.", "made_by": "Made by hand."})
    write_table("table2", "--reference", reference, "--plan", "said.json", "--out", *outs)
    errors = [row for row in csv_rows(rows.parent / "t.csv") if row["convention"].endswith("AER).")]
    shown = [(row["column"], row["mean"], row["published"]) for row in errors]
    assert shown == [("de-en", "30.0000", "32.14"), ("en-fr", "20.0000", "19.46"), ("mean", "25.0000", "")]
    for name in outs[1:]:
        text = (rows.parent / name).read_text()
        for shown in ("Scale: demo. Alignment error rate", "xlmr: none.", "Made by hand.", "30.0"):
            assert shown in text


@pytest.mark.usefixtures("rows")
def test_an_unknown_table_is_refused() -> None:
    error = write_table("table9", "--out", "t.csv", ok=False)
    assert "table2" in error.partition("xlm_align has no table 'table9': ")[2]


def test_what_was_not_run_is_left_out_of_the_merged_file(rows: Path) -> None:
    call("merge_metrics.py", "--rows", "rows.csv", "not_run.csv", "--out", "metrics.csv")
    assert (rows.parent / "metrics.csv").read_text() == rows.read_text()
    error = call("merge_metrics.py", "--rows", "not_run.csv", "--out", "metrics.csv", ok=False)
    assert "error: not_run.csv: no such file" in error
