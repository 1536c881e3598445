"""What Snakemake recorded of the job that made a file: `.snakemake/metadata`, a JSON file an output.

Read as files, not through `snakemake.persistence`: what reads there is private, and opening it creates folders.
"""

from __future__ import annotations

import csv
import hashlib
import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from crosslingua.io.json import read_json

FOLDER = Path(".snakemake/metadata")
CODE = ("scripts/", "src/")


@dataclass(frozen=True)
class Recorded:
    """A job that ran. `inputs` are its files as the workflow names them, `checksums` those of the small ones."""

    rule: str
    command: str
    log: str
    started: float
    inputs: tuple[str, ...]
    checksums: Mapping[str, str]

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells jobs apart; a job that made several files is recorded with each."""
        return self.rule, self.command, self.log

    @property
    def code(self) -> list[str]:
        """The script and modules that it ran, the script first."""
        return sorted(path for path in self.inputs if path.startswith(CODE))


class Records:
    """The records of the folder `root`, in which Snakemake ran; names of files are relative to it, as in a rule."""

    def __init__(self, root: str | Path):
        self.root = Path(root)
        self.folder = self.root / FOLDER

    @cached_property
    def files(self) -> list[str]:
        """All files and folders that jobs made."""
        found = (path.relative_to(self.folder) for path in self.folder.rglob("*") if path.is_file())
        return sorted(urlsafe_b64decode("".join(p.lstrip("@") for p in path.parts)).decode() for path in found)

    def job(self, file: str) -> Recorded | None:
        """Return the job that made a file, or the folder that it lies in; None if no job did."""
        for name in (file, *map(str, Path(file).parents)):
            if (path := self._path(name)).is_file():
                return _job(read_json(path))
        return None

    def changed(self, job: Recorded) -> list[str]:
        """Return the inputs of a job that hold something else today; large ones and those gone are not known."""
        return [name for name, checksum in job.checksums.items() if self._checksum(name) not in (checksum, "")]

    def cost(self, job: Recorded) -> dict[str, float]:
        """Return s (wall), cpu_time (both in seconds) and max_rss (MB) of a job, as far as they were measured."""
        path = self.root / job.log.replace("/logs/", "/benchmarks/")
        path = path.with_suffix(".tsv")  # rules name logs and benchmarks alike
        if not path.is_file():
            return {}
        with path.open(encoding="utf-8", newline="") as stream:
            record = next(csv.DictReader(stream, delimiter="\t"))
        wanted = {name: record[name] for name in ("s", "cpu_time", "max_rss")}
        return {name: float(text) for name, text in wanted.items() if text not in ("-", "NA")}

    def _path(self, name: str) -> Path:
        code = urlsafe_b64encode(name.encode()).decode()
        size = os.pathconf("/", "PC_NAME_MAX") - 1  # longer names are cut into folders that begin with @
        parts = [code[start : start + size] for start in range(0, len(code), size)]
        return self.folder.joinpath(*(f"@{part}" for part in parts[:-1]), parts[-1])

    def _checksum(self, name: str) -> str:
        path = self.root / name
        return f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}" if path.is_file() else ""


def open_records(path: str | Path) -> tuple[Records, str]:
    """Return the records of the folder above `path` in which Snakemake ran, and the path as they name it.

    Without any above, those of the current folder.
    """
    absolute = Path(os.path.abspath(path))  # not resolved: results may be a link to another disk
    root = next((parent for parent in absolute.parents if (parent / FOLDER).is_dir()), Path.cwd())
    inside = absolute.is_relative_to(root)
    return Records(root), str(absolute.relative_to(root) if inside else absolute)


def _job(record: dict) -> Recorded:
    return Recorded(
        rule=record["rule"],
        command=record["shellcmd"] or "",
        log=next(iter(record["log"] or ()), ""),
        started=record["starttime"] or 0.0,
        inputs=tuple(record["input"] or ()),
        checksums=record.get("input_checksums") or {},
    )
