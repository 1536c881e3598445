"""The jobs behind a file, each once. Of a job with many outputs, only the plan's lines for this output."""

import csv
import hashlib
import logging
import os
import re
import shlex
from base64 import urlsafe_b64encode
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePath
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict  # pydantic asks for it before Python 3.12

from crosslingua.errors import InputError
from crosslingua.imports import SOURCE_ROOT
from crosslingua.io.decode import CsvRecords
from crosslingua.io.json import read_json
from crosslingua.provenance import told

# Read as files: what reads in `snakemake.persistence` is private, and opening it creates folders.
FOLDER = Path(".snakemake/metadata")
COSTS = ("s", "cpu_time", "max_rss")  # seconds, seconds, MB

YEAR_9999 = 253_370_764_800  # in seconds since 1970


class Job(TypedDict):
    """What is recorded of a job, among other things; `starttime` is in seconds since 1970."""

    rule: str
    input: list[str]
    shellcmd: str | None
    log: list[str]
    starttime: Annotated[float, Field(ge=0, le=YEAR_9999)]
    input_checksums: dict[str, str]


RECORD = TypeAdapter(Job)
log = logging.getLogger(__name__)


class Records:
    """The records of `root`, a folder in which Snakemake ran; files are named as rules name them, relative to it."""

    def __init__(self, root: str | Path):
        self.root = Path(root)
        self.folder = self.root / FOLDER

    def job(self, file: str) -> Job | None:
        """Return the job that made a file, or a folder that it lies in; None if none did, or its record is damaged."""
        paths = (self._path(name) for name in (file, *map(str, PurePath(file).parents)))
        if (path := next((path for path in paths if path.is_file()), None)) is None:
            return None
        try:
            return RECORD.validate_python(read_json(path, dict), strict=True)
        except (InputError, ValidationError) as error:
            said = error.errors()[0] if isinstance(error, ValidationError) else {}
            fault = f"{path}: {'.'.join(map(str, said['loc']))}: {said['msg']}" if said else error
            log.warning("%s; the job that made %s is left out", fault, file)
            return None

    def changed(self, job: Job) -> list[str]:
        """Return the inputs that hold something else today. This is unknown for large and for missing files."""
        there = {name: self.root / name for name in job["input_checksums"] if (self.root / name).is_file()}
        found = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in there.items()}
        return [name for name, digest in found.items() if f"sha256:{digest}" != job["input_checksums"][name]]

    def cost(self, job: Job) -> dict[str, float]:
        """Return what was measured of COSTS; rules name a job's log and its benchmark alike."""
        written = PurePath(*job["log"][:1])
        path = self.root / written.with_suffix(".tsv").as_posix().replace("/logs/", "/benchmarks/")
        if not path.is_file():
            return {}
        try:
            with path.open(encoding="utf-8", newline="") as stream:
                measured = next(csv.DictReader(stream, delimiter="\t"))
            if (seconds := told(self.root / written)) is not None:
                measured["cpu_time"] = seconds
            return {name: float(measured[name]) for name in COSTS if measured[name] not in ("-", "NA")}
        except (StopIteration, KeyError, TypeError, ValueError):  # damaged
            return {}

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


REMEDY = "run the workflow again, which writes its plans"
CODE = ("scripts/", "src/", f"{SOURCE_ROOT}/")  # in a checkout, and beside an installed package
Word = tuple[str, str, str]  # column, key and value: `train`, `ner/ana` and FILE of `ner/ana=FILE`
Line = tuple[str, int]  # a plan, and the number of a line


@dataclass
class Step:
    """A job, its wanted `files`, the words of its plan's lines (`planned`), and `inputs` with their jobs' keys."""

    job: Job
    files: list[str] = field(default_factory=list)
    lines: dict[Line, list[Word]] = field(default_factory=dict)
    planned: int = 0
    inputs: dict[str, tuple | None] = field(default_factory=dict)


