"""Say clauses in another voice or in other words; and passages of several sentences."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from crosslingua.corpora.world.concepts import ADJUNCTS, ROLES
from crosslingua.corpora.world.events import (
    TRANSITIVE,
    Columns,
    Knowledge,
    absent,
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


# Each near miss has the target's verb and subject, if they are not asked for, and an answer of its class. It differs in
# something that the question says. The first is a denial: it shares as many words with the question as the target. The
# question leaves something out that the target says, so what the question lacks need not be the answer.
DISTRACTORS, OTHERS = 3, 3  # sentences of a passage besides the target: near misses, and unrelated ones
P_TURNED = 0.4  # of the questions: active for a passive target, or passive for an active one
UNASKED = ("adjective", "numeral", "owner")  # parts of phrases that questions leave out


@dataclass
class Passages:
    """`target` answers a question about role `asked` (numbers in ROLES); `rest` are its other sentences.

    `wording` is what the question says of the target, in its voice and with its synonyms.
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
    filled = np.stack([target[f"{role}.head"] >= 0 for role in ROLES], axis=1)
    owners = np.stack([target[f"{role}.owner"] for role in ROLES], axis=1)
    pronouns = [world.concepts.function[name] for name in ("he", "she", "they")]
    fillable = filled & (owners < 0)  # nothing owned, and no pronoun
    fillable[:, ROLES.index("subject")] &= ~np.isin(target["subject.head"], pronouns)
    asked = np.argmax(rng.random(fillable.shape) * fillable, axis=1)
    free = filled & np.isin(ROLES, [*ADJUNCTS])
    free[np.arange(len(asked)), asked] = False
    omitted = np.argmax(rng.random(free.shape) * free, axis=1)
    kept = (target["verb"] >= 0) & fillable.any(axis=1) & free.any(axis=1) & (filled.sum(axis=1) >= 3)
    rows = np.flatnonzero(kept)
    target, asked = target.take(rows), asked[rows]
    wording = _worded(world, rng, target, omitted[rows])
    rest = [_near_miss(world, rng, target, wording, asked, denied=i == 0) for i in range(distractors)]
    rest += [sample_clauses(world, rng, target["topic"]) for _ in range(others)]
    passages = Passages(target, wording, asked, rest)
    return passages.take(np.flatnonzero(_has_one_answer(passages, distractors)))


def _worded(world: Knowledge, rng: np.random.Generator, target: Columns, omitted: np.ndarray) -> Columns:
    """Return the target in other words and partly in the other voice, without UNASKED and the roles `omitted`."""
    wording = target.copy()
    turn_voice(world, wording, rng.random(target.size) < P_TURNED)
    wording["resaid"][:] = True
    for number, role in enumerate(ROLES):
        wording.put(role, absent(wording.field(role), omitted == number))
        for part in UNASKED:
            wording[f"{role}.{part}"][:] = -1
        wording[f"{role}.owner_kind"][:] = 0
    return wording


def _near_miss(
    world: Knowledge,
    rng: np.random.Generator,
    target: Columns,
    wording: Columns,
    asked: np.ndarray,
    *,
    denied: bool,
) -> Columns:
    """Return the target with another answer. It is denied, or has another of the things that the question says.

    The subject stays. Where the question says no more than the subject, the near miss is a denial too.
    """
    batch = target.copy()
    said = np.stack([wording[f"{role}.head"] >= 0 for role in ROLES], axis=1)
    said[np.arange(len(asked)), asked] = False
    said[:, ROLES.index("subject")] = False
    denials = denied | ~said.any(axis=1)
    changed = np.argmax(rng.random(said.shape) * said, axis=1)
    for number, role in enumerate(ROLES):
        refill(world, rng, batch, role, (asked == number) | ((changed == number) & ~denials))
    batch["negated"] = denials
    batch["passive"] = (rng.random(batch.size) < 0.15) & (target["object.head"] >= 0)
    batch["variety"] = rng.integers(0, 2**32, batch.size, dtype=np.uint32)
    return batch


def refill(world: Knowledge, rng: np.random.Generator, batch: Columns, role: str, where: np.ndarray) -> None:
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
            said = passages.wording[f"{role}.head"] >= 0
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
