"""Batches hold every pair once, within their size."""

from itertools import count, islice

from hypothesis import given
from hypothesis import strategies as st

from crosslingua.word_aligners.encoding import buckets, pools

lengths = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=60)


@given(lengths, st.integers(1, 300))
def test_buckets_hold_all_pairs_once_within_their_size(lengths, tokens):
    divided = buckets(lengths, tokens)
    assert sorted(k for bucket in divided for k in bucket) == list(range(len(lengths)))
    for bucket in divided:
        padded = len(bucket) * sum(max(lengths[k][side] for k in bucket) for side in (0, 1))
        assert padded <= tokens or len(bucket) == 1


def test_pools_are_read_as_needed():
    numbers = count()
    assert list(islice(pools(numbers, 3), 2)) == [[0, 1, 2], [3, 4, 5]]
    assert next(numbers) == 6
    assert list(pools([1, 2, 3], 2)) == [[1, 2], [3]]
