"""Parallel text, dictionaries and word counts: reading and writing of files with one entry a line."""

import logging
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import zip_longest
from pathlib import Path

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.atomic import atomic_open
from crosslingua.io.decode import (
    CONTROLS,
    ZERO_WIDTH_SPACE,
    decode_entities,
    decoded_lines,
    text_lines,
    tokenised_lines,
)


def read_bitext(
    source: str | Path,
    target: str | Path,
    errors: str = "strict",
    counts: Counter[str] | None = None,
    *,
    raw: bool = False,
) -> Iterator[tuple[str, str]]:
    """Yield the pairs of lines of two files, tokenised unless `raw`. Raises InputError if one has more lines, with both
    counts, and as `tokenised_lines` or `text_lines`.
    """
    lines = text_lines if raw else tokenised_lines
    sides = [lines(path, errors, counts, records=True) for path in (source, target)]
    for number, pair in enumerate(zip_longest(*sides)):
        if None in pair:
            shorter, longer = (source, target) if pair[0] is None else (target, source)
            lines = number + 1 + sum(1 for side in sides for _ in side)
            raise InputError(
                shorter, f"has {number} lines, but {longer} has {lines}",
                remedy="parallel files need a line for every line of the other",
            )  # fmt: skip
        yield pair


def write_bitext(pairs: Iterable[tuple[str, str]], source: str | Path, target: str | Path) -> int:
    """Write pairs to two files and return how many; both files appear, whole, or neither."""
    number = 0
    with atomic_open(source) as left, atomic_open(target) as right:
        for number, (first, second) in enumerate(pairs, 1):
            for stream, text in ((left, first), (right, second)):
                if "\n" in text or "\r" in text:
                    raise InputError(target, f"a line end inside a sentence: {text!r}", line=number)
                stream.write(text + "\n")
    return number


log = logging.getLogger(__name__)

# Bilingual dictionaries in MUSE's format: `source<space or tab>target` a line.
Pair = tuple[str, str]
MOST_WRONG = 0.5  # share of the lines of a dictionary that may be no entry
COMMENT = ("#", "//")
SEPARATORS = ("→", "->", "=>", "⇒", "=")  # between the words of a pair, in glossaries
GLUED = (":", *SEPARATORS)
MARKS = '"“”„«»,;'  # of CSV, and of what was copied from running text
# What the columns of a dictionary are called, none of which translates another.
COLUMN_NAMES = """
source target src tgt trg word translation headword meaning english german french spanish italian portuguese dutch
russian turkish finnish hungarian polish czech arabic chinese japanese korean hindi swahili
"""
HEADERS = frozenset(COLUMN_NAMES.split())
FEWEST_ALIKE = 10  # pairs of which one can say what all have in common
NUMBER = re.compile(r"[+-]?[0-9]*[.,]?[0-9]+(e[+-]?[0-9]+)?", re.IGNORECASE)


def read_dictionary(path: str | Path, counts: Counter[str] | None = None) -> list[Pair]:
    """Read (source, target) pairs in file order, without blank lines and repeats (`duplicate` of `counts`).

    A line is split at tabs, or at spaces if it has no tab, or at one of SEPARATORS that every line has
    (`separators_taken_off`). Entries of several words (`several_words`) and other lines (`not_a_pair`) are dropped,
    further columns (`further_columns`) are left out. Comments before the first entry (`comments`) and a header
    (`headers`), which the log names, are no entries. Quotes, commas and semicolons at the ends of a word come off
    (`marks_taken_off`), and so do the rest of `clean_cell`. `counts`, or the log, has the numbers. Raises InputError,
    with the line, where more than MOST_WRONG of the lines are no entry, for CSV, for words that all have one of GLUED
    inside, for words that all stand between quotes or brackets, for a column of numbers, and for a file without pairs.
    """
    told, pairs, wrong, lines = Counter() if counts is None else counts, [], [], 0
    ends, glued = Counter[str](), set(GLUED)
    entries = list(_entries(path, told))
    mark = _separator([line for _, line in entries])
    if mark:
        told["separators_taken_off"] += len(entries)
    for number, line in entries:
        lines += 1
        parts = _parts(line, mark) if mark else line.split("\t" if "\t" in line else " ")
        cells = [cell for cell in (part.strip(" ") for part in parts) if cell]
        if len(cells) > 2 and ("\t" in line or (len(cells) == 3 and NUMBER.fullmatch(cells[2]))):
            told["further_columns"] += 1
            cells = cells[:2]
        ends[cells[0][-1]] += 1
        glued -= {one for one in glued if not all(one in cell[1:-1] for cell in cells)}
        cells = [clean_cell(cell, told) for cell in cells]
        if lines == 1 and _is_header(cells):
            log.warning("%s:%d: %r is taken for a header, not for a pair", path, number, line)
            told["headers"] += 1
        elif len(cells) != 2:
            wrong.append((number, line))
        elif any(" " in cell or CONTROLS.search(cell) for cell in cells):
            told["several_words"] += 1
        else:
            pairs.append((cells[0], cells[1]))
    for mark in ",;":
        if lines and ends[mark] == lines:
            raise InputError(
                path,
                f"CSV: each of its source words ends in {mark!r}",
                remedy=f"write a tab in place of {mark!r}",
            )
    if lines and glued:
        number, line = entries[0]
        raise InputError(
            path, f"{max(glued, key=len)!r} stands inside each word: {line!r:.60}", line=number,
            remedy="write one pair a line, with a tab between the two words",
        )  # fmt: skip
    if len(wrong) > MOST_WRONG * lines:
        raise InputError(
            path, f"expected a source and a target word, found {wrong[0][1]!r}", line=wrong[0][0],
            remedy=f"one pair a line, with a tab or space between; {len(wrong)} of {lines} lines are no pair",
        )  # fmt: skip
    if wrong:
        told["not_a_pair"] += len(wrong)
    dropped = ", ".join(f"{number} {name}" for name, number in (+told).items())
    if not pairs:
        raise InputError(
            path, "the dictionary holds no pairs of single words" + f" ({dropped})" * bool(dropped)
        )
    if len(pairs) >= FEWEST_ALIKE:
        _check_words(pairs, path)
    if counts is None and dropped:
        log.warning("%s: %s", path, dropped)
    return distinct(pairs, path, counts)


