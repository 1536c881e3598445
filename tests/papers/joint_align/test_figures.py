"""Figures 1 and 2 and the dictionary curve of joint_align, from files as their stages write them."""

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from crosslingua.cells import Cell
from crosslingua.claims.verdict import LeftOut, judge
from crosslingua.io.json import write_json
from crosslingua.metrics import rows_of, write_rows
from crosslingua.papers.joint_align import claims, curve, figure2
from crosslingua.papers.joint_align.claims import evidence
from crosslingua.papers.joint_align.figures import FIGURES
from crosslingua.papers.joint_align.tables import TABLES
from judged import claims_of, judged
from metric_rows import frame

SIGNATURE = "sacrebleu|bleu=nrefs~1,case~lc,tok~13a|chrf=nrefs~1,nc~6"
SHARES = (0.01, 0.1, 1.0)


def write_vectors(path: Path, words: list[str], seed: int) -> Path:
    matrix = np.random.default_rng(seed).normal(size=(len(words), 4))
    lines = [f"{word} {' '.join(f'{x:.4f}' for x in v)}" for word, v in zip(words, matrix, strict=True)]
    path.write_text("\n".join([f"{len(words)} 4", *lines, ""]))
    return path


def test_figure1_shows_the_three_stages_and_labels_translations(tmp_path: Path) -> None:
    source = [write_vectors(tmp_path / f"{n}.en.vec", ["dog", "cat", "taxi"], n) for n in range(3)]
    target = [write_vectors(tmp_path / f"{n}.de.vec", ["hund", "katze", "taxi"], n + 5) for n in range(3)]
    (tmp_path / "shared.txt").write_text("taxi\n")
    (tmp_path / "none.txt").write_text("")
    (tmp_path / "dictionary.txt").write_text("dog hund\ncat katze\n")
    shared = [tmp_path / f"{name}.txt" for name in ("shared", "none", "none")]
    inputs = {
        "source": source,
        "target": target,
        "dictionary": [tmp_path / "dictionary.txt"],
        "shared": shared,
    }
    settings = {"languages": ["English", "German"], "pairs": 1, "caption": "demo"}
    FIGURES["figure1"].draw(inputs, settings, [tmp_path / "f.svg"])
    text = (tmp_path / "f.svg").read_text()
    panels = ("(a) joint training", "(c) after alignment refinement")
    for shown in ("demo", *panels, "English only", "1 dog = hund"):
        assert f"<!-- {shown} -->" in text
    assert "<!-- katze -->" not in text


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
    folder.mkdir(exist_ok=True)
    ways = ("ana", "ber"), ("ber", "ana")
    found = [cell(folder, "copy", 1, way, result(4.0, "chosen")) for way in ways]
    for (system, scores), seed, way in product(curves.items(), range(1, seeds + 1), ways):
        values = [bleu + 0.1 * seed for bleu in scores]
        content = [result(bleu, f"epoch={i}") for i, bleu in enumerate(values, 1)]
        found.append(cell(folder, system, seed, way, [*content, result(values[-1], "chosen", degenerate)]))
    return found


AS_PUBLISHED = {
    "align": [5, 8, 10, 12, 13, 14, 15, 15], "joint": [3, 5, 8, 12, 15, 18, 19, 20],
    "joint_align": [8, 12, 15, 18, 20, 22, 23, 23], "duong": [2, 3, 4, 5, 6, 6, 6, 6],
}  # fmt: skip


@pytest.fixture
def rows(tmp_path: Path) -> pd.DataFrame:
    return rows_of(cells_of(tmp_path, AS_PUBLISHED), "tiny")


