"""`crosslingua judge`: verdicts from committed evidence are the committed ones, and other ones are named."""

import csv
import gzip
from pathlib import Path
from statistics import fmean

import numpy as np
import pandas as pd
import pytest

from crosslingua.evidence.evidence import Evidence
from crosslingua.evidence.files import Recorded, read_evidence, write_evidence
from crosslingua.io.json import read_json
from crosslingua.metrics import conditions
from programs import SCRIPTS, Ended, run_script

REFERENCE = SCRIPTS.parent / "results/reference"
EVIDENCE = sorted(REFERENCE.glob("*/evidence/*.json.gz"))


def judge(*arguments: object) -> Ended:
    return run_script(SCRIPTS / "judge.py", *arguments)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of results in which XLM loses 20 points under inversion, and AlignMLM none."""
    generator, delta = np.random.default_rng(1), Evidence("points (delta)", controlled=True)
    for system, lost in (("xlm", 20.0), ("align_mlm", 0.0), ("mlm", 40.0), ("dict_mlm", 40.0)):
        for pair in ("trans_inv.ner", "trans_inv.pos", "trans_inv.nli"):
            for seed in range(5):
                values = generator.normal(lost, 5, 200).tolist()
                items = {(pair.partition(".")[2], str(number)): value for number, value in enumerate(values)}
                delta.add(pair, system, seed, items)
    recorded = Recorded("align_mlm", "toy", "generated", {("delta", "all"): delta})
    write_evidence(tmp_path / "toy/evidence/align_mlm.json.gz", recorded)
    (tmp_path / "toy/claims.csv").write_text("claim,paper,verdict,effect,ci_low,ci_high\n")
    judge(tmp_path / "toy", "--out", tmp_path / "made")
    (tmp_path / "toy/claims.csv").write_bytes((tmp_path / "made/claims.csv").read_bytes())
    return tmp_path / "toy"


def test_committed_verdicts_come_out_again(folder: Path) -> None:
    ended = judge(folder)
    assert ended.status == 0, ended.stderr
    (line,) = ended.stdout.splitlines()
    details = read_json(folder.parent / "made/claims.json")
    assert line.startswith("align_mlm: ")
    assert line.endswith(f"{len(details['left_out'])} not tested")
    assert len(details["judged"]) > 0


@pytest.mark.parametrize(("column", "status"), [("verdict", 1), ("effect", 0), ("ci_high", 0)])
def test_what_differs_is_named_and_another_verdict_is_an_error(
    folder: Path, column: str, status: int
) -> None:
    with (folder / "claims.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    now, rows[0][column] = rows[0][column], "12.5"
    with (folder / "claims.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    ended = judge(folder)
    assert ended.status == status
    assert ended.stdout.splitlines()[1:] == [f"  {rows[0]['claim']}: {column} 12.5 -> {now or 'none'}"]


def test_a_statement_that_one_side_lacks_is_named(folder: Path) -> None:
    head, first, *rest = (folder / "claims.csv").read_text().splitlines(keepends=True)
    (folder / "claims.csv").write_text("".join([head, *rest, first.replace("align", "gone", 1)]))
    ended = judge(folder)
    assert ended.status == 1
    assert f"  {first.partition(',')[0]}: verdict none -> " in ended.stdout


def test_a_folder_without_evidence_is_refused(tmp_path: Path) -> None:
    assert "has no evidence/PAPER.json.gz" in judge(tmp_path).error


@pytest.mark.parametrize("scale", sorted({path.parts[-3] for path in EVIDENCE}))
def test_the_committed_evidence_gives_the_committed_verdicts(scale: str) -> None:
    ended = judge(REFERENCE / scale)
    assert ended.status == 0, ended.stdout
    assert "  " not in ended.stdout, ended.stdout


@pytest.mark.parametrize("path", [path for path in EVIDENCE if path.name.startswith("joint_align.")], ids=str)
def test_the_committed_evidence_has_the_means_of_the_committed_rows(path: Path) -> None:
    """The rows are of the scores' files, the evidence of their ranks of queries."""
    found = read_evidence(path).evidence["precision", "all"]
    with gzip.open(path.parents[1] / "metrics.csv.gz", "rt") as stream:
        rows = pd.read_csv(stream, keep_default_na=False)
    assert means_of(found) == pytest.approx(precision_of(rows, found), abs=1e-6)


def means_of(found: Evidence) -> dict[tuple, float]:
    return {
        (pair, system, seed): fmean(values.values())
        for pair, systems in found.values.items()
        for system, seeds in systems.items()
        for seed, values in seeds.items()
    }


def precision_of(rows: pd.DataFrame, found: Evidence) -> dict[tuple, float]:
    """Return P@1 of table 1 by CSLS, of chosen settings where there are any, for the runs that are compared."""
    rule = "muse" if "by MUSE's rule" in found.unit else "paper"
    rows = rows[rows["paper"].eq("joint_align") & rows["table"].eq("table1") & rows["metric"].eq("p_at_1")]
    told = [conditions(signature) | {"csls": "csls" in signature} for signature in rows["signature"]]
    rows = rows.assign(told=told)
    rows = rows[[one["csls"] and one.get("oov") == rule for one in told]]
    chosen = {row.system for row in rows.itertuples() if row.told.get("settings") == "selected"}
    known = {
        (f"{row.source}-{row.target}.{row.told['dictionary']}", row.system, row.seed): row.value
        for row in rows.itertuples()
        if not (row.system in chosen and row.told.get("settings") == "published")
    }
    return {run: known[run] for run in means_of(found)}
