"""How scripts end: one line that names the error; commands, messages, and torch's threads."""

import argparse
import errno
import logging
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext
from io import StringIO
from pathlib import Path

import pytest
import torch

from crosslingua import cli, command
from crosslingua.errors import ConfigError, InputError, check_defined, check_given
from crosslingua.io.json import read_json, write_json
from crosslingua.nn.optimiser import use_threads
from crosslingua.word_aligners.aligner import _side_by_side
from texts import written


def test_an_error_of_the_suite_ends_a_script_with_its_text() -> None:
    def main() -> None:
        raise ConfigError("no such thing")

    with pytest.raises(SystemExit, match=r"^error: no such thing$"):
        cli.run(main)


ESCAPES = "a\x1b]0;title\x07b\x9bc\u202ed\re\x00\tf\ng"
SHOWN = "a\\x1b]0;title\\x07b\\x9bc\\u202ed\\re\\x00\tf\ng"


class Screen(StringIO):
    """A terminal or, without `isatty`, a pipe."""

    def __init__(self, *, terminal: bool):
        super().__init__()
        self.isatty = lambda: terminal


@pytest.mark.parametrize("terminal", [True, False])
def test_a_terminal_gets_control_characters_as_escapes_and_a_pipe_the_text(
    monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    """Messages are escaped wherever they go: a log is read in a terminal too."""

    def main() -> None:
        print(ESCAPES)
        logging.getLogger("test").warning("%s", ESCAPES)
        raise ConfigError(ESCAPES)

    out, told = Screen(terminal=terminal), Screen(terminal=terminal)
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", told)
    monkeypatch.setattr(logging.root, "handlers", [])
    with pytest.raises(SystemExit) as error:
        cli.run(main)
    assert out.getvalue() == (SHOWN if terminal else ESCAPES) + "\n"
    assert told.getvalue().endswith(f" WARNING {SHOWN}\n")
    assert error.value.code == f"error: {SHOWN}"


def test_words_of_the_command_line_are_told_without_escapes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.parser("").parse_args(["--a\x1b[2Jb"])
    assert "unrecognized arguments: --a\\x1b[2Jb\n" in capsys.readouterr().err


def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "missing.txt"
    for path, reason in ((missing, "No such file or directory"), (tmp_path, "Is a directory")):
        with pytest.raises(SystemExit, match=f"^error: {path}: {reason}$"):
            cli.run(path.read_text)


def fails_at(path: Path) -> None:
    raise RuntimeError(f"nobody foresaw\nthis: {len(path.name)}")


def test_an_unforeseen_fault_is_one_line_with_the_file_and_the_place_of_its_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    read = written(tmp_path / "read.txt", "")
    monkeypatch.setattr(sys, "argv", ["score.py"])
    monkeypatch.delenv("CROSSLINGUA_DEBUG", raising=False)
    with pytest.raises(SystemExit) as ended:
        cli.run(lambda: fails_at(read))
    line, failed = str(ended.value), f"error: score.py failed at {read}: RuntimeError: "
    assert re.fullmatch(f"{failed}nobody foresaw [^\n]*", line)
    log = Path(re.search(r"traceback: (.*\.log), or repeat with --debug", line)[1])
    assert "in fails_at" in log.read_text()
    log.unlink()
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys, "argv", ["score.py", "--debug"])
    with pytest.raises(SystemExit, match=r"traceback: see above"):
        cli.run(lambda: fails_at(read))
    assert "in fails_at" in capsys.readouterr().err


