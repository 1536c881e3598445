from collections.abc import Iterable
from pathlib import Path

import pandas as pd
import pytest
import yaml
from jsonschema import Draft202012Validator

from crosslingua.cells import Cell, cell_line
from crosslingua.claims.files import merge_csv, merge_details
from crosslingua.errors import InputError
from crosslingua.io.json import read_json, write_json
from programs import call
from texts import csv_rows

PAIR = "en-es.muse"
SEEDS = tuple(range(1, 11))
# Of 100 queries, how many each system gets right: joint_ar helps here although the paper says that it does not.
RIGHT = {"procrustes": 50, "rcsls": 50, "joint": 20, "joint_vr": 40}
RIGHT |= {"joint_ar_rcsls": 35, "joint_align_rcsls": 75}
# Claims of named entities and of translation, of which there is nothing here.
TABLE3_AND_FIGURE2 = (
    "alignment_outperforms_joint_on_entities", "joint_align_improves_entities", "feature_alignment_improves_mbert",
    "contextual_gain_is_smaller", "xlm_worse_than_mbert", "align_translates_better_at_first",
    "joint_overtakes_align_in_translation", "joint_align_converges_faster", "joint_align_stays_ahead_in_translation",
    "framework_gains_in_translation", "supervised_joint_training_translates_poorly",
    "feature_alignment_is_best_on_entities", "contextual_joint_training_is_strong",
    "tuning_favours_shared_words",
)  # fmt: skip
BY_TASK = "relative_performance_depends_on_the_task"


def results(right: int, seed: int) -> list[dict]:
    found = {"ranks": {f"w{i}": int(i < right + seed) for i in range(100)}, "coverage": 100.0}
    signature = "csls|k=10|vocab=200000|oov=paper|identical="
    return [found | {"signature": signature + identical} for identical in ("kept", "dropped")]


def similarity(stage: str, seed: int) -> dict:
    near = {"joint": 0.3, "reallocated": 0.3, "refined": 0.6}[stage]
    pairs = [
        {"source": f"w{i}", "target": f"t{i}", "shared": i % 2 == 0, "cosine": near + i / 1000, "random": 0.1}
        for i in range(40)
    ]
    return {"stage": stage, "seed": seed, "pairs": pairs}


@pytest.fixture
def evaluated(repository: Path, tmp_path: Path) -> Path:
    cells = [(system, seed) for system in RIGHT for seed in SEEDS]
    for system, seed in cells:
        write_json(tmp_path / f"{system}{seed}.json", results(RIGHT[system], seed))
    sizes = {"source": 20, "target": 20, "shared": 60}
    division = {"sizes_before": sizes, "sizes": sizes | {"shared": 5}}
    write_json(tmp_path / PAIR / "division.json", [division | {"seed": seed} for seed in SEEDS])
    stages = [similarity(stage, seed) for stage in ("joint", "reallocated", "refined") for seed in SEEDS]
    words = [f"w{i}" for i in range(20)]  # every system answers these
    shared = [{"seed": seed, "words": words} for seed in SEEDS]
    content = {"pair": PAIR, "source": "en", "shared_sources": shared, "cells": stages}
    write_json(tmp_path / "similarity.json", content)
    every = [cell for system, seed in cells for cell in both_tables(system, seed)]
    pd.DataFrame(map(cell_line, every)).to_csv(tmp_path / "cells.csv", index=False)
    inputs = {"divisions": [f"{PAIR}/division.json"], "similarities": ["similarity.json"]}
    write_json(tmp_path / "plan.json", {"cells": ["cells.csv"], "inputs": inputs})
    judge(repository, tmp_path, "joint_align")
    return tmp_path


def both_tables(system: str, seed: int) -> list[Cell]:
    identity = (system, "bli", "en", "es", seed, f"{system}{seed}.json", ("p_at_1",), "0f")
    wheres = {"table1": "identical=kept", "table2": "identical=dropped"}.items()
    muse = {"dictionary": "muse"}
    return [Cell("joint_align", table, *identity, where, conditions=muse) for table, where in wheres]


def judge(repository: Path, folder: Path, paper: str, claims_of: str = "", ok: bool = True) -> str:
    return call(
        "judge_claims.py", "--paper", paper, "--claims", repository / f"reference/{claims_of or paper}_claims.yaml",
        "--schema", repository / "schemas/claims.schema.yaml", "--plan", "plan.json",
        "--out", "claims.csv", "--details", "claims.json", folder=folder, ok=ok,
    )  # fmt: skip


def assert_follow_the_contract(repository: Path, rows: Iterable[dict[str, str]]) -> None:
    schema = yaml.safe_load((repository / "schemas/claims.schema.yaml").read_text())
    check = Draft202012Validator({"$defs": schema["$defs"], "$ref": "#/$defs/row"})
    kinds = dict.fromkeys(("effect", "ci_low", "ci_high", "mde"), float)
    kinds |= dict.fromkeys(("n_seeds", "looks", "settle_seeds", "settle_items"), int)
    for row in rows:
        check.validate(row | {name: kind(row[name]) if row[name] else None for name, kind in kinds.items()})
        assert row["verdict"] == "inconclusive" or not (row["settle_seeds"] or row["settle_items"])


