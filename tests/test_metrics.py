from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from crosslingua.cells import Cell
from crosslingua.config import load_schema
from crosslingua.errors import InputError
from crosslingua.io.json import write_json
from crosslingua.metrics import COLUMNS, conditions, merge, read_rows, rows_of, write_rows
from metric_rows import ROW, frame
from texts import csv_rows, written


def test_rows_survive_writing_and_reading_and_their_numbers_are_written_in_full(tmp_path: Path) -> None:
    rows = frame({}, {"metric": "p_at_5", "value": 1 / 3, "source": "a,b"})
    write_rows(tmp_path / "rows.csv", rows)
    assert read_rows(tmp_path / "rows.csv").to_dict("records") == rows.to_dict("records")
    write_rows(tmp_path / "rows.csv", frame({"value": 44.3254817987152, "source": "en"}))
    (record,) = csv_rows(tmp_path / "rows.csv")
    assert list(record) == list(COLUMNS)
    assert (record["value"], record["seed"], record["peak_mb"]) == ("44.3254817987152", "1", "70.4")


def test_the_columns_are_the_contract(repository: Path) -> None:
    schema = load_schema(repository / "schemas/metrics.schema.yaml")
    assert list(COLUMNS) == schema["required"] == list(schema["properties"])
    Draft202012Validator(schema).validate(ROW)


def test_no_rows_is_an_error_and_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no rows"):
        write_rows(tmp_path / "rows.csv", frame())
    assert not list(tmp_path.iterdir())


def test_merging_sorts_what_reading_does_not_and_refuses_a_row_that_comes_twice(tmp_path: Path) -> None:
    write_rows(tmp_path / "b.csv", frame({"seed": 2}, {}))
    write_rows(tmp_path / "a.csv", frame({"system": "align"}))
    paths = [tmp_path / "b.csv", tmp_path / "a.csv", tmp_path / "not_run.csv"]
    assert list(read_rows(paths[:2])["system"]) == ["joint", "joint", "align"]
    assert merge(paths)[["system", "seed"]].to_numpy().tolist() == [["align", 1], ["joint", 1], ["joint", 2]]
    write_rows(tmp_path / "c.csv", frame({"value": 99.0}))
    with pytest.raises(InputError, match=r"two rows for .*'system': 'joint', 'seed': 1"):
        merge([*paths, tmp_path / "c.csv"])
    with pytest.raises(InputError, match="no such file, nor any other"):
        merge([tmp_path / "not_run.csv"])


HEADER = ",".join(COLUMNS) + "\n"
FIELDS = ["value=high", "value=nan", "value=-inf", "seconds=inf", "seed=1.5", "seed=" + "9" * 5000, "n="]


@pytest.mark.parametrize("field", FIELDS)
def test_a_row_that_is_none_is_named_with_its_line(tmp_path: Path, field: str) -> None:
    column, value = field.split("=")
    frame({}).assign(**{column: value}).to_csv(tmp_path / "rows.csv", index=False)
    with pytest.raises(InputError, match=r"rows\.csv:2"):
        read_rows(tmp_path / "rows.csv")


def test_a_file_of_something_else_or_in_another_encoding_is_refused(tmp_path: Path) -> None:
    """Also a row with a field too many, as a decimal comma makes one."""
    for content in ("value\n1\n", "", HEADER, HEADER + "x," * len(COLUMNS) + "1\n"):
        with pytest.raises(InputError, match=r"rows\.csv"):
            read_rows(written(tmp_path / "rows.csv", content))
    frame({}, {"system": "joint_é"}).to_csv(tmp_path / "rows.csv", index=False, encoding="latin-1")
    with pytest.raises(InputError, match=r"rows\.csv:3: invalid UTF-8"):
        read_rows(tmp_path / "rows.csv")


def test_what_a_signature_says_by_name() -> None:
    assert conditions("csls|k=10|oov=paper") == {"k": "10", "oov": "paper"}


def cell(path: Path, **values) -> Cell:
    """A cell of joint_align, or of what `values` say."""
    own = Cell("joint_align", "table1", "joint", "bli", "en", "de", 3, str(path), ("p_at_1",), "0" * 12)
    return replace(own, **values)


