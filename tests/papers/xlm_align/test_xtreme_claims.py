"""xlm_align's claims on XTREME, judged on made-up scores of which it is known what they show."""

from pathlib import Path

import numpy as np
import pytest

from crosslingua.cells import Cell
from crosslingua.claims.statements import read_claims
from crosslingua.claims.verdict import Judgement, judge_all
from crosslingua.io.json import write_json
from crosslingua.papers.xlm_align.claims import evidence
from crosslingua.papers.xlm_align.tasks import ABLATED, TASKS

SEEDS, LANGUAGES, ITEMS = (1, 2, 3, 4), ("en", "de"), {"en": 60, "de": 30}
MAIN = {"mbert": 40, "xlm": 42, "xlmr": 50, "xlm_align": 60}
OTHERS = {
    "xlmr_mlm": 50, "no_dwa": 45, "no_tlm": 48, "no_filter": 40, "labelling_layer_1": 50, "query_layer_1": 50,
    "unmasked": 55, "all_aligned": 54,
}  # fmt: skip


class Maker:
    """Writes scores around a level, as score_predictions.py does."""

    def __init__(self, folder: Path):
        self.folder, self.rng, self.count = folder, np.random.default_rng(1), 0

    def cell(
        self, system: str, task: str, language: str, seed: int, level: float, majority: float = 30.0
    ) -> Cell:
        self.count += 1
        path = self.folder / f"{self.count}.json"
        keys = TASKS[task].metrics.values()
        values = {key: (level + self.rng.normal(0, 3, ITEMS[language])).tolist() for key in keys}
        score = {key: float(np.mean(each)) for key, each in values.items()}
        first, ids = next(iter(values.values())), [f"{language}{n}" for n in range(ITEMS[language])]
        items = {"per_question": {"id": ids, **values}} if len(values) > 1 else {"per_sentence": first}
        told = {TASKS[task].learnt_by[1]: score.get("accuracy", level)} if task == "pos" else {}
        told |= {TASKS[task].floor: majority} if TASKS[task].floor else {}
        write_json(path, {**score, **items, **told})
        table = "table1" if system in MAIN else "table3"
        return Cell("xlm_align", table, system, task, "en", language, seed, str(path), ("f1",), "0f")

    def all(self, levels: dict[str, float], tasks=tuple(TASKS)) -> list[Cell]:
        return [
            self.cell(system, task, language, seed, level)
            for system, level in levels.items()
            for task in tasks
            for language in LANGUAGES
            for seed in SEEDS
        ]

    def instead(self, cells: list[Cell], levels: dict[tuple[str, str], float]) -> list[Cell]:
        """Return cells with those of some systems on some tasks at another level."""
        kept = [c for c in cells if (c.system, c.task) not in levels]
        made = [self.all({system: level}, (task,)) for (system, task), level in levels.items()]
        return [*kept, *(cell for part in made for cell in part)]


def verdicts(repository: Path, cells: list[Cell]) -> dict[str, str]:
    claims = read_claims(
        repository / "reference/xlm_align_claims.yaml", repository / "schemas/claims.schema.yaml"
    )
    claims = [claim for claim in claims if claim.measure.startswith("xtreme")]
    return {
        r.claim.claim: r.verdict for r in judge_all(claims, evidence(cells, {})) if isinstance(r, Judgement)
    }


def test_scores_as_the_paper_has_them_reproduce_every_statement(repository: Path, tmp_path: Path) -> None:
    make = Maker(tmp_path)
    cells = make.all(MAIN) + make.all(OTHERS, ABLATED)
    special = {("no_tlm", "xnli"): 30, ("no_tlm", "ner"): 30, ("query_layer_1", "xnli"): 70}
    special |= {("xlm_align", task): 55 for task in ("xnli", "pawsx")}
    found = verdicts(repository, make.instead(cells, special))
    assert len(found) == 18
    assert set(found.values()) == {"reproduced"}


def test_the_opposite_contradicts_every_statement(repository: Path, tmp_path: Path) -> None:
    make = Maker(tmp_path)
    main = {name: 100 - level for name, level in MAIN.items()}
    others = {name: 100 - level for name, level in OTHERS.items()}
    cells = make.all(main) + make.all(others, ABLATED)
    special = {
        ("no_tlm", "xnli"): 70,
        ("no_tlm", "ner"): 70,
        ("query_layer_1", "xnli"): 30,
        ("labelling_layer_1", "xnli"): 50,
        ("xlm_align", "xnli"): 45,
        ("xlm_align", "pawsx"): 45,
    }
    found = verdicts(repository, make.instead(cells, special))
    assert set(found.values()) == {"contradicted"}


