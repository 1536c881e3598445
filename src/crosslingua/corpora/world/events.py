"""Sample events (agent, action, patient, place and time), thousands at a time, from a split's knowledge."""

from collections.abc import Callable, Iterable
from typing import Self

import numpy as np

from crosslingua.corpora.world.concepts import (
    ADJECTIVE_CLASSES,
    ADJUNCTS,
    ADPOSITIONS,
    COMPOUNDS,
    ENTITY_TYPES,
    FRAMES,
    NOUN_CLASSES,
    ROLES,
    VARIED_ADPOSITIONS,
    Concepts,
    InverseTable,
    stream,
    zipf,
)
from crosslingua.corpora.world.spec import WorldSpec


class Columns(dict[str, np.ndarray]):
    """Arrays of one length by name, e.g. "verb" or "subject.head"; concept -1 means absent."""

    @property
    def size(self) -> int:
        """Number of events."""
        return len(next(iter(self.values())))

    def take(self, rows: np.ndarray) -> Self:
        """Return the events of `rows` (numbers or a mask), copied."""
        return Columns({name: values[rows] for name, values in self.items()})

    def copy(self) -> Self:
        """Return a copy that shares no array."""
        return Columns({name: values.copy() for name, values in self.items()})

    def field(self, role: str) -> Self:
        """Return the arrays of one noun phrase: `role.head` as "head", and so on."""
        prefix = role + "."
        return Columns({name[len(prefix) :]: v for name, v in self.items() if name.startswith(prefix)})

    def put(self, role: str, phrase: dict[str, np.ndarray], where: np.ndarray | None = None) -> None:
        """Set the noun phrase `role`, everywhere or in the masked events."""
        for name, values in phrase.items():
            key = f"{role}.{name}"
            self[key] = values if where is None else np.where(where, values, self[key])

    def put_rows(self, role: str, phrase: dict[str, np.ndarray], rows: np.ndarray) -> None:
        """Set the noun phrase `role` of these rows; `phrase` has one entry for each."""
        for name, values in phrase.items():
            self[f"{role}.{name}"][rows] = values

    def swap(self, first: str, second: str, where: np.ndarray) -> None:
        """Exchange two noun phrases in the masked events; adpositions stay with their roles."""
        a, b = self.field(first), self.field(second)
        kept = {name for name in a.keys() & b.keys() if name != "adposition"}
        self.put(first, {name: b[name] for name in kept}, where)
        self.put(second, {name: a[name] for name in kept}, where)


ENTITY_POOLS = {"PER": "family", "LOC": "place", "ORG": "organisation", "MISC": "work"}
CLASSES = (*ENTITY_POOLS, *NOUN_CLASSES, "time", "year")
CLASS_ID = {name: i for i, name in enumerate(CLASSES)}
OFF_TOPIC = 0.02  # weight of a concept outside its own topics
ConceptFilter = Callable[[np.ndarray], np.ndarray]


