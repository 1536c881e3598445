"""fastText, and replacement of words in its text against counting."""

import gzip
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from crosslingua.errors import ConfigError, InputError
from crosslingua.word_embeddings import joint_replace
from crosslingua.word_embeddings.fasttext import FastText
from crosslingua.word_embeddings.joint_replace import replace_text, replace_texts, translations_of
from texts import written

SMALL = FastText(dim=12, epoch=20, minCount=2, minn=0, maxn=0, ws=2)
PAIRS = [
    ("dog", "hund"), ("dog", "köter"), ("dog", "hund"), ("cat", "katze"), ("hound", "hund"), ("taxi", "taxi"),
]  # fmt: skip


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two toy corpora in which x1 and x2 (and y1 and y2) occur in the same contexts; `z` stands in both."""
    random, folder, paths = np.random.default_rng(1), tmp_path_factory.mktemp("corpora"), []
    for prefix in "ab":
        lines = []
        for _ in range(3000):
            kind = random.choice(["x", "y"])
            context = random.choice([f"{prefix}{kind}c{i}" for i in range(6)], size=4)
            word = f"{prefix}{kind}{random.integers(1, 3)}"
            lines.append(" ".join([*context[:2], word, *context[2:], "z"]))
        paths.append(written(folder / f"{prefix}.txt", "\n".join([*lines, "once"]) + "\n"))
    return paths


def cosine(vectors, one: str, other: str) -> float:
    a, b = vectors[one], vectors[other]
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_words_of_like_contexts_are_neighbours_and_frequent_ones_come_first(corpora) -> None:
    vectors = SMALL.train(corpora[:1], seed=1)
    assert vectors.dimension == 12
    assert cosine(vectors, "ax1", "ax2") > cosine(vectors, "ax1", "ay1") + 0.2
    assert vectors.words[0] == "z"
    assert not {"</s>", "once"} & set(vectors.words)
    assert SMALL.train(corpora[:1], seed=1, max_vocabulary=3).words == vectors.words[:3]


def test_joint_training_shares_one_vocabulary(corpora) -> None:
    words = SMALL.train(corpora, seed=1).words
    assert {"ax1", "bx1", "z", "once"} <= set(words)
    assert len(words) == len(set(words))


def test_texts_are_joined_at_lines_without_byte_order_marks(tmp_path: Path) -> None:
    one = written(tmp_path / "one", "\ufeffcat dog\r" * 3 + "cat dog")  # no line end
    two = written(tmp_path / "two.gz", gzip.compress(("\ufeffchat chien\n" * 4).encode()))
    vectors = FastText(dim=4, epoch=1, minCount=1, minn=0, maxn=0).train([one, two], seed=1)
    assert {*vectors.words} == {"cat", "dog", "chat", "chien"}


@pytest.mark.parametrize("program", ["crosslingua", "fasttext"])
def test_line_ends_and_marks_change_no_vector(corpora, tmp_path: Path, program) -> None:
    lines = corpora[0].read_text().splitlines()[:500]
    mixed = "\ufeff" + "".join(line + ("\r", "\n", "\r\n")[place % 3] for place, line in enumerate(lines))
    texts = [written(tmp_path / "a", "\n".join(lines) + "\n"), written(tmp_path / "b", mixed)]
    one, other = (replace(SMALL, program=program).train([text], seed=1) for text in texts)
    assert one.words == other.words
    assert one.matrix.tobytes() == other.matrix.tobytes()


def test_the_seed_decides(corpora) -> None:
    one, same, other = (SMALL.train(corpora[:1], seed=seed).matrix.tobytes() for seed in (1, 1, 2))
    assert one == same != other


@pytest.mark.parametrize("program", ["crosslingua", "fasttext"])
def test_every_word_starts_somewhere_else(corpora, program) -> None:
    # Next to no learning leaves the initial vectors: fastText alone leaves nine tenths of them undrawn.
    start = (
        FastText(program=program, dim=12, epoch=1, lr=1e-9, minCount=1, minn=0, maxn=0)
        .train(corpora[:1], seed=1)
        .matrix
    )
    assert len(np.unique(start.round(6), axis=0)) == len(start)
    assert 0.8 / 12 < np.abs(start).max() <= 1.001 / 12
    assert abs(start.std() - 2 / 12 / np.sqrt(12)) < 0.01


def test_a_small_corpus_is_passed_over_until_enough_words_are_read(tmp_path: Path) -> None:
    text = written(tmp_path / "text", "a b c d\n" * 100)  # 400 words
    of = {n: FastText(epoch=3, words_read=n).passes(400) for n in (0, 400, 2000, 100_000)}
    assert of == {0: 3, 400: 3, 2000: 5, 100_000: 15}
    assert FastText(epoch=20, words_read=2000).passes(400) == 20
    small = {"dim": 4, "minCount": 1, "minn": 0, "maxn": 0}
    same = [
        FastText(**small, epoch=e, words_read=n).train([text], seed=1) for e, n in ((5, 0), (1, 2000), (1, 0))
    ]
    assert (same[0].matrix == same[1].matrix).all()
    assert (same[0].matrix != same[2].matrix).any()


def test_two_texts_together_are_read_as_often_as_each_alone(tmp_path: Path) -> None:
    texts = [written(tmp_path / name, f"{name} b c d\n" * 100) for name in ("one", "two")]  # 400 words each
    small = {"dim": 4, "minCount": 1, "minn": 0, "maxn": 0}
    limited, fixed = (
        FastText(**small, epoch=e, words_read=n).train(texts, seed=1) for e, n in ((1, 2000), (5, 0))
    )
    assert (limited.matrix == fixed.matrix).all()


def test_subwords_change_the_vectors(corpora) -> None:
    subwords = FastText(dim=12, epoch=1, minCount=2, minn=2, maxn=3)
    words_only = FastText(dim=12, epoch=1, minCount=2, minn=0, maxn=0)
    found = [kind.train(corpora[:1], seed=1).matrix for kind in (subwords, words_only)]
    assert not np.allclose(*found)


def test_bad_corpora_are_named(tmp_path: Path) -> None:
    empty, rare = written(tmp_path / "empty.txt", ""), written(tmp_path / "rare.txt", "every word once\n")
    with pytest.raises(InputError, match=r"empty\.txt: the corpus has no words"):
        SMALL.train([empty], seed=1)
    with pytest.raises(InputError, match=r"rare\.txt: no word occurs 9 times \(lower minCount\)"):
        FastText(dim=4, minCount=9, maxn=0).train([rare], seed=1)
    # 2**24 floats of 4 dimensions
    with pytest.raises(ConfigError, match=r"bucket 1000: .* say --bucket 4194304, or .* --maxn 0"):
        FastText(program="fasttext", dim=4, minn=2, maxn=3, bucket=1000).train([rare], seed=1)
    with pytest.raises(ConfigError, match="our kernel trains skipgram; choose program fasttext"):
        FastText(model="cbow").train([rare], seed=1)
    with pytest.raises(ConfigError, match="seed -1"):
        SMALL.train([rare], seed=-1)


def test_translations_of_either_side():
    expected = {"dog": ["hund", "köter"], "cat": ["katze"], "hound": ["hund"], "taxi": ["taxi"]}
    assert translations_of(PAIRS) == expected
    assert translations_of(PAIRS, reverse=True)["hund"] == ["dog", "hound"]


def test_every_known_word_is_replaced_at_probability_one(tmp_path):
    (tmp_path / "a").write_text("the cat  sat\n\n cat's cat \u2028cat\nhound")
    counts = replace_text(tmp_path / "a", tmp_path / "b", translations_of(PAIRS), seed=1, probability=1)
    assert (tmp_path / "b").read_text() == "the katze  sat\n\n cat's katze \u2028cat\nhund\n"
    assert (counts.tokens, counts.known, counts.replaced) == (7, 3, 3)


def test_the_stated_distribution(tmp_path):
    n = 40_000
    (tmp_path / "a").write_text("dog cat bird\n" * n)
    replace_text(tmp_path / "a", tmp_path / "b", translations_of(PAIRS), seed=1, probability=0.3)
    lines = [line.split() for line in (tmp_path / "b").read_text().splitlines()]
    dogs, cats, birds = (Counter(line[i] for line in lines) for i in range(3))
    assert birds == {"bird": n}
    both = sum(line[0] != "dog" and line[1] != "cat" for line in lines)  # occurrences are independent
    replaced, shares = [cats["katze"], dogs["hund"], dogs["köter"], both], [0.3, 0.15, 0.15, 0.09]
    assert replaced == pytest.approx(n * np.array(shares), abs=4 * np.sqrt(0.3 * 0.7 * n))


def test_seeded_and_independent_of_the_block_size(tmp_path, monkeypatch):
    (tmp_path / "a").write_text("dog cat bird dog\n" * 500)

    def text(seed):
        replace_text(tmp_path / "a", tmp_path / "b", translations_of(PAIRS), seed=seed)
        return (tmp_path / "b").read_text()

    first = text(1)
    assert text(2) != first
    monkeypatch.setattr(joint_replace, "BLOCK", 7)
    assert text(1) == first


def test_clear_errors(tmp_path):
    (tmp_path / "a").write_text("no known word\n")
    with pytest.raises(InputError, match="none of its 3 words is in the dictionary"):
        replace_text(tmp_path / "a", tmp_path / "b", translations_of(PAIRS), seed=1)
    assert not (tmp_path / "b").exists()
    with pytest.raises(ConfigError, match="probability 0"):
        replace_text(tmp_path / "a", tmp_path / "b", {}, seed=1, probability=0)


def test_both_texts_are_replaced(tmp_path, caplog):
    texts = written(tmp_path / "en", "the dog saw hund\n"), written(tmp_path / "de", "der hund sah dog\n")
    (tmp_path / "out").mkdir()
    with caplog.at_level("INFO"):
        found = replace_texts(texts, [("dog", "hund")], tmp_path / "out", seed=1, probability=1)
    assert [path.read_text() for path in found] == ["the hund saw hund\n", "der dog sah dog\n"]
    assert "1 of 4 words replaced (25.0%)" in caplog.text


def test_the_script_trains_on_replaced_texts(tmp_path, script, monkeypatch):
    """The vectors are those of the replaced texts; nothing else is left behind."""
    rng = np.random.default_rng(0)
    for name in ("en", "de"):
        lines = rng.choice([f"{name}{i}" for i in range(9)], (80, 6))
        (tmp_path / name).write_text("".join(" ".join(line) + "\n" for line in lines))
    pairs = [(f"en{i}", f"de{i}") for i in range(5)]
    (tmp_path / "d.txt").write_text("".join(f"{one} {other}\n" for one, other in pairs))
    (tmp_path / "apart").mkdir()
    files = tmp_path / "en", tmp_path / "de"
    texts = replace_texts(files, pairs, tmp_path / "apart", seed=3, probability=0.5)
    before = set(tmp_path.iterdir())
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    settings = ("--dim", 4, "--epoch", 1, "--maxn", 0, "--minn", 0, "--seed", 3)
    train = partial(script, "train_embeddings.py", *settings)
    train("--text", *texts, "--out", "apart.vec")
    train("--text", "en", "de", "--replace", "d.txt", "--out", "at_once.vec")
    assert (tmp_path / "at_once.vec").read_bytes() == (tmp_path / "apart.vec").read_bytes()
    assert {path.name for path in set(tmp_path.iterdir()) - before} == {"apart.vec", "at_once.vec"}
    done = train("--text", "en", "--replace", "d.txt", "--out", "x.vec", status=1)
    assert "error: --replace needs a source and a target --text, not 1" in done.stderr
