"""The model card of an answer's vectors, by hand on two texts of some words; its Python code is run."""

import os
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
import yaml

from crosslingua.io.vectors import WordVectors, write_vectors
from crosslingua.two_texts.competitors import OWN, Competitor
from crosslingua.two_texts.model_card import write_card
from crosslingua.two_texts.question import PairToAsk
from texts import written

TEXTS = {"sw": "paka mbwa\nnyumba paka\n", "no": "katt hund\nhus katt bil\n"}
JUDGED = {
    "not spelt alike": {
        "test_words": 200, "seeds": 2,
        "strategies": {
            "joint": {"system": "joint", "value": 30.0, "low": 25.0, "high": 35.0},
            "both": {"system": "joint_align_rcsls", "value": 41.26, "low": 35.0, "high": 45.0},
            "own vectors": {"system": "own_geomm", "value": 7.0, "low": 6.0, "high": 8.0},
        },
    },
    "all": {
        "test_words": 250, "seeds": 2,
        "strategies": {"both": {"system": "joint_align_geomm", "value": 50.0, "low": 45.0, "high": 55.0}},
    },
}  # fmt: skip


@pytest.fixture
def question(tmp_path: Path) -> PairToAsk:
    """Two texts of four and five words, with two training entries and a held-out one."""
    folder = tmp_path / "ask_sw_no"
    texts = [written(tmp_path / f"a|b.{code}", text) for code, text in TEXTS.items()]
    for part, pairs in (("train", "paka katt\nmbwa hund\n"), ("test", "nyumba hus\n")):
        written(folder / f"corpora/dictionaries/sw-no.own/{part}.txt", pairs)
    pairs = written(tmp_path / "pairs.txt", "paka katt\n")
    return PairToAsk(("sw", "no"), (texts[0], texts[1]), pairs, folder, seeds=2)


def card(question: PairToAsk, system: str = "joint_align_rcsls", **more) -> str:
    files = question.folder / "vectors/it's.source.vec", question.folder / "vectors/it's.target.vec"
    files[0].parent.mkdir(exist_ok=True)
    write_vectors(files[0], WordVectors(["paka", "mbwa"], np.array([[1, 0, 0], [0, 1, 0]], np.float32)))
    write_vectors(files[1], WordVectors(["hund", "katt"], np.array([[0, 1, 0], [1, 0, 0]], np.float32)))
    given = {"competitor": None, "judged": JUDGED, "limits": ["The texts are small."]} | more
    return write_card(question, system, files, [(2, 3), (1200, 3)], **given).read_text(encoding="utf-8")


def cells(page: str, first: str) -> list[str]:
    """Return the other cells of the row that begins with `first`."""
    (row,) = (line for line in page.splitlines() if line.startswith(f"| {first} |"))
    return row.removeprefix(f"| {first} | ").removesuffix(" |").split(" | ")


def test_the_head_is_yaml_with_languages_and_tags_and_without_a_licence(question: PairToAsk) -> None:
    _, head, _ = card(question).split("---\n", 2)
    found = yaml.safe_load(head)
    assert found["language"] == ["sw", "no"]  # a bare `no` is false
    assert "word-embeddings" in found["tags"]
    assert {*found} == {"language", "tags"}


def test_a_code_that_is_no_language_is_not_in_the_head(question: PairToAsk) -> None:
    parts = question.folder / "corpora/dictionaries"
    (parts / "sw-no.own").rename(parts / "zh_hant-none.own")
    asked = PairToAsk(("zh_hant", "none"), question.texts, question.dictionary, question.folder)
    assert yaml.safe_load(card(asked).split("---\n")[1])["language"] == ["zh-hant"]


def test_data_are_named_with_words_and_checksums_and_no_folder(question: PairToAsk, tmp_path: Path) -> None:
    page = card(question)
    for code, words in (("sw", 4), ("no", 5)):
        checksum = sha256(TEXTS[code].encode()).hexdigest()
        assert cells(page, f"text, {code}") == [f"`a\\|b.{code}`", f"{words} words", f"`{checksum}`"]
    checksum = sha256(b"paka katt\n").hexdigest()
    assert cells(page, "dictionary") == ["`pairs.txt`", "3 entries, of which 1 test", f"`{checksum}`"]
    assert cells(page, "no") == ["`vectors/it's.target.vec`", "1,200", "3"]
    assert str(tmp_path) not in page


def test_training_quality_and_limits_are_those_of_the_system(question: PairToAsk) -> None:
    """Nine words are read 15 times. On all words the best system is another one."""
    page = card(question)
    assert "System `joint_align_rcsls`. Both: trained together" in page
    assert (
        "Skip-gram with subwords reads the texts 15 times. Of 2 runs, these vectors are the first's." in page
    )
    assert cells(page, "not spelt alike") == ["41.3 [35.0, 45.0]", "200", "2"]
    assert "| all |" not in page
    assert "- The texts are small.\n" in page
    assert "fewer than 5 times have no vector" in page
    assert "Joint: trained on both texts together." in card(question, "joint")
    assert "15 times. There is one run." in card(replace(question, seeds=1))


def test_without_a_dictionary_nothing_is_said_to_be_right(question: PairToAsk) -> None:
    asked = PairToAsk(question.languages, question.texts, None, question.folder)
    page = card(asked, "joint_align_identity", judged={})
    assert "P@1 is not known" in page
    assert "| dictionary |" not in page


def test_own_vectors_come_from_their_files(question: PairToAsk, tmp_path: Path) -> None:
    paths = written(tmp_path / "a.vec", "1 1\na 1\n"), written(tmp_path / "b.vec", "1 1\nb 1\n")
    own = Competitor("own_geomm", OWN, lambda gold: gold)
    asked = PairToAsk(question.languages, question.texts, question.dictionary, question.folder, vectors=paths)
    page = card(asked, "own_geomm", competitor=own)
    assert cells(page, "vectors, sw") == ["`a.vec`", "", f"`{sha256(paths[0].read_bytes()).hexdigest()}`"]
    assert "The training part of the dictionary and `geomm` map them into one space." in page
    assert "Skip-gram" not in page
    assert "| text" not in page
    assert cells(page, "not spelt alike") == ["7.0 [6.0, 8.0]", "200", "2"]


def test_the_three_lines_of_python_load_the_vectors(
    question: PairToAsk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = card(question).split("```python\n")[1].split("```")[0]
    assert len(code.splitlines()) == 3
    monkeypatch.chdir(question.folder)
    exec(compile(code, os.devnull, "exec"), found := {})
    assert found["source"].words == ["paka", "mbwa"]
    lexicon = capsys.readouterr().out.splitlines()
    assert [line.split()[1:3] for line in lexicon[1:]] == [["paka", "katt"], ["mbwa", "hund"]]
