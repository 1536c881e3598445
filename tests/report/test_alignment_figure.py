"""The alignment grid: everything at its place, and no word as boxes in silence."""

import numpy as np
import pytest

from crosslingua.io.pharaoh import Links
from crosslingua.report import alignment_figure
from crosslingua.report.alignment_figure import AlignedPair, plot
from crosslingua.report.figures import families_for, undrawable
from pictures import drawn_twice

NOWHERE = "\U0010fffd"  # for private use in the last plane: no font has it


@pytest.fixture
def drawn(monkeypatch):
    """The axes of what `plot` would save."""
    figures = []
    monkeypatch.setattr(alignment_figure, "save", lambda figure, out: figures.append(figure))

    def draw(grid):
        plot(grid, "caption", [])
        return figures[-1].axes

    return draw


def corners(axis, style):
    found = (patch for patch in axis.patches if patch.get_linestyle() == style)
    return sorted((patch.get_y() + 0.43, patch.get_x() + 0.43) for patch in found)


def test_links_scores_and_gold_are_at_their_words(drawn):
    scores = np.array([[0.1, 0.2, 0.7], [0.6, 0.3, 0.1]])
    gold = Links.of({(0, 2)}, {(1, 1)})
    chosen = frozenset({(0, 2), (1, 0)})
    axis, colours = drawn(AlignedPair(["ein", "$5"], ["a", "b", "c"], scores, "plan", chosen, gold))
    assert [label.get_text() for label in axis.get_yticklabels()] == ["ein", r"\$5"]
    assert [label.get_text() for label in axis.get_xticklabels()] == ["a", "b", "c"]
    np.testing.assert_array_equal(axis.images[0].get_array(), scores)
    assert sorted(map(tuple, axis.collections[0].get_offsets().tolist())) == [(0, 1), (2, 0)]  # across, down
    assert corners(axis, "-") == [pytest.approx((0, 2))]
    assert corners(axis, ":") == [pytest.approx((1, 1))]
    assert colours.get_ylabel() == "plan"


def test_word_that_no_font_can_draw_is_a_number(drawn, caplog):
    axis, *_ = drawn(AlignedPair(["a", NOWHERE], ["b"], links=frozenset({(1, 0)})))
    assert [label.get_text() for label in axis.get_yticklabels()] == ["a", "#1"]
    assert "#k: word k of its sentence" in " ".join(axis.figure.get_suptitle().split())
    assert f"characters of 1 words ({NOWHERE})" in caplog.text


def test_fonts():
    assert families_for(["straße", "слово", "a\u200db"]) == ["DejaVu Sans"]
    assert undrawable(f"a{NOWHERE} b", families_for([NOWHERE])) == {NOWHERE}
    assert not undrawable("a\u200d b", ["DejaVu Sans"])


def test_files_are_written_and_repeat(tmp_path):
    grid = AlignedPair(["a"], ["b"], links=frozenset())
    assert drawn_twice(tmp_path, lambda out: plot(grid, "", out))
