from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from crosslingua.cells import Cell
from crosslingua.claims.interval import mean_spread, numbered
from crosslingua.claims.statements import Claim, Comparison, Region
from crosslingua.claims.verdict import Judgement, LeftOut, judge
from crosslingua.errors import InputError
from crosslingua.io.json import write_json
from crosslingua.papers.align_mlm import claims
from crosslingua.papers.align_mlm.claims import ALIGNED, Scores, correlation, evidence, measures, transfer
from crosslingua.report.tables import read_reference
from judged import claims_of

SYSTEMS = ("mlm", "xlm", "dict_mlm", "align_mlm")
TARGETS = ("trans", "trans_inv", "trans_syn")


def scores(system: str, target: str, task: str, supervised: list, zero_shot: list, majority=None) -> Scores:
    return Scores(system, target, task, 1, np.array(supervised), np.array(zero_shot), majority)


def test_delta_is_taken_sentence_by_sentence() -> None:
    found = [scores("mlm", "trans", "pos", [100, 50], [20, 50]), scores("mlm", "trans_inv", "ner", [9], [4])]
    assert transfer(found, "delta").values["trans.pos"]["mlm"][1] == {("pos", "0"): 80, ("pos", "1"): 0}
    assert transfer(found, "zero_shot").values["trans_inv.ner"]["mlm"][1] == {("ner", "0"): 4}


def test_the_papers_own_numbers_give_the_published_correlations(repository: Path) -> None:
    known = read_reference(repository.glob("reference/align_mlm_table*.csv"))
    deltas = [scores(*key[:3], [100.0], [100.0 - value]) for key, value in known.items() if key[3] == "delta"]
    aligned = {(*key[:2], 1): value for key, value in known.items() if key[3] == "alignment"}
    found = correlation(deltas, aligned)
    grids = {task: found.grid(task, ALIGNED, None, [1]) for task in found.values}
    published = {"nli": 0.727, "ner": 0.781, "pos": 0.734}
    assert {task: grid.values.mean() for task, grid in grids.items()} == pytest.approx(published, abs=5e-4)
    assert all(mean_spread([grid]).interval().low > 0 for grid in grids.values())


def test_a_claim_is_tested_on_the_pairs_it_names_and_left_out_without_them() -> None:
    claim = claims_of("align_mlm")["align_mlm_outperforms_mlm_under_inversion"]
    bad, good = ([90, 90, 91], [10, 11, 10]), ([90, 90, 91], [89, 90, 90])
    worst_in = {"mlm": TARGETS[1:], "align_mlm": TARGETS[:1]}
    found = [scores(s, t, "pos", *(bad if t in worst_in[s] else good)) for s in worst_in for t in TARGETS]
    found += [replace(one, seed=seed) for one in found for seed in (2, 3, 4)]
    measured = {("delta", "all"): transfer(found, "delta")}
    assert judge(claim, measured).verdict == "reproduced"
    assert {finding.pair for finding in judge(claim, measured).findings} == {"trans_inv.pos"}
    assert judge(replace(claim, tested_on=("trans.pos",)), measured).verdict == "contradicted"
    assert isinstance(judge(replace(claim, tested_on=("trans.qa",)), measured), LeftOut)
    assert isinstance(judge(claim, {}), LeftOut)


def test_a_task_that_was_not_learnt_is_no_evidence() -> None:
    at_chance, known = ([100, 0, 0], [0, 0, 100]), ([100, 100, 0], [0, 100, 0])
    levels = {"trans": at_chance, "trans_inv": known, "trans_syn": known}
    found = [scores(s, t, "nli", *level, 34.0) for s in SYSTEMS for t, level in levels.items()]
    found.append(scores("mlm", "trans", "pos", *at_chance))
    assert set(transfer(claims.learnt(found), "delta").values) == {
        "trans_inv.nli",
        "trans_syn.nli",
        "trans.pos",
    }


def test_a_system_hardly_above_random_weights_has_no_delta_and_blocks_what_names_it() -> None:
    levels = {"untrained": (38, 1), "dict_mlm": (42, 4), "xlm": (70, 3), "align_mlm": (60, 13)}
    noise = np.random.default_rng(0).normal(size=(5, 40))
    part = measures([
        Scores(system, "trans_inv", "ner", seed, high + more, low - more)
        for system, (high, low) in levels.items() for seed, more in enumerate(noise)
    ], {})  # fmt: skip
    assert set(part["delta", "all"].values["trans_inv.ner"]) == {"untrained", "xlm", "align_mlm"}
    assert "dict_mlm" in part["zero_shot", "all"].values["trans_inv.ner"]

    def judged(*over: str) -> Judgement | LeftOut:
        comparisons = tuple(Comparison("align_mlm", one) for one in over)
        claim = Claim("a", "align_mlm", "", "", "", "delta", comparisons, Region(below=0), pairs="each")
        return judge(claim, part)

    assert judged("xlm").verdict == "reproduced"
    blocked = judged("xlm", "dict_mlm")
    reason = "it holds of the rest, but dict_mlm learnt too little (trans_inv.ner)"
    assert (blocked.verdict, blocked.missing, blocked.reason) == ("inconclusive", (), reason)
    assert judged("untrained", "dict_mlm").verdict == "contradicted"  # by the other comparison
    assert judged("dict_mlm").reason == "dict_mlm learnt too little (trans_inv.ner)"