def test_the_table_is_of_the_chosen_epochs_and_the_curves_of_the_others(rows: pd.DataFrame) -> None:
    bleu, chrf, degenerate = (grid.cells["mean"] for grid in TABLES["fig2"].build(rows, {}))
    assert [grid["joint", "ana-ber"] for grid in (bleu, chrf)] == pytest.approx([20.2, 30.2])
    assert (bleu["copy", "ber-ana"], degenerate.max()) == (4.0, 0)
    assert figure2.warn(rows) == ""
    found = figure2.curves(rows)
    assert set(found) == {"ana-ber", "ber-ana"}
    assert "copy" not in found["ana-ber"]
    assert found["ana-ber"]["align"][1] == pytest.approx([5.1, 5.2, 5.3])
    assert sorted(found["ana-ber"]["align"]) == list(range(1, 9))


def test_the_upper_line_is_never_best_and_signatures_of_sacrebleu_are_told_once(rows: pd.DataFrame) -> None:
    assert TABLES["fig2"].build(rows, {})[0].best()["joint_align", "ana-ber"]
    line = rows.assign(system=rows["system"].replace("joint_align", "supervised"))
    best = TABLES["fig2"].build(line, {})[0].best()
    assert (best["joint", "ana-ber"], best["supervised", "ana-ber"]) == (True, False)
    assert (
        TABLES["fig2"].warn(rows)
        == "sacrebleu's signatures: BLEU nrefs~1,case~lc,tok~13a; chrF nrefs~1,nc~6."
    )
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


def test_a_degenerate_run_is_marked_and_its_system_not_ranked(tmp_path: Path) -> None:
    copies = cells_of(tmp_path / "copies", {"joint_align": AS_PUBLISHED["joint_align"]}, degenerate=100)
    cells = [c for c in cells_of(tmp_path, AS_PUBLISHED) if (c.system, c.source) != ("joint_align", "ana")]
    cells += [c for c in copies if (c.system, c.source, c.seed) == ("joint_align", "ana", 1)]
    rows = rows_of(cells, "tiny")
    assert "joint_align (ana-ber, seed 1)" in figure2.warn(rows)
    assert TABLES["fig2"].warn(rows).endswith(figure2.warn(rows))
    best = TABLES["fig2"].build(rows, {})[0].best()
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


def verdicts(folder: Path, curves: dict[str, list[float]]) -> dict[str, str]:
    found = {("translation", "all"): claims.translation(cells_of(folder, curves))}
    mine = [claim for claim in claims_of("joint_align").values() if claim.measure == "translation"]
    assert len(mine) == 6
    return {claim.claim: judge(claim, found).verdict for claim in mine}


def test_where_figure_2_is_made_alone_the_other_statements_are_left_out(tmp_path: Path) -> None:
    found = judged("joint_align", claims.evidence(cells_of(tmp_path, AS_PUBLISHED), {}))
    left_out = {name for name, one in found.items() if isinstance(one, LeftOut)}
    assert left_out == {name for name, one in found.items() if one.claim.measure != "translation"}


def test_the_papers_curves_reproduce_every_statement_and_others_contradict_them(tmp_path: Path) -> None:
    assert set(verdicts(tmp_path / "published", AS_PUBLISHED).values()) == {"reproduced"}
    swapped = {"joint": AS_PUBLISHED["align"], "align": AS_PUBLISHED["joint"]}
    contrary = swapped | {"joint_align": AS_PUBLISHED["duong"], "duong": [30.0] * 8}
    assert set(verdicts(tmp_path / "contrary", contrary).values()) == {"contradicted"}


def test_what_is_above_one_baseline_and_below_the_other_is_mixed(tmp_path: Path) -> None:
    slow, middling, fast = (AS_PUBLISHED[name] for name in ("duong", "align", "joint_align"))
    joint_first = {"joint": fast, "align": slow, "joint_align": middling, "duong": [30.0] * 8}
    assert verdicts(tmp_path, joint_first) == {
        "align_translates_better_at_first": "contradicted",
        "joint_overtakes_align_in_translation": "reproduced",
        "joint_align_converges_faster": "mixed",
        "joint_align_stays_ahead_in_translation": "mixed",
        "framework_gains_in_translation": "mixed",
        "supervised_joint_training_translates_poorly": "contradicted",
    }


