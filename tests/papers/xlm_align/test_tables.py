"""Table 2 of xlm_align from rows; the published figures as the paper prints them."""

from pathlib import Path

import pytest

from crosslingua.papers.xlm_align.tables import TABLES, by_pair, means
from crosslingua.report.tables import MARKDOWN, read_reference, render
from metric_rows import frame

OT = "optimal_transport+xlmr"


def row(
    system: str, value: float, pair: str = "de-en", seed: int = 1, layer: int | None = None, table="table2"
):
    source, target = pair.split("-")
    signature = "index_base=0|links=sure" + ("" if layer is None else f"|layer={layer}")
    return {
        "paper": "xlm_align", "table": table, "system": system, "task": "word_alignment", "source": source,
        "target": target, "metric": "aer", "value": value, "seed": seed, "signature": signature,
    }  # fmt: skip


ROWS = frame(
    row("fast_align", 30.0),
    row("fast_align", 20.0, "en-fr"),
    row(OT, 10.0, layer=8),
    row(OT, 14.0, layer=8, seed=2),
    row(OT, 20.0, "en-fr", layer=8),
    row("optimal_transport+static", 50.0),  # one pair only: no mean
)


@pytest.fixture
def published(repository: Path) -> dict:
    return read_reference([repository / "reference/xlm_align_table2.csv"])


def cells_of(grid) -> dict[str, list[str]]:
    lines = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in render(grid, MARKDOWN).splitlines()
    ]
    return {line[0]: line[1:] for line in lines}


def test_ours_beside_the_published_the_lowest_in_bold(published: dict) -> None:
    ours, paper = TABLES["table2"].build(ROWS, published)
    table = cells_of(ours)
    assert table["system"] == ["de-en", "en-fr", "mean"]
    assert table["fast_align"] == ["30.0 (32.1)", "**20.0** (19.5)", "25.0"]
    assert table[OT] == ["**12.0 ± 2.8** (17.7)", "**20.0** (7.5)", "**15.0**"]
    assert table["optimal_transport+static"] == ["50.0", "–", "–"]
    theirs = cells_of(paper)  # of four pairs: its mean is none to stand beside ours of two
    assert theirs["system"] == ["de-en", "en-fr", "en-hi", "ro-en", "mean"]
    assert theirs[OT] == ["17.7", "7.5", "37.8", "27.5", "22.6"]


def test_a_published_mean_stands_beside_one_of_the_same_pairs(published: dict) -> None:
    rows = frame(*(row(OT, 10.0, pair, layer=8) for pair in ("de-en", "en-fr", "en-hi", "ro-en")))
    (grid,) = TABLES["table2"].build(rows, published)
    assert cells_of(grid)[OT][-1] == "**10.0** (22.6)"


def test_published_means_are_those_of_their_rows(published: dict) -> None:
    systems = {system for system, column, *_ in published if column == "mean"} - {"simalign_argmax+xlmr"}
    assert len(systems) == 4
    for system in systems:
        pairs = [
            value for (name, column, *_), value in published.items() if name == system and column != "mean"
        ]
        assert len(pairs) == 4
        mean = published[system, "mean", "word_alignment", "aer"]
        assert mean == pytest.approx(sum(pairs) / 4, abs=0.006)


def test_other_scores_follow_in_grids_of_their_own() -> None:
    rows = frame(*(row(OT, 10.0) | {"metric": metric} for metric in ("f1", "aer", "recall", "precision")))
    grids = TABLES["table2"].build(rows, {})
    assert [grid.note.split()[0] for grid in grids] == ["Alignment", "Precision:", "Recall:", "F1"]
    assert [bool(grid.lowest) for grid in grids] == [True, False, False, False]


def test_means_are_over_pairs_by_layer_and_seed() -> None:
    rows = frame(
        *(
            row(OT, value, pair, seed, layer, "fig2")
            for pair, offset in (("de-en", 0), ("en-fr", 10))
            for seed in (1, 2)
            for layer, value in ((1, 20 + offset + seed), (2, 40 + offset))
        ),
        row(OT, 1.0, seed=3, layer=1, table="fig2"),  # of one pair only
        row(OT, 99.0, layer=8),
    )
    found = means(by_pair(rows, "fig2", "aer"))
    assert found[["layer", "seed", "value"]].to_numpy().tolist() == [
        [1, 1, 26],
        [2, 1, 45],
        [1, 2, 27],
        [2, 2, 45],
    ]
    assert means(by_pair(rows, "table2", "aer")).empty
