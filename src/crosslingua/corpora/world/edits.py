"""Say clauses in another voice or in other words; and passages of several sentences."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from crosslingua.corpora.world.concepts import ROLES
from crosslingua.corpora.world.events import (
    TRANSITIVE,
    Columns,
    Knowledge,
    adpositions,
    noun_phrases,
    sample_clauses,
)


def turn_voice(world: Knowledge, batch: Columns, where: np.ndarray) -> None:
    """Turn the masked active clauses passive and the passive ones active, where there is an object."""
    turned = where & (batch["verb"] >= 0) & (batch["object.head"] >= 0)
    turned &= TRANSITIVE[world.frame_of[np.maximum(batch["verb"], 0)]]
    batch["passive"] = batch["passive"] ^ turned


def reword(rng: np.random.Generator, batch: Columns, where: np.ndarray) -> None:
    """Make new choices among synonyms and orders in the masked clauses."""
    fresh = rng.integers(0, 2**32, batch.size, dtype=np.uint32)
    batch["variety"] = np.where(where, fresh, batch["variety"])


# Each near miss has the target's verb and an answer of its class, but differs in something that the question says.
DISTRACTORS, OTHERS = 3, 3  # sentences of a passage besides the target: near misses, and unrelated ones
P_DENIAL = 0.35
P_TURNED = 0.4  # of the questions: active for a passive target, or passive for an active one


@dataclass
class Passages:
    """`target` answers a question about role `asked` (numbers in ROLES); `rest` are its other sentences.

    `wording` is the target in the voice and with the synonyms that the question uses.
    """

    target: Columns
    wording: Columns
    asked: np.ndarray
    rest: list[Columns]

    def take(self, rows: np.ndarray) -> Self:
        """Return the passages of `rows`."""
        target, wording = self.target.take(rows), self.wording.take(rows)
        return Passages(target, wording, self.asked[rows], [batch.take(rows) for batch in self.rest])


def sample_passages(
    world: Knowledge,
    rng: np.random.Generator,
    topics: np.ndarray,
    distractors: int = DISTRACTORS,
    others: int = OTHERS,
) -> Passages:
    """Draw passages whose question has exactly one answer."""
    target = sample_clauses(world, rng, topics)
    target["negated"][:] = False
    heads = np.stack([target[f"{role}.head"] for role in ROLES], axis=1)
    owners = np.stack([target[f"{role}.owner"] for role in ROLES], axis=1)
    pronouns = [world.concepts.function[name] for name in ("he", "she", "they")]
    fillable = (heads >= 0) & ~np.isin(heads, pronouns) & (owners < 0)  # no pronoun, nothing owned
    clues = (heads >= 0).sum(axis=1)
    rows = np.flatnonzero((target["verb"] >= 0) & fillable.any(axis=1) & (clues >= 2))
    target, fillable = target.take(rows), fillable[rows]
    asked = np.argmax(rng.random(fillable.shape) * fillable, axis=1)
    rest = [_near_miss(world, rng, target, asked, denial=i == 0) for i in range(distractors)]
    rest += [sample_clauses(world, rng, target["topic"]) for _ in range(others)]
    wording = target.copy()
    turn_voice(world, wording, rng.random(target.size) < P_TURNED)
    reword(rng, wording, np.ones(target.size, bool))
    passages = Passages(target, wording, asked, rest)
    return passages.take(np.flatnonzero(_has_one_answer(passages, distractors)))


def _near_miss(
    world: Knowledge, rng: np.random.Generator, target: Columns, asked: np.ndarray, *, denial: bool
) -> Columns:
    """Return the target with another answer and, unless it is a denial, another of the things asked about."""
    batch = target.copy()
    denied = denial & (rng.random(batch.size) < P_DENIAL)
    given = np.stack([(target[f"{role}.head"] >= 0) for role in ROLES], axis=1)
    given[np.arange(len(asked)), asked] = False
    changed = np.argmax(rng.random(given.shape) * given, axis=1)
    for number, role in enumerate(ROLES):
        _refill(world, rng, batch, role, (asked == number) | ((changed == number) & ~denied))
    batch["negated"] = denied
    batch["passive"] = (rng.random(batch.size) < 0.15) & (target["object.head"] >= 0)
    batch["variety"] = rng.integers(0, 2**32, batch.size, dtype=np.uint32)
    return batch


def _refill(world: Knowledge, rng: np.random.Generator, batch: Columns, role: str, where: np.ndarray) -> None:
    """Fill `role` anew from its class in the masked clauses."""
    classes = np.maximum(batch[f"{role}.filler_class"], 0).astype(np.int64)
    alike = rng.random(batch.size) < 0.5
    topics = np.where(alike, batch["topic"], rng.integers(0, world.spec.topics, batch.size))
    phrase = noun_phrases(world, rng, world.draw_filler(rng, topics, classes), topics, rich=0.4)
    phrase["owner"][:], phrase["owner_kind"][:] = -1, 0
    phrase["adposition"] = adpositions(world, rng, role, classes)
    batch.put(role, phrase, where & (batch[f"{role}.head"] >= 0))


def _has_one_answer(passages: Passages, distractors: int) -> np.ndarray:
    """Where no other sentence says what the question says, and all answers of near misses differ."""
    target, alone = passages.target, np.ones(passages.target.size, bool)
    for number, other in enumerate(passages.rest):
        agrees = (other["verb"] == target["verb"]) & ~other["negated"]
        differs = np.zeros(target.size, bool)
        for place, role in enumerate(ROLES):
            asked = passages.asked == place
            said = target[f"{role}.head"] >= 0
            unlike = _differ(target, other, role)
            agrees &= asked | ~said | ~unlike
            differs |= asked & unlike
        alone &= ~agrees & (differs | (number >= distractors))
    return alone


def _differ(first: Columns, second: Columns, role: str) -> np.ndarray:
    """Where two phrases name different things: no part of a name alike, so that no short form fits both."""
    ours = [first[f"{role}.head"], first[f"{role}.second"]]
    theirs = [second[f"{role}.head"], second[f"{role}.second"]]
    shared = np.logical_or.reduce([(a == b) & (a >= 0) for a in ours for b in theirs])
    return ~shared
