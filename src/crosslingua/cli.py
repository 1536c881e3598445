"""What every script shares: argument parsing with defaults in the help, logging, and readable errors."""

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

# How this process gets memory from the system.


TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # mallopt(3)
KEPT, OWN_PAGES = 2**30, 2**25  # bytes; 32 MiB is the most that glibc takes for the second


def keep_freed_memory() -> None:
    """Let freed memory stay with the process (up to 1 GiB), as every step of a training asks for the same again.

    glibc gives large blocks back at once, so that each next one is cleared and mapped page by page: of pre-training on
    a CPU a tenth of the processor time. Where there is no glibc nothing is done.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt:
        mallopt(MMAP_THRESHOLD, OWN_PAGES)
        mallopt(TRIM_THRESHOLD, KEPT)


class Formatter(argparse.RawDescriptionHelpFormatter, argparse.ArgumentDefaultsHelpFormatter):
    """Text as it is written, and the defaults of options that have one which says something."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        if action.required or action.default is None or action.default in ("", []):
            return action.help
        return super()._get_help_string(action)


def parser(doc: str | None, more: Callable[[], str] | None = None) -> argparse.ArgumentParser:
    """Return a parser whose help is the script's docstring, with defaults shown.

    `more` returns what stands at the end of the help; it is called only when that is asked for.
    """

    class LateHelpParser(argparse.ArgumentParser):
        def format_help(self) -> str:
            self.epilog = more() if more else None
            return super().format_help()

    return LateHelpParser(description=doc, formatter_class=Formatter)


def cells(
    parser: argparse.ArgumentParser, arguments: Sequence[str] | None = None
) -> list[argparse.Namespace]:
    """Return the options of each call that the command line asks for: one, or one a line of `--cells FILE`.

    The file is CSV; a column is an option of the script, spelled like its attribute (`out_source`), and stands in its
    place. Where the option takes several values, a field is split as a shell splits words; an empty field leaves the
    option out. All lines are parsed before any is returned, so that a wrong one ends the script before it begins.
    Raises InputError with the line of an unknown column, a field too many, or a file without lines.
    """
    parser.add_argument("--cells", metavar="FILE", help="CSV: one call a line, a column an option")
    first = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    first.add_argument("--cells")
    chosen, shared = first.parse_known_args(arguments)
    if chosen.cells is None:
        return [parser.parse_args(shared)]
    return [parser.parse_args([*shared, *options]) for options in _lines(chosen.cells, parser)]


def _lines(path: str, parser: argparse.ArgumentParser) -> list[list[str]]:
    """Return the options that each line of a file of cells stands for."""
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
    """Read a seed from the command line: 0 to 2³² - 1, which every generator of random numbers takes."""
    if text.isdecimal() and int(text) < 2**32:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text}: must be a whole number from 0 to {2**32 - 1}")


def run(main: Callable[[], None]) -> None:
    """Run a script's `main`; a CrosslinguaError ends it with one line on standard error and status 1.

    So does a file that cannot be opened, which is named. A log, which no terminal is, ends with what the script cost.
    """
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
