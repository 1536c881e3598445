import pandas as pd
import pytest

from crosslingua.errors import InputError
from crosslingua.papers.joint_align.tables import SIDES, TABLES, mappers
from crosslingua.report.tables import MARKDOWN, render
from crosslingua.trace.show import places
from metric_rows import frame


def signature(retrieval: str = "csls|k=10", oov: str = "paper", dictionary: str = "world") -> str:
    return f"{retrieval}|vocab=200000|oov={oov}|identical=kept|dictionary={dictionary}"


def test_the_papers_convention_comes_first_and_tables_do_not_mix() -> None:
    rows = frame(
        {"value": 1.0, "signature": signature("nn", "muse")},
        {"value": 1.5, "signature": signature(oov="muse")},
        {"value": 2.0}, {"value": 3.0, "table": "table2"}, {"value": 90.0, "metric": "coverage"},
        {"value": 4.0, "metric": "p_at_5"},
        {"value": 5.0, "metric": "p_at_5", "signature": signature("nn", "muse")},
    )  # fmt: skip
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
    skipped, coverage, as_paper, *_ = (grid.note for grid in TABLES["table1"].build(rows, {}))
    assert skipped == "P@1, CSLS, out-of-vocabulary pairs skipped, as in MUSE."
    assert (coverage[:8], as_paper) == ("Coverage", "P@1, CSLS, out-of-vocabulary as in the paper.")


def test_a_pair_with_two_dictionaries_has_two_columns() -> None:
    rows = frame({}, {"signature": signature(dictionary="muse")}, {"target": "cor"})
    (grid,) = TABLES["table1"].build(rows, {})
    assert list(grid.cells.loc["joint"].index) == ["ana-ber (world)", "ana-ber (muse)", "ana-cor"]


OWN = {"target": "eno", "signature": "csls|k=10|vocab=200000|dictionary=none|by=induce_lexicon.py"}
WITHOUT_GOLD = [OWN | {"value": 0.75, "metric": "mean_cosine"}, OWN | {"value": 40.0, "metric": "mutual"}]


def test_numbers_without_gold_stand_in_grids_of_their_own_without_a_best() -> None:
    rows = frame({"value": 2.0}, *WITHOUT_GOLD)
    gold, cosine, mutual = TABLES["table1"].build(rows, {})
    assert list(gold.cells.index) == [("joint", "ana-ber")]
    assert list(cosine.cells.index) == list(mutual.cells.index) == [("joint", "ana-eno")]
    assert (cosine.cells["mean"].item(), mutual.cells["mean"].item()) == (0.75, 40.0)
    assert [grid.best().tolist() for grid in (gold, cosine, mutual)] == [[True], [False], [False]]
    assert "without gold" in TABLES["table1"].warn(rows)
    assert TABLES["table1"].warn(rows[:1]) == ""
    found = TABLES["table1"].build(frame(*WITHOUT_GOLD), {})  # where no pair has a dictionary
    assert [grid.cells["mean"].tolist() for grid in found] == [[0.75], [40.0]]
    assert "without gold" in TABLES["table1"].warn(frame(*WITHOUT_GOLD))


def told(supervision: str, settings: str, mark: str = "") -> str:
    said = f"|supervision={supervision}|settings={settings}"
    return signature().replace("|dictionary", f"{mark}|dictionary") + said


def test_what_is_published_stands_beside_what_is_chosen_and_in_no_other_grid() -> None:
    selected, published = (
        {"system": "rcsls", "signature": told("dictionary", s)} for s in ("selected", "published")
    )
    rows = frame(
        selected | {"value": 30.0}, published | {"value": 20.0},
        {"system": "joint", "value": 10.0, "signature": told("none", "published")},
        selected | {"value": 60.0, "metric": "p_at_5"}, published | {"value": 50.0, "metric": "p_at_5"},
    )  # fmt: skip
    first, fifth = TABLES["table1"].build(rows, {})
    assert first.cells.loc["rcsls"]["mean"].to_dict() == {"ana-ber": 30.0, "ana-ber, as published": 20.0}
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
        "muse": "unsupervised", "rcsls": "supervised", "joint_align_procrustes": "supervised (beyond the paper)",
    }  # fmt: skip
    assert "| muse                   | unsupervised" in render(grid, MARKDOWN)


