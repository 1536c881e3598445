"""Statistics of a card against counts by hand, and eigenvalues against other programs and known graphs."""

from pathlib import Path

import numpy as np
import pytest
from scipy.sparse.csgraph import laplacian

from crosslingua.atlas.card_statistics import (
    BEGINNING,
    card_statistics,
    eigen_similarity,
    neighbour_graph,
    spectral_difference,
    spectrum,
    type_token_ratio,
)
from crosslingua.corpora.counting import count_words
from crosslingua.errors import InputError
from crosslingua.io.vectors import WordVectors

STAR = np.array([[0, 1, 1, 1], [1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]])
PATH = np.array([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]])


def space(matrix: np.ndarray) -> WordVectors:
    return WordVectors([f"w{i}" for i in range(len(matrix))], matrix.astype(np.float32))


def test_numbers_of_two_texts_by_hand(tmp_path: Path) -> None:
    texts = tmp_path / "a.txt", tmp_path / "b.txt"
    texts[0].write_text("a b a x\na  b\n")  # 6 words, 3 of them distinct
    texts[1].write_text("a a b d\n")
    counts = [count_words(text) for text in texts]
    train, test = [("a", "d"), ("a", "zz"), ("b", "b"), ("x", "zz")], [("x", "d"), ("x", "a"), ("q", "a")]
    found = card_statistics(texts, counts, train, test, min_count=2)
    assert found == {
        "text_words": [6, 4],
        "text_types": [3, 3],
        "type_token_ratio": [0.5, 0.75],
        # In the second text a stands twice: 3 words of the first. Of the second, a (2) and b (1) stand twice there.
        "spelt_alike": pytest.approx(100 * (3 + 3) / 10),
        "train_words": 0,  # d and b stand once in the second text
        "test_words": 0,
        "eigen_similarity": None,
    }
    rng = np.random.default_rng(0)
    vectors = [WordVectors(words, rng.normal(size=(3, 4))) for words in (["a", "b", "x"], ["a", "b", "d"])]
    found = card_statistics(texts, counts, train, test, 2, vectors)
    assert (found["train_words"], found["test_words"], found["eigen_similarity"]) == (2, 1, None)


def test_the_ratio_is_of_the_beginning_of_a_text(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("a b\n" * (BEGINNING // 2) + "c d\n" * 9)
    assert type_token_ratio(text) == 2 / BEGINNING
    text.write_text("\n")
    with pytest.raises(InputError, match="no words"):
        type_token_ratio(text)


@pytest.mark.parametrize(
    ("graph", "eigenvalues"),
    [
        (STAR, [4, 1, 1, 0]),
        (PATH, [2 + 2**0.5, 2, 2 - 2**0.5, 0]),
        (1 - np.eye(4), [4, 4, 4, 0]),
        (np.kron(np.eye(2), [[0, 1], [1, 0]]), [2, 2, 0, 0]),
    ],
)
def test_eigenvalues_of_known_graphs(graph: np.ndarray, eigenvalues: list[float]) -> None:
    assert spectrum(graph) == pytest.approx(eigenvalues, abs=1e-12)


def test_the_difference_of_two_graphs_by_hand() -> None:
    # 90 % of a sum of 6 is 5.4: the star reaches it with three eigenvalues, the path with two.
    expected = (4 - (2 + 2**0.5)) ** 2 + (1 - 2) ** 2
    assert spectral_difference(spectrum(STAR), spectrum(PATH)) == pytest.approx(expected)
    assert spectral_difference(spectrum(PATH), spectrum(STAR)) == pytest.approx(expected)


def test_graph_and_eigenvalues_are_those_of_brute_force() -> None:
    matrix = np.random.default_rng(1).normal(size=(200, 5))
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    unit -= unit.mean(axis=0)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    cosines = unit @ unit.T - 9 * np.eye(200)
    expected = np.zeros((200, 200))
    for i, row in enumerate(cosines):
        expected[i, row.argmax()] = expected[row.argmax(), i] = 1
    found = neighbour_graph(matrix)
    assert (found == expected).all()
    assert spectrum(found)[::-1] == pytest.approx(np.linalg.eigvalsh(laplacian(expected)), abs=1e-9)


def test_words_with_one_vector_are_each_others_neighbours() -> None:
    matrix = np.random.default_rng(2).normal(size=(9, 4))
    matrix[7] = matrix[1]
    found = neighbour_graph(matrix)
    assert found[1, 7] == found[7, 1] == 1
    assert not found.diagonal().any()


def test_turned_and_shuffled_spaces_are_equal_and_others_are_not() -> None:
    rng = np.random.default_rng(3)
    matrix = rng.normal(size=(300, 6))
    turned = (matrix @ np.linalg.qr(rng.normal(size=(6, 6)))[0])[rng.permutation(300)]
    assert eigen_similarity(space(matrix), space(turned), 300) == pytest.approx(0, abs=1e-9)
    other = rng.normal(size=(300, 60))  # of many dimensions, with larger hubs
    assert eigen_similarity(space(matrix), space(other), 300) > 1
    assert eigen_similarity(space(matrix), space(turned), 301) is None
