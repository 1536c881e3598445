"""xlm_align's claims judged on made-up error rates, and merged with another paper's."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from crosslingua.io.json import read_json, write_json

# Links found right of the 10 sure ones a sentence: the more, the lower the error.
RIGHT = {
    "fast_align": 4, "simalign_argmax+xlmr": 5, "simalign_itermax+xlmr": 6, "optimal_transport+xlmr": 7,
    "simalign_itermax+xlm_align": 6, "optimal_transport+xlm_align": 9, "optimal_transport+xlmr@first": 3,
    "optimal_transport+xlmr@middle": 7, "optimal_transport+xlmr@last": 7,
}  # fmt: skip
PAIRS, SEEDS = ("de-en", "en-fr"), (1, 2, 3)


def run(repository: Path, folder: Path, script: str, *arguments: object) -> None:
    command = [sys.executable, repository / "scripts" / script, *arguments]
    environment = os.environ | {"PYTHONPATH": str(repository / "src")}
    done = subprocess.run(
        list(map(str, command)), cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture
def evaluated(repository: Path, tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    cells = []
    for pair in PAIRS:
        for system, right in RIGHT.items():
            for seed in ["any"] if system == "fast_align" else SEEDS:
                found = np.clip(right + rng.integers(-1, 2, 60), 0, 10)
                counts = np.stack([np.full(60, 10), np.full(60, 10), found, found], axis=1)
                cells.append((f"{pair}{system}{seed}.json", pair, system, seed))
                write_json(tmp_path / cells[-1][0], {"per_pair": counts.tolist()})
    files, pairs, systems, seeds = zip(*cells, strict=True)
    run(
        repository, tmp_path, "evaluate_alignment_claims.py",
        "--claims", repository / "reference/claims.yaml", "--schema", repository / "schemas/claims.schema.yaml",
        "--cells", *files, "--pairs", *pairs, "--systems", *systems, "--seeds", *seeds,
        "--out", "claims.csv", "--details", "claims.json",
    )  # fmt: skip
    return tmp_path


def test_verdicts_follow_the_error_rates(evaluated: Path) -> None:
    with (evaluated / "claims.csv").open(newline="", encoding="utf-8") as stream:
        rows = {row["claim"]: row for row in csv.DictReader(stream)}
    assert {name: row["verdict"] for name, row in rows.items()} == {
        "optimal_transport_outperforms_fast_align": "reproduced",
        "optimal_transport_outperforms_simalign": "reproduced",
        "optimal_transport_outperforms_simalign_argmax": "reproduced",
        "xlm_align_aligns_better_than_xlmr": "inconclusive",  # SimAlign: no difference
        "xlm_align_with_optimal_transport_is_best": "reproduced",
        "middle_layers_align_best": "inconclusive",  # no better than the last
    }
    assert float(rows["optimal_transport_outperforms_simalign_argmax"]["effect"]) == pytest.approx(-20, abs=2)
    assert {row["n_seeds"] for row in rows.values()} == {"3"}
    (left_out,) = read_json(evaluated / "claims.json")["left_out"]
    assert left_out["claim"] == "xlm_align_better_in_every_layer"


def test_papers_are_merged_in_order(repository: Path, evaluated: Path) -> None:
    other = {"judged": [{"claim": "other"}], "left_out": []}
    write_json(evaluated / "other.json", other)
    header, *lines = (evaluated / "claims.csv").read_text().splitlines()
    (evaluated / "other.csv").write_text(f"{header}\nother,joint_align,s,reproduced,1.0,0.5,1.5,3\n")
    run(
        repository, evaluated, "merge_claims.py", "--claims", "other.csv", "claims.csv",
        "--details", "other.json", "claims.json", "--out", "all.csv", "--out-details", "all.json",
    )  # fmt: skip
    merged = (evaluated / "all.csv").read_text().splitlines()
    assert merged == [header, "other,joint_align,s,reproduced,1.0,0.5,1.5,3", *lines]
    details = read_json(evaluated / "all.json")
    assert [claim["claim"] for claim in details["judged"]][:2] == [
        "other", "optimal_transport_outperforms_fast_align",
    ]  # fmt: skip
    assert len(details["left_out"]) == 1
