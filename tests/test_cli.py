"""How scripts end: one line that names what was wrong."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from crosslingua.cli import cells, parser, run
from crosslingua.errors import ConfigError, InputError


def test_an_error_of_the_suite_ends_a_script_with_its_text() -> None:
    def main() -> None:
        raise ConfigError("no such thing")

    with pytest.raises(SystemExit, match=r"^error: no such thing$"):
        run(main)


@pytest.mark.parametrize(
    ("name", "reason"), [("missing.txt", "No such file or directory"), (".", "Is a directory")]
)
def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path, name: str, reason: str) -> None:
    path = tmp_path / name
    with pytest.raises(SystemExit, match=f"^error: {path}: {reason}$"):
        run(lambda: path.read_text())


def test_other_faults_keep_their_traceback() -> None:
    def main() -> None:
        raise OSError("no file's fault")

    with pytest.raises(OSError, match="no file's fault"):
        run(main)


def test_help_shows_the_defaults_that_say_something() -> None:
    p = parser("What it does.", more=lambda: "And more\n  of it.")
    p.add_argument("--gold", required=True, help="links")
    p.add_argument("--base", type=int, help="first token (default: by its format)")
    p.add_argument("--set", nargs="+", default=[], help="settings")
    p.add_argument("--seed", type=int, default=0, help="of samples")
    text = " ".join(p.format_help().split())
    assert "--gold GOLD links --base BASE first token (default: by its format) --set" in text
    assert "settings --seed SEED of samples (default: 0)" in text
    assert p.format_help().endswith("And more\n  of it.\n")


def test_the_end_of_the_help_is_made_when_it_is_shown() -> None:
    def more() -> str:
        raise AssertionError("called without --help")

    assert vars(parser("", more=more).parse_args([])) == {}


def cells_parser():
    p = parser("")
    p.add_argument("--source", nargs="+", required=True)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--lowercase", action="store_true")
    p.add_argument("--out", required=True)
    return p


def test_one_call_without_a_file_of_cells() -> None:
    (args,) = cells(cells_parser(), ["--source", "a", "b", "--out", "x"])
    assert (args.source, args.seed, args.lowercase, args.out) == (["a", "b"], 0, False, "x")


def test_each_line_of_a_file_is_a_call(tmp_path: Path) -> None:
    plan = tmp_path / "plan.csv"
    plan.write_text("source,out,lowercase\na 'b c',-x $(touch y),true\nd,z,\n")
    first, second = cells(cells_parser(), ["--cells", str(plan), "--seed", "3"])
    assert (first.source, first.out, first.lowercase, first.seed) == (["a", "b c"], "-x $(touch y)", True, 3)
    assert (second.source, second.out, second.lowercase, second.seed) == (["d"], "z", False, 3)


def test_a_column_is_the_option_and_not_its_short_form(tmp_path: Path) -> None:
    p = parser("")
    p.add_argument("--identical", nargs="+", default=["kept"])
    p.add_argument("--drop-identical", dest="identical", action="store_const", const=["dropped"])
    plan = tmp_path / "plan.csv"
    plan.write_text("identical\nkept dropped\n")
    (args,) = cells(p, ["--cells", str(plan)])
    assert args.identical == ["kept", "dropped"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("source,outt\na,b\n", "plan.csv:1: 'outt' is no option of this script"),
        ("source,out\na,b,c\n", "plan.csv:2: other fields than the header has"),
        ("source,out\na\n", "plan.csv:2: other fields than the header has"),
        ("source,out\n", "plan.csv: holds no cells"),
    ],
)
def test_a_malformed_file_of_cells_is_refused(tmp_path: Path, text: str, message: str) -> None:
    plan = tmp_path / "plan.csv"
    plan.write_text(text)
    with pytest.raises(InputError, match=re.escape(message)):
        cells(cells_parser(), ["--cells", str(plan)])


def test_a_file_of_cells_in_another_encoding_is_named(tmp_path: Path) -> None:
    path = tmp_path / "plan.csv"
    path.write_bytes("source,out\na,b\né,c\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"plan\.csv:3: invalid UTF-8"):
        cells(cells_parser(), ["--cells", str(path)])


# Freed memory stays with the process: counted by the pages that the system has to give again.


FAULTS = """
import resource
from crosslingua.cli import keep_freed_memory
{first}
def again():
    for _ in range(20):
        [bytearray(2**20) for _ in range(64)]
again()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
again()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(first: str) -> int:
    done = subprocess.run(
        [sys.executable, "-c", FAULTS.format(first=first)], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc's allocator is told")
def test_what_was_freed_is_used_again() -> None:
    assert faults("keep_freed_memory()") < 100 < faults("")
