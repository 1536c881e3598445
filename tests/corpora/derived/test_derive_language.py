"""derive_language.py and train_word_order.py: every kind of file, one spelling across files, errors."""

import json
import subprocess
import sys

import numpy as np
import pytest

from corpora.derived.trees import clause
from crosslingua.corpora.derived.derivation import TRANSFORMS
from crosslingua.corpora.derived.files import KINDS
from crosslingua.corpora.derived.transliteration import Transliteration
from crosslingua.io.bitext import read_dictionary
from crosslingua.io.conll import TaggedSentence, read_conll, write_conll
from crosslingua.io.conllu_trees import read_conllu, write_conllu
from crosslingua.io.pairs import SentencePair, read_pairs, write_pairs
from crosslingua.io.squad import Answer, Article, Paragraph, Question, questions, read_squad, write_squad
from crosslingua.tasks import kinds

MAP = Transliteration(4)


def run(repository, script, *arguments):
    return subprocess.run(
        [sys.executable, f"scripts/{script}", *map(str, arguments)],
        cwd=repository, capture_output=True, text=True, check=False,
    )  # fmt: skip


def derive(repository, tmp_path, transform, kind, source, *more, out="out"):
    path = tmp_path / out
    done = run(
        repository, "derive_language.py", "--transform", transform, "--kind", kind, "--input", source,
        "--out", path, "--seed", 4, *more,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return path


def back(text):
    return " ".join(map(MAP.original, text.split()))


def test_text_with_its_gold_dictionary(repository, tmp_path):
    source = tmp_path / "en.txt"
    source.write_text("the cat sat . the end\n\nthe cat .\n", encoding="utf-8")
    dictionary, report = tmp_path / "gold.txt", tmp_path / "report.json"
    out = derive(
        repository, tmp_path, "trans_inv", "text", source, "--dictionary", dictionary, "--report", report
    )
    lines = out.read_text(encoding="utf-8").split("\n")
    assert [back(line) for line in lines] == ["sat cat the . end the", "", "cat the .", ""]
    pairs = read_dictionary(dictionary)
    assert [source for source, _ in pairs] == ["the", ".", "cat", "end", "sat"]
    assert all(MAP.word(word) == derived for word, derived in pairs)
    found = json.loads(report.read_text())
    assert (found["transform"], found["records"], found["types"]) == ("trans_inv", 3, 5)
    shared = tmp_path / "shared.txt"
    derive(
        repository, tmp_path, "trans", "text", source, "--overlap", 0.5, "--dictionary", shared,
        "--dictionary-share", 0.5, out="half",
    )  # fmt: skip
    kept = Transliteration(4, overlap=0.5)
    changed = [word for word in ("the", ".", "cat", "end", "sat") if not kept.keeps(word)]
    assert len(read_dictionary(shared)) == round(len(changed) / 2)
    assert (tmp_path / "half").read_text(encoding="utf-8").split("\n")[2] == " ".join(
        map(kept.word, ("the", "cat", "."))
    )


def test_every_kind_of_task_data(repository, tmp_path):
    tagged = [TaggedSentence(("Ann", "Lee", "ran", "."), ("B-PER", "I-PER", "O", "O"), {"intent": "run"})]
    write_conll(tmp_path / "ner", tagged)
    for kind in ("ner", "slots"):
        (after,) = read_conll(derive(repository, tmp_path, "trans_inv", kind, tmp_path / "ner"))
        assert back(" ".join(after.tokens)) == "ran Lee Ann ."
        assert (after.labels, after.comments) == (("O", "B-PER", "I-PER", "O"), {"intent": "run"})
    write_conll(tmp_path / "pos", [TaggedSentence(("a", "cat"), ("DET", "NOUN"))])
    (after,) = read_conll(derive(repository, tmp_path, "inv", "pos", tmp_path / "pos"), scheme="plain")
    assert (after.tokens, after.labels) == (("cat", "a"), ("NOUN", "DET"))
    pairs = [SentencePair("It is.", "So it is.", "neutral"), SentencePair("A", "B", "entailment")]
    write_pairs(tmp_path / "nli", pairs, kinds.KINDS["nli"].pairs)
    after = read_pairs(
        derive(repository, tmp_path, "inv", "nli", tmp_path / "nli", "--words", "punctuation"),
        kinds.KINDS["nli"].pairs,
    )
    assert list(after) == [SentencePair("is It .", "is it So .", "neutral"), pairs[1]]
    pairs = [SentencePair("a b", "b a", "1"), SentencePair("a", "b", "0")]
    write_pairs(tmp_path / "para", pairs, kinds.KINDS["paraphrase"].pairs)
    after = list(
        read_pairs(
            derive(repository, tmp_path, "trans", "paraphrase", tmp_path / "para"),
            kinds.KINDS["paraphrase"].pairs,
        )
    )
    assert [(back(one), back(other), label) for one, other, label in after] == pairs
    article = Article("T", (Paragraph("Ann ran far .", (Question("q", "Who ran ?", (Answer("Ann", 0),)),)),))
    write_squad(tmp_path / "qa", [article])
    ((paragraph, question),) = questions(
        read_squad(derive(repository, tmp_path, "inv", "qa", tmp_path / "qa"))
    )
    assert (paragraph.context, question.answers) == ("far ran Ann .", (Answer("Ann", 8),))


@pytest.fixture
def order(repository, tmp_path):
    """A learned verb-final order, made by the script."""
    rng = np.random.default_rng(5)
    write_conllu(tmp_path / "sov.conllu", [clause("SOV", True, rng) for _ in range(80)])
    write_conllu(tmp_path / "svo.conllu", [clause("SVO", True, rng) for _ in range(80)])
    done = run(
        repository, "train_word_order.py", "--input", tmp_path / "sov.conllu", "--source", tmp_path / "svo.conllu",
        "--out", tmp_path / "order.json", "--report", tmp_path / "order.report.json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "order.report.json").read_text())["target"]["trees"] == 80
    return tmp_path / "order.json"


def test_syntax_of_trees_text_and_tags(repository, tmp_path, order):
    source = tmp_path / "svo.conllu"
    trees = list(read_conllu(source))
    out = derive(repository, tmp_path, "syn", "trees", source, "--order", order, out="out.conllu")
    after = list(read_conllu(out))
    assert sum(tree.upos[-1] == "VERB" for tree in after) > 70
    text = derive(repository, tmp_path, "trans_syn", "text", source, "--order", order)
    lines = text.read_text(encoding="utf-8").splitlines()
    assert [back(line).split() for line in lines] == [list(tree.forms) for tree in after]
    write_conll(tmp_path / "pos", [TaggedSentence(tree.forms, tree.upos) for tree in trees])
    tagged = read_conll(
        derive(repository, tmp_path, "syn", "pos", tmp_path / "pos", "--order", order, "--trees", source),
        scheme="plain",
    )
    assert [(s.tokens, s.labels) for s in tagged] == [(tree.forms, tree.upos) for tree in after]
    plan, outs = tmp_path / "plan.csv", [tmp_path / "first", tmp_path / "second"]
    plan.write_text("out\n" + "".join(f"{out}\n" for out in outs))  # trees are read once, and found twice
    common = (
        "--transform",
        "syn",
        "--kind",
        "pos",
        "--input",
        tmp_path / "pos",
        "--order",
        order,
        "--seed",
        4,
    )
    done = run(repository, "derive_language.py", *common, "--trees", source, "--cells", plan)
    assert done.returncode == 0, done.stderr
    assert outs[0].read_bytes() == outs[1].read_bytes() == (tmp_path / "out").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--transform", "inv", "--dictionary", "d"), "--dictionary: inv changes no word"),
        (("--transform", "syn"), "--transform syn needs --order"),
        (("--transform", "syn", "--order", "x"), "--transform syn needs --trees"),
        (("--transform", "trans", "--overlap", "25"), "argument --overlap: 25: must be a number from 0 to 1"),
    ],
)
def test_missing_and_wrong_options(repository, tmp_path, arguments, message):
    (tmp_path / "a").write_text("a\n")
    done = run(
        repository, "derive_language.py", "--kind", "text", "--input", tmp_path / "a", "--out", tmp_path / "b",
        "--seed", 1, *arguments,
    )  # fmt: skip
    assert done.returncode == (2 if message.startswith("argument") else 1)
    assert f"error: {message}" in done.stderr
    assert not (tmp_path / "b").exists()