def _check_words(pairs: Sequence[Pair], path: str | Path) -> None:
    """Raise InputError where all words of a column are numbers, end in a colon, or stand between marks."""
    for side, words in zip(("source", "target"), zip(*pairs, strict=True), strict=True):
        if all(map(NUMBER.fullmatch, words)):
            remedy = "write the source and the target word as the first two columns: cut -f2,3"
            raise InputError(path, f"each {side} word is a number, as {words[0]}", remedy=remedy)
    if all(source.endswith(":") for source, _ in pairs):
        raise InputError(path, "each source word ends in ':'", remedy="write a tab in place of ':'")
    first, last = ({word[place] for pair in pairs for word in pair} for place in (0, -1))
    if len(first) == len(last) == 1 and not any(map(str.isalnum, first | last)):
        told = f"each word stands between {first.pop()!r} and {last.pop()!r}"
        raise InputError(path, told, remedy="write the words alone, as texts have them")


def _entries(path: str | Path, counts: Counter[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines of a dictionary with their numbers, without blank ones and the `comments` before the first."""
    is_first = True
    for number, line in enumerate(text_lines(path, columns=True), 1):
        if is_first and line.startswith(COMMENT) and line.split() != ["#", "#"]:
            counts["comments"] += 1
        elif line.strip(" \t"):
            is_first = False
            yield number, line


def _separator(lines: Sequence[str]) -> str:
    """Return the one of SEPARATORS that stands between words in every line; "" for none."""
    marks = (mark for mark in SEPARATORS if lines and all(len(_parts(line, mark)) == 2 for line in lines))
    return next(marks, "")


def _parts(line: str, mark: str) -> list[str]:
    """Return what stands before and after a separator that has blanks around it; the line where it has none."""
    return re.split(rf"(?<=\S)[ \t]+{re.escape(mark)}[ \t]+(?=\S)", line, maxsplit=1)


def clean_cell(text: str, counts: Counter[str]) -> str:
    """Return a word of a dictionary with entities of HTML decoded (`decoded_entities` of `counts`), and without U+200B
    (`removed_characters`) and MARKS at its ends (`marks_taken_off`), unless it consists of marks.
    """
    word = without_zero_width(decode_entities(text, counts), counts)
    bare = word.strip(MARKS)
    if not bare or bare == word:
        return word
    counts["marks_taken_off"] += 1
    return bare


def without_zero_width(text: str, counts: Counter[str]) -> str:
    """Return text without U+200B, counted as `removed_characters`: it marks where a word may be divided."""
    if ZERO_WIDTH_SPACE in text:
        counts["removed_characters"] += text.count(ZERO_WIDTH_SPACE)
        text = text.replace(ZERO_WIDTH_SPACE, "")
    return text


def _is_header(cells: Sequence[str]) -> bool:
    names = {cell.lower().replace("_", " ").removesuffix(" word").removesuffix(" language") for cell in cells}
    return len(cells) == 2 and len(names) == 2 and names <= HEADERS


def distinct(pairs: Iterable[Pair], path: str | Path, counts: Counter[str] | None = None) -> list[Pair]:
    """Return the pairs without repeats, in order; repeats go to `counts["duplicate"]`; none at all is InputError."""
    pairs = list(pairs)
    if not pairs:
        raise InputError(path, "the dictionary holds no pairs", remedy="one pair of single words a line")
    kept = list(dict.fromkeys(pairs))
    if counts is not None:
        counts["duplicate"] += len(pairs) - len(kept)
    return kept


def write_dictionary(path: str | Path, pairs: Iterable[Pair]) -> None:
    """Write pairs as `source<space>target`. InputError on a word that is empty or holds a space or CONTROLS."""
    with atomic_open(path) as stream:
        for number, pair in enumerate(pairs, 1):
            for word in pair:
                if not word or " " in word or CONTROLS.search(word):
                    raise InputError(path, f"cannot write {word!r} as one word", line=number)
            stream.write(f"{pair[0]} {pair[1]}\n")


def sources(pairs: Iterable[Pair]) -> list[str]:
    """Return the distinct source words in order of first occurrence."""
    return list(dict.fromkeys(source for source, _ in pairs))


def select_sources(pairs: Sequence[Pair], start: int, stop: int) -> list[Pair]:
    """Return all pairs of the distinct sources of ranks `start` to `stop` - 1, by first occurrence. MUSE's training set
    is ranks 0 to 4,999 of its full dictionary, its test set 5,000 to 6,499.
    """
    chosen = set(sources(pairs)[start:stop])
    return [pair for pair in pairs if pair[0] in chosen]


def split_validation(pairs: Sequence[Pair], share: float, seed: int = 0) -> tuple[list[Pair], list[Pair]]:
    """Return (training, validation) pairs. Validation has a `share` of the source words, by the smallest hashes of
    (seed, word), on every machine. ConfigError unless both parts get a word.
    """
    words = sources(pairs)
    number = round(share * len(words))
    if not 0 < number < len(words):
        raise ConfigError(
            f"a validation share of {share} holds out {number} of {len(words)} source words: both parts need one"
        )
    held_out = set(_drawn(words, f"{seed}")[:number])
    training = [pair for pair in pairs if pair[0] not in held_out]
    return training, [pair for pair in pairs if pair[0] in held_out]


def some_sources(pairs: Sequence[Pair], number: int, seed: int = 0) -> list[Pair]:
    """Return the pairs of `number` source words that `seed` draws, on every machine; of fewer, those of more begin with
    them. All pairs where there are fewer words.
    """
    kept = set(_drawn(sources(pairs), f"{seed} some")[:number])
    return [pair for pair in pairs if pair[0] in kept]


def _drawn(words: Iterable[str], key: str) -> list[str]:
    """Return words by the hashes of (key, word)."""
    hashes = {word: blake2b(f"{key}\n{word}".encode(), digest_size=8).digest() for word in words}
    return sorted(hashes, key=lambda word: (hashes[word], word))


def drop_same_surface(pairs: Iterable[Pair], counts: Counter[str] | None = None) -> list[Pair]:
    """Return the pairs of different spelling, whatever their case (joint_align, table 2); the others are counted in
    `counts["same_surface"]`.
    """
    pairs = list(pairs)
    kept = [pair for pair in pairs if pair[0].casefold() != pair[1].casefold()]
    if counts is not None:
        counts["same_surface"] += len(pairs) - len(kept)
    return kept


COUNT = re.compile("[0-9]{1,18}")


# Word counts of a corpus: `word<TAB>count` a line, most frequent first.
def write_counts(path: str | Path, counts: Mapping[str, int]) -> None:
    """Write counts, most frequent first, ties in the order of the words."""
    with atomic_open(path) as stream:
        for word, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
            stream.write(f"{word}\t{count}\n")


def read_counts(path: str | Path) -> dict[str, int]:
    """Read a file of `write_counts`. Raises InputError with the line that is not `word<TAB>count`."""
    counts: dict[str, int] = {}
    for number, line in enumerate(decoded_lines(path), 1):
        word, tab, count = line.partition("\t")
        if not tab or not word or not COUNT.fullmatch(count):
            raise InputError(path, f"expected word<TAB>count, found {line[:80]!r}", line=number)
        if word in counts:
            remedy = "count the text again: crosslingua count-words"
            raise InputError(path, f"a second count of {word!r}", line=number, remedy=remedy)
        counts[word] = int(count)
    if not counts:
        raise InputError(path, "no words")
    return counts