def cells_of(folder: Path, system: str, supervised: list[float], zero_shot: list[float], alignment: float):
    """The cells of an encoder, as the plan has them: three of a task and one of the alignment."""
    contents = {"s": supervised, "z": zero_shot}
    paths = {name: str(folder / f"{system}.{name}.json") for name in (*contents, "a")}
    for name, values in contents.items():
        write_json(paths[name], {"per_sentence": values, "f1": float(np.mean(values))})
    write_json(paths["a"], {"alignment": alignment})
    identity = ("align_mlm", "table3", system)
    pos = (*identity, "pos", "en", "trans", 1)
    return [
        Cell(*pos, paths["s"], ("supervised=f1",), "0f"),
        Cell(*pos, paths["z"], ("zero_shot=f1",), "0f"),
        Cell(*pos, paths["s"], ("delta=f1",), "0f", less=paths["z"]),
        Cell(*identity, "embedding_alignment", "en", "trans", 1, paths["a"], ("alignment",), "0f"),
    ]


def test_evidence_is_read_from_the_files_of_cells_which_score_the_same_sentences(tmp_path: Path) -> None:
    cells = []
    for place, system in enumerate(SYSTEMS):
        cells += cells_of(tmp_path, system, [90.0, 80.0], [10.0 * place, 20.0], place / 10)
    found = evidence(cells, {})
    assert found["supervised", "all"].values["trans.pos"]["xlm"][1] == {("pos", "0"): 90, ("pos", "1"): 80}
    assert found["delta", "all"].values["trans.pos"]["xlm"][1] == {("pos", "0"): 80, ("pos", "1"): 60}
    told = found["correlation", "all"]
    assert told.grid("pos", ALIGNED, None, [1]).values.mean() == pytest.approx(1)
    assert told.unit == "Spearman's rho; p by permutation within transformations: 0.083 (pos)"
    with pytest.raises(InputError, match=r"mlm\.z\.json: other sentences were scored"):
        evidence(cells_of(tmp_path, "mlm", [90.0, 80.0], [10.0], 0.5), {})


def test_inversion_costs_what_it_takes_beyond_the_script() -> None:
    """An encoder that transfers nothing at all shows no cost of inversion, however large its delta."""
    found = [
        scores("mlm", "trans", "pos", [90, 90], [80, 90]), scores("mlm", "trans_inv", "pos", [90, 80], [20, 10]),
        scores("xlm", "trans", "pos", [90, 90], [5, 5]), scores("xlm", "trans_inv", "pos", [90, 90], [5, 5]),
        scores("dict_mlm", "trans_inv", "pos", [90, 90], [5, 5]),
    ]  # fmt: skip
    cost = claims.cost_of_inversion(transfer(found, "delta"))
    assert cost.values["pos"] == {
        "mlm": {1: {("pos", "0"): 60, ("pos", "1"): 70}}, "xlm": {1: {("pos", "0"): 0, ("pos", "1"): 0}}
    }  # fmt: skip


def test_the_interval_of_a_correlation_ends_at_one() -> None:
    rng = np.random.default_rng(1)
    found = correlation([], {})
    for seed in (1, 2, 3, 4):
        found.add("pos", ALIGNED, seed, numbered("mlm", 0.9 + rng.normal(0, 0.5, 12)))
    claim = Claim("c", "align_mlm", "", "", "", "correlation", (Comparison(ALIGNED),), Region(above=0))
    assert judge(claim, {("correlation", "all"): found}).decisive.interval.high == 1
    assert mean_spread([found.grid("pos", ALIGNED, None, [1, 2, 3, 4])]).interval().high > 1


def test_what_is_aligned_nowhere_does_not_collapse() -> None:
    """Random weights align nothing, whatever the order of words: no fall."""
    claim = claims_of("align_mlm")["mlm_alignment_collapses_under_inversion"]

    def judged(across: float, inverted: float) -> Judgement | LeftOut:
        values = {"trans": across, "trans_inv": inverted}
        noise = np.random.default_rng(0).uniform(0, 0.1, 4)
        aligned = {("mlm", t, s): v + noise[s] for t, v in values.items() for s in range(4)}
        aligned["mlm", "trans_inv", 9] = inverted  # without a partner
        return judge(claim, measures([], aligned))

    assert judged(90.0, 0.3).verdict == "reproduced"
    assert judged(0.8, 0.2).verdict == "contradicted"
    assert judged(0.8, 0.2).decisive.spread.effect == pytest.approx(0.6)
    assert isinstance(judge(claim, measures([], {("mlm", "trans_inv", 1): 0.3})), LeftOut)
