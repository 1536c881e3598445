"""Figures of align_mlm: drawn from rows and published numbers, the same file each time."""

from pathlib import Path

import pytest

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.json import write_json
from crosslingua.metrics import read_rows, write_rows
from crosslingua.papers.align_mlm.figures import FIGURES
from crosslingua.papers.align_mlm.tables import ALIGNMENT
from crosslingua.report.tables import read_reference
from metric_rows import frame, transfer_row


@pytest.fixture
def inputs(repository: Path, tmp_path: Path) -> dict[str, list[Path]]:
    """The paper's own numbers, one of another seed, and a system of one's own."""
    published = sorted((repository / "reference").glob("align_mlm_table*.csv"))
    ours = [transfer_row(*key, value) for key, value in read_reference(published).items() if key[0] != "all"]
    own = [transfer_row("mine", "trans", task, metric, 3.0) for task, metric in (("ner", "delta"), ALIGNMENT)]
    more = transfer_row("mlm", "trans", "ner", "delta", 3.0, seed=2)
    write_rows(tmp_path / "rows.csv", frame(*ours, more, *own))
    return {"rows": [tmp_path / "rows.csv"], "published": published}


@pytest.mark.parametrize("name", ["figure2", "figure3"])
def test_figures_are_drawn_and_repeat(name: str, inputs, tmp_path: Path) -> None:
    paths = [tmp_path / f"{again}.svg" for again in "ab"]
    for path in paths:
        FIGURES[name].draw(inputs, {"caption": "scale demo"}, [path])
    assert paths[0].read_bytes() == paths[1].read_bytes()
    text = paths[0].read_text()
    assert "scale demo" in text
    assert all(f"<!-- {system} -->" in text for system in ("MLM", "XLM", "DICT-MLM", "ALIGN-MLM", "mine"))
    assert ("<!-- the paper -->" in text) == (name == "figure2")


def test_a_system_that_was_not_run_is_not_drawn(inputs, tmp_path: Path) -> None:
    """Nor is its published value, a dotted line, which would stand beside nothing."""

    def drawn(name: str) -> str:
        FIGURES[name].draw(inputs, {"caption": ""}, [tmp_path / f"{name}.svg"])
        return (tmp_path / f"{name}.svg").read_text()

    every = drawn("figure2").count("stroke-dasharray")
    rows = read_rows(inputs["rows"][0])
    write_rows(inputs["rows"][0], rows[rows["system"] != "xlm"])
    figure2 = drawn("figure2")
    # the paper's four systems in three transformations and tasks, and a line in the legend
    assert (every, figure2.count("stroke-dasharray")) == (4 * 9 + 1, 3 * 9 + 1)
    for figure in (figure2, drawn("figure3")):
        assert "<!-- XLM -->" not in figure
        assert "<!-- ALIGN-MLM -->" in figure


@pytest.mark.parametrize("name", ["figure2", "figure3"])
def test_rows_without_anything_to_draw_are_refused(name: str, tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.csv", frame(transfer_row("mlm", "trans", "ner", "supervised", 3.0)))
    with pytest.raises(InputError, match="to draw"):
        FIGURES[name].draw({"rows": [tmp_path / "rows.csv"], "published": []}, {}, [tmp_path / "none.svg"])
    assert not (tmp_path / "none.svg").exists()


def test_the_loss_of_named_runs(tmp_path: Path) -> None:
    curve = {"step": [1, 2], "loss": [3.0, 2.0], "mlm": [3.0, 2.0]}
    write_json(tmp_path / "training.json", {"loss_curve": curve})
    FIGURES["loss"].draw({"runs": [tmp_path]}, {"names": ["mlm.trans"]}, [tmp_path / "loss.svg"])
    assert "<!-- mlm.trans -->" in (tmp_path / "loss.svg").read_text()
    with pytest.raises(ConfigError, match="2 names for 1 runs"):
        FIGURES["loss"].draw({"runs": [tmp_path]}, {"names": ["a", "b"]}, [tmp_path / "other.svg"])
