"""A binary copy of a parsed vector file, so that the next reading maps memory instead of parsing text.

One file per text file and reading mode: a `.npy` matrix (numpy.load can map it by itself), then the words,
one a line, then a JSON record, then the lengths of both. One file, renamed into place, is all a concurrent
reader can see. It lies in `.vectors-cache/` beside the text file, or in `$CROSSLINGUA_CACHE` where that is
set; deleting it is always safe, and where nothing can be written there is simply no cache.

Never stale: the record holds the text file's size, times and inode and the hash of its content. A copy is
used at once when all of the former agree and the file was not touched within `RACY` seconds of the copy (file
clocks are coarse: a change in the same tick would go unseen); otherwise it is used only if the content's hash
agrees.
"""

import hashlib
import json
import logging
import os
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np

from crosslingua.io.atomic import atomic_open

log = logging.getLogger(__name__)

LARGE = 32 * 2**20  # bytes; smaller files parse about as fast as a cache is checked
RACY = 2_000_000_000  # nanoseconds; the coarsest clock of a file system in use (FAT) ticks every 2 s
VERSION = 1  # of the parser and this layout: raise it when either changes what is read
Fields = tuple[list[str], np.ndarray, int]


def through(path: Path, mode: str, parse: Callable[[], Fields]) -> Fields:
    """Return (words, matrix, duplicates) of `path` from its binary copy, else from `parse()`, which is kept.

    `mode` names the reader's options. The matrix of a copy is mapped copy-on-write: it may be changed in
    memory, the file stays as it is.
    """
    copy = _location(path, mode)
    found = _load(copy, path, mode)
    if found is not None:
        return found
    before = _stat(path)
    digest = _digest(path)
    fields = parse()
    if _stat(path) == before:  # else it changed while we read: what was parsed may be of either content
        _store(copy, fields, {"mode": mode, "version": VERSION, "stat": before, "sha": digest})
    return fields


def _location(path: Path, mode: str) -> Path:
    folder = os.environ.get("CROSSLINGUA_CACHE")
    place = Path(folder) if folder else path.resolve().parent / ".vectors-cache"
    name = hashlib.sha256(f"{path.resolve()}\0{mode}".encode()).hexdigest()[:24]
    return place / f"{path.name}.{name}.npy"


def _stat(path: Path) -> list[int]:
    stat = path.stat()
    return [stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino]


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _store(copy: Path, fields: Fields, record: dict) -> None:
    words, matrix, duplicates = fields
    blob = "\n".join(words).encode()
    note = json.dumps(record | {"words": len(words), "duplicates": duplicates}).encode()
    try:
        with atomic_open(copy, "wb") as stream:
            np.save(stream, matrix)
            stream.write(blob + note + struct.pack("<QQ", len(blob), len(note)))
    except OSError as error:
        log.info("no binary copy of the vectors is kept: %s", error)


def _load(copy: Path, path: Path, mode: str) -> Fields | None:
    """Return the copy's content if it is whole and belongs to what `path` holds now."""
    try:
        with copy.open("rb") as stream:
            stream.seek(-16, os.SEEK_END)
            words_size, note_size = struct.unpack("<QQ", stream.read(16))
            stream.seek(-16 - note_size - words_size, os.SEEK_END)
            blob, note = stream.read(words_size), json.loads(stream.read(note_size))
        if not _belongs(note, copy, path, mode):
            return None
        words = blob.decode().split("\n")
        matrix = np.load(copy, mmap_mode="c")
    except (OSError, ValueError, KeyError, TypeError, struct.error) as error:
        if not isinstance(error, FileNotFoundError):
            log.info("the binary copy %s is not usable (%s): parsing the text", copy, error)
        return None
    if len(words) != note["words"] or len(matrix) != len(words):
        return None
    return words, matrix, note["duplicates"]


def _belongs(note: dict, copy: Path, path: Path, mode: str) -> bool:
    if (note["mode"], note["version"]) != (mode, VERSION):
        return False
    stat = _stat(path)
    size, modified, changed, _ = stat
    if size != note["stat"][0]:
        return False
    quiet = copy.stat().st_mtime_ns - max(modified, changed) > RACY
    return (quiet and stat == note["stat"]) or _digest(path) == note["sha"]
