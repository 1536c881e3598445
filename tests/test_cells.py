"""Files of cells are read back as written; malformed files are refused."""

from pathlib import Path

import pandas as pd
import pytest

from crosslingua.cells import Cell, cell_line, read_cells, read_plan
from crosslingua.errors import InputError
from crosslingua.io.json import write_json
from texts import written

CELL = Cell("xlm_align", "fig2", "a+b", "word_alignment", "de", "en", 2, "s/a b.json", ("aer", "delta=f1"), "0f",
            "identical=kept", "s/less.json", {"layer": "8", "dictionary": "muse"})  # fmt: skip


def test_cells_come_back_as_they_were(tmp_path: Path) -> None:
    cells = [CELL, Cell("p", "t", "s", "bli", "x", "y", 1, "a,b.json", ("p_at_1",), "ab")]
    pd.DataFrame(map(cell_line, cells)).to_csv(tmp_path / "cells.csv", index=False)
    read = read_cells(tmp_path / "cells.csv")
    assert read == cells
    with pytest.raises(InputError, match=r"cells\.csv: conditions of line 3 has no 'layer'"):
        read[1].conditions["layer"]


def test_a_malformed_file_is_refused_with_its_line(tmp_path: Path) -> None:
    text = pd.DataFrame([cell_line(CELL)]).to_csv(index=False)
    for old, new, message in (
        (",2,", ",two,", "[12]: "),
        ("layer=8", "layer", "[12]: "),
        ("paper,", "papers,", "[12]: "),
        ("s/a b", "é", "2: invalid UTF-8 .*convert the file"),
    ):
        path = written(tmp_path / "cells.csv", text.replace(old, new).encode("latin-1"))
        with pytest.raises(InputError, match=rf"cells\.csv:{message}"):
            read_cells(path)


def test_the_parts_of_a_plan_may_be_empty_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    write_json(path, {"inputs": {"rows": ["a.csv", "b.csv"]}, "settings": {"words": 3}})
    plan = read_plan(path, ["inputs", "settings"])
    assert plan == {"inputs": {"rows": [Path("a.csv"), Path("b.csv")]}, "settings": {"words": 3}}
    write_json(path, {})
    assert read_plan(path, ["inputs", "cells"]) == {"inputs": {}, "cells": []}
    write_json(path, {"inputs": {"rows": []}})
    with pytest.raises(InputError, match=r"plan\.json: inputs has no 'gold'"):
        read_plan(path, ["inputs"])["inputs"]["gold"]
    for content in ([], {"inputs": {}, "cells": []}, {"inputs": [1]}, {"inputs": {"rows": "a.csv"}}):
        write_json(path, content)
        with pytest.raises(InputError, match=r"plan\.json: "):
            read_plan(path, ["inputs", "settings"])
