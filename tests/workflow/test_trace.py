"""How numbers of a finished run came about."""

import json
import re
import subprocess
import sys

import pytest

from checkout import Checkout
from crosslingua import paper_folders
from crosslingua.trace.chain import Records
from crosslingua.trace.show import listed, numbers, of_number

pytestmark = pytest.mark.workflow
TINY = "results/tiny"


def traced(finished: Checkout, file: str, *options: str) -> list[dict]:
    command = [sys.executable, "scripts/trace.py", f"{TINY}/{file}", *options, "--json"]
    return json.loads(subprocess.check_output(command, cwd=finished.root, env=finished.environment()))


def rules(answer: dict) -> set[str]:
    return {step["rule"] for step in answer["steps"]}


def test_a_number_leads_to_its_own_encoder_and_text_and_to_no_other(finished: Checkout) -> None:
    words = "mlm,Transliteration and inversion,POS Δ"
    (answer,) = traced(finished, "tables/align_mlm_table3.csv", "--cell", words)
    files = {file for step in answer["steps"] for file in step["files"]}
    assert {f"{TINY}/encoders/mlm.trans_inv/seed1", f"{TINY}/corpora/text_cased/ana_trans_inv.txt"} <= files
    assert f"{TINY}/corpora/world/ana.txt" in files
    others = re.compile(r"/ner/|align_mlm\.trans_inv|mlm\.trans/")
    assert not list(filter(others.search, files))
    assert {"score_predictions", "finetune", "pretrain", "train_tokeniser", "derive_text"} <= rules(answer)
    assert all(step["cost"] and step["log"] and not step["changed_since"] for step in answer["steps"])
    given = {name for step in answer["steps"] for name in step["given"]}
    assert given == {"reference/align_mlm_table3.csv", "world.yaml"}


@pytest.mark.parametrize("paper", paper_folders.names())
def test_every_number_that_is_listed_of_any_table_is_traced(finished: Checkout, paper: str) -> None:
    tables = paper_folders.load(paper, "tables").TABLES
    paths = sorted((finished.root / TINY / "tables").glob(f"{paper}_*.csv"))
    assert paths
    records = Records(finished.root)
    for path in paths:
        file = f"{TINY}/tables/{path.name}"
        rows = numbers(records, file, paper, tables[path.stem.removeprefix(f"{paper}_")])
        for one in (listed(rows)[0], listed(rows)[-1]):
            answers = of_number(records, file, rows, one["words"].split(","), None)
            assert answers, (file, one)
            for answer in answers:
                ran = {step.job["rule"] for step in answer["steps"].values()}
                assert ran > {"write_table", "write_rows"}, (file, one)


def test_what_a_table_shows_only_means_of_is_listed_without_a_place(finished: Checkout) -> None:
    table = "tables/xlm_align_transfer_gap.csv"  # a language's score less the mean of the others
    found = traced(finished, table)
    assert {tuple(one["place"]) for one in found} == {()}
    first = traced(finished, table, "--cell", found[0]["words"])[0]
    assert f"{TINY}/rows/xlm_align.xtreme.csv" in {file for step in first["steps"] for file in step["files"]}
    assert "write_rows" in rules(first)


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
