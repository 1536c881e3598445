"""Table 3 of made-up rows."""

from __future__ import annotations

import pandas as pd

from crosslingua.papers.mbert_align.tables import TABLES
from crosslingua.report.reference import read_reference
from metric_rows import frame

PAPER = {
    "paper": "mbert_align",
    "table": "table3",
    "metric": "f1",
    "source": "en",
    "signature": "spans|strict|IOB2|micro",
}
ROWS = [
    {"system": "majority", "task": "ner", "target": "de", "value": 0.0},
    {"system": "mbert", "task": "ner", "target": "de", "value": 60.0},
    {"system": "mbert", "task": "ner", "target": "de", "value": 62.0, "seed": 2},
    {"system": "rotate_dict", "task": "ner", "target": "de", "value": 64.0},
    {"system": "mbert", "task": "slots", "target": "tr_own", "value": 20.0},
    {"system": "mbert", "task": "ner", "target": "de", "value": 99.0, "metric": "precision"},
    {
        "system": "distance",
        "table": "fig2",
        "task": "ner",
        "target": "de",
        "metric": "distance",
        "value": 30.0,
    },
]


def grids(repository) -> list:
    published = read_reference([repository / "reference/mbert_align_table3.csv"])
    return TABLES["table3"].build(frame(*ROWS, **PAPER), published)


def test_systems_stand_beside_the_published_numbers_of_the_same_set(repository) -> None:
    systems = grids(repository)[0].cells
    assert systems.loc[("mbert", "NER de"), "mean"] == 61
    assert systems.loc[("mbert", "NER de"), "published"] == 66.15
    assert systems.loc[("rotate_dict", "NER de"), "published"] == 67.20
    assert pd.isna(systems.loc[("mbert", "slots tr_own"), "published"])  # another set than the paper's
    assert "majority" not in systems.index.get_level_values("system")


def test_controls_and_distances_have_grids_of_their_own(repository) -> None:
    _, controls, distances, paper = grids(repository)
    assert controls.cells.loc[("majority", "NER de"), "mean"] == 0
    assert distances.cells.loc[("distance", "NER de"), "mean"] == 30
    assert paper.cells.loc[("finetune_src_to_tgt", "slots th_facebook"), "mean"] == 20.77
    assert pd.isna(paper.cells.loc[("rotate_dict", "NER hy"), "mean"])  # there was no dictionary


def test_the_published_table_is_whole(repository) -> None:
    """Seven systems, nine pairs, but two dictionary results for Armenian; the best of Table 3 by column."""
    published = read_reference([repository / "reference/mbert_align_table3.csv"])
    ours = {key: value for key, value in published.items() if key[0] != "target_language"}
    assert len(ours) == 7 * 9 - 2
    best = {}
    for (system, target, _, _), value in ours.items():
        best[target] = max(best.get(target, (0, "")), (value, system))
    assert [best[target][1] for target in ("de", "nl", "es", "hy")] == ["norm_rotate_parallel"] * 4
    assert {t: best[t][1] for t in ("hi_atis", "tr_atis", "es_facebook", "th_facebook", "it_snips")} == {
        "hi_atis": "norm_rotate_dict",
        "tr_atis": "finetune_tgt_to_src",
        "es_facebook": "finetune_src_to_tgt",
        "th_facebook": "finetune_src_to_tgt",
        "it_snips": "finetune_src_to_tgt",
    }
