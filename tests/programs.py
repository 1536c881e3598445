"""Scripts, called as from a command line, but in this process: it has imported most of what they need."""

import contextlib
import os
import runpy
import sys
from pathlib import Path
from unittest.mock import patch

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"


def call(script: str, *arguments: object, folder: Path | str = ".", ok: bool = True) -> str:
    """Call a script in `folder`; return the text of the error with which it ends, and must end unless `ok`."""
    error: str | int | None = None
    argv = [str(SCRIPTS / script), *map(str, arguments)]
    with contextlib.chdir(folder), patch.object(sys, "argv", argv), patch.dict(os.environ):
        try:
            runpy.run_path(argv[0], run_name="__main__")
        except SystemExit as end:
            error = end.code
    assert (not error) == ok, error
    return str(error or "")
