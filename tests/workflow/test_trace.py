"""How numbers of a finished run came about."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from checkout import Checkout

pytestmark = pytest.mark.workflow
TINY = "results/tiny"


def traced(finished: Checkout, file: str, *options: str) -> list[dict]:
    command = [sys.executable, "scripts/trace.py", f"{TINY}/{file}", *options, "--json"]
    done = subprocess.run(
        command, cwd=finished.root, env=finished.environment(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def rules(answer: dict) -> set[str]:
    return {step["rule"] for step in answer["steps"]}


def test_a_number_leads_to_its_own_encoder_and_text_and_to_no_other(finished: Checkout) -> None:
    words = "mlm,Transliteration and inversion,POS Δ"
    (answer,) = traced(finished, "tables/align_mlm_table3.csv", "--cell", words)
    files = {file for step in answer["steps"] for file in step["files"]}
    assert {f"{TINY}/encoders/mlm.trans_inv/seed1", f"{TINY}/corpora/text_cased/ana_trans_inv.txt"} <= files
    assert f"{TINY}/corpora/world/ana.txt" in files
    assert not [
        file for file in files if "/ner/" in file or "align_mlm.trans_inv" in file or "mlm.trans/" in file
    ]
    assert {"score_predictions", "finetune", "pretrain", "train_tokeniser", "derive_text"} <= rules(answer)
    assert all(step["cost"] and step["log"] and not step["changed_since"] for step in answer["steps"])
    given = {name for step in answer["steps"] for name in step["given"]}
    assert given == {"reference/align_mlm_table3.csv", "world.yaml"}


@pytest.mark.parametrize(
    "table", ["joint_align_table1", "joint_align_table2", "xlm_align_table2", "align_mlm_table8"]
)
def test_every_number_that_is_listed_is_traced(finished: Checkout, table: str) -> None:
    listed = traced(finished, f"tables/{table}.csv")
    for one in (listed[0], listed[-1]):
        answers = traced(finished, f"tables/{table}.csv", "--cell", one["words"], "--all")
        assert all({"write_table", "write_rows"} < rules(answer) for answer in answers)


@pytest.mark.parametrize(
    "file", ["plots/joint_align_figure1.png", "plots/xlm_align_figure2.svg", "report.html"]
)
def test_a_file_leads_to_the_world(finished: Checkout, file: str) -> None:
    (answer,) = traced(finished, file)
    assert any("world.yaml" in step["given"] for step in answer["steps"])


def test_a_claim_of_each_paper_is_traced(finished: Checkout) -> None:
    for claim in {claim["paper"]: claim for claim in traced(finished, "claims.csv")}.values():
        (answer,) = traced(finished, "claims.csv", "--claim", claim["claim"])
        assert "judge_claims" in rules(answer)
