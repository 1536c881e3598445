"""Word vectors in fastText's `.vec` text format: a header `n d`, then `word v1 ... vd` a line; compressed or not, or
alone in a zip archive, whatever the name.

Only ASCII spaces separate fields (a trailing one is accepted), so a word may hold U+00A0. Python parses small
files, pandas large ones, to the same bits. Where pandas fails, Python finds the wrong line.
"""

import csv
import gzip
import logging
from codecs import BOM_UTF8
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import IO, Self

import numpy as np

from crosslingua.errors import ConfigError, InputError
from crosslingua.io import content
from crosslingua.io.atomic import atomic_open
from crosslingua.io.decode import CONTROLS, SEPARATOR, members, open_source

log = logging.getLogger(__name__)

LARGE = 16 * 2**20  # bytes, compressed or not: below, importing pandas costs more than it saves
BLOCK = 16384  # rows parsed at a time
REMEDY = (
    "expected fastText's text format: a header `n d`, then a word and d numbers a line, one space between"
)
Rows = tuple[list[str], np.ndarray]  # words, and their (n, d) float32 matrix


@dataclass
class WordVectors:
    """Words, most frequent first, and their vectors: row i of `matrix` (n, d) float32 belongs to `words[i]`.
    `duplicates` counts rows of the file that repeat a word. Raises ConfigError unless each word has a row of numbers.
    """

    words: list[str]
    matrix: np.ndarray
    duplicates: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.matrix, np.ndarray) or self.matrix.dtype.kind not in "fiu":
            raise ConfigError(
                f"matrix: {self.matrix!r:.60} is no array of numbers: np.array(..., np.float32)"
            )
        if self.matrix.ndim != 2 or len(self.words) != len(self.matrix):
            raise ConfigError(f"{len(self.words)} words cannot name the rows of a {self.matrix.shape} matrix")

    @cached_property
    def index(self) -> dict[str, int]:
        """Word -> row."""
        return {word: row for row, word in enumerate(self.words)}

    @property
    def dimension(self) -> int:
        """Columns of the matrix."""
        return self.matrix.shape[1]

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.index

    def __getitem__(self, word: str) -> np.ndarray:
        return self.matrix[self.index[word]]

    def select(self, rows: Sequence[int] | np.ndarray) -> Self:
        """Return the words and vectors of `rows`, in that order."""
        return WordVectors([self.words[row] for row in rows], self.matrix[rows])


def read_vectors(
    path: str | Path, max_vocabulary: int | None = None, *, drop_zero: bool = False
) -> WordVectors:
    """Read a `.vec` file, compressed or not, a `.vec.zip` with one member, or a pipe: all of it, or its first
    `max_vocabulary` rows (counted before anything is left out).

    Each number becomes `float32(float(text))`, to the bit. Of a repeated word the first row stays (`duplicates`). A
    zero vector is an error unless `drop_zero` leaves it out. Raises InputError with file and line for a wrong header or
    number of rows or columns, invalid UTF-8, and values that are not finite numbers.
    """
    path = _vectors_in(Path(path))
    if max_vocabulary is not None and max_vocabulary < 1:
        raise InputError(path, f"max_vocabulary is {max_vocabulary}", remedy="ask for at least one word")
    if not _file(path).exists():
        raise InputError(path, "no such file", remedy="give a word-vector file in .vec text format")
    words, matrix = _parse(path, max_vocabulary)
    # The sum is not finite if a value is not, but it may also overflow, so the rows decide.
    with np.errstate(over="ignore", invalid="ignore"):
        suspicious = np.flatnonzero(~np.isfinite(matrix.sum(axis=1)))
    for row in suspicious.tolist():
        if not np.isfinite(matrix[row]).all():
            message = f"the vector of {words[row]!r} holds a value that is not finite"
            remedy = "the training that wrote it diverged: lower its learning rate"
            raise InputError(path, message, line=row + 2, remedy=remedy)
    return _usable(path, words, matrix, drop_zero)


