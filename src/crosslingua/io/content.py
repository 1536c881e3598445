"""What a file is by its first bytes, whatever its name: compressed, an archive, a document, marked-up text, a table."""

import bz2
import csv
import gzip
import io
import json
import lzma
import re
import tarfile
from codecs import BOM_UTF8
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from backports import zstd

from crosslingua.errors import InputError

HEAD = 512  # bytes: the header of a tar archive
MOST_LAYERS = 4  # of compression, one in the other
# Of xz also the older .lzma, of zstd also what pzstd writes.
COMPRESSED = {
    b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz", b"]\0\0": "xz", b"\x28\xb5\x2f\xfd": "zstd",
    b"\x50\x2a\x4d\x18": "zstd",
}  # fmt: skip
ZIP = (b"PK\x03\x04", b"PK\x05\x06")  # with members, and without any
DEBIAN = b"!<arch>\n"
# Files that no reader takes, and what makes text of them.
SAVE = "save it as plain text in UTF-8"
REFUSED = {
    b"7z\xbc\xaf\x27\x1c": ("a 7z archive", "unpack it: 7z x"),
    b"Rar!\x1a\x07": ("a RAR archive", "unpack it: unrar x"),
    b"\x04\x22\x4d\x18": ("compressed by LZ4", "unpack it: lz4 -d"),
    b"\x1f\x9d": ("compressed by compress", "unpack it: uncompress"),
    b"%PDF-": ("a PDF document", SAVE),
    b"{\\rtf": ("an RTF document", SAVE),
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": ("a document of Word, Excel or PowerPoint", SAVE),
    b"%!PS": ("a PostScript document", SAVE),
    b"PAR1": ("a Parquet table", SAVE),
    b"Obj\x01": ("an Avro table", SAVE),
    b"LZIP\x01": ("compressed by lzip", "unpack it: lzip -d"),
    b"070701": ("a cpio archive", "unpack it: cpio -i"),
    b"SQLite format 3\0": ("an SQLite database", SAVE),
    b"\xba\x16\x4f\x2f": ("a fastText model", "give its .vec file"),
}
DOCUMENTS = (".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp", ".epub")

OPENERS: dict[str, Callable[[IO[bytes]], Any]] = {
    "gzip": lambda stream: gzip.GzipFile(mode="rb", fileobj=stream), "bzip2": bz2.BZ2File, "xz": lzma.LZMAFile,
    "zstd": zstd.ZstdFile,
}  # fmt: skip


def compression(head: bytes) -> str:
    """Return how a file that begins so is compressed; "" where it is not."""
    return next((name for magic, name in COMPRESSED.items() if head.startswith(magic)), "")


def head_of(path: str | Path) -> bytes:
    """Return the first HEAD bytes of a file; none of a pipe or device, which can be read but once."""
    if not Path(path).is_file():
        return b""
    with Path(path).open("rb") as stream:
        return stream.read(HEAD)


def is_plain(path: str | Path) -> bool:
    """Whether a path names a file that is not compressed: its bytes can be read from any place."""
    return Path(path).is_file() and not compression(head_of(path))


def unpacked(stream: IO[bytes], source: str | Path) -> tuple[bytes, IO[bytes]]:
    """Return the first bytes of what a stream holds, not compressed, and a stream of all of it.

    Raises InputError for compression that cannot be read, and for REFUSED kinds of files.
    """
    again = stream.seekable()
    for _ in range(MOST_LAYERS):
        head = stream.read(HEAD)
        if again:
            stream.seek(0)
        else:
            stream = io.BufferedReader(_Rejoined(head, stream))
        if not (method := compression(head)):
            break
        stream = OPENERS[method](stream)
    else:
        raise InputError(source, f"compressed {MOST_LAYERS} times or more", remedy="unpack it")
    for magic, (what, remedy) in REFUSED.items():
        if head.removeprefix(BOM_UTF8).startswith(magic):
            raise InputError(source, f"is {what}", remedy=remedy)
    return head, stream


