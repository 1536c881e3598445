import gzip
from pathlib import Path

import numpy as np
import pytest

from crosslingua.errors import ConfigError, InputError
from crosslingua.word_embeddings.fasttext import FastText
from texts import written

SMALL = FastText(dim=12, epoch=20, minCount=2, minn=0, maxn=0, ws=2)


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two toy corpora in which x1 and x2 (and y1 and y2) occur in the same contexts; `z` stands in both."""
    random = np.random.default_rng(1)
    folder = tmp_path_factory.mktemp("corpora")
    paths = []
    for prefix in "ab":
        lines = []
        for _ in range(3000):
            kind = random.choice(["x", "y"])
            context = random.choice([f"{prefix}{kind}c{i}" for i in range(6)], size=4)
            word = f"{prefix}{kind}{random.integers(1, 3)}"
            lines.append(" ".join([*context[:2], word, *context[2:], "z"]))
        paths.append(folder / f"{prefix}.txt")
        paths[-1].write_text("\n".join([*lines, "once"]) + "\n")
    return paths


def cosine(vectors, one: str, other: str) -> float:
    a, b = vectors[one], vectors[other]
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_words_of_like_contexts_are_neighbours_and_frequent_ones_come_first(corpora) -> None:
    vectors = SMALL.train(corpora[:1], seed=1)
    assert vectors.dimension == 12
    assert cosine(vectors, "ax1", "ax2") > cosine(vectors, "ax1", "ay1") + 0.2
    words = vectors.words
    assert words[0] == "z"
    assert "</s>" not in words
    assert "once" not in words
    assert SMALL.train(corpora[:1], seed=1, max_vocabulary=3).words == words[:3]


def test_joint_training_shares_one_vocabulary(corpora) -> None:
    joint = SMALL.train(corpora, seed=1)
    assert {"ax1", "bx1", "z", "once"} <= set(joint.words)
    assert len(joint.words) == len(set(joint.words))


def test_texts_are_joined_at_lines_without_byte_order_marks(tmp_path: Path) -> None:
    one = written(tmp_path / "one", "cat dog\n" * 3 + "cat dog")  # no line end
    two = written(tmp_path / "two.gz", gzip.compress(("\ufeffchat chien\n" * 4).encode()))
    vectors = FastText(dim=4, epoch=1, minCount=1, minn=0, maxn=0).train([one, two], seed=1)
    assert {*vectors.words} == {"cat", "dog", "chat", "chien"}


def test_the_seed_decides(corpora) -> None:
    one, same, other = (SMALL.train(corpora[:1], seed=seed).matrix for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_every_word_starts_somewhere_else(corpora) -> None:
    # Next to no learning leaves the initial vectors: fastText alone leaves nine tenths of them undrawn.
    start = FastText(dim=12, epoch=1, lr=1e-9, minCount=1, minn=0, maxn=0).train(corpora[:1], seed=1).matrix
    assert len(np.unique(start.round(6), axis=0)) == len(start)
    assert 0.8 / 12 < np.abs(start).max() <= 1.001 / 12
    assert abs(start.std() - 2 / 12 / np.sqrt(12)) < 0.01


def test_subwords_change_the_vectors(corpora) -> None:
    subwords = FastText(dim=12, epoch=1, minCount=2, minn=2, maxn=3)
    words_only = FastText(dim=12, epoch=1, minCount=2, minn=0, maxn=0)
    found = [kind.train(corpora[:1], seed=1).matrix for kind in (subwords, words_only)]
    assert not np.allclose(*found)


def test_bad_corpora_are_named(tmp_path: Path) -> None:
    empty, rare = written(tmp_path / "empty.txt", ""), written(tmp_path / "rare.txt", "every word once\n")
    with pytest.raises(InputError, match=r"empty\.txt: the corpus is empty"):
        SMALL.train([empty], seed=1)
    with pytest.raises(InputError, match=r"rare\.txt: no word occurs 9 times \(lower minCount\)"):
        FastText(dim=4, minCount=9, maxn=0).train([rare], seed=1)
    with pytest.raises(ConfigError, match="bucket 1000"):
        FastText(dim=4, minn=2, maxn=3, bucket=1000).train([rare], seed=1)
    with pytest.raises(ConfigError, match="seed -1"):
        SMALL.train([rare], seed=-1)
