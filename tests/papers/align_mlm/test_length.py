"""The curve of training length: which rows it shows, in which order, and the figure."""

from pathlib import Path

import pytest

from crosslingua.errors import InputError
from crosslingua.metrics import write_rows
from crosslingua.papers.align_mlm import tables
from crosslingua.papers.align_mlm.figures import FIGURES
from crosslingua.papers.align_mlm.tables import TABLES
from metric_rows import frame

COMMON = {"paper": "align_mlm", "source": "ana", "target": "trans_inv"}


def rows(*more: dict):
    """Alignment and POS of two systems at two and three lengths, and systems of other tables."""
    values = {
        "mlm": (1.0, 20.0), "mlm_steps_12000": (4.0, 30.0), "align_mlm_steps_48000": (40.0, 70.0),
        "align_mlm_steps_6000": (26.0, 55.0), "align_mlm": (25.0, 50.0), "xlm": (9.0, 9.0),
        "align_mlm_dictionary_50": (50.0, 60.0),
    }  # fmt: skip
    named = [
        {**COMMON, "system": system, "task": task, "metric": metric, "value": value}
        for system, both in values.items()
        for (task, metric), value in zip(
            (("embedding_alignment", "alignment"), ("pos", "zero_shot")), both, strict=True
        )
    ]
    return frame(*named, *more)


def test_a_line_a_system_and_length_those_of_table_3_first() -> None:
    (found,) = TABLES["training_length"].build(rows(), {})
    assert found.note == "Transliteration and inversion"
    assert found.cells["mean"].unstack().loc[:, "tokens aligned"].to_dict() == {
        "mlm": 1.0, "mlm, 12,000 steps": 4.0, "align_mlm": 25.0, "align_mlm, 6,000 steps": 26.0,
        "align_mlm, 48,000 steps": 40.0,
    }  # fmt: skip
    order = list(dict.fromkeys(found.cells.index.get_level_values("system")))
    assert order == [
        "mlm",
        "mlm, 12,000 steps",
        "align_mlm",
        "align_mlm, 6,000 steps",
        "align_mlm, 48,000 steps",
    ]


def test_a_system_of_ones_own_is_shown_too(tmp_path: Path) -> None:
    own = {**COMMON, "table": "table3", "task": "embedding_alignment", "metric": "alignment", "value": 7.0}
    both = rows(own | {"system": "mine"}, own | {"system": "mine_steps_9", "table": "training_length"})
    (found,) = TABLES["training_length"].build(both, {})
    assert list(found.cells.index.get_level_values("system").unique())[-2:] == ["mine", "mine, 9 steps"]
    write_rows(tmp_path / "rows.csv", both)
    steps = dict.fromkeys(("mlm", "xlm", "align_mlm", "mine"), 3000)
    FIGURES[tables.NAME].draw({"rows": [tmp_path / "rows.csv"]}, {"steps": steps}, [tmp_path / "l.svg"])
    assert "<!-- mine, transliteration and inversion -->" in (tmp_path / "l.svg").read_text()


def test_a_system_is_shown_where_it_was_trained_longer() -> None:
    other = {**COMMON, "target": "trans", "system": "mlm", "task": "pos", "metric": "zero_shot", "value": 3.0}
    assert len(list(TABLES["training_length"].build(rows(other), {}))) == 1


def test_the_figure_puts_table_3s_systems_at_their_steps(tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.csv", rows())
    steps = dict.fromkeys(("mlm", "xlm", "align_mlm"), 3000)
    inputs, settings = {"rows": [tmp_path / "rows.csv"]}, {"caption": "demo", "steps": steps}
    FIGURES[tables.NAME].draw(inputs, settings, [tmp_path / "l.svg"])
    text = (tmp_path / "l.svg").read_text()
    shown = ("demo", "3,000", "6,000", "12,000", "48,000", "tokens aligned", "POS zero-shot")
    assert [one for one in shown if f"<!-- {one} -->" not in text] == []
    assert "<!-- XLM" not in text


def test_rows_of_one_length_are_refused(tmp_path: Path) -> None:
    write_rows(
        tmp_path / "rows.csv", frame({**COMMON, "system": "mlm", "task": "pos", "metric": "zero_shot"})
    )
    with pytest.raises(InputError, match="several lengths"):
        FIGURES[tables.NAME].draw({"rows": [tmp_path / "rows.csv"]}, {"steps": {}}, [tmp_path / "l.svg"])
