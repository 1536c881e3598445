"""Figure 2: its table, curves and claims, from scores as score_translation.py writes them."""

from pathlib import Path

import pandas as pd
import pytest

from crosslingua.cells import Cell
from crosslingua.claims.verdict import LeftOut, judge
from crosslingua.io.json import write_json
from crosslingua.metrics import rows_of, write_rows
from crosslingua.papers.joint_align import claims, figure2
from crosslingua.papers.joint_align.figures import FIGURES
from crosslingua.papers.joint_align.tables import TABLES
from judged import claims_of, judged

SIGNATURE = "sacrebleu|bleu=nrefs~1,case~lc,tok~13a|chrf=nrefs~1,nc~6"


def result(bleu: float, where: str, degenerate: int = 0) -> dict:
    return {
        "bleu": bleu, "chrf": bleu + 10, "degenerate": degenerate, "sentences": 3, "signature": f"{SIGNATURE}|{where}",
        "per_sentence": [bleu - 1, bleu + 3, bleu - 2], "by": "score_translation.py",
    }  # fmt: skip


def cell(folder: Path, system: str, seed: int, direction: tuple[str, str], content) -> Cell:
    path = folder / f"{system}.{seed}.{'-'.join(direction)}.json"
    write_json(path, content)
    place = ("joint_align", "fig2", system, "translation", *direction, seed, str(path))
    return Cell(*place, ("bleu", "chrf", "degenerate"), "0f")


def cells_of(folder: Path, curves: dict[str, list[float]], seeds: int = 3, degenerate: int = 0) -> list[Cell]:
    """Return cells of systems whose BLEU by epoch is `curves`, a little more with every seed, in both directions."""
    found = []
    for system, curve in curves.items():
        for seed in range(1, seeds + 1):
            for direction in (("ana", "ber"), ("ber", "ana")):
                values = [bleu + 0.1 * seed for bleu in curve]
                content = [result(bleu, f"epoch={i}") for i, bleu in enumerate(values, 1)]
                content.append(result(values[-1], "chosen", degenerate))
                found.append(cell(folder, system, seed, direction, content))
    baseline = result(4.0, "chosen")
    return [*found, *(cell(folder, "copy", 1, way, baseline) for way in (("ana", "ber"), ("ber", "ana")))]


AS_PUBLISHED = {
    "align": [5, 8, 10, 12, 13, 14, 15, 15], "joint": [3, 5, 8, 12, 15, 18, 19, 20],
    "joint_align": [8, 12, 15, 18, 20, 22, 23, 23], "duong": [2, 3, 4, 5, 6, 6, 6, 6],
}  # fmt: skip


@pytest.fixture
def rows(tmp_path: Path) -> pd.DataFrame:
    return rows_of(cells_of(tmp_path, AS_PUBLISHED), "tiny")


def test_the_table_is_of_the_chosen_epochs_and_the_curves_of_the_others(rows: pd.DataFrame) -> None:
    bleu, chrf, degenerate = TABLES["fig2"].build(rows, {})
    assert bleu.cells.loc[("joint", "ana-ber"), "mean"] == pytest.approx(20.2)
    assert bleu.cells.loc[("copy", "ber-ana"), "mean"] == 4.0
    assert chrf.cells.loc[("joint", "ana-ber"), "mean"] == pytest.approx(30.2)
    assert degenerate.cells["mean"].max() == 0
    assert figure2.warn(rows) == ""
    found = figure2.curves(rows)
    assert set(found) == {"ana-ber", "ber-ana"}
    assert "copy" not in found["ana-ber"]
    assert found["ana-ber"]["align"][1] == pytest.approx([5.1, 5.2, 5.3])
    assert sorted(found["ana-ber"]["align"]) == list(range(1, 9))


def test_the_upper_line_is_never_best(rows: pd.DataFrame) -> None:
    assert TABLES["fig2"].build(rows, {})[0].best()["joint_align", "ana-ber"]
    line = rows.assign(system=rows["system"].replace("joint_align", "supervised"))
    best = TABLES["fig2"].build(line, {})[0].best()
    assert (best["joint", "ana-ber"], best["supervised", "ana-ber"]) == (True, False)


def test_the_signatures_of_sacrebleu_are_told_once(rows: pd.DataFrame) -> None:
    told = TABLES["fig2"].warn(rows)
    assert told == "sacrebleu's signatures: BLEU nrefs~1,case~lc,tok~13a; chrF nrefs~1,nc~6."
    mixed = rows.assign(signature=[*rows["signature"][:-1], SIGNATURE.replace("13a", "intl")])
    assert "tok~13a; chrF nrefs~1,nc~6; BLEU nrefs~1,case~lc,tok~intl" in TABLES["fig2"].warn(mixed)


def test_a_system_below_its_vectors_word_by_word_is_marked_and_no_baseline_is_best(tmp_path: Path) -> None:
    word_by_word = {"joint_align": [30], "align": [14], "joint": [3]}
    curves = AS_PUBLISHED | {f"word_by_word+{system}": curve for system, curve in word_by_word.items()}
    bleu = TABLES["fig2"].build(rows_of(cells_of(tmp_path, curves), "tiny"), {})[0]
    # copy has 4: joint_align's 23 is below its own 30, and word by word with joint's vectors is below copy.
    marks = bleu.cells.xs("ana-ber", level="column")["mark"]
    assert list(marks[marks == "‡"].index) == ["joint_align", "word_by_word+joint"]
    best = bleu.best()
    assert list(best[best].index) == [("joint", "ana-ber"), ("joint", "ber-ana")]


