"""Slot filling in parallel files, numbered rows, JSON lines, MultiATIS and the Facebook set's spans."""

import json
from collections import Counter

import pytest

from crosslingua.corpora.labelled.prepare import Request, read
from crosslingua.errors import ConfigError, InputError
from texts import written


def read_files(tmp_path, layout, *texts, task="slots"):
    paths = [str(written(tmp_path / f"file{number}", text)) for number, text in enumerate(texts)]
    counts = Counter()
    return [record.record for record in read(layout, paths, Request(task, "xx"), counts)], +counts


def test_parallel_files_are_split_at_runs_of_spaces(tmp_path):
    texts = "play  u2 \nstop\n", "O B-artist\nO\n", "PlayMusic\nStop\n"
    sentences, _ = read_files(tmp_path, "seq_in_out", *texts)
    assert sentences[0].tokens == ("play", "u2")
    assert sentences[0].labels == ("O", "B-artist")
    assert [s.comments for s in sentences] == [{"intent": "PlayMusic"}, {"intent": "Stop"}]

    with pytest.raises(ConfigError, match="tokens, the tags"):
        read_files(tmp_path, "seq_in_out", texts[0])


NUMBERED = "Sentence #\tWord\tTag\r\nSentence: 0\tlas\tB-to\r\nSentence: 0\t"


def test_numbered_rows_with_crlf(tmp_path):
    text = f"{NUMBERED}vegas'a\tO\r\nSentence: 1\tilk\tI-day\r\n"
    sentences, counts = read_files(tmp_path, "numbered_rows", text)
    assert [s.tokens for s in sentences] == [("las", "vegas'a"), ("ilk",)]
    assert [s.labels for s in sentences] == [("B-to", "O"), ("B-day",)]
    assert counts == {"i_without_b": 1}


def test_json_lines(tmp_path):
    rows = [{"idx": 0, "tokens": ["Ane", "da"], "tags": ["B-PER", "O"]}, {"idx": 1, "tokens": [], "tags": []}]
    sentences, counts = read_files(tmp_path, "json_tags", "\n".join(map(json.dumps, rows)) + "\n", task="ner")
    assert [s.labels for s in sentences] == [("B-PER", "O")]
    assert counts == {"empty_sentences": 1}


def test_multiatis_in_both_of_its_layouts(tmp_path):
    seven = "1\tto boston\tO B-city\tto boston\tflight\tbostona\tB-city\n"
    sentences, _ = read_files(tmp_path, "multiatis", seven)
    assert (sentences[0].tokens, sentences[0].comments) == (("bostona",), {"intent": "flight"})
    four = "id\tutterance\tslot_labels\tintent\n1\tbostona git\tB-city O\tflight\n"
    sentences, _ = read_files(tmp_path, "multiatis", four)
    assert sentences[0].labels == ("B-city", "O")


@pytest.mark.parametrize(
    ("layout", "texts", "message"),
    [
        ("seq_in_out", ("a b\nc\n", "O O\n"), r"not line-parallel: \[2, 1\] lines"),
        ("seq_in_out", ("a b\nc d\n", "O O\nO\n"), ":2: 2 tokens but 1 labels"),
        ("seq_in_out", ("a\n\n", "O\n\n"), ":2: empty line"),
        ("seq_in_out", ("a\n", "X-y\n"), ":1: 'X-y' is no BIO2 tag"),
        ("numbered_rows", ("a\tb\tc\n",), ":1: header"),
        ("numbered_rows", (f"{NUMBERED}a\r\n",), ":3: "),
        ("numbered_rows", (f"{NUMBERED}b\tS-x\r\n",), ":3: 'S-x' is no BIO2 tag"),
        ("json_tags", ('{"tokens": ["a"], "tags": ["O"]}\n{"tokens": ["a"]}\n',), ":2: not a JSON object"),
        ("json_tags", ('{"tokens": ["a"], "tags": ["B-GPE"]}\n',), ":1: unknown entity type 'GPE'"),
        ("multiatis", ("1\ta\tO\n",), ":1: 3 columns where 4 or 7"),
    ],
)
def test_malformations_are_named_with_their_line(tmp_path, layout, texts, message):
    with pytest.raises(InputError, match=message):
        read_files(tmp_path, layout, *texts, task="ner" if layout == "json_tags" else "slots")


def facebook(slots, text, tokens):
    spans = [{"start": start, "length": len(token)} for token, start in tokens]
    row = {"tokenizations": [{"tokens": [token for token, _ in tokens], "tokenSpans": spans}]}
    return "\t".join(["weather/find", slots, text, "xx_XX", json.dumps(row)]) + "\n"


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
    (sentence,), counts = read_files(tmp_path, "facebook", facebook(slots, text, tokens))
    assert (sentence.tokens, sentence.labels) == (tuple(text.split()), tuple(labels.split()))
    assert counts.items() >= counted.items()


def test_the_text_wins_over_the_tokens_spelling(tmp_path):
    whole, apart = "สำหรับ", "ส\u0e4d\u0e32หรับ"  # SARA AM in one code point and in two
    line = facebook("", whole, [(apart, 0)]).replace(f'"length": {len(apart)}', f'"length": {len(whole)}')
    sentences, counts = read_files(tmp_path, "facebook", line)
    assert sentences[0].tokens == (whole,)
    assert counts == {"changed_tokens": 1, "no_slots": 1}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a\tb\n", "2 columns where 5 are expected"),
        ("i\t0:1:x\tab\txx\tno json\n", "no tokens and spans"),
        (facebook("0:9:x", "ab", [("ab", 0)]), "slot '0:9:x' does not lie in the 2 characters"),
        (facebook("0-1-x", "ab", [("ab", 0)]), "is not start:end:type"),
        (facebook("", "ab cd", [("ab", 0), ("ce", 4)]), "token 'ce' is not in the utterance"),
        (facebook("0:2:x,1:2:y", "ab", [("ab", 0)]), "overlaps another or holds no token"),
    ],
)
def test_malformed_facebook_lines(tmp_path, line, message):
    with pytest.raises(InputError, match=f":2: .*{message}"):
        read_files(tmp_path, "facebook", facebook("", "ok", [("ok", 0)]) + line)
