"""Write what each stage of a run cost: jobs, processor and wall minutes, the largest memory; the last row is the total.

Stages that every paper has of its own have a row a paper.

python scripts/write_costs.py --benchmarks results/demo/benchmarks --logs results/demo/logs --out results/demo/costs.csv
"""

from crosslingua.cli import parser, run
from crosslingua.io.atomic import atomic_open
from crosslingua.paper_folders import names
from crosslingua.report.costs import costs


def main() -> None:
    """Parse, add up, write."""
    p = parser(__doc__)
    p.add_argument("--benchmarks", required=True, help="folder of Snakemake's benchmarks")
    p.add_argument("--logs", required=True, help="folder of the jobs' logs")
    p.add_argument("--out", required=True, help="CSV to write")
    args = p.parse_args()
    with atomic_open(args.out) as stream:
        costs(args.benchmarks, args.logs, names()).round(2).to_csv(stream, index=False, lineterminator="\n")


if __name__ == "__main__":
    run(main)
