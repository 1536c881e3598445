"""Shared and own words of two vocabularies; gamma chosen by held-out translations."""

import json
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosslingua.errors import ConfigError
from crosslingua.io.bitext import write_counts, write_dictionary
from crosslingua.io.vectors import WordVectors, read_vectors, write_vectors
from crosslingua.lexicon_induction.choice import ComparedAnswers
from crosslingua.mappers.muse import Muse
from crosslingua.mappers.procrustes import Procrustes
from crosslingua.vocabulary_reallocation import spaces
from crosslingua.vocabulary_reallocation.spaces import JointVocabulary, by_ratio, validation_values

counts = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=30)
N, D = 60, 12
SOURCE_WORDS = [f"s{i}" for i in range(N)]
TARGET_WORDS = [f"t{i}" for i in range(N)]
PAIRS = list(zip(SOURCE_WORDS, TARGET_WORDS, strict=True))


def test_the_division_by_hand() -> None:
    # gamma 0.75: shared between r = 1/3 and r = 3, ends included; equal totals, so r is the ratio of counts.
    division = by_ratio(np.array([3, 1, 4, 1, 7, 0]), np.array([1, 3, 1, 4, 0, 7]), 100, 100, 0.75)
    sets = division.shared, division.source, division.target
    assert [each.tolist() for each in sets] == [[0, 1], [2, 4], [3, 5]]


@given(counts, st.integers(1, 500), st.integers(1, 500), st.sampled_from([0.7, 0.8, 0.9, 0.95]))
def test_the_division_is_equation_6_in_exact_arithmetic(pairs, tokens_source, tokens_target, gamma) -> None:
    one, other = np.array(pairs).T
    division = by_ratio(one, other, tokens_source, tokens_target, gamma)
    sets = {int(i): name for name in ("source", "target", "shared") for i in getattr(division, name)}
    g = Fraction(str(gamma))
    for i, name in sets.items():
        a, b = pairs[i]
        r = Fraction(tokens_target, tokens_source) * Fraction(a, b) if b else None
        shared = r is not None and (1 - g) / g <= r <= g / (1 - g)
        assert name == ("shared" if shared else "source" if r is None or r > 1 else "target")
    for complete in (spaces.by_occurrence(one, other), division):
        together = np.concatenate([complete.source, complete.target, complete.shared])
        assert sorted(together) == [i for i, pair in enumerate(pairs) if pair != (0, 0)]


def test_what_chooses_nothing_is_refused() -> None:
    """A gamma without an interval, and pairs that both train and select."""
    for gamma in (0.3, 1.0, 1.2):
        with pytest.raises(ConfigError, match="gamma"):
            by_ratio(np.array([1]), np.array([1]), 1, 1, gamma)
    given = rotated_space(10), [0.9], Procrustes(), PAIRS, PAIRS[:2]
    with pytest.raises(ConfigError, match="hold them out"):
        validation_values(*given, seed=1, max_vocabulary=None)


WORDS = ["the", "der", "berlin", "haus", "house", "gift"]
SOURCE = {"the": 900, "berlin": 40, "house": 50, "der": 2, "gift": 8}
TARGET = {"der": 800, "berlin": 50, "haus": 60, "the": 3, "gift": 87}


def joint() -> JointVocabulary:
    return JointVocabulary.of(WordVectors(WORDS, np.eye(6, 4, dtype=np.float32) + 1), SOURCE, TARGET)


def test_oversharing_is_undone() -> None:
    vocabulary = joint()
    before, after = vocabulary.divide(None), vocabulary.divide(0.9)
    assert [WORDS[i] for i in before.shared] == ["the", "der", "berlin", "gift"]
    assert [WORDS[i] for i in after.shared] == ["berlin"]
    report = spaces.describe(vocabulary, after)
    assert (report["moved_to_source"], report["moved_to_target"]) == (["the"], ["der", "gift"])
    assert report["sizes_before"] == {"source": 1, "target": 1, "shared": 4}


