"""derive_language.py and train_word_order.py: every kind of file, one spelling across files, errors."""

import json

import numpy as np
import pytest

from corpora.derived.trees import clause
from crosslingua.corpora.derived.transliteration import Transliteration
from crosslingua.io.bitext import read_dictionary
from crosslingua.io.conll import TaggedSentence, read_conll, write_conll
from crosslingua.io.conllu_trees import read_conllu, write_conllu
from crosslingua.io.pairs import SentencePair, read_pairs, write_pairs
from crosslingua.io.squad import Answer, Article, Paragraph, Question, questions, read_squad, write_squad
from crosslingua.tasks import kinds
from texts import written

MAP = Transliteration(4)


@pytest.fixture
def derive(script, tmp_path):
    def run(transform, kind, source, *more, out="out"):
        named = ("--transform", transform, "--kind", kind, "--input", source, "--out", out)
        script("derive_language.py", *named, "--seed", 4, *more)
        return tmp_path / out

    return run


def spelled(text):
    return " ".join(map(MAP.word, text.split()))


def test_text_with_its_gold_dictionary(derive, tmp_path):
    source = written(tmp_path / "en.txt", "the cat sat . the end\n\nthe cat .\n")
    out = derive("trans_inv", "text", source, "--dictionary", "gold.txt", "--report", "report.json")
    lines = out.read_text(encoding="utf-8").split("\n")
    assert lines == list(map(spelled, ["sat cat the . end the", "", "cat the .", ""]))
    pairs = read_dictionary(tmp_path / "gold.txt")
    assert [source for source, _ in pairs] == ["the", ".", "cat", "end", "sat"]
    assert all(MAP.word(word) == derived for word, derived in pairs)
    found = json.loads((tmp_path / "report.json").read_text())
    assert (found["transform"], found["records"], found["types"]) == ("trans_inv", 3, 5)
    few = ("--overlap", 0.5, "--dictionary", "few.txt", "--dictionary-share", 0.5)
    half = derive("trans", "text", source, *few, out="half").read_text(encoding="utf-8")
    kept = Transliteration(4, overlap=0.5)
    changed = [word for word in ("the", ".", "cat", "end", "sat") if not kept.keeps(word)]
    assert len(read_dictionary(tmp_path / "few.txt")) == round(len(changed) / 2)
    assert half.split("\n")[2] == " ".join(map(kept.word, ("the", "cat", ".")))


def test_every_kind_of_task_data(derive, tmp_path):
    tagged = [TaggedSentence(("Ann", "Lee", "ran", "."), ("B-PER", "I-PER", "O", "O"), {"intent": "run"})]
    write_conll(tmp_path / "ner", tagged)
    for kind in ("ner", "slots"):
        (after,) = read_conll(derive("trans_inv", kind, tmp_path / "ner"))
        assert " ".join(after.tokens) == spelled("ran Lee Ann .")
        assert (after.labels, after.comments) == (("O", "B-PER", "I-PER", "O"), {"intent": "run"})
    write_conll(tmp_path / "pos", [TaggedSentence(("a", "cat"), ("DET", "NOUN"))])
    (after,) = read_conll(derive("inv", "pos", tmp_path / "pos"), scheme="plain")
    assert (after.tokens, after.labels) == (("cat", "a"), ("NOUN", "DET"))
    nli, paraphrase = (kinds.KINDS[kind].pairs for kind in ("nli", "paraphrase"))
    pairs = [SentencePair("It is.", "So it is.", "neutral"), SentencePair("A", "B", "entailment")]
    write_pairs(tmp_path / "nli", pairs, nli)
    after = read_pairs(derive("inv", "nli", tmp_path / "nli", "--words", "punctuation"), nli)
    assert list(after) == [SentencePair("is It .", "is it So .", "neutral"), pairs[1]]
    pairs = [SentencePair("a b", "b a", "1"), SentencePair("a", "b", "0")]
    write_pairs(tmp_path / "para", pairs, paraphrase)
    after = list(read_pairs(derive("trans", "paraphrase", tmp_path / "para"), paraphrase))
    assert after == [(spelled(one), spelled(other), label) for one, other, label in pairs]
    article = Article("T", (Paragraph("Ann ran far .", (Question("q", "Who ran ?", (Answer("Ann", 0),)),)),))
    write_squad(tmp_path / "qa", [article])
    ((paragraph, question),) = questions(read_squad(derive("inv", "qa", tmp_path / "qa")))
    assert (paragraph.context, question.answers) == ("far ran Ann .", (Answer("Ann", 8),))


