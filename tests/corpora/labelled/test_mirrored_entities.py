"""Mirrored named entities: the counts of their documentation, and what must hold across sets."""

from collections import Counter

import pytest

from corpora.labelled.mirrored import split
from crosslingua.corpora.labelled.prepare import Request, read, summary
from crosslingua.corpora.labelled.splits import is_redirect
from crosslingua.io.conllu_trees import read_conllu_tags

NER = [  # set, language, split, sentences, entities by type, repaired
    ("conll2003", "en", "valid", 3250, {"PER": 1842, "LOC": 1837, "ORG": 1341, "MISC": 922}, 0),
    ("conll2003", "en", "test", 3453, {"PER": 1617, "LOC": 1668, "ORG": 1661, "MISC": 702}, 0),
    ("conll2002", "es", "valid", 1915, 4352, 1),
    ("conll2002", "es", "test", 1517, 3559, 1),
    ("conll2002", "nl", "valid", 2895, 2616, 0),
    ("conll2002", "nl", "test", 5195, 3941, 0),
    ("germeval2014", "de", "valid", 2200, {"PER": 711, "LOC": 763, "ORG": 496, "MISC": 269}, 0),
    ("uner", "de", "test", 1000, {"LOC": 429, "PER": 418, "ORG": 192}, 0),
    ("pioner", "hy", "valid", 1491, 1846 + 863 + 424 + 5, 5),
    ("pioner", "hy", "test", 2529 - 2, 1312 + 1338 + 1274 + 6, 6),
    ("basqueglue-nerc", "eu", "test", 1846 - 1, {"PER": 988, "LOC": 999, "ORG": 824, "MISC": 250}, 0),
    ("wikiann-de", "de", "test", 10000 - 582, None, 0),
    ("wikiann-en", "en", "all", 10000 - 110, None, 0),
    ("wikineural", "en", "development", 11590, 5593 + 5904 + 3512 + 4173 + 439, 439),
    ("wikineural", "de", "development", 12330, {"PER": 5959, "LOC": 5427, "ORG": 3916, "MISC": 2314}, 0),
    ("wikineural", "de", "test", 12372, {"PER": 5855, "LOC": 5000, "ORG": 3951, "MISC": 2638}, 0),
    ("panx", "en", "train", 20000 - 366, None, 0),
    ("panx", "es", "valid", 10000 - 786, None, 0),
    ("panx", "nl", "valid", 10000 - 1002, None, 0),
    ("panx", "fr", "valid", 10000 - 700, None, 0),
    ("panx", "tr", "valid", 10000 - 503, None, 0),
    ("panx", "eu", "valid", 10000 - 1909, None, 0),
    ("panx", "hu", "valid", 10000 - 882, None, 0),
    ("panx", "hi", "valid", 1000 - 71, None, 0),
]


@pytest.mark.parametrize(("name", "language", "part", "sentences", "entities", "repaired"), NER)
def test_named_entities(mirror, name, language, part, sentences, entities, repaired):
    records, counts = split(mirror, name, "ner", language, part)
    found = summary(records, "ner")
    assert found["sentences"] == sentences
    assert counts["i_without_b"] == repaired
    if isinstance(entities, dict):
        assert found["labels"] == entities
    elif entities:
        assert found["entities"] == entities
    assert all(token.strip() for record in records for token in record.record.tokens)


def test_wikiann_as_distributed_with_its_repeats_and_redirects(mirror):
    counts = Counter()
    request = Request("ner", "de")
    records = list(read("wikiann", [str(mirror / "wikiann-de" / "test")], request, counts))
    assert summary(records, "ner")["labels"] == {"LOC": 4961, "PER": 4750, "ORG": 4157}
    tokens = [token for record in records for token in record.record.tokens]
    assert len(tokens) == 97646
    assert sum(set(token) == {"'"} for token in tokens) == 7413
    assert sum(map(is_redirect, records)) == 526


def test_document_marks_are_sentences_in_the_published_counts(mirror):
    sizes = []
    for part in ("valid", "test"):
        records, counts = split(mirror, "conll2003", "ner", "en", part)
        sizes.append(len(records) + counts["document_marks"])
    assert sizes == [3466, 3684]  # mbert_align, table 1


def test_entities_and_treebank_of_german_pud_are_the_same_sentences(mirror):
    entities, _ = split(mirror, "uner", "ner", "de", "test")
    treebank = list(read_conllu_tags(mirror / "ud-pud" / "de_pud-ud-test.conllu"))
    tagged = {record.record.tokens for record in entities}
    parsed = {forms for forms, _, _ in treebank}
    assert (len(tagged), len(parsed), len(tagged & parsed)) == (
        1000,
        1000,
        996,
    )  # another release, another order
    assert all(comments["text_en"] for _, _, comments in treebank)


def test_wikineural_german_tests_are_no_training_sentences(mirror):
    groups = [
        {r.group for r in split(mirror, "wikineural", "ner", "de", part)[0]}
        for part in ("train", "valid", "test")
    ]
    assert not groups[0] & groups[1]
    assert not (groups[0] | groups[1]) & groups[2]
