"""XTREME's layout, read back by XTREME's rules: a label a line, sentences divided by blank lines; SQuAD's JSON."""

import json
from pathlib import Path

import pytest
from seqeval.metrics import f1_score

from crosslingua.errors import InputError
from crosslingua.io.conll import TaggedSentence, write_conll
from crosslingua.io.pairs import SentencePair, write_pairs
from crosslingua.tasks.kinds import KINDS, score
from crosslingua.tasks.xtreme_files import export

ENTITIES = [("B-PER", "O", "B-LOC"), ("B-ORG", "I-ORG")], [("I-PER", "O", "B-LOC"), ("B-ORG", "O")]
TAGS = {
    "sentences that begin with X are read together": ([("X", "X"), ("X", "NOUN")], [("X", "NOUN"), ("X", "NOUN")]),
    "seqeval takes the S of SCONJ and SYM for a prefix": (
        [("NOUN", "SCONJ", "SCONJ", "SYM"), ("X", "NOUN")], [("NOUN", "SCONJ", "SYM", "SYM"), ("X", "X")],
    ),
}  # fmt: skip


def read_as_xtreme(path: Path) -> list[list[str]]:
    """Read a file of tags as evaluate.py's reader is described: blank lines end sentences."""
    return [sentence.split() for sentence in path.read_text("utf-8").split("\n\n") if sentence.strip()]


def exported(folder: Path, kind: str, gold: list[tuple], found: list[tuple]) -> tuple[Path, Path]:
    """Write sentences with these tags, and what is exported of them."""
    for name, sentences in (("gold", gold), ("predicted", found)):
        write_conll(folder / name, (TaggedSentence(tuple("abcd"[: len(tags)]), tags) for tags in sentences))
        export(kind, folder / name, name, folder / f"{name}.tsv")
    return folder / "gold.tsv", folder / "predicted.tsv"


def test_entities_have_the_score_that_xtremes_program_gives(tmp_path: Path) -> None:
    gold, found = exported(tmp_path, "ner", *ENTITIES)
    assert found.read_text() == "I-PER\nO\nB-LOC\n\nB-ORG\nO\n\n"
    theirs = 100 * f1_score(read_as_xtreme(gold), read_as_xtreme(found))
    assert score("ner", tmp_path / "gold", tmp_path / "predicted")["f1_conll"] == pytest.approx(theirs)


@pytest.mark.parametrize("case", TAGS)
def test_parts_of_speech_have_the_score_that_xtremes_program_gives(tmp_path: Path, case: str) -> None:
    gold, found = exported(tmp_path, "pos", *TAGS[case])
    with pytest.warns(UserWarning, match="seems not to be NE tag"):
        theirs = 100 * f1_score(read_as_xtreme(gold), read_as_xtreme(found))
    ours = score("pos", tmp_path / "gold", tmp_path / "predicted")
    assert ours["f1_seqeval"] == pytest.approx(theirs)
    assert ours["f1_seqeval"] != pytest.approx(ours["f1"])


def test_classes_are_a_label_a_line(tmp_path: Path) -> None:
    pairs = [SentencePair("a", "b", "neutral"), SentencePair("c", "d", "entailment")]
    write_pairs(tmp_path / "gold", pairs, KINDS["nli"].pairs)
    (tmp_path / "predicted").write_text("neutral\ncontradiction\n")
    for name, content in (("gold", "neutral\nentailment\n"), ("predicted", "neutral\ncontradiction\n")):
        export("nli", tmp_path / name, name, tmp_path / f"{name}.tsv")
        assert (tmp_path / f"{name}.tsv").read_text() == content


@pytest.mark.parametrize(("task", "content", "message"), [
    ("nli", "neutral\nneutrall\n", ":2: unknown label 'neutrall': the labels are entailment"),
    ("ner", "a\tO\nb\tPER\n", ":2: "),
    ("xquad", "[1, 2]", "no predictions of SQuAD: an object of texts"),
    *(("xquad", content, "no predictions of SQuAD") for content in ("3", "null", "{}", '{"1": null}')),
    ("xquad", '{"1": "a", "2": "b", "1": "c"}', "the key '1' stands twice in an object"),
    ("nli", "", "no labels"),
    ("pos", "", "no sentences"),
])  # fmt: skip
def test_wrong_predictions_are_not_exported(tmp_path: Path, task: str, content: str, message: str) -> None:
    (tmp_path / "in").write_text(content)
    with pytest.raises(InputError, match=message):
        export(task, tmp_path / "in", "predicted", tmp_path / "out")
    with pytest.raises(InputError, match="in"):
        export(task, tmp_path / "in", "gold", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_questions_stay_squads(tmp_path: Path) -> None:
    content = {"1": "é 北京"}
    (tmp_path / "in").write_text(json.dumps(content))
    export("xquad", tmp_path / "in", "predicted", tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8")) == content
