"""Figures: alignment grids, curves, principal components and correlations."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from scipy.stats import permutation_test, spearmanr

from crosslingua.errors import InputError
from crosslingua.io.pharaoh import Links
from crosslingua.io.vectors import WordVectors
from crosslingua.report import alignment_figure, correlation, figures, pca
from crosslingua.report.alignment_figure import AlignedPair, plot
from crosslingua.report.correlation import correlations, permuted, permuted_together
from crosslingua.report.figures import colours_of, families_for, undrawable
from crosslingua.report.pca import Panel, choose_pairs
from crosslingua.report.tables import read_reference
from metric_rows import frame, transfer_row
from pictures import drawn_twice

NOWHERE = "\U0010fffd"  # for private use in the last plane: no font has it
CURVES = {
    "a run": {"step": [1, 2], "loss": [3.0, 2.0], "mlm": [3.0, 2.0]},
    "two terms": {"step": [1, 2], "loss": [5.0, 4.0], "mlm": [3.0, 2.0], "tlm": [2.0, 2.0]},
}
SYSTEMS, TASKS = ("mlm", "xlm", "dict_mlm", "align_mlm"), ("nli", "ner", "pos")
ALIGNMENT = ("embedding_alignment", "alignment")  # the task and its metric


@pytest.fixture
def drawn(monkeypatch):
    """The axes of what `plot` would save."""
    saved = []
    monkeypatch.setattr(alignment_figure, "save", lambda figure, out: saved.append(figure))

    def draw(grid):
        plot(grid, "caption", [])
        return saved[-1].axes

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


def test_a_panel_for_each_term_names_the_runs_that_have_it(tmp_path):
    figures.plot_losses(CURVES, "", [tmp_path / "loss.svg"])
    drawn = (tmp_path / "loss.svg").read_text()
    assert [drawn.count(f"<!-- {name} -->") for name in ("mlm", "tlm", "a run", "two terms")] == [1, 1, 1, 2]


def test_reads_what_training_wrote(tmp_path):
    (tmp_path / "training.json").write_text(json.dumps({"loss_curve": CURVES["a run"]}))
    assert figures.read_curve(tmp_path) == CURVES["a run"]
    (tmp_path / "training.json").write_text("{}")
    with pytest.raises(InputError, match="no loss_curve"):
        figures.read_curve(tmp_path)


def test_one_colour_means_one_system_and_no_two_share_one() -> None:
    assert colours_of(["xlm", "xlm_align"])["xlm_align"] == colours_of(["xlm_align", "other"])["xlm_align"]
    assert len(set(colours_of(["a", "xlm", "b", "c", "d", "e", "f", "g"]).values())) == 8
    assert colours_of(["optimal_transport+xlmr"]).popitem()[1] == colours_of(["xlmr.trans"]).popitem()[1]
    families = {"joint_align": "joint_align_rcsls", "joint": "joint", "duong": "duong", "align": "procrustes"}
    for name, system in families.items():
        assert figures.colour_of_vectors(system) == colours_of([name])[name]


def test_correlation_of_the_papers_numbers_is_the_papers(repository: Path) -> None:
    published = read_reference((repository / "reference").glob("align_mlm_*.csv"))
    rows = frame(*(transfer_row(*key, value) for key, value in published.items() if key[0] != "all"))
    found = correlations(rows, SYSTEMS, TASKS)
    for task, rho in (("nli", 0.727), ("ner", 0.781), ("pos", 0.734)):
        (one,) = found[task]
        assert (len(one.cells), one.rho) == (12, pytest.approx(rho, abs=5e-4))
        assert one.p < 0.01  # appendix E


def test_correlation_by_hand_takes_each_seed_by_itself() -> None:
    measured = [("xlm_parallel_1", 50.0, 50.0, 1)]
    for seed, deltas in ((1, [3.0, 2.0, 1.0, 0.0]), (2, [0.0, 1.0, 2.0, 3.0]), (3, [1.0, 1.0, 1.0, 1.0])):
        measured += zip(SYSTEMS, deltas, [10, 20, 40, 30], [seed] * 4, strict=True)
    rows = [transfer_row(s, "trans", "ner", "delta", delta, seed) for s, delta, _, seed in measured]
    rows += [transfer_row(s, "trans", *ALIGNMENT, score, seed) for s, _, score, seed in measured]
    found = correlations(frame(*rows), SYSTEMS, TASKS)
    # Ranks 1 2 4 3 against 1 2 3 4: 1 - 6 * 2 / (4 * 15) = 0.8; a seed without spread has no correlation.
    assert [(c.seed, round(c.rho, 6)) for c in found["ner"]] == [(1, 0.8), (2, -0.8)]
    # |rho| is 1 in two of the 24 orders, and 0.8 in six.
    assert found["ner"][0].p == pytest.approx(8 / 24)
    assert found["pos"] == []


def test_cells_lie_beside_their_scores_in_a_stable_order() -> None:
    rows = [transfer_row(system, "trans", "ner", "delta", delta) for delta, system in enumerate(SYSTEMS, 1)]
    scores = (("xlm", 5), ("mlm", 6), ("align_mlm", 7))
    rows += [transfer_row(system, "trans", *ALIGNMENT, score) for system, score in scores]
    (one,) = correlations(frame(*rows), SYSTEMS, TASKS)["ner"]
    assert one.cells == (("align_mlm", "trans"), ("mlm", "trans"), ("xlm", "trans"))
    assert (list(one.alignment), list(one.delta)) == ([7, 6, 5], [4, 1, 2])


def test_the_p_value_is_scipys_where_there_is_one_group() -> None:
    x, y = np.random.default_rng(1).normal(size=(2, 6))
    rho, p = permuted(x, y, ["all"] * 6)
    every = {"permutation_type": "pairings", "n_resamples": np.inf}
    known = permutation_test((x,), lambda order: spearmanr(order, y).statistic, **every)
    assert (rho, p) == pytest.approx((known.statistic, known.pvalue))


def test_many_permutations_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = np.random.default_rng(1).normal(size=(2, 8))
    rho, p = permuted(x, y, "aaaabbbb")
    monkeypatch.setattr(correlation, "MOST", 100)
    assert permuted(x, y, "aaaabbbb") == (rho, pytest.approx(p, abs=0.01))


def test_what_only_sets_groups_apart_is_no_evidence_within_them() -> None:
    """Two groups far apart in both scores and without order inside: the t distribution sees a correlation."""
    x, y = np.array([0, 1, 2, 10, 11, 12]), np.array([1, 0, 2, 11, 12, 10])
    rho, p = permuted(x, y, "aaabbb")
    assert spearmanr(x, y).pvalue < 0.12 < 0.3 < p
    assert rho == pytest.approx(spearmanr(x, y).statistic)


def test_one_seed_alone_has_the_p_value_of_its_correlation() -> None:
    rng = np.random.default_rng(3)
    cells = [(system, target) for system in SYSTEMS for target in ("trans", "trans_inv")]
    points = {cell: tuple(rng.normal(size=2)) for cell in cells}
    x, y = np.array([points[cell] for cell in cells]).T
    assert permuted_together([points]) == pytest.approx(permuted(x, y, [target for _, target in cells])[1])


def test_seeds_are_permuted_alike_and_more_of_the_same_tell_nothing_new() -> None:
    """Four objectives in one transformation: 24 orders, of which the best and its reverse are as far from 0."""
    points = {(system, "trans"): (float(n), float(n)) for n, system in enumerate(SYSTEMS)}
    assert permuted_together([points]) == permuted_together([points] * 9) == pytest.approx(2 / 24)
    both = points | {(system, "trans_inv"): (n + 9.0, n + 9.0) for n, system in enumerate(SYSTEMS)}
    assert permuted_together([both]) == pytest.approx(1 / 24**2)
    assert 0 < permuted_together([both, points]) < 2 / 24
    assert permuted_together([points, {cell: points[cell] for cell in list(points)[:3]}]) is None


def panel(title: str = "joint") -> Panel:
    sides = ["s1", "both", "s2", "berlin", "s3", "s4"], ["t1", "t2", "both", "berlin", "t3", "t4"]
    names, random = sorted({*sides[0], *sides[1]}), np.random.default_rng(0)
    vectors = dict(zip(names, random.normal(size=(len(names), 5)).astype(np.float32), strict=True))
    spaces = (WordVectors(side, np.stack([vectors[word] for word in side])) for side in sides)
    return Panel(title, *spaces, frozenset({"both", "berlin"}))


def test_groups_hold_the_most_frequent_words_of_either_side() -> None:
    groups = {name: [word for word, _ in items] for name, items in panel().groups(4).items()}
    assert groups == {"source": ["s1", "s2"], "target": ["t1", "t2"], "shared": ["both", "berlin"]}


def test_labelled_pairs_are_words_of_one_language_each() -> None:
    pairs = "both-t1 s1-t2 s1-t1 s2-t2 unknown-t3 s2-berlin s4-t3"
    dictionary = [tuple(pair.split("-")) for pair in pairs.split()]
    assert choose_pairs(panel(), dictionary, 5) == [("s1", "t2"), ("s4", "t3")]
    assert choose_pairs(panel(), dictionary, 1) == [("s1", "t2")]


def test_the_picture_has_a_panel_each_and_repeats_to_the_byte(tmp_path: Path) -> None:
    panels = [panel("before"), panel("after")]
    given = (panels, [("s1", "t1")], ("en", "de"), 6, "caption")
    assert drawn_twice(tmp_path, lambda out: pca.plot(*given, out)).startswith("<?xml")
    width, height = Image.open(tmp_path / "first.png").size
    assert width > 1.5 * height
