"""Sample events: who does what to whom, where and when, thousands at a time."""

from __future__ import annotations

import numpy as np

from crosslingua.corpora.world.batch import Columns
from crosslingua.corpora.world.knowledge import CLASS_ID, Knowledge
from crosslingua.corpora.world.ontology import (
    ADJUNCTS,
    ADPOSITIONS,
    ENTITY_TYPES,
    FRAMES,
    PLACE_ADPOSITIONS,
    TIME_ADPOSITIONS,
)

ROLES = ("subject", "object", *ADJUNCTS)
DEFINITE, INDEFINITE = 1, 2
PRESENT, PAST, FUTURE = 0, 1, 2
TENSE_SHARES = (0.35, 0.5, 0.15)
P_COPULAR, P_PASSIVE, P_NEGATED, P_ADVERB, P_PRONOUN = 0.08, 0.15, 0.10, 0.12, 0.08
TRANSITIVE = np.array([bool(frame.object) for frame in FRAMES.values()])
P_ADJUNCT = {
    role: np.array([frame.adjuncts.get(role, 0.0) for frame in FRAMES.values()]) for role in ADJUNCTS
}  # role -> probability by frame


def sample_clauses(
    world: Knowledge, rng: np.random.Generator, topics: np.ndarray, verbs: np.ndarray | None = None
) -> Columns:
    """Sample one clause for each of `topics` ([n] topic numbers); `verbs` fixes the verbs.

    Arrays of the result, all [n]: topic, verb, predicate (the adjective of "X is ADJ"), tense, negated,
    passive, adverb, modal (an auxiliary), question, polite, variety (random bits for choices that a language
    makes), and for each role of ROLES head, second (second token of a name), adposition, plural, definite,
    adjective, numeral, modifier, owner, kind and owner_kind (entity type + 1, or 0), filler_class. A concept
    that is absent is -1.
    """
    n = len(topics)
    copular = rng.random(n) < (P_COPULAR if verbs is None else 0.0)
    drawn = world.verbs[world.verb_by_topic.draw(rng, topics)] if verbs is None else verbs
    frames = world.frame_of[drawn]
    batch = blank_clauses(rng, topics)
    subject = world.draw_argument(rng, topics, drawn, "subject")
    batch.put("subject", noun_phrases(world, rng, subject, topics, rich=0.8))
    rows = np.flatnonzero(TRANSITIVE[frames] & ~copular)
    obj = world.draw_argument(rng, topics[rows], drawn[rows], "object")
    batch.put_rows("object", noun_phrases(world, rng, obj, topics[rows], rich=1.0), rows)
    _adjuncts(batch, world, rng, frames, ~copular)
    _pronouns(batch, world, rng)
    batch["predicate"] = np.where(copular, _predicate(world, rng, batch["subject.head"]), -1).astype(np.int32)
    batch["verb"] = np.where(batch["predicate"] >= 0, -1, drawn).astype(np.int32)
    _verbal_features(batch, world, rng, drawn)
    return batch


def blank_clauses(rng: np.random.Generator, topics: np.ndarray) -> Columns:
    """Return clauses that say nothing yet: the arrays of `sample_clauses`, all absent."""
    n = len(topics)
    batch = Columns(topic=topics)
    for role in ROLES:
        for name in ("head", "second", "adposition", "adjective", "numeral", "modifier", "owner"):
            batch[f"{role}.{name}"] = np.full(n, -1, np.int32)
        batch[f"{role}.plural"] = np.zeros(n, bool)
        for name in ("definite", "kind", "owner_kind"):
            batch[f"{role}.{name}"] = np.zeros(n, np.int8)
        batch[f"{role}.filler_class"] = np.full(n, -1, np.int8)
    for name in ("verb", "predicate", "adverb", "modal"):
        batch[name] = np.full(n, -1, np.int32)
    batch["tense"] = np.full(n, PRESENT, np.int8)
    for name in ("negated", "passive", "question", "polite"):
        batch[name] = np.zeros(n, bool)
    batch["variety"] = rng.integers(0, 2**32, n, dtype=np.uint32)
    return batch


