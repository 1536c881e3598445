r"""Bytes to lines of text: UTF-8, any line end, with an error at file and line, or a counted repair on request."""

import csv
import gzip
import logging
import lzma
import math
import re
import tarfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from html import unescape
from html.entities import html5
from itertools import chain, islice
from pathlib import Path
from typing import IO, AnyStr

from backports import zstd

from crosslingua.errors import ConfigError, InputError
from crosslingua.io import content
from crosslingua.io.debian import contents

log = logging.getLogger(__name__)

# `ARCHIVE::MEMBER` names a member of a zip or tar archive, or of a Debian package, wherever a path is taken.
SEPARATOR = "::"
DAMAGE = (
    EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError, zipfile.BadZipFile, tarfile.TarError,
    zstd.ZstdError,
)  # fmt: skip


@contextmanager
def open_source(source: str | Path, *, text: bool = False) -> Iterator[IO[bytes]]:
    """Open a file, a pipe or `ARCHIVE::MEMBER` for bytes, which are unpacked if they are compressed, whatever the name.

    Raises InputError where the source is missing, damaged, an archive, of a kind that holds no text, or a pipe that
    this process has read; for `text` also where its first bytes are no text in UTF-8.
    """
    archive, separator, member = str(source).partition(SEPARATOR)
    with readable(source), ExitStack() as stack:
        if separator:
            raw = stack.enter_context(_open_member(Path(archive), member))
        else:
            _first_time(Path(source))
            raw = stack.enter_context(Path(source).open("rb"))
        head, stream = content.unpacked(raw, source)
        if content.is_archive(head):
            raise _is_archive(source, can_list=not separator and raw.seekable())
        if text:
            content.check_text(head, source)
        yield stack.enter_context(stream)


def _is_archive(source: str | Path, *, can_list: bool) -> InputError:
    """Return the error of an archive where a file is wanted: a member must be named."""
    suffix = Path(source).suffix.lower()
    held = members(source) if can_list and suffix not in content.DOCUMENTS else []
    if suffix in content.DOCUMENTS or {"[Content_Types].xml", "mimetype"} & {*held}:
        return InputError(source, "is a document of an office program", remedy=content.SAVE)
    if not held:
        remedy = "unpack it into a file; of an archive in a file say FILE::MEMBER"
        return InputError(
            source, "an archive in a pipe or in another archive, or an empty one", remedy=remedy
        )
    named = next((name for name in held if not name.rpartition("/")[2].startswith((".", "_"))), held[0])
    return InputError(source, f"an archive: say {source}{SEPARATOR}{named}; it holds {_listed(held)}")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:20]) + (", …" if len(names) > 20 else "")


