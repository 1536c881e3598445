"""Inference and paraphrase sets in the layouts of XNLI, MultiNLI, its translations, SICK and PAWS-X."""

import json
from collections import Counter

import pytest

from crosslingua.corpora.labelled.prepare import Request, read
from crosslingua.corpora.labelled.sentence_pairs import PAIR_FORMATS, labels_by_row
from crosslingua.corpora.labelled.source import Source
from crosslingua.errors import InputError
from crosslingua.io.pairs import SentencePair
from texts import written


def read_text(tmp_path, layout, text, language="en", where=None, labels=None):
    path, counts = written(tmp_path / "pairs.tsv", text), Counter()
    request = Request(PAIR_FORMATS[layout].kind, language, where, labels)
    return list(read(layout, [str(path)], request, counts)), +counts


XNLI = "language\tgold_label\tsentence1\tsentence2\tpromptID\tpairID\n"


def test_xnli_holds_all_languages_in_one_file(tmp_path):
    text = XNLI + 'en\tneutral\tA\u00a0 "cat\tB\t7\t1\nde\tneutral\tEine Katze\tB\t7\t2\n'
    records, _ = read_text(tmp_path, "xnli", text)
    assert records == [(SentencePair('A "cat', "B", "neutral"), "7")]
    records, _ = read_text(tmp_path, "xnli", text, "de")
    assert records[0].record.first == "Eine Katze"


def test_pairs_without_agreement_are_dropped_and_counted(tmp_path):
    columns = ("gold_label", "sentence1", "sentence2", "promptID")
    rows = [("-", "A", "B", 1), ("entailment", "A", "C", 2)]
    table = "\n".join("\t".join(map(str, row)) for row in (columns, *rows))
    objects = "\n".join(json.dumps(dict(zip(columns, row, strict=True))) for row in rows)
    for layout, text in (("multinli", table), ("multinli_jsonl", objects)):
        records, counts = read_text(tmp_path, layout, text)
        assert records == [(SentencePair("A", "C", "entailment"), "2")]
        assert counts == {"unlabelled": 1}


def test_sick_has_its_english_in_other_columns(tmp_path):
    text = (
        "sentence_A\tsentence_B\tentailment_label\tsentence_A_original\tsentence_B_original\tSemEval_set\n"
        "Een\tTwee\tENTAILMENT\tOne\tTwo\tTRAIN\nDrie\tVier\tNEUTRAL\tThree\tFour\tTEST\n"
    )
    where = ("SemEval_set", "TRAIN")
    assert read_text(tmp_path, "sick", text, "nl", where)[0][0].record == ("Een", "Twee", "entailment")
    english, _ = read_text(tmp_path, "sick", text, "en", where)
    assert [record.record.first for record in english] == ["One"]


def test_missing_translations_are_dropped_and_counted(tmp_path):
    text = "id\tsentence1\tsentence2\tlabel\n1\tNS\tB\t0\n2\tA\tNS\t0\n3\tA NS\tB\t1\n"
    records, counts = read_text(tmp_path, "pawsx", text)
    assert [record.record.first for record in records] == ["A NS"]
    assert counts == {"missing_sentences": 2}


def test_labels_of_another_file_go_with_as_many_rows_before_any_is_dropped(tmp_path):
    text = "id\tsentence1\tsentence2\tlabel\n1\tA\tB\t1\n2\tNS\tB\t0\n3\tC\tD\t0\n4\tE\tF\t1\n"
    german = written(tmp_path / "de.tsv", text)
    labels = labels_by_row(Source(str(german)), PAIR_FORMATS["pawsx"])
    assert labels == ["1", None, "0", "1"]
    records, counts = read_text(tmp_path, "xtreme_pawsx", "a\tb\nx\ty\nNS\td\ne\tf\n", "es", labels=labels)
    assert [record.record for record in records] == [("a", "b", "1"), ("e", "f", "1")]
    assert counts == {"unlabelled": 1, "missing_sentences": 1}
    with pytest.raises(InputError, match="2 rows where there are 1 labels"):
        read_text(tmp_path, "xtreme_nli", "a\tb\nc\td\n", "es", labels=["neutral"])


def test_three_hypotheses_of_a_premise_are_a_group_of_the_same_name_in_every_language(tmp_path):
    text = "".join(f"{premise}\tH\tneutral\n" for premise in "PPPQQQ")
    records, _ = read_text(tmp_path, "xtreme_nli", text)
    assert [record.group for record in records] == ["0"] * 3 + ["1"] * 3


@pytest.mark.parametrize(
    ("layout", "text", "pair"),
    [
        ("xnli_translated", "premise\thypo\tlabel\nA\tB\tcontradictory\n", ("A", "B", "contradiction")),
        ("xtreme_pawsx", "A\tB\t1\n", ("A", "B", "1")),
        # quotes of CSV fields go and those of bare ones stay
        ("xtreme_pawsx", '"""Si"" dijo"\tel ""dijo""\t1\n', ('"Si" dijo', 'el ""dijo""', "1")),
        ("xglue_nli", '"a ""b"""\tB\tneutral\n', ('"a ""b"""', "B", "neutral")),
    ],
)
def test_labels_and_quotes_of_other_spellings(tmp_path, layout, text, pair):
    ((record, _),), _ = read_text(tmp_path, layout, text)
    assert record == pair


@pytest.mark.parametrize(
    ("layout", "text", "message"),
    [
        ("xglue_nli", "A\tB\tneutral\nA\tB\n", ":2: 2 columns where 3 are expected"),
        ("xtreme_nli", "a\tb\n", ":1: 2 columns where 3 are expected"),  # without labels
        ("xglue_nli", "A\tB\tcontradictory\n", ":1: unknown label 'contradictory': the labels are entail"),
        ("xglue_nli", "\u00a0\tB\tneutral\n", ":1: empty sentence"),
        ("xnli", "language\tgold_label\nen\tneutral\n", ":2: no column promptID, sentence1, sentence2"),
        ("multinli_jsonl", "{}\n", ":1: no column"),
        ("multinli_jsonl", "[1]\n", ":1: not a JSON object"),
    ],
)
def test_malformations_are_named_with_their_line(tmp_path, layout, text, message):
    with pytest.raises(InputError, match=message):
        read_text(tmp_path, layout, text)