def noun_phrases(
    world: Knowledge, rng: np.random.Generator, fillers: np.ndarray, topics: np.ndarray, *, rich: float
) -> dict[str, np.ndarray]:
    """Dress `fillers` as noun phrases; `rich` scales how many adjectives, numerals and owners they get."""
    n = len(fillers)
    head = world.filler[fillers].astype(np.int32)
    classes = world.filler_class[fillers]
    named = classes < len(ENTITY_TYPES)
    common = (classes >= len(ENTITY_TYPES)) & (classes < CLASS_ID["time"])
    plural = common & (rng.random(n) < 0.3)
    draw = rng.random((6, n))
    numeral = np.where(plural & (draw[0] < 0.25), rng.choice(world.concepts.numerals, n), -1)
    noun_rows = np.where(common, world.noun_row[head], 0)
    adjective = np.where(
        common & (draw[1] < 0.35 * rich), world.adjectives[world.adjective_of.draw(rng, noun_rows)], -1
    )
    compound = common & world.compounds[noun_rows] & (draw[2] < 0.5)
    modifier = np.where(compound, world.nouns[world.modifier_of.draw(rng, noun_rows)], -1)
    phrase = {
        "plural": plural, "numeral": numeral, "adjective": adjective,
        "definite": _definiteness(common, plural, numeral, draw[3]),
        "kind": np.where(named, classes + 1, 0).astype(np.int8),
        "filler_class": classes.astype(np.int8),
        "adposition": np.full(n, -1, np.int32),
    }  # fmt: skip
    owner = world.draw_filler(rng, topics, rng.choice([CLASS_ID["PER"], CLASS_ID["LOC"], CLASS_ID["ORG"]], n))
    owned = common & (draw[4] < 0.12 * rich) & (numeral < 0)
    phrase["owner"] = np.where(owned, world.filler[owner], -1)
    phrase["owner_kind"] = np.where(owned, world.filler_class[owner] + 1, 0).astype(np.int8)
    phrase["head"], phrase["second"] = _name_tokens(world, rng, head, classes)
    titled = (classes == CLASS_ID["PER"]) & (draw[5] < 0.15 * rich)
    title = world.draw_filler(rng, topics, np.full(n, CLASS_ID["person"]))
    phrase["modifier"] = np.where(titled, world.filler[title], modifier)
    return {name: _compact(values) for name, values in phrase.items()}


def absent(phrase: dict[str, np.ndarray], where: np.ndarray) -> dict[str, np.ndarray]:
    """Return the noun phrases emptied in the masked events."""
    empty = {"plural": False, "definite": 0, "kind": 0, "owner_kind": 0}
    return {
        name: np.where(where, np.array(empty.get(name, -1), values.dtype), values)
        for name, values in phrase.items()
    }


def _time_adpositions(world: Knowledge, rng: np.random.Generator, classes: np.ndarray) -> np.ndarray:
    """Return adposition concepts that say when: of days, "on", "after" or "before", of years "in"."""
    words = [world.concepts.function[name] for name in TIME_ADPOSITIONS]
    days = rng.choice(np.array(words, np.int32), len(classes), p=list(TIME_ADPOSITIONS.values()))
    return np.where(classes == CLASS_ID["year"], world.concepts.function["in"], days).astype(np.int32)


def _compact(values: np.ndarray) -> np.ndarray:
    return values.astype(np.int32) if values.dtype == np.int64 else values


def _definiteness(common: np.ndarray, plural: np.ndarray, numeral: np.ndarray, u: np.ndarray) -> np.ndarray:
    definite = np.where(u < 0.6, DEFINITE, np.where(plural, 0, INDEFINITE))
    return np.where(common & (numeral < 0), definite, 0).astype(np.int8)


