"""Statements judged on the numbers that their own papers print: what fails there tests something else than it says."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from crosslingua.cells import Cell
from crosslingua.claims.statements import read_claims
from crosslingua.claims.verdict import Judgement, LeftOut, judge_all
from crosslingua.io.json import write_json
from crosslingua.papers.laser_taggers.claims import evidence as of_laser
from crosslingua.papers.mbert_align.claims import PUBLISHED
from crosslingua.papers.mbert_align.claims import evidence as of_mbert

SEEDS, SENTENCES = range(1, 6), 10
DISTANCE = {"close": 1.0, "moderate": 2.0, "distant": 3.0}
DISTANT, ITEMS = ("eu", "hu"), {"ner": ("f1", "per_sentence"), "pos": ("accuracy", "accuracy_per_sentence")}


def printed(repository: Path, table: str) -> list[dict[str, str]]:
    with (repository / f"reference/{table}.csv").open() as stream:
        return list(csv.DictReader(stream))


class Files:
    """Writes scores that are equal for every seed and sentence."""

    def __init__(self, folder: Path):
        self.folder, self.count = folder, 0

    def write(self, content: Mapping) -> str:
        self.count += 1
        path = self.folder / f"{self.count}.json"
        write_json(path, content)
        return str(path)


def mbert_cells(repository: Path, files: Files) -> Iterator[Cell]:
    rows = [row for row in printed(repository, "mbert_align_table3") if row["metric"] == "f1"]
    for task, target in {(row["task"], row["target"]): None for row in rows}:
        far = DISTANCE[PUBLISHED[target.partition("_")[0]]]
        yield cell("mbert_align", "fig2", "distance", task, target, 1, files.write({"distance": far}))
    for row in rows:
        score = files.write({"per_sentence": [float(row["value"])] * SENTENCES})
        for seed in SEEDS:
            yield cell("mbert_align", "table3", row["system"], row["task"], row["target"], seed, score)


def laser_cells(repository: Path, files: Files) -> Iterator[Cell]:
    values = {
        (row["system"], row["task"], row["target"], row["metric"]): float(row["value"])
        for table in ("laser_taggers_table2", "laser_taggers_table3")
        for row in printed(repository, table)
    }
    for system, task, target, metric in list(values):
        place = system, task, target
        if metric == "change" and target != "en":
            values[*place, "gain"] = values.pop((*place, metric))
        elif metric == "change":  # of scenario B on A; statements compare B with training on English alone
            values[*place, "gain"] = sum(values[*place, name] for name in (metric, "scenario_a"))
            values[*place, "gain"] -= values[*place, "source"]
    for (system, task, target, metric), value in values.items():
        key, items = ITEMS[task]
        score = files.write({items: [value] * SENTENCES})
        told = {"distant": "yes"} if target in DISTANT else {}
        for seed in SEEDS:
            place = system, task, target, seed, score
            yield cell("laser_taggers", "table2", *place, metric=f"{metric}={key}", conditions=told)


def cell(paper: str, table: str, system: str, task: str, target: str, seed: int, score: str, **more) -> Cell:
    metric = more.pop("metric", "f1")
    return Cell(paper, table, system, task, "en", target, seed, score, (metric,), "0f", **more)


def judged(
    repository: Path, paper: str, evidence: Callable, cells: Sequence[Cell]
) -> dict[str, Judgement | LeftOut]:
    claims = read_claims(
        repository / f"reference/{paper}_claims.yaml", repository / "schemas/claims.schema.yaml"
    )
    return {result.claim.claim: result for result in judge_all(claims, evidence(cells, {}))}


NOT_PRINTED = {  # what they measure stands in no table
    "mbert_align": {"distant_languages_are_more_separable", "translation_favours_fine_tuning"},
    "laser_taggers": {
        "differences_from_laser_top_are_significant", "laser_elmo_overfits",
        "laser_top_detects_entities_better_than_muse", "context_finds_words_that_are_no_entities_alone",
    },
}  # fmt: skip
AGAINST_THEIR_TABLES = {  # statements that the tables of the paper contradict; their `reading` says so
    "mbert_align": {},
    "laser_taggers": {
        "bert_transfers_best": "BERT is best in most columns; the mean of the six zero-shot ones is 65.3 to 65.5",
        "laser_loses_far_less_than_the_baselines": "LASER-elmo loses 32.4, the bag of pieces 29.1, MUSE 29.9",
        "laser_top_gains_by_joint_training": "English alone: 73.5 in scenario B, 80.3 trained on English",
    },
}
CASES = {"mbert_align": (mbert_cells, of_mbert), "laser_taggers": (laser_cells, of_laser)}


@pytest.mark.parametrize("paper", CASES)
def test_a_papers_own_numbers_reproduce_its_statements(tmp_path: Path, repository: Path, paper: str) -> None:
    cells, evidence = CASES[paper]
    found = judged(repository, paper, evidence, list(cells(repository, Files(tmp_path))))
    left_out = {name for name, one in found.items() if isinstance(one, LeftOut)}
    verdicts = {name: one.verdict for name, one in found.items() if isinstance(one, Judgement)}
    assert left_out == NOT_PRINTED[paper]
    assert {name for name, verdict in verdicts.items() if verdict != "reproduced"} == set(
        AGAINST_THEIR_TABLES[paper]
    )
    for name in AGAINST_THEIR_TABLES[paper]:
        assert verdicts[name] == "contradicted"
        assert found[name].claim.reading
