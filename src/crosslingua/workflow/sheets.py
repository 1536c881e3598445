"""Data sheets: tab-separated tables of the data sets in use, a line a set.

    task    set          from         train                      valid   test    options
    text    en           wikipedia    enwiki.xml.bz2
    ner     en_wikiann   wikiann-en   train                      valid           language=en

`from` is a data set of the registry, or `file`. A column holds names of its files (text, dictionaries, parallel text)
or of its splits (labelled data), your own paths where `from` is `file`; a name with a space is quoted. In the names of
dictionaries {source} and {target} stand for languages. The set is named by its language (a pair `en-de`, `en-de.what`)
or as you like, with its language among the options. `*` in the name of a file stands for anything, SET/FILE is a file
of another data set. Text `from` `parts` is made of other texts, which its line names. Lines that begin with # are
comments.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crosslingua.errors import InputError
from crosslingua.io.decode import decoded_lines
from crosslingua.names import did_you_mean

COLUMNS = ("task", "set", "from", "train", "valid", "test", "options")
SPLITS = ("train", "valid", "test")
# Options of a line, by what they are.
OPTIONS: Mapping[str, type] = {
    "language": str, "member": str, "tokeniser": str, "format": str, "universal": bool, "slots_as": str, "take": int,
    "part": str, "column": int, "deduplicate": bool, "min_tokens": int, "max_tokens": int, "transform": str,
    "order_of": str, "parsed_as": str, "overlap": float,
}  # fmt: skip


@dataclass(frozen=True)
class Line:
    """A line of a sheet. `place` says where it stands, `splits` what its columns hold: names of files or splits."""

    place: str
    task: str
    name: str
    origin: str
    splits: Mapping[str, tuple[str, ...]]
    options: Mapping[str, Any]


def read_sheet(path: str | Path) -> list[Line]:
    """Read a data sheet. Raises InputError with the line of a wrong column or option, or of a set that stands twice."""
    lines: dict[tuple[str, str], Line] = {}
    for number, fields in _records(path):
        line = _line(path, number, fields)
        if (line.task, line.name) in lines:
            raise InputError(path, f"a second line for {line.task} {line.name}", line=number)
        lines[line.task, line.name] = line
    return list(lines.values())


def _records(path: str | Path) -> Iterator[tuple[int, list[str]]]:
    """Yield (number, fields) of every line but comments and the header, which must come first."""
    header = True
    for number, text in enumerate(decoded_lines(path), 1):
        if not text.strip() or text.startswith("#"):
            continue
        fields = [field.strip() for field in text.split("\t")]
        if header and tuple(fields) != COLUMNS:
            raise InputError(
                path, f"the columns must be {', '.join(COLUMNS)}, separated by tabs", line=number
            )
        if not header:
            yield number, fields + [""] * (len(COLUMNS) - len(fields))
        header = False


def _line(path: str | Path, number: int, fields: list[str]) -> Line:
    if len(fields) > len(COLUMNS):
        raise InputError(path, f"{len(fields)} columns instead of {len(COLUMNS)}", line=number)
    task, name, origin, *columns, options = fields
    if not (task and name and origin):
        raise InputError(path, "task, set and from must be given", line=number)
    try:
        splits = {
            split: tuple(shlex.split(text)) for split, text in zip(SPLITS, columns, strict=True) if text
        }
        chosen = dict(_option(text) for text in shlex.split(options))
    except ValueError as error:
        raise InputError(path, str(error), line=number) from None
    return Line(f"{path}:{number}: {task} {name}", task, name, origin, splits, chosen)


def _option(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or name not in OPTIONS:
        hint = did_you_mean(name, OPTIONS)
        raise ValueError(f"{text!r} is no option; they are name=value with {', '.join(OPTIONS)}{hint}")
    if OPTIONS[name] is bool:
        if value not in ("true", "false"):
            raise ValueError(f"{text!r} must be true or false")
        return name, value == "true"
    try:
        return name, OPTIONS[name](value)
    except ValueError:
        raise ValueError(f"{text!r} must be a number") from None
