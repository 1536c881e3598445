"""Statements judged on the numbers that their papers print: a failure is a test that differs from the statement."""

import csv
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from math import floor
from pathlib import Path

import numpy as np
import pytest

from crosslingua.cells import Cell
from crosslingua.claims.statements import Claim
from crosslingua.claims.verdict import Judgement, LeftOut
from crosslingua.io.json import read_yaml
from crosslingua.papers.align_mlm.claims import Scores, measures
from crosslingua.papers.laser_taggers.claims import evidence as of_laser
from crosslingua.papers.mbert_align.claims import PUBLISHED
from crosslingua.papers.mbert_align.claims import evidence as of_mbert
from crosslingua.papers.xlm_align.claims import evidence as of_xlm_align
from crosslingua.papers.xlm_align.tasks import TASKS
from judged import Files, claims_of, judged

SEEDS, SENTENCES = range(1, 6), 10
DISTANCE = {"close": 1.0, "moderate": 2.0, "distant": 3.0}
DISTANT, ITEMS = ("eu", "hu"), {"ner": ("f1", "per_sentence"), "pos": ("accuracy", "accuracy_per_sentence")}


def printed(repository: Path, table: str) -> list[dict[str, str]]:
    with (repository / f"reference/{table}.csv").open() as stream:
        return list(csv.DictReader(stream))


def mbert_cells(repository: Path, files: Files) -> Iterator[Cell]:
    rows = [row for row in printed(repository, "mbert_align_table3") if row["metric"] == "f1"]
    for task, target in {(row["task"], row["target"]): None for row in rows}:
        far = DISTANCE[PUBLISHED[target.partition("_")[0]]]
        yield cell("mbert_align", "fig2", "distance", task, target, 1, files.write({"distance": far}))
    for row in rows:
        score = files.write({"per_sentence": [float(row["value"])] * SENTENCES, "f1": float(row["value"])})
        for seed in SEEDS:
            yield cell("mbert_align", "table3", row["system"], row["task"], row["target"], seed, score)


def laser_cells(repository: Path, files: Files) -> Iterator[Cell]:
    values = {
        (row["system"], row["task"], row["target"], row["metric"]): float(row["value"])
        for table in (2, 3) for row in printed(repository, f"laser_taggers_table{table}")
    }  # fmt: skip
    for system, task, target, metric in list(values):
        place = system, task, target
        if metric == "change" and target != "en":
            values[*place, "gain"] = values.pop((*place, metric))
        elif metric == "change":  # of scenario B on A; statements compare B with training on English alone
            values[*place, "gain"] = sum(values[*place, name] for name in (metric, "scenario_a"))
            values[*place, "gain"] -= values[*place, "source"]
    for (system, task, target, metric), value in values.items():
        key, items = ITEMS[task]
        score = files.write({items: [value] * SENTENCES, key: value})
        told = {"distant": "yes"} if target in DISTANT else {}
        for seed in SEEDS:
            place = system, task, target, seed, score
            yield cell("laser_taggers", "table2", *place, metric=f"{metric}={key}", conditions=told)


def align_evidence(repository: Path, files: Files) -> Mapping:
    """Scores of tables 1, 2, 3, 5, 7, alignment of table 8. Where delta alone is printed, any scores that have it."""
    deltas: dict[tuple[str, str, str], dict[str, float]] = {}
    for table in (1, 2, 5, 7, 3):
        for row in printed(repository, f"align_mlm_table{table}"):
            place = row["system"], row["target"], row["task"]
            deltas.setdefault(place, {})[row["metric"]] = float(row["value"])
    scores, aligned = [], {}
    for (system, target, task), found in deltas.items():
        supervised = found.get("supervised", 80.0)
        both = supervised, found.get("zero_shot", supervised - found["delta"])
        values = [np.full(SENTENCES, value) for value in both]
        scores += [Scores(system, target, task, seed, *values) for seed in SEEDS]
    for row in printed(repository, "align_mlm_table8"):
        if row["metric"] == "alignment":
            aligned |= {(row["system"], row["target"], seed): float(row["value"]) for seed in SEEDS}
    return measures(scores, aligned)


