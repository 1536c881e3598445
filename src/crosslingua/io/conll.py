"""Tagged data: `token<TAB>label` a line, a blank line after a sentence, UTF-8 NFC. Labels are BIO2 (entities, slots) or
plain (parts of speech). Lines `# key = value` before a sentence are comments; a `#` token has a tab.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from crosslingua.errors import InputError
from crosslingua.io.atomic import write_records
from crosslingua.io.decode import decoded_lines


# BIO2 (also IOB2): `B-X` begins an entity, `I-X` continues it, `O` is outside.
class Span(NamedTuple):
    """One entity or slot: its type, its first token, and the token after its last (0-based)."""

    type: str
    start: int
    end: int


_TAG = re.compile("O|[BI]-.+", re.DOTALL)


def split_tag(tag: str) -> tuple[str, str]:
    """Return (prefix, type) of a tag: ("O", ""), ("B", "PER"). A tag of another shape raises ValueError."""
    if not _TAG.fullmatch(tag):
        raise ValueError(f"{tag!r} is no BIO2 tag: O, B-TYPE or I-TYPE")
    return tag[0], tag[2:]


def first_error(tags: Sequence[str]) -> tuple[int, str] | None:
    """Return (index, message) of the first tag that breaks BIO2, or None."""
    inside = ""
    for index, tag in enumerate(tags):
        try:
            prefix, kind = split_tag(tag)
        except ValueError as error:
            return index, str(error)
        if prefix == "I" and kind != inside:
            return index, f"{tag!r} does not follow B-{kind} or I-{kind}"
        inside = kind
    return None


def repair(tags: Sequence[str]) -> tuple[list[str], int]:
    """Turn every `I-X` that continues nothing into `B-X`, as the CoNLL scorer does; return the tags and the number of
    repairs. Raises ValueError on tags of another shape.
    """
    fixed, inside, turned = [], "", 0
    for tag in tags:
        prefix, kind = split_tag(tag)
        if prefix == "I" and kind != inside:
            tag, turned = f"B-{kind}", turned + 1
        fixed.append(tag)
        inside = kind
    return fixed, turned


def spans(tags: Sequence[str]) -> list[Span]:
    """Return the spans of valid BIO2 tags in order. Raises ValueError on tags that break the scheme."""
    wrong = first_error(tags)
    if wrong:
        raise ValueError(f"tag {wrong[0]}: {wrong[1]}")
    entities: list[Span] = []
    for index, tag in enumerate(tags):
        if tag[0] == "B":
            entities.append(Span(tag[2:], index, index + 1))
        elif tag[0] == "I":
            entities[-1] = entities[-1]._replace(end=index + 1)
    return entities


def from_spans(length: int, entities: Sequence[Span]) -> list[str]:
    """Write spans that do not overlap as `length` BIO2 tags. Raises ValueError if two overlap or one lies outside."""
    tags = ["O"] * length
    for kind, start, end in entities:
        if not 0 <= start < end <= length:
            raise ValueError(f"span {kind} {start}:{end} does not lie in {length} tokens")
        if any(tag != "O" for tag in tags[start:end]):
            raise ValueError(f"span {kind} {start}:{end} overlaps another")
        tags[start:end] = [f"B-{kind}"] + [f"I-{kind}"] * (end - start - 1)
    return tags


Scheme = Literal["bio2", "plain"]
_BREAKING = frozenset("\t\n\r\ufeff")  # would move columns or lines; a reader drops U+FEFF at a file's start


@dataclass(frozen=True, slots=True)
class TaggedSentence:
    """A sentence of at least one token, one label a token, and comments such as {"intent": "weather/find"}."""

    tokens: tuple[str, ...]
    labels: tuple[str, ...]
    comments: dict[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if not self.tokens or len(self.tokens) != len(self.labels):
            raise ValueError(f"{len(self.tokens)} tokens with {len(self.labels)} labels")


def read_conll(path: str | Path, scheme: Scheme = "bio2") -> Iterator[TaggedSentence]:
    """Yield the sentences of a two-column file (`.gz` too); constant memory.

    Raises InputError with file and line on a malformed line, tags that break BIO2, comments without a sentence, and a
    file without sentences.
    """
    empty = True
    for start, comments, rows in _blocks(path):
        empty = False
        tokens, tags = zip(*rows, strict=True)
        if scheme == "bio2":
            check_bio2(path, start, tags)
        yield TaggedSentence(tokens, tags, comments)
    if empty:
        raise InputError(path, "no sentences", remedy="the file is empty; make or fetch it again")


def _blocks(path: str | Path) -> Iterator[tuple[int, dict[str, str], list[tuple[str, str]]]]:
    """Yield the first token's line, comments and (token, label) pairs of each sentence."""
    comments: dict[str, str] = {}
    rows: list[tuple[str, str]] = []
    start = number = 0
    for number, line in enumerate(decoded_lines(path), 1):
        if not line.strip():
            if rows:
                yield start, comments, rows
                comments, rows = {}, []
        elif not rows and line.startswith("#") and "\t" not in line:
            key, _, value = line[1:].partition("=")
            comments[key.strip()] = value.strip()
        else:
            start = start if rows else number
            rows.append(_row(path, number, line))
    if rows:
        yield start, comments, rows
    elif comments:
        raise InputError(path, "comments without a sentence after them", line=number)


