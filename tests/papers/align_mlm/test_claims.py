from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from crosslingua.cells import Cell
from crosslingua.claims.statements import Claim, Comparison, Region
from crosslingua.claims.verdict import Judgement, LeftOut, judge
from crosslingua.errors import InputError
from crosslingua.evidence.evidence import numbered
from crosslingua.io.json import write_json
from crosslingua.papers.align_mlm import claims
from crosslingua.papers.align_mlm.claims import ALIGNED, Scores, correlation, evidence, measures, transfer
from crosslingua.report.correlation import complete
from crosslingua.report.tables import read_reference
from crosslingua.statistics.interval import mean_spread
from judged import claims_of

SYSTEMS = ("mlm", "xlm", "dict_mlm", "align_mlm")
TARGETS = ("trans", "trans_inv", "trans_syn")


def scores(system: str, target: str, task: str, supervised: list, zero_shot: list) -> Scores:
    return Scores(system, target, task, 1, np.array(supervised), np.array(zero_shot))


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


def test_who_does_not_beat_a_control_in_the_derived_language_is_withheld() -> None:
    """Supervised, xlm has 70 and align_mlm 60; random weights have 55, the shortcut of pos 65, chance of nli 65."""
    levels = {"untrained": (55, 1), "dict_mlm": (54, 4), "xlm": (70, 3), "align_mlm": (60, 13)}
    noise = np.random.default_rng(0).normal(size=(5, 40))
    controls = {"ner": {}, "pos": {"linear": [65.0]}, "nli": {"majority": [65.0]}}
    part = measures([
        Scores(system, target, task, seed, high + more, low - more, own)
        for system, (high, low) in levels.items() for task, own in controls.items()
        for target in ("trans", "trans_inv") for seed, more in enumerate(noise)
    ], {("align_mlm", "trans", 0): 1.0})  # fmt: skip
    for measure in ("supervised", "zero_shot", "delta"):
        found = part[measure, "all"]
        assert found.controlled
        for target in ("trans", "trans_inv"):
            assert found.values[f"{target}.ner"].keys() == {"untrained", "xlm", "align_mlm"}
            assert (
                found.values[f"{target}.pos"].keys()
                == found.values[f"{target}.nli"].keys()
                == {"untrained", "xlm"}
            )
            assert found.withheld[f"{target}.ner", "dict_mlm"] == "does not beat random weights"
            assert found.withheld[f"{target}.pos", "align_mlm"] == "does not beat the linear control"
            assert found.withheld[f"{target}.nli", "align_mlm"] == "does not beat the most frequent answer"
    cost = part["cost_of_inversion", "all"]
    assert cost.values["pos"].keys() == {"untrained", "xlm"}
    assert cost.withheld["pos", "align_mlm"] == "does not beat the linear control"
    told = part["correlation", "all"].withheld
    assert told["pos", ALIGNED] == "has too few encoders that beat their controls"


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


def test_alignment_of_who_beats_its_controls_in_no_task_is_withheld() -> None:
    """Of three encoders one is below the linear control in both tasks, one in one of them."""
    level = {"mlm": (60.0, 60.0), "xlm": (60.0, 80.0), "align_mlm": (80.0, 80.0)}
    found = [
        replace(scores(system, "trans_inv", task, [value], [0.0]), controls={"linear": [70.0]})
        for system, values in level.items()
        for task, value in zip(("ner", "pos"), values, strict=True)
    ]
    told = measures(found, {(system, "trans_inv", 1): 1.0 for system in level})["alignment", "all"]
    assert told.withheld == {("trans_inv", "mlm"): "does not beat the linear control"}
    assert set(told.values["trans_inv"]) == {"xlm", "align_mlm"}


def test_a_correlation_is_of_the_seeds_that_have_the_most_encoders() -> None:
    """Seeds 1 and 2 have eight encoders, in the same order but for two of seed 2; seed 3 has four, the other way round.

    Rho is 1 and 1 - 6 * 2 / (8 * 63). Of 24 * 24 orders within transformations two have the highest mean of both.
    """
    found, aligned = [], {}
    for seed, targets in ((1, TARGETS[:2]), (2, TARGETS[:2]), (3, TARGETS[:1])):
        for place, (target, system) in enumerate(product(targets, SYSTEMS)):
            swapped = {0: 1, 1: 0}.get(place, place) if seed == 2 else place if seed == 1 else 3 - place
            found.append(replace(scores(system, target, "pos", [80.0], [40.0 + swapped]), seed=seed))
            aligned[system, target, seed] = float(place)
    told = correlation(found, aligned)
    assert told.seeds([ALIGNED]) == [1, 2]
    values = told.grid("pos", ALIGNED, None, [1, 2]).values
    assert values.shape == (2, 8)
    assert values.mean(axis=1) == pytest.approx([1, 1 - 12 / 504])
    assert told.unit.endswith(f"{2 / 576:.2g} (pos)")


def test_of_equally_many_encoders_those_of_most_seeds_are_taken() -> None:
    first, second = [("mlm", "trans"), ("xlm", "trans")], [("mlm", "trans"), ("xlm", "trans_inv")]
    assert complete([first, second, second[:1], second[::-1]]) == [1, 3]
    assert complete([]) == []


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