def _name_tokens(
    world: Knowledge, rng: np.random.Generator, head: np.ndarray, classes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Spell names out: given and family name, either alone, or a name with its designator."""
    person = classes == CLASS_ID["PER"]
    given = world.concepts.pools["given"][
        world.given_of.draw(rng, np.where(person, world.family_row[head], 0))
    ]
    u = rng.random(len(head))
    both, only_given = person & (u < 0.45), person & (u > 0.8)
    second = np.where(classes < len(ENTITY_TYPES), world.designator[classes, head], -1)
    second = np.where(both, head, np.where(person, -1, second))
    return np.where(both | only_given, given, head), second


def _adjuncts(
    batch: Columns, world: Knowledge, rng: np.random.Generator, frames: np.ndarray, verbal: np.ndarray
) -> None:
    for role in ADJUNCTS:
        rows = np.flatnonzero(verbal & (rng.random(batch.size) < P_ADJUNCT[role][frames]))
        topics = batch["topic"][rows]
        fillers = world.draw_filler(rng, topics, world.draw_class(rng, frames[rows], role))
        phrase = noun_phrases(world, rng, fillers, topics, rich=0.0 if role == "time" else 0.4)
        phrase["adposition"] = adpositions(world, rng, role, phrase["filler_class"])
        batch.put_rows(role, phrase, rows)


def adpositions(world: Knowledge, rng: np.random.Generator, role: str, classes: np.ndarray) -> np.ndarray:
    """Return adposition concepts for phrases in `role` whose fillers are of `classes`; -1 for core roles."""
    if role == "place":
        words = [world.concepts.function[name] for name in PLACE_ADPOSITIONS]
        return rng.choice(np.array(words, np.int32), len(classes), p=list(PLACE_ADPOSITIONS.values()))
    if role == "time":
        return _time_adpositions(world, rng, classes)
    word = world.concepts.function[ADPOSITIONS[role]] if role in ADPOSITIONS else -1
    return np.full(len(classes), word, np.int32)


def _pronouns(batch: Columns, world: Knowledge, rng: np.random.Generator) -> None:
    """Put pronouns for a share of the human subjects."""
    human = np.isin(batch["subject.filler_class"], [CLASS_ID["PER"], CLASS_ID["person"]])
    replaced = human & (rng.random(batch.size) < P_PRONOUN)
    words = world.concepts.function
    singular = rng.choice([words["he"], words["she"]], batch.size)
    plural = batch["subject.plural"]
    batch.put("subject", absent(batch.field("subject"), replaced))
    batch["subject.head"] = np.where(
        replaced, np.where(plural, words["they"], singular), batch["subject.head"]
    )
    batch["subject.head"] = batch["subject.head"].astype(np.int32)
    batch["subject.plural"] = plural
    batch["subject.filler_class"] = np.where(
        replaced, CLASS_ID["person"], batch["subject.filler_class"]
    ).astype(np.int8)


def _predicate(world: Knowledge, rng: np.random.Generator, heads: np.ndarray) -> np.ndarray:
    """Return an adjective that suits each common noun, -1 for names and pronouns."""
    rows = world.noun_row[heads]
    adjectives = world.adjectives[world.adjective_of.draw(rng, np.maximum(rows, 0))]
    return np.where(rows >= 0, adjectives, -1)


def _verbal_features(batch: Columns, world: Knowledge, rng: np.random.Generator, verbs: np.ndarray) -> None:
    n = batch.size
    batch["tense"] = rng.choice(3, n, p=TENSE_SHARES).astype(np.int8)
    batch["negated"] = rng.random(n) < P_NEGATED
    verbal = batch["verb"] >= 0
    batch["passive"] = verbal & (batch["object.head"] >= 0) & (rng.random(n) < P_PASSIVE)
    adverbs = world.concepts.adverbs[world.adverb_of.draw(rng, world.verb_row[verbs])]
    batch["adverb"] = np.where(verbal & (rng.random(n) < P_ADVERB), adverbs, -1).astype(np.int32)
