from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from scipy.stats import skew
from sklearn.neighbors import NearestNeighbors

from crosslingua.io.vectors import WordVectors
from crosslingua.papers.joint_align.figures import at_least, plot_hubness
from crosslingua.report.similarity import describe, occurrences, skewness


def vectors(prefix: str, number: int, seed: int) -> WordVectors:
    matrix = np.random.default_rng(seed).normal(size=(number, 12)).astype(np.float32)
    return WordVectors([f"{prefix}{i}" for i in range(number)], matrix)


def test_occurrences_agree_with_scikit_learn() -> None:
    source, target = vectors("s", 150, 0), vectors("t", 90, 1)
    model = NearestNeighbors(n_neighbors=10, metric="cosine", algorithm="brute").fit(target.matrix)
    neighbours = model.kneighbors(source.matrix, return_distance=False)
    expected = np.bincount(neighbours.ravel(), minlength=90)
    assert np.array_equal(occurrences(source, target), expected)
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


def test_the_picture_repeats_to_the_byte_and_names_every_system(tmp_path: Path) -> None:
    source, target = vectors("s", 60, 2), vectors("t", 50, 3)
    cells = [{"seed": seed} | describe(source, target) for seed in (1, 2)]
    systems = dict.fromkeys(("procrustes", "joint", "joint_vr", "duong", "joint_align_rcsls"), cells)

    def draw(name: str) -> list[Path]:
        out = [tmp_path / f"{name}.png", tmp_path / f"{name}.svg"]
        plot_hubness(systems, "caption", out)
        return out

    first, second = draw("a"), draw("b")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    text = first[1].read_text()
    assert all(f"<!-- {name} -->" in text for name in systems)
    assert len(np.unique(np.asarray(Image.open(first[0]).convert("RGB")).reshape(-1, 3), axis=0)) > 10


def test_a_system_whose_map_failed_is_marked(tmp_path: Path) -> None:
    source, target = (np.random.default_rng(seed).normal(size=(30, 4)) for seed in (0, 1))
    words = [f"w{i}" for i in range(30)]
    cell = describe(*(WordVectors(words, matrix.astype(np.float32)) for matrix in (source, target)))
    cells = [{"seed": 1, "degenerate": True} | cell, {"seed": 2, "degenerate": False} | cell]
    plot_hubness({"muse": cells, "joint": [{"seed": 1} | cell]}, "demo", [tmp_path / "h.svg"])
    text = (tmp_path / "h.svg").read_text()
    assert "<!-- muse †1/2 -->" in text
    assert "joint †" not in text
