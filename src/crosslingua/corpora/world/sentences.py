"""Draw whole sentences: one clause, two coordinated clauses, or one that reports another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from crosslingua.corpora.world.batch import Columns
from crosslingua.corpora.world.events import absent, blank_clauses, sample_clauses
from crosslingua.corpora.world.grammar import COORDINATED, REPORTED
from crosslingua.corpora.world.knowledge import Knowledge
from crosslingua.corpora.world.randomness import zipf
from crosslingua.corpora.world.realise import Language, Told

CHUNK = 4096  # sentences drawn at once: memory stays flat, and any size is a prefix of a larger one
LINK_SHARES = (0.78, 0.13, 0.09)  # single, coordinated, reported


@dataclass
class SentenceEvents:
    """Events of a chunk of sentences: main clauses, second clauses, and how they are linked ([n])."""

    a: Columns
    b: Columns
    link: np.ndarray

    def take(self, rows: np.ndarray) -> SentenceEvents:
        """Return the sentences of `rows` (numbers or a mask)."""
        return SentenceEvents(self.a.take(rows), self.b.take(rows), self.link[rows])

    def tell(self, language: Language) -> Told:
        """Return the sentences in `language`."""
        return language.tell(self.a, self.b, self.link)

    def __len__(self) -> int:
        return len(self.link)


def sample_sentences(
    world: Knowledge, rng: np.random.Generator, topic_shares: np.ndarray, n: int
) -> SentenceEvents:
    """Draw `n` sentences whose topics follow `topic_shares`."""
    topics = rng.choice(len(topic_shares), n, p=topic_shares / topic_shares.sum())
    link = rng.choice(3, n, p=LINK_SHARES).astype(np.int8)
    a, b = sample_clauses(world, rng, topics), blank_clauses(rng, topics)
    _overwrite(b, np.flatnonzero(link), sample_clauses(world, rng, topics[link > 0]))
    _report(a, world, rng, link == REPORTED)
    return SentenceEvents(a, b, link)


def chunks(n: int) -> Iterator[tuple[int, int]]:
    """Yield chunk number and how many of its CHUNK sentences are wanted, until `n` are covered."""
    for start in range(0, n, CHUNK):
        yield start // CHUNK, min(CHUNK, n - start)


def _report(a: Columns, world: Knowledge, rng: np.random.Generator, where: np.ndarray) -> None:
    """Make the masked clauses ones that say something: a verb of speech whose object is the other clause."""
    rows = np.flatnonzero(where)
    verbs = world.concepts.verbs["say"]
    says = sample_clauses(world, rng, a["topic"][rows], rng.choice(verbs, len(rows), p=zipf(len(verbs), 0.8)))
    says.put("object", absent(says.field("object"), np.ones(len(rows), bool)))
    says["passive"][:] = False
    _overwrite(a, rows, says)


def _overwrite(batch: Columns, rows: np.ndarray, by: Columns) -> None:
    for name in batch:
        batch[name][rows] = by[name]


__all__ = ["CHUNK", "COORDINATED", "REPORTED", "SentenceEvents", "chunks", "sample_sentences"]
