import math

from crosslingua.papers.joint_align.tables import TABLES
from crosslingua.report.tables import MARKDOWN, render
from metric_rows import frame


def signature(retrieval: str = "csls|k=10", oov: str = "paper", dictionary: str = "world") -> str:
    return f"{retrieval}|vocab=200000|oov={oov}|identical=kept|dictionary={dictionary}"


def test_the_papers_convention_comes_first_and_tables_do_not_mix() -> None:
    rows = frame(
        {"value": 1.0, "signature": signature("nn", "muse")},
        {"value": 1.5, "signature": signature(oov="muse")},
        {"value": 2.0},
        {"value": 3.0, "table": "table2"},
        {"value": 90.0, "metric": "coverage"},
        {"value": 4.0, "metric": "p_at_5"},
        {"value": 5.0, "metric": "p_at_5", "signature": signature("nn", "muse")},
    )
    found = TABLES["table1"].build(rows, {})
    assert [grid.cells.loc[("joint", "ana-ber"), "mean"] for grid in found] == [2.0, 90.0, 1.5, 1.0, 4.0]
    assert [grid.note for grid in found if grid.note.startswith("P@1")] == [
        "P@1, CSLS, out-of-vocabulary as in the paper.",
        "P@1, CSLS, out-of-vocabulary pairs skipped, as in MUSE.",
        "P@1, nearest neighbour by cosine, out-of-vocabulary pairs skipped, as in MUSE.",
    ]


def test_where_coverage_is_low_the_rule_that_skips_comes_first() -> None:
    rows = frame(
        {"value": 2.0},
        {"value": 1.5, "signature": signature(oov="muse")},
        {"value": 90.0, "metric": "coverage"},
        {"value": 79.9, "metric": "coverage", "target": "cor"},
        {"value": 79.9, "metric": "coverage", "target": "cor", "signature": signature(oov="muse")},
    )
    notes = [grid.note for grid in TABLES["table1"].build(rows, {})]
    assert notes[0] == "P@1, CSLS, out-of-vocabulary pairs skipped, as in MUSE."
    assert notes[1].startswith("Coverage")
    assert notes[2] == "P@1, CSLS, out-of-vocabulary as in the paper."


def test_a_pair_with_two_dictionaries_has_two_columns() -> None:
    rows = frame({}, {"signature": signature(dictionary="muse")}, {"target": "cor"})
    (grid,) = TABLES["table1"].build(rows, {})
    assert list(grid.cells.loc["joint"].index) == ["ana-ber (world)", "ana-ber (muse)", "ana-cor"]


def test_numbers_without_gold_stand_in_grids_of_their_own_without_a_best() -> None:
    own = {"target": "eno", "signature": "csls|k=10|vocab=200000|dictionary=none|by=induce_lexicon.py"}
    rows = frame(
        {"value": 2.0},
        own | {"value": 0.75, "metric": "mean_cosine"},
        own | {"value": 40.0, "metric": "mutual"},
    )
    gold, cosine, mutual = TABLES["table1"].build(rows, {})
    assert list(gold.cells.index) == [("joint", "ana-ber")]
    assert list(cosine.cells.index) == list(mutual.cells.index) == [("joint", "ana-eno")]
    assert (cosine.cells["mean"].item(), mutual.cells["mean"].item()) == (0.75, 40.0)
    assert gold.best().all()
    assert not cosine.best().any()
    assert not mutual.best().any()
    assert "without gold" in TABLES["table1"].warn(rows)
    assert TABLES["table1"].warn(rows[:1]) == ""


def test_where_no_pair_has_a_dictionary_the_table_is_of_numbers_without_gold() -> None:
    own = {"target": "eno", "signature": "csls|k=10|vocab=200000|dictionary=none|by=induce_lexicon.py"}
    rows = frame(own | {"value": 0.75, "metric": "mean_cosine"}, own | {"value": 40.0, "metric": "mutual"})
    found = TABLES["table1"].build(rows, {})
    assert [grid.cells["mean"].tolist() for grid in found] == [[0.75], [40.0]]
    assert "without gold" in TABLES["table1"].warn(rows)


def told(supervision: str, settings: str, mark: str = "") -> str:
    return (
        signature().replace("|dictionary", f"{mark}|dictionary")
        + f"|supervision={supervision}|settings={settings}"
    )


def test_what_is_published_stands_beside_what_is_chosen_and_in_no_other_grid() -> None:
    rows = frame(
        {"system": "rcsls", "value": 30.0, "signature": told("dictionary", "selected")},
        {"system": "rcsls", "value": 20.0, "signature": told("dictionary", "published")},
        {"system": "joint", "value": 10.0, "signature": told("none", "published")},
        {"system": "rcsls", "value": 60.0, "metric": "p_at_5", "signature": told("dictionary", "selected")},
        {"system": "rcsls", "value": 50.0, "metric": "p_at_5", "signature": told("dictionary", "published")},
    )
    first, fifth = TABLES["table1"].build(rows, {})
    assert list(first.cells.loc["rcsls"].index) == ["ana-ber", "ana-ber, as published"]
    assert first.cells.loc["rcsls", "mean"].tolist() == [30.0, 20.0]
    assert first.cells.loc["joint", "mean"].tolist()[0] == 10.0  # nothing was chosen: that is its number
    assert first.cells.loc["joint", "mean"].isna().tolist() == [False, True]
    assert fifth.cells["mean"].tolist() == [60.0]


def test_unsupervised_systems_stand_first_and_what_the_paper_has_not_is_told() -> None:
    rows = frame(
        {"system": "rcsls", "signature": told("dictionary", "selected")},
        {"system": "joint_align_procrustes", "signature": told("dictionary", "selected")},
        {"system": "muse", "signature": told("none", "published")},
    )
    (grid,) = TABLES["table1"].build(rows, {})
    assert list(grid.cells.index.get_level_values("system")) == ["muse", "rcsls", "joint_align_procrustes"]
    assert grid.kinds == {
        "muse": "unsupervised",
        "rcsls": "supervised",
        "joint_align_procrustes": "supervised (beyond the paper)",
    }
    assert "| muse                   | unsupervised" in render(grid, MARKDOWN)


def test_a_failed_map_is_a_mark_and_no_number() -> None:
    fine, failed = told("none", "published"), told("none", "published", "|map=degenerate")
    rows = frame(
        {"system": "muse", "seed": 1, "value": 40.0, "signature": fine},
        {"system": "muse", "seed": 2, "value": 29.2, "signature": failed},
        {"system": "vecmap", "seed": 1, "value": 29.2, "signature": failed},
        {"system": "joint", "seed": 1, "value": 10.0, "signature": fine},
    )
    (grid,) = TABLES["table1"].build(rows, {})
    assert grid.cells.loc[("muse", "ana-ber"), ["mean", "seeds", "mark"]].tolist() == [40.0, 1, "†1/2"]
    assert math.isnan(grid.cells.loc[("vecmap", "ana-ber"), "mean"])
    text = render(grid, MARKDOWN)
    assert "**40.0** †1/2 |" in text
    assert "– †1/1 |" in text
    assert "29.2" not in text
