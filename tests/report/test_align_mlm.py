from __future__ import annotations

import csv
from pathlib import Path

import pytest
from scipy.stats import spearmanr

from crosslingua.errors import InputError
from crosslingua.metrics import Row
from crosslingua.report.align_mlm import CAPTION, SYSTEMS, TARGETS, TITLES, grids, not_learnt, values
from crosslingua.report.align_mlm_figures import plot_figure2, plot_figure3
from crosslingua.report.correlation import correlations
from crosslingua.report.grids import write
from crosslingua.report.reference import COLUMNS, read_reference


def row(system: str, target: str, task: str, metric: str, value: float, seed: int = 1) -> Row:
    return Row(
        "align_mlm", "table3", system, task, "en", target, metric, value, seed, 9, "demo", "f1", "0" * 12, "1"
    )


@pytest.fixture(scope="module")
def published(request) -> dict:
    return read_reference((Path(__file__).parents[2] / "reference").glob("align_mlm_*.csv"))


def as_rows(published: dict) -> list[Row]:
    return [row(*key, value) for key, value in published.items() if key[0] != "all"]


def test_the_published_numbers_agree_with_each_other(published: dict) -> None:
    """Delta is the difference of the other two, to the rounding of three numbers; table 3's sizes."""
    for (system, target, task, metric), value in published.items():
        if metric == "supervised":
            zero_shot, delta = (published[system, target, task, name] for name in ("zero_shot", "delta"))
            assert value - zero_shot == pytest.approx(delta, abs=0.1501), (system, target, task)
    main = {key for key in published if key[0] in SYSTEMS and key[3] in ("supervised", "zero_shot", "delta")}
    assert len(main) == len(SYSTEMS) * len(TARGETS) * 9


def test_table3_shows_mean_deviation_and_the_papers_figure_and_bolds_the_best() -> None:
    rows = [row("mlm", "trans", "ner", "delta", v, seed) for seed, v in enumerate([1.0, 3.0])]
    rows += [row("xlm", "trans", "ner", "delta", 4.0), row("mlm", "trans", "ner", "zero_shot", 70.0)]
    rows += [row("xlm", "trans", "ner", "zero_shot", 71.0), row("xlm", "trans_inv", "pos", "delta", 9.0)]
    found = grids(rows, {("mlm", "trans", "ner", "delta"): 2.6}, "table3")
    assert [grid.note for grid in found] == ["Transliteration", "Transliteration and inversion"]
    table = found[0].table
    assert table.rows == ("mlm", "xlm")
    assert table.columns == ("NER zero-shot", "NER Δ")
    assert table.text("mlm", "NER Δ", str.upper) == "2.0 ± 1.4 (2.6)"
    bold = {(r, c): "*" in table.text(r, c, "*{}".format) for r in table.rows for c in table.columns}
    assert [key for key, is_bold in bold.items() if is_bold] == [("mlm", "NER Δ"), ("xlm", "NER zero-shot")]


def test_ablations_are_ordered_by_what_they_change() -> None:
    names = ("xlm_parallel_100", "xlm_parallel_1", "xlm", "align_mlm", "xlm_overlap_25", "xlm_parallel_10")
    rows = [row(name, "trans_inv", "pos", "delta", 1.0) for name in names]
    labels = grids(rows, {}, "table1")[0].table.rows
    assert labels == ("xlm 1%", "xlm 10%", "xlm 25%", "xlm 100%", "align_mlm 0%")
    assert grids(rows, {}, "table7")[0].table.rows == ("xlm 0%", "xlm 25%")


def test_each_number_of_the_paper_stands_in_the_cell_of_ours(published: dict) -> None:
    """With the paper's numbers for ours, a cell and what stands beside it are equal, in every table."""
    rows = as_rows(published)
    shown = 0
    for table in TITLES:
        for grid in grids(rows, published, table):
            for name in grid.table.rows:
                for column, value in grid.table.cells[name].items():
                    if column in ("p", "ρ"):
                        continue
                    shown += 1
                    assert grid.table.published[name][column] == value.mean
    assert shown >= len(rows)


def test_a_table_without_rows_says_so() -> None:
    with pytest.raises(InputError, match="no rows for align_mlm, table 7"):
        grids([row("mlm", "trans", "ner", "delta", 1.0)], {}, "table7")


def test_correlation_of_the_papers_numbers_is_the_papers(published: dict) -> None:
    found = correlations(as_rows(published))
    for task, rho in (("nli", 0.727), ("ner", 0.781), ("pos", 0.734)):
        (one,) = found[task]
        assert len(one.cells) == 12
        assert one.rho == pytest.approx(rho, abs=5e-4)
        assert one.p < 0.01  # appendix E


