"""Figures of xlm_align through their script: curves by layer, and the grid of a user's text with its errors."""

from pathlib import Path

import pytest

from crosslingua.errors import InputError
from crosslingua.io.json import write_json
from crosslingua.metrics import write_rows
from crosslingua.papers.xlm_align.figures import curves
from metric_rows import error_row, frame
from programs import call
from word_aligners.encoders import make_bert

OT = "optimal_transport+xlmr"
ROWS = [
    error_row(OT, value, pair, seed, layer, "fig2")
    for pair, offset in (("de-en", 0), ("en-fr", 10))
    for seed in (1, 2)
    for layer, value in ((1, 20 + offset + seed), (2, 40 + offset))
]


def test_curves_are_means_over_pairs_by_layer_and_seed() -> None:
    of_one_pair = error_row(OT, 1, seed=3, layer=1, table="fig2")
    found = curves(frame(*ROWS, of_one_pair, error_row(OT, 99, layer=8)))
    assert found == {OT: {1: [26, 27], 2: [45, 45]}}
    assert curves(frame(*ROWS[:2])) == {OT: {1: [21], 2: [40]}}


def test_rows_of_no_figure_or_no_layer_are_refused() -> None:
    with pytest.raises(InputError, match="no rows for figure 2"):
        curves(frame(error_row(OT, 1)))
    with pytest.raises(InputError, match=rf"no layer in the signature of {OT.replace('+', '.')}"):
        curves(frame(error_row(OT, 1, table="fig2")))


def draw(folder: Path, figure: str, inputs, *out, ok: bool = True, **settings) -> str:
    """Run the script on files of `folder`, given by their names; return its error."""
    files = {part: [str(folder / name) for name in names.split()] for part, names in inputs.items()}
    write_json(folder / "plan.json", {"inputs": files, "settings": settings})
    given = ("--figure", figure, "--plan", folder / "plan.json", "--out", *(folder / name for name in out))
    return call("draw_figure.py", "--paper", "xlm_align", *given, ok=ok)


def test_figure2_is_drawn_from_rows(tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.csv", frame(*ROWS))
    draw(tmp_path, "figure2", {"rows": "rows.csv"}, "f.png", "f.svg", caption="demo")
    assert (tmp_path / "f.png").read_bytes().startswith(b"\x89PNG")
    assert f"<!-- {OT} -->" in (tmp_path / "f.svg").read_text()


def test_an_unknown_figure_is_refused(tmp_path: Path) -> None:
    error = draw(tmp_path, "figure3", {}, "f.png", ok=False)
    assert error == "error: --figure figure3: xlm_align has xtreme, figure2, grid"


@pytest.fixture
def text(tmp_path: Path) -> Path:
    (tmp_path / "source").write_text("a b\n\n")
    (tmp_path / "target").write_text("A B\nC\n")
    (tmp_path / "links").write_text("0-0 1p1\n\n")
    (tmp_path / "outside").write_text("0-2\n\n")
    (tmp_path / "short").write_text("0-0\n")
    return tmp_path


def grid(folder: Path, *out, inputs=None, **settings) -> str:
    pair = {"source": "source", "target": "target"}
    return draw(folder, "grid", pair | (inputs or {}), *out, **settings)


def test_grid_of_links_and_gold(text: Path) -> None:
    grid(text, "a.png", "a.svg", inputs={"links": "links", "gold": "links"})
    assert (text / "a.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (text / "a.svg").read_text()


def test_numbered_gold(text: Path) -> None:
    """The shared tasks' format, as score_alignment.py reads it: the picture is that of the same links in Pharaoh's."""
    (text / "source").write_text("a b\nc\n")
    (text / "links").write_text("0-0 1p1\n0-0\n")
    grid(text, "a.svg", inputs={"gold": "links"})
    wanted = (text / "a.svg").read_text()
    for base in (1, 0):
        rows = f"7 {base} {base} S\n7 {base + 1} {base + 1} P\n9 {base} {base} S\n"
        (text / "gold").write_text(rows)
        grid(text, "a.svg", inputs={"gold": "gold"}, **({} if base else {"index_base": 0}))
        assert (text / "a.svg").read_text() == wanted


def test_grid_of_an_aligner_on_an_encoder_or_on_vectors(text: Path) -> None:
    make_bert(text / "bert")
    grid(text, "a.svg", inputs={"encoder": "bert"}, aligner="optimal_transport", layer=1)
    assert "<!-- transport plan -->" in (text / "a.svg").read_text()
    for name in ("source", "target"):
        (text / f"{name}.vec").write_text("2 2\na 1 0\nA 1 0\n")
    vectors = {"source_vectors": "source.vec", "target_vectors": "target.vec"}
    grid(text, "a.svg", inputs=vectors, aligner="simalign_argmax")
    assert "<!-- similarity -->" in (text / "a.svg").read_text()


@pytest.mark.parametrize(
    ("inputs", "settings", "message"),
    [
        ({"links": "links"}, {"line": 2}, "source:2: an empty side"),
        ({"links": "links"}, {"line": 3}, "source: has no line 3"),
        ({"gold": "outside"}, {}, "outside:1: link 0-2 is outside a pair of 2 and 2 tokens"),
        ({"gold": "short"}, {}, "short: 1 lines of links for 2 sentence pairs"),
        ({}, {}, "nothing to draw"),
        ({"links": "links", "encoder": "bert"}, {}, "change nothing without an aligner"),
        ({"encoder": "bert"}, {"aligner": "fast_align"}, "fast_align learns from a whole text"),
        ({"encoder": "bert"}, {"aligner": "simalign_argmax", "layer": [1, 2]}, "a grid shows one"),
        ({}, {"aligner": "simalign_argmax"}, "plan.json: inputs has no 'source_vectors'"),
    ],
)
def test_errors(text: Path, inputs, settings, message) -> None:
    assert message in grid(text, "a.png", inputs=inputs, ok=False, **settings)
    assert not (text / "a.png").exists()


def test_suffix_of_no_format(text: Path) -> None:
    error = grid(text, "a.svg", "a.foo", inputs={"links": "links"}, ok=False)
    assert error.startswith(f"error: --out {text / 'a.foo'}: the suffix must name a format: ")
    assert ".png" in error
    assert not (text / "a.svg").exists()
