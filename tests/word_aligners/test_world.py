"""Bitext of the controlled world with vectors made of its gold dictionary: every aligner finds the gold links."""

from collections import Counter

import numpy as np
import pytest

from crosslingua.corpora.world.bitext import bitext_blocks
from crosslingua.corpora.world.realise import World
from crosslingua.corpora.world.spec import load_languages
from crosslingua.corpora.world.text import make_dictionary
from crosslingua.errors import ConfigError
from crosslingua.io.vectors import WordVectors
from crosslingua.word_aligners import ALIGNERS
from crosslingua.word_aligners.encoding import StaticEmbedding
from crosslingua.word_aligners.options import needs_vectors

PAIRS = 300


@pytest.fixture(scope="module")
def world(repository):
    return World(load_languages(repository / "world.yaml"), 1)


@pytest.fixture(scope="module")
def bitext(world):
    """Pairs, and gold links: sure, possible."""
    blocks = list(bitext_blocks(world, "ana", "cor", PAIRS))
    source, target, links = ("".join(part).splitlines() for part in zip(*blocks, strict=True))
    gold = []
    for line in links:
        sure = {tuple(map(int, link.split("-"))) for link in line.split() if "-" in link}
        gold.append((sure, sure | {tuple(map(int, link.split("p"))) for link in line.split() if "p" in link}))
    return [(one.split(), other.split()) for one, other in zip(source, target, strict=True)], gold


@pytest.fixture(scope="module")
def embed(world):
    """A source word's vector is random; a target word's is the mean of those that it translates, plus noise."""
    rng = np.random.default_rng(0)
    dictionary = make_dictionary(world, "ana", "cor")
    pairs = [*dictionary.train, *dictionary.valid, *dictionary.test]
    source = {word: rng.standard_normal(64) for word in sorted({word for word, _ in pairs})}
    target: dict[str, np.ndarray] = {}
    for one, other in pairs:
        target[other] = target.get(other, 0.3 * rng.standard_normal(64)) + source[one]
    return StaticEmbedding(
        *(WordVectors(list(side), np.float32(list(side.values()))) for side in (source, target))
    )


def error_rate(links, gold) -> float:
    """AER (Och and Ney 2003), in percent."""
    counts: Counter[str] = Counter()
    for found, (sure, possible) in zip(links, gold, strict=True):
        counts.update(hits=len(found & sure) + len(found & possible), all=len(found) + len(sure))
    return 100 * (1 - counts["hits"] / counts["all"])


@pytest.mark.parametrize("name", [name for name in ALIGNERS if needs_vectors(name)])
def test_far_above_the_diagonal(bitext, embed, name):
    pairs, gold = bitext
    diagonal = [{(i, round(i * (len(t) - 1) / max(1, len(s) - 1))) for i in range(len(s))} for s, t in pairs]
    baseline = error_rate(diagonal, gold)
    assert baseline > 40
    assert error_rate(ALIGNERS[name](embed).align(pairs), gold) < 0.5 * baseline


def vectors(**words) -> WordVectors:
    return WordVectors(list(words), np.float32(list(words.values())))


def test_words_without_a_vector_stay_unlinked(caplog):
    caplog.set_level("INFO")
    embed = StaticEmbedding(vectors(a=[1, 0], b=[0, 1], zero=[0, 0]), vectors(A=[1, 0.1], B=[0.1, 1]))
    pairs = [(["?", "b", "zero", "a"], ["A", "B", "!"]), (["?"], ["A"])]
    for name in ALIGNERS:
        if needs_vectors(name):
            assert list(ALIGNERS[name](embed).align(pairs)) == [{(1, 1), (3, 0)}, frozenset()]
    embed.report()
    assert "source: 9 of 15 words (60.0%) have no vector" in caplog.text
    assert "target: 3 of 12 words (25.0%)" in caplog.text


def test_vectors_of_two_spaces():
    with pytest.raises(ConfigError, match="source vectors have 2 dimensions and target vectors 1"):
        StaticEmbedding(vectors(a=[1, 0]), vectors(b=[1]))
