"""Word alignments: Pharaoh's lines and the numbered links of the shared tasks."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosslingua.errors import InputError
from crosslingua.io.pharaoh import LinkFile, Links, read_numbered_links, read_pharaoh, write_pharaoh
from texts import written


def test_sure_and_possible_links_by_hand(tmp_path):
    first, second = read_pharaoh(written(tmp_path / "links", "0-0 2p1 10-3\n\n"))
    assert first.sure == {(0, 0), (10, 3)}
    assert first.possible == {(0, 0), (10, 3), (2, 1)}
    assert second == Links.of([])


def test_written_in_order_and_sure_links_are_possible_ones(tmp_path):
    write_pharaoh(tmp_path / "links", [Links.of([(1, 0), (0, 2)], [(0, 1)]), [(2, 2)], []])
    assert (tmp_path / "links").read_text() == "0p1 0-2 1-0\n2-2\n\n"
    with pytest.raises(ValueError, match="not possible"):
        Links(frozenset([(0, 0)]), frozenset())


LINK = st.tuples(st.integers(0, 30), st.integers(0, 30))


@settings(deadline=None)
@given(st.lists(st.builds(Links.of, st.lists(LINK), st.lists(LINK)), min_size=1))
def test_what_is_written_is_read(tmp_path_factory, alignments):
    path = tmp_path_factory.mktemp("links") / "links"
    write_pharaoh(path, alignments)
    assert read_pharaoh(path) == alignments
    assert [links.swapped().swapped() for links in alignments] == alignments


@pytest.mark.parametrize("item", ["0", "0-", "a-b", "-1-2", "0–1", "1 2 3", "1s2"])
def test_malformed_links_are_named(tmp_path, item):
    with pytest.raises(InputError, match=r"links:2: .* is no link"):
        read_pharaoh(written(tmp_path / "links", f"0-0\n{item}\n"))


def test_links_outside_the_sentences(tmp_path):
    path = written(tmp_path / "links", "0-0 1-1\n0-3\n")
    assert len(read_pharaoh(path, [(2, 2), (1, 4)])) == 2
    with pytest.raises(InputError, match=r"links:2: link 0-3 is outside a pair of 1 and 3 tokens"):
        read_pharaoh(path, [(2, 2), (1, 3)])
    with pytest.raises(InputError, match="2 lines of links for 3 sentence pairs"):
        read_pharaoh(path, [(2, 2), (1, 4), (1, 1)])


NUMBERED = {  # text, sizes, base; links, counts
    "in the order of their ids": (
        "0007 1 1 S\r\n0007 2 3 P\r\n9 1 2\r\n9 1 2\r\n0012 3 1 P\r\n0012 3 1 S\r\n9 2 1 P\r\n", None, 1,
        [Links.of([(0, 0)], [(1, 2)]), Links.of([(0, 1)], [(1, 0)]), Links.of([(2, 0)])], {"repeated_link": 2},
    ),
    "out of range": (
        "1 1 1\n1 1 -99\n1 0 2\n1 4 1\n1 1 5\n2 1 1\n", [(3, 4), (1, 1)], 1,
        [Links.of([(0, 0)]), Links.of([(0, 0)])], {"out_of_range": 4},
    ),
    "all of a pair out of range": (
        "1 9 9\n2 1 1\n", [(1, 1), (1, 1)], 1, [Links.of([]), Links.of([(0, 0)])], {"out_of_range": 1},
    ),
    "from zero": ("1 0 0\n", None, 0, [Links.of([(0, 0)])], {}),
    "ids are line numbers where the text is given": (
        "1 1 1\n1 2 2\n3 1 1\n", [(2, 2)] * 4, 1,
        [Links.of([(0, 0), (1, 1)]), Links.of([]), Links.of([(0, 0)]), Links.of([])], {},
    ),
    "which zeros may precede": (
        "0003 1 1\n0001 2 2\n", [(2, 2)] * 3, 1, [Links.of([(1, 1)]), Links.of([]), Links.of([(0, 0)])], {},
    ),
    "and otherwise names": ("1 1 1\n1 2 2\n3 1 1\n", None, 1, [Links.of([(0, 0), (1, 1)]), Links.of([(0, 0)])], {}),
}  # fmt: skip


@pytest.mark.parametrize("case", NUMBERED)
def test_numbered_links(tmp_path, case):
    text, sizes, base, links, counted = NUMBERED[case]
    counts = Counter()
    path = written(tmp_path / "links", text)
    assert read_numbered_links(path, sizes, index_base=base, counts=counts) == links
    assert +counts == counted


@pytest.mark.parametrize("line", ["1 2", "1 2 3 X", "1 a 3", "1 2 3 S S", "1 2 S"])
def test_malformed_numbered_links(tmp_path, line):
    with pytest.raises(InputError, match="links:2: expected id, two numbers"):
        read_numbered_links(written(tmp_path / "links", f"1 1 1\n{line}\n"))


def test_no_links_and_too_few(tmp_path):
    with pytest.raises(InputError, match="no links"):
        read_numbered_links(written(tmp_path / "links", "\n"))
    with pytest.raises(InputError, match="links of 1 sentence pairs for 2"):
        read_numbered_links(written(tmp_path / "links", "9 1 1\n"), [(1, 1), (1, 1)])


def test_either_format_is_told_by_its_first_line(tmp_path):
    wanted = [Links.of([(0, 0)], [(1, 0)])]
    assert LinkFile.read(written(tmp_path / "links", "5 1 1 S\n5 2 1 P\n")).links() == wanted
    assert LinkFile.read(written(tmp_path / "links", "0-0 1p0\n")).links() == wanted
    assert LinkFile.read(written(tmp_path / "links", "\n0-0 1-0 2-2\n")).links()[0] == Links.of([])
