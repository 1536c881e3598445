"""Judge a scale again from its files of evidence, and compare with the verdicts that stand beside them.

    crosslingua judge results/reference/demo

FOLDER has evidence/PAPER.json.gz for each paper, and claims.csv. Prints how many statements of each paper have each
verdict, and every statement whose verdict, effect or interval is another than in claims.csv. The exit status is 1 if a
verdict is.
"""

import sys
from pathlib import Path

from crosslingua.claims.again import counts, differences, judge_recorded
from crosslingua.claims.files import write_csv, write_details
from crosslingua.cli import parser, run
from crosslingua.errors import InputError
from crosslingua.evidence.files import read_evidence
from crosslingua.io.decode import CsvRecords
from crosslingua.paper_folders import load

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Parse, judge each paper, compare."""
    p = parser(__doc__)
    p.add_argument("folder", type=Path, help="committed results of a scale")
    p.add_argument("--statements", type=Path, default=ROOT / "reference", help="folder of PAPER_claims.yaml")
    p.add_argument("--schema", default=ROOT / "schemas/claims.schema.yaml", help="schema of claims")
    p.add_argument("--out", type=Path, help="folder to write claims.csv and claims.json to")
    args = p.parse_args()
    files = sorted(args.folder.glob("evidence/*.json.gz"))
    if not files:
        raise InputError(args.folder, "has no evidence/PAPER.json.gz", remedy="name a folder that has")
    committed = list(CsvRecords(args.folder / "claims.csv"))
    wrong, every, answers = 0, [], []
    for file in files:
        recorded = read_evidence(file)
        name = recorded.paper
        results, answer = judge_recorded(
            recorded, load(name, "claims"), args.statements / f"{name}_claims.yaml", args.schema
        )
        print(f"{name}: {counts(results)}")
        told = differences(results, [one for one in committed if one["paper"] == name])
        for claim, columns in told.items():
            changed = ", ".join(
                f"{column} {old or 'none'} -> {new or 'none'}" for column, (old, new) in columns.items()
            )
            print(f"  {claim}: {changed}")
            wrong += "verdict" in columns
        every += results
        answers += [answer] if answer else []
    if args.out:
        write_csv(args.out / "claims.csv", every)
        write_details(args.out / "claims.json", every, next(iter(answers), None))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    run(main)