def test_a_cell_takes_the_results_of_its_convention(tmp_path: Path) -> None:
    path = tmp_path / "cell.json"
    muse = {"signature": "nn|oov=muse|identical=kept", "p_at_1": 3, "coverage": 70.0, "n_queries": 5}
    results = [
        {"signature": "csls|oov=paper|identical=kept", "p_at_1": 1.0, "coverage": 50.0, "n_queries": 7},
        {"signature": "nn|oov=muse|identical=dropped", "p_at_1": 2.0, "coverage": 60.0, "n_queries": 6},
        muse | {"by": "a.py"},
    ]
    write_json(path, results)
    told = {"metrics": ("p_at_1", "coverage"), "conditions": {"dictionary": "muse"}}
    dropped = cell(path, where="identical=dropped", table="table2")
    rows = rows_of([cell(path, where="identical=kept", **told), dropped], "demo")
    assert rows[["table", "metric", "value", "n"]].to_numpy().tolist() == [
        ["table1", "p_at_1", 1.0, 7], ["table1", "coverage", 50.0, 7],
        ["table1", "p_at_1", 3.0, 5], ["table1", "coverage", 70.0, 5], ["table2", "p_at_1", 2.0, 6],
    ]  # fmt: skip
    assert list(rows["signature"].unique()) == [
        "csls|oov=paper|identical=kept|dictionary=muse",
        "nn|oov=muse|identical=kept|dictionary=muse|by=a.py",
        "nn|oov=muse|identical=dropped",
    ]
    assert set(zip(rows["scale"], rows["seed"], rows["task"], strict=True)) == {("demo", 3, "bli")}
    write_rows(tmp_path / "rows.csv", rows)
    assert read_rows(tmp_path / "rows.csv").to_dict("records") == rows.to_dict("records")


def test_a_metric_may_have_another_name_than_its_score_and_another_score_taken_off(tmp_path: Path) -> None:
    score = {"majority": 33.3, "sentences": 2, "tokens": 9, "signature": "s"}
    for name, f1 in (("supervised", 80.0), ("zero_shot", 55.0)):
        write_json(tmp_path / name, score | {"f1": f1})
    own = cell(tmp_path / "supervised", metrics=("supervised=f1", "majority"))
    rows = rows_of([own, replace(own, metrics=("delta=f1",), less=str(tmp_path / "zero_shot"))], "demo")
    values = dict(zip(rows["metric"], rows["value"], strict=True))
    assert values == {"supervised": 80.0, "majority": 33.3, "delta": 25.0}
    assert set(rows["n"]) == {2}


def test_n_is_what_was_scored(tmp_path: Path) -> None:
    for counts, n in (({"counts": {"pairs": 508}}, 508), ({"pairs": 4, "tokens": 9}, 4), ({"tokens": 7}, 7)):
        write_json(tmp_path / "c.json", {"p_at_1": 25.0, "signature": "s", **counts})
        assert list(rows_of([cell(tmp_path / "c.json")], "demo")["n"]) == [n]


def test_what_a_file_of_scores_lacks_is_named(tmp_path: Path) -> None:
    path, other = tmp_path / "c.json", tmp_path / "other.json"
    write_json(path, {"p_at_1": 25.0, "signature": "s", "pairs": 4})
    write_json(other, {"p_at_1": 25.0, "signature": "s", "pairs": 5})
    for wrong, message in (
        ({"metrics": ("f1",)}, r"c\.json: has no score 'f1'"),
        ({"where": "identical=kept"}, r"c\.json: no result with identical=kept"),
        ({"less": str(other)}, r"other\.json: another number of items"),
        ({"score": str(tmp_path / "none.json")}, r"none\.json: no such file"),
    ):
        with pytest.raises(InputError, match=message):
            rows_of([cell(path, **wrong)], "demo")
    scores = '{{"p_at_1": {}, "signature": "s", "pairs": 4}}'
    numbers = [scores.format(value) for value in ("NaN", "Infinity", "true", "null", '"25"', "[25]")]
    for contents, message in (
        (numbers, r"c\.json: the score 'p_at_1' is .*, no number \(score it again\)"),
        (("3", "null", "[1]", "{}", '{"signature": 1}'), r"c\.json: is not a file of scores: a signature is"),
        (['{"p_at_1": 25, "signature": "s"}'], "tells no number of items"),
    ):
        for content in contents:
            path.write_text(content)
            with pytest.raises(InputError, match=message):
                rows_of([cell(path)], "demo")
