from __future__ import annotations

from pathlib import Path

import pytest

from crosslingua.errors import InputError
from crosslingua.io.json import write_json
from crosslingua.tasks.transfer import Scored, is_learnt, items_of, rows_of, table_of


def scored(folder: Path, system: str = "xlm") -> Scored:
    return Scored(folder, system, "trans_inv", 2, "0" * 12)


def test_scores_become_rows_and_items(tmp_path: Path) -> None:
    for kind, items in (("supervised", [90.0, 70.0]), ("zero_shot", [50.0, 60.0])):
        score = {"f1": sum(items) / 2, "accuracy": 1.0, "signature": "s", "per_sentence": items}
        write_json(tmp_path / f"ner.{kind}.json", score)
    write_json(tmp_path / "alignment.json", {"alignment": 85.6, "tokens": 7, "signature": "cosine"})
    rows = rows_of(scored(tmp_path), "en", "demo")
    assert [(r.table, r.task, r.metric, r.value, r.n, r.signature) for r in rows] == [
        ("table3", "ner", "supervised", 80, 2, "s"),
        ("table3", "ner", "zero_shot", 55, 2, "s"),
        ("table3", "ner", "delta", 25, 2, "s"),
        ("table8", "embedding_alignment", "alignment", 85.6, 7, "cosine"),
    ]
    assert {(r.system, r.source, r.target, r.seed) for r in rows} == {("xlm", "en", "trans_inv", 2)}
    found = items_of(scored(tmp_path))
    assert found["alignment"] == 85.6
    assert found["tasks"] == {"ner": {"supervised": [90, 70], "zero_shot": [50, 60], "majority": None}}


def test_the_most_frequent_class_goes_with_the_scores(tmp_path: Path) -> None:
    for kind in ("supervised", "zero_shot"):
        score = {"accuracy": 60.0, "majority": 56.9, "signature": "accuracy", "per_sentence": [60.0]}
        write_json(tmp_path / f"nli.{kind}.json", score)
    rows = rows_of(scored(tmp_path), "en", "demo")
    assert {row.metric: row.value for row in rows} == {
        "supervised": 60, "zero_shot": 60, "delta": 0, "majority": 56.9
    }  # fmt: skip
    assert items_of(scored(tmp_path))["tasks"]["nli"]["majority"] == 56.9


@pytest.mark.parametrize(
    ("supervised", "majority", "expected"),
    [([44.0, 43.0], 33.3, True), ([44.0, 42.0], 33.3, False), ([62.9], 56.9, False), ([3.0], None, True)],
)
def test_learnt_is_well_above_the_most_frequent_class(
    supervised: list[float], majority: float | None, expected: bool
) -> None:
    assert is_learnt(supervised, majority) is expected


def test_what_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no scores"):
        rows_of(scored(tmp_path), "en", "demo")
    write_json(tmp_path / "pos.supervised.json", {"f1": 1, "per_sentence": [1], "signature": "s"})
    with pytest.raises(InputError, match=r"pos\.zero_shot\.json: no such file"):
        rows_of(scored(tmp_path), "en", "demo")
    write_json(tmp_path / "pos.zero_shot.json", {"f1": 1, "per_sentence": [1, 1], "signature": "s"})
    with pytest.raises(InputError, match="other sentences"):
        rows_of(scored(tmp_path), "en", "demo")


def test_a_system_stands_in_the_table_of_what_it_changes() -> None:
    expected = {
        ("xlm", "trans"): "table3", ("dict_mlm", "trans_inv"): "table3", ("xlm_parallel_10", "trans_inv"): "table1",
        ("align_mlm_dictionary_50", "trans_inv"): "table2", ("dict_mlm_dictionary_50", "trans_syn"): "table5",
        ("xlm_overlap_25", "trans_inv"): "table7",
    }  # fmt: skip
    assert {key: table_of(*key) for key in expected} == expected