def xlm_align_cells(repository: Path, files: Files) -> Iterator[Cell]:
    """Error rates of table 2, and the means of table 1 and tables 3 to 7 as those of both of two languages."""
    for row in printed(repository, "xlm_align_table2"):
        if row["target"] != "mean":
            wrong = float(row["value"]) / 100
            score = files.write({"per_pair": [[100, 100, 100 * (1 - wrong), 100 * (1 - wrong)]] * SENTENCES})
            source, target = row["target"].split("-")
            for seed in SEEDS:
                place = row["system"], "word_alignment", source, target, seed, score
                yield Cell("xlm_align", "table2", *place, ("aer",), "0f")
    found: dict[tuple[str, str, str], dict[str, float]] = {}
    for table in (1, 3, 4, 5, 6, 7):
        for row in printed(repository, f"xlm_align_table{table}"):
            if row["task"] in TASKS:
                place = "table1" if table == 1 else "table3", row["system"], row["task"]
                found.setdefault(place, {})[row["metric"]] = float(row["value"])
    for (table, system, task), own in found.items():
        (first, key), *second = TASKS[task].metrics.items()
        values = {key: own[first]} | {key: own.get(metric, own[first]) for metric, key in second}
        items = {key: [value] * SENTENCES for key, value in values.items()}
        names = {"id": list(range(SENTENCES))}
        by_item = {"per_question": names | items} if second else {"per_sentence": items[key]}
        floor = {TASKS[task].floor: 0.0} if TASKS[task].floor else {}  # is printed nowhere
        score = files.write(values | by_item | floor | {TASKS[task].learnt_by[1]: own[first]})
        for seed, target in product(SEEDS, ("en", "de")):
            yield Cell("xlm_align", table, system, task, "en", target, seed, score, ("f1",), "0f")


def cell(paper: str, table: str, system: str, task: str, target: str, seed: int, score: str, **more) -> Cell:
    metric = more.pop("metric", "f1")
    return Cell(paper, table, system, task, "en", target, seed, score, (metric,), "0f", **more)


NOT_PRINTED = {  # what they measure stands in no table
    "align_mlm": {"alpha_makes_little_difference", "parallel_data_does_not_improve_alignment"},
    "xlm_align": {  # figure 2, and the error rates of table 3's encoders
        "middle_layers_align_best", "xlm_align_better_in_every_layer", "xlm_align_reduces_the_last_layers_most",
        "tlm_reduces_alignment_error", "dwa_reduces_alignment_error_beside_tlm",
    },
    "mbert_align": {"distant_languages_are_more_separable", "translation_favours_fine_tuning"},
    "laser_taggers": {
        "differences_from_laser_top_are_significant", "laser_elmo_overfits",
        "laser_top_detects_entities_better_than_muse", "context_finds_words_that_are_no_entities_alone",
        # of equal recipes
        "laser_loses_far_less_than_the_baselines_of_its_recipe", "distant_languages_gain_by_context_of_its_recipe",
        "laser_top_outperforms_baselines_without_context_of_its_recipe",
    },
}  # fmt: skip
AGAINST_THEIR_TABLES = {  # statements that the paper's tables contradict in part; their `reading` says so
    "align_mlm": {
        "shared_vocabulary_improves_transfer": "NER with 50 % overlap loses 37.5, without overlap 19.4"
    },
    "laser_taggers": {
        "bert_transfers_best": "BERT is best in most columns; the mean of the six zero-shot ones is 65.3 to 65.5",
        "laser_loses_far_less_than_the_baselines": "LASER-elmo loses 32.4, the bag of pieces 29.1, MUSE 29.9",
        "laser_top_gains_by_joint_training": "English alone: 73.5 in scenario B, 80.3 trained on English",
    },
}
CASES: dict[str, Callable[[Path, Files], Mapping]] = {
    "mbert_align": lambda repository, files: of_mbert(list(mbert_cells(repository, files)), {}),
    "laser_taggers": lambda repository, files: of_laser(list(laser_cells(repository, files)), {}),
    "xlm_align": lambda repository, files: of_xlm_align(list(xlm_align_cells(repository, files)), {}),
    "align_mlm": align_evidence,
}