def test_several_files_are_derived_as_each_alone(repository, tmp_path):
    (tmp_path / "a").write_text("the cat sat .\n")
    (tmp_path / "b").write_text("a cat .\nthe end .\n")
    outs, reports = ([tmp_path / f"{name}{i}" for i in "12"] for name in ("out", "report"))
    plan = tmp_path / "plan.csv"
    lines = [f"{tmp_path / name},{outs[i]},{reports[i]}\n" for i, name in enumerate("ab")]
    plan.write_text("input,out,report\n" + "".join(lines))
    done = run(
        repository, "derive_language.py", "--transform", "trans_inv", "--kind", "text", "--seed", 4, "--cells", plan,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for name, out in zip("ab", outs, strict=True):
        alone = derive(repository, tmp_path, "trans_inv", "text", tmp_path / name, out="alone")
        assert out.read_bytes() == alone.read_bytes()
    assert [json.loads(path.read_text())["types"] for path in reports] == [4, 5]


def test_an_empty_text_is_refused(repository, tmp_path):
    (tmp_path / "a").write_text("")
    done = run(
        repository, "derive_language.py", "--transform", "trans", "--kind", "text", "--input", tmp_path / "a",
        "--out", tmp_path / "b", "--seed", 1,
    )  # fmt: skip
    assert done.returncode == 1
    assert "no lines" in done.stderr


def test_the_transformations_of_the_paper_are_there():
    assert {"trans", "trans_inv", "trans_syn"} <= set(TRANSFORMS)
    assert set(KINDS) == {"text", "trees", "ner", "slots", "pos", "nli", "paraphrase", "qa"}
