"""Keep finished results as what a scale is expected to produce. What a run did not make stays as it is.

    python scripts/keep_reference.py results/demo results/full --out results/reference

Of each folder that has claims.csv: the tables, verdicts, costs, every row (metrics.csv.gz), the answer, and the
evidence of each paper, from which `crosslingua judge` judges again. After a run of some papers, the rows, verdicts and
costs of the others stay; of a stage that papers share, the cost of more jobs is kept. Of the atlas: the cards at hand,
from which `crosslingua write-atlas` makes its page. Equal results make equal files. Verdicts that are new or have
changed get a line each in OUT/verdicts.csv; scale tiny has none there.
"""

import csv
import gzip
import shutil
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd

from crosslingua.cli import parser, run
from crosslingua.io.atomic import atomic_open
from crosslingua.io.decode import CsvRecords
from crosslingua.io.json import read_json, write_json
from crosslingua.paper_folders import names
from crosslingua.report.site import LOG
from crosslingua.report.site.verdict_log import append

ROWS, CLAIMS, DETAILS, COSTS = "metrics.csv", "claims.csv", "claims.json", "costs.csv"


def main() -> None:
    """Parse and copy."""
    p = parser(__doc__)
    p.add_argument("results", nargs="+", type=Path, help="folders of results, called as their scale")
    p.add_argument("--out", required=True, type=Path, help="folder of committed results, one of a scale each")
    args = p.parse_args()
    for results in args.results:
        if (results / "claims.csv").is_file():
            keep(results, args.out / results.name)
            if results.name != "tiny":
                log(results, args.out / LOG)
        for card in results.glob("atlas/cards/*.json"):
            cards = args.out / results.name / "cards"
            cards.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(card, cards / card.name)


def keep(results: Path, folder: Path) -> None:
    """Copy the results of a scale; those of papers that the run did not make stay."""
    (folder / "evidence").mkdir(parents=True, exist_ok=True)
    made = {row["paper"] for row in CsvRecords(results / ROWS)}
    rows = merged_rows(folder / f"{ROWS}.gz", results / ROWS, made)
    claims = merged_rows(folder / CLAIMS, results / CLAIMS, made)
    details = merged_details(folder / DETAILS, results / DETAILS, made)
    costs = merged_costs(folder / COSTS, results / COSTS, made)
    for path in (path for suffix in ("csv", "md") for path in results.glob(f"tables/*.{suffix}")):
        shutil.copyfile(path, folder / path.name)
    for paper in names():
        if (path := results / f"claims/{paper}.evidence.json.gz").is_file():
            shutil.copyfile(path, folder / f"evidence/{paper}.json.gz")
    with (
        atomic_open(folder / f"{ROWS}.gz", "wb") as stream,
        gzip.GzipFile("", "wb", 9, stream, mtime=0) as packed,
    ):
        packed.write(rows.encode())
    for name, text in ((CLAIMS, claims), (COSTS, costs)):
        with atomic_open(folder / name) as stream:
            stream.write(text)
    write_json(folder / DETAILS, details)
    if answer := details.get("answer"):
        write_json(folder / "answer.json", answer)


def merged_rows(kept: Path, new: Path, made: set[str]) -> str:
    """Return a table of the new rows, and of kept rows of papers not in `made`, as CSV."""
    others = [row for row in CsvRecords(kept) if row["paper"] not in made] if kept.is_file() else []
    if not others:
        return new.read_text(encoding="utf-8")
    text = StringIO(newline="")
    writer = csv.DictWriter(text, others[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(sorted([*others, *CsvRecords(new)], key=lambda row: row["paper"]))
    return text.getvalue()


def merged_details(kept: Path, new: Path, made: set[str]) -> dict[str, Any]:
    """Return the details of the new statements, and of kept ones of papers not in `made`."""
    old, found = read_json(kept, dict) if kept.is_file() else {}, read_json(new, dict)
    for part in ("judged", "left_out"):
        if others := [claim for claim in old.get(part, ()) if claim["paper"] not in made]:
            found[part] = sorted([*others, *found[part]], key=lambda claim: claim["paper"])
    if "answer" in old:
        found.setdefault("answer", old["answer"])
    return found


def merged_costs(kept: Path, new: Path, made: set[str]) -> str:
    """Return the costs of the new stages as CSV, and those kept of other papers and of more jobs of shared stages."""
    if not kept.is_file():
        return new.read_text(encoding="utf-8")
    old, found = (pd.read_csv(path, dtype={"paper": str}).fillna({"paper": ""}) for path in (kept, new))
    others = old[~old["paper"].isin(made)]
    if {*others["paper"]} <= {""}:
        return new.read_text(encoding="utf-8")
    both = pd.concat([found, others]).sort_values("jobs", kind="stable", ascending=False)
    total = both["stage"] == "total"
    stages = both[~total].drop_duplicates(["stage", "paper"])
    summed = stages[["jobs", "processor_minutes", "wall_minutes"]].sum()
    most = both[["memory_mb", "disk_mb"]].max()
    last = pd.DataFrame([{"stage": "total", "paper": "", **summed, **most}]).astype({"jobs": int})
    stages = stages.sort_values("processor_minutes", kind="stable", ascending=False)
    return pd.concat([stages, last]).round(2).to_csv(index=False, lineterminator="\n")


def log(results: Path, path: Path) -> None:
    """Log the verdicts of a scale, with the code version of each paper's rows."""
    versions = {(row["paper"], row["code_version"]) for row in CsvRecords(results / "metrics.csv")}
    claims = list(CsvRecords(results / "claims.csv"))
    for paper in dict.fromkeys(claim["paper"] for claim in claims):
        version = ", ".join(sorted(version for of, version in versions if of == paper))
        append(path, results.name, [claim for claim in claims if claim["paper"] == paper], version)


if __name__ == "__main__":
    run(main)