def _row(path: str | Path, number: int, line: str) -> tuple[str, str]:
    token, tab, label = line.partition("\t")
    if not tab or "\t" in label:
        columns = line.count("\t") + 1
        told = f"{columns} columns where token<TAB>label is expected: {line!r}"
        raise InputError(path, told, line=number, remedy="write a token, a tab and its label a line")
    if not token.strip() or not label.strip():
        raise InputError(path, f"empty {'label' if token.strip() else 'token'}: {line!r}", line=number)
    return token, label.strip()


def check_bio2(
    path: str | Path, start: int, tags: Iterable[str], repairs: Counter[str] | None = None
) -> list[str]:
    """Return the tags of a sentence that starts at line `start`, checked.

    `repairs` counts `I-X` without a `B-X` before (`i_without_b`), which becomes `B-X`; else that is an error.
    """
    tags = list(tags)
    wrong = first_error(tags)
    if wrong and repairs is not None and tags[wrong[0]].startswith("I-"):
        try:
            tags, count = repair(tags)
        except ValueError:
            wrong = next(
                (i, f"{tag!r} is no BIO2 tag") for i, tag in enumerate(tags) if not _TAG.fullmatch(tag)
            )
        else:
            repairs["i_without_b"] += count
            return tags
    if wrong:
        raise InputError(path, wrong[1], line=start + wrong[0], remedy="tags must be BIO2")
    return tags


def without_text(path: str | Path) -> InputError:
    """Return the error of a file whose every word is `_`."""
    return InputError(
        path, "every word is `_`: the file comes without its text",
        remedy="merge the text into it with the program that its publisher gives",
    )  # fmt: skip


def write_conll(path: str | Path, sentences: Iterable[TaggedSentence]) -> int:
    """Write sentences in NFC; return how many. ValueError on tabs, line ends and empty tokens, InputError on none."""
    return write_records(path, map(format_sentence, sentences), "sentences")


def format_sentence(sentence: TaggedSentence) -> str:
    """Return a sentence in the file's format, with the blank line after it."""
    for token, label in zip(sentence.tokens, sentence.labels, strict=True):
        if not token.strip() or not label.strip() or not _BREAKING.isdisjoint(token + label):
            raise ValueError(f"cannot be written in two columns: {token!r} {label!r}")
    lines = [f"# {key} = {value}" for key, value in sentence.comments.items()]
    if any("=" in key for key in sentence.comments) or any(not _BREAKING.isdisjoint(line) for line in lines):
        raise ValueError(f"cannot be written as comments: {sentence.comments!r}")
    lines += map("\t".join, zip(sentence.tokens, sentence.labels, strict=True))
    return unicodedata.normalize("NFC", "\n".join(lines)) + "\n\n"
