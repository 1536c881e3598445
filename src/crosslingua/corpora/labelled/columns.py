"""Read any format with one token a line and one of its columns the label (the CoNLL family)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from crosslingua.corpora.labelled.cleaning import clean_token
from crosslingua.corpora.labelled.source import Source
from crosslingua.errors import InputError
from crosslingua.io import bio2
from crosslingua.io.conll import TaggedSentence, check_bio2
from crosslingua.tasks.kinds import kind_of

DOCUMENT = "-DOCSTART-"
RelabelType = Callable[[str], str | None]  # an entity type -> its new type, or None to make it O


@dataclass(frozen=True)
class ColumnFormat:
    """Which columns of how many hold what; columns count from 0.

    `separator`: "\\t", or None for runs of spaces and tabs. `scheme`: how the label column marks entities.
    `comment`: how lines begin that hold no token. `prefix`: tokens begin with `<language>:`. `outside`: how O
    is spelled. `relabel`: renames entity types (KeyError: unknown type).
    """

    token: int
    columns: tuple[int, ...]
    ner: int | None = None
    pos: int | None = None
    slots: int | None = None
    separator: str | None = "\t"
    scheme: str = "bio2"
    comment: str | None = None
    prefix: bool = False
    outside: str = "O"
    encodings: tuple[str, ...] = ("utf-8",)
    relabel: RelabelType | None = None


def read_columns(
    source: Source, layout: ColumnFormat, task: str, language: str, counts: Counter[str]
) -> Iterator[TaggedSentence]:
    """Yield the sentences with the labels of `task` (`ner`, `pos` or `slots`).

    Counted in `counts`: `document_marks` (`-DOCSTART-` tokens, dropped), `invisible_tokens` (nothing but
    zero-width characters, dropped), `empty_sentences` (nothing left, dropped), `i_without_b` (made `B-`).

    Raises InputError with file and line on another number of columns, a label that is none, an unknown type.
    """
    column = getattr(layout, task, None)
    if column is None:
        raise InputError(source, f"this format has no column for {task}")
    for comments, rows in _blocks(source, layout):
        kept = [_cells(source, number, cells, layout, column, language) for number, cells in rows]
        tokens = [(number, token, label) for number, token, label in kept if token not in ("", DOCUMENT)]
        counts["document_marks"] += sum(token == DOCUMENT for _, token, _ in kept)
        counts["invisible_tokens"] += sum(token == "" for _, token, _ in kept)
        if not tokens:
            counts["empty_sentences"] += all(token != DOCUMENT for _, token, _ in kept)
            continue
        labels = [label for _, _, label in tokens]
        if kind_of(task).scheme == "bio2":
            labels = _entities(source, tokens[0][0], labels, layout, counts)
        yield TaggedSentence(tuple(token for _, token, _ in tokens), tuple(labels), comments)


Rows = list[tuple[int, list[str]]]


def _blocks(source: Source, layout: ColumnFormat) -> Iterator[tuple[dict[str, str], Rows]]:
    comments: dict[str, str] = {}
    rows: Rows = []
    split = re.compile(r"[ \t]+").split
    for number, line in source.lines():
        if not line.strip(" \t"):
            if rows:
                yield comments, rows
                comments, rows = {}, []
        elif layout.comment and line.startswith(layout.comment) and not rows:
            key, equals, value = line.removeprefix(layout.comment).partition(" = ")
            if equals and "\t" not in line:
                comments[key.strip()] = clean_token(value)
        else:
            cells = split(line.strip(" \t")) if layout.separator is None else line.split(layout.separator)
            rows.append((number, cells))
    if rows:
        yield comments, rows


def _cells(
    source: Source, number: int, cells: list[str], layout: ColumnFormat, column: int, language: str
) -> tuple[int, str, str]:
    if len(cells) not in layout.columns:
        expected = " or ".join(map(str, layout.columns))
        raise InputError(source, f"{len(cells)} columns where {expected} are expected", line=number)
    token, label = cells[layout.token], cells[column].strip()
    if layout.prefix:
        if not token.startswith(f"{language}:"):
            raise InputError(source, f"{token!r} does not begin with {language + ':'!r}", line=number)
        token = token[len(language) + 1 :]
    if not label:
        raise InputError(source, "empty label", line=number)
    return number, clean_token(token), "O" if label == layout.outside else label


def _entities(
    source: Source, first: int, labels: list[str], layout: ColumnFormat, counts: Counter[str]
) -> list[str]:
    if layout.scheme == "iob1":  # I- without B- is the rule there, no repair
        check_bio2(source, first, labels, Counter())
        labels = bio2.from_iob1(labels)
    else:
        labels = check_bio2(source, first, labels, counts)
    if layout.relabel is None:
        return labels
    spans = []
    for span in bio2.spans(labels):
        try:
            kind = layout.relabel(span.type)
        except KeyError:
            raise InputError(source, f"unknown entity type {span.type!r}", line=first + span.start) from None
        if kind is not None:
            spans.append(span._replace(type=kind))
    return bio2.from_spans(len(labels), spans)
