"""The common part of scripts: argument parsing with defaults in the help, logging, and readable errors."""

import argparse
import csv
import ctypes
import logging
import shlex
import sys
from collections.abc import Callable, Sequence

from crosslingua.errors import CrosslinguaError, InputError
from crosslingua.io.decode import decoded_lines
from crosslingua.provenance import TOLD, processor_seconds

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # mallopt(3)
KEPT, OWN_PAGES = 2**30, 2**25  # bytes; 32 MiB is the most that glibc takes for the second


def keep_freed_memory() -> None:
    """Keep freed memory (up to 1 GiB) in the process, as every training step asks for the same again. glibc would
    return large blocks at once and map them page by page: a tenth of the time of pre-training on a CPU. Without glibc
    nothing is done.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt:
        mallopt(MMAP_THRESHOLD, OWN_PAGES)
        mallopt(TRIM_THRESHOLD, KEPT)


class Formatter(argparse.RawDescriptionHelpFormatter, argparse.ArgumentDefaultsHelpFormatter):
    """Text as it is written, and the defaults of options that have a meaningful one."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        if action.required or action.default is None or action.default in ("", []):
            return action.help
        return super()._get_help_string(action)


def parser(doc: str | None, more: Callable[[], str] | None = None) -> argparse.ArgumentParser:
    """Return a parser with the script's docstring and defaults in its help, which ends with the text of `more`."""

    class LateHelpParser(argparse.ArgumentParser):
        def format_help(self) -> str:
            self.epilog = more() if more else None
            return super().format_help()

    return LateHelpParser(description=doc, formatter_class=Formatter)


def cells(
    parser: argparse.ArgumentParser, arguments: Sequence[str] | None = None
) -> list[argparse.Namespace]:
    """Return the options of each call of the command line: one, or one a line of `--cells FILE`.

    The file is CSV. A column is an option, spelled like its attribute (`out_source`); an option with several values
    takes shell words, and an empty field leaves it out. All lines are parsed before the first call. Raises InputError
    with the line of an unknown column, a field too many, or a file without lines.
    """
    parser.add_argument("--cells", metavar="FILE", help="CSV: one call a line, a column an option")
    first = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    first.add_argument("--cells")
    chosen, shared = first.parse_known_args(arguments)
    if chosen.cells is None:
        return [parser.parse_args(shared)]
    return [parser.parse_args([*shared, *options]) for options in _lines(chosen.cells, parser)]


def _lines(path: str, parser: argparse.ArgumentParser) -> list[list[str]]:
    actions = {action.dest: action for action in reversed(parser._actions)}  # not the short form of another
    reader = csv.DictReader(f"{line}\n" for line in decoded_lines(path))
    for column in reader.fieldnames or ():
        if column not in actions:
            raise InputError(path, f"{column!r} is no option of this script", line=1)
    lines = []
    for record in reader:
        if None in record or None in record.values():
            raise InputError(path, "other fields than the header has", line=reader.line_num)
        lines.append([word for name, text in record.items() for word in _option(actions[name], text)])
    if not lines:
        raise InputError(path, "holds no cells")
    return lines


def _option(action: argparse.Action, text: str) -> list[str]:
    if not text:
        return []
    flag = action.option_strings[-1]
    if action.nargs == 0:  # a bare flag: any text sets it
        return [flag]
    return [flag, *shlex.split(text)] if action.nargs else [f"{flag}={text}"]


def seed_number(text: str) -> int:
    """Read a seed from the command line: 0 to 2³² - 1, the range of all random generators."""
    if text.isdecimal() and int(text) < 2**32:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text}: must be a whole number from 0 to {2**32 - 1}")


def run(main: Callable[[], None]) -> None:
    """Run a script's `main`; an error of the user or a file is one line and status 1. A log ends with the cost."""
    keep_freed_memory()
    logging.basicConfig(
        level=logging.INFO,
        stream=sys.stderr,
        format="%(asctime)s %(levelname)s %(message)s",
        datefmt="%H:%M:%S",
    )
    try:
        main()
    except CrosslinguaError as error:
        sys.exit(f"error: {error}")
    except OSError as error:
        if error.filename is None:
            raise  # no file's fault
        sys.exit(f"error: {error.filename}: {error.strerror}")
    if not sys.stderr.isatty():
        logging.getLogger(__name__).info(TOLD, processor_seconds())
