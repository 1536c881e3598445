"""The compact set of hashes against Python's set."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crosslingua.corpora.pipeline import Distinct, hashes


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 40), max_size=30), max_size=30))
def test_as_a_set(batches):
    distinct, known = Distinct(), set()
    for batch in batches:
        wanted = []
        for value in batch:
            wanted.append(value not in known)
            known.add(value)
        assert distinct.add(np.array(batch, dtype="<u8")).tolist() == wanted
        assert len(distinct) == len(known)


def test_levels_stay_few():
    distinct = Distinct()
    for start in range(500):
        distinct.add(np.arange(start * 10, start * 10 + 10, dtype="<u8"))
    assert len(distinct) == 5000
    assert len(distinct._levels) <= 10


def test_hashes_are_those_of_blake2b_everywhere():
    # BLAKE2b with an 8-byte digest, computed by `b2sum -l 64`.
    assert hashes(["abc", ""]).tobytes().hex() == "d8bb14d833d59559" + "e4a6a0577479b2b4"
    assert len(set(hashes(map(str, range(20000))).tolist())) == 20000
