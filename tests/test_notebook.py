"""The notebook in examples/ prints what stands in it."""

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

NOTEBOOK = Path(__file__).parents[1] / "examples/crosslingua.ipynb"


def rounded(text: str) -> list[str]:
    """Return the words of an output. Percentages are in steps of ten: vectors differ a little between processors."""
    return re.sub(r"(\d+) %", lambda found: f"{round(int(found[1]), -1)} %", text).split()


@pytest.mark.slow
def test_the_notebook_prints_what_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(NOTEBOOK.parent)
    names: dict[str, Any] = {}
    cells = [one for one in nbformat.read(NOTEBOOK, as_version=4).cells if one.cell_type == "code"]
    for cell in cells:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(cell.source, names)
        shown = "".join(one.text for one in cell.outputs)
        if "lexicon" in cell.source:
            assert len(printed.getvalue().splitlines()) == len(shown.splitlines())
        else:
            assert rounded(printed.getvalue()) == rounded(shown)
    assert len(cells) == 6
