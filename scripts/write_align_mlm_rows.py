"""Write the metrics rows of align_mlm's encoders, and their scores sentence by sentence for its claims.

    python scripts/write_align_mlm_rows.py --scores mlm.trans/seed1 --systems mlm --targets trans --seeds 1 \\
        --config-hashes 0123456789ab --source en --scale demo --out rows.csv --items transfer.json

The n-th of --scores, --systems, --targets, --seeds and --config-hashes make one encoder. A folder of --scores holds
TASK.supervised.json and TASK.zero_shot.json (score_tags.py, score_classes.py; tasks nli, ner, pos) and
alignment.json (score_embedding_alignment.py). A system that an ablation changes is called what it changes, in
percent: xlm_parallel_10, dict_mlm_dictionary_50, xlm_overlap_25.
"""

from pathlib import Path

from crosslingua.cli import parser, run
from crosslingua.errors import ConfigError
from crosslingua.io.json import write_json
from crosslingua.metrics import write_rows
from crosslingua.tasks.transfer import Scored, items_of, rows_of


def main() -> None:
    """Parse, gather, write."""
    p = parser(__doc__)
    p.add_argument("--scores", nargs="+", type=Path, required=True, help="folders of scores")
    p.add_argument("--systems", nargs="+", required=True, help="system of each")
    p.add_argument("--targets", nargs="+", required=True, help="trans, trans_inv or trans_syn, of each")
    p.add_argument("--seeds", nargs="+", type=int, required=True, help="seed of each")
    p.add_argument("--config-hashes", nargs="+", required=True, help="configuration hash of each")
    p.add_argument("--source", required=True, help="the natural language")
    p.add_argument("--scale", required=True, help="scale of the run")
    p.add_argument("--out", required=True, help="CSV to write")
    p.add_argument("--items", required=True, help="JSON to write")
    args = p.parse_args()
    columns = (args.scores, args.systems, args.targets, args.seeds, args.config_hashes)
    if len(set(map(len, columns))) > 1:
        raise ConfigError(
            "--scores, --systems, --targets, --seeds, --config-hashes must have equally many values"
        )
    scored = [Scored(*fields) for fields in zip(*columns, strict=True)]
    write_rows(args.out, [row for each in scored for row in rows_of(each, args.source, args.scale)])
    write_json(args.items, [items_of(each) for each in scored])


if __name__ == "__main__":
    run(main)
