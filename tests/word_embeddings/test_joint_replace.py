"""Replacement against counting, hand-worked text and its stated distribution."""

from collections import Counter
from functools import partial

import numpy as np
import pytest

from crosslingua.errors import ConfigError, InputError
from crosslingua.word_embeddings import joint_replace
from crosslingua.word_embeddings.joint_replace import replace_text, replace_texts, translations_of

PAIRS = [
    ("dog", "hund"),
    ("dog", "köter"),
    ("dog", "hund"),
    ("cat", "katze"),
    ("hound", "hund"),
    ("taxi", "taxi"),
]


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
    tolerance = 4 * np.sqrt(0.3 * 0.7 * n)
    assert cats["katze"] == pytest.approx(0.3 * n, abs=tolerance)
    assert dogs["hund"] == pytest.approx(0.15 * n, abs=tolerance)
    assert dogs["köter"] == pytest.approx(0.15 * n, abs=tolerance)
    both = sum(line[0] != "dog" and line[1] != "cat" for line in lines)
    assert both == pytest.approx(0.09 * n, abs=tolerance)  # occurrences are independent


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
    (tmp_path / "en").write_text("the dog saw hund\n")
    (tmp_path / "de").write_text("der hund sah dog\n")
    pairs, texts = [("dog", "hund"), ("cat", "katze")], (tmp_path / "en", tmp_path / "de")
    (tmp_path / "out").mkdir()
    with caplog.at_level("INFO"):
        source, target = replace_texts(texts, pairs, tmp_path / "out", seed=1, probability=1)
    assert source.read_text() == "the hund saw hund\n"
    assert target.read_text() == "der dog sah dog\n"
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