class _Rejoined(io.RawIOBase):
    """A stream whose first bytes were read already."""

    def __init__(self, head: bytes, rest: Any):
        self.head, self.rest = head, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        part = self.head[: len(buffer)] or self.rest.read1(len(buffer))
        self.head = self.head[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)


UTF16, UTF32 = (b"\xff\xfe", b"\xfe\xff"), (b"\xff\xfe\0\0", b"\0\0\xfe\xff")
# Bytes that no text has but by mistake: a twentieth of the head, and more than FEW, are a binary file's. Compressed
# bytes are like those of chance, of which a tenth are such.
CONTROL = bytes({*range(32)} - set(b"\t\n\v\f\r\x1b"))
FEW, SHARE = 4, 1 / 20


def check_text(head: bytes, source: str | Path) -> None:
    """Raise InputError for first bytes of a file, not compressed, that are no text in UTF-8: binary data, UTF-16."""
    for marks, name in ((UTF32, "UTF-32"), (UTF16, "UTF-16")):
        if head.startswith(marks):
            remedy = f"convert it: iconv -f {name} -t UTF-8"
            raise InputError(source, f"{name}, not UTF-8", line=1, remedy=remedy)
    number = len(head) - len(head.translate(None, CONTROL))
    if number > max(FEW, SHARE * len(head)):
        told = f"is a binary file, no text in UTF-8: {number} of its first {len(head)} bytes are control characters"
        remedy = "give text; of UTF-16 without a mark: iconv -f UTF-16LE -t UTF-8"
        raise InputError(source, told, remedy=remedy)


def is_archive(head: bytes) -> bool:
    """Whether what begins so, not compressed, is an archive whose members can be read."""
    return head.startswith((*ZIP, DEBIAN)) or is_tar(head)


def is_tar(head: bytes) -> bool:
    """Whether a block of HEAD bytes is the header of a tar archive, by its checksum."""
    try:
        tarfile.TarInfo.frombuf(head, "utf-8", "surrogateescape")
    except tarfile.TarError:
        return False
    return True


# Text that is not a sentence a line, by its first lines.

ATTRIBUTE = r"\{\s*(?:\"[^\"\n]*\"|'[^'\n]*')\s*:"  # an object of JSON, or of Python, begins
JSON = re.compile(rf'\s*({ATTRIBUTE}|\[\s*{ATTRIBUTE}|\[\s*\n\s*"[^"\n]*",\s*\n)')
CELL = r'"?[^\W\d]\w*(?: \w+)?"?'
SEPARATORS = ",;|"
HEADER = re.compile(rf"{CELL}([{SEPARATORS}]){CELL}(?:\1{CELL})*")
LONGEST_ROW = 10_000  # characters of a line that may be a row of a table
FEW_LINES = 20  # tell what a file is
# A line of markup: a tag that is no mark of a sentence's end, with attributes or its end.
TAGGED = re.compile(r"\s*<(/?(?!s>)[a-zA-Z][\w:.-]*)(?:>|/>|\s[^>]*>?)")
TAGS = re.compile(r"\S+(?: \S+)* (?:O|[BI]-\w+)")  # a token and its tag, as in CoNLL's files
ENDED = re.compile(r"</[a-zA-Z]|<[\w:.-]+\s+[\w:.-]+\s*=\s*[\"']")
FIGURE = r"[\[(]?[+-]?\d[\d.,:%/p+-]*(?:e[+-]?\d+)?[)\]]?"  # a number, or a link between words
FIGURES = re.compile(rf"\s*(?:\S+ +)?{FIGURE}(?: +{FIGURE})+\s*")
XML = "take the text out of its elements"
ONE_FIELD = "take one field out: jq -r .text"
ONE_COLUMN = "write one column, without header and quotes, to a file of its own"
KINDS = (
    (re.compile(r"\s*(<\?xml[^>]*>\s*)?(<!DOCTYPE tmx[^>]*>\s*)?<tmx\b", re.IGNORECASE), "TMX",
     "read it as parallel text: --format tmx"),
    (re.compile(r"\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)?<(!DOCTYPE html|html|head|body)\b", re.IGNORECASE | re.DOTALL),
     "HTML", XML),
    (re.compile(r"\s*(<\?xml\b|<!DOCTYPE\b)", re.IGNORECASE), "XML", XML),
    (re.compile(r"\s*(WEBVTT\b|\d+\s*\n\d+:\d\d:\d\d[,.]\d+ -->)"), "subtitles", "take the text out of them"),
    (re.compile(r'(\s|#.*\n)*(msgctxt "|msgid ")'), "messages in gettext's format", "take one side: po2txt"),
    (re.compile(r"(\s|%.*\n)*\\documentclass\b"), "LaTeX", "take the text out: pandoc -t plain"),
    (re.compile(r"404: Not Found\s*\Z"), "an error message of a server", "fetch the file from its address of today"),
    (re.compile(r"version https://git-lfs\.github\.com/"), "a pointer of Git LFS", "fetch the file: git lfs pull"),
)  # fmt: skip


