"""Counts and samples of files written by hand, and the page made of them."""

import hashlib
from pathlib import Path

import pytest

from configurations import Opener
from crosslingua.corpora.datasets.registry import FileSet, dataset
from crosslingua.errors import InputError
from crosslingua.report import data_card
from crosslingua.report.data_card import Samples, anchor, count, describe, flatten, table, write_data_card
from crosslingua.workflow.results import configuration
from programs import call
from texts import written


def test_entities_are_counted_by_span_and_shown_in_brackets(tmp_path: Path) -> None:
    path = written(
        tmp_path / "a.conll",
        "Ada\tB-PER\nLovelace\tI-PER\nsaw\tO\nParis\tB-LOC\n.\tO\n\n# intent = walk/home\nAda\tB-PER\nleft\tO\n\n",
    )  # fmt: skip
    found = count("ner", [path])
    assert found.numbers == {"sentences": 2, "tokens": 7, "types": 6, "spans": 3, "intents": 1}
    assert found.labels == {"LOC": 1, "PER": 2}
    assert found.samples == ("[Ada Lovelace PER] saw [Paris LOC] .", "[Ada PER] left  (walk/home)")


def test_tags_are_counted_by_token(tmp_path: Path) -> None:
    found = count("pos", [written(tmp_path / "a.conll", "it\tPRON\nrains\tVERB\n\nit\tPRON\n\n")])
    assert found.numbers == {"sentences": 2, "tokens": 3, "types": 2}
    assert found.labels == {"PRON": 2, "VERB": 1}
    assert found.samples[0] == "it/PRON rains/VERB"


def test_links_are_counted_by_kind_and_lines_too_few_are_an_error(tmp_path: Path) -> None:
    files = [
        written(tmp_path / "a.txt", "a b c\nd\n"),
        written(tmp_path / "b.txt", "x y\nz z\n"),
        written(tmp_path / "links", "0-0 1p1 2-1\n0p0\n"),
    ]
    found = count("gold_alignment", files)
    assert found.numbers == {
        "pairs": 2, "source tokens": 4, "source types": 4, "target tokens": 4, "target types": 3,
        "sure links": 2, "only possible": 2,
    }  # fmt: skip
    assert found.samples[0] == "a b c ||| x y ||| 0-0 1p1 2-1"
    assert "sure links" not in count("bitext", files[:2]).numbers
    written(tmp_path / "links", "0-0\n")
    with pytest.raises(InputError, match="1 lines of links for 2"):
        count("gold_alignment", files)


def test_dictionaries_pairs_and_questions(tmp_path: Path) -> None:
    words = written(tmp_path / "d.txt", "cat\tkatze\ncat\tkater\ntaxi\ttaxi\n")
    counts = {"pairs": 3, "source words": 2, "target words": 3, "spelled alike": 1}
    assert count("dictionary", [words]).numbers == counts
    pairs = written(
        tmp_path / "p.tsv", "premise\thypothesis\tlabel\na b\tb\tentailment\nc\ta\tneutral\nc\td\tneutral\n"
    )
    found = count("nli", [pairs])
    assert (found.numbers["pairs"], found.numbers["tokens"]) == (3, 7)
    assert found.labels == {"entailment": 1, "neutral": 2}
    squad = written(
        tmp_path / "q.json",
        '{"data": [{"title": "t", "paragraphs": [{"context": "Ada saw Paris.", "qas": [{"id": "1",'
        ' "question": "Who?", "answers": [{"text": "Ada", "answer_start": 0}]}]}]}]}',
    )  # fmt: skip
    found = count("qa", [squad])
    assert [found.numbers[name] for name in ("articles", "paragraphs", "questions", "answers")] == [1] * 4
    assert found.samples == ("Who? → Ada  (in: Ada saw Paris.)",)