def test_the_first_and_last_quarter_of_the_epochs(tmp_path: Path) -> None:
    cells = cells_of(tmp_path, {"align": [1, 3, 0, 0, 0, 0, 7, 9]}, seeds=1)
    found = claims.translation(cells).values["ana-ber"]
    for name, bleu in (("align@first", 2.1), ("align@last", 8.1), ("align", 9.1)):
        items = {("test", str(n)): bleu + more for n, more in enumerate((-1, 3, -2))}
        assert found[name][1] == pytest.approx(items)
    assert set(found) == {"align", "align@first", "align@last", "copy"}


def test_a_sentence_is_one_item_in_both_directions(tmp_path: Path) -> None:
    there, back = (result(0, "chosen") | {"per_sentence": values} for values in ([1.0, 5.0], [2.0, 8.0]))
    cells = [
        cell(tmp_path, "joint", 1, ("ana", "ber"), there),
        cell(tmp_path, "joint", 1, ("ber", "ana"), back),
    ]
    found = claims.translation(cells).values["ana-ber"]["joint"][1]
    assert found == {("test", "0"): 1.5, ("test", "1"): 6.5}


def curve_rows(**values: tuple[float, ...]):
    """The rows of systems, their P@1 at each of SHARES."""
    signature = "csls|k=10|vocab=200000|oov=paper|identical=kept|dictionary=world|supervision=dictionary"
    found = [
        {"system": system, "value": value, "signature": f"{signature}|share={share}"}
        for system, points in values.items() for share, value in zip(SHARES, points, strict=True)
    ]  # fmt: skip
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
    values = {"joint_replace": training, "rcsls": alignment, "joint_align_rcsls": (99.0, 99.0, 99.0)}
    found = curve.chosen(curve_rows(**values))
    assert curve.overtaking(found, "joint_replace") == pytest.approx(expected, nan_ok=True)


def test_it_must_be_above_every_alignment() -> None:
    found = curve.chosen(curve_rows(duong=(0.0, 0.0, 30.0), rcsls=(9.0, 9.0, 20.0), geomm=(9.0, 9.0, 31.0)))
    assert np.isnan(curve.overtaking(found, "duong"))
    assert np.isnan(curve.overtaking(found, "joint_replace"))  # not run


def test_the_table_has_a_column_a_share_and_says_where_lines_cross() -> None:
    both = curve_rows(joint_replace=(0.0, 10.0, 30.0), rcsls=(10.0, 20.0, 20.0))
    other = both.assign(signature=both["signature"].str.replace("oov=paper", "oov=muse"), value=77.0)
    points, crossing = TABLES["curve"].build(pd.concat([both, other], ignore_index=True), {})
    assert points.cells.loc["joint_replace"]["mean"].to_dict() == {"1 %": 0.0, "10 %": 10.0, "100 %": 30.0}
    assert crossing.cells.loc[("joint_replace", "ana-ber"), "mean"] == pytest.approx(31.6228, abs=1e-3)


def test_a_map_that_could_not_be_learnt_counts_with_what_it_measured_and_is_marked() -> None:
    rows = curve_rows(
        joint_replace=(0.0, 10.0, 30.0), rcsls=(99.0, 20.0, 20.0), joint_ar_rcsls=(12.0, 20.0, 20.0)
    )
    failed = (rows["system"] != "joint_replace") & rows["signature"].str.endswith("share=0.01")
    marked = rows.assign(signature=rows["signature"].mask(failed, rows["signature"] + "|map=degenerate"))
    found = TABLES["curve"].build(marked, {})[0].cells.loc["joint_ar_rcsls"]
    assert (found["mark"].to_dict(), found["mean"]["1 %"]) == ({"1 %": "†1/1", "10 %": "", "100 %": ""}, 12.0)


def test_the_figure_has_every_system_and_share(tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.csv", curve_rows(joint_replace=(0.0, 10.0, 30.0), rcsls=(10.0, 20.0, 20.0)))
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
