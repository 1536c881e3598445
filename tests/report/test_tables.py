"""Tables of a toy paper in each format, comparisons, and marks beside numbers that a control equals."""

import csv
import math
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import false_discovery_control, ttest_ind

from crosslingua.errors import ConfigError, InputError
from crosslingua.metrics import write_rows
from crosslingua.report import tables
from crosslingua.report.comparison import compare, read_numbers
from crosslingua.report.controls import NIL_NOTE, NO_BETTER_NOTE, flagged, runs_at_nothing
from crosslingua.report.tables import HTML, LATEX, MARKDOWN, Document, Grid, fitted, grid, render, write
from metric_rows import frame
from programs import SCRIPTS, run_script
from texts import written

ROWS = frame(
    {"system": "joint_vr", "value": 30.04},
    {"system": "joint_vr", "value": 30.0, "seed": 2},
    {"value": 10.0},
    {"value": 20.0, "seed": 2},
    {"target": "cor", "value": 50.0},
    {"target": "cor", "system": "joint_vr", "value": 50.01},
)
TOY = tables.Table("A table", "Percent.", lambda rows, published: [grid("P@1.", values_of(rows), published)])
SYSTEMS, CONTROLS = ("good", "even", "dead", "random", "majority"), ("random", "majority")
VALUES = {  # of the systems, in each run
    "ana": ([80], [36], [40, 42, 2], [36], [0]),
    "→ ber": ([20], [30, 30], [30, 29], [25], [28]),
    "ber alone": ([70], [0.4], [60, 5.9], [], []),
    "B − A": ([-5], [-9], [-9], [3], [0]),
}


def values_of(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(column=rows["target"])


def cells_of(markdown: str) -> dict[str, list[str]]:
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in markdown.splitlines()]
    return {line[0]: line[1:] for line in lines}


def test_mean_and_sample_deviation_by_hand() -> None:
    cells = grid("", values_of(ROWS)).cells
    assert tuple(cells.loc[("joint", "ber")]) == (15.0, pytest.approx(7.071068, abs=1e-6), 2)
    assert pd.isna(cells.loc[("joint", "cor"), "deviation"])


def test_markdown_marks_the_best_and_ties_at_the_shown_precision() -> None:
    cells = cells_of(render(grid("", values_of(ROWS)), MARKDOWN))
    assert next(iter(cells.items())) == ("system", ["ber", "cor"])
    assert cells["joint_vr"] == ["**30.0 ± 0.0**", "**50.0**"]
    assert cells["joint"] == ["*15.0 ± 7.1*", "**50.0**"]


def test_the_lowest_is_best_where_less_is_better_and_nothing_where_systems_do_not_compete() -> None:
    text = render(grid("", values_of(ROWS), lowest=["ber"]), MARKDOWN)
    assert cells_of(text)["joint"] == ["**15.0 ± 7.1**", "**50.0**"]
    assert "**" not in render(grid("", values_of(ROWS), bold=False), MARKDOWN)


def test_a_control_and_a_column_that_says_nothing_have_no_best() -> None:
    cells = cells_of(render(grid("", values_of(ROWS), unranked=["joint"]), MARKDOWN))
    assert "**" not in "".join(cells["joint"])
    assert any("**" in "".join(row) for system, row in cells.items() if system != "joint")
    assert "**" not in render(grid("", values_of(ROWS), unranked=set(ROWS["target"])), MARKDOWN)


def test_the_papers_figure_stands_in_parentheses_also_where_ours_is_missing() -> None:
    published = {("joint", "ber"): 17.25, ("joint", "dax"): 3.0, ("never_run", "ber"): 1.0}
    rows = pd.concat([ROWS, frame({"system": "joint_vr", "target": "dax", "value": 1.0})])
    text = cells_of(render(grid("", values_of(rows), published), MARKDOWN))
    assert text["joint"] == ["*15.0 ± 7.1* (17.2)", "**50.0**", "– (3.0)"]
    assert "never_run" not in text


