"""From raw lines, or tuples of parallel lines, to tokenised ones: streamed in batches over all cores.

The result does not depend on the number of processes: batches are the same and are written in their order.
Memory stays flat, but for 8 bytes a distinct line (where repeats are dropped) and 8 bytes a type.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from crosslingua.corpora.distinct import Distinct, hashes
from crosslingua.corpora.worker import Record, Rules, Worker, WorkerBatch
from crosslingua.io.atomic import atomic_open

BATCH_LINES = 4096
BATCH_CHARACTERS = 1 << 20
DROPPED = (
    "empty",
    "too_short",
    "too_long",
    "too_unequal",
    "low_margin",
    "held_out",
    "duplicate",
    "not_taken",
)
REPAIRS = ("sentences_split", "removed_characters", "replaced_characters")


def run(
    records: Iterable[Record],
    rules: Rules,
    outs: Sequence[str | Path],
    counts: Counter[str],
    dedup: bool = False,
    take: int | None = None,
    threads: int = 1,
) -> dict[str, Any]:
    """Prepare records and write one file a side, a sentence a line, tokens joined by one space.

    `counts` is what the reader of the records adds its repairs to. With `dedup` only the first of equal results
    stays; with `take`, the first so many. Returns `lines_in`, `lines_out`, `dropped` by reason, the repairs, and
    under `sides` tokens and types of each.
    """
    totals = _Totals(rules, dedup, take)
    with ExitStack() as stack:
        streams = [stack.enter_context(atomic_open(out)) for out in outs]
        batches = stack.enter_context(closing(_processed(_batches(records, counts), rules, threads, dedup)))
        for batch in batches:
            kept = totals.add(batch)
            for side, stream in enumerate(streams):
                stream.writelines(batch.lines[index][side] + "\n" for index in kept)
            if totals.full:
                break
    return totals.report()


class _Totals:
    """What the batches add up to, and which of their lines stay."""

    def __init__(self, rules: Rules, dedup: bool, take: int | None):
        self.sides = rules.sides
        self.take = take
        self.seen = Distinct() if dedup else None
        self.types = [Distinct() for _ in rules.sides]
        self.tokens = np.zeros(len(rules.sides), dtype=np.int64)
        self.counts: Counter[str] = Counter()

    @property
    def full(self) -> bool:
        return self.take is not None and self.counts["lines_out"] >= self.take

    def add(self, batch: WorkerBatch) -> np.ndarray:
        """Count a batch and return the indices of its lines that stay."""
        kept = (
            np.arange(len(batch.lines)) if self.seen is None else np.flatnonzero(self.seen.add(batch.hashes))
        )
        self.counts.update(batch.counts)
        self.counts["duplicate"] += len(batch.lines) - len(kept)
        room = len(kept) if self.take is None else self.take - self.counts["lines_out"]
        if room < len(kept):
            self.counts["not_taken"] += len(kept) - room
            kept = kept[:room]
            batch.types = [hashes(_types(batch, kept, side)) for side in range(len(self.sides))]
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
            "sides": [
                {**vars(side), "tokens": int(tokens), "types": len(types)}
                for side, tokens, types in zip(self.sides, self.tokens, self.types, strict=True)
            ],
        }


def _types(batch: WorkerBatch, kept: np.ndarray, side: int) -> set[str]:
    return {token for index in kept for token in batch.lines[index][side].split(" ")}


def _batches(records: Iterable[Record], counts: Counter[str]) -> Iterator[tuple[list[Record], Counter[str]]]:
    """Yield batches of records, each with the repairs that its reader made meanwhile."""
    batch: list[Record] = []
    characters = 0
    for record in records:
        batch.append(record)
        characters += sum(map(len, record))
        if len(batch) >= BATCH_LINES or characters >= BATCH_CHARACTERS:
            yield batch, Counter(counts)
            counts.clear()
            batch, characters = [], 0
    yield batch, Counter(counts)


def _processed(
    batches: Iterable[tuple[list[Record], Counter[str]]], rules: Rules, threads: int, dedup: bool
) -> Iterator[WorkerBatch]:
    """Yield the processed batches in order."""
    work = _in_this_process if threads <= 1 else _in_processes
    with tqdm(unit=" lines", unit_scale=True, disable=None) as bar:
        for batch, counts in work(batches, rules, threads, dedup):
            bar.update(batch.counts["lines_in"])
            batch.counts.update(counts)
            yield batch


def _in_this_process(
    batches, rules: Rules, threads: int, dedup: bool
) -> Iterator[tuple[WorkerBatch, Counter[str]]]:
    work = Worker(rules, dedup)
    for records, counts in batches:
        yield work(records), counts


def _in_processes(
    batches, rules: Rules, threads: int, dedup: bool
) -> Iterator[tuple[WorkerBatch, Counter[str]]]:
    """Yield the results in order; a bounded number of batches is under way at any time, so memory stays flat."""
    with ProcessPoolExecutor(threads, initializer=_start, initargs=(rules, dedup)) as pool:
        waiting: deque = deque()
        try:
            for records, counts in batches:
                waiting.append((pool.submit(_work, records), counts))
                if len(waiting) > 2 * threads:
                    future, earlier = waiting.popleft()
                    yield future.result(), earlier
            while waiting:
                future, earlier = waiting.popleft()
                yield future.result(), earlier
        finally:
            pool.shutdown(cancel_futures=True)


_worker: Worker


def _start(rules: Rules, dedup: bool) -> None:
    global _worker
    _worker = Worker(rules, dedup)


def _work(records: list[Record]) -> WorkerBatch:
    return _worker(records)