def test_a_limit_of_the_size_of_files_is_named(tmp_path: Path) -> None:
    code = "from crosslingua.cli import run\nfrom crosslingua.io.atomic import atomic_open\n"
    code += "def main():\n with atomic_open('out.txt') as stream:\n  stream.write('x' * 9000)\nrun(main)\n"
    limit = f'ulimit -f 2; {sys.executable} -c "$0"'
    ended = subprocess.run(
        ["sh", "-c", limit, code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    told = "error: out.txt: grows larger than files may: raise the limit (ulimit -f)\n"
    assert (ended.returncode, ended.stderr.endswith(told)) == (1, True), ended.stderr
    assert not [*tmp_path.iterdir()]


def test_a_full_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "full"
    out.symlink_to("/dev/full")
    with pytest.raises(SystemExit, match=f"^error: {out}: the disk of {tmp_path} is full: "):
        cli.run(lambda: write_json(out, list(range(9))))
    monkeypatch.chdir(tmp_path)

    def prints() -> None:
        with out.open("w") as stream:
            stream.write("words")

    with pytest.raises(SystemExit, match=f"^error: the disk of {tmp_path} or of TMPDIR is full: "):
        cli.run(prints)


def test_a_fault_without_room_for_its_traceback_is_one_line_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    monkeypatch.delenv("CROSSLINGUA_DEBUG", raising=False)
    with pytest.raises(SystemExit, match=r"RuntimeError: nobody foresaw \(traceback: repeat with --debug\)$"):
        cli.run(lambda: fails_at(tmp_path))


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (MemoryError("std::bad_alloc"), "std::bad_alloc"),
        (MemoryError(), "an allocation failed"),
        (
            RuntimeError("can't allocate memory: 40000000000 bytes\nat x"),
            "can't allocate memory: 40000000000 bytes",
        ),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), f"[Errno {errno.ENOMEM}] Cannot allocate memory"),
    ],
)
def test_too_little_memory_is_one_line_with_the_remedy(tmp_path: Path, error: Exception, told: str) -> None:
    def fails(path: Path) -> None:
        raise error

    remedy = "choose smaller sizes or batches, or a larger machine"
    read = written(tmp_path / "read.txt", "")
    with pytest.raises(SystemExit) as ended:
        cli.run(lambda: fails(read))
    assert str(ended.value) == f"error: too little memory at {read}: {told}: {remedy}"


@pytest.mark.parametrize(
    ("read", "good", "bad"),
    [
        (cli.count_number, {"1": 1, "20": 20}, ["0", "-1", "1.5", "1e3", "", "9" * 5000, "nan"]),
        (cli.natural_number, {"0": 0}, ["-1", "x"]),
        (cli.thread_number, {"1": 1, "64": 64}, ["0", "100000"]),
        (cli.seed_number, {"4294967295": 2**32 - 1}, ["4294967296", "-1"]),
        (cli.share_number, {"0": 0.0, "1e-1": 0.1, "1": 1.0}, ["1.01", "-0.1", "nan", "inf", "half"]),
        (cli.real_number(), {"-2.5": -2.5}, ["nan", "-inf"]),
    ],
)
def test_numbers_of_options_have_ranges(read, good: dict[str, float], bad: list[str]) -> None:
    assert {text: read(text) for text in good} == good
    for text in bad:
        with pytest.raises(argparse.ArgumentTypeError, match="must be a"):
            read(text)


def test_help_shows_the_defaults_that_say_something() -> None:
    p = cli.parser("What it does.", more=lambda: "And more\n  of it.")
    p.add_argument("--gold", required=True, help="links")
    p.add_argument("--base", type=int, help="first token (default: by its format)")
    p.add_argument("--set", nargs="+", default=[], help="settings")
    p.add_argument("--seed", type=int, default=0, help="of samples")
    text = p.format_help()
    shown = "--gold GOLD links --base BASE first token (default: by its format) --set SET [SET ...] settings"
    assert f"{shown} --seed SEED of samples (default: 0)" in " ".join(text.split())
    assert text.endswith("And more\n  of it.\n")


def test_the_end_of_the_help_is_made_when_it_is_shown() -> None:
    more = lambda: pytest.fail("called without --help")  # noqa: E731
    assert vars(cli.parser("", more=more).parse_args([])) == {}


def cells_parser():
    p = cli.parser("")
    p.add_argument("--source", nargs="+", required=True)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--lowercase", action="store_true")
    p.add_argument("--out", required=True)
    return p


