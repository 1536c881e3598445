"""The table of data sets (`registry.yaml`): load it strictly, check it, look rows up.

A row says where the files come from, their SHA-256, licence and citation, the label scheme and index
base, and which paper uses it. Nothing else in the suite holds a URL.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, Self

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.json import key_lines, read_yaml


def read_rows(path: str | Path, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rows of a table in YAML. InputError, with line and key, for the first thing that a schema does not
    allow.
    """
    from jsonschema import Draft202012Validator  # 0.1 s to import: only who loads a table pays

    rows = read_yaml(path)
    errors = Draft202012Validator(schema).iter_errors(rows)
    for error in sorted(errors, key=lambda error: list(map(str, error.absolute_path))):
        place = tuple(map(str, error.absolute_path))
        key = ".".join(place) or "the whole file"
        raise InputError(path, f"{key}: {error.message}", line=key_lines(path).get(place))
    return rows


REGISTRY = Path(__file__).with_name("registry.yaml")
SCHEMA = Path(__file__).with_name("registry.schema.json")
# Uses of data, beside the kinds of task.
USES = ("text", "bitext", "retrieval", "dictionary", "alignment", "translation", "tagset", "encoder")


@dataclass(frozen=True)
class SacrebleuSource:
    """One side of a test set that the sacrebleu library distributes; `side` is `src` or `ref`."""

    test_set: str
    pair: str
    side: str


PACKAGE = "pypi:"  # begins the name of an encoder in a package


@dataclass(frozen=True)
class PackageSource:
    """A file inside a Python package: `requirement` is `name==version`, `path` the place in the package's wheel."""

    requirement: str
    path: str

    @classmethod
    def of(cls, text: str) -> Self:
        """Read `name==version::path`. Raises ConfigError for another form."""
        requirement, _, path = text.partition("::")
        if not re.fullmatch(r"[\w.-]+==[\w.]+", requirement) or not path:
            raise ConfigError(
                f"{text!r} names no file of a package: write name==version::path/in/the/package"
            )
        return cls(requirement, path)

    def __str__(self) -> str:
        return f"{self.requirement}::{self.path}"


@dataclass(frozen=True)
class DataFile:
    """One file of a data set as it is distributed.

    `sha256` is None where none is known; `size` is in bytes; `members` maps names to paths in an archive.
    """

    name: str
    urls: tuple[str, ...]
    sha256: str | None
    size: int | None
    members: Mapping[str, str]
    sacrebleu: SacrebleuSource | None
    package: PackageSource | None = None


@dataclass(frozen=True)
class DataSet:
    """One row of the table. `user_supplied` is None, or says where to get data that may not be downloaded;
    `paragraphs` is true where a line of text holds several sentences. `beside` is the file that the reader needs beside
    each of the others.
    """

    name: str
    title: str
    tasks: tuple[str, ...]
    languages: tuple[str, ...]
    format: str
    licence: str
    citation: str
    homepage: str
    label_scheme: str | None
    index_base: int | None
    used_by: tuple[str, ...]
    stands_in_for: str | None
    note: str | None
    user_supplied: str | None
    files: Mapping[str, DataFile]
    paragraphs: bool | None = None
    beside: str | None = None

    def file(self, name: str) -> DataFile:
        """Return the file called `name`; ConfigError lists the files there are."""
        if name not in self.files:
            raise ConfigError(f"data set {self.name!r} has no file {name!r}: it has {', '.join(self.files)}")
        return self.files[name]


