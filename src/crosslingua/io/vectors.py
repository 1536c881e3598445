"""Word vectors in fastText's `.vec` text format: a header `n d`, then `word v1 ... vd` a line.

Fields are separated by ASCII spaces only (one trailing space, as fastText writes it, is accepted), so a
word may hold any other character, U+00A0 and U+2028 included. `.vec.gz` is the same, compressed.
"""

import gzip
import logging
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, Self

import numpy as np

from crosslingua.errors import InputError
from crosslingua.io import vector_cache, vector_text
from crosslingua.io.atomic import atomic_open

log = logging.getLogger(__name__)


@dataclass
class WordVectors:
    """Words, most frequent first, and their vectors: row i of `matrix` (n, d) float32 belongs to `words[i]`.

    `duplicates` counts the rows of the file that were left out because their word stood in it before.
    """

    words: list[str]
    matrix: np.ndarray
    duplicates: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        if self.matrix.ndim != 2 or len(self.words) != len(self.matrix):
            raise ValueError(f"{len(self.words)} words cannot name the rows of a {self.matrix.shape} matrix")

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
    path: str | Path, max_vocabulary: int | None = None, *, drop_zero: bool = False, cache: bool | None = None
) -> WordVectors:
    """Read a `.vec` or `.vec.gz` file, or its first `max_vocabulary` rows (counted before anything is left out).

    Each number becomes `float32(float(text))`, to the bit. A word that comes again is left out and counted in
    `duplicates` (the first, more frequent one stays). A zero vector has no direction: it is an error unless
    `drop_zero` leaves such rows out. Raises InputError with file and line for a wrong header, a wrong number
    of rows or columns, bytes that are not UTF-8, what is not a number, and non-finite values.

    `cache` keeps a binary copy for the next reading (see `vector_cache`); by default for large files only.
    """
    path = Path(path)
    if max_vocabulary is not None and max_vocabulary < 1:
        raise InputError(path, f"max_vocabulary is {max_vocabulary}", remedy="ask for at least one word")
    if not path.is_file():
        raise InputError(path, "no such file", remedy="give a word-vector file in .vec text format")
    if cache is None:
        cache = path.stat().st_size >= vector_cache.LARGE
    if not cache:
        return _parse(path, max_vocabulary, drop_zero)
    words, matrix, duplicates = vector_cache.through(
        path, f"{max_vocabulary} {drop_zero}", lambda: _fields(_parse(path, max_vocabulary, drop_zero))
    )
    return WordVectors(words, matrix, duplicates)


def write_vectors(path: str | Path, vectors: WordVectors) -> None:
    """Write `vectors` as `.vec`, atomically; compressed where the name ends in `.gz`.

    Nine significant digits: what a float32 needs so that reading gives the same bits back. Raises InputError
    for words that the format cannot hold (empty, or with a space or line end) and for non-finite values.
    """
    for row, word in enumerate(vectors.words):
        if not word or " " in word or "\n" in word or "\r" in word:
            raise InputError(
                path, f"word {word!r} (row {row}) cannot be written: it is empty or holds a space or line end"
            )
    if not np.isfinite(vectors.matrix).all():
        row = int(np.flatnonzero(~np.isfinite(vectors.matrix).all(axis=1))[0])
        raise InputError(path, f"the vector of {vectors.words[row]!r} is not finite and will not be written")
    with atomic_open(path, "wb") as file, _compressed(path, file) as stream:
        stream.write(f"{len(vectors)} {vectors.dimension}\n".encode())
        for block in vector_text.formatted(vectors.words, vectors.matrix):
            stream.write(block)


def _compressed(path: str | Path, file: IO[bytes]) -> AbstractContextManager[IO[bytes]]:
    """Return what compresses into `file` if its name asks for that; equal vectors give equal bytes."""
    if Path(path).suffix != ".gz":
        return nullcontext(file)
    return gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0)


def _fields(vectors: WordVectors) -> tuple[list[str], np.ndarray, int]:
    return vectors.words, vectors.matrix, vectors.duplicates


def _parse(path: Path, max_vocabulary: int | None, drop_zero: bool) -> WordVectors:
    words, matrix = vector_text.parse(path, max_vocabulary)
    keep = np.ones(len(words), dtype=bool)
    _check_finite(path, words, matrix)
    zero = ~matrix.any(axis=1)
    if zero.any() and not drop_zero:
        row = int(np.flatnonzero(zero)[0])
        raise InputError(
            path,
            f"the vector of {words[row]!r} is zero: it has no direction ({int(zero.sum())} such rows)",
            line=row + 2,
            remedy="take the word out, or read with drop_zero (--drop-zero)",
        )
    keep &= ~zero
    duplicates = _mark_duplicates(words, keep)
    if duplicates or zero.any():
        log.warning(
            "%s: left out %d rows with a word that came before and %d zero vectors",
            path,
            duplicates,
            zero.sum(),
        )
        words, matrix = [word for word, kept in zip(words, keep, strict=True) if kept], matrix[keep]
    if not words:
        raise InputError(path, "no vectors are left", remedy="give a file with at least one non-zero vector")
    return WordVectors(words, matrix, duplicates)


def _check_finite(path: Path, words: list[str], matrix: np.ndarray) -> None:
    # The sum is not finite if any value is not; it may also overflow, so the rows themselves decide.
    with np.errstate(over="ignore", invalid="ignore"):
        suspicious = np.flatnonzero(~np.isfinite(matrix.sum(axis=1)))
    for row in suspicious.tolist():
        if not np.isfinite(matrix[row]).all():
            raise InputError(
                path,
                f"the vector of {words[row]!r} holds a value that is not finite",
                line=row + 2,
                remedy="the training that wrote it diverged: lower its learning rate",
            )


def _mark_duplicates(words: list[str], keep: np.ndarray) -> int:
    """Set `keep` false where a word comes again; return how often that is."""
    if len(set(words)) == len(words):
        return 0
    seen: set[str] = set()
    duplicates = 0
    for row, word in enumerate(words):
        if word in seen:
            keep[row] = False
            duplicates += 1
        elif keep[row]:
            seen.add(word)
    return duplicates
