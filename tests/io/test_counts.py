from pathlib import Path

import pytest

from crosslingua.errors import InputError
from crosslingua.io.bitext import read_counts, write_counts


def test_counts_survive_and_are_sorted(tmp_path: Path) -> None:
    write_counts(tmp_path / "c.tsv", {"b": 2, "a": 2, "\u2028": 1, "z": 9})
    assert (tmp_path / "c.tsv").read_text(encoding="utf-8") == "z\t9\na\t2\nb\t2\n\u2028\t1\n"
    assert list(read_counts(tmp_path / "c.tsv").items()) == [("z", 9), ("a", 2), ("b", 2), ("\u2028", 1)]


@pytest.mark.parametrize("line", ["word", "word\tmany", "\t3", "word\t-1"])
def test_a_line_that_is_no_count_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "c.tsv").write_text(f"fine\t1\n{line}\n")
    with pytest.raises(InputError, match=r"c\.tsv:2: expected word<TAB>count"):
        read_counts(tmp_path / "c.tsv")


def test_no_counts_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "c.tsv").touch()
    with pytest.raises(InputError, match="no words"):
        read_counts(tmp_path / "c.tsv")