def chain(
    records: Records,
    file: str,
    only: Mapping[str, Collection[int]] | None = None,
    without: Collection[str] = (),
) -> dict[tuple, Step]:
    """Return the steps behind `file`, nearest first; `only` these lines of plans count, and no inputs of `without`."""
    find, read = cache(records.job), cache(lambda plan: read_lines(records.root, plan))
    steps: dict[tuple, Step] = {}
    waiting = [file]
    for wanted in waiting:  # which grows
        job = find(wanted)
        step = steps.setdefault(_key(job), Step(job)) if job else None
        if step is None or wanted in step.files:
            continue
        named, plans = plans_of(job["shellcmd"] or "", records.root)
        every = {line: words for plan in plans for line, words in read(plan).items()}
        lines = {line: _about(every[line], wanted) for line in _made(every, wanted, only or {})}
        apart = {*named, *plans, *without}
        data = [name for name in job["input"] if not name.startswith(CODE) and name not in apart]
        found = _inputs(data, _files(lines), _files(every))
        step.files.append(wanted)
        step.planned = len(every)
        step.lines |= lines
        step.inputs |= {name: _key(find(name)) for name in found}
        waiting += found
    return steps


def plans_of(command: str, root: Path) -> tuple[list[str], list[str]]:
    """Return the plans that a command names, and the files of lines that they are or, in JSON, name as `cells`."""
    named = [name for name in re.findall(r"--(?:cells|plan)[= ](\S+)", command) if (root / name).is_file()]
    lists = ([name] if not name.endswith(".json") else cells_of(root / name) for name in named)
    return named, [name for names in lists for name in names]


def cells_of(plan: Path) -> list[str]:
    """Return the files of cells that a plan in JSON names. Raises InputError for another form."""
    cells = read_json(plan, dict).get("cells", [])
    if not isinstance(cells, list) or not all(isinstance(name, str) for name in cells):
        raise InputError(plan, "cells is no list of files", remedy=REMEDY)
    return cells


def read_lines(root: Path, plan: str) -> dict[Line, list[Word]]:
    """Return the words of each line of a CSV file."""
    lines = {}
    for number, record in enumerate(CsvRecords(root / plan), start=2):
        try:
            divided = [
                (name, word.rpartition("=")) for name, text in record.items() for word in shlex.split(text)
            ]
        except ValueError as error:
            raise InputError(
                root / plan, f"no words of a shell: {error}", line=number, remedy=REMEDY
            ) from None
        lines[plan, number] = [(column, key, value) for column, (key, _, value) in divided]
    return lines


def _key(job: Job | None) -> tuple | None:
    """Return the key of a job; a job that made several files is recorded with each."""
    return (job["rule"], job["shellcmd"], *job["log"][:1]) if job else None


def _made(every: Mapping[Line, list[Word]], file: str, only: Mapping[str, Collection[int]]) -> list[Line]:
    """Return the lines that made a file; all where they do not name it."""
    if any(plan in only for plan, _ in every):
        return [(plan, number) for plan, number in every if number in only.get(plan, ())]
    makes = (line for line in every if any(_in(file, f) or _in(f, file) for f in _files({line: every[line]})))
    return list(makes) or list(every)


def _about(words: list[Word], file: str) -> list[Word]:
    """Leave out words of other tasks: fine-tuning has files by task (`ner/ana=`) and folders of outputs."""
    tasks = {key.split("/")[0] for _, key, _ in words if "/" in key}
    others = tasks - set(PurePath(file).parts) if tasks & set(PurePath(file).parts) else set()
    return [word for word in words if re.split("[/.]", word[1])[0] not in others]


def _files(lines: Mapping[Line, list[Word]]) -> set[str]:
    return {value for words in lines.values() for _, _, value in words if "/" in value}


def _in(file: str, folder: str) -> bool:
    return file == folder or file.startswith(f"{folder}/")


def _inputs(data: list[str], named: set[str], others: set[str]) -> list[str]:
    """Return the part of each input in `named`, or the whole input if `others` have no part of it."""
    found: dict[str, None] = {}
    for file in data:
        inside = sorted(name for name in named if _in(name, file))
        if inside or not any(_in(name, file) for name in others):
            found |= dict.fromkeys([file] if file in inside or not inside else inside)
    return list(found)