def write_vectors(path: str | Path, vectors: WordVectors) -> None:
    """Write `vectors` as `.vec`, atomically; compressed where the name ends in `.gz`. Nine digits restore the bits of
    float32. Raises InputError for words that are empty or hold a space or control character, and for non-finite values.
    """
    for row, word in enumerate(vectors.words):
        if not word or " " in word or CONTROLS.search(word):
            wrong = "cannot be written: it is empty or holds a space or control character"
            raise InputError(path, f"word {word!r} (row {row}) {wrong}")
    if not np.isfinite(vectors.matrix).all():
        row = int(np.flatnonzero(~np.isfinite(vectors.matrix).all(axis=1))[0])
        raise InputError(path, f"the vector of {vectors.words[row]!r} is not finite and will not be written")
    with ExitStack() as stack:
        stream = stack.enter_context(atomic_open(path, "wb"))
        if Path(path).suffix == ".gz":  # without a name and a time in it: equal vectors give equal bytes
            stream = stack.enter_context(gzip.GzipFile("", "wb", compresslevel=6, fileobj=stream, mtime=0))
        stream.write(f"{len(vectors)} {vectors.dimension}\n".encode())
        line = "%s" + " %.9g" * vectors.dimension + "\n"
        rows = zip(vectors.words, np.asarray(vectors.matrix, dtype=np.float32), strict=True)
        stream.writelines((line % (word, *row.tolist())).encode() for word, row in rows)


def _parse(path: Path, max_rows: int | None) -> Rows:
    """Return the first `max_rows` rows (None: all). Raises InputError for an invalid file."""
    with open_source(path) as stream:
        rows, columns = _header(path, stream.readline())
        wanted = rows if max_rows is None else min(rows, max_rows)
        if _file(path).is_file() and _file(path).stat().st_size >= LARGE:
            try:
                return _parse_quickly(stream, wanted, columns, limited=wanted < rows)
            except (ValueError, MemoryError):  # a header that promises too much for the memory, too
                stream.seek(0)
                stream.readline()
        words, matrix = _parse_by_line(path, islice(stream, wanted), columns)
        promised = f"the header promises {rows} rows, the file has"
        if len(words) < wanted:
            remedy = "the file is cut short, or its header is wrong"
            raise InputError(path, f"{promised} {len(words)}", remedy=remedy)
        if wanted == rows and stream.readline().strip():
            remedy = "correct the header, or read fewer rows with max_vocabulary"
            raise InputError(path, f"{promised} more", line=rows + 2, remedy=remedy)
    return words, matrix


def _vectors_in(path: Path) -> Path:
    """Return the path of vectors: the only member of a zip archive, else the path."""
    if not content.head_of(path).startswith(content.ZIP):
        return path
    held = [name for name in members(path) if not name.startswith("__MACOSX/")]
    return Path(f"{path}{SEPARATOR}{held[0]}") if len(held) == 1 else path


def _file(path: Path) -> Path:
    return Path(str(path).partition(SEPARATOR)[0])


def _header(path: Path, line: bytes) -> tuple[int, int]:
    parts = line.removeprefix(BOM_UTF8).split()
    if len(parts) != 2 or not all(part.isdigit() for part in parts):
        shown = line[:60].decode("utf-8", "replace").rstrip("\n")
        raise InputError(path, f"wrong header {shown!r}", line=1, remedy=REMEDY)
    rows, columns = (int(part) for part in parts)
    if not rows or not columns:
        raise InputError(path, f"the header promises {rows} rows of {columns} numbers", line=1, remedy=REMEDY)
    return rows, columns


