"""Mirrored slots and intents: the counts of their documentation, and what sets share."""

import pytest

from corpora.labelled.mirrored import split
from crosslingua.corpora.labelled.prepare import map_slots, summary
from crosslingua.corpora.labelled.splits import folded, load_splits
from crosslingua.io import conll

SLOTS = [  # set, language, split, utterances, slots, types
    ("atis", "en", "train", 4478, None, 79),
    ("atis", "en", "valid", 500, None, 67),
    ("atis", "en", "test", 893, None, 69),
    ("atis-tr", "tr", "test", 890, 2458, 61),
    ("snips", "en", "train", 13084, None, 39),
    ("snips", "en", "valid", 700, None, 39),
    ("facebook-multilingual", "en", "valid", 4181, 6999, 12),
    ("facebook-multilingual", "es", "valid", 1983, 3020, 9),
    ("facebook-multilingual", "th", "valid", 1235, 1796, 8),
    ("facebook-multilingual", "en", "test", 8621, 14693, 13),
    ("facebook-multilingual", "es", "test", 3043, 4719, 10),
    ("facebook-multilingual", "th", "test", 1692, 2505 - 2, 8),
    ("facebook-multilingual", "es", "train", 3616, 5624, 10),
    *[("xsid", language, "valid", 300, None, None) for language in ("en", "de", "it", "nl", "tr")],
    *[("xsid", language, "test", 500, None, None) for language in ("en", "de", "it", "nl", "tr")],
]


@pytest.mark.parametrize(("name", "language", "part", "utterances", "slots", "types"), SLOTS)
def test_slots(mirror, name, language, part, utterances, slots, types):
    records, _ = split(mirror, name, "slots", language, part)
    found = summary(records, "slots")
    assert found["sentences"] == utterances
    assert slots in (None, found["entities"])
    assert len(found["labels"]) in ((types,) if types else (33, 34, 35))


def test_atis_has_83_slot_types_and_turkish_none_beyond(mirror):
    english = set()
    for part in ("train", "valid", "test"):
        english |= set(summary(split(mirror, "atis", "slots", "en", part)[0], "slots")["labels"])
    turkish = set(summary(split(mirror, "atis-tr", "slots", "tr", "test")[0], "slots")["labels"])
    assert len(english) == 83
    assert len(english - turkish) == 22
    assert turkish < english


def test_intents(mirror):
    for language, intents in (("en", 12), ("es", 11), ("th", 10)):
        records, _ = split(mirror, "facebook-multilingual", "slots", language, "valid")
        assert len({record.record.comments["intent"] for record in records}) == intents
    for part in ("valid", "test"):
        records, _ = split(mirror, "xsid", "slots", "tr", part)
        assert len({record.record.comments["intent"] for record in records}) == 15


def test_facebook_counts_what_it_had_to_mend(mirror):
    english, spanish, thai = (
        split(mirror, "facebook-multilingual", "slots", language, "valid") for language in ("en", "es", "th")
    )
    assert (english[1]["split_tokens"], english[1]["moved_tokens"], english[1]["no_slots"]) == (69, 0, 392)
    assert (spanish[1]["split_tokens"], spanish[1]["moved_tokens"], spanish[1]["no_slots"]) == (9, 91, 190)
    assert (thai[1]["split_tokens"], thai[1]["moved_tokens"], thai[1]["no_slots"]) == (32, 0, 152)
    tokens = [token for record in thai[0] for token in record.record.tokens]
    assert sum("\u0e33" in token for token in tokens) >= 389  # SARA AM whole, as the utterances have it
    assert not any("\u0e4d\u0e32" in token for token in tokens)
    assert [sum(len(r.record.tokens) for r in records) for records, _ in (english, spanish, thai)] == [
        30343, 14749, 9919,
    ]  # fmt: skip


def test_what_xsid_shares_with_its_sources_can_be_left_out(mirror):
    snips, counts = split(mirror, "snips", "slots", "en", "train_without_xsid")
    assert counts["left_out"] >= 142
    assert len(snips) == 13084 - counts["left_out"]
    facebook, counts = split(mirror, "facebook-multilingual", "slots", "en", "valid_without_xsid")
    assert (
        584 <= counts["left_out"] <= 600
    )  # 584 lines if only case and punctuation are ignored; here spaces too
    assert len(facebook) == 4181 - counts["left_out"]


def test_the_facebook_set_trains_on_nothing_of_its_tests(mirror):
    name = "facebook-multilingual"
    for language, part, tests in (
        ("en", "test_without_valid", [(name, "valid"), ("xsid", "valid"), ("xsid", "test")]),
        ("en", "valid_without_test", [(name, "test"), ("xsid", "valid"), ("xsid", "test")]),
        ("es", "train_without_test", [(name, "valid"), (name, "test")]),
    ):
        records, counts = split(mirror, name, "slots", language, part)
        texts = {" ".join(record.record.tokens).lower() for record in records}
        for other, other_part in tests:
            held, _ = split(mirror, other, "slots", language, other_part)
            assert not texts & {" ".join(record.record.tokens).lower() for record in held}
        assert counts["left_out"] >= {"test_without_valid": 1569, "train_without_test": 402}.get(part, 584)


def test_slots_of_snips_under_xsids_names_agree_where_the_utterances_are_the_same(mirror):
    def spelled(record):
        tokens = record.record.tokens
        return [(kind, "".join(tokens[a:b]).lower()) for kind, a, b in conll.spans(record.record.labels)]

    own = {}
    for part in ("train", "valid", "test"):
        records, _ = split(mirror, "snips", "slots", "en", part)
        own |= {
            folded(record): spelled(record) for record in map_slots(records, load_splits()["snips"], "xsid")
        }
    xsid = [r for part in ("valid", "test") for r in split(mirror, "xsid", "slots", "en", part)[0]]
    shared = [record for record in xsid if folded(record) in own]
    assert len(shared) == 400
    assert sum(spelled(record) == own[folded(record)] for record in shared) == 377  # others: punctuation