def load_registry(path: str | Path = REGISTRY) -> dict[str, DataSet]:
    """Read and check a registry file; InputError names the file, the line and the key that is wrong."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    # By name: whoever imports this for a checksum, pre-training too, need not run again for another kind of task.
    schema["$defs"]["task"]["enum"] = [*USES, *import_module("crosslingua.tasks.kinds").KINDS]
    rows, registry = read_rows(path, schema), {}
    for name, row in rows.items():
        files = {file: _file(file, entry, row.get("base")) for file, entry in row["files"].items()}
        lists = {key: tuple(row[key]) for key in ("tasks", "languages", "used_by")}
        made = {"name": name, "files": files} | lists
        registry[name] = DataSet(**{field.name: row.get(field.name) for field in fields(DataSet)} | made)
    for dataset in registry.values():
        for file in dataset.files.values():
            if not (file.urls or file.sacrebleu or file.package or dataset.user_supplied):
                raise InputError(
                    path,
                    f"{dataset.name}: file {file.name} has no source",
                    line=key_lines(path)[dataset.name, "files", file.name],
                    remedy="give base or urls, or say under user_supplied where to get it",
                )
    return registry


_own_registry = lru_cache(maxsize=1)(load_registry)


def dataset(name: str, registry: Mapping[str, DataSet] | None = None) -> DataSet:
    """Return the row called `name` of the suite's own registry (or of `registry`)."""
    registry = _own_registry() if registry is None else registry
    if name not in registry:
        raise ConfigError(f"unknown data set {name!r}: the registry holds {', '.join(sorted(registry))}")
    return registry[name]


def packaged(source: PackageSource) -> tuple[DataSet, str]:
    """Return the data set and the name of the file that comes from `source`. Raises ConfigError if there is none."""
    every = {
        str(file.package): (row, name)
        for row in _own_registry().values()
        for name, file in row.files.items()
        if file.package
    }
    if str(source) not in every:
        known = ", ".join(every)
        raise ConfigError(f"the registry has no checksum of {source}: it has {known} (registry.yaml)")
    return every[str(source)]


def _file(name: str, entry: Mapping[str, Any], base: str | None) -> DataFile:
    sacrebleu = entry.get("sacrebleu")
    urls = tuple(entry.get("urls", ()))
    package = entry.get("package")
    if not urls and base and not sacrebleu and not package:
        urls = (f"{base}/{entry.get('path', name)}",)
    members = dict(entry.get("members", {}))
    side = SacrebleuSource(**sacrebleu) if sacrebleu else None
    packaged = PackageSource.of(package) if package else None
    return DataFile(name, urls, entry["sha256"], entry.get("size"), members, side, packaged)


COLUMNS = (
    "data set", "what it is", "tasks", "languages", "format", "licence", "used by", "files", "checked by",
)  # fmt: skip


def markdown_table(registry: Mapping[str, DataSet]) -> str:
    """Return one row a data set, in the registry's order."""
    rows = [COLUMNS, ("---",) * len(COLUMNS)]
    for row in registry.values():
        hashed = sum(file.sha256 is not None for file in row.files.values())
        ways = {
            f"SHA-256 ({hashed})": hashed,
            f"first fetch ({len(row.files) - hashed})": len(row.files) - hashed,
            "you bring it": row.user_supplied,
        }
        rows.append((
            f"[{row.name}]({row.homepage})", row.title.replace("|", "\\|"), ", ".join(row.tasks),
            " ".join(row.languages), f"`{row.format}`", row.licence.replace("|", "\\|"), ", ".join(row.used_by),
            str(len(row.files)), ", ".join(way for way, holds in ways.items() if holds),
        ))  # fmt: skip
    return "\n".join("| " + " | ".join(row) + " |" for row in rows) + "\n"


# A data set of a scale as files, and where it comes from: what the workflow plans and the data card describes.


@dataclass(frozen=True)
class FileSet:
    """One data set of a scale, paths relative to `results/<scale>/corpora/`.

    `split` is "" for a set without splits. `files` are in the order of the contract (two texts and their links).
    `report` is the reader's report. `origin` is `from` or `derived_from`; `inputs` are (data set, file) pairs.
    """

    task: str
    name: str
    split: str
    languages: tuple[str, ...]
    files: tuple[str, ...]
    report: str | None
    origin: Mapping[str, Any]
    inputs: tuple[tuple[str, str], ...] = ()