def test_what_is_committed_follows_the_contract(repository: Path) -> None:
    found = list((repository / "results/reference").rglob("claims.csv"))
    assert found
    for path in found:
        assert_follow_the_contract(repository, csv_rows(path))


def test_rows_follow_the_contract_and_verdicts_the_data(evaluated: Path, repository: Path) -> None:
    rows = {row["claim"]: row for row in csv_rows(evaluated / "claims.csv")}
    assert_follow_the_contract(repository, rows.values())
    assert len(rows) == 14
    assert {row["verdict"] for row in rows.values()} == {"reproduced", "contradicted"}
    assert {name for name, row in rows.items() if row["verdict"] == "contradicted"} == {
        "joint_low_on_different_surface",  # 20 is no quarter of 50
        "refinement_alone_does_not_improve_joint",
        "oversharing_prohibits_refinement",  # of words that all answer refinement gains nothing
        "reallocation_frees_shared_words",  # nor does reallocation
    }
    assert float(rows["refinement_alone_does_not_improve_joint"]["effect"]) == 15
    shared = rows["joint_vocabulary_mostly_shared"]  # the same with every seed: no interval
    assert (float(shared["effect"]), shared["ci_low"], shared["ci_high"]) == (60, "", "")
    tests = {entry["claim"]: entry["test"] for entry in read_json(evaluated / "claims.json")["judged"]}
    counted = " A run whose map fails counts with what it measured."
    assert tests["alignment_outperforms_joint"].endswith(counted)
    assert "Runs whose map fails are left out" in tests["refinement_alone_does_not_improve_joint"]


def test_what_was_not_run_is_left_out_with_the_reason(evaluated: Path) -> None:
    reasons = {entry["claim"]: entry["reason"] for entry in read_json(evaluated / "claims.json")["left_out"]}
    others = {
        "seed_dictionary_improves_joint", "joint_replace_worse_than_duong", "joint_align_comparable_unsupervised",
        "joint_align_outperforms_supervised_joint_training", "dictionary_size_decides", BY_TASK,
    }  # fmt: skip
    assert set(reasons) == others | {*TABLE3_AND_FIGURE2}
    assert reasons[BY_TASK] == "not run at this scale: alignment_in_entities, joint_in_translation"
    unmeasured = {f"{task} was not measured as the paper does" for task in ("entities", "translation")}
    assert {reasons[name] for name in TABLE3_AND_FIGURE2} == unmeasured
    assert reasons["joint_replace_worse_than_duong"] == "not run at this scale: duong, joint_replace"


@pytest.mark.parametrize(
    ("paper", "claims_of", "plan", "message"),
    [
        ("joint_align", "xlm_align", {}, "holds claims of xlm_align, not of joint_align"),
        ("joint_align", "", {"settings": {}}, "plan.json: a plan is an object with the parts cells, inputs"),
        ("joint", "joint_align", {}, "unknown paper 'joint'"),
    ],
)
def test_what_does_not_fit_is_refused(repository: Path, tmp_path, paper, claims_of, plan, message) -> None:
    write_json(tmp_path / "plan.json", plan)
    assert message in judge(repository, tmp_path, paper, claims_of, ok=False)
    assert not (tmp_path / "claims.csv").exists()


@pytest.mark.parametrize(
    ("merge", "content", "message"),
    [
        (
            merge_csv,
            b"claim,paper\na,b\n",
            r"one:1: columns must be claim,paper,.*judge a paper's claims first",
        ),
        (merge_csv, b"\xe9\n", r"one:1: invalid UTF-8"),
        (merge_details, b"[]", r"one: must hold an object"),
        (merge_details, b"{}", r"one: an object of it lacks the key 'judged'"),
    ],
)
def test_a_file_of_another_shape_is_not_merged(tmp_path: Path, merge, content: bytes, message: str) -> None:
    (tmp_path / "one").write_bytes(content)
    with pytest.raises(InputError, match=message):
        merge(tmp_path / "out", [tmp_path / "one"])


def test_papers_are_merged_in_order_and_those_that_were_not_run_left_out(evaluated: Path) -> None:
    write_json(evaluated / "other.json", {"judged": [{"claim": "other"}], "left_out": []})
    header, *lines = (evaluated / "claims.csv").read_text().splitlines()
    other = "other,xlm_align,s,reproduced,1.0,0.5,1.5,3,1,0.7,,"
    (evaluated / "other.csv").write_text(f"{header}\n{other}\n")

    def merge(*papers: str, ok: bool = True) -> str:
        csv_files, details = ([f"{name}.{suffix}" for name in papers] for suffix in ("csv", "json"))
        files = ("--claims", *csv_files, "--details", *details)
        outs = ("--out", "all.csv", "--out-details", "all.json")
        return call("merge_claims.py", *files, *outs, folder=evaluated, ok=ok)

    merge("none", "other", "claims")
    assert (evaluated / "all.csv").read_text().splitlines() == [header, other, *lines]
    details = read_json(evaluated / "all.json")
    assert [claim["claim"] for claim in details["judged"]][:2] == ["other", "alignment_outperforms_joint"]
    assert len(details["left_out"]) == 6 + len(TABLE3_AND_FIGURE2)
    assert "a.csv: no such file, and none of the others" in merge("a", ok=False)
