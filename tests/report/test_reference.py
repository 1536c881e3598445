from __future__ import annotations

from pathlib import Path

import pytest

from crosslingua.errors import InputError
from crosslingua.report.reference import COLUMNS, read_reference

HEAD = ",".join(COLUMNS)


def test_reference_files_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    for content, message in (
        ("a,b\n1,2\n", "columns must be"),
        (f"{HEAD}\nmlm,trans,ner,delta,x\n", "a.csv:2: not a published number"),
        (f"{HEAD}\nmlm,trans,ner,delta,1\nmlm,trans,ner,delta,2\n", "another table has 1.0"),
    ):
        path.write_text(content)
        with pytest.raises(InputError, match=message):
            read_reference([path])


def test_notes_may_follow(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"{HEAD},row\nfast_align,de-en,word_alignment,aer,32.14,Dyer et al.\n")
    assert read_reference([tmp_path / "a.csv"]) == {("fast_align", "de-en", "word_alignment", "aer"): 32.14}


def test_every_file_of_the_project_is_read(repository: Path) -> None:
    paths = sorted((repository / "reference").glob("*_table*.csv"))
    assert len(paths) >= 7
    assert len(read_reference(paths)) > 200