def test_a_caption_tells_the_seeds_and_names_the_papers_figures_where_there_are_any() -> None:
    caption = "Mean over seeds. In parentheses: the paper's figure, as printed. Bold: best."
    alone, beside = (grid("P@1.", values_of(ROWS), theirs) for theirs in ({}, {("joint", "ber"): 11.0}))
    assert fitted(caption, [alone]) == "Mean over 2 seeds. Bold: best."
    assert fitted(caption, [beside]) == caption.replace("over seeds", "over 2 seeds")
    more = grid("P@1.", values_of(pd.concat([ROWS, frame({"value": 30.0, "seed": 3})])))
    assert fitted("Over seeds, over seeds.", [more]) == "Over seeds, over 2 to 3 seeds."
    single = grid("P@1.", values_of(ROWS[ROWS["target"] == "cor"]))
    assert fitted(caption, [single]) == "Mean over seeds. Bold: best."


def test_columns_can_be_ordered() -> None:
    found = grid("", values_of(ROWS), columns=["cor", "none", "ber"], decimals=0)
    assert cells_of(render(found, MARKDOWN))["joint"] == ["**50**", "*15 ± 7*"]


def test_no_rows_is_an_error() -> None:
    with pytest.raises(InputError, match="no rows for A table"):
        TOY.build(ROWS[:0], {})


def document() -> Document:
    grids = [grid("First.", values_of(ROWS), {("joint", "ber"): 17.25}), grid("Second.", values_of(ROWS[:1]))]
    return Document("toy_table", "A table", ("Scale: tiny.", "Beware."), grids, "By `make <b>`.", "More.")


def test_csv_is_tidy_and_holds_no_words_but_the_convention(tmp_path: Path) -> None:
    write(tmp_path / "t.csv", document())
    with (tmp_path / "t.csv").open(newline="") as stream:
        lines = list(csv.reader(stream))
    assert lines == [
        ["convention", "system", "column", "mean", "deviation", "seeds", "published", "cv_star"],
        ["First.", "joint_vr", "ber", "30.0200", "0.0283", "2", "", ""],
        ["First.", "joint_vr", "cor", "50.0100", "", "1", "", ""],
        ["First.", "joint", "ber", "15.0000", "7.0711", "2", "17.25", "13.91"],
        ["First.", "joint", "cor", "50.0000", "", "1", "", ""],
        ["Second.", "joint_vr", "ber", "30.0400", "", "1", "", ""],
    ]


