"""The tree: every step once, those alike named."""

from dataclasses import replace
from pathlib import PurePath

import pytest

from crosslingua import paper_folders
from crosslingua.errors import ConfigError, InputError
from crosslingua.trace.chain import Records, chain
from crosslingua.trace.show import choose, numbers, places, tree_lines, with_lines
from metric_rows import error_row, frame, transfer_row
from recorded_run import RESULTS


def outline(lines: list[str]) -> list[str]:
    return [line for line in lines if "|" not in line]


def test_of_jobs_of_one_kind_the_first_is_shown_and_what_both_read_stands_under_it(toy: Records) -> None:
    steps = chain(toy, f"{RESULTS}/scores/main")
    near, far = ([f"{RESULTS}/links/{name}/seed{seed}.links" for seed in (1, 2)] for name in ("near", "far"))
    assert outline(list(tree_lines(steps, toy))) == [
        f"score: {RESULTS}/scores/main",
        f"  prepare_gold: {RESULTS}/gold.txt",
        f"  align: {', '.join(near)}",
        f"    prepare: {RESULTS}/text.txt",
        f"  align, 1 more of its kind (--all): {', '.join(far)}",
    ]
    whole = outline(list(tree_lines(steps, toy, everything=True)))
    assert f"  align: {', '.join(far)}" in whole
    assert len(whole) == 5


def test_a_step_tells_its_command_line_cost_log_and_code(toy: Records) -> None:
    lines = list(tree_lines(chain(toy, f"{RESULTS}/scores/main/far.seed2.json"), toy, code=True))
    plan = f"{RESULTS}/plans/score/main.csv"
    assert lines[1:3] == [f"  | python score.py --cells {plan}", f"  | {plan}:5  seed 2"]
    assert lines[3].endswith(f"; 120.5 s, 60.0 s of processor time, 300 MB; {RESULTS}/logs/score/main.log")
    assert "    | code: scripts/align.py and 1 modules" in lines
    assert "    |   src/crosslingua/links.py" in lines
    assert "      | reads: given.txt (given)" in lines


# Numbers by words: of their rows, and as the table has them.


TABLE = f"{RESULTS}/tables/xlm_align_table2.csv"
TABLE2 = paper_folders.load("xlm_align", "tables").TABLES["table2"]
TABLE3 = paper_folders.load("align_mlm", "tables").TABLES["table3"]


def test_a_row_is_found_where_the_table_shows_it() -> None:
    shown = [(system, target) for target in ("trans", "trans_inv") for system in ("mlm", "xlm")]
    shown.append(("xlm_parallel_100", "trans_inv"))
    rows = frame(*(transfer_row(*one, "pos", "delta", 5.0) for one in shown))
    changes = ("Transliteration", "Transliteration and inversion")
    expected = [[change, system, "POS Δ"] for change in changes for system in ("mlm", "xlm")]
    assert places(rows, TABLE3) == dict(enumerate(expected))


def test_a_mean_over_rows_is_of_no_row_even_where_values_are_equal() -> None:
    rows = frame(*(error_row("near", 5.0, pair) for pair in ("ana-ber", "ana-cor")))
    note = "Alignment error rate (AER)."
    assert places(rows, TABLE2) == {0: [note, "near", "ana-ber"], 1: [note, "near", "ana-cor"]}


def test_rows_are_placed_seed_by_seed_though_one_has_fewer() -> None:
    trained = (("mlm", 1), ("mlm", 2), ("xlm", 3))
    rows = frame(*(transfer_row(system, "trans", "pos", "delta", 5.0, seed) for system, seed in trained))
    assert {row: place[1] for row, place in places(rows, TABLE3).items()} == {0: "mlm", 1: "mlm", 2: "xlm"}


def test_a_word_that_is_said_twice_is_asked_for_twice() -> None:
    rows = frame({"target": "de"}, {"target": "en"}, source="en", task="pos", signature="f1")
    rows = rows.assign(place=[()] * 2)
    assert list(choose(rows, ["pos", "en"])["target"]) == ["de", "en"]
    assert list(choose(rows, ["pos", "en", "en"])["target"]) == ["en"]


def test_words_are_of_columns_signature_and_place_in_any_order_and_case(toy: Records) -> None:
    rows = numbers(toy, TABLE, "xlm_align", TABLE2)
    note = "Alignment error rate (AER)."
    for words in (["near", "1"], ["seed=1", "NEAR"], [note, "near", "1"], ["de-en", "1", "near"]):
        assert choose(rows, words)[["system", "seed"]].to_numpy().tolist() == [["near", 1]]
    assert len(choose(rows, ["links=sure"])) == len(choose(rows, ["sure", "aer", "word_alignment"])) == 4
    with pytest.raises(ConfigError, match=r"'nearr'; did you mean 'near'\?"):
        choose(rows, ["nearr"])
    with pytest.raises(ConfigError, match="all of near, far"):
        choose(rows, ["near", "far"])
    with pytest.raises(ConfigError, match="'xlm_align'"):
        choose(rows, ["xlm_align"])  # the paper is no word: systems are called as papers


def test_rows_lead_to_the_lines_of_the_plan(toy: Records) -> None:
    rows = numbers(toy, TABLE, "xlm_align", TABLE2)
    found = with_lines(choose(rows, ["far"]), toy, PurePath(RESULTS))
    plan = f"{RESULTS}/plans/cells/xlm_align.main.csv"
    assert found[["plan", "line", "seed"]].to_numpy().tolist() == [[plan, 4, 1], [plan, 5, 2]]


def test_a_table_that_shows_no_row_as_it_is_lists_them_without_a_place(toy: Records) -> None:
    rows = numbers(toy, TABLE, "xlm_align", replace(TABLE2, grids=lambda rows, published: iter(())))
    assert (len(rows), set(rows["place"])) == (4, {()})


def test_a_table_without_rows_beside_it_is_an_error(toy: Records) -> None:
    with pytest.raises(InputError, match="no metrics rows"):
        numbers(toy, "elsewhere/tables/xlm_align_table2.csv")