def test_each_side_is_in_the_order_of_its_own_frequency_and_capped() -> None:
    vocabulary = joint()
    space = vocabulary.space(vocabulary.divide(None))
    assert space.source.words == ["the", "house", "berlin", "gift", "der"]
    assert space.target.words == ["der", "gift", "haus", "berlin", "the"]
    assert set(space.shared) == {"the", "der", "berlin", "gift"}
    assert np.array_equal(space.source["berlin"], space.target["berlin"])
    capped = vocabulary.space(vocabulary.divide(None), max_vocabulary=2)
    assert (capped.source.words, capped.shared) == (["the", "house"], [])


def test_words_without_a_count_count_zero() -> None:
    joint = JointVocabulary.of(WordVectors(["a", "b"], np.ones((2, 1), dtype=np.float32)), {"b": 3}, {"a": 1})
    assert (joint.counts_source.tolist(), joint.counts_target.tolist()) == ([0, 3], [1, 0])


def rotated_space(foreign: int) -> JointVocabulary:
    """Target vectors are the source's, rotated; each corpus holds every word of the other `foreign` times in 1,000.

    Only where these strays are given back to their language can the rotation be undone.
    """
    random = np.random.default_rng(0)
    source = random.normal(size=(N, D)).astype(np.float32)
    rotation = np.linalg.qr(random.normal(size=(D, D)))[0].astype(np.float32)
    vectors = WordVectors([*SOURCE_WORDS, *TARGET_WORDS], np.vstack([source, source @ rotation]))
    numbers = (1000 - foreign, foreign), (foreign, 1000 - foreign)
    counts = (dict.fromkeys(SOURCE_WORDS, one) | dict.fromkeys(TARGET_WORDS, other) for one, other in numbers)
    return JointVocabulary.of(vectors, *counts)


def test_the_gamma_that_frees_the_words_wins() -> None:
    # r = (1000 - foreign) / foreign = 4: shared at gamma 0.9 (up to 9), given back at 0.7 (up to 2.3).
    joint = rotated_space(foreign=200)
    matrix = np.vstack([joint.vectors.matrix, np.eye(2, D) + 1]).astype(np.float32)
    extra = WordVectors([*joint.vectors.words, "x", "y"], matrix)
    counts = [np.append(joint.counts_source, [999, 1]), np.append(joint.counts_target, [1, 999])]
    joint = JointVocabulary(extra, *counts, joint.tokens_source, joint.tokens_target)
    fit, validation = [*PAIRS[:40], ("x", "y")], PAIRS[40:]
    options = {"seed": 1, "max_vocabulary": None}
    found = validation_values(joint, [0.7, 0.9], Procrustes(), fit, validation, **options)
    assert found.values[0.7].mean() == 100
    assert found.values[0.9].mean() < 20
    assert (found.best, found.note) == (0.7, "")
    # Six words without vectors, spelled alike, are right under any gamma: then the 20 others alone count.
    alike = [(f"w{i}", f"w{i}") for i in range(6)]
    low = validation_values(joint, [0.7, 0.9], Procrustes(), fit, validation + alike, **options)
    assert low.note.startswith("20 of 26 queries have vectors under every candidate: only these count")
    assert low.values[0.9].tolist() == found.values[0.9].tolist()


def test_gamma_hangs_on_no_single_query() -> None:
    # Of 100 queries 0.7 has one more than 0.95, within a standard error (1 query); 0.8 has eight more.
    right = {0.95: 50, 0.7: 51, 0.8: 58}
    values = {gamma: 100.0 * (np.arange(100) < number) for gamma, number in right.items()}
    assert ComparedAnswers(values).best == 0.8
    assert ComparedAnswers({gamma: values[gamma] for gamma in (0.95, 0.7)}).best == 0.95


