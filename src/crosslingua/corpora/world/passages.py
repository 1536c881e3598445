"""Passages for reading comprehension: a sentence that holds the answer among sentences that nearly do.

Of the target's distractors, each has its verb and an answer of the same class, but differs in something that
the question says; one of them may be its denial.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crosslingua.corpora.world.batch import Columns
from crosslingua.corpora.world.edits import Editor
from crosslingua.corpora.world.events import adpositions, noun_phrases, sample_clauses
from crosslingua.corpora.world.knowledge import Knowledge
from crosslingua.corpora.world.questions import ASKABLE

DISTRACTORS, OTHERS = 3, 3  # sentences of a passage besides the target: near misses, and unrelated ones
P_DENIAL = 0.35
P_TURNED = 0.4  # of the questions: active for a passive target, or passive for an active one


@dataclass
class Passages:
    """`target` answers a question about role `asked` (numbers in ASKABLE); `rest` are its other sentences.

    `wording` is the target in the voice and with the synonyms that the question uses.
    """

    target: Columns
    wording: Columns
    asked: np.ndarray
    rest: list[Columns]

    def take(self, rows: np.ndarray) -> Passages:
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
    """Draw passages whose question has one answer; those that would have several, or none, are left out."""
    target = sample_clauses(world, rng, topics)
    target["negated"][:] = False
    fillable = np.stack([_is_answer(world, target, role) for role in ASKABLE], axis=1)
    clues = sum((target[f"{role}.head"] >= 0).astype(int) for role in ASKABLE)
    rows = np.flatnonzero((target["verb"] >= 0) & fillable.any(axis=1) & (clues >= 2))
    target, fillable = target.take(rows), fillable[rows]
    asked = np.argmax(rng.random(fillable.shape) * fillable, axis=1)
    rest = [_near_miss(world, rng, target, asked, denial=i == 0) for i in range(distractors)]
    rest += [sample_clauses(world, rng, target["topic"]) for _ in range(others)]
    wording = target.copy()
    editor = Editor(world, rng)
    editor.turn_voice(wording, rng.random(target.size) < P_TURNED)
    editor.reword(wording, np.ones(target.size, bool))
    passages = Passages(target, wording, asked, rest)
    return passages.take(np.flatnonzero(_has_one_answer(passages, distractors)))


def _is_answer(world: Knowledge, batch: Columns, role: str) -> np.ndarray:
    """Where a role is filled by something to ask for: no pronoun, nothing owned."""
    head = batch[f"{role}.head"]
    pronouns = [world.concepts.function[name] for name in ("he", "she", "they")]
    return (head >= 0) & ~np.isin(head, pronouns) & (batch[f"{role}.owner"] < 0)


def _near_miss(
    world: Knowledge, rng: np.random.Generator, target: Columns, asked: np.ndarray, *, denial: bool
) -> Columns:
    """Return the target with another answer and, unless it is a denial, another of the things asked about."""
    batch = target.copy()
    denied = denial & (rng.random(batch.size) < P_DENIAL)
    given = np.stack([(target[f"{role}.head"] >= 0) for role in ASKABLE], axis=1)
    given[np.arange(len(asked)), asked] = False
    changed = np.argmax(rng.random(given.shape) * given, axis=1)
    for number, role in enumerate(ASKABLE):
        _refill(world, rng, batch, role, (asked == number) | ((changed == number) & ~denied))
    batch["negated"] = denied
    batch["passive"] = np.where(rng.random(batch.size) < 0.15, target["object.head"] >= 0, False)
    batch["variety"] = rng.integers(0, 2**32, batch.size, dtype=np.uint32)
    return batch


def _refill(world: Knowledge, rng: np.random.Generator, batch: Columns, role: str, where: np.ndarray) -> None:
    """Fill `role` anew from its class in the masked clauses."""
    classes = np.maximum(batch[f"{role}.filler_class"], 0).astype(np.int64)
    topics = np.where(
        rng.random(batch.size) < 0.5, batch["topic"], rng.integers(0, world.spec.topics, batch.size)
    )
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
        for place, role in enumerate(ASKABLE):
            asked = passages.asked == place
            said = target[f"{role}.head"] >= 0
            unlike = _differ(target, other, role)
            agrees &= asked | ~said | ~unlike
            differs |= asked & unlike
        alone &= ~agrees & (differs | (number >= distractors))
    return alone


def _differ(one: Columns, other: Columns, role: str) -> np.ndarray:
    """Where two phrases name different things: no part of a name alike, so that no short form fits both."""
    ours = [one[f"{role}.head"], one[f"{role}.second"]]
    theirs = [other[f"{role}.head"], other[f"{role}.second"]]
    shared = np.logical_or.reduce([(a == b) & (a >= 0) for a in ours for b in theirs])
    return ~shared
