"""Whether a run is at work in a folder: on this machine by its processes, elsewhere by what the run noted.

Snakemake locks the files of a run. A run that is killed leaves the locks, and the next one would be refused.
"""

import os
import shutil
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil

from crosslingua.errors import ConfigError
from crosslingua.io.json import read_json, write_json

LOCKS = Path(".snakemake/locks")
NOTE = Path(".snakemake/crosslingua_run.json")


def note_run(executor: str, scale: str) -> None:
    """Write which machine runs this folder, which of Snakemake's executors runs the jobs, and each process's scale."""
    others = {pid: one for pid, one in _noted_scales().items() if psutil.pid_exists(int(pid))}
    scales = {**others, str(os.getpid()): scale}
    write_json(NOTE, {"host": socket.gethostname(), "executor": executor, "scales": scales})


def _noted_scales() -> dict[str, str]:
    return read_json(NOTE, dict).get("scales", {}) if NOTE.is_file() else {}


def unlock(folder: Path) -> str:
    """Unlock a folder unless a run may be at work in it; return what was done and why, "" where nothing is locked. A
    run on this machine goes without saying: another one may go beside it, or ends with `told_locked`.
    """
    if not locked(folder) or any(runs_at_work(folder)):
        return ""
    if works := at_work(folder):
        return f"The files stay locked: {works}"
    shutil.rmtree(folder / LOCKS)  # all that `snakemake --unlock` does
    return "Unlocked: an earlier run was killed"


def locked(folder: Path) -> bool:
    """Whether a run has locked a folder."""
    return (folder / LOCKS).is_dir() and any((folder / LOCKS).iterdir())


def told_locked(folder: Path) -> str:
    """Return in words why Snakemake found files of a folder locked, and what to do."""
    works = at_work(folder) or "a run that was killed left the files of this folder locked"
    remedy = "make, or crosslingua run, unlocks them"
    if any(runs_at_work(folder)):
        remedy = "wait until it has ended, or work in another folder"
    return f"{works}: {remedy}" if "--unlock" not in works else works


def at_work(folder: Path) -> str:
    """Return why a run may be at work in a folder; "" where none is. Other machines cannot be seen from here: a run of
    another machine, or of a cluster, counts while the folder is locked.
    """
    if alive := [str(process.pid) for process in runs_at_work(folder)]:
        return f"a run is at work in this folder (process {', '.join(alive)})"
    if not (locked(folder) and (folder / NOTE).is_file()):
        return ""
    run = read_json(folder / NOTE, dict)
    if run["host"] != socket.gethostname():
        return f"a run of {run['host']} may be at work in this folder. If not: snakemake --unlock"
    if run["executor"] != "local":
        return (
            f"jobs of a run may be at work on other machines (executor {run['executor']}). Cancel them (SLURM: squeue "
            "--me, scancel), then: snakemake --unlock"
        )
    return ""


def runs_at_work(folder: str | Path) -> Iterator[psutil.Process]:
    """Yield the processes in a folder, except this one, that run the workflow or one of its scripts."""
    folder = str(Path(folder).resolve())
    own = {process.pid for process in (psutil.Process(), *psutil.Process().parents())}
    for process in psutil.process_iter():
        try:
            program, *words = [Path(word) for word in process.cmdline()[:4]] or [Path()]
            scripts = [word for word in words if word.name == "snakemake" or word.parent.name == "scripts"]
            runs_workflow = scripts and program.name.startswith("python")
            if process.pid not in own and runs_workflow and process.cwd() == folder:
                yield process
        except psutil.Error:  # it has ended, or is somebody else's
            continue


def check_unread(path: Path, scale: str) -> None:
    """Raise ConfigError if a run at work in this folder may be of this scale. A dry run also writes plans, before
    Snakemake locks. Without a process at work here, scales are those noted, of runs on other machines.
    """
    if not (works := at_work(Path.cwd())):
        return
    noted, scales = _noted_scales(), list[str]()
    for process in runs_at_work("."):
        pids = [str(process.pid)]
        with suppress(psutil.Error):  # it has ended
            pids += [str(parent.pid) for parent in process.parents()]
        scales.append(
            next((noted[pid] for pid in pids if pid in noted), scale)
        )  # a scale not noted may be this one
    if scale in (scales or noted.values() or [scale]):
        raise ConfigError(
            f"{path}: {works}. That run was planned otherwise: wait until it has ended, or run this configuration "
            "in another folder or under another `scale`"
        )