def test_a_call_without_a_file_of_cells_and_one_for_each_line_of_a_file(tmp_path: Path) -> None:
    (args,) = cli.cells(cells_parser(), ["--source", "a", "b", "--out", "x"])
    assert (args.source, args.seed, args.lowercase, args.out) == (["a", "b"], 0, False, "x")
    plan = written(tmp_path / "plan.csv", "source,out,lowercase\na 'b c',-x $(touch y),true\nd,z,\n")
    first, second = cli.cells(cells_parser(), ["--cells", str(plan), "--seed", "3"])
    assert (first.source, first.out, first.lowercase, first.seed) == (["a", "b c"], "-x $(touch y)", True, 3)
    assert (second.source, second.out, second.lowercase, second.seed) == (["d"], "z", False, 3)


def test_a_column_is_the_option_and_not_its_short_form(tmp_path: Path) -> None:
    p, plan = cli.parser(""), written(tmp_path / "plan.csv", "identical\nkept dropped\n")
    p.add_argument("--identical", nargs="+", default=["kept"])
    p.add_argument("--drop-identical", dest="identical", action="store_const", const=["dropped"])
    (args,) = cli.cells(p, ["--cells", str(plan)])
    assert args.identical == ["kept", "dropped"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("source,outt\na,b\n", "plan.csv:1: 'outt' is no option of this script"),
        ("source,out\na,b,c\n", "plan.csv:2: other fields than the header has"),
        ("source,out\na\n", "plan.csv:2: other fields than the header has"),
        ("source,out\n", "plan.csv: holds no cells"),
        ("source,out\na,b\né,c\n".encode("latin-1"), "plan.csv:3: invalid UTF-8"),
    ],
)
def test_a_malformed_file_of_cells_is_refused(tmp_path: Path, text: str | bytes, message: str) -> None:
    plan = written(tmp_path / "plan.csv", text)
    with pytest.raises(InputError, match=re.escape(message)):
        cli.cells(cells_parser(), ["--cells", str(plan)])


