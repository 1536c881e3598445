"""Tables and figures of xlm_align from rows; the published numbers as the paper prints them."""

from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from crosslingua.errors import InputError
from crosslingua.io.json import write_json
from crosslingua.metrics import write_rows
from crosslingua.papers.xlm_align.figures import curves, panels
from crosslingua.papers.xlm_align.tables import TABLES, gaps
from crosslingua.papers.xlm_align.tasks import TASKS
from crosslingua.report.tables import MARKDOWN, read_reference, render
from metric_rows import error_row, frame
from metric_rows import error_row as row
from programs import call
from word_aligners.encoders import make_bert

OT = "optimal_transport+xlmr"
ROWS = frame(
    row("fast_align", 30.0),
    row("fast_align", 20.0, "en-fr"),
    row(OT, 10.0, layer=8),
    row(OT, 14.0, layer=8, seed=2),
    row(OT, 20.0, "en-fr", layer=8),
    row("optimal_transport+static", 50.0),  # one pair only: no mean
)
FIGURE2_ROWS = [
    error_row(OT, value, pair, seed, layer, "fig2")
    for pair, offset in (("de-en", 0), ("en-fr", 10))
    for seed in (1, 2)
    for layer, value in ((1, 20 + offset + seed), (2, 40 + offset))
]


@pytest.fixture
def published(repository: Path) -> dict:
    return read_reference([repository / "reference/xlm_align_table2.csv"])


def cells_of(grid) -> dict[str, list[str]]:
    lines = [line.strip("|").split("|") for line in render(grid, MARKDOWN).splitlines()]
    return {first.strip(): [cell.strip() for cell in more] for first, *more in lines}


def test_ours_beside_the_published_the_lowest_in_bold(published: dict) -> None:
    ours, paper = TABLES["table2"].build(ROWS, published)
    table = cells_of(ours)
    assert table["system"] == ["de-en", "en-fr", "mean"]
    assert table["fast_align"] == ["30.0 (32.1)", "**20.0** (19.5)", "25.0"]
    assert table[OT] == ["**12.0 ± 2.8** (17.7)", "**20.0** (7.5)", "**15.0**"]
    assert table["optimal_transport+static"] == ["50.0", "–", "–"]
    theirs = cells_of(paper)  # of four pairs: its mean is none to stand beside ours of two
    assert theirs["system"] == ["de-en", "en-fr", "en-hi", "ro-en", "mean"]
    assert theirs[OT] == ["17.7", "7.5", "37.8", "27.5", "22.6"]


def test_what_is_not_below_the_diagonal_is_marked_and_never_best() -> None:
    """AER of 12 ± 2.8 in two runs is not surely below 14: the interval of the mean reaches 12 + 12.7 * 2 = 37.4."""
    rows = pd.concat([ROWS, frame(row("diagonal", 14.0), row("diagonal", 40.0, "en-fr"))])
    table = cells_of(next(iter(TABLES["table2"].build(rows, {}))))
    assert table["diagonal"] == ["14.0", "40.0", "27.0"]
    assert table[OT] == ["12.0 ± 2.8 ‡", "**20.0**", "**15.0**"]
    assert table["fast_align"] == ["30.0 ‡", "**20.0**", "25.0"]


def test_a_published_mean_stands_beside_one_of_the_same_pairs(published: dict) -> None:
    rows = frame(*(row(OT, 10.0, pair, layer=8) for pair in ("de-en", "en-fr", "en-hi", "ro-en")))
    (grid,) = TABLES["table2"].build(rows, published)
    assert cells_of(grid)[OT][-1] == "**10.0** (22.6)"


def test_published_means_are_those_of_their_rows(published: dict) -> None:
    systems = {system for system, column, *_ in published if column == "mean"} - {"simalign_argmax+xlmr"}
    assert len(systems) == 4
    for system in systems:
        found = {column: value for (name, column, *_), value in published.items() if name == system}
        mean = found.pop("mean")
        assert len(found) == 4
        assert mean == pytest.approx(sum(found.values()) / 4, abs=0.006)