def test_a_degenerate_run_is_marked(tmp_path: Path) -> None:
    rows = rows_of(cells_of(tmp_path, {"joint": [1, 2]}, seeds=1, degenerate=100), "tiny")
    assert "joint (ana-ber, seed 1)" in figure2.warn(rows)
    assert TABLES["fig2"].warn(rows).endswith(figure2.warn(rows))


def test_what_has_a_degenerate_run_is_not_ranked(tmp_path: Path) -> None:
    (tmp_path / "copies").mkdir()
    copies = cells_of(tmp_path / "copies", {"joint_align": AS_PUBLISHED["joint_align"]}, degenerate=100)
    cells = [c for c in cells_of(tmp_path, AS_PUBLISHED) if (c.system, c.source) != ("joint_align", "ana")]
    cells += [c for c in copies if (c.system, c.source, c.seed) == ("joint_align", "ana", 1)]
    best = TABLES["fig2"].build(rows_of(cells, "tiny"), {})[0].best()
    assert list(best[best].index) == [("joint", "ana-ber"), ("joint_align", "ber-ana")]


def test_figure_2_has_a_panel_a_direction_and_lines_to_compare(rows: pd.DataFrame, tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.csv", rows)
    settings = {"systems": ["align", "joint"], "compared": {"the source": "copy", "none": "nothing"}}
    settings |= {"start": {"align": "copy", "joint": "word_by_word+joint"}, "caption": "tiny"}
    svg, png = tmp_path / "f.svg", tmp_path / "f.png"
    FIGURES["figure2"].draw({"rows": [tmp_path / "rows.csv"]}, settings, [svg, png])
    text = svg.read_text()
    for shown in ("(a) ana-ber", "(b) ber-ana", "align", "joint", "the source", "tiny"):
        assert f"<!-- {shown} -->" in text
    for hidden in ("joint_align", "none"):
        assert f"<!-- {hidden} -->" not in text
    assert png.stat().st_size > 10_000


def verdicts(folder: Path, curves: dict[str, list[float]], seeds: int = 3) -> dict[str, str]:
    found = {("translation", "all"): claims.translation(cells_of(folder, curves, seeds))}
    mine = [claim for claim in claims_of("joint_align").values() if claim.measure == "translation"]
    assert len(mine) == 6
    return {claim.claim: judge(claim, found).verdict for claim in mine}


def test_where_figure_2_is_made_alone_the_other_statements_are_left_out(tmp_path: Path) -> None:
    found = judged("joint_align", claims.evidence(cells_of(tmp_path, AS_PUBLISHED), {}))
    left_out = {name for name, one in found.items() if isinstance(one, LeftOut)}
    assert left_out == {name for name, one in found.items() if one.claim.measure != "translation"}


def test_the_papers_curves_reproduce_every_statement_and_others_contradict_them(tmp_path: Path) -> None:
    (tmp_path / "published").mkdir()
    assert set(verdicts(tmp_path / "published", AS_PUBLISHED).values()) == {"reproduced"}
    joint_first = dict.fromkeys(("joint",), AS_PUBLISHED["joint_align"]) | {
        "align": AS_PUBLISHED["duong"], "joint_align": AS_PUBLISHED["align"], "duong": [30.0] * 8,
    }  # fmt: skip
    found = verdicts(tmp_path, joint_first)
    assert found.pop("joint_overtakes_align_in_translation") == "reproduced"
    assert set(found.values()) == {"contradicted"}
    (tmp_path / "more").mkdir()
    align_ahead = AS_PUBLISHED | {"align": [bleu + 10 for bleu in AS_PUBLISHED["joint"]]}
    assert verdicts(tmp_path / "more", align_ahead)["joint_overtakes_align_in_translation"] == "contradicted"


def test_the_first_and_last_quarter_of_the_epochs(tmp_path: Path) -> None:
    cells = cells_of(tmp_path, {"align": [1, 3, 0, 0, 0, 0, 7, 9]}, seeds=1)
    found = claims.translation(cells).values["ana-ber"]
    for name, bleu in (("align@first", 2.1), ("align@last", 8.1), ("align", 9.1)):
        items = {("test", str(n)): bleu + more for n, more in enumerate((-1, 3, -2))}
        assert found[name][1] == pytest.approx(items)
    assert set(found) == {"align", "align@first", "align@last", "copy"}


def test_a_sentence_is_one_item_in_both_directions(tmp_path: Path) -> None:
    ways = {("ana", "ber"): [1.0, 5.0], ("ber", "ana"): [2.0, 8.0]}
    cells = [
        cell(tmp_path, "joint", 1, way, result(0, "chosen") | {"per_sentence": values})
        for way, values in ways.items()
    ]
    found = claims.translation(cells).values["ana-ber"]["joint"][1]
    assert found == {("test", "0"): 1.5, ("test", "1"): 6.5}