class Knowledge:
    """Sampling tables over concepts, of no language. `admits` keeps a part: splits may withhold words from training.

    A filler is a concept seen as a member of a class: an ambiguous name is several fillers.
    """

    def __init__(self, spec: WorldSpec, concepts: Concepts, seed: int, admits: ConceptFilter | None = None):
        self.spec, self.concepts = spec, concepts
        self._rng = stream(seed, "knowledge")
        self._admits = admits
        # [topics, concepts]: one on a concept's two topics, OFF_TOPIC elsewhere.
        self._affinity = np.full((spec.topics, len(concepts)), OFF_TOPIC)
        for _ in range(2):
            self._affinity[self._rng.integers(0, spec.topics, len(concepts)), np.arange(len(concepts))] = 1
        members = [concepts.pools[pool] for pool in ENTITY_POOLS.values()]
        members += [*concepts.nouns.values(), concepts.time, concepts.years]  # in the order of CLASSES
        weights = [self._admitted(each, zipf(len(each), spec.zipf)) for each in members]
        self.filler, self._filler_weight = np.concatenate(members), np.concatenate(weights)
        self.filler_class = np.repeat(np.arange(len(CLASSES)), list(map(len, members)))
        self._verb_tables()
        self._argument_tables()
        self._modifier_tables()
        self._name_tables()

    def draw_class(self, rng: np.random.Generator, frames: np.ndarray, argument: str) -> np.ndarray:
        """Return a filler class for `argument` of verbs of `frames` (frame numbers)."""
        return self._class_of_argument.draw(rng, frames * len(ROLES) + ROLES.index(argument))

    def draw_filler(self, rng: np.random.Generator, topics: np.ndarray, classes: np.ndarray) -> np.ndarray:
        """Return fillers of `classes` in `topics`."""
        return self._filler_by_topic.draw(rng, topics * len(CLASSES) + classes)

    def draw_argument(
        self, rng: np.random.Generator, topics: np.ndarray, verbs: np.ndarray, argument: str
    ) -> np.ndarray:
        """Return fillers of `argument` ("subject", "object"): by the verb's taste, or by topic."""
        rows = self.verb_row[verbs]
        tasteful = self._filler_by_verb.draw(rng, rows * 2 + ("subject", "object").index(argument))
        classes = self.draw_class(rng, self.frame_of[verbs], argument)
        topical = self.draw_filler(rng, topics, classes)
        return np.where(rng.random(len(verbs)) < self.spec.topicality, topical, tasteful)

    def _admitted(self, concepts: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Drop items that are not admitted, unless nothing would be left."""
        if self._admits is None:
            return weights
        kept = self._admits(concepts)
        return np.where(kept, weights, 0.0) if kept.any() else weights

    def _tastes(self, shape: tuple[int, ...]) -> np.ndarray:
        """Draw preferences: most near zero, a few large, none zero."""
        return self._rng.gamma(self.spec.selectivity, size=shape) + 1e-6

    def _rows(self, members: Iterable[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Return all of `members`, and for each concept its row among them, -1 for none."""
        listed = np.concatenate(list(members))
        row = np.full(len(self.concepts), -1, dtype=np.int32)
        row[listed] = np.arange(len(listed))
        return listed, row

    def _verb_tables(self) -> None:
        self.verbs, self.verb_row = self._rows(self.concepts.verbs.values())
        self.frame_of = np.zeros(len(self.concepts), dtype=np.int32)
        weights = []
        for number, (name, frame) in enumerate(FRAMES.items()):
            members = self.concepts.verbs[name]
            self.frame_of[members] = number
            weights.append(self._admitted(members, frame.share * zipf(len(members), self.spec.zipf)))
        topical = np.concatenate(weights) * self._affinity[:, self.verbs]
        self.verb_by_topic = InverseTable(topical, self._rng)

    def _argument_tables(self) -> None:
        by_class = np.zeros((len(FRAMES), len(ROLES), len(CLASSES)))
        for number, frame in enumerate(FRAMES.values()):
            for place, role in enumerate(ROLES):
                for name, weight in (ADJUNCTS.get(role) or getattr(frame, role)).items():
                    by_class[number, place, CLASS_ID[name]] = weight
        self._class_of_argument = InverseTable(by_class.reshape(-1, len(CLASSES)) + 1e-12, self._rng)
        in_class = self.filler_class == np.arange(len(CLASSES))[:, None]
        topical = self._affinity[:, None, self.filler] * self._filler_weight * in_class
        self._filler_by_topic = InverseTable(topical.reshape(-1, len(self.filler)), self._rng)
        taste = self._filler_weight * self._tastes((len(self.verbs), 2, len(self.filler)))
        # Classes are made to follow the frame. No matrix product: its last bits vary with threads.
        share = np.stack([taste[:, :, members].sum(axis=2) for members in in_class], axis=2)
        wanted = by_class[self.frame_of[self.verbs], :2]
        taste *= np.take(wanted / np.maximum(share, 1e-12), self.filler_class, axis=2)
        self._filler_by_verb = InverseTable(taste.reshape(-1, len(self.filler)) + 1e-30, self._rng)

    def _modifier_tables(self) -> None:
        """Adjectives of nouns, compound modifiers of nouns, adverbs of verbs."""
        concepts, rng = self.concepts, self._rng
        nouns, self.noun_row = self._rows(concepts.nouns.values())  # without time nouns
        self.noun_class = np.full(len(concepts), -1, dtype=np.int32)
        for name, members in concepts.nouns.items():
            self.noun_class[members] = CLASS_ID[name]
        self.adjectives = np.concatenate(list(concepts.adjectives.values()))
        columns = []
        for kind, members in concepts.adjectives.items():
            suited = np.isin(self.noun_class[nouns], [CLASS_ID[name] for name in ADJECTIVE_CLASSES[kind]])
            columns.append(suited[:, None] * self._admitted(members, zipf(len(members), self.spec.zipf)))
        fits = np.concatenate(columns, axis=1)
        self.adjective_of = InverseTable(fits * self._tastes(fits.shape) + 1e-30, rng)
        modifiers = np.zeros((len(nouns), len(nouns)))
        for head, allowed in COMPOUNDS.items():
            rows = self.noun_class[nouns] == CLASS_ID[head]
            modifiers[np.ix_(rows, np.isin(self.noun_class[nouns], [CLASS_ID[name] for name in allowed]))] = 1
        self.compounds = modifiers.any(axis=1) & (rng.random(len(nouns)) < 0.4)
        modifiers *= self._admitted(nouns, np.ones(len(nouns))) * self._tastes(modifiers.shape)
        self.modifier_of = InverseTable(modifiers + 1e-30, rng)
        taste = self._tastes((len(self.verbs), len(concepts.adverbs)))
        self.adverb_of = InverseTable(zipf(len(concepts.adverbs), self.spec.zipf) * taste, rng)
        self.nouns = nouns

    def _name_tables(self) -> None:
        """Which given names go with a family name, and which names carry a designator ("Karvel Bank")."""
        concepts, rng = self.concepts, self._rng
        given = concepts.pools["given"]
        family, self.family_row = self._rows([concepts.pools["family"]])
        weights = zipf(len(given), 0.5) * self._tastes((len(family), len(given)))
        self.given_of = InverseTable(self._admitted(given, weights), rng)
        self.designator = np.full((len(CLASSES), len(concepts)), -1, dtype=np.int32)
        for kind, share in (("LOC", 0.12), ("ORG", 0.5), ("MISC", 0.6)):
            pool = concepts.pools[ENTITY_POOLS[kind]]
            bears = rng.random(len(pool)) < share
            self.designator[CLASS_ID[kind], pool[bears]] = rng.choice(concepts.designators[kind], bears.sum())


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

    The arrays of `blank_clauses` describe the clause, such as predicate (the adjective of "X is ADJ"), modal and
    variety (random bits for a language's choices). `free` allows the language's free word order, and `resaid` puts
    synonyms for words and words for synonyms. They also describe each role, such as second (token of a name) and
    kind (entity type + 1, or 0). A concept that is absent is -1.
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
    for role in ADJUNCTS:
        rows = np.flatnonzero(~copular & (rng.random(n) < P_ADJUNCT[role][frames]))
        fillers = world.draw_filler(rng, topics[rows], world.draw_class(rng, frames[rows], role))
        phrase = noun_phrases(world, rng, fillers, topics[rows], rich=0.0 if role == "time" else 0.4)
        phrase["adposition"] = adpositions(world, rng, role, phrase["filler_class"])
        batch.put_rows(role, phrase, rows)
    _pronouns(batch, world, rng)
    noun_rows = world.noun_row[batch["subject.head"]]  # -1 for names and pronouns, which no adjective suits
    suitable = world.adjectives[world.adjective_of.draw(rng, np.maximum(noun_rows, 0))]
    batch["predicate"] = np.where(copular & (noun_rows >= 0), suitable, -1).astype(np.int32)
    batch["verb"] = np.where(batch["predicate"] >= 0, -1, drawn).astype(np.int32)
    verbal = batch["verb"] >= 0
    batch["tense"] = rng.choice(3, n, p=TENSE_SHARES).astype(np.int8)
    batch["negated"] = rng.random(n) < P_NEGATED
    batch["passive"] = verbal & (batch["object.head"] >= 0) & (rng.random(n) < P_PASSIVE)
    adverbs = world.concepts.adverbs[world.adverb_of.draw(rng, world.verb_row[drawn])]
    batch["adverb"] = np.where(verbal & (rng.random(n) < P_ADVERB), adverbs, -1).astype(np.int32)
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
    for name in ("negated", "passive", "question", "polite", "free", "resaid"):
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
    definite = np.where(draw[3] < 0.6, DEFINITE, np.where(plural, 0, INDEFINITE))
    phrase = {
        "plural": plural, "numeral": numeral, "adjective": adjective,
        "definite": np.where(common & (numeral < 0), definite, 0).astype(np.int8),
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
    return {name: v.astype(np.int32) if v.dtype == np.int64 else v for name, v in phrase.items()}


def absent(phrase: dict[str, np.ndarray], where: np.ndarray) -> dict[str, np.ndarray]:
    """Return the noun phrases emptied in the masked events."""
    empty = {"plural": False, "definite": 0, "kind": 0, "owner_kind": 0}
    return {name: np.where(where, np.array(empty.get(name, -1), v.dtype), v) for name, v in phrase.items()}


def _name_tokens(
    world: Knowledge, rng: np.random.Generator, head: np.ndarray, classes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Spell names out: given and family name, either alone, or a name with its designator."""
    person = classes == CLASS_ID["PER"]
    rows = np.where(person, world.family_row[head], 0)
    given = world.concepts.pools["given"][world.given_of.draw(rng, rows)]
    u = rng.random(len(head))
    both, only_given = person & (u < 0.45), person & (u > 0.8)
    second = np.where(classes < len(ENTITY_TYPES), world.designator[classes, head], -1)
    second = np.where(both, head, np.where(person, -1, second))
    return np.where(both | only_given, given, head), second


def adpositions(world: Knowledge, rng: np.random.Generator, role: str, classes: np.ndarray) -> np.ndarray:
    """Return adposition concepts for phrases in `role` whose fillers are of `classes`; -1 for core roles."""
    function = world.concepts.function
    if role not in VARIED_ADPOSITIONS:
        return np.full(len(classes), function[ADPOSITIONS[role]] if role in ADPOSITIONS else -1, np.int32)
    shares = VARIED_ADPOSITIONS[role]
    words = np.array([function[name] for name in shares], np.int32)
    drawn = rng.choice(words, len(classes), p=list(shares.values()))
    return np.where(classes == CLASS_ID["year"], np.int32(function["in"]), drawn)


def _pronouns(batch: Columns, world: Knowledge, rng: np.random.Generator) -> None:
    """Put pronouns for a share of the human subjects."""
    human = np.isin(batch["subject.filler_class"], [CLASS_ID["PER"], CLASS_ID["person"]])
    replaced = human & (rng.random(batch.size) < P_PRONOUN)
    words = world.concepts.function
    singular = rng.choice([words["he"], words["she"]], batch.size)
    plural = batch["subject.plural"]
    batch.put("subject", absent(batch.field("subject"), replaced))
    batch["subject.head"][replaced] = np.where(plural, words["they"], singular)[replaced]
    batch["subject.plural"] = plural
    batch["subject.filler_class"][replaced] = CLASS_ID["person"]
