"""Controls: what counts as solved, and what is said of a mapper that fails."""

from crosslingua.papers.joint_align.tables import CONTROL_KINDS, TABLES, failed_controls
from metric_rows import frame

SIGNATURE = "csls|k=10|vocab=200000|oov=paper|identical=kept"


def rows(system: str, *values: float, kind: str = "other_seed", mark: str = "") -> list[dict]:
    said = f"{SIGNATURE}{mark}|control={kind}|supervision=none"
    own = {"table": "controls", "system": system, "target": "ana", "signature": said}
    return [own | {"seed": seed, "value": value} for seed, value in enumerate(values, start=1)]


FOUND = frame(
    *rows("vecmap", 99.0, 98.0), *rows("vecmap", 97.0, 95.0, kind="other_half"),
    *rows("muse", 99.0, 0.5, mark="|map=degenerate"), *rows("muse", 99.0, 0.5, kind="other_half"),
)  # fmt: skip


def test_a_control_is_solved_from_nine_words_in_ten() -> None:
    means, solved, noticed = TABLES["controls"].build(FOUND, {})
    assert list(means.cells.loc["vecmap"].index) == list(CONTROL_KINDS.values())
    assert solved.cells.loc["vecmap", "mean"].tolist() == [100.0, 100.0]
    assert solved.cells.loc["muse", "mean"].tolist() == [50.0, 50.0]
    assert noticed.cells.loc["muse", "mean"].tolist() == [100.0, 0.0]  # of the runs that fail, by kind


def test_who_fails_is_named_beside_every_table() -> None:
    assert failed_controls(FOUND) == ["muse"]
    table = frame({"value": 5.0}, *FOUND.to_dict("records"))
    for name in ("table1", "table2"):
        assert TABLES[name].warn(table).startswith("Not to be ranked: muse, which failed the control")
        assert TABLES[name].warn(table[table["system"] != "muse"]) == ""