def test_a_failed_map_counts_and_is_marked_and_what_mostly_failed_is_never_best() -> None:
    fine, failed = told("none", "published"), told("none", "published", "|map=degenerate")
    rows = frame(
        {"system": "muse", "seed": 1, "value": 40.0, "signature": fine},
        {"system": "muse", "seed": 2, "value": 29.2, "signature": failed},
        {"system": "vecmap", "seed": 1, "value": 50.0, "signature": failed},
        {"system": "joint", "seed": 1, "value": 10.0, "signature": fine},
    )
    (grid,) = TABLES["table1"].build(rows, {})
    assert grid.cells.loc[("muse", "ana-ber"), ["mean", "seeds", "mark"]].tolist() == [34.6, 2, "†1/2"]
    assert grid.cells.loc[("vecmap", "ana-ber"), ["mean", "seeds", "mark"]].tolist() == [50.0, 1, "†1/1"]
    text = render(grid, MARKDOWN)
    for shown in (" **34.6 ± 7.6** †1/2 |", " 50.0 †1/1 |"):  # (40 - 29.2) / sqrt(2)
        assert shown in text
    mostly_failed = frame(
        *(
            {"seed": seed, "value": 40.0, "signature": said}
            for seed, said in ((1, failed), (2, failed), (3, fine))
        ),
        system="muse",
    )
    vecmap = frame(*({"seed": seed, "value": 20.0, "signature": fine} for seed in (1, 2, 3)), system="vecmap")
    (grid,) = TABLES["table1"].build(pd.concat([mostly_failed, vecmap], ignore_index=True), {})
    assert grid.best().to_dict() == {("muse", "ana-ber"): False, ("vecmap", "ana-ber"): True}


@pytest.mark.parametrize(
    ("values", "spelling"),  # of a system: precision, words spelt alike, mark
    [
        ({"joint": (12.4, 12.4, "‡"), "vecmap": (12.6, 12.4, ""), "muse": (0.4, 12.4, "‡ [1 nil]")}, 12.4),
        # by MUSE's rule a system is held against the spelling of its own words
        ({"joint": (10.0, 12.0, "‡"), "vecmap": (7.0, 5.0, "")}, 12.0),
    ],
)
def test_spelling_stands_below_and_marks_what_is_no_better(values: dict, spelling: float) -> None:
    rows = frame(
        *({"system": name, "value": precision} for name, (precision, *_) in values.items()),
        *({"system": s, "metric": "spelled_alike", "value": alike} for s, (_, alike, _) in values.items()),
        signature=told("none", "published"),
    )
    (grid,) = TABLES["table1"].build(rows, {})
    marks = {name: mark for name, (*_, mark) in values.items()} | {"spelling": ""}
    assert grid.cells["mark"].xs("ana-ber", level="column").to_dict() == marks
    assert grid.cells.loc[("spelling", "ana-ber"), "mean"] == spelling
    assert grid.best()["vecmap", "ana-ber"]
    assert grid.kinds["spelling"] == "control"


TABLE = TABLES["answer"]
SYSTEMS = ("rcsls", "joint", "joint_align_rcsls")


def scored(system: str, value: float, seed: int = 1, settings: str = "selected", **more: object) -> dict:
    told = {"oov": "paper", "dictionary": "muse", "settings": settings} | more.pop("said", {})
    words = ["csls", "k=10", "identical=kept", *(f"{key}={value}" for key, value in told.items())]
    return {"system": system, "value": value, "seed": seed, "signature": "|".join(words), **more}


def sides_in(grid, column: str) -> list[float]:
    """What stands for alignment, joint training and both."""
    return [grid.cells.loc[(side, column), "mean"] for side in SIDES]


def test_each_side_is_of_the_same_mapper_and_differences_are_of_the_same_seed() -> None:
    rows = frame(
        *(scored("rcsls", value, seed) for seed, value in ((1, 10.0), (2, 14.0))),
        *(scored("joint", value, seed) for seed, value in ((1, 20.0), (2, 22.0))),
        *(scored("joint_align_rcsls", value, seed) for seed, value in ((1, 33.0), (2, 35.0))),
        scored("rcsls", 99.0, settings="published"),  # others were chosen
        scored("geomm", 50.0),  # not on top of joint training
        {"value": 100.0, "metric": "coverage"},
    )
    sides, between = TABLE.build(rows, {})
    assert sides_in(sides, "ana-ber: rcsls") == [12, 21, 34]
    assert list(sides.best()) == [False, False, True]
    found = between.cells.xs("ana-ber: rcsls", level="column")
    assert list(found["mean"]) == [22, 13, 9]  # both less aligned, both less joint, joint less aligned
    assert found["deviation"].tolist() == pytest.approx([2**0.5, 0, 2**0.5])  # 23 and 21; 13 and 13; 10 and 8