def test_correlation_by_hand_takes_each_seed_by_itself() -> None:
    rows = []
    for seed, deltas in ((1, [3.0, 2.0, 1.0, 0.0]), (2, [0.0, 1.0, 2.0, 3.0]), (3, [1.0, 1.0, 1.0, 1.0])):
        for system, delta, score in zip(SYSTEMS, deltas, [10, 20, 40, 30], strict=True):
            rows.append(row(system, "trans", "ner", "delta", delta, seed))
            rows.append(row(system, "trans", "embedding_alignment", "alignment", score, seed))
    rows.append(row("xlm_parallel_1", "trans", "ner", "delta", 50.0))
    rows.append(row("xlm_parallel_1", "trans", "embedding_alignment", "alignment", 50.0))
    found = correlations(rows)["ner"]
    # Ranks 1 2 4 3 against 1 2 3 4: 1 - 6 * 2 / (4 * 15) = 0.8; a seed without spread has no correlation.
    assert [(c.seed, round(c.rho, 6)) for c in found] == [(1, 0.8), (2, -0.8)]
    assert found[0].p == pytest.approx(spearmanr([1, 2, 4, 3], [1, 2, 3, 4]).pvalue)
    assert correlations(rows)["pos"] == []


def test_files_of_every_format_hold_the_numbers(published: dict, tmp_path: Path) -> None:
    found = grids(as_rows(published), published, "table8")
    for suffix in ("csv", "md", "tex"):
        write(tmp_path / f"t.{suffix}", TITLES["table8"], CAPTION, found, "demo")
    with (tmp_path / "t.csv").open(encoding="utf-8") as stream:
        records = list(csv.DictReader(stream))
    one = next(r for r in records if r["system"] == "align_mlm trans_inv" and r["column"] == "alignment")
    assert (one["mean"], one["deviation"], one["seeds"], one["published"]) == ("95.2000", "", "1", "95.2")
    assert "0.727 (0.727)" in (tmp_path / "t.md").read_text()
    assert r"align\_mlm trans\_inv" in (tmp_path / "t.tex").read_text()


def test_figures_are_drawn_and_repeat(published: dict, tmp_path: Path) -> None:
    rows = [*as_rows(published), row("mlm", "trans", "ner", "delta", 3.0, seed=2)]
    for plot, name in ((lambda out: plot_figure2(rows, published, "scale demo", out), "2"),
                       (lambda out: plot_figure3(rows, "scale demo", out), "3")):  # fmt: skip
        paths = [tmp_path / f"{name}{again}.svg" for again in "ab"]
        for path in paths:
            plot([path])
        assert paths[0].read_bytes() == paths[1].read_bytes()
    with pytest.raises(InputError, match="to draw"):
        plot_figure3(rows[:2], "", [tmp_path / "none.svg"])
    with pytest.raises(InputError, match="to draw"):
        plot_figure2([], {}, "", [tmp_path / "none.svg"])


def test_reference_files_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    head = ",".join(COLUMNS)
    for content, message in (
        ("a,b\n1,2\n", "columns must be"),
        (f"{head}\nmlm,trans,ner,delta,x\n", "a.csv:2: not a published number"),
        (f"{head}\nmlm,trans,ner,delta,1\nmlm,trans,ner,delta,2\n", "another table has 1.0"),
    ):
        path.write_text(content)
        with pytest.raises(InputError, match=message):
            read_reference([path])


def test_values_are_grouped_over_seeds() -> None:
    rows = [row("mlm", "trans", "ner", "delta", value, seed) for seed, value in enumerate((1.0, 2.0))]
    assert values(rows) == {("mlm", "trans", "ner", "delta"): [1.0, 2.0]}


def test_a_task_that_was_not_learnt_is_named() -> None:
    # SICK's most frequent class makes up 56.9 % of its test set, of a balanced set's three 33.3 %.
    for accuracy, majority, said in ((34.0, 33.3, True), (60.0, 33.3, False), (62.9, 56.9, True)):
        rows = [
            row("mlm", "trans", "nli", "supervised", accuracy),
            row("mlm", "trans", "nli", "majority", majority),
            row("mlm", "trans", "pos", "supervised", 3.0),
        ]
        (grid,) = grids(rows, {}, "table3")
        assert ("NLI was not learnt" in grid.note) == said
        assert "POS" not in grid.note


def test_that_is_judged_a_transformation_at_a_time_as_in_the_claims() -> None:
    rows = [
        row("mlm", target, "nli", metric, value)
        for target, supervised in (("trans", 90.0), ("trans_inv", 33.0))
        for metric, value in (("supervised", supervised), ("majority", 33.3))
    ]
    assert (
        "NLI was not learnt (transliteration and inversion): 33.0 supervised, 33.3 by the most"
        in not_learnt(rows)
    )