def test_without_a_dictionary_mutual_neighbours_choose() -> None:
    # Words 40 to 59 lie beside 0 to 19, and stray into the other corpus: shared at 0.9 they are rivals of these in both
    # languages, and lower their CSLS; at 0.7 each language has its own back. Words 0 to 39 are never shared.
    random = np.random.default_rng(0)
    source = random.normal(size=(N, D))
    source[40:] = source[:20] + 0.3 * random.normal(size=(20, D))
    target = source + 0.1 * random.normal(size=(N, D))
    vectors = WordVectors([*SOURCE_WORDS, *TARGET_WORDS], np.vstack([source, target]).astype(np.float32))
    stray = np.where(np.arange(N) < 40, 0, 200)
    counts = np.append(1000 - stray, stray), np.append(stray, 1000 - stray)
    joint = JointVocabulary(vectors, *counts, 60_000, 60_000)
    mapper = Muse(initialisation="identity", csls_neighbours=3)
    found = spaces.unsupervised_values(joint, [0.7, 0.9], mapper, seed=1, max_vocabulary=None)
    low, high = found.values[0.7], found.values[0.9]
    assert 20 < len(low) == len(high) <= 40
    assert (low.mean() > high.mean(), found.best) == (True, 0.7)
    with pytest.raises(ConfigError, match="Procrustes needs a dictionary"):
        spaces.unsupervised_values(joint, [0.7, 0.9], Procrustes(), seed=1, max_vocabulary=None)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The files of a joint space, its counts and its dictionaries."""
    joint = rotated_space(foreign=20)
    write_vectors(tmp_path / "joint.vec", joint.vectors)
    for name, counts in (("s", joint.counts_source), ("t", joint.counts_target)):
        write_counts(tmp_path / f"{name}.tsv", dict(zip(joint.vectors.words, counts.tolist(), strict=True)))
    write_dictionary(tmp_path / "fit.txt", PAIRS[:40])
    write_dictionary(tmp_path / "validation.txt", PAIRS[40:])
    return tmp_path


@pytest.fixture
def divide(script, folder: Path) -> Callable:
    files = ("--vectors", "joint.vec", "--counts-source", "s.tsv", "--counts-target", "t.tsv")
    return partial(script, "divide_vocabulary.py", *files)


DICTIONARIES = ("--fit", "fit.txt", "--validation", "validation.txt")
OUT = ("--out-source", "a.vec", "--out-target", "b.vec", "--out-shared", "c.txt", "--report", "r.json")


def test_the_script_divides_many_cells_and_reports(divide: Callable, folder: Path) -> None:
    plan = "seed,out_source,out_target,out_shared\n4,a.vec,c.vec,e.txt\n5,b.vec,d.vec,f.txt\n"
    (folder / "plan.csv").write_text(plan)
    divide("--gamma", 0.7, 0.95, *DICTIONARIES, "--report", "report.json", "--cells", "plan.csv")
    cells = json.loads((folder / "report.json").read_text())
    assert [(cell["seed"], cell["gamma"]) for cell in cells] == [(4, 0.95), (5, 0.95)]
    assert cells[0]["sizes"] == {"source": N, "target": N, "shared": 0}
    assert cells[0]["sizes_before"] == {"source": 0, "target": 0, "shared": 2 * N}
    assert set(read_vectors(folder / "a.vec").words) == set(SOURCE_WORDS)


def test_several_gammas_need_a_dictionary_and_one_needs_none(divide: Callable, folder: Path) -> None:
    done = divide("--gamma", 0.7, 0.95, *DICTIONARIES[:2], *OUT, status=1)
    assert "give dictionaries (--fit and --validation), a --selection-mapper that needs none" in done.stderr
    assert not (folder / "a.vec").exists()
    divide("--gamma", 0.95, *OUT)
    (cell,) = json.loads((folder / "r.json").read_text())
    assert (cell["gamma"], cell["sizes"]["shared"]) == (0.95, 0)
    assert (cell["candidates"], cell["criterion"]) == ({}, "")
