"""The tagged-data contract: round trips, and every malformation named with its line."""

import gzip
import unicodedata
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seqeval.metrics.sequence_labeling import get_entities

from crosslingua.errors import InputError
from crosslingua.io import conll
from crosslingua.io.conll import Span, TaggedSentence, read_conll, write_conll
from texts import written

WORDS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r\ufeff"), min_size=1
).filter(str.strip)
COMMENTS = st.dictionaries(
    st.sampled_from(["intent", "id", "newpar"]), st.sampled_from(["a/b", "x = y", "4"])
)
SENTENCES = st.builds(
    lambda rows, comments: TaggedSentence(*zip(*rows, strict=True), comments),
    st.lists(st.tuples(WORDS, st.sampled_from(["NOUN", "O", "#", "."])), min_size=1, max_size=4),
    COMMENTS,
)


@settings(max_examples=60, deadline=None)
@given(sentences=st.lists(SENTENCES, min_size=1, max_size=4))
def test_what_is_written_is_read_again_in_nfc(tmp_path_factory, sentences):
    path = tmp_path_factory.mktemp("conll") / "a.conll"
    assert write_conll(path, sentences) == len(sentences)
    again = list(read_conll(path, scheme="plain"))
    for before, after in zip(sentences, again, strict=True):
        assert after.tokens == tuple(unicodedata.normalize("NFC", token) for token in before.tokens)
        assert (after.labels, after.comments) == (before.labels, before.comments)


def test_bom_line_ends_gz_blank_lines_and_spaces_after_labels_make_no_difference(tmp_path):
    text = "\ufeff# intent = x\r\n#\tO\r\nAda\tB-PER \r\r\n\r\n\r\nruns\tO\u00a0"
    path = written(tmp_path / "a.conll.gz", gzip.compress(text.encode()))
    assert list(read_conll(path)) == [
        TaggedSentence(("#", "Ada"), ("O", "B-PER"), {"intent": "x"}),
        TaggedSentence(("runs",), ("O",)),
    ]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("Ada\tB-PER\nsleeps\n", 2, "1 columns where token<TAB>label is expected"),
        ("Ada\tNN\tB-PER\n", 1, "3 columns"),
        ("Ada\tB-PER\n# not = here\n", 2, "1 columns"),
        ("\tO\n", 1, "empty token"),
        ("Ada\t\n", 1, "empty label"),
        ("\nAda\tO\nL\tI-PER\n", 3, "'I-PER' does not follow B-PER or I-PER"),
        ("Ada\tB-PER\nL\tE-PER\n", 2, "'E-PER' is no BIO2 tag"),
        ("Ada\tO\n\n# id = 2\n", 3, "comments without a sentence"),
    ],
)
def test_malformations_are_named_with_their_line(tmp_path, text, line, message):
    with pytest.raises(InputError, match=rf"^{tmp_path}/data\.conll:{line}: .*{message}"):
        list(read_conll(written(tmp_path / "data.conll", text)))


def test_empty_files_and_a_token_without_its_label_are_refused(tmp_path):
    with pytest.raises(InputError, match="no sentences"):
        list(read_conll(written(tmp_path / "data.conll", "\n\n")))
    with pytest.raises(InputError, match="no sentences to write"):
        write_conll(tmp_path / "b.conll", [])
    assert not (tmp_path / "b.conll").exists()
    with pytest.raises(ValueError, match="2 tokens with 1 labels"):
        TaggedSentence(("a", "b"), ("O",))


def test_repairs_are_made_on_demand_and_counted_and_hide_no_tags_of_another_scheme():
    repairs = Counter()
    assert conll.check_bio2("a", 1, ["I-PER", "I-PER"], repairs) == ["B-PER", "I-PER"]
    assert conll.check_bio2("a", 4, ["B-LOC", "I-ORG"], repairs) == ["B-LOC", "B-ORG"]
    assert repairs == {"i_without_b": 2}
    with pytest.raises(InputError, match=r":2: 'S-PER' is no BIO2 tag"):
        conll.check_bio2("a", 1, ["I-PER", "S-PER"], Counter())


@pytest.mark.parametrize(
    "sentence",
    [
        *(TaggedSentence((token,), ("O",)) for token in ("a\tb", "a\n", " ")),
        *(TaggedSentence(("a",), ("O",), comments) for comments in ({"k": "1\n2"}, {"k=l": "1"})),
    ],
)
def test_what_the_format_cannot_hold_is_refused(tmp_path, sentence):
    with pytest.raises(ValueError, match="cannot be written"):
        write_conll(tmp_path / "a.conll", [sentence])
    assert not list(tmp_path.iterdir())


# BIO2: against seqeval's reading of the same tags, and hand-worked cases.


TAGS = st.lists(st.sampled_from(["O", "B-A", "I-A", "B-B", "I-B"]), max_size=12)


@settings(deadline=None)
@given(TAGS)
def test_repaired_tags_are_valid_and_are_what_seqeval_reads(tags):
    fixed, turned = conll.repair(tags)
    assert conll.first_error(fixed) is None
    assert (turned == 0) == (conll.first_error(tags) is None) == (fixed == tags)
    assert [(kind, start, end - 1) for kind, start, end in conll.spans(fixed)] == get_entities(tags)


@settings(deadline=None)
@given(TAGS)
def test_spans_and_tags_are_the_same_thing(tags):
    fixed, _ = conll.repair(tags)
    assert conll.from_spans(len(fixed), conll.spans(fixed)) == fixed


@pytest.mark.parametrize(
    ("tags", "index", "message"),
    [
        (["O", "I-A"], 1, "'I-A' does not follow B-A or I-A"),
        (["B-A", "I-B"], 1, "'I-B' does not follow"),
        (["B-A", "E-A"], 1, "'E-A' is no BIO2 tag"),
        (["B-"], 0, "'B-' is no BIO2 tag"),
        (["0"], 0, "'0' is no BIO2 tag"),
    ],
)
def test_first_error(tags, index, message):
    found = conll.first_error(tags)
    assert found[0] == index
    assert found[1].startswith(message)
    with pytest.raises(ValueError, match=f"tag {index}"):
        conll.spans(tags)


def test_spans_that_overlap_or_lie_outside_are_refused():
    with pytest.raises(ValueError, match="overlaps"):
        conll.from_spans(4, [Span("A", 0, 2), Span("B", 1, 3)])
    with pytest.raises(ValueError, match="does not lie in 4 tokens"):
        conll.from_spans(4, [Span("A", 3, 5)])
