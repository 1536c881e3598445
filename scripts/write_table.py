"""Write a table of a paper from metrics rows, beside the paper's own figures: CSV, Markdown, LaTeX, HTML.

    crosslingua write-table --paper align_mlm --table table3 --rows rows/align_mlm.main.csv \\
        --reference reference/align_mlm_table3.csv --out t.csv t.md t.tex t.html

Systems stand in the order of the rows. --plan is JSON: {"note": further notes, such as the training of encoders,
"made_by": the last sentence, with the command that makes the table, "stand_ins": {the paper's encoder: the one in its
place, beside whose results the paper's figures stand}}. All keys are optional.
"""

from collections.abc import Mapping

from crosslingua import paper_folders
from crosslingua.cli import parser, run
from crosslingua.errors import ConfigError, did_you_mean
from crosslingua.evidence.evidence import renamed
from crosslingua.io.json import read_json
from crosslingua.metrics import read_rows
from crosslingua.report.tables import Document, Published, fitted, read_reference, write


def main() -> None:
    """Parse, build, write each format."""
    p = parser(__doc__)
    p.add_argument("--paper", required=True, help="whose table")
    p.add_argument("--table", required=True, help="which table")
    p.add_argument("--rows", nargs="+", required=True, help="files of metrics rows")
    p.add_argument("--reference", nargs="*", default=[], help="the paper's numbers, CSV")
    p.add_argument("--plan", help="JSON: further notes and the last sentence")
    p.add_argument(
        "--out",
        nargs="+",
        required=True,
        help="files to write; the suffix (csv, md, tex, html) says the format",
    )
    args = p.parse_args()
    table = table_of(args.paper, args.table)
    said = read_json(args.plan, dict) if args.plan else {}
    rows = read_rows(args.rows)
    rows = rows[rows["paper"] == args.paper]
    grids = table.build(rows, of_stand_ins(read_reference(args.reference), said.get("stand_ins", {})))
    texts = (f"Scale: {rows['scale'].iloc[0]}. {fitted(table.caption, grids)}", table.warn(rows))
    notes = " ".join(filter(None, (fitted(table.notes, grids), said.get("note", ""))))
    name, made_by = f"{args.paper}_{args.table}", said.get("made_by", "")
    for path in args.out:
        write(path, Document(name, table.title, texts, grids, made_by, notes))


def of_stand_ins(published: Published, stand_ins: Mapping[str, str]) -> Published:
    """Return the paper's numbers by the names of the systems that stand for its own."""
    return {(renamed(system, stand_ins), *rest): value for (system, *rest), value in published.items()}


def table_of(paper: str, name: str):
    """Return a paper's table. Raises ConfigError for one that it does not have."""
    module = paper_folders.load(paper, "tables")
    tables = module.TABLES if module else {}
    if name not in tables:
        raise ConfigError(f"{paper} has no table {name!r}: {', '.join(tables)}{did_you_mean(name, tables)}")
    return tables[name]


if __name__ == "__main__":
    run(main)
