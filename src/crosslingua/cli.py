"""The common part of scripts: argument parsing with defaults in the help, logging, and readable errors."""

import argparse
import ctypes
import errno
import logging
import math
import os
import re
import shlex
import sys
import tempfile
import traceback
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Any, NoReturn

from crosslingua.errors import OF_EXTRAS, ConfigError, CrosslinguaError, InputError, not_installed, visible
from crosslingua.io.decode import CsvRecords
from crosslingua.io.json import write_json
from crosslingua.provenance import TOLD, processor_seconds

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # mallopt(3)
LONGEST_PATH = 1000  # characters
KEPT, OWN_PAGES = 2**30, 2**25  # bytes; 32 MiB is the most that glibc takes for the second


def keep_freed_memory() -> None:
    """Keep freed memory (up to 1 GiB) in the process, since every training step asks for the same blocks again.
    Otherwise glibc returns large blocks and maps them anew, a tenth of the time of pre-training on a CPU.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt:
        mallopt(MMAP_THRESHOLD, OWN_PAGES)
        mallopt(TRIM_THRESHOLD, KEPT)


program: str | None = None  # the name of the program in its messages; None: that of its file


class Formatter(argparse.RawDescriptionHelpFormatter, argparse.ArgumentDefaultsHelpFormatter):
    """Text as it is written, and the defaults of options that have a meaningful one."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        if action.required or action.default is None or action.default in ("", []):
            return action.help
        return super()._get_help_string(action)


def parser(
    doc: str | None, more: Callable[[], str] | None = None, outputs: Collection[str] = ()
) -> argparse.ArgumentParser:
    """Return a parser with the script's docstring and defaults in its help, which ends with the text of `more`.
    `outputs` are options that name files to write, beside those of OUTPUTS.
    """

    class LateHelpParser(argparse.ArgumentParser):
        def parse_args(self, *given: Any, **more: Any) -> Any:
            made = super().parse_args(*given, **more)
            check_encoding(made)
            check_outputs(made, outputs)
            return made

        def error(self, message: str) -> NoReturn:
            super().error(visible(message))

        def format_help(self) -> str:
            self.epilog = more() if more else None
            return super().format_help()

    made = LateHelpParser(prog=program, description=doc, formatter_class=Formatter)
    made.add_argument(
        "--debug", action="store_true", default=argparse.SUPPRESS, help="show the traceback of an error"
    )
    return made


def check_encoding(options: argparse.Namespace) -> None:
    """Raise ConfigError for a name whose bytes are no UTF-8: no report can hold it."""
    for name, value in vars(options).items():
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, (str, PurePath)) and str(text) != str(text).encode(errors="replace").decode():
                told = f"--{name.replace('_', '-')}: {str(text)!r}"
                raise ConfigError(f"{told}: its bytes are no UTF-8: give the file another name")


OUTPUTS = ("out", "report", "details", "predictions")  # options of results, and all that begin with `out_`
FOLDERS = ("out", "predictions")  # of these, options that may name a folder


def check_outputs(options: argparse.Namespace, more: Collection[str] = ()) -> None:
    """Raise ConfigError where two results of a script would be one file, where a result would replace a file that the
    script reads, or where a folder stands in a result's place. Pipes and devices take any number.
    """
    flags: dict[str, str] = {}
    read: list[tuple[str, str]] = []
    for name, value in vars(options).items():
        flag = f"--{name.replace('_', '-')}"
        for path in value if isinstance(value, list) else [value]:
            if not isinstance(path, (str, PurePath)):
                continue
            if not (name in (*OUTPUTS, *more) or name.startswith("out_")):
                read += [(flag, part) for part in str(path).rpartition("=")[2].split(",")]
                continue
            try:
                place = Path(path).resolve()
            except RuntimeError:
                raise ConfigError(f"{flag}: {path} is a link that leads to itself") from None
            if place.is_dir() and name not in FOLDERS:
                raise ConfigError(f"{flag}: {path or repr('')} is a folder, and a file is to be written")
            if place.exists() and not place.is_file() and not place.is_dir():
                continue
            if other := flags.get(str(place)):
                both = flag if other == flag else f"{other} and {flag}"
                raise ConfigError(f"{both}: {path} is named twice: each needs a file of its own")
            flags[str(place)] = flag
    for flag, path in read:
        # Unlike Path.is_file, this takes text that can be no path.
        if os.path.isfile(path) and (out := flags.get(str(Path(path).resolve()))):  # noqa: PTH113
            raise ConfigError(
                f"{flag} and {out}: {path} is read and would be replaced: write to another file"
            )


