"""A small run as Snakemake leaves it: files of results, plans, and records by Snakemake's code.

Two aligners, `near` and `far`, align a text each in a job of its own; one job scores both in two seeds.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from snakemake.persistence import MetadataRecord
from snakemake.persistence.file import FilePersistence

from crosslingua.cells import Cell, cell_line
from crosslingua.io.json import write_json
from crosslingua.metrics import write_rows
from metric_rows import error_row, frame
from texts import written

RESULTS = "results/toy"
SYSTEMS = {"near": 20.0, "far": 60.0}


def record(root: Path, rule: str, outs: Sequence[str], inputs: Sequence[str], command="", **more) -> None:
    """Write the records of a job's outputs, with the checksums of those inputs that are there."""
    there = {name: root / name for name in inputs if (root / name).is_file()}
    sums = {name: f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}" for name, path in there.items()}
    log = f"{RESULTS}/logs/{rule}/{Path(outs[0]).stem}.log"
    made = {"rule": rule, "input": list(inputs), "shellcmd": command or f"{rule} > {outs[0]}", "log": [log]}
    store = FilePersistence(path=root / ".snakemake")
    for out in outs:
        content = MetadataRecord(**made, starttime=1e9, endtime=1e9 + 2, input_checksums=sums, **more)
        store._write_record(out, content)


def write(root: Path, file: str, text: str) -> str:
    written(root / file, text)
    return file


def recorded_run(root: Path) -> Path:
    text, gold = f"{RESULTS}/text.txt", f"{RESULTS}/gold.txt"
    code = [write(root, "scripts/align.py", "align"), write(root, "src/crosslingua/links.py", "links")]
    record(root, "prepare", [text], [write(root, "given.txt", "a b")])
    record(root, "prepare_gold", [gold], ["given.txt"])
    lines, cells, rows = ["gold,hypothesis,seed,out"], [], []
    for system, value in SYSTEMS.items():
        links = [f"{RESULTS}/links/{system}/seed{seed}.links" for seed in (1, 2)]
        record(root, "align", links, [text, *code])
        for seed, hypothesis in enumerate(links, start=1):
            score = f"{RESULTS}/scores/main/{system}.seed{seed}.json"
            lines.append(f"{gold},{hypothesis},{seed},{score}")
            identity = ("xlm_align", "table2", system, "word_alignment", "de", "en", seed)
            cells.append(Cell(*identity, score, ("aer",), "0" * 12))
            rows.append(error_row(system, value + seed, seed=seed))
    plan = write(root, f"{RESULTS}/plans/score/main.csv", "\n".join(lines) + "\n")
    every = [f"{RESULTS}/links/{system}/seed{seed}.links" for system in SYSTEMS for seed in (1, 2)]
    record(root, "score", [f"{RESULTS}/scores/main"], [gold, *every, plan], f"python score.py --cells {plan}")
    benchmark = "s\th:m:s\tmax_rss\tcpu_time\n120.5\t0:02:00\t300.0\t60\n"
    write(root, f"{RESULTS}/benchmarks/score/main.tsv", benchmark)
    cells_plan, rows_file = f"{RESULTS}/plans/cells/xlm_align.main.csv", f"{RESULTS}/rows/xlm_align.main.csv"
    write(root, cells_plan, pd.DataFrame(map(cell_line, cells)).to_csv(index=False))
    (root / rows_file).parent.mkdir()
    write_rows(root / rows_file, frame(*rows))
    scores = f"{RESULTS}/scores/main"
    record(root, "write_rows", [rows_file], [scores, cells_plan], f"rows --cells {cells_plan}")
    table = write(root, f"{RESULTS}/tables/xlm_align_table2.csv", "")
    record(root, "write_table", [table], [rows_file, "reference/xlm_align_table2.csv"])
    brief = f"{RESULTS}/plans/claims/xlm_align.json"
    claims = write(root, f"{RESULTS}/claims/xlm_align.csv", "")
    (root / brief).parent.mkdir()
    write_json(root / brief, {"cells": [cells_plan], "inputs": {}})
    decisive = {"comparison": "near@first", "pair": "de-en"}
    told = {"claim": "near_is_near", "paper": "xlm_align", "statement": "Near.", "verdict": "reproduced"}
    interval = {"effect": 1.0, "ci_low": 0.5, "ci_high": 1.5, "decisive": decisive}
    write_json((root / claims).with_suffix(".json"), {"judged": [told | interval]})
    record(root, "judge_claims", [claims], [scores, brief], f"judge --plan {brief}")
    return root
