"""Heuristics on grids drawn by hand, and against sets in plain Python."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosslingua.word_aligners.cooccurrence import count_cooccurrence
from crosslingua.word_aligners.symmetrisation import SYMMETRISATIONS, symmetrise


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


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("forward", {(0, 0), (0, 1), (1, 2), (3, 3), (4, 5)}),
        ("backward", {(0, 0), (1, 0), (2, 1), (3, 3), (5, 4)}),
        ("intersect", {(0, 0), (3, 3)}),
        ("union", {(0, 0), (0, 1), (1, 0), (1, 2), (2, 1), (3, 3), (4, 5), (5, 4)}),
        # 0-1 and 1-0 touch 0-0 and cover t1 and s1; 1-2 then touches 0-1 (diagonally) and covers t2, 2-1 touches
        # 1-0 and covers s2. 5-4 and 4-5 touch nothing chosen: 4-4 is no link.
        ("grow_diag", {(0, 0), (0, 1), (1, 0), (1, 2), (2, 1), (3, 3)}),
        ("grow_diag_final_and", {(0, 0), (0, 1), (1, 0), (1, 2), (2, 1), (3, 3), (4, 5), (5, 4)}),
    ],
)
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
        for direction in (a, b):
            for i, j in sorted(direction):
                if free(i, 0) and free(j, 1):
                    chosen = chosen | {(i, j)}
    return chosen


@settings(deadline=None, max_examples=200)
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