def cells(
    parser: argparse.ArgumentParser, arguments: Sequence[str] | None = None
) -> list[argparse.Namespace]:
    """Return the options of each call of the command line: one, or one a line of `--cells FILE`.

    The file is CSV. A column is an option, spelled like its attribute (`out_source`); an option with several values
    takes shell words, and an empty field leaves it out. All lines are parsed before the first call. Raises InputError
    with the line of an unknown column, a field too many, or a file without lines.
    """
    parser.add_argument("--cells", metavar="FILE", help=argparse.SUPPRESS)  # of the workflow's plans
    first = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    first.add_argument("--cells")
    chosen, shared = first.parse_known_args(arguments)
    if chosen.cells is None:
        return [parser.parse_args(shared)]
    return [parser.parse_args([*shared, *options]) for options in _lines(chosen.cells, parser)]


def _lines(path: str, parser: argparse.ArgumentParser) -> list[list[str]]:
    actions = {action.dest: action for action in reversed(parser._actions)}  # not the short form of another
    reader = CsvRecords(path)
    for column in reader.fieldnames or ():
        if column not in actions:
            raise InputError(path, f"{column!r} is no option of this script", line=1)
    lines = []
    for record in reader:
        try:
            lines.append([word for name, text in record.items() for word in _option(actions[name], text)])
        except ValueError as error:  # of shell words
            raise InputError(path, str(error), line=reader.line_num) from None
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


def write_scores(path: str | Path, scores: Any) -> None:
    """Write scores as JSON; to who scores one file by hand, print their numbers too."""
    write_json(path, scores)
    if "--cells" not in sys.argv:
        for one in scores if isinstance(scores, list) else [scores]:
            numbers = {name: value for name, value in one.items() if isinstance(value, (int, float))}
            told = "  ".join(f"{name} {value:.4g}" for name, value in numbers.items())
            print(f"{one['signature']}: {told}" if "signature" in one else told)


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """Return a reader of whole numbers in a range, for options of the command line."""

    def read(text: str) -> int:
        if re.fullmatch("-?[0-9]{1,18}", text) and least <= int(text) <= most:
            return int(text)
        raise argparse.ArgumentTypeError(f"{text[:40]}: must be a whole number from {least} to {most}")

    return read


