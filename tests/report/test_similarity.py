from pathlib import Path

import numpy as np
import pytest
from scipy.stats import skew
from sklearn.metrics import roc_auc_score
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.neighbors import NearestNeighbors

from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction.bli import gold_translations
from crosslingua.papers.joint_align.figures import at_least, plot_hubness, plot_similarity
from crosslingua.report import similarity
from crosslingua.report.similarity import describe, measure, random_partners, skewness
from pictures import drawn_twice

SOURCE = [f"s{i}" for i in range(30)] + ["taxi"]
TARGET = [f"t{i}" for i in range(30)] + ["taxi"]
PAIRS = [
    *((f"s{i}", f"t{i}") for i in range(30)),
    ("s1", "t2"), ("taxi", "taxi"), ("taxi", "t5"), ("s0", "unknown"), ("unknown", "t0"),
]  # fmt: skip


def vectors(words: list[str], seed: int) -> WordVectors:
    matrix = np.random.default_rng(seed).normal(size=(len(words), 12)).astype(np.float32)
    return WordVectors(words, matrix)


@pytest.fixture
def spaces() -> tuple[WordVectors, WordVectors]:
    return vectors(SOURCE, 0), vectors(TARGET, 1)


def test_cosines_agree_with_scikit_learn(spaces) -> None:
    source, target = spaces
    partners = random_partners(PAIRS, 0, TARGET)
    found = measure(source, target, PAIRS, partners, {"taxi", "t9"})
    expected = cosine_similarity(source.matrix, target.matrix)
    partner_of, golds = dict(zip(PAIRS, partners, strict=True)), gold_translations(PAIRS)
    for entry in found:
        one, other = entry["source"], entry["target"]
        row = expected[source.index[one]]
        rivals = [row[i] for i, word in enumerate(TARGET) if word not in golds[one]]
        assert entry["cosine"] == pytest.approx(row[target.index[other]], abs=2e-6)
        assert entry["random"] == pytest.approx(row[target.index[partner_of[one, other]]], abs=2e-6)
        assert entry["rival"] == pytest.approx(max(rivals), abs=2e-6)
        assert entry["shared"] == (one == "taxi" or other == "t9")


def test_pairs_of_one_form_or_without_vectors_are_left_out_and_no_others(spaces) -> None:
    source, target = spaces
    partners = ["t3" if pair[1] != "t3" else "t4" for pair in PAIRS]
    found = [(e["source"], e["target"]) for e in measure(source, target, PAIRS, partners, set())]
    assert found == [pair for pair in PAIRS if pair[0] != pair[1] and "unknown" not in pair]
    assert measure(source, target, [("taxi", "taxi"), ("s1", "unknown")], ["t1", "t1"], set()) == []
    pairs = [*PAIRS[:5], *((f"s{i}", f"unknown{i}") for i in range(5, 30))]
    partners = random_partners(pairs, 0, set(TARGET))
    found = measure(source, target, pairs, partners, set())
    assert [(entry["source"], entry["target"]) for entry in found] == PAIRS[:5]


def test_random_partners_are_never_translations_and_follow_the_seed() -> None:
    partners = random_partners(PAIRS, 1, TARGET)
    golds = gold_translations(PAIRS)
    assert all(partner not in golds[source] for (source, _), partner in zip(PAIRS, partners, strict=True))
    assert partners == random_partners(PAIRS, 1, TARGET) != random_partners(PAIRS, 2, TARGET)
    assert random_partners([("a", "x"), ("a", "y")], 0, "xy") == [None, None]


def test_separability_is_the_area_under_the_roc_curve() -> None:
    rng = np.random.default_rng(0)
    cosines, randoms = rng.integers(0, 9, 40) / 8, rng.integers(0, 7, 50) / 8
    expected = roc_auc_score([1] * 40 + [0] * 50, [*cosines, *randoms])
    assert similarity.separability(cosines, randoms) == pytest.approx(expected)


def test_panels_pool_the_seeds(spaces) -> None:
    pairs = [pair for pair in PAIRS if "unknown" not in pair]
    measured = measure(*spaces, pairs, random_partners(pairs, 0, TARGET), {"taxi"})
    cells = [{"stage": s, "seed": seed, "pairs": measured} for s in ("joint", "refined") for seed in (1, 2)]
    panels = similarity.by_panel(cells)
    assert {key: values.shape for key, values in panels.items()} == {
        ("joint", True): (3, 2), ("joint", False): (3, 62), ("refined", True): (3, 2), ("refined", False): (3, 62),
    }  # fmt: skip


def test_the_picture_repeats_to_the_byte_even_with_an_empty_panel(spaces, tmp_path: Path) -> None:
    partners = random_partners(PAIRS, 0, TARGET)
    cells = [{"stage": "joint", "seed": 1, "pairs": measure(*spaces, PAIRS, partners, set())}]
    text = drawn_twice(tmp_path, lambda out: plot_similarity(cells, "caption", out))
    assert text.count("<!-- no pairs -->") == 5


def test_occurrences_agree_with_scikit_learn() -> None:
    source, target = vectors([f"s{i}" for i in range(150)], 0), vectors([f"t{i}" for i in range(90)], 1)
    model = NearestNeighbors(n_neighbors=10, metric="cosine", algorithm="brute").fit(target.matrix)
    expected = np.bincount(model.kneighbors(source.matrix, return_distance=False).ravel(), minlength=90)
    assert np.array_equal(similarity.occurrences(source, target), expected)
    assert skewness(expected) == pytest.approx(skew(expected))


def test_a_word_in_the_middle_is_a_hub() -> None:
    source = WordVectors(["a", "b", "c"], np.eye(3, dtype=np.float32))
    target = WordVectors(["mid", "far"], np.array([[1, 1, 1], [-1, -1, -1]], dtype=np.float32))
    found = describe(source, target, k=1)
    assert found["hubs"][0] == ["mid", 3]
    assert (found["antihubs"], found["n"], found["words"]) == (50.0, [0, 3], [1, 1])
    assert skewness(np.array([4, 4, 4])) == 0


def test_shares_are_of_target_words_and_averaged_over_seeds() -> None:
    cells = [{"n": [0, 2], "words": [3, 1]}, {"n": [1, 2, 5], "words": [2, 1, 1]}]
    assert at_least(cells, np.array([1, 2, 3])).tolist() == [62.5, 37.5, 12.5]


def test_the_picture_repeats_to_the_byte_and_names_every_system(spaces, tmp_path: Path) -> None:
    cells = [{"seed": seed} | describe(*spaces) for seed in (1, 2)]
    systems = dict.fromkeys(("procrustes", "joint", "joint_vr", "duong", "joint_align_rcsls"), cells)
    text = drawn_twice(tmp_path, lambda out: plot_hubness(systems, "caption", out))
    assert all(f"<!-- {name} -->" in text for name in systems)


def test_a_system_whose_map_failed_is_marked(spaces, tmp_path: Path) -> None:
    cell = describe(*spaces)
    cells = [{"seed": 1, "degenerate": True} | cell, {"seed": 2, "degenerate": False} | cell]
    plot_hubness({"muse": cells, "joint": [{"seed": 1} | cell]}, "demo", [tmp_path / "h.svg"])
    text = (tmp_path / "h.svg").read_text()
    assert "<!-- muse †1/2 -->" in text
    assert "joint †" not in text
