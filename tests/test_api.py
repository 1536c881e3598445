"""Wrong arguments of the functions of docs/api.md, beside the mappers': a ConfigError says what to give."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from crosslingua.claims.verdict import levels
from crosslingua.errors import ConfigError
from crosslingua.io.pharaoh import Links, write_pharaoh
from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction import bli
from crosslingua.lexicon_induction.retrieval import csls, mean_similarities, nearest
from crosslingua.statistics.interval import Crossed, Spread, mean_spread
from crosslingua.vocabulary_reallocation.spaces import by_occurrence, by_ratio
from crosslingua.word_aligners import scoring
from crosslingua.word_aligners.fast_align import FastAlign

MATRIX = np.array([[1, 0], [0, 1], [1, 1]], dtype=np.float32)
NAN = np.array([[1, np.nan], [0, 1], [1, 1]], dtype=np.float32)
VECTORS = WordVectors(["a", "b", "c"], MATRIX)
PAIRS = [("a", "b"), ("b", "c")]
GOLD = [Links.of([(0, 0)])]
ONES = np.ones((2, 3))
SPREAD = Spread(1.0, 0.1, 0.1, 0.0, 3, 9)
NO_ARRAY = "is no array of real numbers"


def number(name: str, value: object, least: int = 0) -> str:
    return rf"{name} is {value}: give a whole number from {least}$"


WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "vectors: no array": (lambda: WordVectors(["a"], [[1.0]]), "matrix: .* is no array of numbers"),
    "vectors: text": (lambda: WordVectors(["a"], np.array([["x"]])), "matrix: .* is no array of numbers"),
    "vectors: one row": (lambda: WordVectors(["a"], MATRIX[0]), r"1 words cannot name the rows of a \(2,\)"),
    "vectors: more rows": (lambda: WordVectors(["a"], MATRIX), r"1 words cannot name the rows of a \(3, 2\)"),
    "nearest: no matrix": (lambda: nearest(MATRIX[0], MATRIX), r"source has 1 dimensions \(2,\): give 2"),
    "nearest: text": (lambda: nearest(np.array([["a", "b"]]), MATRIX), f"source: .* {NO_ARRAY}"),
    "nearest: complex": (lambda: nearest(MATRIX * 1j, MATRIX), f"source: .* {NO_ARRAY}"),
    "nearest: ragged": (lambda: nearest([[1.0], [1.0, 2.0]], MATRIX), f"source: .* {NO_ARRAY}"),
    "nearest: NaN": (lambda: nearest(NAN, MATRIX), "1 zero or non-finite vectors in source"),
    "nearest: no vectors": (lambda: nearest(MATRIX[:0], MATRIX), "at least one vector on either side"),
    "nearest: rows": (lambda: nearest(MATRIX, MATRIX, np.array([3])), "whole numbers from 0 to 2"),
    "nearest: below 0": (lambda: nearest(MATRIX, MATRIX, np.array([-1])), "whole numbers from 0 to 2"),
    "nearest: halves": (lambda: nearest(MATRIX, MATRIX, np.array([0.5])), "whole numbers from 0 to 2"),
    "nearest: k": (lambda: nearest(MATRIX, MATRIX, k=1.5), number("the number of neighbours", 1.5, 1)),
    "nearest: device": (lambda: nearest(MATRIX, MATRIX, device="tpu"), "device 'tpu': say cpu or cuda"),
    "csls: neighbours": (lambda: csls(MATRIX, MATRIX, neighbours=0), number("neighbours", 0, 1)),
    "csls: one mean": (lambda: csls(MATRIX, MATRIX, means=(np.ones(3),)), "means: give two arrays"),
    "csls: few means": (
        lambda: csls(MATRIX, MATRIX, means=(np.ones(2), np.ones(3))), "means of 2 source and 3 target vectors for 3",
    ),
    "csls: NaN": (
        lambda: csls(MATRIX, MATRIX, means=(np.full(3, np.nan), np.ones(3))), "means holds NaN or infinity",
    ),
    "means: NaN": (lambda: mean_similarities(MATRIX, NAN), "non-finite vectors in target"),
    "predict: a path": (lambda: bli.predict("a.vec", VECTORS, PAIRS), "source: 'a.vec' are no WordVectors"),
    "predict: triples": (lambda: bli.predict(VECTORS, VECTORS, [("a", "b", "c")]), "'c'. is no pair"),
    "predict: text": (lambda: bli.predict(VECTORS, VECTORS, ["ab"]), "'ab' is no pair"),
    "predict: vocabulary": (
        lambda: bli.predict(VECTORS, VECTORS, PAIRS, max_vocabulary=-1), number("max_vocabulary", -1, 1),
    ),
    "interval: empty": (lambda: bli.bootstrap_interval(np.array([])), "cannot resample 0 queries"),
    "interval: NaN": (lambda: bli.bootstrap_interval(np.array([1, np.nan])), "values holds NaN or infinity"),
    "interval: matrix": (lambda: bli.bootstrap_interval(ONES), "values has 2 dimensions"),
    "interval: a number": (lambda: bli.bootstrap_interval(3.0), "values has 0 dimensions"),
    "interval: text": (lambda: bli.bootstrap_interval(["a"]), f"values: .* {NO_ARRAY}"),
    "interval: samples": (lambda: bli.bootstrap_interval(ONES[0], samples=1.5), number("samples", 1.5)),
    "interval: seed": (lambda: bli.bootstrap_interval(ONES[0], seed=-1), number("seed", -1)),
    "links: pairs": (lambda: scoring.score(GOLD, [[(0, 0)], []]), "links of 2 sentence pairs for 1"),
    "links: triples": (lambda: scoring.score(GOLD, [[(0, 0, 1)]]), r"\(0, 0, 1\) is no link"),
    "links: text": (lambda: scoring.score(GOLD, ["0-0"]), "'0' is no link"),
    "links: numbers": (lambda: scoring.score(GOLD, [5]), "5 is no link"),
    "links: samples": (lambda: scoring.score(GOLD, [[(0, 0)]], samples=1.5), number("samples", 1.5)),
    "links: seed": (lambda: scoring.score(GOLD, [[(0, 0)]], seed=-1), number("seed", -1)),
    "align: text": (lambda: FastAlign().align([("a b", "c d")]), "is no pair of sentences: give two lists of words"),
    "align: triples": (lambda: FastAlign().align([(["a"], ["b"], ["c"])]), "is no pair of sentences"),
    "align: nothing": (lambda: FastAlign().align([None]), "None is no pair of sentences"),
    "counts: mapping": (lambda: by_occurrence({"a": 1}, {"a": 2}), f"counts: .* {NO_ARRAY}"),
    "counts: below 0": (lambda: by_occurrence(np.array([-1]), np.array([1])), "a number of 0 or more for each word"),
    "counts: unequal": (lambda: by_occurrence(np.ones(2), np.ones(3)), "a number of 0 or more for each word"),
    "counts: NaN": (lambda: by_ratio(np.array([np.nan]), np.ones(1), 1, 1, 0.9), "counts holds NaN"),
    "counts: tokens": (lambda: by_ratio(np.ones(1), np.ones(1), 1.5, 1, 0.9), number("the number of tokens", 1.5)),
    "counts: gamma": (lambda: by_ratio(np.ones(1), np.ones(1), 1, 1, float("nan")), "gamma nan: must be"),
    "spread: NaN": (lambda: mean_spread([Crossed("ab", NAN)]), "the values of a pair holds NaN or infinity"),
    "spread: row": (lambda: mean_spread([Crossed("abc", ONES[0])]), "the values of a pair has 1 dimensions"),
    "spread: text": (lambda: mean_spread([Crossed("a", [["x"]])]), f"the values of a pair: .* {NO_ARRAY}"),
    "spread: items": (lambda: mean_spread([Crossed("ab", ONES)]), "2 items for 3 columns"),
    "spread: level": (lambda: SPREAD.margin(0), "level 0: give a share between 0 and 1"),
    "spread: seeds": (lambda: SPREAD.with_seeds(0), number("the number of seeds", 0, 1)),
    "spread: number of items": (lambda: SPREAD.with_items(-2), number("the number of items", -2, 1)),
    "levels: text": (lambda: levels("x"), number("the number of seeds", "'x'")),
    "levels: plan": (lambda: levels(3, [1.5]), number("the number of seeds", 1.5)),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_argument_is_named(case: str) -> None:
    call, told = WRONG[case]
    with pytest.raises(ConfigError, match=told):
        call()


@pytest.mark.parametrize("link", [(-1, 0), (0.5, 0), (1,), "ab"])
def test_no_link_is_written_that_is_none(tmp_path: Path, link: object) -> None:
    with pytest.raises(ConfigError, match="is no link: give two word numbers from 0"):
        write_pharaoh(tmp_path / "links", [[(0, 1)], [link]])
    assert not [*tmp_path.iterdir()]


def test_lists_and_masks_are_arrays_too() -> None:
    expected = nearest(MATRIX, MATRIX, np.array([0, 2]), k=1)[0].tolist()
    assert expected == [[0], [2]]
    assert nearest(MATRIX.tolist(), MATRIX.tolist(), [0, 2], k=1)[0].tolist() == expected
    assert nearest(MATRIX, MATRIX, np.array([True, False, True]), k=1)[0].tolist() == expected
    assert mean_spread([Crossed("abc", ONES.tolist())]).effect == 1
