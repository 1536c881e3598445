from pathlib import Path

import numpy as np
import pytest
from scipy.stats import false_discovery_control, ttest_ind

from crosslingua.errors import InputError
from crosslingua.metrics import write_rows
from crosslingua.report.comparison import compare, read_numbers
from metric_rows import frame


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


def test_tables_compare_too_and_what_is_neither_is_named(tmp_path: Path) -> None:
    table, other = tmp_path / "t.csv", tmp_path / "other.csv"
    table.write_text("convention,system,column,mean,deviation,seeds\nF1.,a,x,10,1,3\nF1.,b,x,,,0\n")
    assert compare(read_numbers(table), read_numbers(table)).text() == "0 of 1 numbers moved beyond noise."
    other.write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match=r"other\.csv: neither metrics\.csv nor a table"):
        read_numbers(other)
    with pytest.raises(InputError, match="no such file"):
        read_numbers(tmp_path / "none")
