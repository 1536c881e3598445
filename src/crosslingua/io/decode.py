r"""Bytes to lines of text: UTF-8, `\n` or `\r\n`, with an error at file and line, or a counted repair on request."""

import bz2
import csv
import gzip
import lzma
import re
import shutil
import stat
import tarfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.atomic import atomic_folder

# `ARCHIVE::MEMBER` names a member of a zip or tar archive wherever a path is taken.
SEPARATOR = "::"
OPENERS = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
DAMAGE = (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError, zipfile.BadZipFile, tarfile.TarError)


@contextmanager
def open_source(source: str | Path) -> Iterator[IO[bytes]]:
    """Open a file, a compressed file (`.gz`, `.bz2`, `.xz`) or `ARCHIVE::MEMBER` for reading bytes. InputError if it is
    missing, or turns out truncated or damaged.
    """
    archive, separator, member = str(source).partition(SEPARATOR)
    with readable(source):
        if separator:
            with _open_member(Path(archive), member) as stream:
                yield stream
        else:
            with OPENERS.get(Path(source).suffix, open)(source, "rb") as stream:
                yield stream


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
    """Return the names of the files in a zip or tar archive, in their order."""
    with readable(archive):
        if _is_zip(archive):
            with zipfile.ZipFile(archive) as bundle:
                return [entry.filename for entry in bundle.infolist() if not entry.is_dir()]
        with tarfile.open(archive) as bundle:
            return [entry.name for entry in bundle if entry.isfile()]


def unpack(archive: str | Path, folder: str | Path) -> Path:
    """Unpack a zip or tar archive into `folder`, which is replaced at the end. Raises InputError, and writes nothing,
    for links, devices, absolute paths and paths with `..`, which could leave the folder.
    """
    with readable(archive), atomic_folder(folder) as temporary:
        if _is_zip(archive):
            with zipfile.ZipFile(archive) as bundle:
                for entry in bundle.infolist():
                    _refuse_if_unsafe(archive, entry.filename, _zip_kind(entry))
                for entry in bundle.infolist():
                    if not entry.is_dir():
                        with bundle.open(entry) as stream:
                            _write(stream, temporary / entry.filename)
        else:
            with tarfile.open(archive) as bundle:
                entries = bundle.getmembers()
                for entry in entries:
                    _refuse_if_unsafe(archive, entry.name, _tar_kind(entry))
                for entry in entries:
                    if entry.isfile():
                        _write(bundle.extractfile(entry), temporary / entry.name)
    return Path(folder)


def _is_zip(archive: str | Path) -> bool:
    """Whether the name says zip, so that a truncated zip is called a damaged zip."""
    return Path(archive).suffix == ".zip"


@contextmanager
def _open_member(archive: Path, member: str) -> Iterator[IO[bytes]]:
    if _is_zip(archive):
        with zipfile.ZipFile(archive) as bundle:
            if member not in bundle.namelist():
                raise _no_member(archive, member)
            with bundle.open(member) as stream:
                yield stream
    else:
        with tarfile.open(archive) as bundle:
            entry = next((entry for entry in bundle if entry.name == member), None)
            stream = bundle.extractfile(entry) if entry is not None and entry.isfile() else None
            if stream is None:
                raise _no_member(archive, member)
            with stream:
                yield stream


def _no_member(archive: Path, member: str) -> InputError:
    names = members(archive)
    shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
    return InputError(archive, f"has no member {member!r}: it holds {shown}")


def _zip_kind(entry: zipfile.ZipInfo) -> str | None:
    mode = entry.external_attr >> 16
    return "a link" if stat.S_ISLNK(mode) else None


def _tar_kind(entry: tarfile.TarInfo) -> str | None:
    if entry.issym() or entry.islnk():
        return "a link"
    return None if entry.isfile() or entry.isdir() else "a device"


