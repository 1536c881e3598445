"""Alignment error rate by hand, index bases, intervals, and the command line."""

import json

import numpy as np
import pytest

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.pharaoh import Links
from crosslingua.word_aligners.scoring import count_links, intervals, rates, read_alignment, score, signature
from programs import in_a_process

GOLD = [Links.of([(0, 0), (1, 1)], [(1, 2)]), Links.of([(0, 0)]), Links.of([], [(3, 3)])]
# First pair: 0-0 sure, 1-2 possible, 2-2 wrong. Second: its one link. Third: nothing.
CHOSEN = [[(0, 0), (1, 2), (2, 2)], [(0, 0)], []]


def test_rates_by_hand():
    """|A| = 4, |S| = 3, |A & S| = 2, |A & P| = 3."""
    result = score(GOLD, CHOSEN)
    assert result["aer"] == pytest.approx(100 * (1 - 5 / 7))
    assert result["precision"] == pytest.approx(75)
    assert result["recall"] == pytest.approx(200 / 3)
    assert result["f1"] == pytest.approx(100 * 2 * (3 / 4) * (2 / 3) / (3 / 4 + 2 / 3))
    assert result["counts"] == {"pairs": 3, "chosen": 4, "sure": 3, "possible": 5}


def test_gold_against_gold_and_nothing():
    result = score(GOLD, [links.sure for links in GOLD])
    assert [result[name] for name in ("aer", "precision", "recall", "f1")] == [0, 100, 100, 100]
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
        path = tmp_path / f"links{base}"
        if numbered:
            rows = [f"{k} {i + base} {j + base} S" for k, pair in enumerate(links) for i, j in pair.sure]
        else:
            rows = [" ".join(f"{i + base}-{j + base}" for i, j in pair.sure) for pair in links]
        path.write_text("\n".join(rows) + "\n")
        assert read_alignment(path, [(3, 2), (2, 2)], base) == links


def test_pharaoh_links_below_the_base(tmp_path):
    (tmp_path / "links").write_text("1-1\n0-2\n")
    with pytest.raises(InputError, match=r"links:2: link 0-2 is below the first token, 1"):
        read_alignment(tmp_path / "links", index_base=1)


@pytest.mark.parametrize(("first", "warned"), [(1, True), (0, False)])
def test_links_that_never_touch_a_first_word_are_doubted(tmp_path, caplog, first, warned):
    (tmp_path / "links").write_text("".join(f"{first}-{first} 3-2\n" for _ in range(12)))
    read_alignment(tmp_path / "links")
    assert ("is the index base right?" in caplog.text) == warned


def test_intervals_can_be_left_out():
    chosen = [links.sure for links in GOLD]
    with_intervals, without = (score(GOLD, chosen, samples=samples) for samples in (10, 0))
    assert without == with_intervals | {"intervals": {}}
    with pytest.raises(ConfigError, match="-1 bootstrap samples"):
        score(GOLD, chosen, samples=-1)


def test_command_line(script, tmp_path):
    """Gold counts from 1, with a link that points outside; two hypotheses count from 0."""
    (tmp_path / "alignv2.txt").write_text("7 1 1 S\n7 2 2 S\n7 2 9 P\n9 1 1 S\n")
    (tmp_path / "s").write_text("a b\nc\n")
    (tmp_path / "t").write_text("x y\nz\n")
    (tmp_path / "right").write_text("0-0 1-1\n0-0\n")
    (tmp_path / "half").write_text("0-1 1-1\n\n")
    common = ("--gold", "alignv2.txt", "--source", "s", "--target", "t")
    (tmp_path / "plan.csv").write_text("hypothesis,out\nright,r.json\nhalf,h.json\n")
    script("score_alignment.py", *common, "--cells", "plan.csv")
    right, half = (json.loads((tmp_path / name).read_text()) for name in ("r.json", "h.json"))
    assert (right["aer"], right["f1"]) == (0, 100)
    assert half["gold_repairs"] == right["gold_repairs"] == {"out_of_range": 1}
    assert (right["signature"], right["by"]) == ("index_base=1|links=sure", "score_alignment.py")
    assert half["aer"] == pytest.approx(100 * (1 - 2 / 5))
    assert half["intervals"]["aer"][0] <= half["aer"] <= half["intervals"]["aer"][1]
    (tmp_path / "outside").write_text("0-0\n1-1\n")
    done = script("score_alignment.py", *common, "--hypothesis", "outside", "--out", "o.json", status=1)
    assert "outside:2: link 1-1 is outside a pair of 1 and 1 tokens" in done.stderr
    (tmp_path / "short").write_text("0-0\n")
    done = script("score_alignment.py", *common[:2], "--hypothesis", "short", "--out", "o.json", status=1)
    assert "error: short: 1 sentence pairs, but alignv2.txt has 2" in done.stderr


def test_gold_through_a_pipe_is_read_once(tmp_path):
    (tmp_path / "right").write_text("0-0 1-1\n")
    files = ("--gold", "/dev/stdin", "--hypothesis", "right", "--out", "r.json")
    in_a_process("score_alignment.py", *files, folder=tmp_path, input="7 1 1 S\n7 2 2 S\n")
    assert json.loads((tmp_path / "r.json").read_text())["aer"] == 0
