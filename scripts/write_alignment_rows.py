"""Write the metrics rows of one gold set from the JSON results of score_alignment.py.

    python scripts/write_alignment_rows.py --cells a.json b.json --systems fast_align optimal_transport+xlmr \\
        --layers none 8 --tables table2 table2,fig2 --seeds 1 1 --config-hashes 0123456789ab 0123456789ab \\
        --source de --target en --scale demo --out rows.csv

The n-th of --cells, --systems, --layers (of the encoder, or none), --tables, --seeds and --config-hashes make one cell.
"""

from crosslingua.cli import parser, run
from crosslingua.metrics import write_rows
from crosslingua.word_aligners.rows import rows_of_cell


def main() -> None:
    """Parse, convert, write."""
    p = parser(__doc__)
    p.add_argument("--cells", nargs="+", required=True, help="JSON files of score_alignment.py")
    p.add_argument("--systems", nargs="+", required=True, help="system of each cell")
    p.add_argument("--layers", nargs="+", required=True, help="encoder layer of each cell, or none")
    p.add_argument(
        "--tables", nargs="+", required=True, help="tables of each cell: table2, fig2 or table2,fig2"
    )
    p.add_argument("--seeds", nargs="+", type=int, required=True, help="seed of each cell")
    p.add_argument("--config-hashes", nargs="+", required=True, help="configuration hash of each cell")
    p.add_argument("--source", required=True, help="source language")
    p.add_argument("--target", required=True, help="target language")
    p.add_argument("--scale", required=True, help="scale of the run")
    p.add_argument("--out", required=True, help="CSV to write")
    args = p.parse_args()
    shared = {"source": args.source, "target": args.target, "scale": args.scale}
    cells = zip(
        args.cells, args.systems, args.layers, args.tables, args.seeds, args.config_hashes, strict=True
    )
    write_rows(
        args.out,
        [
            row
            for path, system, layer, tables, seed, config_hash in cells
            for row in rows_of_cell(
                path,
                tables.split(","),
                None if layer == "none" else int(layer),
                system=system,
                seed=seed,
                config_hash=config_hash,
                **shared,
            )
        ],
    )


if __name__ == "__main__":
    run(main)
