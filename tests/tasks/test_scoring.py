import random
import warnings

import numpy as np
import pytest
import seqeval.metrics
from hypothesis import given
from hypothesis import strategies as st
from seqeval.scheme import IOB2
from sklearn.metrics import accuracy_score, f1_score

from crosslingua.tasks import scores
from crosslingua.tasks.scores import SentenceCounts, accuracy, is_learnt, span_counts, tag_counts

UPOS = ["ADJ", "ADP", "NOUN", "PROPN", "PUNCT", "INTJ", "VERB", "PART"]


def sentences_of(labels: list[str]) -> st.SearchStrategy:
    """Draw sentences of pairs of a gold and a predicted label, half of them equal."""
    tag = st.sampled_from(labels)
    pair = st.one_of(tag.map(lambda x: (x, x)), st.tuples(tag, tag))
    return st.lists(st.lists(pair, min_size=1), min_size=1)


# With stray I- on both sides.
@given(sentences_of(["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-a-b", "I-a-b"]))
def test_span_scores_are_seqevals(sentences: list) -> None:
    gold, predicted = ([[pair[side] for pair in each] for each in sentences] for side in (0, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for mode, options in (("strict", {"mode": "strict", "scheme": IOB2}), ("conll", {})):
            counts = span_counts(gold, predicted, mode)
            for ours, theirs in (
                (counts.f1, seqeval.metrics.f1_score),
                (counts.precision, seqeval.metrics.precision_score),
                (counts.recall, seqeval.metrics.recall_score),
            ):
                assert ours == pytest.approx(100 * theirs(gold, predicted, **options))
            assert counts.per_item().mean() == pytest.approx(counts.f1)


def test_span_scores_by_hand() -> None:
    gold = [["B-PER", "I-PER", "O", "B-LOC"], ["O"]]
    predicted = [["B-PER", "I-PER", "O", "I-LOC"], ["B-LOC"]]
    strict, conll = (span_counts(gold, predicted, mode) for mode in ("strict", "conll"))
    assert [c.tolist() for c in (strict.right, strict.gold, strict.predicted)] == [[1, 0], [2, 0], [1, 1]]
    assert (strict.precision, strict.recall, strict.f1) == (50, 50, 50)
    assert conll.f1 == pytest.approx(80)  # I-LOC begins an entity: 2 of 3 right, 2 of 2 found
    assert span_counts([["O"]], [["O"]]).f1 == 0


# Counted by hand by the rules of the shared task's program, conlleval.pl: a chunk begins at B-X, and at an I-X that
# follows O, another type, or the sentence's beginning; it ends before what is no I of its type. gold, predicted; chunks
# that are right, in gold, predicted.
CONLLEVAL = {
    "an I after O begins a chunk": ("O I-X I-X O", "O B-X I-X O", (1, 1, 1)),
    "so does an I after a B of another type": ("B-Y I-X O", "B-Y B-X O", (2, 2, 2)),
    "two B are two chunks": ("B-X B-X", "B-X I-X", (0, 2, 1)),
    "two I are one": ("I-X I-X", "I-X B-X", (0, 1, 2)),
    "two I of different types are two": ("I-X I-Y", "B-X B-Y", (2, 2, 2)),
    "a sentence's end is a chunk's end": ("O O B-X I-X", "O O I-X I-X", (1, 1, 1)),
    "a chunk that ends early is wrong": ("B-X I-X I-X", "B-X I-X O", (0, 1, 1)),
    "a chunk that ends late is wrong, the next is right": ("B-X I-X O B-Y", "B-X I-X I-X B-Y", (1, 2, 2)),
    "another type within divides it": ("B-X I-X I-X", "B-X I-Y I-X", (0, 1, 3)),
    "none is found": ("B-X O I-Y", "O O O", (0, 2, 0)),
}


@pytest.mark.parametrize("case", CONLLEVAL)
def test_spans_are_counted_as_conlleval_counts_them(case: str) -> None:
    gold, predicted, expected = CONLLEVAL[case]
    counts = span_counts([gold.split()], [predicted.split()], "conll")
    assert (*counts.right, *counts.gold, *counts.predicted) == expected


@pytest.mark.parametrize("seed", range(5))
def test_tag_scores_are_seqevals_and_scikit_learns(seed: int) -> None:
    draw = random.Random(seed)
    gold = [draw.choices(UPOS, k=draw.randint(1, 12)) for _ in range(60)]
    predicted = [[tag if draw.random() < 0.7 else draw.choice(UPOS) for tag in tags] for tags in gold]
    flat = [[tag for tags in side for tag in tags] for side in (gold, predicted)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = seqeval.metrics.f1_score(gold, predicted)
    assert scores.run_counts(gold, predicted).f1 == pytest.approx(100 * expected)
    assert tag_counts(gold, predicted).f1 == pytest.approx(100 * accuracy_score(*flat))
    assert tag_counts(gold, predicted).f1 == pytest.approx(100 * f1_score(*flat, average="micro"))
    assert scores.weighted_f1(gold, predicted) == pytest.approx(100 * f1_score(*flat, average="weighted"))


def test_accuracy_by_hand_and_labels_of_another_number() -> None:
    assert accuracy(["a", "b", "a", "c"], ["a", "b", "c", "c"]) == 75
    with pytest.raises(ValueError, match="shorter"):
        accuracy(["a", "b"], ["a"])
    with pytest.raises(ValueError, match="shorter"):
        tag_counts([["A", "B"]], [["A"]])


def test_values_of_sentences_have_f1_as_their_mean_and_its_spread_as_theirs() -> None:
    rng = np.random.default_rng(3)
    gold, predicted = rng.poisson(2, 500), rng.poisson(2, 500)
    counts = SentenceCounts(np.minimum(gold, predicted) // rng.integers(1, 3, 500), gold, predicted)
    values = counts.per_item()
    assert values.mean() == pytest.approx(counts.f1)
    drawn_f1 = []
    for _ in range(500):
        rows = rng.integers(500, size=500)
        drawn_f1.append(SentenceCounts(counts.right[rows], gold[rows], predicted[rows]).f1)
    assert values.std() / np.sqrt(500) == pytest.approx(np.std(drawn_f1), rel=0.12)
    empty = np.zeros(3, dtype=int)
    assert SentenceCounts(empty, empty, empty).per_item().tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("supervised", "floor", "expected"),
    [
        ([44.0, 43.0], 33.3, True),
        ([44.0, 42.0], 33.3, False),
        ([62.9], 56.9, False),
        ([3.0], None, True),
        ([4.8], 0.0, False),
        ([10.5], 0.0, True),
    ],
)
def test_learnt_is_well_above_the_most_frequent_answer(supervised, floor, expected) -> None:
    assert is_learnt(supervised, floor) is expected


@pytest.mark.parametrize(
    ("supervised", "untrained", "expected"),
    [
        ([42.0], [37.4], False),  # 4.6 of 62.6
        ([46.7, 47.0], [37.0, 37.6], True),
        ([87.2], [83.8], True),  # 3.4 of 16.2: tags of words leave little
        ([85.0], [83.8], False),
    ],
)
def test_pretraining_has_to_take_a_share_of_what_random_weights_leave(
    supervised: list[float], untrained: list[float], expected: bool
) -> None:
    assert scores.gains_by_pretraining(supervised, untrained) is expected
    enough = 100 * (1 / 3 + 2 / 3 * scores.SHARE) + 0.1  # of three classes both ask for as much
    assert scores.gains_by_pretraining([enough], [100 / 3]) is True
    assert is_learnt([enough], 100 / 3) is True
