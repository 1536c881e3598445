"""Random streams and the tables that events are drawn from."""

import numpy as np
import pytest
from scipy.stats import chisquare

from crosslingua.corpora.world.bitext import Quota
from crosslingua.corpora.world.concepts import InverseTable, stream, zipf
from crosslingua.errors import CrosslinguaError


def test_streams_are_fixed_by_seed_and_name():
    assert stream(1, "text", 3).random() == stream(1, "text", 3).random()
    names = ((1, "text", 3), (2, "text", 3), (1, "text", 4), (1, "ner", 3))
    assert len({stream(*name).random() for name in names}) == 4


def test_zipf_falls_with_rank():
    weights = zipf(50, 1.0)
    assert weights.sum() == pytest.approx(1)
    assert weights[0] / weights[2] == pytest.approx(4 / 2)


def test_table_draws_follow_the_weights():
    weights = np.array([[5.0, 3.0, 2.0, 0.0], [0.0, 1.0, 0.0, 1.0]])
    table = InverseTable(weights, stream(1, "a"))
    for row in range(2):
        counts = np.bincount(table.draw(stream(1, "b"), np.full(20_000, row)), minlength=4)
        wanted = weights[row] / weights[row].sum() * 20_000
        assert not counts[wanted == 0].any()
        assert chisquare(counts[wanted > 0], wanted[wanted > 0]).pvalue > 1e-3


def test_items_rarer_than_a_cell_keep_their_share_over_rows():
    weights = np.tile([1.0, 1 / 500], (2000, 1))
    table = InverseTable(weights, stream(1, "a"), size=100)
    drawn = table.draw(stream(1, "b"), np.repeat(np.arange(2000), 100))
    assert drawn.mean() == pytest.approx(1 / 501, rel=0.3)


def test_quota_takes_what_is_wanted_and_no_more():
    quota = Quota(5, "words")
    taken = [quota.take(np.arange(3)).tolist() for _ in quota]
    assert taken == [[0, 1, 2], [0, 1]]


def test_quota_gives_up_when_nothing_can_be_drawn():
    quota = Quota(5, "nli aa train")
    with pytest.raises(CrosslinguaError, match="nli aa train: 1 of 5 found"):
        for number in quota:
            quota.take(np.arange(1 if number == 0 else 0))