def test_other_scores_follow_in_grids_of_their_own() -> None:
    rows = frame(*(row(OT, 10.0) | {"metric": metric} for metric in ("f1", "aer", "recall", "precision")))
    grids = TABLES["table2"].build(rows, {})
    assert [grid.note.split()[0] for grid in grids] == ["Alignment", "Precision:", "Recall:", "F1"]
    assert [bool(grid.lowest) for grid in grids] == [True, False, False, False]


# Table 1, the appendix and tables 3 to 7: the paper's own numbers, taken for ours, give its averages.


def xtreme_row(system: str, task: str, target: str, metric: str, value: float, seed=1, table="table1"):
    return {
        "paper": "xlm_align", "table": table, "system": system, "task": task, "source": "en", "target": target,
        "metric": metric, "value": value, "seed": seed, "signature": "s",
    }  # fmt: skip


def scored(system: str, task: str, target: str, seed: int = 1, **values: float) -> list[dict]:
    """Rows of table 1, one a metric."""
    return [xtreme_row(system, task, target, metric, value, seed) for metric, value in values.items()]


def published_xtreme(repository: Path, table: str) -> dict:
    return read_reference([repository / f"reference/xlm_align_{table}.csv"])


def as_ours(numbers: dict, table: str) -> pd.DataFrame:
    """Return the paper's means as rows of ours, in one language."""
    of_tasks = [(*place, value) for place, value in numbers.items() if place[2] in TASKS]
    return frame(*(xtreme_row(s, task, "en", m, value, table=table) for s, _, task, m, value in of_tasks))


def shown(grid) -> pd.Series:
    return grid.cells["mean"]


def test_the_papers_tasks_give_the_papers_averages(repository: Path) -> None:
    numbers = published_xtreme(repository, "table1")
    grid, theirs = TABLES["table1"].build(as_ours(numbers, "table1"), numbers)
    for system, average in (("mbert", 63.1), ("xlm", 58.6), ("xlmr", 66.4), ("xlm_align", 68.9)):
        assert shown(grid)[system, "average"] == pytest.approx(average, abs=0.06)
        assert theirs.cells["mean"][system, "average"] == average
    assert "published" not in grid.cells  # English alone is not what the paper's means are over
    assert np.isnan(shown(grid)["mt5", "average"])  # without POS there is no average, neither there nor here


@pytest.mark.parametrize("table", ["table3", "table4", "table5", "table6", "table7"])
def test_the_ablations_give_the_papers_averages(repository: Path, table: str) -> None:
    numbers = published_xtreme(repository, table)
    grid = TABLES[table].build(as_ours(numbers, "table3"), numbers)[0]
    assert grid.note.endswith("of questions F1 alone")
    systems = list(dict.fromkeys(key[0] for key in numbers))
    assert set(grid.cells.index.get_level_values("system")) == set(systems)
    for system in systems:
        average = numbers[system, "mean", "average", "average"]
        assert shown(grid)[system, "average"] == pytest.approx(average, abs=0.08)


@pytest.mark.parametrize("task", TASKS.values(), ids=lambda task: task.name)
def test_the_papers_languages_give_the_papers_means(repository: Path, task) -> None:
    numbers = published_xtreme(repository, task.table)
    by_language = [(*place, value) for place, value in numbers.items() if place[1] != "mean"]
    rows = frame(*(xtreme_row(s, t, language, m, value) for s, language, t, m, value in by_language))
    for metric, grid in zip(task.metrics, TABLES[task.table].build(rows, numbers), strict=True):
        mean = numbers["xlm_align", "mean", task.name, metric]
        assert shown(grid)["xlm_align", "mean"] == pytest.approx(mean, abs=0.08)
        assert grid.cells["published"]["xlm_align", "mean"] == mean


