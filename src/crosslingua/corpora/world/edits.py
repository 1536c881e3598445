"""Rewrite clauses so that they say more, less, or something else; and passages of several sentences.

Each edit changes one place of each clause that it applies to, chosen at random among those that can change.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, Self

import numpy as np

from crosslingua.corpora.world.concepts import ADJUNCTS, ROLES
from crosslingua.corpora.world.events import (
    CLASS_ID,
    P_ADJUNCT,
    TRANSITIVE,
    Columns,
    Knowledge,
    absent,
    adpositions,
    noun_phrases,
    sample_clauses,
)

ADDED = ("place", "time", "companion", "source", "goal")
CORE = ("subject", "object")


class Edit(NamedTuple):
    """Where an edit can be made, and how: `apply(batch, rows)` changes `batch` in these rows."""

    possible: np.ndarray
    apply: Callable[[Columns, np.ndarray], None]


class Editor:
    """Edits of clauses within a world's knowledge, drawn from `rng`.

    The edits of `more` and `less` are listed by the place that they change, in the same order.
    """

    def __init__(self, world: Knowledge, rng: np.random.Generator):
        self.world, self._rng = world, rng
        self._hypernym = np.full(len(world.concepts), -1, np.int32)
        self._is_hypernym = np.zeros(len(world.concepts), bool)
        for members in world.concepts.nouns.values():
            self._hypernym[members[1:]], self._is_hypernym[members[0]] = members[0], True

    def more(self, batch: Columns) -> list[Edit]:
        """Return the edits that make a clause more specific."""
        frames, verbal = self.world.frame_of[np.maximum(batch["verb"], 0)], batch["verb"] >= 0
        edits = []
        for role in ADDED:
            free = verbal & (batch[f"{role}.head"] < 0) & (P_ADJUNCT[role][frames] > 0)
            edits.append(Edit(free, partial(self._add_adjunct, role)))
        edits.append(Edit(verbal & (batch["adverb"] < 0), self._add_adverb))
        for role in CORE:
            bare = self._common(batch, role) & (batch[f"{role}.adjective"] < 0)
            edits.append(Edit(bare, partial(self._add_adjective, role)))
            general = self._is_hypernym[batch[f"{role}.head"]] & self._common(batch, role)
            edits.append(Edit(general, partial(self._hyponym, role)))
        return edits

    def less(self, batch: Columns) -> list[Edit]:
        """Return the edits that make a clause less specific."""
        edits = [Edit(batch[f"{role}.head"] >= 0, partial(_drop, role)) for role in ADDED]
        edits.append(Edit(batch["adverb"] >= 0, partial(_leave_out, "adverb")))
        for role in CORE:
            edits.append(Edit(batch[f"{role}.adjective"] >= 0, partial(_leave_out, f"{role}.adjective")))
            edits.append(Edit(self.can_be_generic(batch, role), partial(self.generic, role)))
        return edits

    def other(self, batch: Columns) -> list[Edit]:
        """Return the edits that contradict an affirmative clause."""
        antonym = self.world.concepts.antonym
        edits = []
        for key in ("verb", "predicate"):
            opposite = (batch[key] >= 0) & (antonym[batch[key]] >= 0)
            edits.append(Edit(opposite, partial(self._turn_round, key)))
        for role in CORE:
            key = f"{role}.numeral"
            edits.append(Edit(batch[key] >= 0, partial(self._recount, key)))
        return edits

    def turn_voice(self, batch: Columns, where: np.ndarray) -> np.ndarray:
        """Turn the masked active clauses passive and the passive ones active, where there is an object."""
        turned = where & (batch["verb"] >= 0) & (batch["object.head"] >= 0)
        turned &= TRANSITIVE[self.world.frame_of[np.maximum(batch["verb"], 0)]]
        batch["passive"] = batch["passive"] ^ turned
        return turned

    def reword(self, batch: Columns, where: np.ndarray) -> None:
        """Make new choices among synonyms and orders in the masked clauses."""
        fresh = self._rng.integers(0, 2**32, batch.size, dtype=np.uint32)
        batch["variety"] = np.where(where, fresh, batch["variety"])

    def change(
        self, batch: Columns, where: np.ndarray, edits: list[Edit], spare: np.ndarray | None = None
    ) -> np.ndarray:
        """Make one of `edits`, but not `spare`, in each of the masked clauses; return which, -1 for none."""
        possible = np.stack([edit.possible & where for edit in edits])
        if spare is not None:
            possible &= np.arange(len(edits))[:, None] != spare
        choice = np.argmax(self._rng.random(possible.shape) * possible, axis=0)
        done = possible.any(axis=0)
        for number, edit in enumerate(edits):
            rows = np.flatnonzero(done & (choice == number))
            if len(rows):
                edit.apply(batch, rows)
        return np.where(done, choice, -1)

    def _common(self, batch: Columns, role: str) -> np.ndarray:
        """Where `role` is filled by a common noun that is neither title nor compound."""
        head = batch[f"{role}.head"]
        return (head >= 0) & (self.world.noun_row[head] >= 0) & (batch[f"{role}.modifier"] < 0)

    def _add_adjunct(self, role: str, batch: Columns, rows: np.ndarray) -> None:
        world, rng, topics = self.world, self._rng, batch["topic"][rows]
        shares = ADJUNCTS[role]
        classes = rng.choice([CLASS_ID[name] for name in shares], len(rows), p=list(shares.values()))
        phrase = noun_phrases(world, rng, world.draw_filler(rng, topics, classes), topics, rich=0.0)
        phrase["adposition"] = adpositions(world, rng, role, classes)
        batch.put_rows(role, phrase, rows)

    def _add_adverb(self, batch: Columns, rows: np.ndarray) -> None:
        drawn = self.world.adverb_of.draw(self._rng, self.world.verb_row[batch["verb"][rows]])
        batch["adverb"][rows] = self.world.concepts.adverbs[drawn]

    def _add_adjective(self, role: str, batch: Columns, rows: np.ndarray) -> None:
        drawn = self.world.adjective_of.draw(self._rng, self.world.noun_row[batch[f"{role}.head"][rows]])
        batch[f"{role}.adjective"][rows] = self.world.adjectives[drawn]

    def _hyponym(self, role: str, batch: Columns, rows: np.ndarray) -> None:
        """Replace "animal" by an animal."""
        heads, topics = batch[f"{role}.head"][rows], batch["topic"][rows]
        classes = self.world.noun_class[heads]
        for _ in range(20):
            again = np.flatnonzero(self._is_hypernym[heads])
            drawn = self.world.draw_filler(self._rng, topics[again], classes[again])
            heads[again] = self.world.filler[drawn]
        batch[f"{role}.head"][rows] = heads

    def can_be_generic(self, batch: Columns, role: str) -> np.ndarray:
        """Return where `role` is a common noun that another noun covers."""
        return (self._hypernym[batch[f"{role}.head"]] >= 0) & self._common(batch, role)

    def generic(self, role: str, batch: Columns, rows: np.ndarray) -> None:
        """Replace an animal by "animal"."""
        batch[f"{role}.head"][rows] = self._hypernym[batch[f"{role}.head"][rows]]

    def _turn_round(self, key: str, batch: Columns, rows: np.ndarray) -> None:
        batch[key][rows] = self.world.concepts.antonym[batch[key][rows]]

    def _recount(self, key: str, batch: Columns, rows: np.ndarray) -> None:
        numerals = self.world.concepts.numerals
        place = np.searchsorted(numerals, batch[key][rows])
        batch[key][rows] = numerals[(place + self._rng.integers(1, len(numerals), len(rows))) % len(numerals)]


def _drop(role: str, batch: Columns, rows: np.ndarray) -> None:
    where = np.zeros(batch.size, bool)
    where[rows] = True
    batch.put(role, absent(batch.field(role), where))


def _leave_out(key: str, batch: Columns, rows: np.ndarray) -> None:
    batch[key][rows] = -1


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
    """Draw passages whose question has one answer; those that would have several, or none, are left out."""
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
    editor = Editor(world, rng)
    editor.turn_voice(wording, rng.random(target.size) < P_TURNED)
    editor.reword(wording, np.ones(target.size, bool))
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
