"""BIO2: against seqeval's reading of the same tags, and hand-worked cases."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seqeval.metrics.sequence_labeling import get_entities

from crosslingua.io import conll
from crosslingua.io.conll import Span

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


def test_iob1_marks_only_the_second_of_two_touching_entities():
    iob1 = ["I-PER", "I-PER", "O", "I-LOC", "B-LOC", "I-ORG"]
    assert conll.from_iob1(iob1) == ["B-PER", "I-PER", "O", "B-LOC", "B-LOC", "B-ORG"]


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
