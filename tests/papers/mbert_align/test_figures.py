"""Figure 2: improvements by distance, and a picture."""

from pathlib import Path

import pytest

from crosslingua.errors import InputError
from crosslingua.papers.mbert_align.figures import FIGURES, improvements, ours, theirs
from crosslingua.papers.mbert_align.tables import scores
from crosslingua.report.tables import read_reference
from metric_rows import frame

SHARED = {"paper": "mbert_align", "table": "table3", "metric": "f1", "task": "ner", "source": "ana"}


def rows(*systems: str):
    values = {"mbert": 50.0, "rotate_dict": 53.0, "finetune_src_to_tgt": 49.0}
    scored = [
        {"system": system, "target": target, "seed": seed, "value": values[system] + more * seed}
        for system, more in ((system, system != "mbert") for system in systems)
        for target in ("ber", "cor")
        for seed in (1, 2)
    ]
    distance = {"system": "distance", "table": "fig2", "metric": "distance"}
    far = [distance | {"target": target, "value": value} for target, value in (("cor", 40.0), ("ber", 20.0))]
    return frame(*scored, *far, **SHARED)


def published(repository: Path) -> list[Path]:
    return [repository / f"reference/mbert_align_{name}.csv" for name in ("table3", "fig2")]


def test_improvements_are_those_of_the_same_seed() -> None:
    found = improvements(scores(rows("mbert", "rotate_dict")), {"ber": 20.0, "cor": 40.0})
    assert found == {"rotate_dict": {"ber": [4.0, 5.0], "cor": [4.0, 5.0]}}


def test_a_panel_a_task_with_its_distances() -> None:
    (panel,) = ours(rows("mbert", "rotate_dict", "finetune_src_to_tgt"))
    assert panel.distances == {"cor": 40.0, "ber": 20.0}
    assert set(panel.gains) == {"rotate_dict", "finetune_src_to_tgt"}


def test_slots_that_are_not_translated_are_not_drawn() -> None:
    found = rows("mbert", "rotate_dict")
    plain = (found["target"] == "cor") & (found["table"] == "table3")
    found.loc[plain, "signature"] += "|translated=no"
    (panel,) = ours(found)
    assert panel.gains == {"rotate_dict": {"ber": [4.0, 5.0]}}


def test_the_paper_s_panels_have_all_its_languages(repository: Path) -> None:
    ner, slots = theirs(read_reference(published(repository)))
    assert list(ner.distances) == ["de", "nl", "es", "hy"]
    assert slots.gains["finetune_tgt_to_src"]["tr_atis"] == [pytest.approx(45.98 - 21.15)]
    assert "hy" not in ner.gains["rotate_dict"]


def test_without_a_baseline_there_is_nothing_to_draw() -> None:
    with pytest.raises(InputError, match="baseline"):
        ours(rows("rotate_dict"))


def test_a_picture_is_written(tmp_path: Path, repository: Path) -> None:
    path = tmp_path / "rows.csv"
    rows("mbert", "rotate_dict", "finetune_src_to_tgt").to_csv(path, index=False)
    inputs = {"rows": [path], "published": published(repository)}
    FIGURES["figure2"].draw(inputs, {"caption": "Scale tiny"}, [tmp_path / "figure.svg"])
    text = (tmp_path / "figure.svg").read_text()
    assert text.startswith("<?xml")
    assert "<svg" in text
