"""Keep finished results as what a scale is expected to produce. What a run did not make stays as it is.

    python scripts/keep_reference.py results/demo results/full --out results/reference

Of each folder that has claims.csv: the tables, verdicts, costs, every row (metrics.csv.gz), the answer, and the
evidence of each paper, from which `crosslingua judge` judges again. Of the atlas: the cards at hand, from which
`crosslingua write-atlas` makes its page. Equal results make equal files. Verdicts that are new or have changed get a
line each in OUT/verdicts.csv; scale tiny has none there.
"""

import gzip
import shutil
from pathlib import Path

from crosslingua.cli import parser, run
from crosslingua.io.atomic import atomic_open
from crosslingua.io.decode import CsvRecords
from crosslingua.io.json import read_json, write_json
from crosslingua.paper_folders import names
from crosslingua.report.site import LOG
from crosslingua.report.site.verdict_log import append

COPIED = ("claims.csv", "claims.json", "costs.csv", "tables/*.csv", "tables/*.md")


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
    """Copy the results of a scale."""
    (folder / "evidence").mkdir(parents=True, exist_ok=True)
    for path in (path for pattern in COPIED for path in results.glob(pattern)):
        shutil.copyfile(path, folder / path.name)
    for paper in names():
        if (path := results / f"claims/{paper}.evidence.json.gz").is_file():
            shutil.copyfile(path, folder / f"evidence/{paper}.json.gz")
    with (
        atomic_open(folder / "metrics.csv.gz", "wb") as stream,
        gzip.GzipFile("", "wb", 9, stream, mtime=0) as packed,
    ):
        packed.write((results / "metrics.csv").read_bytes())
    if answer := read_json(results / "claims.json", dict).get("answer"):
        write_json(folder / "answer.json", answer)


def log(results: Path, path: Path) -> None:
    """Log the verdicts of a scale, with the code version of each paper's rows."""
    versions = {(row["paper"], row["code_version"]) for row in CsvRecords(results / "metrics.csv")}
    claims = list(CsvRecords(results / "claims.csv"))
    for paper in dict.fromkeys(claim["paper"] for claim in claims):
        version = ", ".join(sorted(version for of, version in versions if of == paper))
        append(path, results.name, [claim for claim in claims if claim["paper"] == paper], version)


if __name__ == "__main__":
    run(main)
