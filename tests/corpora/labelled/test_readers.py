"""Layouts of tagged words, utterances and sentence pairs, in small files, and every malformation."""

import json
import re
from collections import Counter

import pytest

from crosslingua.corpora.labelled.columns import UNIVERSAL, UPOS, from_upos, read_tag_map, tagger
from crosslingua.corpora.labelled.prepare import Request, read
from crosslingua.corpora.labelled.sentence_pairs import PAIR_FORMATS, labels_by_row
from crosslingua.corpora.labelled.source import Source
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.conll import read_conll, write_conll
from crosslingua.io.pairs import SentencePair
from texts import written


def read_files(tmp_path, layout, *texts, task="ner"):
    """Return what files of these texts hold, and what was counted."""
    paths = [str(written(tmp_path / f"file{number}", text)) for number, text in enumerate(texts)]
    counts = Counter()
    return [record.record for record in read(layout, paths, Request(task, "xx"), counts)], +counts


GERMAN = """-DOCSTART- -X- -X- -X- O

Grüße Gruß NN I-NC O
an an APPR I-PC O
Frau Frau NN I-NC I-PER
Müller Müller NE I-NC I-PER
Köln Köln NE I-NC I-LOC
Bonn Bonn NE I-NC B-LOC

"""


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8"])
def test_conll2003_german_is_iob1_and_latin1_or_a_utf8_copy(tmp_path, encoding):
    text = GERMAN.encode(encoding)
    sentences, counts = read_files(tmp_path, "conll2003_german", text)
    assert sentences[0].tokens == ("Grüße", "an", "Frau", "Müller", "Köln", "Bonn")
    assert sentences[0].labels == ("O", "O", "B-PER", "I-PER", "B-LOC", "B-LOC")
    assert counts == {"document_marks": 1}
    tagged, _ = read_files(tmp_path, "conll2003_german", text, task="pos")
    assert tagged[0].labels == ("NN", "APPR", "NN", "NE", "NE", "NE")


def test_entities_and_zero_width_spaces_of_tokens_and_sentences_are_counted(tmp_path):
    sentences, counts = read_files(tmp_path, "conll", "R&amp;D\tB-ORG\nword\u200bbreak\tO\n&quot;\tO\n\n")
    assert sentences[0].tokens == ("R&D", "wordbreak", '"')
    assert counts == {"decoded_entities": 2, "removed_characters": 1}
    pairs, counts = read_files(tmp_path, "xglue_nli", "a &lt; b\tc\u200bd\tneutral\n" * 2, task="nli")
    assert pairs[0] == SentencePair("a < b", "cd", "neutral")
    assert counts == {"decoded_entities": 2, "removed_characters": 2}