@pytest.fixture
def order(script, tmp_path):
    """A learned verb-final order, made by the script."""
    rng = np.random.default_rng(5)
    for order in ("SOV", "SVO"):
        write_conllu(tmp_path / f"{order.lower()}.conllu", [clause(order, True, rng) for _ in range(80)])
    files = ("--input", "sov.conllu", "--source", "svo.conllu", "--out", "order.json")
    script("train_word_order.py", *files, "--report", "order.report.json")
    assert json.loads((tmp_path / "order.report.json").read_text())["target"]["trees"] == 80
    return tmp_path / "order.json"


def test_syntax_of_trees_text_and_tags(script, derive, tmp_path, order):
    source = tmp_path / "svo.conllu"
    trees = list(read_conllu(source))
    out = derive("syn", "trees", source, "--order", order, out="out.conllu")
    after = list(read_conllu(out))
    assert sum(tree.upos[-1] == "VERB" for tree in after) > 70
    text = derive("trans_syn", "text", source, "--order", order)
    lines = text.read_text(encoding="utf-8").splitlines()
    assert lines == [spelled(" ".join(tree.forms)) for tree in after]
    write_conll(tmp_path / "pos", [TaggedSentence(tree.forms, tree.upos) for tree in trees])
    given = ("--order", order, "--trees", source)
    tagged = read_conll(derive("syn", "pos", tmp_path / "pos", *given), scheme="plain")
    assert [(s.tokens, s.labels) for s in tagged] == [(tree.forms, tree.upos) for tree in after]
    plan, outs = tmp_path / "plan.csv", [tmp_path / "first", tmp_path / "second"]
    plan.write_text("out\n" + "".join(f"{out}\n" for out in outs))  # trees are read once, and found twice
    common = ("--transform", "syn", "--kind", "pos", "--input", "pos", "--seed", 4)
    script("derive_language.py", *common, *given, "--cells", plan)
    assert outs[0].read_bytes() == outs[1].read_bytes() == (tmp_path / "out").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--transform", "inv", "--dictionary", "d"), "--dictionary: inv changes no word"),
        (("--transform", "syn"), "--transform syn needs --order"),
        (("--transform", "syn", "--order", "x"), "--transform syn needs --trees"),
        (("--transform", "trans", "--overlap", "25"), "argument --overlap: 25: must be a number from 0 to 1"),
        (("--transform", "trans", "--input", "empty"), "empty: no lines"),
    ],
)
def test_wrong_options_and_no_text(script, tmp_path, arguments, message):
    (tmp_path / "a").write_text("a\n")
    (tmp_path / "empty").touch()
    common = ("--kind", "text", "--input", "a", "--out", "b", "--seed", 1)
    status = 2 if message.startswith("argument") else 1
    done = script("derive_language.py", *common, *arguments, status=status)
    assert f"error: {message}" in done.stderr
    assert not (tmp_path / "b").exists()


def test_several_files_are_derived_as_each_alone(script, derive, tmp_path):
    (tmp_path / "a").write_text("the cat sat .\n")
    (tmp_path / "b").write_text("a cat .\nthe end .\n")
    plan = written(tmp_path / "plan.csv", "input,out,report\na,a.out,a.report\nb,b.out,b.report\n")
    common = ("--transform", "trans_inv", "--kind", "text", "--seed", 4)
    script("derive_language.py", *common, "--cells", plan)
    for name, types in (("a", 4), ("b", 5)):
        alone = derive("trans_inv", "text", tmp_path / name, out="alone")
        assert (tmp_path / f"{name}.out").read_bytes() == alone.read_bytes()
        assert json.loads((tmp_path / f"{name}.report").read_text())["types"] == types