def test_without_ablations_only_table_1_is_judged(repository: Path, tmp_path: Path) -> None:
    found = verdicts(repository, Maker(tmp_path).all(MAIN))
    assert set(found) == {
        "xlm_align_best_on_xtreme",
        "xlm_align_gains_on_average",
        "xlm_align_gains_most_on_token_level_tasks",
        "xlm_align_improves_questions_and_structured_prediction",
        "xlm_align_gains_on_tydiqa",
        "xlm_align_gains_on_ner",
        "xlm_align_improves_sentence_classification",
    }


def test_the_mean_of_a_tasks_items_is_the_mean_over_its_languages(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    cells = [make.cell("xlmr", "xquad", "en", 1, 80), make.cell("xlmr", "xquad", "de", 1, 20)]
    for measure, level in (("xtreme", 50), ("xtreme_f1", 50)):
        values = evidence(cells, {})[measure, "all"].values["xquad"]["xlmr"][1]
        assert len(values) == 90
        assert np.mean(list(values.values())) == pytest.approx(level, abs=1.5)


def test_twelve_layers_are_compared_with_the_tenth_too(repository: Path, tmp_path: Path) -> None:
    make = Maker(tmp_path)
    levels = {"xlm_align": 60, "labelling_layer_8": 50, "labelling_layer_12": 70, "query_layer_8": 40}
    for tenth, expected in ((55, "reproduced"), (35, "contradicted")):
        found = verdicts(repository, make.all(levels | {"query_layer_10": tenth}, ABLATED))
        assert found["last_layer_labels_best"] == "reproduced"
        assert found["high_layer_dwa_improves_the_others"] == expected
    found = verdicts(repository, make.all(levels | {"xlm_align": 80}, ABLATED))
    assert found["last_layer_labels_best"] == "contradicted"


def test_the_gain_on_tasks_of_tokens_is_held_against_that_on_classification(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    gains = {"pos": 4, "ner": 8, "xquad": 0, "xnli": 5, "pawsx": 1}  # means 4 and 3
    cells = [
        make.cell(system, task, "en", 1, 50 + more * (system == "xlm_align"))
        for task, more in gains.items()
        for system in ("xlmr", "xlm_align")
    ]
    values = evidence(cells, {})["xtreme_token_level", "all"].values["table1"]["xlm_align"][1]
    assert np.mean(list(values.values())) == pytest.approx(1, abs=1.5)


def test_a_task_that_nobody_learnt_is_no_evidence(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    cells = [make.cell(s, "xnli", "en", 1, level, majority=45.0) for s, level in (("xlmr", 50), ("xlm", 48))]
    assert not evidence(cells, {})["xtreme", "all"].values
    cells.append(make.cell("mbert", "xnli", "en", 1, 60, majority=45.0))
    assert set(evidence(cells, {})["xtreme", "all"].values["xnli"]) == {"xlmr", "xlm", "mbert"}


def test_a_task_that_neither_of_two_learnt_is_left_out_where_they_are_compared(
    repository: Path, tmp_path: Path
) -> None:
    """NER alone is learnt by both; of XNLI and PAWS-X xlm_align and xlmr have the most frequent answer and noise."""
    make = Maker(tmp_path)
    lost = {(name, task): 31 for name in MAIN for task in ("xnli", "pawsx")}
    cells = make.instead(make.all(MAIN), {**lost, ("mbert", "xnli"): 60})
    claims = read_claims(
        repository / "reference/xlm_align_claims.yaml", repository / "schemas/claims.schema.yaml"
    )
    judged = {r.claim.claim: r for r in judge_all(claims, evidence(cells, {})) if isinstance(r, Judgement)}
    findings = {str(f.comparison): f.spread for f in judged["xlm_align_best_on_xtreme"].findings}
    assert findings["xlm_align - xlmr"].effect == pytest.approx(
        10, abs=1
    )  # of the five others, not (5 * 10) / 6
    mbert = (5 * 20 + 31 - 60) / 6
    assert findings["xlm_align - mbert"].effect == pytest.approx(mbert, abs=1)
    assert "xlm_align_gains_most_on_token_level_tasks" not in judged  # no classification is left