@contextmanager
def readable(source: str | Path) -> Iterator[None]:
    """Turn the many errors of a missing or damaged file into one InputError that names it."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(source, "no such file") from None
    except IsADirectoryError:
        raise InputError(source, "is a folder") from None
    except DAMAGE as error:
        raise InputError(
            source, f"truncated or damaged ({error or type(error).__name__})", remedy="fetch it again"
        ) from None
    except OSError as error:
        if error.errno is None:  # bz2 reports damage so
            raise InputError(source, f"truncated or damaged ({error})", remedy="fetch it again") from None
        raise


def members(archive: str | Path) -> list[str]:
    """Return the names of the files in a zip or tar archive or a Debian package, in their order."""
    with readable(archive):
        if _is_zip(archive):
            with zipfile.ZipFile(archive) as bundle:
                return [entry.filename for entry in bundle.infolist() if not entry.is_dir()]
        with _tar(archive) as bundle:
            return [entry.name for entry in bundle if entry.isfile()]


@contextmanager
def _tar(archive: str | Path) -> Iterator[tarfile.TarFile]:
    head = content.head_of(archive)
    with ExitStack() as stack:
        if Path(archive).suffix == ".deb" or head.startswith(content.DEBIAN):
            yield stack.enter_context(contents(archive))
        else:
            packed = stack.enter_context(Path(archive).open("rb"))
            head, stream = content.unpacked(packed, archive)
            if not content.is_tar(head):
                remedy = f"fetch it again; name a file that is none without {SEPARATOR}"
                raise InputError(archive, "is no archive, or truncated or damaged", remedy=remedy)
            yield stack.enter_context(tarfile.open(fileobj=stream))


def _is_zip(archive: str | Path) -> bool:
    """Whether the name or the first bytes say zip, so that a truncated zip is called a damaged zip."""
    return Path(archive).suffix == ".zip" or content.head_of(archive).startswith(content.ZIP)


@contextmanager
def _open_member(archive: Path, member: str) -> Iterator[IO[bytes]]:
    with ExitStack() as stack:
        if _is_zip(archive):
            bundle = stack.enter_context(zipfile.ZipFile(archive))
            stream = _of_zip(bundle, archive, member) if member in bundle.namelist() else None
        else:
            bundle = stack.enter_context(_tar(archive))
            entry = next((entry for entry in bundle if entry.name == member), None)
            stream = bundle.extractfile(entry) if entry is not None and entry.isfile() else None
        if stream is None:
            held = _listed(members(archive))
            raise InputError(
                archive, f"has no member {member!r}: it holds {held}", remedy="name one of these"
            )
        yield stack.enter_context(stream)


def _of_zip(bundle: zipfile.ZipFile, archive: Path, member: str) -> IO[bytes]:
    try:
        return bundle.open(member)
    except RuntimeError as error:  # encrypted, or packed by a method that Python lacks
        raise InputError(archive, f"cannot be unpacked: {error}", remedy="unpack it: 7z x") from None


REPLACEMENT = "\ufffd"
SUFFIXES = (".gz", ".bz2", ".xz", ".zst")  # of compressed files


def decoded_lines(
    source: str | Path, errors: str = "strict", counts: Counter[str] | None = None, *, records: bool = False
) -> Iterator[str]:
    r"""Yield the lines of a file, compressed file, pipe or archive member, without line ends and byte-order marks.

    Lines end as in `split_lines`, or of a file of `records` as in `split_records`, whose spaces are counted
    (`counts["replaced_spaces"]`). Invalid UTF-8 raises InputError with file and line; with `errors="replace"` each bad
    sequence becomes U+FFFD, counted in `counts["replaced_characters"]`. Pass `counts` where the user can choose.
    """
    if errors not in ("strict", "replace"):
        raise ConfigError(f"errors is {errors!r}: say strict or replace")
    with open_source(source, text=True) as stream:
        yield from decoded(_raw_lines(stream, counts, records), source, errors, counts)


def text_lines(
    source: str | Path,
    errors: str = "strict",
    counts: Counter[str] | None = None,
    *,
    records: bool = False,
    columns: bool = False,
) -> Iterator[str]:
    """Yield the lines of a text, as `decoded_lines`. Raises InputError for what is no text by its first lines: markup,
    JSON, CSV and, unless `columns`, lines with a tab each.
    """
    lines = decoded_lines(source, errors, counts, records=records)
    first = list(islice(lines, content.FEW_LINES))
    kind, remedy = content.kind_of_text(first)
    if columns and remedy == content.ONE_COLUMN:
        remedy = "write a tab in place of each separator"
    if kind:
        raise InputError(source, f"is {kind}, not plain text", line=1, remedy=remedy)
    filled = [line for line in first if line.strip() and not line.startswith("# ")]  # CoNLL-U's comments
    if not columns and len(filled) > 1 and all("\t" in line for line in filled):
        raise InputError(source, f"{COLUMNS}: {filled[0][:60]!r}", line=1, remedy=ONE_COLUMN)
    yield from chain(first, lines)


COLUMNS = "every line has a tab: these are columns, not sentences"
ONE_COLUMN = "take the column of sentences: prepare-text --column 2, or cut -f2 into a file of its own"


def tokenised_lines(
    source: str | Path,
    errors: str = "strict",
    counts: Counter[str] | None = None,
    *,
    records: bool = False,
) -> Iterator[str]:
    """Yield the lines of tokenised text, whose tokens have ASCII spaces between them. Raises InputError with the line
    of a tab. The log says how many lines hold U+3000, which divides no tokens.
    """
    wide = 0
    for number, line in enumerate(text_lines(source, errors, counts, records=records, columns=True), 1):
        if "\t" in line:
            raise InputError(source, f"a tab in a line of tokens: {line[:60]!r}", line=number, remedy=PREPARE)
        wide += WIDE_SPACE in line
        yield line
    if wide:
        log.warning(TOLD_WIDE, source, wide)


WIDE_SPACE, ZERO_WIDTH_SPACE = "\u3000", "\u200b"
TOLD_WIDE = (
    "%s: U+3000, the wide space, stands inside tokens %d times; prepare-text --tokeniser none divides them"
)
PREPARE = "take one column: cut -f2, or prepare-text --column 2; --tokeniser none makes spaces of single tabs"


ENTITY = re.compile("&(?:(?:amp|#38|#x26);)*(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")


def decode_entities(text: str, counts: Counter[str] | None = None) -> str:
    """Return text with the characters that entities of HTML stand for (`&quot;`, `&#91;`), written twice or not
    (`&amp;nbsp;`). `counts["decoded_entities"]` is their number. Names that HTML lacks stay.
    """
    if "&" not in text:
        return text

    def character(match: re.Match[str]) -> str:
        name = f"{match[1]};"
        is_known = name[0] == "#" or name in html5
        if not is_known and len(match[0]) == len(name) + 1:
            return match[0]
        if counts is not None:
            counts["decoded_entities"] += 1
        return unescape(f"&{name}") if is_known else f"&{name}"

    return ENTITY.sub(character, text)


def decoded(
    raw_lines: Iterable[bytes], source: str | Path, errors: str, counts: Counter[str] | None, first: int = 1
) -> Iterator[str]:
    """Yield the lines of `source` from line `first`, as `decoded_lines`."""
    for number, raw in enumerate(raw_lines, first):
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            if errors == "strict":
                raise _invalid(source, raw, number, error, choice=counts is not None) from None
            text = raw.decode("utf-8", "replace")
            if counts is not None:
                already = raw.count(REPLACEMENT.encode())
                counts["replaced_characters"] += text.count(REPLACEMENT) - already
        yield text.removeprefix("\ufeff").removesuffix("\n")  # a joined file has marks inside


def _raw_lines(stream: IO[bytes], counts: Counter[str] | None, records: bool) -> Iterator[bytes]:
    first, second = stream.readline(), stream.readline()
    for raw in chain(filter(None, (first, second)), stream):
        if b"\r" not in raw:
            yield raw
        elif records and second:
            line = raw.rstrip(b"\r\n")
            if counts is not None:
                counts["replaced_spaces"] += line.count(b"\r")
            yield line.replace(b"\r", b" ")
        else:
            yield from split_lines(raw)


def split_lines(text: AnyStr) -> list[AnyStr]:
    r"""Return the lines of a text without their ends: `\n`, `\r\n` or a lone `\r`, but not U+2028 and the like. Several
    `\r` before a `\n` are one end, as in a file that was converted twice.
    """
    lines = re.split(rb"\r*\n|\r" if isinstance(text, bytes) else r"\r*\n|\r", text)
    return lines if lines[-1] else lines[:-1]


def split_records(text: str) -> list[str]:
    r"""Return lines as `split_lines`. Where `\n` ends lines, a lone `\r` becomes a space: half a record is none."""
    lines = text.removesuffix("\n").split("\n")
    return [line.rstrip("\r").replace("\r", " ") for line in lines] if len(lines) > 1 else split_lines(text)


# What no word holds: control characters and separators of lines, at which fastText and others would divide it.
CONTROLS = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029]")


def tokens_of(line: str) -> list[str]:
    """Return the tokens of a line of tokenised text. Only ASCII spaces separate tokens, as in `.vec` files."""
    tokens = line.split(" ")
    return [token for token in tokens if token] if "" in tokens else tokens


def is_word(token: str) -> bool:
    """Whether a token has a letter."""
    return any(map(str.isalpha, token))


# Codes of three letters (ISO 639-2 and 639-3) of languages with special rules -> codes of two.
THREE_LETTERS = {
    "ar": "ara", "az": "aze azj", "ca": "cat", "cs": "ces cze", "de": "deu ger", "el": "ell gre", "en": "eng",
    "es": "spa", "et": "est", "fi": "fin", "fr": "fra fre", "ga": "gle", "hu": "hun", "is": "isl ice", "it": "ita",
    "ja": "jpn", "km": "khm", "ko": "kor", "lo": "lao", "lt": "lit", "lv": "lav", "my": "mya bur", "nl": "nld dut",
    "pl": "pol", "pt": "por", "ro": "ron rum", "ru": "rus", "sk": "slk slo", "sl": "slv", "sv": "swe", "ta": "tam",
    "th": "tha", "tr": "tur", "zh": "zho chi cmn yue wuu hak nan gan hsn cdo",
}  # fmt: skip
TWO_LETTERS = {long: short for short, names in THREE_LETTERS.items() for long in names.split()}


@cache
def base_language(code: str) -> str:
    """Return the language of a code without script and region, in two letters if the suite has rules for the language.
    `zh-TW`, `zh_Hant` and `yue` give `zh`, `deu` gives `de`, `hsb` gives `hsb`.
    """
    language = re.split("[-_.]", code.lower())[0]
    return TWO_LETTERS.get(language, language)


def lowercase(text: str, language: str = "") -> str:
    """Return text in lower case; in Turkish and Azeri `I` becomes dotless `ı`, and `İ` becomes `i`."""
    if base_language(language) in ("tr", "az"):
        text = text.replace("I", "ı").replace("İ", "i")
    return text.lower()


AGAIN = "make the file again"
LARGEST = 2.0**53  # of a number in a table: all whole ones up to it are exact


class CsvRecords(csv.DictReader):
    """The records of a table in UTF-8 with a header. Raises InputError with file and line."""

    def __init__(self, path: str | Path):
        super().__init__(f"{line}\n" for line in decoded_lines(path))
        self.path = path
        try:
            columns = self.fieldnames or ()
        except csv.Error as error:
            raise InputError(path, f"not CSV: {error}", line=1, remedy=AGAIN) from None
        if twice := [name for name, number in Counter(columns).items() if number > 1]:
            raise InputError(path, f"two columns are called {twice[0]!r:.40}", line=1, remedy="rename one")

    def __next__(self) -> dict[str, str]:
        try:
            record = super().__next__()
        except csv.Error as error:
            raise InputError(
                self.path, f"not CSV: {error}", line=self.reader.line_num, remedy=AGAIN
            ) from None
        if None in record or None in record.values():
            raise InputError(
                self.path, "other fields than the header has", line=self.line_num,
                remedy="give each line one field for each column",
            )  # fmt: skip
        return record

    def number(
        self, record: Mapping[str, str], name: str, kind: type[float] = float, least: float = -LARGEST
    ) -> float:
        """Return a field of the record just read, as a number from `least` to LARGEST. Raises InputError."""
        try:
            number = kind(record[name].replace("_", "-"))  # which Python would leave out
        except ValueError:
            number = math.nan
        if not least <= number <= LARGEST:
            what = "whole number" if kind is int else "number"
            limit = "" if least == -LARGEST else f" from {least}"
            raise InputError(
                self.path,
                f"{name}: {record[name]!r:.40} is no {what}{limit}",
                line=self.line_num,
                remedy=AGAIN,
            )
        return number


def once_more(source: str | Path) -> None:
    """Raise InputError for a pipe or device, whose bytes are gone when they have been read once."""
    path = Path(source)
    if path.exists() and not path.is_file() and not path.is_dir():
        raise _read_twice(source)


_pipes: set[Path] = set()  # that this process has read


def _first_time(path: Path) -> None:
    """Raise InputError for a pipe that was read: a second reading finds nothing, or waits for ever."""
    if path.is_fifo():
        if (pipe := path.resolve()) in _pipes:
            raise _read_twice(path)
        _pipes.add(pipe)


def _read_twice(source: str | Path) -> InputError:
    return InputError(source, "is a pipe, and is read twice", remedy="write what it gives into a file")


def known_lines(source: str | Path) -> int | None:
    """Return how many lines `decoded_lines` yields; None if counting is costly (compressed) or impossible (pipes)."""
    path = Path(source)
    if not content.is_plain(path):
        return None
    lines, last = 0, b"\n"
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            if b"\r" in block:
                return sum(1 for _ in decoded_lines(source, "replace"))
            lines, last = lines + block.count(b"\n"), block[-1:]
    return lines + (last != b"\n")


def _invalid(
    source: str | Path, raw: bytes, number: int, error: UnicodeDecodeError, *, choice: bool
) -> InputError:
    """Return the error of a line: the file's encoding, or the place; `choice` mentions the option to repair."""
    if number == 1 and Path(source).suffix in SUFFIXES:
        return InputError(
            source, f"damaged: not UTF-8, and not what {Path(source).suffix} says", remedy="fetch it again"
        )
    repair = ", or replace with --errors replace" if choice else ""
    return InputError(
        source, f"invalid UTF-8 ({error.reason} at byte {error.start})", line=number,
        remedy=f"convert the file to UTF-8, e.g. iconv -f LATIN1 -t UTF-8{repair}",
    )  # fmt: skip
