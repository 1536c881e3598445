"""Generate data of the controlled world (docs/world.md): text, dictionaries, bitext, labelled data.

    crosslingua generate-world text --language ana --sentences 60000 --out ana.txt
    crosslingua generate-world nli --language ana --split test --sentences 600 --out nli.tsv --trees nli.conllu
    crosslingua generate-world ner --language ana --split train test --sentences 2000 600 \\
        --out train.conll test.conll
    crosslingua generate-world dictionary --source ana --target ber \\
        --out-train train.tsv --out-fit fit.tsv --out-validation validation.tsv --out-test test.tsv

Reads the YAML file of languages (--languages, world.yaml by default) and writes what `--out...` name. The same --seed
gives the same bytes. `KIND --help` shows the options of a kind of data.
"""

from pathlib import Path

from crosslingua.cli import parser, run, seed_number
from crosslingua.corpora.world.kinds import KINDS
from crosslingua.corpora.world.realise import World
from crosslingua.corpora.world.spec import load_languages

WORLD = str(Path(__file__).parents[1] / "world.yaml")


def main() -> None:
    """Parse, load the world, write one kind of data."""
    p = parser(__doc__)
    subparsers = p.add_subparsers(
        dest="kind", required=True, help="kind of data; `KIND --help` shows its options"
    )
    for name, kind in KINDS.items():
        sub = subparsers.add_parser(
            name, help=kind.help, description=kind.help, formatter_class=p.formatter_class
        )
        sub.add_argument("--languages", default=WORLD, help="YAML file of the languages")
        sub.add_argument("--seed", type=seed_number, default=1, help="seed of the world and everything in it")
        kind.add_arguments(sub)
    args = p.parse_args()
    KINDS[args.kind].write(World(load_languages(args.languages), args.seed), args)


if __name__ == "__main__":
    run(main)
