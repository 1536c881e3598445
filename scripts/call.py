"""Call a program with the words of variables of `make`. They are divided as a shell divides them, and nothing is run.

    python scripts/call.py --first="joint_align claims" --last="--config seeds=[1]" .venv/bin/crosslingua run --cores 2

What `$`, backticks, `;` and the like would do in a shell, they do not do here: they are characters of a word.
"""

import argparse
import os
import shlex

from crosslingua.cli import parser, run
from crosslingua.errors import ConfigError


def words(text: str) -> list[str]:
    """Return the words of a text, where quotation marks keep blanks. ConfigError where one has no partner."""
    try:
        return shlex.split(text)
    except ValueError:
        raise ConfigError(
            f"{text}: a quotation mark has no partner: close it, or write a backslash before it"
        ) from None


def main() -> None:
    """Become the program."""
    p = parser(__doc__)
    p.add_argument("--first", default="", help="words before the first option")
    p.add_argument("--last", default="", help="words at the end")
    p.add_argument("program", help="path of the program")
    p.add_argument("arguments", nargs=argparse.REMAINDER, help="its other arguments")
    args = p.parse_args()
    options = next((n for n, word in enumerate(args.arguments) if word.startswith("-")), len(args.arguments))
    given = [*args.arguments[:options], *words(args.first), *args.arguments[options:], *words(args.last)]
    os.execv(args.program, [args.program, *given])


if __name__ == "__main__":
    run(main)
