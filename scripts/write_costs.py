"""Write the cost of each stage of a run: jobs, processor and wall minutes, largest memory. The last row is the total,
with the size of the output folder.

Stages that every paper has of its own have a row a paper.

crosslingua write-costs --benchmarks results/demo/benchmarks --logs results/demo/logs --out results/demo/costs.csv
"""

from pathlib import Path

from crosslingua.cli import parser, run
from crosslingua.io.atomic import atomic_open
from crosslingua.paper_folders import names
from crosslingua.report.costs import costs, disk


def main() -> None:
    """Parse, add up, write."""
    p = parser(__doc__)
    p.add_argument("--benchmarks", required=True, help="folder of Snakemake's benchmarks")
    p.add_argument("--logs", required=True, help="folder of the jobs' logs")
    p.add_argument("--out", required=True, help="CSV to write")
    args = p.parse_args()
    found = costs(args.benchmarks, args.logs, names()).round(2)
    found.loc[found["stage"] == "total", "disk_mb"] = round(disk(Path(args.out).parent))
    with atomic_open(args.out) as stream:
        found.to_csv(stream, index=False, lineterminator="\n")


if __name__ == "__main__":
    run(main)
