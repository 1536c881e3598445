"""A dictionary as a table, as TMX and as Parquet: read back by the suite's reader, by lxml and by pandas."""

import sys
from pathlib import Path

import pandas as pd
import pytest
from lxml import etree

from crosslingua.corpora.datasets.readers import tmx
from crosslingua.two_texts.lexicon_files import read_lexicon, write_parquet, write_tmx
from texts import written

HEAD = "source\ttarget\tconfidence\tsecond\torigin\tfrequency"
ENTRIES = f"""{HEAD}\texample_source\texample_target
haus\thouse\t0.875\thome\tinduced\t12\tdas haus & hof\tthe house & yard
null\tnull\t\t\tgiven\t3\t\t
"\t<s>\t\t\tgiven\t\t\t
"""


@pytest.fixture
def lexicon(tmp_path: Path) -> pd.DataFrame:
    return read_lexicon(written(tmp_path / "dictionary.tsv", ENTRIES))


def test_words_of_a_table_are_text_and_numbers_are_numbers(lexicon: pd.DataFrame) -> None:
    assert lexicon["source"].tolist() == ["haus", "null", '"']
    assert lexicon["confidence"][0] == 0.875
    assert lexicon["confidence"][1:].isna().all()
    assert lexicon["frequency"][:2].tolist() == [12, 3]


def test_the_suite_reads_the_entries_of_tmx(lexicon: pd.DataFrame, tmp_path: Path) -> None:
    write_tmx(tmp_path / "dictionary.tmx", lexicon, ("de", "en"))
    source = [str(tmp_path / "dictionary.tmx")]
    assert [*tmx.read(source, ["de", "en"])] == [("haus", "house"), ("null", "null"), ('"', "<s>")]
    assert next(tmx.read(source, ["en", "de"])) == ("house", "haus")


def test_tmx_has_the_header_of_version_1_4_and_what_is_known_of_an_entry(
    lexicon: pd.DataFrame, tmp_path: Path
) -> None:
    write_tmx(tmp_path / "dictionary.tmx", lexicon, ("zh_hant", "en"))
    root = etree.parse(tmp_path / "dictionary.tmx").getroot()
    assert (root.tag, root.get("version")) == ("tmx", "1.4")
    # The attributes of a header that the standard requires.
    required = {"creationtool", "creationtoolversion", "segtype", "o-tmf", "adminlang", "srclang", "datatype"}
    header = root.find("header")
    assert required == {*header.keys()}
    assert (header.get("srclang"), header.get("segtype")) == ("zh-hant", "phrase")
    first, second, _ = root.find("body")
    assert [(one.get("type"), one.text) for one in first.iter("prop")] == [
        ("x-origin", "induced"),
        ("x-confidence", "0.875"),
        ("x-frequency", "12"),
        ("x-example", "das haus & hof"),
        ("x-example", "the house & yard"),
    ]
    assert [(one.get("type"), one.text) for one in second.iter("prop")] == [
        ("x-origin", "given"),
        ("x-frequency", "3"),
    ]
    assert [one.get(tmx.LANGUAGE) for one in first.iter("tuv")] == ["zh-hant", "en"]


def test_a_character_that_xml_cannot_hold_is_replaced(tmp_path: Path) -> None:
    path = written(tmp_path / "dictionary.tsv", f"{HEAD}\na\x01b\tc\uffff😀\t\t\tinduced\t1\n")
    write_tmx(tmp_path / "dictionary.tmx", read_lexicon(path), ("de", "en"))
    found = [*tmx.read([str(tmp_path / "dictionary.tmx")], ["de", "en"])]
    assert found == [("a\ufffdb", "c\ufffd😀")]


def test_parquet_is_read_back_as_the_table(lexicon: pd.DataFrame, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    assert write_parquet(tmp_path / "dictionary.parquet", lexicon)
    found = pd.read_parquet(tmp_path / "dictionary.parquet")
    pd.testing.assert_frame_equal(found, lexicon, check_dtype=False)


def test_without_pyarrow_there_is_no_parquet(
    lexicon: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert not write_parquet(tmp_path / "dictionary.parquet", lexicon)
    assert not (tmp_path / "dictionary.parquet").exists()
