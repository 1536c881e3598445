from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from crosslingua.claims.interval import mean_interval
from crosslingua.claims.statements import read_claims
from crosslingua.claims.transfer import ALIGNED, correlation, rank_correlation_values, transfer
from crosslingua.claims.verdict import Judgement, LeftOut, judge
from crosslingua.report.reference import read_reference

SYSTEMS = ("mlm", "xlm", "dict_mlm", "align_mlm")
TARGETS = ("trans", "trans_inv", "trans_syn")


def cell(system: str, target: str, seed: int = 1, alignment: float | None = None, **tasks) -> dict:
    return {"system": system, "target": target, "seed": seed, "alignment": alignment, "tasks": tasks}


def scores(supervised: list[float], zero_shot: list[float]) -> dict:
    return {"supervised": supervised, "zero_shot": zero_shot}


def test_delta_is_taken_sentence_by_sentence() -> None:
    cells = [
        cell("mlm", "trans", pos=scores([100, 50], [20, 50])),
        cell("mlm", "trans_inv", ner=scores([9], [4])),
    ]
    assert transfer(cells, "delta").values["trans.pos"]["mlm"][1] == {("pos", "0"): 80, ("pos", "1"): 0}
    assert transfer(cells, "zero_shot").values["trans_inv.ner"]["mlm"][1] == {("ner", "0"): 4}


def test_influence_values_have_the_correlation_as_their_mean_and_its_spread_as_theirs() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=400)
    y = x + rng.normal(size=400)
    values = rank_correlation_values(x, y)
    assert values.mean() == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)
    drawn = [rng.integers(400, size=400) for _ in range(400)]
    bootstrap = np.std([spearmanr(x[rows], y[rows]).statistic for rows in drawn])
    assert values.std() / 20 == pytest.approx(bootstrap, rel=0.15)
    assert rank_correlation_values(np.ones(5), y[:5]) is None


def published_cells(repository: Path) -> list[dict]:
    """The paper's own numbers, as if each score were that of two sentences."""
    known = read_reference(repository.glob("reference/align_mlm_*.csv"))

    def both(system: str, target: str, task: str) -> dict:
        """Two sentences; tables 2 and 5 tell the difference alone."""
        supervised = known.get((system, target, task, "supervised"), 50.0)
        zero_shot = supervised - known[system, target, task, "delta"]
        return scores(*([value - 0.1, value + 0.1] for value in (supervised, zero_shot)))

    named = {key[:2] for key in known if key[3] == "delta"}
    return [
        cell(
            *name,
            alignment=known.get((*name, "embedding_alignment", "alignment")),
            **{task: both(*name, task) for task in ("nli", "ner", "pos")},
        )
        for name in sorted(named)
    ]


def test_the_papers_own_numbers_give_the_published_correlations(repository: Path) -> None:
    found = correlation(published_cells(repository))
    assert {task: found.grid(task, ALIGNED, None, [1]).values.mean() for task in found.values} == {
        "nli": pytest.approx(0.727, abs=5e-4),
        "ner": pytest.approx(0.781, abs=5e-4),
        "pos": pytest.approx(0.734, abs=5e-4),
    }
    assert all(mean_interval([found.grid(task, ALIGNED, None, [1])]).low > 0 for task in found.values)


def test_the_papers_claims_hold_on_its_own_numbers_but_one(repository: Path) -> None:
    """The sentences of a score differ from each other alike, so that the verdict is that of the numbers themselves."""
    cells = published_cells(repository)
    evidence = {(m, "all"): transfer(cells, m) for m in ("supervised", "zero_shot", "delta")}
    evidence["correlation", "all"] = correlation(cells)
    claims = read_claims(repository / "reference/claims.yaml", repository / "schemas/claims.schema.yaml")
    ours = [claim for claim in claims if claim.paper == "align_mlm"]
    results = {claim.claim: judge(claim, evidence) for claim in ours}
    verdicts = {name: result.verdict for name, result in results.items() if isinstance(result, Judgement)}
    failed = {name for name, verdict in verdicts.items() if verdict != "reproduced"}
    assert len(verdicts) == len(ours)
    assert failed == {"shared_vocabulary_improves_transfer"}
    assert verdicts["shared_vocabulary_improves_transfer"] == "contradicted"  # NER in table 7


def test_a_claim_is_tested_on_the_pairs_it_names_and_left_out_without_them(repository: Path) -> None:
    claims = read_claims(repository / "reference/claims.yaml", repository / "schemas/claims.schema.yaml")
    claim = next(c for c in claims if c.claim == "align_mlm_outperforms_mlm_under_inversion")
    bad, good = scores([90, 90, 91], [10, 11, 10]), scores([90, 90, 91], [89, 90, 90])
    cells = [cell("mlm", t, pos=bad) for t in TARGETS[1:]] + [
        cell("align_mlm", t, pos=good) for t in TARGETS[1:]
    ]
    cells += [cell("mlm", "trans", pos=good), cell("align_mlm", "trans", pos=bad)]
    evidence = {("delta", "all"): transfer(cells, "delta")}
    assert judge(claim, evidence).verdict == "reproduced"
    assert {finding.pair for finding in judge(claim, evidence).findings} == {"trans_inv.pos"}
    assert judge(replace(claim, tested_on=("trans.pos",)), evidence).verdict == "contradicted"
    assert isinstance(judge(replace(claim, tested_on=("trans.qa",)), evidence), LeftOut)
    assert isinstance(judge(claim, {}), LeftOut)


def test_a_task_that_was_not_learnt_is_no_evidence() -> None:
    at_chance, learnt = scores([100, 0, 0], [0, 0, 100]), scores([100, 100, 0], [0, 100, 0])
    nli = [(s, t, at_chance if t == "trans" else learnt) for s in SYSTEMS for t in TARGETS]
    cells = [cell(s, t, nli=found | {"majority": 34.0}) for s, t, found in nli]
    cells.append(cell("mlm", "trans", pos=at_chance | {"majority": None}))
    assert set(transfer(cells, "delta").values) == {"trans_inv.nli", "trans_syn.nli", "trans.pos"}
