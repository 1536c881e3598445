"""From raw lines, or tuples of parallel lines, to normalised and tokenised ones: streamed in batches over all cores.

A batch is a list of records, or a shard of a file, which the worker process reads itself. The result does not depend
on the number of processes: batches are the same and are written in their order.
Memory stays flat, but for 8 bytes a distinct line (where repeats are dropped) and 8 bytes a type.
"""

import os
import re
import unicodedata
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from crosslingua.corpora.datasets.readers import EXPANDERS
from crosslingua.corpora.tokenise import REMEMBERED, tokeniser
from crosslingua.errors import InputError
from crosslingua.io import content
from crosslingua.io.atomic import atomic_open
from crosslingua.io.decode import (
    SEPARATOR,
    ZERO_WIDTH_SPACE,
    decode_entities,
    decoded,
    decoded_lines,
    lowercase,
    readable,
    split_lines,
    text_lines,
)


def hashes(texts: Iterable[str]) -> np.ndarray:
    """Return the 64-bit BLAKE2b hash of each text as uint64 (n,); two of n share one with probability n² / 2⁶⁵."""
    joined = b"".join(blake2b(text.encode(), digest_size=8).digest() for text in texts)
    return np.frombuffer(joined, dtype="<u8")


class Distinct:
    """The hashes seen so far, in sorted arrays of growing size (as the levels of a merge sort)."""

    def __init__(self) -> None:
        self._levels: list[np.ndarray] = []

    def __len__(self) -> int:
        return sum(map(len, self._levels))

    def add(self, batch: np.ndarray) -> np.ndarray:
        """Add a batch, shape (n,), and return a boolean mask: which were new, only the first of equal ones."""
        values, first = np.unique(batch, return_index=True)
        new = np.ones(len(values), dtype=bool)
        for level in self._levels:
            at = np.searchsorted(level, values)
            at[at == len(level)] = 0
            new &= level[at] != values
        mask = np.zeros(len(batch), dtype=bool)
        mask[first[new]] = True
        if new.any():
            values = values[new]
            # Each level is more than twice the size of the next: log₂ n levels, each hash merged log₂ n times.
            while self._levels and len(self._levels[-1]) <= 2 * len(values):
                values = np.concatenate([self._levels.pop(), values])
                values.sort()
            self._levels.append(values)
        return mask


_NOT_LETTERS = re.compile(r"[\W_]+")


def sentence_key(text: str) -> str:
    """Return the letters and digits of a sentence, case-folded: copies differ in case, punctuation and spaces."""
    return _NOT_LETTERS.sub("", text.casefold())


def held_out(paths: Iterable[str | Path]) -> frozenset[str]:
    """Return the keys of all lines of some files that have a letter or digit. InputError if a file is missing."""
    keys = {sentence_key(decode_entities(line)) for path in paths for line in decoded_lines(path)}
    return frozenset(keys - {""})


# Invisible characters without meaning: controls except white space, soft hyphen, word joiner, byte-order marks inside
# text, direction marks, invisible operators, interlinear marks.
INVISIBLE = (
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u061c\u180e\u200e\u200f\u202a-\u202e"
    "\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"
)
REMOVED = re.compile(f"[{INVISIBLE}]")
# Joiners spell words in Indic and Arabic scripts and tie emoji; behind anything below U+0590 they are noise.
STRAY_JOINERS = re.compile("(?:(?<=[\\x00-\u058f])|^)[\u200c\u200d]+")


# The zero-width space marks where words end in scripts without spaces (Unicode's annex 14).
OTHER_SPACE = re.compile(f"[^\\S ]|{ZERO_WIDTH_SPACE}")


def normalise_line(text: str) -> tuple[str, int, int]:
    """Return a line in normal form (NFC, single spaces), and the numbers of removed INVISIBLE characters and of white
    space that an ASCII space replaces.
    """
    removed = replaced = 0
    if not (text.isascii() and text.isprintable()):
        replaced = len(OTHER_SPACE.findall(text))
        before = len(text)
        text = REMOVED.sub("", text.replace(ZERO_WIDTH_SPACE, " "))
        removed = before - len(text)
        text = unicodedata.normalize("NFC", text)
        if "\u200c" in text or "\u200d" in text:
            text = " ".join(text.split())
            before = len(text)
            text = STRAY_JOINERS.sub("", text)
            removed += before - len(text)
            text = unicodedata.normalize("NFC", text)  # what a joiner kept apart may compose now
    return " ".join(text.split()), removed, replaced


