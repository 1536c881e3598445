"""Scripts, run as from a shell but in the tests' process: a new one would take seconds to import torch."""

import contextlib
import io
import logging
import os
import runpy
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"


class Ended(NamedTuple):
    status: int
    stdout: str
    stderr: str
    error: str  # the message it ended with


def run_script(path: Path, *arguments: object) -> Ended:
    """Run a script in this process; see `run_main`."""
    with mock.patch.object(sys, "path", [str(path.parent), *sys.path]):
        return run_main(lambda: runpy.run_path(str(path), run_name="__main__"), path, *arguments)


def run_main(main: Callable[[], object], *arguments: object) -> Ended:
    """Run a program with its own arguments, output, log and environment; an exception that it lets out goes on."""
    out, err, status, error, level = io.StringIO(), io.StringIO(), 0, "", logging.root.level
    with (
        mock.patch.object(sys, "argv", [*map(str, arguments)]),
        mock.patch.object(sys, "path", [*sys.path]),
        mock.patch.object(logging.root, "handlers", []),
        mock.patch.dict(os.environ),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
            error = end.code if isinstance(end.code, str) else ""
            err.write(f"{error}\n" if error else "")
        finally:
            logging.root.setLevel(level)
    return Ended(status, out.getvalue(), err.getvalue(), error)


def in_a_process(script: str, *arguments: object, folder: Path, **more: Any) -> subprocess.CompletedProcess:
    """Run a script of the project in `folder`, in a process of its own, which must end well."""
    command = [sys.executable, str(SCRIPTS / script), *map(str, arguments)]
    more |= {"cwd": folder, "env": os.environ | {"PYTHONPATH": str(SCRIPTS.parent / "src")}}
    return subprocess.run(command, capture_output=True, text=True, check=True, **more)


def call(script: str, *arguments: object, folder: Path | str = ".", ok: bool = True) -> str:
    """Run a script of the project in `folder`; return the message with which it ends, and must end unless `ok`."""
    with contextlib.chdir(folder):
        ended = run_script(SCRIPTS / script, *arguments)
    assert (ended.status == 0) == ok, ended.stderr
    return ended.error