def real_number(least: float = -math.inf, most: float = math.inf) -> Callable[[str], float]:
    """Return a reader of finite numbers in a range, for options of the command line."""
    range_of = ""
    if least > -math.inf:
        range_of = f", {least:g} or more" if most == math.inf else f" from {least:g} to {most:g}"

    def read(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if math.isfinite(number) and least <= number <= most:
            return number
        raise argparse.ArgumentTypeError(f"{text[:40]}: must be a number{range_of}")

    return read


seed_number = whole_number(0, 2**32 - 1)  # the range of all random generators
thread_number = whole_number(1, 256)
count_number = whole_number(1, 2**31 - 1)
natural_number = whole_number(0, 2**31 - 1)
share_number = real_number(0, 1)


def device_option(parser: argparse.ArgumentParser, work: str) -> None:
    """Add the option `--device` of some work; `crosslingua.nn.optimiser.device_of` reads its value."""
    parser.add_argument(
        "--device",
        choices=("auto", "cpu", "cuda"),
        default="cpu",
        help=f"device of {work}; auto: a GPU, if any",
    )


def set_option(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the option `--set` of settings; `what` says which they are."""
    parser.add_argument("--set", nargs="+", default=[], metavar="NAME=VALUE", help=what)


class Visible(logging.Formatter):
    """Messages whose control characters, which may come from a file, are escaped."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the message of a record, for a terminal."""
        return visible(super().format(record))


class Terminal:
    """A terminal that is written to, with control characters escaped. A pipe or a file gets the text as it is."""

    def __init__(self, stream: Any):
        self.stream = stream

    def write(self, text: str) -> int:
        """Write a text, and return the number of its characters."""
        return self.stream.write(visible(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def run(main: Callable[[], None]) -> None:
    """Run a script's `main`. Any error ends the script with one line and status 1. A CrosslinguaError, an error of the
    file system, a lack of memory and a package of an extra give their cause; another error gives the current file and
    the last place of the traceback. `--debug`, and CROSSLINGUA_DEBUG in the logs of a workflow, show the traceback
    instead. Ctrl-C ends it with a line and status 130, as shells have it. A log, unlike a terminal, ends with the cost
    of the script.
    """
    keep_freed_memory()
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Visible("%(asctime)s %(levelname)s %(message)s", "%H:%M:%S"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    if sys.stdout.isatty():
        sys.stdout = Terminal(sys.stdout)
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(interrupted())
    except Exception as error:
        sys.exit(visible(f"error: {_foreseen(error) or _unforeseen(error)}"))
    if not sys.stderr.isatty():
        logging.getLogger(__name__).info(TOLD, processor_seconds())


INTERRUPTED = 130  # the status of a program that Ctrl-C ended, in shells


def interrupted() -> int:
    """Say that Ctrl-C ended the program, and return its status."""
    print("interrupted: the same command goes on from what is finished", file=sys.stderr)
    return INTERRUPTED


def _foreseen(error: Exception) -> str:
    """Return the message of an error that names its cause; "" for any other."""
    if isinstance(error, CrosslinguaError):
        return str(error)
    if isinstance(error, ModuleNotFoundError) and error.name in OF_EXTRAS:
        return f"{program or PurePath(sys.argv[0]).name}: {not_installed(error.name)}"
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        file = error.filename and Path(error.filename).absolute()
        place = f"{file}: the disk of {file.parent}" if file else f"the disk of {Path.cwd()} or of TMPDIR"
        return f"{place} is full: free space, or write elsewhere"
    if isinstance(error, OSError) and error.errno == errno.EFBIG:
        return f"{error.filename or Path.cwd()}: grows larger than files may: raise the limit (ulimit -f)"
    if isinstance(error, OSError) and error.errno == errno.EROFS:
        return f"{error.filename or Path.cwd()}: {error.strerror}: work in a folder that you can write to"
    if _lacks_memory(error):
        what = str(error).splitlines()[0] if str(error) else "an allocation failed"
        return f"too little memory{_at_hand(error)}: {what}: choose smaller sizes or batches, or a larger machine"
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return ""


def _lacks_memory(error: Exception) -> bool:
    """Whether memory ran out, of the processor or of a GPU. PyTorch says so in words alone."""
    told = isinstance(error, RuntimeError) and re.search("(out of|not enough|allocate) memory", str(error))
    return bool(told) or isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM


def _unforeseen(error: Exception) -> str:
    """Return the failure in one line, and keep the traceback."""
    place = "repeat with --debug"
    if "--debug" in sys.argv or os.environ.get("CROSSLINGUA_DEBUG"):
        traceback.print_exception(error)
        place = "see above"
    else:
        kind = {"mode": "w", "encoding": "utf-8", "errors": "backslashreplace"}
        with (
            suppress(OSError),  # no room
            tempfile.NamedTemporaryFile(prefix="crosslingua-", suffix=".log", delete=False, **kind) as log,
        ):
            traceback.print_exception(error, file=log)
            place = f"{log.name}, or repeat with --debug"
    what = f"{type(error).__name__}: {error}".splitlines()[0].encode("utf-8", "backslashreplace").decode()
    return f"{program or PurePath(sys.argv[0]).name} failed{_at_hand(error)}: {what} (traceback: {place})"


def _at_hand(error: BaseException) -> str:
    """Return the file that the failing functions held, the innermost first; "" without one."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    for frame in reversed(frames):
        held = [frame.f_locals.get(name) for name in ("path", "file", "source", "folder", "args")]
        options = vars(held.pop()).values() if isinstance(held[-1], argparse.Namespace) else [held.pop()]
        scored = getattr(frame.f_locals.get("cell"), "score", None)  # of crosslingua.cells
        for value in (*held, scored, *options):
            named = isinstance(value, (str, PurePath)) and 0 < len(str(value)) < LONGEST_PATH
            if named and Path(value).is_file():
                return f" at {value}"
    return ""
