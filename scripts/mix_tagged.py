"""Put tagged files together, or shares of them, for a program that trains on one file.

    crosslingua mix-tagged --data en.conll de.conll --share 1 0.25 --task ner --lowercase --out mixed.conll

Reads two-column files and writes their sentences, file after file. A share is the one that train-tagger takes.
"""

from itertools import chain

from crosslingua.cli import cells, parser, run, share_number
from crosslingua.tasks.kinds import KINDS


def main() -> None:
    """Parse, then mix."""
    p = parser(__doc__)
    p.add_argument("--data", nargs="+", required=True, help="two-column files")
    p.add_argument(
        "--share", nargs="+", type=share_number, required=True, help="of each file's sentences, 0 to 1"
    )
    tagged = [name for name, kind in KINDS.items() if kind.tagged]
    p.add_argument("--task", choices=tagged, required=True, help="task of the labels")
    p.add_argument("--lowercase", action="store_true", help="write words in lower case")
    p.add_argument("--languages", nargs="+", help="of each file: lower case differs in Turkish")
    p.add_argument("--out", required=True, help="file to write")
    calls = cells(p)

    from crosslingua.errors import ConfigError
    from crosslingua.io.conll import write_conll
    from crosslingua.tasks.batches import share_of

    for args in calls:
        if len(args.data) != len(args.share):
            raise ConfigError(f"{len(args.data)} files and {len(args.share)} shares: give one for each")
        languages = args.languages or [""] * len(args.data)
        if len(args.data) != len(languages):
            raise ConfigError(f"{len(args.data)} files and {len(languages)} languages: give one for each")
        scheme = KINDS[args.task].scheme
        parts = [
            share_of(path, scheme, share, args.lowercase, language)
            for path, share, language in zip(args.data, args.share, languages, strict=True)
        ]
        write_conll(args.out, chain.from_iterable(parts))


if __name__ == "__main__":
    run(main)
