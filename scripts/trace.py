"""Tell how a number, or a file, came about: the jobs behind it, with their commands, settings, logs and cost.

    python scripts/trace.py results/demo/tables/align_mlm_table3.csv                        # the cells of the table
    python scripts/trace.py results/demo/tables/align_mlm_table3.csv --cell mlm,trans_inv,pos
    python scripts/trace.py results/demo/metrics.csv --cell joint_align_rcsls,table1,ana,ber
    python scripts/trace.py results/demo/claims.csv --claim joint_vocabulary_mostly_shared
    python scripts/trace.py results/demo/encoders/mlm.trans_inv/seed1                       # or any other file

Words of --cell are of a row's columns and signature, or as the table has them, in any order.
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePath

from crosslingua import papers
from crosslingua.cli import parser, run
from crosslingua.report.tables import Table
from crosslingua.trace import answer
from crosslingua.trace.records import Records, open_records
from crosslingua.trace.show import as_json, as_text


def main() -> None:
    """Parse, find, print."""
    p = parser(__doc__)
    p.add_argument("file", help="what to trace: a table, rows, a figure, claims, or anything else that a job made")
    p.add_argument("--cell", metavar="WORDS", help="which number of a table or of rows: words between commas")
    p.add_argument("--seed", type=int, help="which seed, of several")
    p.add_argument("--claim", metavar="NAME", help="which claim of claims.csv")
    p.add_argument("--all", action="store_true", help="show everything that the words name, and every job")
    p.add_argument("--code", action="store_true", help="list the modules of each job")
    p.add_argument("--json", action="store_true", help="print JSON")
    args = p.parse_args()
    records, file = open_records(args.file)
    answers = answers_of(records, file, args)
    if not args.all and answers:
        answers = [replace(answers[0], others=[one.title for one in answers[1:]])]
    if args.json:
        print(json.dumps([as_json(one, records) for one in answers], ensure_ascii=False, indent=1))
    elif answers:
        texts = ("\n".join(as_text(one, records, everything=args.all, code=args.code)) for one in answers)
        print("\n\n".join(texts))
    else:
        print(*contents(records, file), sep="\n")


def answers_of(records: Records, file: str, args: argparse.Namespace) -> list[answer.Answer]:
    """Return what was asked for; nothing where that must still be chosen of the file."""
    if answer.holds_claims(file):
        return [answer.of_claim(records, file, args.claim)] if args.claim else []
    if answer.holds_numbers(file):
        found = answer.numbers(records, file, *table_of(file))
        return answer.of_number(records, found, args.cell.split(","), args.seed) if args.cell else []
    return [answer.of_file(records, file)]


def contents(records: Records, file: str) -> Iterator[str]:
    """Yield what can be chosen of a file, and how."""
    if answer.holds_claims(file):
        yield f"{file}: add --claim and the name of one"
        for claim in answer.claims(records, file):
            yield f"  {claim['claim']}: {claim['verdict']}. {claim['statement']}"
        return
    cells = answer.listed(answer.numbers(records, file, *table_of(file)))
    yield f"{file}: {len(cells)} numbers; add --cell and the words of one, or some of them, or as the table has them"
    width = max(len(words) for words, *_ in cells)
    for words, mean, place in cells:
        yield f"  {words:{width}}  {mean:8.4f}  {place}".rstrip()


def table_of(file: str) -> tuple[str, Table | None]:
    """Return the paper whose table a file is, and the table; no table where it is none."""
    for paper in papers.names():
        table = PurePath(file).stem.removeprefix(f"{paper}_")
        if PurePath(file).parent.name == "tables" and table in (known := papers.load(paper, "tables").TABLES):
            return paper, known[table]
    return "", None


if __name__ == "__main__":
    run(main)