def test_a_published_mean_is_of_the_languages_that_ours_is_of(repository: Path) -> None:
    numbers = published_xtreme(repository, "table13")
    chosen = {"en": 95.9, "fr": 88.1}  # table 13, XLM-Align
    assert {lang: numbers["xlm_align", lang, "pos", "f1"] for lang in chosen} == chosen
    rows = frame(*(xtreme_row("xlm_align", "pos", lang, "f1", 50.0) for lang in chosen))
    ours, theirs = TABLES["table13"].build(rows, numbers)
    assert ours.cells["published"]["xlm_align", "mean"] == pytest.approx((95.9 + 88.1) / 2, abs=0.06)
    assert theirs.cells["mean"]["xlm_align", "mean"] == numbers["xlm_align", "mean", "pos", "f1"] == 76.0
    rows = frame(*(xtreme_row("xlm_align", "pos", lang, "f1", 50.0) for lang in (*chosen, "ana")))
    ours = TABLES["table13"].build(rows, numbers)[0]
    assert np.isnan(ours.cells["published"]["xlm_align", "mean"])


def every_task(system: str, value: float, seed: int = 1, without: str = "") -> list[dict]:
    places = [(task, lang) for task in TASKS.values() for lang in ("en", "de") if task.name != without]
    return [xtreme_row(system, t.name, lang, name, value, seed) for t, lang in places for name in t.metrics]


def test_an_average_without_a_task_or_a_language_is_refused() -> None:
    whole, part = every_task("a", 50.0), every_task("b", 60.0, without="xnli")
    lacking = [r for r in every_task("c", 70.0) if (r["task"], r["target"]) != ("mlqa", "de")]
    rows = frame(*whole, *part, *lacking)
    grid = TABLES["table1"].build(rows, {})[0]
    assert shown(grid)["a", "average"] == 50
    # nor a mean over languages that lacks one of them
    assert shown(grid)[[("b", "average"), ("c", "MLQA F1"), ("c", "average")]].isna().all()
    told = TABLES["table1"].warn(rows)
    said = [one in told for one in ("b lacks XNLI", "c lacks MLQA", "a lacks")]
    assert said == [True, True, False]


def test_means_stand_with_and_without_the_language_of_training(repository: Path) -> None:
    """90, 30 and 40 in XNLI: 53.3 with English, 35 without, and so in the paper's numbers beside."""
    right = {"en": 90.0, "de": 30.0, "fr": 40.0}
    each = [scored("xlm_align", "xnli", lang, accuracy=value, majority=35.0) for lang, value in right.items()]
    rows = frame(*chain(*each))
    found = TABLES["table18"].build(rows, published_xtreme(repository, "table18"))[0]
    assert shown(found)["xlm_align"].round(1).tolist() == [90, 30, 40, 53.3, 35]
    assert found.cells["published"]["xlm_align"].tolist() == [86.7, 78.8, 80.6, 82.0, 79.7]
    marks = {"en": "", "de": "‡ [1 nil]", "fr": "", "mean": "", "transfer": "‡ [1 nil]"}
    assert found.cells["mark"]["xlm_align"].to_dict() == marks
    means = [grid.cells.loc[("xlm_align", "XNLI acc.")] for grid in TABLES["table1"].build(rows, {})]
    assert [mean["mean"] for mean in means] == [pytest.approx(160 / 3), 35]
    assert [mean.get("mark", "") for mean in means] == ["", "‡ [1 nil]"]


def test_tags_are_held_against_the_most_frequent_one_by_accuracy() -> None:
    """F1 15 is no better where 19 % of the tags are right and the most frequent one has 19.5 %."""
    rows = frame(
        *scored("a", "pos", "en", f1=60.0, accuracy=80.0, majority=19.5),
        *scored("a", "pos", "de", f1=15.0, accuracy=19.0, majority=19.5),
    )
    (found,) = TABLES["table13"].build(rows, {})
    marks = {"en": "", "mean": "", "de": "‡ [1 nil]", "transfer": "‡ [1 nil]"}
    assert found.cells["mark"]["a"].to_dict() == marks
    assert found.cells["mean"]["a", "de"] == 15


