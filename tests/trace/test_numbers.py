"""Numbers by words: of their rows, and as the table has them."""

from dataclasses import replace
from pathlib import PurePath

import pytest

from crosslingua import paper_folders
from crosslingua.errors import ConfigError, InputError
from crosslingua.trace.chain import Records
from crosslingua.trace.show import choose, numbers, places, with_lines
from metric_rows import frame
from recorded_run import RESULTS

TABLE = f"{RESULTS}/tables/xlm_align_table2.csv"
TABLE2 = paper_folders.load("xlm_align", "tables").TABLES["table2"]


def test_a_row_is_found_where_the_table_shows_it() -> None:
    delta = {"paper": "align_mlm", "task": "pos", "source": "en", "metric": "delta", "signature": "runs"}
    rows = frame(
        *(
            {"target": target, "system": system}
            for target in ("trans", "trans_inv")
            for system in ("mlm", "xlm")
        ),
        {"system": "xlm_parallel_100", "target": "trans_inv"},
        **delta,
    )
    found = places(rows, paper_folders.load("align_mlm", "tables").TABLES["table3"])
    assert found == {
        0: ["Transliteration", "mlm", "POS Δ"],
        1: ["Transliteration", "xlm", "POS Δ"],
        2: ["Transliteration and inversion", "mlm", "POS Δ"],
        3: ["Transliteration and inversion", "xlm", "POS Δ"],
    }


def test_a_mean_over_rows_is_of_no_row_even_where_values_are_equal() -> None:
    shared = {
        "paper": "xlm_align",
        "table": "table2",
        "task": "word_alignment",
        "metric": "aer",
        "value": 5.0,
    }
    rows = frame({"target": "ber"}, {"target": "cor"}, system="near", signature="links=sure", **shared)
    note = "Alignment error rate (AER)."
    assert places(rows, TABLE2) == {0: [note, "near", "ana-ber"], 1: [note, "near", "ana-cor"]}


def test_rows_are_placed_seed_by_seed_though_one_has_fewer() -> None:
    delta = {"paper": "align_mlm", "task": "pos", "source": "en", "target": "trans", "metric": "delta"}
    rows = frame(
        *(
            {"system": system, "seed": seed, "value": 5.0}
            for system, seed in (("mlm", 1), ("mlm", 2), ("xlm", 3))
        ),
        **delta,
    )
    table3 = paper_folders.load("align_mlm", "tables").TABLES["table3"]
    assert {row: place[1] for row, place in places(rows, table3).items()} == {0: "mlm", 1: "mlm", 2: "xlm"}


def test_a_word_that_is_said_twice_is_asked_for_twice() -> None:
    rows = frame(
        {"source": "en", "target": "de"}, {"source": "en", "target": "en"}, task="pos", signature="f1"
    )
    rows = rows.assign(place=[()] * 2)
    assert list(choose(rows, ["pos", "en"])["target"]) == ["de", "en"]
    assert list(choose(rows, ["pos", "en", "en"])["target"]) == ["en"]


def test_words_are_of_columns_signature_and_place_in_any_order_and_case(toy: Records) -> None:
    rows = numbers(toy, TABLE, "xlm_align", TABLE2)
    note = "Alignment error rate (AER)."
    for words in (["near", "1"], ["seed=1", "NEAR"], [note, "near", "1"], ["de-en", "1", "near"]):
        assert choose(rows, words)[["system", "seed"]].to_numpy().tolist() == [["near", 1]]
    assert len(choose(rows, ["links=sure"])) == len(choose(rows, ["sure", "aer", "word_alignment"])) == 4


def test_an_unknown_word_is_named_with_the_closest(toy: Records) -> None:
    rows = numbers(toy, TABLE, "xlm_align", TABLE2)
    with pytest.raises(ConfigError, match=r"'nearr'; did you mean 'near'\?"):
        choose(rows, ["nearr"])
    with pytest.raises(ConfigError, match="all of near, far"):
        choose(rows, ["near", "far"])
    with pytest.raises(
        ConfigError, match="'xlm_align'"
    ):  # the paper is no word: systems are called as papers
        choose(rows, ["xlm_align"])


def test_rows_lead_to_the_lines_of_the_plan(toy: Records) -> None:
    rows = numbers(toy, TABLE, "xlm_align", TABLE2)
    found = with_lines(choose(rows, ["far"]), toy, PurePath(RESULTS))
    assert found[["plan", "line", "seed"]].to_numpy().tolist() == [
        [f"{RESULTS}/plans/cells/xlm_align.main.csv", 4, 1],
        [f"{RESULTS}/plans/cells/xlm_align.main.csv", 5, 2],
    ]


def test_a_table_that_shows_no_row_as_it_is_lists_them_without_a_place(toy: Records) -> None:
    means = replace(TABLE2, grids=lambda rows, published: iter(()))
    rows = numbers(toy, TABLE, "xlm_align", means)
    assert (len(rows), set(rows["place"])) == (4, {()})


def test_a_table_without_rows_beside_it_is_an_error(toy: Records) -> None:
    with pytest.raises(InputError, match="no metrics rows"):
        numbers(toy, "elsewhere/tables/xlm_align_table2.csv")
