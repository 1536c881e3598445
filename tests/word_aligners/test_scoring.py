"""Alignment error rate and symmetrisation by hand; every aligner finds the gold links of the world."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosslingua.corpora.world.bitext import bitext_blocks
from crosslingua.corpora.world.realise import World
from crosslingua.corpora.world.spec import load_languages
from crosslingua.corpora.world.text import make_dictionary
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.pharaoh import Links, read_pharaoh
from crosslingua.io.vectors import WordVectors
from crosslingua.word_aligners import ALIGNERS
from crosslingua.word_aligners.cooccurrence import count_cooccurrence
from crosslingua.word_aligners.encoding import StaticEmbedding
from crosslingua.word_aligners.options import needs_vectors
from crosslingua.word_aligners.scoring import count_links, intervals, rates, read_alignment, score, signature
from crosslingua.word_aligners.symmetrisation import SYMMETRISATIONS, symmetrise
from programs import in_a_process
from texts import written

GOLD = [Links.of([(0, 0), (1, 1)], [(1, 2)]), Links.of([(0, 0)]), Links.of([], [(3, 3)])]
# First pair: 0-0 sure, 1-2 possible, 2-2 wrong. Second: its one link. Third: nothing.
CHOSEN = [[(0, 0), (1, 2), (2, 2)], [(0, 0)], []]
PAIRS = 300
RATES = ("aer", "precision", "recall", "f1")


def test_rates_by_hand():
    """|A| = 4, |S| = 3, |A & S| = 2, |A & P| = 3."""
    result = score(GOLD, CHOSEN)
    f1 = 100 * 2 * (3 / 4) * (2 / 3) / (3 / 4 + 2 / 3)
    assert [result[name] for name in RATES] == pytest.approx([100 * (1 - 5 / 7), 75, 200 / 3, f1])
    assert result["counts"] == {"pairs": 3, "chosen": 4, "sure": 3, "possible": 5}


def test_gold_against_gold_and_nothing():
    result = score(GOLD, [links.sure for links in GOLD])
    assert [result[name] for name in RATES] == [0, 100, 100, 100]
    assert score(GOLD, [[], [], []])["aer"] == 100
    with pytest.raises(ConfigError, match="no sure link"):
        score([Links.of([], [(0, 0)])], [[(0, 0)]])


def test_intervals_against_a_plain_bootstrap():
    rng = np.random.default_rng(5)
    sure = rng.integers(1, 10, 60)
    both = rng.integers(0, sure + 1)
    counts = np.stack([sure, sure, both, both], axis=1)
    low, high = intervals(counts, samples=4000)["aer"]
    plain = [rates(counts[rng.integers(0, 60, 60)].sum(axis=0))["aer"] for _ in range(4000)]
    assert [low, high] == pytest.approx(np.quantile(plain, [0.025, 0.975]).tolist(), abs=0.8)
    assert low < rates(counts.sum(axis=0))["aer"] < high


def test_counts_of_each_pair_and_the_signature():
    assert count_links(GOLD, CHOSEN).tolist() == [[3, 2, 1, 2], [1, 1, 1, 1], [0, 0, 0, 0]]
    assert signature(GOLD, 1) == "index_base=1|links=sure+possible"
    assert signature([Links.of([(0, 0)])], 0) == "index_base=0|links=sure"


@pytest.mark.parametrize("numbered", [False, True])
def test_both_bases_of_both_formats_are_read_alike(tmp_path, numbered):
    links = [Links.of([(0, 1), (2, 0)]), Links.of([(1, 1)])]
    for base in (0, 1):
        rows = [" ".join(f"{i + base}-{j + base}" for i, j in pair.sure) for pair in links]
        if numbered:
            rows = [f"{k} {i + base} {j + base} S" for k, pair in enumerate(links) for i, j in pair.sure]
        path = written(tmp_path / f"links{base}", "\n".join(rows) + "\n")
        assert read_alignment(path, [(3, 2), (2, 2)], base) == links


def test_pharaoh_links_below_the_base(tmp_path):
    with pytest.raises(InputError, match=r"links:2: link 0-2 is below the first token, 1"):
        read_alignment(written(tmp_path / "links", "1-1\n0-2\n"), index_base=1)


@pytest.mark.parametrize(("first", "warned"), [(1, True), (0, False)])
def test_links_that_never_touch_a_first_word_are_doubted(tmp_path, caplog, first, warned):
    read_alignment(written(tmp_path / "links", f"{first}-{first} 3-2\n" * 12))
    assert ("is the index base right?" in caplog.text) == warned


def test_intervals_can_be_left_out():
    chosen = [links.sure for links in GOLD]
    with_intervals, without = (score(GOLD, chosen, samples=samples) for samples in (10, 0))
    assert without == with_intervals | {"intervals": {}}
    with pytest.raises(ConfigError, match="samples is -1: give a whole number from 0"):
        score(GOLD, chosen, samples=-1)


def test_command_line(script, tmp_path):
    """Gold counts from 1, with a link that points outside; two hypotheses count from 0."""
    (tmp_path / "alignv2.txt").write_text("7 1 1 S\n7 2 2 S\n7 2 9 P\n9 1 1 S\n")
    files = {"s": "a b\nc\n", "t": "x y\nz\n", "right": "0-0 1-1\n0-0\n", "half": "0-1 1-1\n\n"}
    for name, text in (files | {"outside": "0-0\n1-1\n", "short": "0-0\n"}).items():
        (tmp_path / name).write_text(text)
    common = ("--gold", "alignv2.txt", "--source", "s", "--target", "t")
    (tmp_path / "plan.csv").write_text("hypothesis,out\nright,r.json\nhalf,h.json\n")
    script("score_alignment.py", *common, "--cells", "plan.csv")
    right, half = (json.loads((tmp_path / name).read_text()) for name in ("r.json", "h.json"))
    assert (right["aer"], right["f1"]) == (0, 100)
    assert half["gold_repairs"] == right["gold_repairs"] == {"out_of_range": 1}
    assert (right["signature"], right["by"]) == ("index_base=1|links=sure", "score_alignment.py")
    assert half["aer"] == pytest.approx(100 * (1 - 2 / 5))
    assert half["intervals"]["aer"][0] <= half["aer"] <= half["intervals"]["aer"][1]
    done = script("score_alignment.py", *common, "--hypothesis", "outside", "--out", "o.json", status=1)
    assert "outside:2: link 1-1 is outside a pair of 1 and 1 tokens" in done.stderr
    done = script("score_alignment.py", *common[:2], "--hypothesis", "short", "--out", "o.json", status=1)
    assert "error: short: 1 sentence pairs, but alignv2.txt has 2" in done.stderr


def test_gold_through_a_pipe_is_read_once(tmp_path):
    (tmp_path / "right").write_text("0-0 1-1\n")
    files = ("--gold", "/dev/stdin", "--hypothesis", "right", "--out", "r.json")
    in_a_process("score_alignment.py", *files, folder=tmp_path, input="7 1 1 S\n7 2 2 S\n")
    assert json.loads((tmp_path / "r.json").read_text())["aer"] == 0


def symmetrised(forward, backward, name):
    """Links of one sentence pair; `forward[j]` is a source position, `backward[i]` a target position."""
    text = count_cooccurrence([(["s"] * len(backward), ["t"] * len(forward))])
    (links,) = symmetrise(text, np.array(forward, np.int32), np.array(backward, np.int32), name)
    return set(links)


# forward and backward agree on 0-0 and 3-3. Forward adds 0-1, 1-2 and 4-5, backward adds 1-0, 2-1 and 5-4:
#      t0 t1 t2 t3 t4 t5
#  s0  FB F
#  s1  B     F
#  s2     B
#  s3           FB
#  s4                 F
#  s5              B
FORWARD, BACKWARD = [0, 0, 1, 3, -1, 4], [0, 0, 1, 3, -1, 4]


@pytest.mark.parametrize(("name", "wanted"), [
    ("forward", {(0, 0), (0, 1), (1, 2), (3, 3), (4, 5)}),
    ("backward", {(0, 0), (1, 0), (2, 1), (3, 3), (5, 4)}),
    ("intersect", {(0, 0), (3, 3)}),
    ("union", {(0, 0), (0, 1), (1, 0), (1, 2), (2, 1), (3, 3), (4, 5), (5, 4)}),
    # 0-1 and 1-0 touch 0-0 and cover t1 and s1; 1-2 then touches 0-1 (diagonally) and covers t2, 2-1 touches
    # 1-0 and covers s2. 5-4 and 4-5 touch nothing chosen: 4-4 is no link.
    ("grow_diag", {(0, 0), (0, 1), (1, 0), (1, 2), (2, 1), (3, 3)}),
    ("grow_diag_final_and", {(0, 0), (0, 1), (1, 0), (1, 2), (2, 1), (3, 3), (4, 5), (5, 4)}),
])  # fmt: skip
def test_a_grid_by_hand(name, wanted):
    assert symmetrised(FORWARD, BACKWARD, name) == wanted


def by_sets(forward, backward, name):
    """The published procedure on sets; candidates in order of (i, j)."""
    a = {(i, j) for j, i in enumerate(forward) if i >= 0}
    b = {(i, j) for i, j in enumerate(backward) if j >= 0}
    simple = {"forward": a, "backward": b, "intersect": a & b, "union": a | b}
    if name in simple:
        return simple[name]
    chosen, added = a & b, True
    free = lambda k, side: all(link[side] != k for link in chosen)  # noqa: E731
    while added:
        added = False
        for i, j in sorted((a | b) - chosen):
            beside = any(max(abs(i - y), abs(j - x)) == 1 for y, x in chosen)
            if beside and (free(i, 0) or free(j, 1)):
                chosen, added = chosen | {(i, j)}, True
    if name.endswith("final_and"):
        for i, j in [*sorted(a), *sorted(b)]:
            if free(i, 0) and free(j, 1):
                chosen = chosen | {(i, j)}
    return chosen


@settings(max_examples=200)
@given(st.data(), st.integers(1, 7), st.integers(1, 7))
def test_any_grid_is_that_of_sets(data, n, m):
    forward = data.draw(st.lists(st.integers(-1, n - 1), min_size=m, max_size=m))
    backward = data.draw(st.lists(st.integers(-1, m - 1), min_size=n, max_size=n))
    for name in SYMMETRISATIONS:
        assert symmetrised(forward, backward, name) == by_sets(forward, backward, name)


def test_pairs_keep_their_own_links():
    text = count_cooccurrence([(["a"], ["x", "y"]), ([], ["x"]), (["a", "b"], ["y"])])
    links = symmetrise(text, np.array([0, -1, -1, 1], np.int32), np.array([0, -1, 0], np.int32), "union")
    assert list(links) == [{(0, 0)}, set(), {(1, 0)}]


@pytest.fixture(scope="module")
def world(repository):
    return World(load_languages(repository / "world.yaml"), 1)


@pytest.fixture(scope="module")
def bitext(world, tmp_path_factory):
    """Pairs, and their gold links."""
    blocks = list(bitext_blocks(world, "ana", "cor", PAIRS, split="test"))  # all are translations
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
