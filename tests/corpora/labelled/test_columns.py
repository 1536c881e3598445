"""One token a line: the sets that cannot be mirrored, in small files of their format, and every malformation."""

from collections import Counter

import pytest

from crosslingua.corpora.labelled.columns import UNIVERSAL, UPOS, from_upos, read_tag_map, tagger
from crosslingua.corpora.labelled.prepare import Request, read
from crosslingua.corpora.labelled.source import Source
from crosslingua.errors import ConfigError, InputError
from texts import written


def read_text(tmp_path, text, layout, task="ner"):
    path, counts = written(tmp_path / "data.txt", text), Counter()
    records = list(read(layout, [str(path)], Request(task, "xx"), counts))
    return [record.record for record in records], +counts


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
    sentences, counts = read_text(tmp_path, text, "conll2003_german")
    assert sentences[0].tokens == ("Grüße", "an", "Frau", "Müller", "Köln", "Bonn")
    assert sentences[0].labels == ("O", "O", "B-PER", "I-PER", "B-LOC", "B-LOC")
    assert counts == {"document_marks": 1}
    tagged, _ = read_text(tmp_path, text, "conll2003_german", task="pos")
    assert tagged[0].labels == ("NN", "APPR", "NN", "NE", "NE", "NE")


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
        {"invisible_tokens": 1, "empty_sentences": 1},
    ),
    "an entity without beginning": (
        "conll2002", "a NC O\nb NC I-LOC\nc NC I-LOC\nd NC I-PER\n", "a b c d", "O B-LOC I-LOC B-PER",
        {"i_without_b": 2},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", READ)
def test_a_sentence_of_every_layout(tmp_path, case):
    layout, text, tokens, labels, counted = READ[case]
    (sentence,), counts = read_text(tmp_path, text, layout)
    assert (sentence.tokens, sentence.labels) == (tuple(tokens.split()), tuple(labels.split()))
    assert counts == counted


def test_a_first_token_may_begin_with_the_mark_of_comments(tmp_path):
    text = "# id = 7\n#\tO\nteam\tO\n\n#Paris\tB-LOC\n\n# no token\nBonn\tB-LOC\n"
    sentences, counts = read_text(tmp_path, text, "conll")
    assert [sentence.tokens for sentence in sentences] == [("#", "team"), ("#Paris",), ("Bonn",)]
    assert sentences[0].comments == {"id": "7"}
    assert not counts
    nested = "#\thttp://example.org [2009]\n1\tBonn\tB-LOC\tO\n"
    assert read_text(tmp_path, nested, "germeval2014")[0][0].tokens == ("Bonn",)


def test_xsid_comments_are_split_at_the_first_equals_sign(tmp_path):
    text = "# id = 3\n# text = a: b = c\n# intent = weather/find\n# slots: 1:2:x\n1\ta\tweather/find\tB-x\n"
    sentences, _ = read_text(tmp_path, text, "xsid", task="slots")
    assert sentences[0].comments == {"id": "3", "text": "a: b = c", "intent": "weather/find"}


@pytest.mark.parametrize(
    ("layout", "task", "text", "line", "message"),
    [
        ("conll2002", "ner", "a NC O\nb NC\n", 2, "2 columns where 3 are expected"),
        ("conll2002", "ner", "a NC O\nb NC B-GPE\n", 2, "unknown entity type 'GPE'"),
        ("wikiann", "ner", "en:a\tO\n", 1, "'en:a' does not begin with 'xx:'"),
        ("germeval2014", "ner", "1\ta\tB-XYZpart\tO\n", 1, "unknown entity type 'XYZpart'"),
        ("conll2002", "ner", "a NC S-LOC\n", 1, "'S-LOC' is no BIO2 tag"),
        ("xsid", "slots", "1\ta\tx\t \n", 1, "empty label"),
        ("szeged", "ner", "a\t0\nb\t1\n", 2, "'1' is no BIO2 tag"),
        ("panx", "ner", b"a\tO\nb\xff\tO\n", 2, "invalid utf-8"),
    ],
)
def test_malformations_are_named_with_their_line(tmp_path, layout, task, text, line, message):
    with pytest.raises(InputError, match=f":{line}: {message}"):
        read_text(tmp_path, text, layout, task)


def test_a_task_that_the_format_cannot_serve(tmp_path):
    with pytest.raises(InputError, match="no column for pos"):
        read_text(tmp_path, "a\tO\n", "szeged", task="pos")
    with pytest.raises(ConfigError, match=r"unknown format 'conl2003'.*did you mean 'conll2003'"):
        read_text(tmp_path, "a\tO\n", "conl2003")


# Universal parts of speech: UD's 17 tags, EAGLES look-up, what the published maps lack.


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