def test_a_name_whose_bytes_are_no_text_is_refused() -> None:
    made = cli.parser("")
    made.add_argument("--input", nargs="+", type=Path)
    with pytest.raises(
        ConfigError, match=r"--input: 'b.udcff': its bytes are no UTF-8: give .* another name"
    ):
        made.parse_args(["--input", "ä", "b\udcff"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--out", "a", "--report", "./a"], "--out and --report: ./a is named twice: each needs a file of its own"),
        (["--out", "a", "b", "a"], "--out: a is named twice"),
        (["--out", "link", "--out-target", "a"], "--out and --out-target: a is named twice"),
        (["--out", "a", "--report", "b", "--out-target", "c", "--input", "a"], ""),  # nothing is there to be lost
        (["--out", "text", "--input", "text"], "--input and --out: text is read and would be replaced"),
        (["--out", "b", "--report", "text", "--input", "en=b,./text"], "--input and --report: ./text is read"),
        (["--out", "a", "--input", "a", "--more", "a"], "--out and --more: a is named twice"),
        (["--out", "a", "--report", "folder"], "--report: folder is a folder, and a file is to be written"),
        (["--out", "a", "--report", ""], "--report: '' is a folder"),
        (["--out", "folder", "--input", "folder"], ""),
        (["--out", "loop"], "--out: loop is a link that leads to itself"),
        (["--out", "/dev/null", "--report", "/dev/null"], ""),
    ],
)  # fmt: skip
def test_a_result_replaces_no_other_file(tmp_path: Path, monkeypatch, words: list[str], message: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("link").symlink_to("a")
    Path("loop").symlink_to("loop")
    Path("folder").mkdir()
    written(Path("text"), "the user's")
    p = cli.parser("", outputs=["more"])
    p.add_argument("--out", nargs="+")
    for name in ("--report", "--out-target", "--input", "--more"):
        p.add_argument(name)
    with pytest.raises(ConfigError, match=re.escape(message)) if message else nullcontext():
        cli.cells(p, words)


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
    return int(subprocess.check_output([sys.executable, "-c", FAULTS.format(first=first)], text=True))


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc's allocator is told")
def test_what_was_freed_is_used_again() -> None:
    assert faults("keep_freed_memory()") < 100 < faults("")


def test_scores_are_printed_to_who_scores_one_file(tmp_path: Path, capsys, monkeypatch) -> None:
    scores = [{"signature": "csls|k=10", "p_at_1": 34.56789, "ranks": {"dog": 1}}, {"f1": 50.0, "n": 3}]
    monkeypatch.setattr("sys.argv", ["score.py", "--out", "x"])
    cli.write_scores(tmp_path / "scores.json", scores)
    assert capsys.readouterr().out == "csls|k=10: p_at_1 34.57\nf1 50  n 3\n"
    monkeypatch.setattr("sys.argv", ["score.py", "--cells", "plan.csv"])
    cli.write_scores(tmp_path / "more.json", scores)
    assert capsys.readouterr().out == ""
    assert read_json(tmp_path / "more.json") == scores


def test_an_undefined_name_is_told_with_its_place_the_legal_names_and_the_closest() -> None:
    for names, known, message in (
        ("bre", ["ana", "ber"], "'bre' is not defined under languages (ana, ber); did you mean 'ber'?"),
        (["ana", "xx", "yy"], {"ana": {}}, "'xx' is not defined under languages (ana)"),
        ("ana", [], "'ana' is not defined under languages (nothing is)"),
    ):
        with pytest.raises(ConfigError, match=f"^tasks.ner: {re.escape(message)}$"):
            check_defined("tasks.ner", names, known, "languages")
    check_defined("key", "ana", {"ana": {}}, "languages")
    check_defined("key", [], [], "languages")


def test_a_missing_key_is_told_with_what_asks_for_it() -> None:
    check_given("languages.en", {"path": "x"}, "path", "from: file")
    with pytest.raises(ConfigError, match=r"^languages.en: the key 'path' is missing \(from: file\)$"):
        check_given("languages.en", {}, "path", "from: file")


@pytest.fixture
def threads() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("threads")
def test_mkl_has_chosen_its_kernels_before_threads_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two threads that ask first came to other last bits: once in two hundred runs, too seldom to wait for here."""
    use_threads(2)
    assert torch.get_num_threads() == 2
    chosen, logarithm = [], torch.log
    monkeypatch.setattr(torch, "log", lambda x: (chosen.append(torch.get_num_threads()), logarithm(x))[1])
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    assert _side_by_side(lambda item: (item, tuple(chosen)), [1, 2]) == [(1, (1,)), (2, (1,))]


SLEEPS = """
import signal, sys, time
from pathlib import Path
from crosslingua import cli, command
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell ignores for what it runs in the background
wait = "import time\\ntry: open('ready', 'w'), time.sleep(60)\\n"
wait += "except KeyboardInterrupt: time.sleep(1); open('ended', 'w')"
work = {
    "run": lambda: command._ended([sys.executable, "-c", wait]),
    "script": lambda: (Path("ready").touch(), time.sleep(60)),
}[sys.argv[1]]
def main():
    work()
cli.run(main)
"""


@pytest.mark.parametrize("what", ["run", "script"])
def test_ctrl_c_ends_a_program_in_one_line_after_what_it_started(tmp_path: Path, what: str) -> None:
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "start_new_session": True}
    environment = os.environ | {"PYTHONPATH": str(Path(command.__file__).parents[1])}
    code = [sys.executable, "-c", SLEEPS, what]
    with subprocess.Popen(code, cwd=tmp_path, env=environment, **how) as process:
        for _ in range(600):
            if (tmp_path / "ready").exists():
                break
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        _, told = process.communicate(timeout=30)
    assert process.returncode == 130
    assert told == "interrupted: the same command goes on from what is finished\n"
    assert (tmp_path / "ended").exists() == (what == "run")
