"""Gamma is chosen by held-out translations, on a space with a known answer."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from crosslingua.errors import ConfigError
from crosslingua.io.bitext import write_counts, write_dictionary
from crosslingua.io.vectors import WordVectors, read_vectors, write_vectors
from crosslingua.lexicon_induction.choice import ComparedAnswers
from crosslingua.mappers.muse import Muse
from crosslingua.mappers.procrustes import Procrustes
from crosslingua.vocabulary_reallocation.spaces import JointVocabulary, unsupervised_values, validation_values

N, D = 60, 12
SOURCE = [f"s{i}" for i in range(N)]
TARGET = [f"t{i}" for i in range(N)]
PAIRS = list(zip(SOURCE, TARGET, strict=True))


def rotated_space(foreign: int) -> JointVocabulary:
    """Target vectors are the source's, rotated; each corpus holds every word of the other `foreign` times in 1,000.

    Only where these strays are given back to their language can the rotation be undone.
    """
    random = np.random.default_rng(0)
    source = random.normal(size=(N, D)).astype(np.float32)
    rotation, _ = np.linalg.qr(random.normal(size=(D, D)))
    vectors = WordVectors([*SOURCE, *TARGET], np.vstack([source, source @ rotation.astype(np.float32)]))
    numbers = (1000 - foreign, foreign), (foreign, 1000 - foreign)
    counts = (dict.fromkeys(SOURCE, one) | dict.fromkeys(TARGET, other) for one, other in numbers)
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
    vectors = WordVectors([*SOURCE, *TARGET], np.vstack([source, target]).astype(np.float32))
    stray = np.where(np.arange(N) < 40, 0, 200)
    counts = np.append(1000 - stray, stray), np.append(stray, 1000 - stray)
    joint = JointVocabulary(vectors, *counts, 60_000, 60_000)
    mapper = Muse(initialisation="identity", csls_neighbours=3)
    found = unsupervised_values(joint, [0.7, 0.9], mapper, seed=1, max_vocabulary=None)
    values = found.values
    assert 20 < len(values[0.7]) == len(values[0.9]) <= 40
    assert values[0.7].mean() > values[0.9].mean()
    assert found.best == 0.7
    with pytest.raises(ConfigError, match="Procrustes needs a dictionary"):
        unsupervised_values(joint, [0.7, 0.9], Procrustes(), seed=1, max_vocabulary=None)


def test_pairs_that_train_and_select_are_refused() -> None:
    given = rotated_space(10), [0.9], Procrustes(), PAIRS, PAIRS[:2]
    with pytest.raises(ConfigError, match="hold them out"):
        validation_values(*given, seed=1, max_vocabulary=None)


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
    assert set(read_vectors(folder / "a.vec").words) == set(SOURCE)


def test_one_gamma_needs_no_dictionary(divide: Callable, folder: Path) -> None:
    divide("--gamma", 0.95, *OUT)
    (cell,) = json.loads((folder / "r.json").read_text())
    assert (cell["gamma"], cell["sizes"]["shared"]) == (0.95, 0)
    assert (cell["candidates"], cell["criterion"]) == ({}, "")


def test_several_gammas_need_one(divide: Callable, folder: Path) -> None:
    done = divide("--gamma", 0.7, 0.95, *DICTIONARIES[:2], *OUT, status=1)
    assert "give dictionaries (--fit and --validation), a --selection-mapper that needs none" in done.stderr
    assert not (folder / "a.vec").exists()
