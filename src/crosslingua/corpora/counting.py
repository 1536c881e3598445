"""Count the words of a prepared text on all cores, and how much of a dictionary the text covers."""

import logging
import os
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from io import SEEK_END
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from crosslingua.errors import InputError
from crosslingua.io import content
from crosslingua.io.bitext import Pair
from crosslingua.io.decode import (
    CONTROLS,
    TOLD_WIDE,
    WIDE_SPACE,
    decoded_lines,
    readable,
    tokenised_lines,
    tokens_of,
)

log = logging.getLogger(__name__)

BLOCK = 1 << 22  # bytes read at a time


def worker_pool(threads: int, **options: Any) -> ProcessPoolExecutor:
    """Return a pool of `threads` processes, or one for each core at hand if these are fewer; all start at once."""
    return ProcessPoolExecutor(min(threads, len(os.sched_getaffinity(0))), **options)


def count_words(path: str | Path, threads: int = 1) -> Counter[str]:
    """Return how often each word of a text occurs. InputError for invalid UTF-8, for CONTROLS in a word, with the line,
    and without words.
    """
    total = None
    if content.is_plain(path):
        for _ in islice(tokenised_lines(path), 1):  # raises for what is no text
            pass
        total = _count_bytes(path, threads)
    if total is None or any(word.startswith("\ufeff") for word in total):
        total = Counter(word for line in tokenised_lines(path) for word in tokens_of(line))
    elif wide := sum(total[word] for word in total if WIDE_SPACE in word):
        log.warning(TOLD_WIDE, path, wide)
    if not total:
        raise InputError(path, "the corpus has no words")
    if any(map(CONTROLS.search, total)):
        _refuse_controls(path)
    return total


def _refuse_controls(path: str | Path) -> None:
    for number, line in enumerate(tokenised_lines(path), 1):
        if divided := next(filter(CONTROLS.search, tokens_of(line)), None):
            raise InputError(
                path, f"the word {divided!r} holds a control character or a line separator", line=number,
                remedy="prepare the text: crosslingua prepare-text, with --tokeniser none if it is tokenised",
            )  # fmt: skip


def _count_bytes(path: str | Path, threads: int) -> Counter[str]:
    """Count the words between spaces and line ends, of which a process reads a range of bytes."""
    with readable(path), Path(path).open("rb") as stream:
        begin = len(BOM_UTF8) if stream.read(len(BOM_UTF8)) == BOM_UTF8 else 0
        size = stream.seek(0, SEEK_END) - begin
    edges = [begin + size * index // threads for index in range(threads + 1)]
    count = partial(_count_range, path, begin)
    if threads == 1:
        parts = [count((begin, begin + size))]
    else:
        with worker_pool(threads) as pool:
            parts = list(pool.map(count, pairwise(edges)))
    if None in parts:
        for _ in decoded_lines(path):  # raises at the line that a stretch could only call invalid
            pass
    total, *rest = (part for part in parts if part is not None)
    for part in rest:
        total.update(part)
    return total


def _count_range(path: str | Path, begin: int, span: tuple[int, int]) -> Counter[str] | None:
    """Count the lines that begin in a range of bytes; None if they are not UTF-8. The text begins at `begin`."""
    start, stop = span
    counts: Counter[str] = Counter()
    with Path(path).open("rb") as stream:
        stream.seek(max(start - 1, begin))
        if start > begin:
            stream.readline()  # up to the first line that begins here: the one before is another process's
        try:
            while (left := stop - stream.tell()) > 0:
                # Whole lines: all that begin before `stop`.
                lines = stream.read(min(left, BLOCK) - 1) + stream.readline()
                if not lines:  # the file is shorter now
                    break
                text = lines.decode("utf-8").replace("\n", " ").replace("\r", " ")
                counts.update(text.split(" "))
        except UnicodeDecodeError:
            return None
    del counts[""]  # of double spaces
    return counts


class Coverage(NamedTuple):
    """Of the distinct source words of a dictionary, how many there are and how many a text has; words in vocabulary."""

    sources: int
    with_source: int
    covered: int
    source_words: int
    target_words: int

    @property
    def percent(self) -> float:
        """Source words that are in vocabulary with a translation, 0 to 100: what precision is a mean over in MUSE."""
        return 100 * self.covered / self.sources


def coverage(
    pairs: Iterable[Pair], source_counts: Mapping[str, int], target_counts: Mapping[str, int], min_count: int
) -> Coverage:
    """Return how much of a dictionary is covered: source words that, like a translation, occur `min_count` times."""
    translations: dict[str, list[str]] = {}
    for source, target in pairs:
        translations.setdefault(source, []).append(target)
    if not translations:
        raise ValueError("a dictionary without pairs has no coverage")
    present = [source for source in translations if source_counts.get(source, 0) >= min_count]
    covered = [s for s in present if any(target_counts.get(t, 0) >= min_count for t in translations[s])]
    sizes = [sum(n >= min_count for n in counts.values()) for counts in (source_counts, target_counts)]
    return Coverage(len(translations), len(present), len(covered), *sizes)
