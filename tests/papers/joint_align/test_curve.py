"""The dictionary curve: which rows it shows, and where lines cross."""

from pathlib import Path

import numpy as np
import pytest

from crosslingua.cells import Cell
from crosslingua.io.json import write_json
from crosslingua.metrics import write_rows
from crosslingua.papers.joint_align import curve
from crosslingua.papers.joint_align.claims import evidence
from crosslingua.papers.joint_align.figures import FIGURES
from crosslingua.papers.joint_align.tables import TABLES
from metric_rows import frame

SHARES = (0.01, 0.1, 1.0)


def rows(**values: tuple[float, ...]):
    """The rows of systems, their P@1 at each of SHARES."""
    signature = "csls|k=10|vocab=200000|oov=paper|identical=kept|dictionary=world|supervision=dictionary"
    found = [
        {"system": system, "value": value, "signature": f"{signature}|share={share}"}
        for system, points in values.items()
        for share, value in zip(SHARES, points, strict=True)
    ]
    return frame(*found, table="curve")


@pytest.mark.parametrize(
    ("training", "alignment", "expected"),
    [
        # from 10 below to 10 above, halfway in log share
        ((0.0, 10.0, 30.0), (10.0, 20.0, 20.0), 10 ** (1 + 0.5)),
        ((0.0, 25.0, 30.0), (10.0, 20.0, 20.0), 10 ** (10 / 15)),
        ((11.0, 25.0, 30.0), (10.0, 20.0, 20.0), 1.0),  # above from the first
        ((30.0, 10.0, 30.0), (10.0, 20.0, 20.0), 10 ** (1 + 0.5)),  # to the end, not once
        ((30.0, 30.0, 10.0), (10.0, 20.0, 20.0), np.nan),
    ],
)
def test_training_overtakes_where_the_lines_cross_over_the_logarithm(training, alignment, expected) -> None:
    found = curve.chosen(rows(joint_replace=training, rcsls=alignment, joint_align_rcsls=(99.0, 99.0, 99.0)))
    assert curve.overtaking(found, "joint_replace") == pytest.approx(expected, nan_ok=True)


def test_it_must_be_above_every_alignment() -> None:
    found = curve.chosen(rows(duong=(0.0, 0.0, 30.0), rcsls=(9.0, 9.0, 20.0), geomm=(9.0, 9.0, 31.0)))
    assert np.isnan(curve.overtaking(found, "duong"))
    assert np.isnan(curve.overtaking(found, "joint_replace"))  # not run


def test_the_table_has_a_column_a_share_and_says_where_lines_cross() -> None:
    both = rows(joint_replace=(0.0, 10.0, 30.0), rcsls=(10.0, 20.0, 20.0))
    other = both.assign(signature=both["signature"].str.replace("oov=paper", "oov=muse"), value=77.0)
    points, crossing = TABLES["curve"].build(frame(*both.to_dict("records"), *other.to_dict("records")), {})
    assert list(points.cells.loc["rcsls"].index) == ["1 %", "10 %", "100 %"]
    assert points.cells.loc["joint_replace", "mean"].tolist() == [0.0, 10.0, 30.0]
    assert crossing.cells.loc[("joint_replace", "ana-ber"), "mean"] == pytest.approx(31.6228, abs=1e-3)


def test_a_map_that_could_not_be_learnt_is_a_mark_and_no_number() -> None:
    both = rows(joint_replace=(0.0, 10.0, 30.0), rcsls=(99.0, 20.0, 20.0), joint_ar_rcsls=(12.0, 20.0, 20.0))
    failed = (both["system"] != "joint_replace") & both["signature"].str.endswith("share=0.01")
    marked = both.assign(signature=both["signature"].mask(failed, both["signature"] + "|map=degenerate"))
    points, _ = TABLES["curve"].build(frame(*marked.to_dict("records")), {})
    assert points.cells.loc[("joint_ar_rcsls", "1 %"), "mark"] == "†1/1"
    assert np.isnan(points.cells.loc[("joint_ar_rcsls", "1 %"), "mean"])
    assert points.cells.loc[("joint_ar_rcsls", "10 %"), "mean"] == 20.0


def test_the_figure_has_every_system_and_share(tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.csv", rows(joint_replace=(0.0, 10.0, 30.0), rcsls=(10.0, 20.0, 20.0)))
    FIGURES["curve"].draw({"rows": [tmp_path / "rows.csv"]}, {"caption": "demo"}, [tmp_path / "c.svg"])
    text = (tmp_path / "c.svg").read_text()
    for shown in ("demo", "ana-ber", "joint_replace", "rcsls", "100"):
        assert f"<!-- {shown} -->" in text


def test_claims_on_the_curve_are_about_its_largest_dictionary(tmp_path: Path) -> None:
    signature, cells = "csls|k=10|vocab=200000|oov=paper|identical=kept", []
    for number, share in enumerate(SHARES):
        path = tmp_path / f"{number}.json"
        write_json(path, [{"signature": signature, "ranks": {"dog": number + 1}, "coverage": 100.0}])
        said = {"dictionary": f"world_{number}", "share": str(share)}
        place = ("joint_align", "curve", "joint", "bli", "en", "de", 1, str(path), ("p_at_1",), "0f")
        cells.append(Cell(*place, "identical=kept", conditions=said))
    found = evidence(cells, {"divisions": [], "similarities": []})["precision", "largest_dictionary"]
    assert list(found.values) == ["en-de.world_2"]
    assert found.values["en-de.world_2"]["joint"][1] == {("en", "dog"): 0.0}
