"""Describe all data of a scale on one page.

    crosslingua write-data-card --config results/tiny/config.yaml --corpora results/tiny/corpora \\
        --data-dir data --out results/tiny/data_card.md

Reads:   CONFIG and its data sheets, the files under CORPORA that they give and the readers' reports beside them, and
         the recorded checksums under DATA_DIR of files whose checksum was not published
Writes:  OUT (Markdown: origin, licence, citation, checksums, counts, repairs and three samples a data set)
"""

from crosslingua.cli import parser, run
from crosslingua.io.json import read_yaml
from crosslingua.report.data_card import write_data_card
from crosslingua.workflow.configuration import open_workflow
from crosslingua.workflow.labelled import file_sets


def main() -> None:
    """Parse, count, write."""
    p = parser(__doc__)
    p.add_argument("--config", required=True, help="configuration of the scale")
    p.add_argument("--corpora", required=True, help="folder of the scale's data")
    p.add_argument("--data-dir", default="data", help="folder of fetched files")
    p.add_argument("--out", required=True, help="page to write")
    args = p.parse_args()
    workflow = open_workflow(read_yaml(args.config))
    write_data_card(args.out, workflow.written, list(file_sets(workflow)), args.corpora, args.data_dir)


if __name__ == "__main__":
    run(main)
