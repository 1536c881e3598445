"""fast_align on the world's bitext, on the public gold sets, and on odd input."""

import pytest

from corpora.world.support import make_world
from crosslingua.corpora.datasets.readers.gold_alignment_archive import read
from crosslingua.corpora.world.bitext import bitext_blocks
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.pharaoh import read_pharaoh
from crosslingua.word_aligners.fast_align import FastAlign
from crosslingua.word_aligners.gibbs import Gibbs
from crosslingua.word_aligners.scoring import score
from texts import written


@pytest.fixture(scope="module")
def bitext(tmp_path_factory):
    """1,500 pairs of an SVO and an SOV language, and their gold links."""
    world = make_world(own={}, other={"word_order": "SOV", "adpositions": "after"})
    blocks = list(bitext_blocks(world, "own", "other", 1500))
    source, target, links = ("".join(block[part] for block in blocks) for part in range(3))
    path = written(tmp_path_factory.mktemp("gold") / "links", links)
    pairs = [(s.split(), t.split()) for s, t in zip(source.splitlines(), target.splitlines(), strict=True)]
    return pairs, read_pharaoh(path, [(len(s), len(t)) for s, t in pairs])


def test_far_above_the_diagonal(bitext):
    pairs, gold = bitext
    # at the same relative position
    diagonal = [{(j * len(s) // len(t), j) for j in range(len(t))} for s, t in pairs]
    assert score(gold, diagonal, samples=1)["aer"] > 50
    assert score(gold, FastAlign().align(pairs), samples=1)["aer"] < 20


def test_directions_swap_with_the_languages(bitext):
    pairs = bitext[0][:300]
    there = list(FastAlign(symmetrisation="forward").align(pairs))
    back = list(FastAlign(symmetrisation="backward").align([(t, s) for s, t in pairs]))
    assert there == [{(j, i) for i, j in links} for links in back]


def test_one_thread_or_two(bitext, monkeypatch):
    links = []
    for threads in ("1", "2"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        links.append(list(FastAlign().align(bitext[0])))
    assert links[0] == links[1]


def test_empty_sides_have_no_links(bitext):
    pairs = bitext[0][:50]
    links = list(FastAlign().align([*pairs, ([], ["x"]), (["a"], []), ([], [])]))
    assert links[50:] == [frozenset()] * 3
    assert links[:50] == list(FastAlign().align(pairs))
    assert list(FastAlign().align([([], ["x"])])) == [frozenset()]
    assert list(FastAlign().align([])) == []


def test_training_text_helps_and_yields_no_links(bitext):
    pairs, gold = bitext
    few, more = pairs[:100], pairs[100:]
    links = list(FastAlign().align(few, training=more))
    assert links == list(FastAlign().align(pairs))[:100]
    alone = score(gold[:100], FastAlign().align(few), samples=1)["aer"]
    assert score(gold[:100], links, samples=1)["aer"] < alone - 3


# The original program, `-d -o -v` both ways and grow-diag-final-and, trained on the gold set's text alone.
ORIGINAL = {"de-en": 49.3, "en-fr": 29.9, "en-hi": 77.6, "ro-en": 51.6}


@pytest.mark.parametrize("pair", ORIGINAL)
def test_error_rates_of_the_original_program(mirror, pair):
    sentences, gold = read(mirror / "word-alignments" / "alignment-test-sets.tar.gz", pair)
    pairs = [(source.split(), target.split()) for source, target in sentences]
    assert score(gold, FastAlign().align(pairs), samples=1)["aer"] == pytest.approx(ORIGINAL[pair], abs=0.5)


@pytest.mark.parametrize("kind", [FastAlign, Gibbs])
def test_too_long_a_pair_is_refused(kind):
    """Before the four bytes of each of its cells are asked for: 14 GB here."""
    pairs, long = [(["a"], ["b"]), (["a", "c"], ["b"])], (["a"] * 60_000, ["b"] * 60_000)
    message = "text:3: a pair of 60000 and 60000 words is too long: 10000000 cells"
    with pytest.raises(InputError, match=message):
        kind().align([*pairs, long])
    with pytest.raises(InputError, match=r"training text:1: a pair of 2 and 1 words .*--set max_cells=N"):
        kind(max_cells=1).align(pairs[:1], pairs[1:])
    assert len(list(kind(max_cells=2).align(pairs))) == 2
    with pytest.raises(ConfigError, match="max_cells=0"):
        kind(max_cells=0)