def punctuation_normaliser(language: str) -> Callable[[str], str]:
    """Return Moses's punctuation normaliser: typographic quotes, dashes and spaces to plain ones."""
    from sacremoses import MosesPunctNormalizer

    return MosesPunctNormalizer(lang=language).normalize


STOPS = frozenset(".!?…。！？｡।॥؟۔։")
CLOSING = frozenset("\"'”’»)]}」』）")


def split_sentences(tokens: Sequence[str]) -> Iterator[list[str]]:
    """Yield sentences: each ends after its final marks (`. . .` ends one) and the closing quotes that follow them."""
    start, ended = 0, False
    for index, token in enumerate(tokens):
        stops = STOPS.issuperset(token)
        if ended and not stops and token not in CLOSING:
            yield list(tokens[start:index])
            start, ended = index, False
        ended = ended or stops
    if start < len(tokens):
        yield list(tokens[start:])


Record = tuple[str, ...]


@dataclass(frozen=True)
class TextSide:
    """How the text of one language is made: `tokeniser` by its name, `language` as ISO 639-1."""

    language: str
    tokeniser: str
    lowercase: bool = False
    punctuation: bool = False


@dataclass(frozen=True)
class Rules:
    """How a record of one line a side is changed or left out.

    `max_tokens` limits every side, and `max_ratio` the ratio of the longer to the shorter side; None: no limit. A side
    of fewer than `min_tokens` is too short, one of none empty. `held_out` are the keys of sentences that no side may be
    (`held_out.sentence_key`), a set a side, or no sets. `expander` names the member of EXPANDERS that makes lines of a
    record (text only). `entities` of HTML are decoded.
    """

    sides: tuple[TextSide, ...]
    max_tokens: int | None = None
    max_ratio: float | None = None
    split_sentences: bool = False
    expander: str | None = None
    held_out: tuple[frozenset[str], ...] = ()
    min_tokens: int = 1
    entities: bool = True


@dataclass(frozen=True)
class Shard:
    """The lines of a file between two bytes, `start` and `end`, where lines begin; `errors` as of `decoded_lines`."""

    source: str
    start: int
    end: int
    errors: str = "strict"

    def records(self, counts: Counter[str]) -> list[Record]:
        """Return the lines, and count repairs. InputError for invalid UTF-8."""
        with readable(self.source), Path(self.source).open("rb") as stream:
            stream.seek(self.start)
            raw = stream.read(self.end - self.start)
        first = 2 if self.start else 1  # only the first line of a file may begin with a byte-order mark
        try:
            return [(line,) for line in decoded(split_lines(raw), self.source, self.errors, counts, first)]
        except InputError:
            for _ in decoded_lines(self.source, self.errors, counts):  # raises with the number of the line
                pass
            raise


def shards(source: str, errors: str) -> list[Shard]:
    """Return the shards of a file of lines: each ends with the line that holds its byte SHARD_BYTES. Return [] for what
    is a stream (compressed, a member of an archive, a pipe), and for a file of one shard.
    """
    path = Path(source)
    if SEPARATOR in source or not content.is_plain(path):
        return []
    for _ in islice(text_lines(source, errors), 1):  # raises for what is no text
        pass
    size, made, start = path.stat().st_size, [], 0
    with path.open("rb") as stream:
        while start < size:
            stream.seek(start + SHARD_BYTES)
            stream.readline()
            end = min(stream.tell(), size)
            made.append(Shard(source, start, end, errors))
            start = end
    return made if len(made) > 1 else []


Batch = list[Record] | Shard


@dataclass
class WorkerBatch:
    """Records of a worker: `texts` are its lines, a text a side; `tokens` counts them, shape (records, sides)."""

    texts: list[str]
    tokens: np.ndarray
    hashes: np.ndarray
    types: list[np.ndarray]
    counts: Counter[str]


