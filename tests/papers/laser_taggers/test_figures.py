"""Figures of laser_taggers: drawn from rows and from comparisons."""

from pathlib import Path

import numpy as np
import pytest

from crosslingua.errors import InputError
from crosslingua.io.json import write_json
from crosslingua.metrics import write_rows
from crosslingua.papers.laser_taggers.figures import FIGURES, summed
from crosslingua.papers.laser_taggers.page import section
from metric_rows import frame


def gain(system: str, target: str, value: float, seed: int = 1) -> dict:
    of_table = {"paper": "laser_taggers", "table": "fig3", "task": "ner", "metric": "gain"}
    own = {"system": system, "target": target, "value": value, "seed": seed, "signature": "strict"}
    return of_table | own


def drawn(tmp_path: Path, *rows: dict) -> str:
    write_rows(tmp_path / "rows.csv", frame(*rows))
    out = [tmp_path / "f.svg"]
    FIGURES["figure3"].draw({"rows": [tmp_path / "rows.csv"]}, {"caption": "Scale x"}, out)
    return out[0].read_text(encoding="utf-8")


def test_gains_are_drawn_without_the_system_that_the_paper_leaves_out(tmp_path: Path) -> None:
    rows = [gain(s, t, 3.0) for s in ("bpe_bow", "laser_top", "bert") for t in ("en", "de")]
    svg = drawn(tmp_path, *rows, gain("laser_top", "de", 5.0, seed=2))
    for text in ("laser_top", "bert", "Scale x"):
        assert f"<!-- {text} -->" in svg
    assert "bpe_bow" not in svg


def test_a_gain_on_nothing_is_hatched_but_not_in_the_first_language(tmp_path: Path) -> None:
    """There it is not scenario A that is taken off."""
    empty = [gain("bert", t, 0.0) | {"table": "table3", "metric": "scenario_a"} for t in ("en", "de")]
    for target, source, hatched in (("de", "en", True), ("en", "en", False)):
        rows = [row | {"source": source} for row in (gain("bert", target, 40.0), *empty)]
        assert ("<pattern" in drawn(tmp_path, *[row for row in rows if row["target"] == target])) == hatched


def test_without_gains_there_is_nothing_to_draw(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no rows of the gain"):
        drawn(tmp_path, gain("bert", "de", 1.0) | {"table": "table3"})


@pytest.fixture
def comparisons(tmp_path: Path) -> Path:
    folder = tmp_path / "comparisons/laser_taggers"
    for seed in (1, 2):
        matrix = (seed * np.eye(3, dtype=int)).tolist()
        example = {"sentence": 7, "text": f"orlando PACE/O & <run{seed}>"}
        content = {"first": {"bio": matrix}, "second": {"bio": [[0] * 3] * 3}, "examples": [example]}
        write_json(folder / f"muse/seed{seed}/ner.de.json", content)
    write_json(folder / "muse/seed1/pos.de.json", {"p_value": 1.0})
    return folder


def test_confusions_are_summed_over_seeds(comparisons: Path, tmp_path: Path) -> None:
    files = [f"muse/seed{seed}/ner.de.json" for seed in (1, 2)]
    assert np.array_equal(summed([comparisons / name for name in files], "first"), 3 * np.eye(3))
    settings = {"files": files, "names": ["muse", "laser_top"], "caption": "x"}
    FIGURES["figure5"].draw({"folder": [comparisons]}, settings, [tmp_path / "f.svg"])
    svg = (tmp_path / "f.svg").read_text(encoding="utf-8")
    assert svg.count("<!-- 3\n100.0 % -->") + svg.count("100.0 %") >= 3
    with pytest.raises(InputError, match="no confusion of B, I and O"):
        summed([comparisons / "muse/seed1/pos.de.json"], "first")


def test_the_page_lists_errors_of_the_first_run(comparisons: Path, tmp_path: Path) -> None:
    html = section(tmp_path)
    assert "orlando PACE/O &amp; &lt;run1&gt;" in html
    assert "run2" not in html
    assert section(tmp_path / "elsewhere") == ""
