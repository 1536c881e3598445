"""Runs of Snakemake, each a fork of one process that has imported it: importing it takes as long as many a dry run.

Nothing of the project is imported before the fork, which finds the Snakefile and the package in its own folder.
"""

import gc
import json
import os
import pkgutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path

LONGEST = 900  # seconds of a run


def snakemake(arguments: Sequence[str], folder: Path, environment: Mapping[str, str]) -> tuple[int, str]:
    """Run Snakemake in `folder`; return its exit status, and what it wrote: to standard output, then to the other."""
    parent = _parent()
    with tempfile.TemporaryDirectory() as place:
        written = [f"{place}/stdout", f"{place}/stderr"]
        request = {
            "arguments": [*arguments],
            "folder": str(folder),
            "environment": {**environment},
            "written": written,
        }
        parent.stdin.write(json.dumps(request) + "\n")
        parent.stdin.flush()
        status = int(parent.stdout.readline())
        return status, "".join(Path(path).read_text(encoding="utf-8") for path in written)


@cache
def _parent() -> subprocess.Popen[str]:
    """Start the process that forks. It ends where its input does, at the latest with this process."""
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {
        "PYTHONHASHSEED": "0"
    }
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-P", __file__], stdin=pipe, stdout=pipe, text=True, env=plain, cwd="/"
    )


def main() -> None:
    """Fork for each line of standard input, a request, and answer with the exit status."""
    import snakemake.cli

    for module in (
        pkgutil.iter_modules()
    ):  # a logger of this project is among them, which a fork imports from its folder
        if module.name.startswith(("snakemake_executor_plugin_", "snakemake_storage_plugin_")):
            import_module(module.name)
    assert not [name for name in sys.modules if "crosslingua" in name]
    gc.freeze()
    for line in sys.stdin:
        if (child := os.fork()) == 0:
            _become(**json.loads(line))
            sys.argv[0] = str(Path(snakemake.cli.__file__).with_name("__main__.py"))
            snakemake.cli.main()
        status = os.waitpid(child, 0)[1]
        print(os.waitstatus_to_exitcode(status), flush=True)


def _become(arguments: list[str], folder: str, environment: dict[str, str], written: list[str]) -> None:
    """Make of this process one that `python -m snakemake` starts in `folder`."""
    signal.alarm(LONGEST)
    gc.set_threshold(100_000)  # a graph of jobs is millions of objects, and hardly one of them garbage
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv[1:] = arguments
    sys.path[:0] = [folder, *filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))]
    for number, path in enumerate([os.devnull, *written]):
        opened = os.open(path, os.O_RDWR | os.O_CREAT)
        os.dup2(opened, number)
        os.close(opened)


if __name__ == "__main__":
    main()
