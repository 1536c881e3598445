"""Bitext of the controlled world with vectors made of its gold dictionary: every aligner finds the gold links."""

import numpy as np
import pytest

from crosslingua.corpora.world.bitext import bitext_blocks
from crosslingua.corpora.world.realise import World
from crosslingua.corpora.world.spec import load_languages
from crosslingua.corpora.world.text import make_dictionary
from crosslingua.errors import ConfigError
from crosslingua.io.pharaoh import read_pharaoh
from crosslingua.io.vectors import WordVectors
from crosslingua.word_aligners import ALIGNERS
from crosslingua.word_aligners.encoding import StaticEmbedding
from crosslingua.word_aligners.options import needs_vectors
from crosslingua.word_aligners.scoring import score
from texts import written

PAIRS = 300


@pytest.fixture(scope="module")
def world(repository):
    return World(load_languages(repository / "world.yaml"), 1)


@pytest.fixture(scope="module")
def bitext(world, tmp_path_factory):
    """Pairs, and their gold links."""
    blocks = list(bitext_blocks(world, "ana", "cor", PAIRS))
    source, target, links = ("".join(part) for part in zip(*blocks, strict=True))
    gold = read_pharaoh(written(tmp_path_factory.mktemp("gold") / "links", links))
    pairs = zip(source.splitlines(), target.splitlines(), strict=True)
    return [(one.split(), other.split()) for one, other in pairs], gold


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
    return StaticEmbedding(vectors(**source), vectors(**target))


@pytest.mark.parametrize("name", [name for name in ALIGNERS if needs_vectors(name)])
def test_far_above_the_diagonal(bitext, embed, name):
    pairs, gold = bitext
    diagonal = [{(i, round(i * (len(t) - 1) / max(1, len(s) - 1))) for i in range(len(s))} for s, t in pairs]
    baseline = score(gold, diagonal, samples=0)["aer"]
    assert baseline > 40
    assert score(gold, ALIGNERS[name](embed).align(pairs), samples=0)["aer"] < 0.5 * baseline


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