def test_the_rule_is_the_one_that_leads_and_dictionaries_stay_apart() -> None:
    rows = frame(
        *(scored(name, 1.0) for name in SYSTEMS),
        *(scored(name, 5.0, said={"oov": "muse"}) for name in SYSTEMS),
        *(scored(name, 7.0, said={"oov": "muse", "dictionary": "other"}) for name in SYSTEMS),
        {"value": 40.0, "metric": "coverage"},
    )
    sides, _ = TABLE.build(rows, {})
    both = sides.cells.xs(SIDES[-1])["mean"].to_dict()
    assert both == {"ana-ber (muse): rcsls": 5, "ana-ber (other): rcsls": 7}


def test_a_run_without_all_three_sides_has_no_answer() -> None:
    assert mappers(["rcsls", "joint", "joint_align_geomm"]) == []
    assert mappers(["rcsls", "geomm", "joint", "joint_align_rcsls"]) == ["rcsls"]
    with pytest.raises(InputError, match="no rows"):
        TABLE.build(frame(scored("rcsls", 1.0), scored("joint", 2.0)), {})


SPELT = dict.fromkeys(("rcsls", "joint_align_rcsls", "geomm", "joint_align_geomm"), 5.0) | {"joint": 9.0}
APART = SPELT | {"joint": 0.5, "joint_align_rcsls": 6.0, "joint_align_geomm": 7.0}


def of_both(**said: str) -> list[dict]:
    found = [scored(name, value, n=200, said=said) for name, value in SPELT.items()]
    return found + [scored(name, value, table="table2", said=said) for name, value in APART.items()]


WHOLE = {"value": 100.0, "metric": "coverage"}


def test_words_not_spelt_alike_have_a_grid_of_their_own() -> None:
    every, unlike, between = TABLE.build(frame(*of_both(), WHOLE), {})
    assert [grid.unfolded for grid in (unlike, between)] == [True, False]
    assert sides_in(every, "ana-ber: rcsls") == [5, 9, 5]
    assert sides_in(unlike, "ana-ber: geomm") == [5, 0.5, 7]


def test_who_is_ahead_is_said_in_words() -> None:
    ahead = "Ahead in ana-ber: {}; without words of equal spelling: {}.".format
    both = ahead("trained jointly (2 of 2 mappers)", "both (2 of 2 mappers)")
    assert TABLE.warn(frame(*of_both(), WHOLE)) == f"{both} Number of seeds: 1. A verdict takes 3."
    seeds = [row | {"seed": seed} for row in of_both() for seed in (1, 2, 3)]
    assert TABLE.warn(frame(*seeds, WHOLE)) == both
    one = [row for row in of_both() if "geomm" not in row["system"]]
    assert TABLE.warn(frame(*one, WHOLE)).startswith(ahead("trained jointly", "both"))
    none = frame(*(row | {"value": 0.0} for row in of_both()), WHOLE)
    assert TABLE.warn(none).startswith(ahead("none", "none"))


def test_few_words_leave_much_to_chance_and_how_few_numbers_rest_on_is_said() -> None:
    muse = {"signature": "csls|oov=muse", "metric": "coverage"}
    said = TABLE.warn(frame(*of_both(oov="muse"), muse | {"value": 10.4, "n": 200}))
    assert said.startswith("Ahead in ana-ber: trained jointly (2 of 2 mappers)")
    assert said.endswith("Of 200 words, differences of less than 6 points may be chance.")  # 5.6: p 0.09
    low = frame(muse | {"value": 90.0, "n": 450}, muse | {"value": 2.3, "n": 46, "system": "procrustes"})
    for name in ("answer", "table1"):
        assert "2.3 % (procrustes, ana-ber), 46 words" in TABLES[name].warn(low)
        assert TABLES[name].warn(low.iloc[:1]) == ""


def test_a_number_is_traced_to_the_rows_of_the_rule_that_leads() -> None:
    values = [(name, oov, value) for oov, value in (("paper", 1.0), ("muse", 5.0)) for name in SYSTEMS]
    rows = frame(*(scored(name, value, said={"oov": oov}) for name, oov, value in values), WHOLE)
    assert sorted(places(rows, TABLE)) == [0, 1, 2]  # those of the paper's rule
