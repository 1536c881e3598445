"""Tables and figures of align_mlm, from rows and published numbers."""

from pathlib import Path

import pandas as pd
import pytest

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.json import write_json
from crosslingua.metrics import read_rows, write_rows
from crosslingua.papers.align_mlm import tables
from crosslingua.papers.align_mlm.figures import FIGURES
from crosslingua.papers.align_mlm.tables import ALIGNMENT, SYSTEMS, TABLES, TARGETS, not_learnt
from crosslingua.report.tables import MARKDOWN, read_reference, render
from metric_rows import frame
from metric_rows import transfer_row as row
from metric_rows import transfer_rows as scored
from pictures import drawn_twice


@pytest.fixture(scope="module")
def published() -> dict:
    return read_reference((Path(__file__).parents[3] / "reference").glob("align_mlm_*.csv"))


def as_rows(published: dict):
    return frame(*(row(*key, value) for key, value in published.items() if key[0] != "all"))


def test_the_published_numbers_agree_with_each_other(published: dict) -> None:
    """Delta is the difference of the other two, to the rounding of three numbers; table 3's sizes."""
    for (system, target, task, metric), value in published.items():
        if metric == "supervised":
            zero_shot, delta = (published[system, target, task, name] for name in ("zero_shot", "delta"))
            assert value - zero_shot == pytest.approx(delta, abs=0.1501), (system, target, task)
    main = {key for key in published if key[0] in SYSTEMS and key[3] in ("supervised", "zero_shot", "delta")}
    assert len(main) == len(SYSTEMS) * len(TARGETS) * 9


def test_table3_shows_mean_deviation_and_the_papers_figure_and_bolds_the_best() -> None:
    rows = frame(
        *(row("mlm", "trans", "ner", "delta", v, seed) for seed, v in enumerate([1.0, 3.0])),
        row("mlm", "trans", "ner", "zero_shot", 70.0),
        *scored("xlm", "trans", "ner", delta=4.0, zero_shot=71.0),
        row("xlm", "trans_inv", "pos", "delta", 9.0),
    )
    found = TABLES["table3"].build(rows, {("mlm", "trans", "ner", "delta"): 2.6})
    assert [grid.note for grid in found] == ["Transliteration", "Transliteration and inversion"]
    text = render(found[0], MARKDOWN).splitlines()
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text]
    assert lines[0] == ["system", "NER zero-shot", "NER Δ"]
    assert lines[2:] == [["mlm", "70.0", "**2.0 ± 1.4** (2.6)"], ["xlm", "**71.0**", "4.0"]]


def labels(table: str, rows: pd.DataFrame) -> list[str]:
    """The systems of a table's first grid."""
    return list(TABLES[table].build(rows, {})[0].cells.index.get_level_values("system").unique())


def test_a_system_of_ones_own_follows_those_of_the_paper() -> None:
    names = ("untrained", "mine", "mine_parallel_50", "xlm", "mlm")
    rows = frame(*(row(name, "trans", "slots", "delta", 1.0) for name in names))
    rows = pd.concat([rows, rows.assign(task="embedding_alignment", metric="alignment")], ignore_index=True)
    assert labels("table3", rows) == ["mlm", "xlm", "mine", "untrained"]
    assert labels("table8", rows) == ["mlm trans", "xlm trans", "mine trans"]


def test_ablations_are_ordered_by_what_they_change() -> None:
    names = ("xlm_parallel_100", "xlm_parallel_1", "xlm", "align_mlm", "xlm_overlap_25", "xlm_parallel_10")
    rows = frame(*(row(name, "trans_inv", "pos", "delta", 1.0) for name in names))
    assert labels("table1", rows) == ["xlm 1%", "xlm 10%", "xlm 25%", "xlm 100%", "align_mlm 0%"]
    assert labels("table7", rows) == ["xlm 0%", "xlm 25%"]
    with pytest.raises(InputError, match="no rows for align_mlm, table 7"):
        labels("table7", rows[rows["system"] == "align_mlm"])


def test_each_number_of_the_paper_stands_in_the_cell_of_ours(published: dict) -> None:
    """With the paper's numbers for ours, a cell and what stands beside it are equal, in every table."""
    rows = as_rows(published)
    shown = 0
    for table in (one for name, one in TABLES.items() if name != tables.NAME):  # is none of the paper's
        for grid in table.build(rows, published):
            cells = grid.cells.drop(["p", "ρ"], level="column", errors="ignore").dropna(subset="mean")
            assert cells["mean"].equals(cells["published"])
            shown += len(cells)
    assert shown >= len(rows)