def test_the_shortcut_of_each_task_is_a_row_that_is_never_best_nor_judged() -> None:
    rows = frame(
        *every_task("a", 50.0), *every_task("b", 40.0, seed=2),
        *(xtreme_row(system, "xnli", lang, "shortcut_accuracy", value, seed)
          for system, seed in (("a", 1), ("b", 2)) for lang, value in (("en", 80.0), ("de", 60.0))),
    )  # fmt: skip
    main, own = TABLES["table1"].build(rows, {})[0], TABLES["table18"].build(rows, {})[0]
    assert main.cells.loc[("shortcut", "XNLI acc."), ["mean", "seeds"]].to_list() == [70, 1]
    assert shown(own)["shortcut"].to_dict() == {"en": 80, "de": 60, "mean": 70, "transfer": 60}
    assert {system for grid in (main, own) for (system, _), is_best in grid.best().items() if is_best} == {
        "a"
    }
    assert not main.best()["a", "XNLI acc."]
    marks = own.cells["mark"]["a"].to_dict()
    assert marks == dict.fromkeys(("en", "de", "mean", "transfer"), "‡")  # 50 is below 60
    told = TABLES["table1"].warn(rows)
    assert "XNLI in the training language: a does not beat the best shortcut (acc. 50.0, 80.0)" in told


def test_the_most_frequent_answer_is_a_row_in_the_first_metric_of_a_task() -> None:
    """Tags are held against it by accuracy, and shown by F1."""
    rows = frame(
        *every_task("a", 50.0), *every_task("b", 40.0),
        *(xtreme_row(system, task, lang, metric, value)
          for system in ("a", "b") for lang, value in (("en", 4.0), ("de", 2.0))
          for task, metric in (("xquad", "majority"), ("pos", "majority_f1"))),
        *(xtreme_row(system, "pos", lang, "majority", 19.5) for system in ("a", "b") for lang in ("en", "de")),
    )  # fmt: skip
    main, tags = TABLES["table1"].build(rows, {})[0], TABLES["table13"].build(rows, {})[0]
    assert main.cells["mean"]["majority"].dropna().to_dict() == {"POS F1": 3, "XQuAD F1": 3}
    assert shown(tags)["majority"].to_dict() == {"en": 4, "de": 2, "mean": 3, "transfer": 2}
    assert not tags.best()["majority"].any()


def test_questions_count_by_the_mean_of_f1_and_exact_match() -> None:
    rows = frame(*(one | {"value": 70.0 * (one["metric"] != "em")} for one in every_task("a", 70.0)))
    assert shown(TABLES["table1"].build(rows, {})[0])["a", "average"] == pytest.approx((4 * 70 + 3 * 35) / 7)


def test_tasks_that_were_not_learnt_are_told() -> None:
    rows = frame(*every_task("a", 50.0), *(xtreme_row("a", "xnli", lang, "majority", 33.0) for lang in ("en", "de")),
                 *(xtreme_row("a", "pawsx", lang, "majority", 55.0) for lang in ("en", "de")))  # fmt: skip
    told = TABLES["table1"].warn(rows)
    assert (
        "PAWS-X in the training language: a does not beat the most frequent answer (acc. 50.0, 55.0)." in told
    )
    assert "XNLI" not in told


def test_what_was_not_learnt_is_never_best() -> None:
    def paws(system: str, english: float, german: float) -> list[dict]:
        of_english = scored(system, "pawsx", "en", accuracy=english, majority=45.0)
        return of_english + scored(system, "pawsx", "de", accuracy=german, majority=45.0)

    others = [*every_task("a", 60.0, without="pawsx"), *every_task("b", 50.0, without="pawsx")]
    rows = frame(*others, *paws("a", 44.0, 52.0), *paws("b", 60.0, 45.5))
    best = {name: TABLES[name].build(rows, {})[0].best() for name in ("table1", "transfer_gap")}
    # b alone learnt it, though it loses 14.5 points where a gains 8, and has the lower mean
    assert (best["transfer_gap"]["b", "PAWS-X"], best["table1"]["b", "PAWS-X acc."]) == (True, True)
    gap = best["transfer_gap"]["a"]
    assert (gap["PAWS-X"], gap["average"], best["table1"]["a", "PAWS-X acc."]) == (False, False, False)


