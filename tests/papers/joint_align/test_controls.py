"""Controls: solved runs, and the warning about a mapper that fails."""

from crosslingua.papers.joint_align.controls import CONTROL_KINDS, UPPER, control_rows, standing
from crosslingua.papers.joint_align.tables import TABLES
from crosslingua.workflow import lexicon_induction
from metric_rows import frame

SIGNATURE = "csls|k=10|vocab=200000|oov=paper|identical=kept"


def rows(system: str, *values: float, kind: str = "other_seed", mark: str = "") -> list[dict]:
    said = f"{SIGNATURE}{mark}|control={kind}|supervision=none"
    own = {"table": "controls", "system": system, "target": "ana", "signature": said}
    return [own | {"seed": seed, "value": value} for seed, value in enumerate(values, start=1)]


FOUND = frame(
    *rows("vecmap", 99.0, 98.0), *rows("vecmap", 97.0, 95.0, kind="other_half"),
    *rows("muse", 99.0, 0.5, mark="|map=degenerate"), *rows("muse", 99.0, 0.5, kind="other_half"),
    *rows(UPPER, 97.0, 97.0), *rows(UPPER, 20.0, 18.0, kind="other_half"),
)  # fmt: skip


def test_a_control_is_solved_from_nine_words_in_ten() -> None:
    means, solved, noticed = TABLES["controls"].build(FOUND, {})
    assert list(means.cells.loc["vecmap"].index) == list(CONTROL_KINDS.values())
    found = {system: solved.cells.loc[system, "mean"].tolist() for system in ("vecmap", "muse", UPPER)}
    assert found == {"vecmap": [100.0, 100.0], "muse": [50.0, 50.0], UPPER: [100.0, 0.0]}
    assert noticed.cells.loc["muse", "mean"].tolist() == [100.0, 0.0]  # of the runs that fail, by kind
    assert UPPER not in noticed.cells.index
    best = means.best()  # none of what does not count
    assert best[best].index.tolist() == [("vecmap", CONTROL_KINDS["other_seed"])]


def told(*records: dict) -> tuple:
    found = standing(control_rows(frame(*records)))
    return found.counting, found.idle, found.failed


def test_a_control_counts_where_the_upper_line_passes_it() -> None:
    other_seed, other_half = CONTROL_KINDS.values()
    assert told(*FOUND.to_dict("records")) == ((other_seed,), (other_half,), ("muse",))
    # The halves count once the upper line solves them: `vecmap` passes both, `muse` neither.
    both = [*rows("vecmap", 99.0), *rows("muse", 99.0), *rows(UPPER, 95.0)]
    halves = [*rows("vecmap", 90.0, kind="other_half"), *rows("muse", 89.9, kind="other_half")]
    assert told(*both, *halves, *rows(UPPER, 91.0, kind="other_half")) == (
        (other_seed, other_half), (), ("muse",),
    )  # fmt: skip
    # Nine runs of ten pass, eight do not; without an upper line nothing counts.
    upper = rows(UPPER, *[95.0] * 9, 80.0)
    assert told(*upper, *rows("muse", *[95.0] * 9, 0.0), *rows("vecmap", *[95.0] * 8, 0, 0))[2] == ("vecmap",)
    assert told(*rows("muse", 0.5)) == ((), (other_seed,), ())
    assert lexicon_induction.UPPER_LINE == UPPER


def test_who_fails_is_named_beside_every_table() -> None:
    table = frame({"value": 5.0}, *FOUND.to_dict("records"))
    for name in ("table1", "table2"):
        assert TABLES[name].warn(table).startswith("Not to be ranked: muse, which failed the control")
        assert TABLES[name].warn(table[table["system"] != "muse"]) == ""
    both = frame({"value": 5.0}, {"system": "muse", "value": 9.0}, *FOUND.to_dict("records"))
    (grid,) = TABLES["table1"].build(both, {})
    assert grid.best().to_dict() == {("joint", "ana-ber"): True, ("muse", "ana-ber"): False}
    sides = {"muse": 9.0, "joint": 5.0, "joint_align_muse": 7.0, "vecmap": 6.0, "joint_align_vecmap": 8.0}
    rows_of_both = [{"system": system, "value": value} for system, value in sides.items()]
    answer = frame(*rows_of_both, {"metric": "coverage", "value": 100.0}, *FOUND.to_dict("records"))
    said = TABLES["answer"].warn(answer)
    assert said.startswith("Ahead in ana-ber: both; ")  # by vecmap; with muse it is alignment
    best = TABLES["answer"].build(answer, {})[0].best()
    assert best[best].index.tolist() == [("both", "ana-ber: vecmap")]
    warn = TABLES["controls"].warn
    idle = "Does not count, since the upper line fails it: the other half of the corpus."
    assert warn(FOUND).startswith(f"Counts: another seed of training. {idle} Not to be ranked: muse")
    assert warn(frame(*rows("muse", 0.5), *rows(UPPER, 0.5))).startswith("No control counts.")