def test_table8_correlates_as_the_paper_does(published: dict) -> None:
    _, found = TABLES["table8"].build(as_rows(published), published)
    assert "0.727 (0.727)" in render(found, MARKDOWN)
    assert not found.best().any()


def test_table8_and_figure3_correlate_seeds_with_the_most_encoders(tmp_path: Path) -> None:
    """Seeds 1 and 2 have eight encoders, in the same order but for two of seed 2; seed 3 has four, the other way round.

    Rho is 1 and 1 - 6 * 2 / (8 * 63). Of 24 * 24 orders within transformations two have the highest mean of both.
    """
    rows = []
    for seed, deltas in ((1, [7, 6, 5, 4, 3, 2, 1, 0]), (2, [6, 7, 5, 4, 3, 2, 1, 0]), (3, [0, 1, 2, 3])):
        places = [(system, target) for target in ("trans", "trans_inv") for system in SYSTEMS]
        for aligned, (place, delta) in enumerate(zip(places, deltas, strict=False)):
            rows += [row(*place, "pos", "delta", delta, seed), row(*place, *ALIGNMENT, aligned, seed)]
    _, found = TABLES["table8"].build(frame(*rows), {})
    rho, p = (found.cells.loc[("POS", name)] for name in ("ρ", "p"))
    assert (rho["mean"], rho["seeds"]) == (pytest.approx(1 - 6 / 504), 2)
    assert (p["mean"], p["seeds"]) == (pytest.approx(2 / 576), 1)
    write_rows(tmp_path / "rows.csv", frame(*rows))
    FIGURES["figure3"].draw({"rows": [tmp_path / "rows.csv"]}, {"caption": ""}, [tmp_path / "figure3.svg"])
    assert "Spearman's ρ = 0.99, p = 0.0035" in (tmp_path / "figure3.svg").read_text()


@pytest.mark.parametrize(
    ("accuracy", "majority", "said"), [(33.3, 33.3, True), (60, 33.3, False), (52.9, 56.9, True)]
)
def test_a_task_that_was_not_learnt_is_named(accuracy: float, majority: float, said: bool) -> None:
    # SICK's most frequent class makes up 56.9 % of its test set, of a balanced set's three 33.3 %.
    nli = scored("mlm", "trans", "nli", supervised=accuracy, majority=majority)
    rows = frame(*nli, row("mlm", "trans", "pos", "supervised", 3.0))
    warning = TABLES["table3"].warn(rows)
    assert ("NLI supervised is not above its controls" in warning) == said
    assert "POS" not in warning
    assert [grid.note for grid in TABLES["table3"].build(rows, {})] == ["Transliteration"]


def test_random_weights_above_a_system_are_told_in_every_column_and_table() -> None:
    rows = frame(
        *scored("align_mlm", "trans_inv", "pos", supervised=90, zero_shot=12),
        *scored("align_mlm_alpha_100", "trans_inv", "pos", supervised=80, zero_shot=30),
        *scored("align_mlm_alpha_1", "trans_inv", "pos", supervised=70, zero_shot=30),
        *scored("untrained", "trans_inv", "pos", supervised=80, zero_shot=12),
    )
    (found,) = TABLES["alpha"].build(rows, {})
    assert labels("alpha", rows) == ["align_mlm 1", "align_mlm 10", "align_mlm 100"]
    marked = {place for place, mark in found.cells["mark"].items() if mark == "‡"}
    assert marked == {
        ("align_mlm 1", "POS supervised"), ("align_mlm 100", "POS supervised"), ("align_mlm 10", "POS zero-shot"),
    }  # fmt: skip


def test_that_is_judged_a_transformation_at_a_time_and_nothing_is_best_of_what_was_not_learnt() -> None:
    rows = []
    for target, nli in (("trans", 90.0), ("trans_inv", 33.0)):
        for system in ("mlm", "xlm"):
            rows += scored(system, target, "nli", supervised=nli, majority=33.3, delta=1.0)
            rows += scored(system, target, "pos", delta=2.0)
    rows = frame(*rows)
    told = "NLI supervised is not above its controls, and its Δ says nothing, of "
    assert not_learnt(rows) == f"{told}transliteration and inversion: mlm, xlm."
    learnt, failed = (grid.best() for grid in TABLES["table3"].build(rows, {}))
    found = learnt.groupby("column").any().to_dict()  # zero-shot stands the majority alone
    assert found == {"NLI supervised": True, "NLI zero-shot": False, "NLI Δ": True, "POS Δ": True}
    assert failed.groupby("column").any().to_dict() == dict.fromkeys(found, False) | {"POS Δ": True}


