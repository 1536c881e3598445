"""Dependency trees and parts of speech in CoNLL-U: words with form, UPOS, XPOS, head and relation. Tokens are syntactic
words, unless a reader is asked for tokens as they are written. Empty nodes (`5.1`) are skipped.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from conllu.exceptions import ParseException
from conllu.parser import parse_id_value, parse_int_value

from crosslingua.errors import InputError, usable
from crosslingua.io.atomic import write_records
from crosslingua.io.conll import without_text
from crosslingua.io.decode import decoded_lines


@dataclass(frozen=True, slots=True)
class Tree:
    """A sentence of syntactic words. `heads` count from 1, 0 is the root's; `xpos` are the treebank's tags, or "_"."""

    forms: tuple[str, ...]
    upos: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]
    xpos: tuple[str, ...] = ()
    comments: dict[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        lengths = {len(self.forms), len(self.upos), len(self.heads), len(self.relations)}
        if not self.forms or len(lengths) > 1 or len(self.xpos) not in (0, len(self.forms)):
            raise ValueError(f"columns of unequal length: {sorted(lengths)}")
        wrong = head_error(self.heads)
        if wrong:
            raise ValueError(f"word {wrong[0] + 1}: {wrong[1]}")


def head_error(heads: Sequence[int]) -> tuple[int, str] | None:
    """Return (index, message) of the first word whose head is out of range or that is on a cycle, or None."""
    for index, head in enumerate(heads):
        if not 0 <= head <= len(heads):
            return index, f"head {head} is outside 0 to {len(heads)}"
    hangs = [False] * (len(heads) + 1)
    hangs[0] = True
    for index in range(len(heads)):
        path, word = [], index + 1
        while not hangs[word]:
            if word in path:
                return index, "its heads form a cycle"
            path.append(word)
            word = heads[word - 1]
        for word in path:
            hangs[word] = True
    return None


def read_conllu(path: str | Path) -> Iterator[Tree]:
    """Yield the sentences of a CoNLL-U file (compressed, or `ARCHIVE::MEMBER`, too); constant memory.

    Raises InputError with file and line on other than 10 columns, wrong word numbers, a missing UPOS or an invalid
    head. So does a file without sentences. `read_conllu_tags` reads files without trees (every head `_`).
    """
    for start, comments, words in _sentences(path):
        heads = tuple(_head(path, word) for word in words)
        wrong = head_error(heads)
        if wrong:
            raise InputError(path, f"word {wrong[0] + 1}: {wrong[1]}", line=words[wrong[0]].line)
        if 0 not in heads:
            raise InputError(path, "no word is the root", line=start)
        _, forms, _, upos, xpos, _, _, relations, _, _ = zip(*(word.columns for word in words), strict=True)
        yield Tree(forms, upos, heads, relations, xpos, comments)


def read_conllu_tags(
    path: str | Path, counts: Counter[str] | None = None, written: bool = False
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], dict[str, str]]]:
    """Yield (forms, UPOS, comments) a sentence, without reading heads. Errors as in `read_conllu`; with `counts`, wrong
    sentences are dropped as in `usable`. `written`: a contraction (`3-4`) is one token with the UPOS of its first word.
    """
    for _, comments, words in _sentences(path, counts):
        kept = [(word.written if written else word.columns[1], word.columns[3]) for word in words]
        forms, tags = zip(*(pair for pair in kept if pair[0]), strict=True)
        yield forms, tags, comments


class _Word(NamedTuple):
    """A syntactic word. `written`: the token that begins with it; "" of the other words of a contraction."""

    line: int
    columns: list[str]
    written: str


def _head(path: str | Path, word: _Word) -> int:
    try:
        head = parse_int_value(word.columns[6])
    except ParseException as error:
        raise InputError(path, f"head: {error}", line=word.line) from None
    if head is None:
        raise InputError(path, f"word {word.columns[0]} has no head", line=word.line)
    return head


_Sentence = tuple[int, dict[str, str], list[_Word]]


def _sentences(path: str | Path, counts: Counter[str] | None = None) -> Iterator[_Sentence]:
    """Yield the first line, comments and words of each sentence; `counts` as of `usable`."""

    def make(block: tuple[int, list[str]], _: Counter[str]) -> _Sentence:
        start, lines = block
        words = list(_words(path, start, lines))
        if not words:
            raise InputError(path, "a block without words", line=start)
        pairs = (line[1:].partition("=") for line in lines if line.startswith("#"))
        return start, {key.strip(): value.strip() for key, _, value in pairs}, words

    empty, spelled = True, False
    for sentence in usable(_blocks(path), make, counts, "sentences"):
        empty, spelled = False, spelled or any(word.columns[1] != "_" for word in sentence[2])
        yield sentence
    if empty:
        raise InputError(path, "no sentences", remedy="the file is empty; make or fetch it again")
    if not spelled:
        raise without_text(path)


def _blocks(path: str | Path) -> Iterator[tuple[int, list[str]]]:
    block: list[str] = []
    start = 0
    for number, line in enumerate(decoded_lines(path, records=True), 1):
        if line.strip():
            start = start if block else number
            block.append(line)
        elif block:
            yield start, block
            block = []
    if block:
        yield start, block


def _words(path: str | Path, start: int, block: list[str]) -> Iterator[_Word]:
    expected, contraction, last = 1, "", 0
    for number, line in enumerate(block, start):
        if line.startswith("#"):
            continue
        # conllu.parse would also split at two spaces, which a form may hold.
        columns = line.split("\t")
        if len(columns) != 10:
            raise InputError(path, f"{len(columns)} columns where CoNLL-U has 10", line=number)
        try:
            identifier = parse_id_value(columns[0])
        except ParseException as error:
            raise InputError(path, str(error), line=number) from None
        if not columns[1].strip():
            raise InputError(path, "empty form", line=number)
        if isinstance(identifier, tuple):
            if identifier[1] == "-":
                contraction, last = columns[1], identifier[2]
            continue
        if identifier != expected:
            raise InputError(path, f"word {columns[0]} where {expected} is expected", line=number)
        if columns[3] in ("", "_"):
            raise InputError(path, f"word {expected} has no UPOS", line=number)
        yield _Word(number, columns, contraction if expected <= last else columns[1])
        contraction = ""
        expected += 1


def write_conllu(path: str | Path, trees: Iterable[Tree]) -> int:
    """Write trees atomically in NFC, unknown columns as `_`; return how many. InputError if there is none."""
    return write_records(path, map(format_tree, trees), "sentences")


def format_tree(tree: Tree) -> str:
    """Return a tree in the file's format, with the blank line after it. ValueError on tabs and line ends."""
    xpos = tree.xpos or ("_",) * len(tree.forms)
    lines = [f"# {key} = {value}" if value else f"# {key}" for key, value in tree.comments.items()]
    columns = zip(tree.forms, tree.upos, xpos, tree.heads, tree.relations, strict=True)
    for number, (form, upos, tag, head, relation) in enumerate(columns, 1):
        cells = [str(number), form, "_", upos, tag, "_", str(head), relation, "_", "_"]
        if any(not cell.strip() or c in cell for cell in cells for c in "\t\n\r"):
            raise ValueError(f"cannot be written as CoNLL-U: {cells!r}")
        lines.append("\t".join(cells))
    return unicodedata.normalize("NFC", "\n".join(lines)) + "\n\n"