class Worker:
    """Normalises, tokenises and judges records; made once a process, since tokenisers load dictionaries."""

    def __init__(self, rules: Rules, dedup: bool):
        self.rules = rules
        self.dedup = dedup
        self.expand = EXPANDERS[rules.expander] if rules.expander else None
        self.makers = [_maker(side, entities=rules.entities) for side in rules.sides]
        self.told: list[set[str]] = [set() for _ in rules.sides]  # types of earlier batches

    def __call__(self, batch: Batch) -> WorkerBatch:
        """Return what becomes of the records."""
        counts: Counter[str] = Counter()
        records = batch.records(counts) if isinstance(batch, Shard) else batch
        if self.expand:
            records = [(line,) for record in records for line in self.expand(record[0])]
        counts["lines_in"] = len(records)
        lines: list[Record] = []
        lengths: list[list[int]] = []
        types: list[set[str]] = [set() for _ in self.makers]
        for record in records:
            made = tuple(make(text, counts) for make, text in zip(self.makers, record, strict=True))
            for sentence in self._sentences(made, counts):
                tokens = [line.count(" ") + 1 if line else 0 for line in sentence]
                reason = self._why_not(sentence, tokens)
                if reason:
                    counts[reason] += 1
                    continue
                lines.append(sentence)
                lengths.append(tokens)
                for seen, line in zip(types, sentence, strict=True):
                    seen.update(line.split(" "))
        return WorkerBatch(
            ["".join([record[side] + "\n" for record in lines]) for side in range(len(self.makers))],
            np.array(lengths, dtype=np.int64).reshape(len(lines), len(self.makers)),
            hashes(map("\n".join, lines)) if self.dedup else np.empty(0, dtype="<u8"),
            [hashes(self._new(side, seen)) for side, seen in enumerate(types)],
            counts,
        )

    def _new(self, side: int, types: set[str]) -> set[str]:
        """Return the types that no earlier batch of this process had, as far as it remembers."""
        if len(self.told[side]) >= REMEMBERED:
            self.told[side].clear()
        new = types - self.told[side]
        self.told[side] |= new
        return new

    def _sentences(self, made: Record, counts: Counter[str]) -> Iterator[Record]:
        if not self.rules.split_sentences or not made[0]:
            yield made
            return
        sentences = list(split_sentences(made[0].split(" ")))
        counts["sentences_split"] += len(sentences) - 1
        for sentence in sentences:
            yield (" ".join(sentence),)

    def _why_not(self, sentence: Record, tokens: list[int]) -> str | None:
        shortest, longest = min(tokens), max(tokens)
        if shortest == 0:
            return "empty"
        if shortest < self.rules.min_tokens:
            return "too_short"
        if self.rules.max_tokens is not None and longest > self.rules.max_tokens:
            return "too_long"
        if self.rules.max_ratio is not None and longest > self.rules.max_ratio * shortest:
            return "too_unequal"
        for line, keys in zip(sentence, self.rules.held_out, strict=False):
            if keys and sentence_key(line) in keys:
                return "held_out"
        return None


def _maker(side: TextSide, *, entities: bool) -> Callable[[str, Counter[str]], str]:
    """Return the function from a raw line of this side to its tokens, joined by spaces."""
    tokenise = tokeniser(side.tokeniser, side.language)
    punctuation = punctuation_normaliser(side.language) if side.punctuation else None

    def make(text: str, counts: Counter[str]) -> str:
        decoded_text = decode_entities(text, counts) if entities else text
        text, removed, replaced = normalise_line(decoded_text)
        if removed:
            counts["removed_characters"] += removed
        if replaced:
            counts["replaced_spaces"] += replaced
        if punctuation:
            text = punctuation(text)
        text = " ".join(tokenise(text))
        # Case goes last: abbreviations are recognised by it.
        return lowercase(text, side.language) if side.lowercase else text

    return make


BATCH_LINES = 4096
BATCH_CHARACTERS = 1 << 20
SHARD_BYTES = 1 << 20
DROPPED = (
    "empty", "too_short", "too_long", "too_unequal", "low_margin", "held_out", "duplicate", "not_taken",
)  # fmt: skip
REPAIRS = ("sentences_split", "removed_characters", "replaced_spaces", "replaced_characters")
RARE_REPAIRS = ("decoded_entities", "missing_sentences")  # told where there are any


def run(
    records: Iterable[Record | Shard],
    inputs: Sequence[str],
    rules: Rules,
    outs: Sequence[str | Path],
    counts: Counter[str],
    dedup: bool = False,
    take: int | None = None,
    threads: int = 1,
) -> dict[str, Any]:
    """Prepare records, or shards of them, and write one file a side, a sentence a line; return the report.

    `counts` is what the reader of the records adds its repairs to. With `dedup` only the first of equal results
    stays; with `take`, the first so many.
    """
    totals = _Totals(rules, dedup, take)
    with ExitStack() as stack:
        streams = [stack.enter_context(atomic_open(out)) for out in outs]
        batches = stack.enter_context(closing(_processed(_batches(records, counts), rules, threads, dedup)))
        for batch in batches:
            kept = totals.add(batch)
            for text, stream in zip(batch.texts, streams, strict=True):
                stream.write(text if len(kept) == len(batch.tokens) else _lines(text, kept))
            if totals.counts["lines_out"] >= totals.take:
                break
        report = totals.report()
        if not report["lines_out"]:  # before what stands in the place of the outputs is replaced
            reasons = ", ".join(f"{number} {why}" for why, number in report["dropped"].items() if number)
            told = f"no sentence is left of {report['lines_in']}: {reasons}"
            remedy = "give text with words, or loosen what leaves sentences out"
            raise InputError(", ".join(inputs), told, remedy=remedy)
    return report