READ = {  # layout, text; tokens, labels, counts
    "zeros, and no B": (
        "szeged", "\nHétfőn\t0\naz\t0\nŐri\tI-ORG\nBank\tI-ORG\n.\t0\n".encode("iso-8859-2"),
        "Hétfőn az Őri Bank .", "O O B-ORG I-ORG O", {},
    ),
    "two columns": ("eiec", "Donostian B-LOC\nda O\n", "Donostian da", "B-LOC O", {}),
    "every token with its language": ("wikiann", "xx:a:b\tB-LOC\nxx::\tO\n", "a:b :", "B-LOC O", {}),
    "none with it": ("panx", "de:facto\tO\nBonn\tB-LOC\n", "de:facto Bonn", "O B-LOC", {}),
    "derived words and an inner layer, which are left out": (
        "germeval2014",
        "#\thttp://a.example/b\t[2010-01-01]\t\n1\tDie\tO\tO\n2\tSpD\tB-ORGpart\tO\n3\tKölner\tB-LOCderiv\tO\n"
        "4\tUni\tB-ORG\tO\n5\tBonn\tI-ORG\tB-LOC\n6\t#\tB-OTH\tO\n",
        "Die SpD Kölner Uni Bonn #", "O O O B-ORG I-ORG B-MISC", {},
    ),
    "document marks in the sentence": (
        "conll2002", "-DOCSTART- -DOCSTART- O\nDe Art O\nkat N O\n", "De kat", "O O", {"document_marks": 1},
    ),
    "invisible tokens": (
        "pioner", "\u200bԱ\u200b _ _ B-PER\n\n\ufeff\u2060 _ _ O\n", "Ա", "B-PER",
        {"invisible_tokens": 1, "empty_sentences": 1, "removed_characters": 4},
    ),
    "an entity without beginning": (
        "conll2002", "a NC O\nb NC I-LOC\nc NC I-LOC\nd NC I-PER\n", "a b c d", "O B-LOC I-LOC B-PER",
        {"i_without_b": 2},
    ),
    "objects of JSON": (
        "json_tags", '{"idx": 0, "tokens": ["Ane", "da"], "tags": ["B-PER", "O"]}\n{"tokens": [], "tags": []}\n',
        "Ane da", "B-PER O", {"empty_sentences": 1},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", READ)
def test_a_sentence_of_every_layout(tmp_path, case):
    layout, text, tokens, labels, counted = READ[case]
    (sentence,), counts = read_files(tmp_path, layout, text)
    assert (sentence.tokens, sentence.labels) == (tuple(tokens.split()), tuple(labels.split()))
    assert counts == counted


WORD = "1\t{}\t_\t{}\t_\t_\t0\troot\t_\t_\n\n"


@pytest.mark.parametrize("end", ["\r", "\r\n", "\r\r\n"])
@pytest.mark.parametrize(("layout", "task", "text"), [
    ("conll", "ner", "Ada\tB-PER\nruns\tO\n\nBonn\tB-LOC\n\n"), ("udpos", "pos", "Ada\tPROPN\n\nruns\tVERB\n\n"),
    ("conllu", "pos", WORD.format("Ada", "PROPN") + WORD.format("runs", "VERB")),
    ("xglue_nli", "nli", "A\tB\tneutral\nC\tD\tentailment\n"),
])  # fmt: skip
def test_carriage_returns_end_lines(tmp_path, layout, task, text, end):
    wanted = read_files(tmp_path, layout, text, task=task)
    assert len(wanted[0]) == 2
    assert read_files(tmp_path, layout, text.replace("\n", end), task=task) == wanted
    with pytest.raises(InputError, match=":2: invalid utf-8"):
        read_files(tmp_path, "panx", f"a\tO{end}b".encode() + b"\xff\tO\n")


def test_a_stray_carriage_return_tears_no_record(tmp_path):
    pairs, _ = read_files(tmp_path, "xglue_nli", "A\rb\tB\tneutral\r\nC\tD\tentailment\n", task="nli")
    assert [(pair.first, pair.second) for pair in pairs] == [("A b", "B"), ("C", "D")]
    comment = "# text = Ada\rruns\n" + WORD.format("Ada", "PROPN")
    assert [sentence.tokens for sentence in read_files(tmp_path, "conllu", comment, task="pos")[0]] == [
        ("Ada",)
    ]
    with pytest.raises(InputError, match=":2: invalid utf-8"):
        read_files(tmp_path, "panx", b"a\rb\tO\nc\xff\tO\n")


def test_a_first_token_may_begin_with_the_mark_of_comments(tmp_path):
    text = "# id = 7\n#\tO\nteam\tO\n\n#Paris\tB-LOC\n\n# no token\nBonn\tB-LOC\n"
    sentences, counts = read_files(tmp_path, "conll", text)
    assert [sentence.tokens for sentence in sentences] == [("#", "team"), ("#Paris",), ("Bonn",)]
    assert (sentences[0].comments, counts) == ({"id": "7"}, {})
    nested = "#\thttp://example.org [2009]\n1\tBonn\tB-LOC\tO\n"
    assert read_files(tmp_path, "germeval2014", nested)[0][0].tokens == ("Bonn",)


def test_xsid_comments_are_split_at_the_first_equals_sign(tmp_path):
    text = "# id = 3\n# text = a: b = c\n# intent = weather/find\n# slots: 1:2:x\n1\ta\tweather/find\tB-x\n"
    sentences, _ = read_files(tmp_path, "xsid", text, task="slots")
    assert sentences[0].comments == {"id": "3", "text": "a: b = c", "intent": "weather/find"}


NUMBERED = "Sentence #\tWord\tTag\r\nSentence: 0\tlas\tB-to\r\nSentence: 0\t"


@pytest.mark.parametrize(("layout", "task", "text", "message"), [
    ("conll2002", "ner", "a NC O\nb NC\n", "2: 2 columns where 3 are expected"),
    ("conll2002", "ner", "a NC O\nb NC B-GPE\n", "2: unknown entity type 'GPE'"),
    ("wikiann", "ner", "en:a\tO\n", "1: 'en:a' does not begin with 'xx:'"),
    ("germeval2014", "ner", "1\ta\tB-XYZpart\tO\n", "1: unknown entity type 'XYZpart'"),
    ("conll2002", "ner", "a NC S-LOC\n", "1: 'S-LOC' is no BIO2 tag"),
    ("xsid", "slots", "1\ta\tx\t \n", "1: empty label"),
    ("szeged", "ner", "a\t0\nb\t1\n", "2: '1' is no BIO2 tag"),
    ("panx", "ner", b"a\tO\nb\xff\tO\n", "2: invalid utf-8"),
    ("numbered_rows", "slots", "a\tb\tc\n", "1: header"),
    ("numbered_rows", "slots", f"{NUMBERED}a\r\n", "3: "),
    ("numbered_rows", "slots", f"{NUMBERED}b\tS-x\r\n", "3: 'S-x' is no BIO2 tag"),
    ("json_tags", "ner", '{"tokens": ["a"], "tags": ["O"]}\n{"tokens": ["a"]}\n', "2: not a JSON object"),
    ("json_tags", "ner", '{"tokens": ["a"], "tags": ["B-GPE"]}\n', "1: unknown entity type 'GPE'"),
    ("multiatis", "slots", "1\ta\tO\n", "1: 3 columns where 4 or 7"),
])  # fmt: skip
def test_malformations_are_named_with_their_line(tmp_path, layout, task, text, message):
    with pytest.raises(InputError, match=f":{message}"):
        read_files(tmp_path, layout, text, task=task)


def facebook(slots, text, tokens):
    spans = [{"start": start, "length": len(token)} for token, start in tokens]
    row = {"tokenizations": [{"tokens": [token for token, _ in tokens], "tokenSpans": spans}]}
    return "\t".join(["weather/find", slots, text, "xx_XX", json.dumps(row)]) + "\n"


FACEBOOK_LINE = facebook("0:2:x", "ab", [("ab", 0)])


def rows(good, bad, head=""):
    """Return the files that have these good and bad records, as a function of their numbers."""
    return lambda right, wrong: "".join(
        [head, *map(good.format, range(right)), *map(bad.format, range(wrong))]
    )


LOST = {  # layout, task: a file or two, the line of the first wrong record behind four right ones, what is lost
    ("conll", "ner"): ([rows("Ada{0}\tB-PER\nruns\tO\n\n", "Bonn\tB-LOC\nno tab\n\n")], 14, "sentences"),
    ("conll2003", "ner"): ([rows("Ada{0} N O I-PER\n\n", "May N O I-DATE\n\n")], 9, "sentences"),
    ("udpos", "pos"): ([rows("Ada{0}\tPROPN\n\n", "a\tb\tc\n\n")], 9, "sentences"),
    ("conllu", "pos"): ([rows(WORD.format("Ada{0}", "PROPN"), WORD.format("Bonn", "_"))], 9, "sentences"),
    ("seq_in_out", "slots"): ([rows("to {0}\n", "to Bonn\n"), rows("O B-city\n", "O\n")], 5, "sentences"),
    ("numbered_rows", "slots"): (
        [rows("Sentence: {0}\tBonn\tB-to\n", "Sentence: x{0}\tBonn\tS-to\n", "Sentence #\tWord\tTag\n")], 6,
        "sentences",
    ),
    ("json_tags", "ner"): ([rows('{{"tokens": ["Ane{0}"], "tags": ["O"]}}\n', "{{}}\n")], 5, "sentences"),
    ("multiatis", "slots"): ([rows("{0}\ta\tO\tflight\n", "9\ta b\tO\tflight\n")], 5, "sentences"),
    ("facebook", "slots"): ([lambda right, wrong: FACEBOOK_LINE * right + "a\tb\n" * wrong], 5, "sentences"),
    ("xglue_nli", "nli"): ([rows("A{0}\tB\tneutral\n", "A\tneutral\n")], 5, "pairs"),
    ("pawsx", "paraphrase"): (
        [rows("{0}\tA\tB\t1\n", "9\tA\t \t1\n", "id\tsentence1\tsentence2\tlabel\n")], 6, "pairs",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("layout", "task"), LOST)
def test_a_fifth_of_the_records_may_be_dropped_and_counted(tmp_path, caplog, layout, task):
    files, line, what = LOST[layout, task]
    wanted, _ = read_files(tmp_path, layout, *(file(4, 0) for file in files), task=task)
    assert len(wanted) == 4
    found, counts = read_files(tmp_path, layout, *(file(4, 1) for file in files), task=task)
    assert (found, counts[f"dropped_{what}"]) == (wanted, 1)
    assert re.search(rf"file0:{line}: .*; dropped 1 of 5 {what}", caplog.text)
    with pytest.raises(InputError, match=rf"file0:{line}: .*; 2 of 6 {what} cannot be used \("):
        read_files(tmp_path, layout, *(file(4, 2) for file in files), task=task)


def test_a_dropped_sentence_leaves_no_repair_behind(tmp_path):
    text = "a NC I-LOC\n\n" * 4 + "a NC I-LOC\nb NC B-GPE\n"
    assert read_files(tmp_path, "conll2002", text)[1] == {"i_without_b": 4, "dropped_sentences": 1}


def test_pairs_of_other_languages_and_dropped_ones_move_no_group(tmp_path):
    rows = ["de\tneutral\tA\tB\t1\t1\n"] * 9 + ["en\tneutral\tA\tB\t1\t1\n", "en\tmaybe\tA\tB\t1\t1\n"]
    with pytest.raises(InputError, match=r":12: unknown label 'maybe'.*; 1 of 2 pairs"):
        read_pairs(tmp_path, "xnli", XNLI + "".join(rows))
    text = "P\tH\tneutral\n" * 2 + "P\tH\n" + "Q\tH\tneutral\n" * 3
    records, counts = read_pairs(tmp_path, "xtreme_nli", text)
    assert [record.group for record in records] == ["0"] * 2 + ["1"] * 3
    assert counts == {"dropped_pairs": 1}


@pytest.mark.parametrize(("layout", "task", "row"), [
    ("conll", "ner", "_\tO\n\n"), ("udpos", "pos", "_\tX\n\n"), ("conll2002", "ner", "_ N O\n"),
    ("conllu", "pos", WORD.format("_", "X")),
])  # fmt: skip
def test_labels_without_their_text_are_refused(tmp_path, layout, task, row):
    with pytest.raises(InputError, match="every word is `_`: the file comes without its text"):
        read_files(tmp_path, layout, row * 2, task=task)
    sentences, _ = read_files(tmp_path, layout, row * 2 + row.replace("_", "a", 1), task=task)
    assert "a" in sentences[-1].tokens


@pytest.mark.parametrize(("layout", "task", "text"), [
    ("conll", "ner", "{}\tB-LOC\n"), ("conll2002", "ner", "{} N B-LOC\n"),
    ("conllu", "pos", WORD.format("{}", "B-LOC")),
    ("multiatis", "slots", "1\t{}\tB-LOC\tx\n"),
])  # fmt: skip
def test_a_token_keeps_other_spaces_than_line_ends(tmp_path, layout, task, text):
    for token, kept in (("Los\u00a0Angeles", "Los\u00a0Angeles"), ("\u00a0a\u2009b\u00a0", "a\u2009b"),
                        ("a\u2028b\x85", "a b"), ("a\x0b\x0c\x1cb", "a b")):  # fmt: skip
        records, _ = read_files(tmp_path, layout, text.format(token), task=task)
        assert [record.tokens for record in records] == [(kept,)]
        write_conll(tmp_path / "a.conll", records)
        assert list(read_conll(tmp_path / "a.conll")) == records


def test_a_task_that_the_format_cannot_serve(tmp_path):
    with pytest.raises(InputError, match="no column for pos"):
        read_files(tmp_path, "szeged", "a\tO\n", task="pos")
    with pytest.raises(ConfigError, match=r"unknown format 'conl2003'.*did you mean 'conll2003'"):
        read_files(tmp_path, "conl2003", "a\tO\n")


def test_the_17_tags_of_ud_become_the_12():
    assert len(UPOS) == len(set(UPOS)) == 17
    assert {from_upos(tag) for tag in UPOS} == set(UNIVERSAL)
    others = [from_upos(tag) for tag in ["AUX", "PROPN", "SCONJ", "PART", "PUNCT", "SYM", "INTJ", "ADP"]]
    assert others == ["VERB", "NOUN", "CONJ", "PRT", ".", "X", "X", "ADP"]
    with pytest.raises(KeyError):
        from_upos("NN")


def test_eagles_tags_are_looked_up_by_two_letters():
    universal = tagger("es-cast3lb", {"vm": "VERB", "Fp": ".", "p0": "PRON", "z": "NUM", "Y": "X"})
    found = [universal(tag) for tag in ["VMI", "VMIP3S0", "Fpa", "P0", "Z", "Y"]]
    assert found == ["VERB", "VERB", ".", "PRON", "NUM", "X"]
    with pytest.raises(KeyError):
        universal("QQ")


def test_maps_are_read_with_what_they_lack_and_needed_where_there_is_one(tmp_path):
    path = written(tmp_path / "en-ptb.map", "NN\tNOUN\n.\t.\n")
    assert read_tag_map(Source(str(path)), "en-ptb") == {"NN": "NOUN", ".": ".", '"': "."}
    path.write_text("NN\tNOUNS\n")
    with pytest.raises(InputError, match=r"en-ptb.map:1: 'NN\\tNOUNS' is not"):
        read_tag_map(Source(str(path)), "en-ptb")
    path.write_text("\n")
    with pytest.raises(InputError, match="an empty map"):
        read_tag_map(Source(str(path)), "x")
    with pytest.raises(ConfigError, match="needs its published map"):
        tagger("en-ptb")


def test_parallel_files_are_split_at_runs_of_spaces(tmp_path):
    texts = "play  u2 \nstop\n", "O B-artist\nO\n", "PlayMusic\nStop\n"
    sentences, _ = read_files(tmp_path, "seq_in_out", *texts, task="slots")
    assert (sentences[0].tokens, sentences[0].labels) == (("play", "u2"), ("O", "B-artist"))
    assert [s.comments for s in sentences] == [{"intent": "PlayMusic"}, {"intent": "Stop"}]
    with pytest.raises(ConfigError, match="tokens, the tags"):
        read_files(tmp_path, "seq_in_out", texts[0], task="slots")


def test_numbered_rows_with_crlf(tmp_path):
    text = f"{NUMBERED}vegas'a\tO\r\nSentence: 1\tilk\tI-day\r\n"
    sentences, counts = read_files(tmp_path, "numbered_rows", text, task="slots")
    assert [s.tokens for s in sentences] == [("las", "vegas'a"), ("ilk",)]
    assert [s.labels for s in sentences] == [("B-to", "O"), ("B-day",)]
    assert counts == {"i_without_b": 1}


def test_multiatis_in_both_of_its_layouts(tmp_path):
    seven = "1\tto boston\tO B-city\tto boston\tflight\tbostona\tB-city\n"
    sentences, _ = read_files(tmp_path, "multiatis", seven, task="slots")
    assert (sentences[0].tokens, sentences[0].comments) == (("bostona",), {"intent": "flight"})
    four = "id\tutterance\tslot_labels\tintent\n1\tbostona git\tB-city O\tflight\n"
    sentences, _ = read_files(tmp_path, "multiatis", four, task="slots")
    assert sentences[0].labels == ("B-city", "O")


@pytest.mark.parametrize(("tokens", "tags", "message"), [
    ("a b\nc\n", "O O\n", r"not line-parallel: \[2, 1\] lines"), ("a\n\n", "O\n\n", ":2: empty line"),
    ("a b\nc d\n", "O O\nO\n", ":2: 2 tokens but 1 labels"), ("a\n", "X-y\n", ":1: 'X-y' is no BIO2 tag"),
])  # fmt: skip
def test_malformed_parallel_files(tmp_path, tokens, tags, message):
    with pytest.raises(InputError, match=message):
        read_files(tmp_path, "seq_in_out", tokens, tags, task="slots")


FACEBOOK = {  # slots, text, tokens with the places that they are said to have; labels, counts
    "a token has the slot whose characters it overlaps": (
        "5:8:who,18:22:datetime", "Show Ann's alarms at 5",
        [("show", 0), ("ann's", 5), ("alarms", 11), ("at", 18), ("5", 21)],
        "O B-who O B-datetime I-datetime", {"slots": 2, "split_tokens": 1},
    ),
    "between two slots it goes to the one with more of it": (
        "0:6:a,6:10:b", "de Mikel 6", [("de", 0), ("mikel", 3), ("6", 9)], "B-a I-a B-b", {"slots": 2},
    ),
    "accented letters are counted twice": (
        "9:15:datetime", "más frío mañana", [("más", 0), ("frío", 5), ("mañana", 11)], "O O B-datetime",
        {"moved_tokens": 1},
    ),
    "a slot that begins before the text begins with it": (
        "-2:2:x", "ab cd", [("ab", 0), ("cd", 3)], "B-x O", {"clipped_slots": 1},
    ),
    "of two slots in one token the longer has it": (
        "0:1:x,2:6:y", "7u7.15", [("7u7.15", 0)], "B-y", {"lost_slots": 1},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FACEBOOK)
def test_facebooks_spans_of_characters_become_labels_of_the_texts_tokens(tmp_path, case):
    slots, text, tokens, labels, counted = FACEBOOK[case]
    (sentence,), counts = read_files(tmp_path, "facebook", facebook(slots, text, tokens), task="slots")
    assert (sentence.tokens, sentence.labels) == (tuple(text.split()), tuple(labels.split()))
    assert counts.items() >= counted.items()


def test_the_text_wins_over_the_tokens_spelling(tmp_path):
    whole, apart = "สำหรับ", "ส\u0e4d\u0e32หรับ"  # SARA AM in one code point and in two
    line = facebook("", whole, [(apart, 0)]).replace(f'"length": {len(apart)}', f'"length": {len(whole)}')
    sentences, counts = read_files(tmp_path, "facebook", line, task="slots")
    assert sentences[0].tokens == (whole,)
    assert counts == {"changed_tokens": 1, "no_slots": 1}


@pytest.mark.parametrize(("line", "message"), [
    ("a\tb\n", "2 columns where 5 are expected"),
    ("i\t0:1:x\tab\txx\tno json\n", "no tokens and spans"),
    (facebook("0:9:x", "ab", [("ab", 0)]), "slot '0:9:x' does not lie in the 2 characters"),
    (facebook("0-1-x", "ab", [("ab", 0)]), "is not start:end:type"),
    (facebook("", "ab cd", [("ab", 0), ("ce", 4)]), "token 'ce' is not in the utterance"),
    (facebook("0:2:x,1:2:y", "ab", [("ab", 0)]), "overlaps another or holds no token"),
])  # fmt: skip
def test_malformed_facebook_lines(tmp_path, line, message):
    with pytest.raises(InputError, match=f":2: .*{message}"):
        read_files(tmp_path, "facebook", facebook("", "ok", [("ok", 0)]) + line, task="slots")


def read_pairs(tmp_path, layout, text, language="en", where=None, labels=None):
    path, counts = written(tmp_path / "pairs.tsv", text), Counter()
    request = Request(PAIR_FORMATS[layout].kind, language, where, labels)
    return list(read(layout, [str(path)], request, counts)), +counts


XNLI = "language\tgold_label\tsentence1\tsentence2\tpromptID\tpairID\n"


def test_xnli_holds_all_languages_in_one_file(tmp_path):
    text = XNLI + 'en\tneutral\tA\u00a0 "cat\tB\t7\t1\nde\tneutral\tEine Katze\tB\t7\t2\n'
    records, _ = read_pairs(tmp_path, "xnli", text)
    assert records == [(SentencePair('A "cat', "B", "neutral"), "7")]
    records, _ = read_pairs(tmp_path, "xnli", text, "de")
    assert records[0].record.first == "Eine Katze"


def test_pairs_without_agreement_are_dropped_and_counted(tmp_path):
    columns = ("gold_label", "sentence1", "sentence2", "promptID")
    rows = [("-", "A", "B", 1), ("entailment", "A", "C", 2)]
    table = "\n".join("\t".join(map(str, row)) for row in (columns, *rows))
    objects = "\n".join(json.dumps(dict(zip(columns, row, strict=True))) for row in rows)
    for layout, text in (("multinli", table), ("multinli_jsonl", objects)):
        records, counts = read_pairs(tmp_path, layout, text)
        assert records == [(SentencePair("A", "C", "entailment"), "2")]
        assert counts == {"unlabelled": 1}


def test_sick_has_its_english_in_other_columns(tmp_path):
    text = (
        "sentence_A\tsentence_B\tentailment_label\tsentence_A_original\tsentence_B_original\tSemEval_set\n"
        "Een\tTwee\tENTAILMENT\tOne\tTwo\tTRAIN\nDrie\tVier\tNEUTRAL\tThree\tFour\tTEST\n"
    )
    where = ("SemEval_set", "TRAIN")
    assert read_pairs(tmp_path, "sick", text, "nl", where)[0][0].record == ("Een", "Twee", "entailment")
    english, _ = read_pairs(tmp_path, "sick", text, "en", where)
    assert [record.record.first for record in english] == ["One"]


def test_missing_translations_are_dropped_and_counted(tmp_path):
    text = "id\tsentence1\tsentence2\tlabel\n1\tNS\tB\t0\n2\tA\tNS\t0\n3\tA NS\tB\t1\n"
    records, counts = read_pairs(tmp_path, "pawsx", text)
    assert [record.record.first for record in records] == ["A NS"]
    assert counts == {"missing_sentences": 2}


def test_labels_of_another_file_go_with_as_many_rows_before_any_is_dropped(tmp_path):
    text = "id\tsentence1\tsentence2\tlabel\n1\tA\tB\t1\n2\tNS\tB\t0\n3\tC\tD\t0\n4\tE\tF\t1\n"
    german = written(tmp_path / "de.tsv", text)
    labels = labels_by_row(Source(str(german)), PAIR_FORMATS["pawsx"])
    assert labels == ["1", None, "0", "1"]
    records, counts = read_pairs(tmp_path, "xtreme_pawsx", "a\tb\nx\ty\nNS\td\ne\tf\n", "es", labels=labels)
    assert [record.record for record in records] == [("a", "b", "1"), ("e", "f", "1")]
    assert counts == {"unlabelled": 1, "missing_sentences": 1}
    with pytest.raises(InputError, match="2 rows where there are 1 labels"):
        read_pairs(tmp_path, "xtreme_nli", "a\tb\nc\td\n", "es", labels=["neutral"])


def test_three_hypotheses_of_a_premise_are_a_group_of_the_same_name_in_every_language(tmp_path):
    text = "".join(f"{premise}\tH\tneutral\n" for premise in "PPPQQQ")
    records, _ = read_pairs(tmp_path, "xtreme_nli", text)
    assert [record.group for record in records] == ["0"] * 3 + ["1"] * 3


@pytest.mark.parametrize(("layout", "text", "pair"), [
    ("xnli_translated", "premise\thypo\tlabel\nA\tB\tcontradictory\n", ("A", "B", "contradiction")),
    ("xtreme_pawsx", "A\tB\t1\n", ("A", "B", "1")),
    # quotes of CSV fields go and those of bare ones stay
    ("xtreme_pawsx", '"""Si"" dijo"\tel ""dijo""\t1\n', ('"Si" dijo', 'el ""dijo""', "1")),
    ("xglue_nli", '"a ""b"""\tB\tneutral\n', ('"a ""b"""', "B", "neutral")),
])  # fmt: skip
def test_labels_and_quotes_of_other_spellings(tmp_path, layout, text, pair):
    ((record, _),), _ = read_pairs(tmp_path, layout, text)
    assert record == pair


@pytest.mark.parametrize(("layout", "text", "message"), [
    ("xglue_nli", "A\tB\tneutral\nA\tB\n", ":2: 2 columns where 3 are expected"),
    ("xtreme_nli", "a\tb\n", ":1: 2 columns where 3 are expected"),  # without labels
    ("xglue_nli", "A\tB\tcontradictory\n", ":1: unknown label 'contradictory': the labels are entail"),
    ("xglue_nli", "\u00a0\tB\tneutral\n", ":1: empty sentence"),
    ("xnli", "language\tgold_label\nen\tneutral\n", ":2: no column promptID, sentence1, sentence2"),
    ("multinli_jsonl", "{}\n", ":1: no column"),
    ("multinli_jsonl", "[1]\n", ":1: not a JSON object"),
])  # fmt: skip
def test_malformed_pairs_are_named_with_their_line(tmp_path, layout, text, message):
    with pytest.raises(InputError, match=message):
        read_pairs(tmp_path, layout, text)
