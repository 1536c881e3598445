"""trace.py, on a small run with records by Snakemake's own code."""

import json
import shutil
from pathlib import Path

import pytest

from recorded_run import RESULTS, recorded_run

TABLE = f"{RESULTS}/tables/xlm_align_table2.csv"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return recorded_run(tmp_path_factory.mktemp("run"))


@pytest.fixture
def trace(script, root: Path):
    def call(*options: str, cwd: Path = root, ok: bool = True) -> str:
        done = script("trace.py", *options, folder=cwd, status=0 if ok else 1)
        return done.stdout if ok else done.stderr

    return call


def test_the_numbers_of_a_table_are_listed_with_their_words(trace) -> None:
    _, *rows = (" ".join(line.split()) for line in trace(TABLE).splitlines())
    assert rows == ["Alignment error rate (AER).", "21.5000 near near | de-en", "61.5000 far far | de-en"]


def test_of_several_seeds_the_first_is_shown_and_the_others_are_named(trace) -> None:
    told = trace(TABLE, "--cell", "near,aer")
    cell = "table2,near,word_alignment,de,en, seed"
    assert told.startswith(f"{cell} 1\n  Alignment error rate (AER). | near | de-en")
    assert f"{RESULTS}/links/near/seed1.links" in told
    assert "far" not in told
    assert "near/seed2" not in told
    assert told.endswith(f"name 1 more (--all):\n  {cell} 2\n")
    assert "near/seed2" in trace(TABLE, "--cell", "near,aer", "--all")
    assert "near/seed2" in trace(TABLE, "--cell", "near,aer", "--seed", "2")
    assert "no seed 3: there are 1, 2" in trace(TABLE, "--cell", "near", "--seed", "3", ok=False)


def test_json_has_every_job(trace) -> None:
    (answer,) = json.loads(trace(TABLE, "--cell", "near,seed=2", "--json"))
    rules = [step["rule"] for step in answer["steps"]]
    assert rules == ["write_table", "write_rows", "score", "prepare_gold", "align", "prepare"]
    assert (answer["says"][0]["value"], answer["steps"][-1]["given"]) == (22.0, ["given.txt"])


def test_a_claim_leads_to_the_cells_that_its_comparison_names(trace) -> None:
    assert "near_is_near: reproduced. Near." in trace(f"{RESULTS}/claims/xlm_align.csv")
    told = trace(f"{RESULTS}/claims/xlm_align.csv", "--claim", "near_is_near")
    assert "by near@first (de-en)" in told
    assert "links/near" in told
    assert "links/far" not in told
    error = trace(f"{RESULTS}/claims/xlm_align.csv", "--claim", "near_is_nea", ok=False)
    assert "did you mean 'near_is_near'?" in error


def test_any_file_from_anywhere(trace, root: Path, tmp_path: Path) -> None:
    links = f"{RESULTS}/links/far/seed1.links"
    assert trace(str(root / links), cwd=tmp_path).startswith(f"{links}\n\nalign: ")


def test_what_no_job_made_and_what_was_made_elsewhere(trace, root: Path, tmp_path: Path) -> None:
    assert "given.txt: no job made this file" in trace("given.txt", ok=False)
    assert "nothing.txt: no such file" in trace("nothing.txt", ok=False)
    shutil.copytree(root / "results", tmp_path / "results")
    told = trace(TABLE, "--cell", "near,1", cwd=tmp_path)
    assert f"read from {RESULTS}/scores/main/near.seed1.json" in told
    assert "it was made elsewhere" in told
    (tmp_path / "a.txt").touch()
    assert "has no record" in trace("a.txt", cwd=tmp_path, ok=False)
