"""Show how a number or a file was made: the jobs, with their commands, settings, logs and cost.

    crosslingua trace results/demo/tables/align_mlm_table3.csv                         # what numbers there are
    crosslingua trace results/demo/tables/align_mlm_table3.csv --cell mlm,trans_inv,pos
    crosslingua trace results/demo/metrics.csv --cell joint_align_rcsls,table1,ber
    crosslingua trace results/demo/claims.csv --claim joint_vocabulary_mostly_shared
    crosslingua trace results/demo/encoders/mlm.trans_inv/seed1                        # or any other file

Words of --cell are of a row's columns and signature (pos, layer=8), or as the table has them (POS Δ), in any order.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import PurePath
from signal import SIG_DFL, SIGPIPE, signal
from typing import Any

from crosslingua import paper_folders
from crosslingua.cli import parser, run, seed_number
from crosslingua.report.tables import Table
from crosslingua.trace.chain import Records, open_records
from crosslingua.trace.show import (
    Answer,
    facts,
    holds,
    judged,
    listed,
    numbers,
    of_claim,
    of_file,
    of_number,
    tree_lines,
)


def main() -> None:
    """Parse, find, print."""
    p = parser(__doc__)
    p.add_argument("file", help="file to trace: a table, rows, a figure, claims, or any output of a job")
    p.add_argument("--cell", metavar="WORDS", help="which number of a table or of rows: words between commas")
    p.add_argument("--seed", type=seed_number, help="which seed, of several")
    p.add_argument("--claim", metavar="NAME", help="which claim")
    p.add_argument("--all", action="store_true", help="show all that the words name, and every job")
    p.add_argument("--code", action="store_true", help="list the modules of each job")
    p.add_argument("--json", action="store_true", help="print JSON, every job")
    args = p.parse_args()
    records, file = open_records(args.file)
    found = answers_of(records, file, args)
    shown = found if args.all or "steps" not in found[0] else found[:1]
    if args.json:
        print(json.dumps([as_json(one, records) for one in shown], ensure_ascii=False, indent=1, default=str))
    elif "steps" not in found[0]:
        print(f"{file}: add one of these, --claim NAME or --cell WORDS", *choices(found), sep="\n")
    else:
        for one in shown:
            print(*text(one, records, args.all, args.code), "", sep="\n")
        others = [one["title"] for one in found[len(shown) :]]
        if others:
            print(f"The same words name {len(others)} more (--all):", *others, sep="\n  ")


def answers_of(records: Records, file: str, args: argparse.Namespace) -> list[Answer]:
    """Return the requested answers; without `steps`, the choices that the file offers."""
    kind = holds(file) if (records.root / file).is_file() else ""
    if kind == "claims":
        return [of_claim(records, file, args.claim)] if args.claim else judged(records, file)
    if kind == "numbers":
        rows = numbers(records, file, *table_of(file))
        return of_number(records, file, rows, args.cell.split(","), args.seed) if args.cell else listed(rows)
    return [of_file(records, file)]


def as_json(answer: dict[str, Any], records: Records) -> dict[str, Any]:
    """Return an answer with all that is known of its jobs, nearest first."""
    steps = answer.get("steps", {})
    return answer | ({"steps": [facts(step, records) for step in steps.values()]} if steps else {})


def choices(found: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the choices: claims, or numbers under the note of their grid."""
    if "claim" in found[0]:
        yield from (f"  {one['claim']}: {one['verdict']}. {one['statement']}" for one in found)
        return
    for grid in dict.fromkeys(one["place"][:1] for one in found):
        yield from grid
        for one in (one for one in found if one["place"][:1] == grid):
            place = " | ".join(one["place"][1:]) or one["signature"]
            yield f"  {one['mean']:9.4f}  {one['words']:40}  {place}"


def text(answer: Answer, records: Records, everything: bool, code: bool) -> Iterator[str]:
    """Yield an answer's lines."""
    yield answer["title"]
    for said in answer["says"]:
        place = [" | ".join(said["place"])] if said.get("place") else []
        facts = [
            f"{name} {value:.4f}" if isinstance(value, float) else f"{name} {value}"
            for name, value in said.items()
            if name != "place"
        ]
        yield "  " + ", ".join([*place, *facts])
    if not answer["steps"]:
        yield f"  read from {', '.join(answer.get('scores', ()))}"
        yield f"  No job is recorded in {records.folder}: it was made elsewhere."
        return
    yield ""
    yield from tree_lines(answer["steps"], records, everything=everything, code=code)
    spent = sum(records.cost(step.job).get("cpu_time", 0.0) for step in answer["steps"].values())
    yield f"\n{len(answer['steps'])} jobs, {spent / 60:.1f} minutes of processor time in all that they did"


def table_of(file: str) -> tuple[str, Table | None]:
    """Return the paper whose table a file is, and the table; none of either where it is no table."""
    for paper in paper_folders.names():
        tables = getattr(paper_folders.load(paper, "tables"), "TABLES", {})
        name = PurePath(file).stem.removeprefix(f"{paper}_")
        if PurePath(file).parent.name == "tables" and name in tables:
            return paper, tables[name]
    return "", None


if __name__ == "__main__":
    signal(SIGPIPE, SIG_DFL)  # `trace.py ... | head` is no error
    run(main)