def test_tags_that_were_not_learnt_are_named_and_never_best() -> None:
    """mt5 loses least of both, since it has least to lose."""
    rows = []
    for name, f1, accuracy, ner in (("mbert", 80.0, 86.0, 41.0), ("mt5", 16.0, 25.0, 5.0)):
        for language, left in (("en", 1), ("de", 2 / 3)):
            tags = {"f1": f1 * left, "accuracy": accuracy * left, "majority": 29.5 * left}
            spans = {"f1": ner * left, "shortcut_f1": 30.0 * left}
            rows += scored(name, "pos", language, **tags) + scored(name, "ner", language, **spans)
    rows = frame(*rows)
    told = TABLES["transfer_gap"].warn(rows)
    assert (
        "POS in the training language: mt5 does not beat the most frequent answer (acc. 25.0, 29.5)." in told
    )
    assert "NER in the training language: mt5 does not beat the best shortcut (F1 5.0, 30.0)." in told
    assert "mt5" in TABLES["table14"].warn(rows)
    for name in ("transfer_gap", "table1", "table13", "table14"):
        (best, *_) = (grid.best() for grid in TABLES[name].build(rows, {}))
        assert best.loc["mbert"].any()
        assert not best.loc["mt5"].any()
    old = rows[~rows["metric"].isin(["accuracy", "majority"])]  # written before these were told
    assert "POS" not in TABLES["table13"].warn(old)


def test_the_gap_is_the_training_language_less_the_mean_of_the_others() -> None:
    rows = frame(
        *scored("a", "xquad", "en", f1=80.0, em=60.0), *scored("a", "xquad", "de", f1=50.0, em=30.0),
        *scored("a", "xquad", "fr", f1=40.0, em=20.0), *scored("a", "pos", "en", f1=90.0),
    )  # fmt: skip
    found = gaps(rows)
    assert found[["task", "value"]].to_numpy().tolist() == [["xquad", 35.0]]  # POS has no other language


def test_an_xlm_align_trained_again_takes_the_place_of_table_1s() -> None:
    rows = frame(*every_task("xlm_align", 90.0), *every_task("no_filter", 40.0))
    again = pd.concat([rows, frame(*every_task("xlm_align", 30.0)).assign(table="table3")])
    for used, average in ((again, 30), (rows, 90)):
        assert shown(TABLES["table6"].build(used, {})[0])["xlm_align", "average"] == average


def test_the_picture_has_the_training_language_first_and_no_number_where_there_is_no_data() -> None:
    tags = scored("a", "pos", "de", f1=40.0, majority=8.0) + scored("a", "pos", "en", f1=90.0, majority=12.0)
    rows = frame(*tags, *scored("a", "xquad", "en", f1=50.0, em=30.0))
    found, systems, languages, chance = panels(rows)
    assert (systems, languages, list(found)) == (["a"], ["en", "de"], ["POS", "XQuAD"])
    assert found["POS"].tolist() == [[90, 40]]
    assert found["XQuAD"][0, 0] == 40
    assert np.isnan(found["XQuAD"][0, 1])
    assert chance == {"POS": 10}


def test_curves_are_means_over_pairs_by_layer_and_seed_of_rows_that_have_a_layer() -> None:
    of_one_pair = error_row(OT, 1, seed=3, layer=1, table="fig2")
    found = curves(frame(*FIGURE2_ROWS, of_one_pair, error_row(OT, 99, layer=8)))
    assert found == {OT: {1: [26, 27], 2: [45, 45]}}
    assert curves(frame(*FIGURE2_ROWS[:2])) == {OT: {1: [21], 2: [40]}}
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


def test_figure2_is_drawn_from_rows_and_an_unknown_figure_refused(tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.csv", frame(*FIGURE2_ROWS))
    draw(tmp_path, "figure2", {"rows": "rows.csv"}, "f.png", "f.svg", caption="demo")
    assert (tmp_path / "f.png").read_bytes().startswith(b"\x89PNG")
    assert f"<!-- {OT} -->" in (tmp_path / "f.svg").read_text()
    error = draw(tmp_path, "figure3", {}, "f.png", ok=False)
    assert error == "error: --figure figure3: xlm_align has xtreme, figure2, grid"


@pytest.fixture
def text(tmp_path: Path) -> Path:
    texts = {
        "source": "a b\n\n",
        "target": "A B\nC\n",
        "links": "0-0 1p1\n\n",
        "outside": "0-2\n\n",
        "short": "0-0\n",
    }
    for name, content in texts.items():
        (tmp_path / name).write_text(content)
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
