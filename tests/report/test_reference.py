from collections import defaultdict
from pathlib import Path

import pytest

from crosslingua.errors import InputError
from crosslingua.report.tables import COLUMNS, read_reference

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
    assert len(paths) >= 20
    assert sum(len(read_reference([path])) for path in paths) > 600


def test_tables_of_a_paper_agree_on_what_they_share(repository: Path) -> None:
    """xlm_align's tables 3 to 7 have numbers of their own: their XLM-Align has 75.2 on XNLI, that of table 1 76.2."""
    tables: dict[str, list[Path]] = defaultdict(list)
    for path in sorted((repository / "reference").glob("*_table*.csv")):
        paper, _, table = path.stem.rpartition("_table")
        tables[paper if paper != "xlm_align" else f"xlm_align.{table in '34567'}"].append(path)
    assert {name: len(paths) for name, paths in tables.items() if name.startswith("xlm")} == {
        "xlm_align.True": 5, "xlm_align.False": 9,
    }  # fmt: skip
    for paths in tables.values():
        assert read_reference(paths)