def _parse_quickly(stream: IO[bytes], wanted: int, columns: int, limited: bool) -> Rows:
    """Parse by pandas. Raises ValueError unless there are `wanted` valid rows."""
    import pandas as pd

    words, matrix = [], np.empty((wanted, columns), dtype=np.float32)
    width = columns + 1 + stream.readline().rstrip(b"\r\n").endswith(b" ")
    stream.seek(0)  # pandas drops a byte-order mark where it begins, so it begins with the header
    types = {column: np.float32 if 0 < column <= columns else object for column in range(width)}
    with pd.read_csv(
        stream, sep=" ", header=None, skiprows=1, nrows=wanted if limited else None, dtype=types,
        lineterminator="\n", quoting=csv.QUOTE_NONE, na_filter=False, skip_blank_lines=False, chunksize=BLOCK,
    ) as frames:  # fmt: skip
        for frame in frames:
            block, rest = frame.loc[:, 1:columns].to_numpy(), frame.loc[:, columns + 1 :]
            plain = frame.shape[1] == width and rest.isin(["", "\r"]).to_numpy().all()
            if not plain or _may_be_truth_values(block):
                raise ValueError("not plainly a word and numbers")
            matrix[len(words) : len(words) + len(frame)] = block
            words += frame[0].tolist()
    if len(words) != wanted or "" in words:
        raise ValueError("other rows than the header promises, or no word")
    return words, matrix


def _may_be_truth_values(block: np.ndarray) -> bool:
    """Whether a column holds only 0 and 1, as pandas also reads `False` and `True`."""
    columns = np.isin(block[0], (0, 1))
    return bool(columns.any() and np.isin(block[:, columns], (0, 1)).all(axis=0).any())


def _parse_by_line(path: Path, lines: Iterable[bytes], columns: int) -> Rows:
    """Parse in Python. Raises InputError for the first wrong line."""
    words, rows = [], []
    for number, line in enumerate(lines, 2):
        word, *fields = line.rstrip(b"\r\n").removesuffix(b" ").split(b" ")
        shown = word.decode("utf-8", "replace")
        if not word and fields:
            raise InputError(
                path, "the line begins with a space: there is no word", line=number, remedy=REMEDY
            )
        if len(fields) != columns:
            message = f"{len(fields)} numbers after {shown!r}, the header promises {columns}"
            raise InputError(path, message, line=number, remedy=REMEDY)
        try:
            words.append(word.decode())
        except UnicodeDecodeError:
            message = f"the word {word!r} is not UTF-8"
            raise InputError(path, message, line=number, remedy="convert the file to UTF-8") from None
        try:
            rows.append(np.array([float(text := field) for field in fields], dtype=np.float32))
        except ValueError:
            message = f"{text.decode('utf-8', 'replace')!r} in the vector of {shown!r} is not a number"
            raise InputError(path, message, line=number, remedy=REMEDY) from None
    return words, np.stack(rows) if rows else np.empty((0, columns), dtype=np.float32)


def _usable(path: Path, words: list[str], matrix: np.ndarray, drop_zero: bool) -> WordVectors:
    """Drop repeated words, words that no table can hold, and with `drop_zero` zero vectors, an error otherwise."""
    zero = ~matrix.any(axis=1)
    if zero.any() and not drop_zero:
        row = int(np.flatnonzero(zero)[0])
        message = f"the vector of {words[row]!r} is zero: it has no direction ({int(zero.sum())} such rows)"
        remedy = "take the word out, or read with drop_zero (--drop-zero)"
        raise InputError(path, message, line=row + 2, remedy=remedy)
    torn = np.array([CONTROLS.search(word) is not None for word in words])
    if not zero.any() and not torn.any() and len(set(words)) == len(words):
        return WordVectors(words, matrix)
    rows: dict[str, int] = {}
    duplicates = 0
    for row, (word, useless) in enumerate(zip(words, (zero | torn).tolist(), strict=True)):
        if word in rows:
            duplicates += 1
        elif not useless:
            rows[word] = row
    log.warning(
        "%s: left out %d rows with a word that came before, %d zero vectors, %d words with a control character",
        path, duplicates, zero.sum(), torn.sum(),
    )  # fmt: skip
    if not rows:
        raise InputError(path, "no vectors are left", remedy="give a file with at least one non-zero vector")
    return WordVectors(list(rows), matrix[list(rows.values())], duplicates)