def test_a_checksum_of_the_first_fetch_says_so(tmp_path: Path) -> None:
    def shown() -> str:
        lines = data_card._published(dataset("wikipedia"), ["enwiki.xml.bz2"], tmp_path)
        return next(line for line in lines if "enwiki" in line)

    assert shown().split(" | ")[2] == "– |"
    written(tmp_path / "wikipedia/enwiki.xml.bz2.sha256", f"{'a' * 64}  enwiki.xml.bz2\n")
    assert shown().endswith(f"| `{'a' * 64}` (of the first fetch, recorded beside the file) |")


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 47, 48, 1000, 12345])
def test_samples_are_spread_over_the_whole(size: int) -> None:
    spread = Samples()
    for i in range(size):
        spread.add(lambda i=i: str(i))
    chosen = [int(item) for item in spread.chosen()]
    assert len(chosen) == min(size, 3)
    assert chosen == sorted(set(chosen))
    if size > 100:
        for third, found in enumerate(chosen):
            assert abs(found - third * size / 3) < size / 10


def test_a_report_is_flattened_to_what_was_repaired() -> None:
    report = {
        "sentences": 9, "counts": {"repeats": 2, "slots": 40, "i_without_b": 0},
        "dropped": {"too_long": 1}, "removed_characters": 3, "replaced_characters": 0,
    }  # fmt: skip
    assert flatten(report) == {"repeats": 2, "too_long": 1, "removed_characters": 3}


def test_a_description_holds_the_files_checksums(tmp_path: Path) -> None:
    path = written(tmp_path / "text/x.txt", "a b\n")
    made = FileSet("text", "x", "", ("x",), ("text/x.txt",), None, {"from": "file", "path": "x"})
    assert describe(made, tmp_path).checksums == {"text/x.txt": hashlib.sha256(path.read_bytes()).hexdigest()}


def test_tables_align_numbers_and_escape_bars_and_anchors_follow_githubs_rule() -> None:
    lines = ["| name | size |", "| --- | ---: |", "| a\\|b | 1,234 |", "| c | – |"]
    assert list(table(["name", "size"], [["a|b", 1234], ["c", "–"]])) == lines
    assert anchor("ud-2.5") == "ud-25"
    assert anchor("The controlled world") == "the-controlled-world"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    config = {"scale": "mine", "world": None}
    sets = [FileSet("text", "x", "", ("x",), ("text/x.txt",), "text/x.json", {"from": "file", "path": "x"})]
    with pytest.raises(InputError, match=r"text/x\.txt"):
        write_data_card(tmp_path / "card.md", config, sets, tmp_path, tmp_path)
    written(tmp_path / "text/x.txt", "one sentence\n")
    written(tmp_path / "text/x.json", '{"dropped": {"empty": 4}}')
    write_data_card(tmp_path / "card.md", config, sets, tmp_path, tmp_path)
    card = (tmp_path / "card.md").read_text()
    assert "| x | your own file | 1 | 2 | 2 |" in card
    assert "left out or repaired: 4 empty" in card


def test_the_script_describes_what_the_configuration_beside_the_results_asks_for(opened: Opener) -> None:
    Path("mine.tsv").write_text("task\tset\tfrom\ttrain\tvalid\ttest\toptions\ntext\tsv\tfile\tsv.txt\n")
    change = {
        "world": None, "pairs": ["sw-sv"], "papers": ["joint_align"], "joint_align": {"translation": None},
        "languages": {"sw": {"path": "sw.txt"}},
        "dictionaries": {"train": "{source}.train", "test": "{source}.test"},
        "data": {"sheets": ["mine.tsv"], "mirror": "elsewhere", "user_supplied": {"multiun": "/private"}},
    }  # fmt: skip
    w = opened("tiny", change)
    corpora = Path(w.corpora)
    for language in ("sv", "sw"):
        written(corpora / f"text/{language}.txt", f"{language} ein\n")
        written(corpora / f"text/{language}.json", "{}")
    for split in ("train", "test"):
        written(corpora / f"dictionaries/sw-sv.own/{split}.txt", "a\tb\n")
    config = configuration(w)
    assert "elsewhere" not in Path(config).read_text()
    assert "private" not in Path(config).read_text()
    call("write_data_card.py", "--config", config, "--corpora", w.corpora, "--out", "c.md")
    card = Path("c.md").read_text()
    assert "4 sets in 4 files" in card
    assert "- [Text](#text): sv, sw" in card
    assert "- [Dictionaries](#dictionaries): sw-sv.own" in card