@pytest.mark.parametrize("paper", CASES)
def test_a_papers_own_numbers_reproduce_its_statements(tmp_path: Path, repository: Path, paper: str) -> None:
    found = judged(paper, CASES[paper](repository, Files(tmp_path)))
    against = AGAINST_THEIR_TABLES.get(paper, {})
    expected = dict.fromkeys(claims_of(paper), "reproduced") | dict.fromkeys(against, "mixed")
    verdicts = {name: one.verdict for name, one in found.items() if isinstance(one, Judgement)}
    assert verdicts == {name: verdict for name, verdict in expected.items() if name not in NOT_PRINTED[paper]}
    assert all(found[name].claim.reading for name in against)


def bound(claim: Claim) -> float:
    return claim.holds.below if claim.holds.above is None else claim.holds.above


def is_superior(claim: Claim) -> bool:
    """Whether it asks for a difference in its direction, and not for less than one in the other."""
    return bound(claim) > 0 if claim.holds.below is None else bound(claim) < 0


@pytest.mark.parametrize("paper", [*CASES, "joint_align"])
def test_every_threshold_is_where_its_claim_says(repository: Path, paper: str) -> None:
    effects = read_yaml(repository / "reference/smallest_effects.yaml")[paper]
    for name, claim in claims_of(paper).items():
        match claim.threshold:
            case "smallest_effect":
                assert abs(bound(claim)) == effects[claim.measure], name
            case {"printed": difference, **more}:
                assert abs(bound(claim) - more.get("from", 0)) == pytest.approx(difference / 2), name
                assert is_superior(claim), name
            case {"called_none": difference}:
                assert abs(bound(claim)) == floor(difference) + 1 > effects[claim.measure], name
                assert not is_superior(claim), name
            case {"meaning": word}:
                assert word.partition(":")[0] in claim.statement.lower(), name
            case _:
                pytest.fail(f"{name} does not say where its threshold comes from")


def least(found: Judgement) -> float:
    """The effect of the comparison that comes nearest to the edge, or is furthest beyond it."""
    sign = 1 if found.claim.holds.below is None else -1
    return sign * min(sign * finding.spread.effect for finding in found.findings)


@pytest.mark.parametrize("paper", CASES)
def test_differences_behind_thresholds_are_printed(tmp_path: Path, repository: Path, paper: str) -> None:
    """In the statement, or in the paper's tables; those of tables only where half of one is less than the smallest."""
    effects = read_yaml(repository / "reference/smallest_effects.yaml")[paper]
    for name, one in judged(paper, CASES[paper](repository, Files(tmp_path))).items():
        claim, told = one.claim, one.claim.threshold
        if isinstance(told, Mapping) and "meaning" in told:
            continue
        number = "" if isinstance(told, str) else f"{told.get('printed', told.get('called_none')):g}"
        if number and re.search(rf"(?<![\d.]){re.escape(number)}(?!\d)", claim.statement):
            continue
        assert isinstance(one, Judgement) or not number, name
        against = name in AGAINST_THEIR_TABLES.get(paper, {})
        if isinstance(one, LeftOut) or against or claim.measure == "f1_by_distance":
            continue
        effect = abs(least(one))
        if number:
            assert float(number) + told.get("from", 0) == pytest.approx(effect, abs=0.006), name
        elif is_superior(claim):
            assert effect / 2 >= effects[claim.measure] - 1e-9, name
