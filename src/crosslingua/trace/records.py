"""What Snakemake recorded of the job that made a file: `.snakemake/metadata`, a JSON file an output.

Read as files: what reads in `snakemake.persistence` is private, and opening it creates folders.
"""

from __future__ import annotations

import csv
import hashlib
import os
from base64 import urlsafe_b64encode
from pathlib import Path, PurePath
from typing import Any

from crosslingua.cost import told
from crosslingua.io.json import read_json

FOLDER = Path(".snakemake/metadata")
COSTS = ("s", "cpu_time", "max_rss")  # seconds, seconds, MB

Job = dict[str, Any]  # as recorded: rule, input, shellcmd, log, starttime, input_checksums


class Records:
    """The records of `root`, a folder in which Snakemake ran; files are named as rules name them, relative to it."""

    def __init__(self, root: str | Path):
        self.root = Path(root)
        self.folder = self.root / FOLDER

    def job(self, file: str) -> Job | None:
        """Return the job that made a file, or a folder that it lies in; None if no job did."""
        paths = (self._path(name) for name in (file, *map(str, PurePath(file).parents)))
        return next((read_json(path) for path in paths if path.is_file()), None)

    def changed(self, job: Job) -> list[str]:
        """Return the inputs that hold something else today. Of large files and those gone that is not known."""
        there = {name: self.root / name for name in job["input_checksums"] if (self.root / name).is_file()}
        found = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in there.items()}
        return [name for name, digest in found.items() if f"sha256:{digest}" != job["input_checksums"][name]]

    def cost(self, job: Job) -> dict[str, float]:
        """Return what was measured of COSTS; rules name a job's log and its benchmark alike."""
        log = PurePath(*job["log"][:1])
        path = self.root / log.with_suffix(".tsv").as_posix().replace("/logs/", "/benchmarks/")
        if not path.is_file():
            return {}
        with path.open(encoding="utf-8", newline="") as stream:
            measured = next(csv.DictReader(stream, delimiter="\t"))
        if (seconds := told(self.root / log)) is not None:
            measured["cpu_time"] = seconds
        return {name: float(measured[name]) for name in COSTS if measured[name] not in ("-", "NA")}

    def _path(self, file: str) -> Path:
        code = urlsafe_b64encode(file.encode()).decode()
        size = os.pathconf(self.root, "PC_NAME_MAX") - 1  # longer ones are cut into folders that begin with @
        *folders, name = [code[start : start + size] for start in range(0, len(code), size)]
        return self.folder.joinpath(*(f"@{part}" for part in folders), name)


def open_records(path: str | Path) -> tuple[Records, str]:
    """Return the records of the folder above `path` where Snakemake ran (else of this folder), and its name there."""
    absolute = Path(path).absolute()  # not resolved: results may be a link to another disk
    root = next((parent for parent in absolute.parents if (parent / FOLDER).is_dir()), Path.cwd())
    return Records(root), str(absolute.relative_to(root) if absolute.is_relative_to(root) else absolute)