def _refuse_if_unsafe(archive: str | Path, name: str, kind: str | None) -> None:
    path = PurePosixPath(name.replace("\\", "/"))
    if kind is None and (path.is_absolute() or ".." in path.parts or re.match("[A-Za-z]:", name)):
        kind = "outside the folder"
    if kind:
        raise InputError(
            archive, f"member {name!r} is {kind}: not unpacked", remedy="do not trust this archive"
        )


def _write(stream: IO[bytes] | None, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as out:
        shutil.copyfileobj(stream, out)


REPLACEMENT = "\ufffd"
UTF16 = (b"\xff\xfe", b"\xfe\xff")
COMPRESSED = {
    b"\x1f\x8b": ".gz",
    b"BZh": ".bz2",
    b"\xfd7zXZ": ".xz",
}  # how files begin whose names should end so


def decoded_lines(
    source: str | Path, errors: str = "strict", counts: Counter[str] | None = None
) -> Iterator[str]:
    r"""Yield the lines of a file, compressed file or archive member, without line ends and byte-order mark.

    Only `\n` and `\r\n` end a line, not U+2028 and the like, so parallel files stay parallel. Invalid UTF-8 raises
    InputError with file and line; with `errors="replace"` each bad sequence becomes U+FFFD, counted in
    `counts["replaced_characters"]`. Pass `counts` where the user can choose.
    """
    if errors not in ("strict", "replace"):
        raise ConfigError(f"errors is {errors!r}: say strict or replace")
    with open_source(source) as stream:
        for number, raw in enumerate(stream, 1):
            try:
                text = raw.decode("utf-8")
            except UnicodeDecodeError as error:
                if errors == "strict":
                    raise _invalid(source, raw, number, error, choice=counts is not None) from None
                text = raw.decode("utf-8", "replace")
                if counts is not None:
                    own = raw.count(REPLACEMENT.encode())
                    counts["replaced_characters"] += text.count(REPLACEMENT) - own
            if number == 1:
                text = text.removeprefix("\ufeff")
            yield text.removesuffix("\n").removesuffix("\r")


class CsvRecords(csv.DictReader):
    """The records of a table in UTF-8 with a header. Raises InputError with file and line."""

    def __init__(self, path: str | Path, delimiter: str = ","):
        super().__init__((f"{line}\n" for line in decoded_lines(path)), delimiter=delimiter)
        self.path = path

    def __next__(self) -> dict[str, str]:
        try:
            record = super().__next__()
        except csv.Error as error:
            raise InputError(self.path, f"not CSV: {error}", line=self.line_num) from None
        if None in record or None in record.values():
            raise InputError(self.path, "other fields than the header has", line=self.line_num)
        return record


def known_lines(source: str | Path) -> int | None:
    """Return how many lines `decoded_lines` yields; None if counting is costly (compressed) or impossible (pipes)."""
    path = Path(source)
    if SEPARATOR in str(source) or path.suffix in OPENERS or not path.is_file():
        return None
    lines, last = 0, b"\n"
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            lines, last = lines + block.count(b"\n"), block[-1:]
    return lines + (last != b"\n")


def _invalid(
    source: str | Path, raw: bytes, number: int, error: UnicodeDecodeError, *, choice: bool
) -> InputError:
    """Return the error of a line: the file's encoding, or the place; `choice` mentions the option to repair."""
    if number == 1 and raw.startswith(UTF16):
        return InputError(source, "UTF-16, not UTF-8", line=1, remedy="convert it: iconv -f UTF-16 -t UTF-8")
    for magic, suffix in COMPRESSED.items():
        if number == 1 and raw.startswith(magic):
            return InputError(
                source, f"compressed, though its name does not end in {suffix}", line=1,
                remedy=f"call it {Path(source).name}{suffix}",
            )  # fmt: skip
    repair = ", or replace with --errors replace" if choice else ""
    return InputError(
        source, f"invalid UTF-8 ({error.reason} at byte {error.start})", line=number,
        remedy=f"convert the file to UTF-8, e.g. iconv -f LATIN1 -t UTF-8{repair}",
    )  # fmt: skip