class _Totals:
    """The totals of the batches, and the lines that stay."""

    def __init__(self, rules: Rules, dedup: bool, take: int | None):
        self.sides = rules.sides
        self.take = inf if take is None else take
        self.seen = Distinct() if dedup else None
        self.types = [Distinct() for _ in rules.sides]
        self.tokens = np.zeros(len(rules.sides), dtype=np.int64)
        self.counts: Counter[str] = Counter()

    def add(self, batch: WorkerBatch) -> np.ndarray:
        """Count a batch and return the indices of its lines that stay."""
        every = np.ones(len(batch.tokens), dtype=bool)
        kept = np.flatnonzero(every if self.seen is None else self.seen.add(batch.hashes))
        self.counts.update(batch.counts)
        self.counts["duplicate"] += len(batch.tokens) - len(kept)
        room = self.take - self.counts["lines_out"]
        if room < len(kept):
            self.counts["not_taken"] += len(kept) - room
            kept = kept[:room]
            batch.types = [hashes(set(_lines(text, kept).split())) for text in batch.texts]
        self.counts["lines_out"] += len(kept)
        self.tokens += batch.tokens[kept].sum(axis=0)
        for types, more in zip(self.types, batch.types, strict=True):
            types.add(more)  # a duplicate's types are those of the line that it repeats
        return kept

    def report(self) -> dict[str, Any]:
        return {
            "lines_in": self.counts["lines_in"],
            "lines_out": self.counts["lines_out"],
            "dropped": {reason: self.counts[reason] for reason in DROPPED},
            **{name: self.counts[name] for name in REPAIRS},
            **{name: self.counts[name] for name in RARE_REPAIRS if self.counts[name]},
            "sides": [
                {**vars(side), "tokens": int(tokens), "types": len(types)}
                for side, tokens, types in zip(self.sides, self.tokens, self.types, strict=True)
            ],
        }


def _lines(text: str, kept: Iterable[int]) -> str:
    """Return some lines of a text, by their numbers from 0."""
    lines = text.split("\n")
    return "".join([lines[index] + "\n" for index in kept])


def _batches(records: Iterable[Record | Shard], counts: Counter[str]) -> Iterator[tuple[Batch, Counter[str]]]:
    """Yield batches of records, each with the repairs that its reader made meanwhile, and shards."""
    batch: list[Record] = []
    characters = 0
    for record in records:
        is_shard = isinstance(record, Shard)
        if not is_shard:
            batch.append(record)
            characters += sum(map(len, record))
        if len(batch) >= BATCH_LINES or characters >= BATCH_CHARACTERS or (is_shard and batch):
            yield batch, Counter(counts)
            counts.clear()
            batch, characters = [], 0
        if is_shard:
            yield record, Counter()
    yield batch, Counter(counts)


def _processed(
    batches: Iterable[tuple[Batch, Counter[str]]], rules: Rules, threads: int, dedup: bool
) -> Iterator[WorkerBatch]:
    """Yield the processed batches in order."""
    if threads <= 1:
        work = Worker(rules, dedup)
        processed = ((work(records), counts) for records, counts in batches)
    else:
        processed = _in_processes(batches, rules, threads, dedup)
    with tqdm(unit=" lines", unit_scale=True, disable=None) as bar, closing(processed):
        for batch, counts in processed:
            bar.update(batch.counts["lines_in"])
            batch.counts.update(counts)
            yield batch


def _in_processes(
    batches, rules: Rules, threads: int, dedup: bool
) -> Iterator[tuple[WorkerBatch, Counter[str]]]:
    """Yield the results in order; a bounded number of batches is under way at any time, so memory stays flat."""
    cores = len(os.sched_getaffinity(0))  # all workers start at once, so no more than there are cores
    with ProcessPoolExecutor(min(threads, cores), initializer=_start, initargs=(rules, dedup)) as pool:
        waiting: deque = deque()
        try:
            for records, counts in batches:
                waiting.append((pool.submit(_work, records), counts))
                if len(waiting) > 2 * threads:
                    future, earlier = waiting.popleft()
                    yield future.result(), earlier
            for future, counts in waiting:
                yield future.result(), counts
        finally:
            pool.shutdown(cancel_futures=True)


_worker: Worker


def _start(rules: Rules, dedup: bool) -> None:
    global _worker
    _worker = Worker(rules, dedup)


def _work(batch: Batch) -> WorkerBatch:
    return _worker(batch)
