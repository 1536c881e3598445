"""Mirrored parts of speech: universal tags, counts, and held-out parts."""

from collections import Counter

import pytest

from corpora.labelled.mirrored import split
from crosslingua.corpora.labelled.columns import UNIVERSAL
from crosslingua.corpora.labelled.prepare import summary, to_universal
from crosslingua.corpora.labelled.splits import load_splits


@pytest.mark.parametrize(
    ("name", "language", "part"),
    [
        ("conll2003", "en", "test"),
        ("conll2002", "es", "test"),
        ("conll2002", "nl", "valid"),
        ("ud-pud", "tr", "test"),
    ],
)
def test_every_part_of_speech_has_a_universal_tag(mirror, name, language, part):
    maps = mirror / "universal-tagset" / "universal_tagset.zip"
    records, _ = split(mirror, name, "pos", language, part)
    universal = to_universal(records, load_splits()[name], language, maps)
    tags = Counter(tag for record in universal for tag in record.record.labels)
    assert set(tags) <= set(UNIVERSAL)
    assert tags["NOUN"] > tags["NUM"] > 0
    assert tags["VERB"] > 0
    assert [r.record.tokens for r in universal] == [r.record.tokens for r in records]


def test_treebank_tags_are_upos_and_the_held_out_part_shares_no_sentence(mirror):
    train, counts = split(mirror, "ud-english-partut", "pos", "en", "train")
    valid, _ = split(mirror, "ud-english-partut", "pos", "en", "valid")
    assert len(train) + len(valid) + counts["repeats"] == 1781
    assert len(valid) == 178
    assert not {record.group for record in train} & {record.group for record in valid}
    assert len(summary(train, "pos")["labels"]) == 17


def test_german_treebank_selects_on_no_test_sentence(mirror):
    _, counts = split(mirror, "ud-german-gsd", "pos", "de", "valid_without_test")
    assert counts["left_out"] == 10


UPOS = [  # language, split, repeats, sentences, parts of speech
    ("en", "train", 888, 21787, 17), ("en", "development", 96, 3974, 17), ("es", "valid", 2, 3054, 17),
    ("fr", "valid", 32, 2905, 17), ("nl", "valid", 10, 1394, 16), ("tr", "valid", 7, 1967, 14),
    ("eu", "valid", 1, 1798, 16), ("hu", "valid", 0, 441, 16),
    ("hi", "valid", 3, 1659, 15), ("it", "valid", 191, 2278, 17),
]  # fmt: skip


@pytest.mark.parametrize(("language", "part", "repeats", "sentences", "tags"), UPOS)
def test_parts_of_speech_of_xtreme(mirror, language, part, repeats, sentences, tags):
    records, counts = split(mirror, "udpos", "pos", language, part)
    assert (counts["repeats"], len(records)) == (repeats, sentences - repeats)
    assert len(summary(records, "pos")["labels"]) == tags
