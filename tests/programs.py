"""Scripts, run as from a shell but in the tests' process: a new one would take seconds to import torch."""

import io
import logging
import os
import runpy
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple
from unittest import mock


class Ended(NamedTuple):
    """How a script ended."""

    status: int
    stdout: str
    stderr: str


def run_script(path: Path, *arguments: object) -> Ended:
    """Run a script with its own arguments, output, log and environment; an exception that it lets out goes on."""
    out, err, status, level = io.StringIO(), io.StringIO(), 0, logging.root.level
    with (
        mock.patch.object(sys, "argv", [str(path), *map(str, arguments)]),
        mock.patch.object(sys, "path", [str(path.parent), *sys.path]),
        mock.patch.object(logging.root, "handlers", []),
        mock.patch.dict(os.environ),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            runpy.run_path(str(path), run_name="__main__")
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
            err.write(f"{end.code}\n" if isinstance(end.code, str) else "")
        finally:
            logging.root.setLevel(level)
    return Ended(status, out.getvalue(), err.getvalue())