def test_what_a_spreadsheet_would_compute_is_text_and_numbers_stay_numbers(tmp_path: Path) -> None:
    named = ROWS.assign(system=["=1+1", "=1+1", "-0.3", "-0.3", "-a", "@b"])
    write(tmp_path / "t.csv", Document("t", "T", (), [grid("+N", values_of(named))]))
    with (tmp_path / "t.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert {row["system"] for row in rows} == {"'=1+1", "-0.3", "'-a", "'@b"}
    assert {row["convention"] for row in rows} == {"'+N"}
    for name, shift in (("before", 0.0), ("after", 1.0)):
        changed = named.assign(value=named["value"] + shift)
        write_rows(tmp_path / f"{name}.csv", changed)
    compare(*(read_numbers(tmp_path / f"{name}.csv") for name in ("after", "before"))).write(
        tmp_path / "d.csv"
    )
    with (tmp_path / "d.csv").open(newline="") as stream:
        moves = list(csv.DictReader(stream))
    assert {row["system"] for row in moves} == {"'=1+1", "-0.3", "'-a", "'@b"}
    assert {float(row["difference"]) for row in moves} == {-1.0}


def test_csv_has_no_column_of_published_figures_where_the_paper_has_none(tmp_path: Path) -> None:
    write(tmp_path / "t.csv", Document("t", "T", (), TOY.build(ROWS, {})))
    header = "convention,system,column,mean,deviation,seeds"
    assert (tmp_path / "t.csv").read_text().startswith(f"{header},published,cv_star\n")
    write(tmp_path / "t.csv", Document("t", "T", (), [grid("N", values_of(ROWS))]))
    assert (tmp_path / "t.csv").read_text().startswith(f"{header}\n")


def test_words_stand_around_the_grids(tmp_path: Path) -> None:
    for suffix in ("md", "tex", "html"):
        write(tmp_path / f"t.{suffix}", document())
    lines = [line for line in (tmp_path / "t.md").read_text().splitlines() if line and line[0] != "|"]
    notes = f"{tables.TIED_NOTE} {tables.CV_NOTE.format('14 %')}"
    first = ["# A table", "Scale: tiny.", "Beware.", "## First.", notes]
    assert lines == [*first, "## Second.", "## Notes", "More.", "By `make <b>`."]
    source = (tmp_path / "t.tex").read_text()
    assert source.startswith("% A table\n% Scale: tiny.\n% Beware.\n% More.\n% By `make <b>`.\n")
    assert source.count(r"\begin{tabular}") == 2
    assert r"\textit{15.0 $\pm$ 7.1} (17.2)" in source
    page, made = (tmp_path / "t.html").read_text(), '<p class="note">By <code>make &lt;b&gt;</code>.</p>'
    assert page.startswith('<section id="toy_table">\n<h3>A table</h3>')
    assert page.index("First.") < page.index("<details><summary>Second.") < page.index(made)
    assert '<details><summary>Notes</summary><p class="note">More.</p></details>' in page
    with pytest.raises(ConfigError, match=r"\.csv, \.md, \.tex, \.html"):
        write(tmp_path / "t.xlsx", document())


NAMES = {
    "a|b": (r"a\|b", "a|b"),
    "<script>x": ("&lt;script>x", "<script>x"),
    r"\input{x}": (r"\\input{x}", r"\textbackslash{}input\{x\}"),
    "5 % _x_ & ~#$^": ("5 % _x_ & ~#$^", r"5 \% \_x\_ \& \textasciitilde{}\#\$\textasciicircum{}"),
    "[a](b)`": (r"\[a\](b)\`", "[a](b)`"),
    "two\nlines": ("two lines", "two lines"),
}


@pytest.mark.parametrize("name", NAMES)
def test_names_with_signs_of_a_format_stay_names(name: str) -> None:
    in_markdown, in_latex = NAMES[name]
    found = grid("N", pd.DataFrame([{"system": name, "column": name, "value": 1.0}]))
    assert r"\textbf{1.0}" in render(found, LATEX)
    page = render(found, HTML)
    assert (page.count("&lt;script&gt;x"), "<strong>1.0</strong>" in page) == (2 * name.count("<"), True)
    shown = Document("t", "T <b>\nx", ("`<b>` and <b>, 1 < 2",), [found])
    text = tables.markdown(shown)
    header, _, row = [line for line in text.splitlines() if line.startswith("|")]
    assert header.count(f" {in_markdown} |") == 1
    assert row.startswith(f"| {in_markdown} ")
    assert "`<b>` and &lt;b>, 1 < 2" in text
    assert tables.latex(shown).count(in_latex) == 2
    assert tables.latex(shown).startswith("% T <b> x\n% `<b>`")


HEAD = ",".join(tables.COLUMNS)


def test_reference_files_are_checked_and_notes_may_follow(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"{HEAD},row\nfast_align,de-en,word_alignment,aer,32.14,Dyer et al.\n")
    assert tables.read_reference([path]) == {("fast_align", "de-en", "word_alignment", "aer"): 32.14}
    for content, message in (
        ("a,b\n1,2\n", "columns must be"),
        (f"{HEAD}\nmlm,trans,ner,delta\n", "a.csv:2: other fields than the header has"),
        (f"{HEAD}\nmlm,trans,ner,delta,nan\n", "a.csv:2: value: .* is no number"),
        (f"{HEAD}\nmlm,trans,ner,delta,x\n", "a.csv:2: value: .* is no number"),
        (f"{HEAD}\nmlm,trans,ner,delta,1\nmlm,trans,ner,delta,2\n", "another table has 1.0"),
    ):
        path.write_text(content)
        with pytest.raises(InputError, match=message):
            tables.read_reference([path])


def test_tables_of_a_paper_agree_on_what_they_share(repository: Path) -> None:
    """xlm_align's tables 3 to 7 have numbers of their own: their XLM-Align has 75.2 on XNLI, that of table 1 76.2."""
    files: dict[str, list[Path]] = defaultdict(list)
    for path in sorted((repository / "reference").glob("*_table*.csv")):
        paper, _, table = path.stem.rpartition("_table")
        files[paper if paper != "xlm_align" else f"xlm_align.{table in '34567'}"].append(path)
    assert (len(files["xlm_align.True"]), len(files["xlm_align.False"])) == (5, 9)
    read = [len(tables.read_reference(paths)) for paths in files.values()]
    assert min(read) > 0 < 600 < sum(read)


def test_what_is_not_told_apart_from_the_best_is_italic() -> None:
    """40 ± 1 and 41 ± 1 of three seeds are not told apart, 30 ± 1 is, and one seed says nothing."""
    seeds = {"a": (40, 41, 42), "b": (39, 40, 41), "c": (29, 30, 31), "d": (40.5,), "control": (40, 41, 41)}
    values = [(system, "x", value) for system, each in seeds.items() for value in each]
    made = grid("F1.", pd.DataFrame(values, columns=["system", "column", "value"]), unranked=["control"])
    assert [system for (system, _), tied in made.tied.items() if tied] == ["b"]
    shown = cells_of(render(made, MARKDOWN))
    assert (shown["a"], shown["b"]) == (["**41.0 ± 1.0**"], ["*40.0 ± 1.0*"])
    assert "Italic: no significant difference" in made.notes
    assert not replace(made, bold=False).tied.any()


@pytest.mark.parametrize(
    ("values", "printed"),
    [
        ([84.51, 84.50, 87.46, 85.60, 84.20, 86.61, 86.20], 1.562),  # Belz et al. 2022, tables 4 and 5
        ([30.65, 30.65, 29.13, 30.65, 29.96], 2.487),
        ([87.50, 80.75, 89.36, 88.10, 89.64, 88.80], 4.176),
        # of two values a and b: sqrt(pi) 9/8 |a - b| / (a + b)
        ([15.0, 17.25], 100 * np.sqrt(np.pi) * 9 / 8 * 2.25 / 32.25),
        ([-40.0, -20.0], 100 * np.sqrt(np.pi) * 9 / 8 / 3),
    ],
)
def test_variation_of_a_few_results_is_as_printed_or_by_hand(values: list[float], printed: float) -> None:
    assert tables.cv_star(values) == pytest.approx(printed, abs=5e-4)


def test_variation_is_of_cells_whose_figures_have_one_sign() -> None:
    lines = [("a", "x", 10.0), ("a", "y", 30.0), ("a", "z", -1.0), ("b", "x", 0.0)]
    values = pd.DataFrame(lines, columns=["system", "column", "value"])
    published = {("a", "x"): 30.0, ("a", "y"): 10.0, ("a", "z"): 2.0, ("b", "x"): 5.0, ("b", "y"): 5.0}
    found = grid("F1.", values, published)
    assert list(found.variation.dropna().index) == [("a", "x"), ("a", "y")]
    assert found.notes.endswith("of 100 % in the median of 2 cells.")  # 99.7
    assert math.isnan(tables.cv_star([0.0, 0.0]))
    assert "CV*" not in grid("F1.", values).notes


def metrics(folder: Path, values: dict[str, list[float]]) -> Path:
    rows = [{"system": s, "seed": n, "value": v} for s, own in values.items() for n, v in enumerate(own)]
    folder.mkdir()
    write_rows(folder / "metrics.csv", frame(*rows))
    return folder


def test_numbers_move_as_welch_and_benjamini_hochberg_say(tmp_path: Path) -> None:
    generator = np.random.default_rng(1)
    before = {f"s{n:02}": generator.normal(50, 1, 4).tolist() for n in range(30)}
    after = {name: generator.normal(50 + 6 * (n < 5), 1, 4).tolist() for n, name in enumerate(before)}
    folders = metrics(tmp_path / "a", before), metrics(tmp_path / "b", after)
    found = compare(*map(read_numbers, folders))
    p = [ttest_ind(before[name], after[name], equal_var=False).pvalue for name in before]
    np.testing.assert_allclose(found.numbers["p"], p)
    assert found.numbers["moved"].tolist() == (false_discovery_control(p) <= 0.05).tolist()
    assert found.numbers["moved"].sum() >= 4
    assert "of 30 numbers moved beyond noise." in found.text()


def test_numbers_of_one_seed_move_where_they_differ_and_others_are_counted(tmp_path: Path) -> None:
    before = metrics(tmp_path / "a", {"same": [10.0], "moved": [10.0], "gone": [1.0]})
    after = metrics(tmp_path / "b", {"same": [10.0], "moved": [12.5], "new": [1.0], "newer": [2.0]})
    found = compare(read_numbers(before), read_numbers(after))
    assert found.numbers["moved"].to_numpy().tolist() == [False, True]
    assert found.text().splitlines()[0].startswith("   10.00 ->    12.50 (+2.50; p 0)")
    assert found.text().endswith("Only in the first: 1; only in the second: 2.")


TABLE = "convention,system,column,mean,deviation,seeds\n"
METRICS = frame({}).to_csv(index=False)


def test_tables_compare_too_and_what_is_neither_is_named(tmp_path: Path) -> None:
    cells = "convention,system,column,mean,deviation,seeds\nF1.,a,x,10,1,3\nF1.,b,x,,,0\n"
    table, other = written(tmp_path / "t.csv", cells), written(tmp_path / "other.csv", "a,b\n1,2\n")
    assert compare(read_numbers(table), read_numbers(table)).text() == "0 of 1 numbers moved beyond noise."
    with pytest.raises(InputError, match=r"other\.csv:1: neither metrics\.csv nor a table"):
        read_numbers(other)
    with pytest.raises(InputError, match="no such file"):
        read_numbers(tmp_path / "none")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "1: neither metrics.csv nor a table of results (give a folder"),
        (b"\0" * 999, " is a binary file, no text in UTF-8: 512 of its first 512 bytes are control"),
        ("convention,system,column\na,b,c\n", "1: neither metrics.csv nor a table of results (give a folder"),
        (TABLE, " holds no number (give a folder with metrics.csv"),
        (TABLE.encode("utf-16"), "1: UTF-16, not UTF-8 (convert it"),
        (TABLE.encode() + "F1.,é,x,1,1,3\n".encode("latin1"), "2: invalid UTF-8"),
        (TABLE + "F1.,a,x,1,1,3\nF1.,a,x,1,1,3\n", "3: a second number for F1., a, x (leave one)"),
        (TABLE + "F1.,a,x,1,1,3,9\n", "2: other fields than the header has (give each line one field"),
        (TABLE + '"F1,a,x,1,1,3\n', "2: other fields than the header has (give each line one field"),
        (TABLE.replace("seeds", "mean"), "1: two columns are called 'mean' (rename one)"),
        (TABLE + f"F1.,{'a' * 200_000},x,1,1,3\n", "2: not CSV: field larger than field limit"),
        *(
            (TABLE + f"F1.,b,x,,,0\nF1.,a,x,{numbers}\n", f"3: {message} (make the file again)")
            for numbers, message in {
                "inf,1,3": "mean: 'inf' is no number", "nan,1,3": "mean: 'nan' is no number",
                "1e400,1,3": "mean: '1e400' is no number", "1_0,1,3": "mean: '1_0' is no number",
                "1,-1,3": "deviation: '-1' is no number from 0", "1,inf,3": "deviation: 'inf' is no number from 0",
                "1,1,-3": "seeds: '-3' is no whole number from 1", "1,1,2.5": "seeds: '2.5' is no whole number",
                "1,1,": "seeds: '' is no whole number from 1", "1,,2": "deviation: '' is no number from 0",
            }.items()
        ),
        (METRICS.replace("12.5", "inf"), "2: value: 'inf' is no number (make the file again)"),
        (METRICS.replace("ana,ber,p_at_1,12.5,1,", "ana,ber,p_at_1,12.5,-3,"), "2: seed: '-3' is no whole number"),
        (METRICS.replace(",305,", ",-1,"), "2: n: '-1' is no whole number from 0"),
    ],
)  # fmt: skip
def test_a_result_that_cannot_be_compared_is_named_with_its_line(
    tmp_path: Path, content: str | bytes, message: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    ended = run_script(SCRIPTS / "compare.py", path, path)
    told = ended.error.removeprefix(f"error: {path}:").removesuffix("\n")
    assert ended.status == 1
    assert told.startswith(message.removesuffix(" (make the file again)")), told
    assert told.endswith(")")
    assert "\n" not in told


def shown() -> Grid:
    runs = ((system, column, each[n]) for column, each in VALUES.items() for n, system in enumerate(SYSTEMS))
    lines = [(system, column, float(value)) for system, column, values in runs for value in values]
    values = pd.DataFrame(lines, columns=["system", "column", "value"])
    controls = values["system"].isin(CONTROLS)
    return flagged(grid("F1.", values, unranked=CONTROLS), values, values[controls], ["B − A"])


def test_every_column_is_held_against_its_best_control_and_runs_at_nothing_are_counted() -> None:
    found = shown()
    assert {place: mark for place, mark in found.cells["mark"].items() if mark} == {
        ("even", "ana"): "‡",  # a tie with random vectors
        ("dead", "ana"): "‡ [1 nil]",  # 28 in the mean; 2 is under a tenth of 41
        ("good", "→ ber"): "‡ [1 nil]",  # below the most frequent answer
        ("dead", "→ ber"): "‡ [1 nil]",  # 29.5 of two runs is not told from 28; 29 is a point above it
        ("even", "ber alone"): "[1 nil]",  # without a control
        ("dead", "ber alone"): "[1 nil]",  # 5.9 is under a tenth of 60
    }
    best = {place for place, is_best in found.best().items() if is_best}  # never what a control equals
    assert best == {("good", "ana"), ("even", "→ ber"), ("good", "ber alone"), ("good", "B − A")}


def test_a_cell_whose_runs_all_came_to_nothing_is_never_best() -> None:
    lines = [("dead", "x", 0.9), ("dead", "x", 0.4), ("dead", "y", 0.0), ("dead", "y", 9.0)]
    values = pd.DataFrame(lines, columns=["system", "column", "value"])
    found = flagged(grid("F1.", values), values, values[:0])
    assert found.cells["mark"].to_dict() == {("dead", "x"): "[2 nil]", ("dead", "y"): "[1 nil]"}
    assert found.best().to_dict() == {("dead", "x"): False, ("dead", "y"): True}


def test_each_format_has_the_marks_and_what_they_mean() -> None:
    assert "36.0 ‡" in render(shown(), MARKDOWN)
    for make in (tables.markdown, tables.latex, tables.html):
        text = make(Document("t", "T", (), [shown(), shown()]))
        assert text.count(NO_BETTER_NOTE) == text.count(NIL_NOTE) == 2


@pytest.mark.parametrize(
    ("values", "one_answer", "number"),
    [
        ([50, 51], 0, 0), ([50, 4.9], 0, 1), ([50, 5.1], 0, 0), ([1.0, 0.2], 0, 2), ([], 0, 0),
        ([33, 52], 33.3, 1), ([34.2, 34.4, 52], 33.3, 1),
    ],
)  # fmt: skip
def test_runs_at_nothing_by_hand(values: list[float], one_answer: float, number: int) -> None:
    assert runs_at_nothing(values, one_answer) == number


def test_rows_that_differ_in_signature_alone_are_not_averaged() -> None:
    rows = pd.DataFrame({"system": "a", "column": "en-de", "seed": [1, 2, 2], "value": [1.0, 2.0, 3.0]})
    rows["signature"] = ["csls", "csls", "nn"]
    with pytest.raises(ConfigError, match=r"several rows of a, en-de, seed 2: choose .* shows: csls or nn$"):
        grid("", rows)
    assert grid("", rows[:2]).cells["mean"].tolist() == [1.5]
