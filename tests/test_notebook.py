"""The notebook in examples/ prints what stands in it."""

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

NOTEBOOK = Path(__file__).parents[1] / "examples/crosslingua.ipynb"


PERCENTAGE = re.compile(r"(\d+) %")
TOLERANCE = 15  # points: vectors differ a little between processors


def words_and_percentages(text: str) -> tuple[list[str], list[int]]:
    """Return the words of an output without its percentages, and these."""
    return PERCENTAGE.sub("%", text).split(), [int(number) for number in PERCENTAGE.findall(text)]


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
        if "induce_lexicon" in cell.source:  # of which words differ, too
            assert len(printed.getvalue().splitlines()) == len(shown.splitlines())
            continue
        (words, numbers), (words_shown, numbers_shown) = map(
            words_and_percentages, (printed.getvalue(), shown)
        )
        assert words == words_shown
        assert numbers == pytest.approx(numbers_shown, abs=TOLERANCE)
    assert len(cells) == 6