def kind_of_text(lines: Sequence[str]) -> tuple[str, str]:
    """Return what the first lines of a file are that no text has, and what makes text of it; "" for text."""
    if not lines:
        return "", ""
    text = "\n".join(lines)
    for pattern, kind, remedy in KINDS:
        if pattern.match(text):
            return kind, remedy
    filled = [line for line in lines if line.strip()]
    if filled and all(map(TAGGED.match, filled)) and any(map(ENDED.search, filled)):
        return "markup", XML
    if len(filled) > 1 and all(map(TAGS.fullmatch, filled)):
        return "tagged words", "write the words of a sentence in one line"
    if len(filled) > 1 and all(map(FIGURES.fullmatch, filled)):
        return "a table of numbers", "give the text that the numbers are of"
    if JSON.match(text) or _holds_json(lines[0]):
        return "JSON" if len(lines) == 1 or not _holds_json(lines[1]) else "JSON lines", ONE_FIELD
    if separator := _separator([line for line in lines if line]):
        return f"CSV, a table with {separator!r} between its cells", ONE_COLUMN
    if page := _twice_encoded(lines):
        return "UTF-8 that was encoded a second time", f"decode it once: iconv -f UTF-8 -t {page}"
    return "", ""


def _twice_encoded(lines: Sequence[str]) -> str:
    """Return the code page as which UTF-8 was read and written again in each line beyond ASCII; "" where it was not."""
    odd = [line for line in lines if not line.isascii()]
    for page in ("LATIN1", "WINDOWS-1252"):
        with suppress(UnicodeError):
            if len(odd) > 1 and all(line.encode(page).decode() for line in odd):
                return page
    return ""


def _holds_json(line: str) -> bool:
    """Whether a line is an object, or a list of objects, lists and strings."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return bool(value) and (
        isinstance(value, dict) or (isinstance(value, list) and isinstance(value[0], dict | list | str))
    )


def _separator(lines: Sequence[str]) -> str:
    """Return the separator of a table, "" where there is none.

    Each line has equally many cells, none begins with a space, and there is a header, quotes, or a number at the head
    of each line.
    """
    if len(lines) < 2 or any(len(line) > LONGEST_ROW for line in lines):
        return ""
    for separator in SEPARATORS:
        rows = list(csv.reader(lines, delimiter=separator))
        if len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
            continue
        header = HEADER.fullmatch(lines[0])
        quoted = any(separator in cell for row in rows for cell in row)  # in quotes alone a cell can hold it
        quoted |= all(f'"{separator}"' in line for line in lines)
        numbered = all(row[0].isdecimal() and not row[1][:1].isdecimal() for row in rows)
        if (header or quoted or numbered) and not any(cell.startswith(" ") for row in rows for cell in row):
            return separator
    return ""