def test_what_does_not_beat_its_controls_supervised_is_no_best() -> None:
    """dict_mlm has the least delta, and a supervised score whose runs are not told from random weights."""
    rows = []
    for seed, (one, other) in enumerate(((40.0, 37.0), (46.0, 37.4), (40.0, 37.8)), 1):
        rows += scored("dict_mlm", "trans_inv", "ner", seed, supervised=one, delta=30.0, zero_shot=12.0)
        rows += scored("align_mlm", "trans_inv", "ner", seed, supervised=61.3, delta=48.0, zero_shot=13.3)
        rows += scored("xlm", "trans_inv", "ner", seed, supervised=63.0, delta=60.0, shortcut_supervised=62.0)
        rows += scored("untrained", "trans_inv", "ner", seed, supervised=other, delta=36.1)
    with_shortcut, without = frame(*rows), frame(*(row for row in rows if "shortcut" not in row["metric"]))
    for found, expected in ((without, "align_mlm"), (with_shortcut, "xlm")):
        best = TABLES["table3"].build(found, {})[0].best().xs("NER Δ", level="column")
        assert list(best[best].index) == [expected]


def test_the_most_frequent_tag_stands_below_and_what_is_not_above_it_is_no_best() -> None:
    mlm = {"supervised": 90.0, "zero_shot": 6.0, "delta": 84.0, "majority": 7.5, "majority_accuracy": 19.5}
    xlm, rows = {"supervised": 91.0, "zero_shot": 7.0, "delta": 85.0}, []
    for seed, of_mlm, of_xlm in ((1, 25.0, 21.4), (2, 15.0, 21.6)):
        rows += scored("mlm", "trans_inv", "pos", seed, **mlm, zero_shot_accuracy=of_mlm)
        rows += scored("xlm", "trans_inv", "pos", seed, **xlm, zero_shot_accuracy=of_xlm)
    rows = frame(*rows)
    first, otherwise = TABLES["table3"].build(rows, {})
    floor = first.cells.loc["majority"]["mean"].dropna().to_dict()
    assert floor == {"POS supervised": 7.5, "POS zero-shot": 7.5}
    assert otherwise.cells.loc[("majority", "POS accuracy zero-shot"), "mean"] == 19.5
    assert {at for at, is_best in first.best().items() if is_best} == {("xlm", "POS supervised")}
    # A run at the majority's accuracy has come to nothing. Without transfer, a difference says nothing.
    marks = first.cells["mark"].to_dict()
    assert marks["mlm", "POS zero-shot"] == "‡ [1 nil]"
    assert marks["xlm", "POS zero-shot"] == marks["mlm", "POS Δ"] == marks["xlm", "POS Δ"] == "‡"
    assert otherwise.best()["xlm", "POS accuracy zero-shot"]
    eighth = TABLES["table8"].build(rows, {})[0].cells["mark"].to_dict()
    assert eighth["mlm trans_inv", "POS Δ"] == "‡"


def test_a_zero_shot_score_of_what_was_hardly_learnt_is_no_best() -> None:
    """One is as good as random weights, 37.3, the other worse."""
    rows = frame(
        *scored("mlm", "trans_inv", "ner", supervised=37.3, zero_shot=2.3, zero_shot_conll=2.3),
        *scored("align_mlm", "trans_inv", "ner", supervised=36.0, zero_shot=3.7, zero_shot_conll=3.7),
        *scored("untrained", "trans_inv", "ner", supervised=37.3, zero_shot=0.2, zero_shot_conll=0.2),
    )
    assert not any(grid.best().any() for grid in TABLES["table3"].build(rows, {}))


# The curve of training length: which rows it shows, in which order, and the figure.

COMMON = {"paper": "align_mlm", "source": "ana", "target": "trans_inv"}


def rows(*more: dict):
    """Alignment and POS of two systems at two and three lengths, and systems of other tables."""
    values = {
        "mlm": (1.0, 20.0), "mlm_steps_12000": (4.0, 30.0), "align_mlm_steps_48000": (40.0, 70.0),
        "align_mlm_steps_6000": (26.0, 55.0), "align_mlm": (25.0, 50.0), "xlm": (9.0, 9.0),
        "align_mlm_dictionary_50": (50.0, 60.0),
    }  # fmt: skip
    metrics = ("embedding_alignment", "alignment"), ("pos", "zero_shot")
    named = [
        {**COMMON, "system": system, "task": task, "metric": metric, "value": value}
        for system, both in values.items() for (task, metric), value in zip(metrics, both, strict=True)
    ]  # fmt: skip
    return frame(*named, *more)


def drawn(folder: Path, rows: pd.DataFrame, **settings) -> str:
    """The figure of rows, as SVG."""
    write_rows(folder / "rows.csv", rows)
    FIGURES[tables.NAME].draw({"rows": [folder / "rows.csv"]}, settings, [folder / "l.svg"])
    return (folder / "l.svg").read_text()


