"""Data sheets: the content of a line, and errors with the line."""

from pathlib import Path

import pytest

from crosslingua.errors import InputError
from crosslingua.workflow.sources import COLUMNS, read_sheet
from texts import written

HEADER = "\t".join(COLUMNS) + "\n"


def test_a_line_names_files_of_splits_and_typed_options_and_there_may_be_none(tmp_path: Path) -> None:
    path = written(
        tmp_path / "data.tsv",
        "# what this is\n\n" + HEADER + "# text\n"
        "text\ten\tfile\t'my text.txt' more.txt\n"
        "derived\ten_trans\ten\t\t\t\ttransform=trans overlap=0.5\n"
        "pos\tes\tconll2002\ttrain\t\ttest\tuniversal=true language=es format='a b'\n"
        "bitext\ten-de.x\teuroparl\tde-en.tgz\t\t\ttake=30\n",
    )
    text, derived, pos, bitext = read_sheet(path)
    assert text.place == f"{path}:5: text en"
    assert (text.task, text.name, text.origin) == ("text", "en", "file")
    assert (text.splits, text.options) == ({"train": ("my text.txt", "more.txt")}, {})
    assert derived.options == {"transform": "trans", "overlap": 0.5}
    assert pos.splits == {"train": ("train",), "test": ("test",)}
    assert pos.options == {"universal": True, "language": "es", "format": "a b"}
    assert bitext.options == {"take": 30}
    assert read_sheet(written(tmp_path / "data.tsv", HEADER)) == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("text\ten", "task, set and from must be given"),
        ("text\ten\tx\ta\tb\tc\t\t", "8 columns instead of 7"),
        ("ner\ten\tconll2003\ttrain\t\t\tlanguage", "'language' is no option; they are name=value with"),
        ("ner\ten\tconll2003\ttrain\t\t\tlangage=en", "did you mean 'language'"),
        ("pos\tes\tconll2002\ttrain\t\t\tuniversal=yes", "'universal=yes' must be true or false"),
        ("bitext\ta-b\tx\tf\t\t\ttake=many", "'take=many' must be a number"),
        ("derived\ta\tb\t\t\t\toverlap=half", "'overlap=half' must be a number"),
        ("text\t../x\tfile\ta", r"the set '\.\./x' is called otherwise than names can be \(write lower-case"),
        ("text\ten\tx\t'open", "No closing quotation"),
        ("ner\ten\tx\ttrain\t\t\tlanguage='en", "No closing quotation"),
    ],
)
def test_a_wrong_line_is_told(tmp_path: Path, line: str, message: str) -> None:
    path = written(tmp_path / "data.tsv", f"{HEADER}\n{line}\n")
    with pytest.raises(InputError, match=rf"data\.tsv:3: .*{message}"):
        read_sheet(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEADER.replace("task\tset", "set\ttask"), "1: the columns must be task, set, from,"),
        ("text\ten\tx\ta\n", "1: the columns must be task, set, from,"),
        (f"{HEADER}text\ten\tx\ta\nner\ten\tx\ttrain\ntext\ten\ty\tb\n", "4: a second line for text en"),
        (HEADER.encode() + b"text\t\xff\tx\ta\n", "2: invalid UTF-8"),
    ],
)
def test_another_header_a_set_twice_and_what_is_not_utf8_are_told(tmp_path: Path, text, message: str) -> None:
    with pytest.raises(InputError, match=rf"data\.tsv:{message}"):
        read_sheet(written(tmp_path / "data.tsv", text))
