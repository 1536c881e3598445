"""A private copy of the checkout in which the workflow is run, edited and interrupted."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from crosslingua import imports
from programs import run_main

WITHOUT_JOBS = {"--dry-run", "--summary", "--dag"}
COMPILED = (".pyc", ".nbi", ".nbc")  # of Python and numba


@dataclass(frozen=True)
class Checkout:
    """A copy of the repository, in which `run` calls snakemake and `make` calls make."""

    root: Path

    def environment(self) -> dict[str, str]:
        """Return this process's environment, in which the copy's own package wins over the installed one."""
        own = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
        return own | {"PYTHONPATH": str(self.root / "src"), "PYTHONHASHSEED": "0"}

    def command(self, *arguments: str, scale: str = "tiny", cores: int = 2) -> list[str]:
        files = [] if scale == "demo" else ["--configfile", f"scales/{scale}.yaml"]
        return [sys.executable, "-m", "snakemake", "--cores", str(cores), *files, *arguments]

    def run(self, *arguments: str, scale: str = "tiny", cores: int = 2, ok: bool = True) -> str:
        """Call snakemake: in this process where no job is to run, since another takes seconds to start."""
        command = self.command(*arguments, scale=scale, cores=cores)
        if ok and not WITHOUT_JOBS & {*arguments}:
            return self.call(command)
        from snakemake.cli import main

        with contextlib.chdir(self.root), mock.patch.dict(os.environ, self.environment()), self.own_code():
            done = run_main(main, *command[2:])  # without `python -m`
        output = done.stdout + done.stderr
        assert (done.status == 0) == ok, output
        return output

    @contextlib.contextmanager
    def own_code(self) -> Iterator[None]:
        """Let plans name the code of the copy, and take back what Snakemake changes in a process."""
        stopped = signal.getsignal(signal.SIGTERM)
        caches = (imports._file_of, imports._imported)
        try:
            with mock.patch.object(imports, "SOURCE_ROOT", self.root.resolve() / "src"):
                for one in caches:
                    one.cache_clear()
                yield
        finally:
            for one in caches:
                one.cache_clear()
            signal.signal(signal.SIGTERM, stopped)

    def make(self, *arguments: str, ok: bool = True) -> str:
        """Call make, with the environment that these tests run in as what `make setup` installed."""
        self.link_environment()
        return self.call(["make", *arguments], ok=ok)

    def call(self, command: list[str], *, ok: bool = True) -> str:
        place = {"cwd": self.root, "env": self.environment()}
        done = subprocess.run(command, **place, capture_output=True, text=True, timeout=1800)
        output = done.stdout + done.stderr
        assert (done.returncode == 0) == ok, output
        return output

    def link_environment(self) -> None:
        """Put links to this environment where `make setup` would install another one."""
        there, here = Path(sys.prefix), self.root / ".venv"
        if here.exists():
            return
        (here / "bin").mkdir(parents=True)
        for path in [*(p for p in there.iterdir() if p.name != "bin"), *(there / "bin").iterdir()]:
            if path.name != ".installed":
                (here / path.relative_to(there)).symlink_to(path)
        required = [(self.root / name).read_bytes() for name in ("requirements.lock", "pyproject.toml")]
        (here / "bin/.installed").write_bytes(b"".join(required))

    def planned(self, *arguments: str, scale: str = "tiny") -> dict[str, int]:
        """Rule -> number of jobs that a dry run would start."""
        return counts(self.run("--dry-run", *arguments, scale=scale))

    def pending(self, *arguments: str, scale: str = "tiny") -> set[str]:
        """The jobs that ran before and would run again, each by its log: `align_vectors/ana-ber.world/rcsls`."""
        logs = {log for _, log in self.summary(*arguments, scale=scale)}
        return {log.removeprefix(f"results/{scale}/logs/").removesuffix(".log") for log in logs}

    def lacking(self, *arguments: str, scale: str = "tiny") -> set[str]:
        """The files that would be made, below the folder of results."""
        return {file.removeprefix(f"results/{scale}/") for file, _ in self.summary(*arguments, scale=scale)}

    def summary(self, *arguments: str, scale: str) -> list[tuple[str, str]]:
        """The files that a run would make, each with its log from before or `-`."""
        lines = [line.split("\t") for line in self.run("--summary", *arguments, scale=scale).splitlines()]
        found = [line for line in lines if len(line) == 6]
        return [(file, log) for file, _, _, log, _, plan in found if plan == "update pending"]


def counts(dry_run: str) -> dict[str, int]:
    """Rule -> number of jobs, from the output of a dry run."""
    if "Nothing to be done" in dry_run:
        return {}
    table = re.search(r"^job +count\n-+ +-+\n(.*?)^total", dry_run, re.MULTILINE | re.DOTALL)
    assert table, dry_run
    return {name: int(count) for name, count in (line.split() for line in table[1].splitlines())}


def commands(dry_run: str) -> list[str]:
    """The command lines in the output of a dry run with --printshellcmds."""
    return [line.removeprefix("Shell command: ") for line in dry_run.splitlines() if " scripts/" in line]


def copy_checkout(repository: Path, root: Path, compiled: Path | None = None) -> Checkout:
    """Copy what git tracks or would track, and nothing else that is generated but for the compiled code of `src`.

    The compiled code is the repository's, or that of the copy `compiled`, in which more has been run.
    """
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (repository / name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(repository / name, root / name)
    source = compiled or repository
    for path in (source / "src").rglob("__pycache__/*"):
        if path.suffix in COMPILED:  # others are being written by a test beside this one
            (root / path.relative_to(source)).parent.mkdir(exist_ok=True)
            shutil.copy2(path, root / path.relative_to(source))
    return Checkout(root)