def test_a_line_a_system_and_length_those_of_table_3_first() -> None:
    (found,) = TABLES[tables.NAME].build(rows(), {})
    assert found.note == "Transliteration and inversion"
    aligned = {
        "mlm": 1.0, "mlm, 12,000 steps": 4.0, "align_mlm": 25.0, "align_mlm, 6,000 steps": 26.0,
        "align_mlm, 48,000 steps": 40.0,
    }  # fmt: skip
    assert found.cells["mean"].unstack().loc[:, "tokens aligned"].to_dict() == aligned
    assert labels(tables.NAME, rows()) == list(aligned)
    # a system is shown where it was trained longer
    other = {**COMMON, "target": "trans", "system": "mlm", "task": "pos", "metric": "zero_shot", "value": 3.0}
    assert len(list(TABLES[tables.NAME].build(rows(other), {}))) == 1


def test_a_system_of_ones_own_is_shown_too(tmp_path: Path) -> None:
    own = {**COMMON, "table": "table3", "task": "embedding_alignment", "metric": "alignment", "value": 7.0}
    both = rows(own | {"system": "mine"}, own | {"system": "mine_steps_9", "table": "training_length"})
    (found,) = TABLES[tables.NAME].build(both, {})
    assert list(found.cells.index.get_level_values("system").unique())[-2:] == ["mine", "mine, 9 steps"]
    steps = dict.fromkeys(("mlm", "xlm", "align_mlm", "mine"), 3000)
    assert "<!-- mine, transliteration and inversion -->" in drawn(tmp_path, both, steps=steps)


def test_the_figure_puts_table_3s_systems_at_their_steps(tmp_path: Path) -> None:
    text = drawn(tmp_path, rows(), caption="demo", steps=dict.fromkeys(("mlm", "xlm", "align_mlm"), 3000))
    shown = ("demo", "3,000", "6,000", "12,000", "48,000", "tokens aligned", "POS zero-shot")
    assert [one for one in shown if f"<!-- {one} -->" not in text] == []
    assert "<!-- XLM" not in text


@pytest.fixture
def inputs(repository: Path, tmp_path: Path) -> dict[str, list[Path]]:
    """The paper's own numbers, one of another seed, and a system of one's own."""
    published = sorted((repository / "reference").glob("align_mlm_table*.csv"))
    own = [row("mine", "trans", task, metric, 3.0) for task, metric in (("ner", "delta"), ALIGNMENT)]
    more = frame(*own, row("mlm", "trans", "ner", "delta", 3.0, seed=2))
    write_rows(tmp_path / "rows.csv", pd.concat([as_rows(read_reference(published)), more]))
    return {"rows": [tmp_path / "rows.csv"], "published": published}


@pytest.mark.parametrize("name", ["figure2", "figure3"])
def test_figures_are_drawn_and_repeat(name: str, inputs, tmp_path: Path) -> None:
    text = drawn_twice(tmp_path, lambda out: FIGURES[name].draw(inputs, {"caption": "scale demo"}, out))
    for shown in ("scale demo", "MLM", "XLM", "DICT-MLM", "ALIGN-MLM", "mine"):
        assert f"<!-- {shown} -->" in text
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


@pytest.mark.parametrize(
    ("name", "message"),
    [("figure2", "to draw"), ("figure3", "to draw"), (tables.NAME, "several lengths")],
)
def test_rows_without_anything_to_draw_are_refused(name: str, message: str, tmp_path: Path) -> None:
    for metric in ("supervised", "zero_shot"):
        write_rows(tmp_path / "rows.csv", frame(row("mlm", "trans", "ner", metric, 3.0)))
        inputs = {"rows": [tmp_path / "rows.csv"], "published": []}
        with pytest.raises(InputError, match=message):
            FIGURES[name].draw(inputs, {"steps": {}}, [tmp_path / "none.svg"])
        assert not (tmp_path / "none.svg").exists()


def test_the_loss_of_named_runs(tmp_path: Path) -> None:
    curve = {"step": [1, 2], "loss": [3.0, 2.0], "mlm": [3.0, 2.0]}
    write_json(tmp_path / "training.json", {"loss_curve": curve})
    FIGURES["loss"].draw({"runs": [tmp_path]}, {"names": ["mlm.trans"]}, [tmp_path / "loss.svg"])
    assert "<!-- mlm.trans -->" in (tmp_path / "loss.svg").read_text()
    with pytest.raises(ConfigError, match="2 names for 1 runs"):
        FIGURES["loss"].draw({"runs": [tmp_path]}, {"names": ["a", "b"]}, [tmp_path / "other.svg"])
