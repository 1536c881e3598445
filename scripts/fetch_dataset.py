"""Fetch files of a data set of the registry, verified; and list what the registry holds.

    crosslingua fetch-dataset --dataset xling-eval --file yacle.train.freq.5k.en-de.tsv --data-dir data
    crosslingua fetch-dataset --dataset tatoeba-v1 --all --data-dir data --mirror ~/mirror
    crosslingua fetch-dataset --dataset wikitext-103 --all --supplied ~/wikitext-103-v1.zip
    crosslingua fetch-dataset --list

Reads:   the registry (src/crosslingua/corpora/datasets/registry.yaml, or --registry FILE)
Writes:  DATA_DIR/<dataset>/<file>; beside it <file>.sha256 where the registry knows no hash.
         While it downloads, <file>.part, from which a later call goes on.
"""

from pathlib import Path

from crosslingua.cli import parser, run
from crosslingua.corpora.datasets.fetch import fetch
from crosslingua.corpora.datasets.registry import REGISTRY, dataset, load_registry, markdown_table
from crosslingua.errors import ConfigError


def main() -> None:
    """Parse, look up, fetch; a fetched file's path is printed."""
    p = parser(__doc__)
    p.add_argument("--dataset", help="name in the registry")
    p.add_argument("--file", nargs="+", help="names of files of the data set")
    p.add_argument("--all", action="store_true", help="all files of the data set")
    p.add_argument(
        "--data-dir", type=Path, default=Path("data"), help="files go to DATA_DIR/<dataset>/<file>"
    )
    p.add_argument("--mirror", help="folder or URL prefix, looked at first: MIRROR/<dataset>/<file>")
    p.add_argument("--supplied", type=Path, help="path to take the single file from")
    p.add_argument("--registry", type=Path, default=REGISTRY, help="another registry file")
    p.add_argument("--list", action="store_true", help="print the data sets: name, tasks, languages, title")
    p.add_argument("--table", action="store_true", help="print the table of docs/data.md")
    args = p.parse_args()
    registry = load_registry(args.registry)
    if args.list:
        rows = [
            (row.name, ",".join(row.tasks), ",".join(row.languages), row.title) for row in registry.values()
        ]
        print("\n".join(map("\t".join, rows)))
    elif args.table:
        print(markdown_table(registry), end="")
    elif args.dataset:
        row = dataset(args.dataset, registry)
        if not (args.file or args.all):
            raise ConfigError(f"say which files with --file, or --all: {row.name} has {', '.join(row.files)}")
        files = args.file or list(row.files)
        if args.supplied and len(files) != 1:
            raise ConfigError("--supplied is the path of one file: say which with --file")
        for file in files:
            print(fetch(row, file, args.data_dir, args.mirror, args.supplied))
    else:
        raise ConfigError("name a data set with --dataset, or see them all with --list")


if __name__ == "__main__":
    run(main)
