"""The world in words: realise events in a language, all sentences at once."""

import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

import numpy as np

from crosslingua.corpora.world.concepts import Concepts, stream, zipf
from crosslingua.corpora.world.events import (
    Columns,
    ConceptFilter,
    Knowledge,
    absent,
    blank_clauses,
    sample_clauses,
)
from crosslingua.corpora.world.lexicon import FormTable, Lexicon
from crosslingua.corpora.world.spec import Family, LanguageSpec
from crosslingua.corpora.world.syntax import (
    COORDINATED,
    REPORTED,
    SURFACE_ROLES,
    Column,
    OrderSlot,
    clause_columns,
    question_order,
    sentence_order,
    surface_roles,
)

SYNONYM_SHARE = 0.35  # of the occurrences of a concept that has a synonym


@dataclass
class Told:
    """Sentences as a matrix of slots: `form` and `concept` are [n, slots], -1 where a slot is empty.

    `keys[j]` names the part in slot j. `merged` maps a modifier's key to the key of the compound that holds
    it, and the mask of sentences where that is so.
    """

    keys: list[str]
    form: np.ndarray
    concept: np.ndarray
    merged: dict[str, tuple[str, np.ndarray]] = field(default_factory=dict)

    def take(self, rows: np.ndarray) -> Self:
        """Return the sentences of `rows` (numbers or a mask)."""
        merged = {key: (head, mask[rows]) for key, (head, mask) in self.merged.items()}
        return Told(self.keys, self.form[rows], self.concept[rows], merged)

    @property
    def lengths(self) -> np.ndarray:
        """Tokens of each sentence."""
        return (self.form >= 0).sum(axis=1)

    def tokens(self) -> tuple[np.ndarray, np.ndarray]:
        """Return sentence number and slot number of every token, in reading order."""
        return np.nonzero(self.form >= 0)

    def positions(self) -> dict[str, np.ndarray]:
        """Return for each part its token position in each sentence, 0-based, -1 where it is absent."""
        present = self.form >= 0
        place = np.cumsum(present, axis=1) - 1
        where: dict[str, np.ndarray] = {}
        for slot, key in enumerate(self.keys):
            position = np.where(present[:, slot], place[:, slot], -1)
            where[key] = np.maximum(where[key], position) if key in where else position
        for modifier, (head, mask) in self.merged.items():
            apart = where.get(modifier, np.full(len(mask), -1))
            where[modifier] = np.where(mask, where[head], apart)
        return where


class Language:
    """One language ready to speak: lexicon, forms, and the order of all slots."""

    def __init__(self, spec: LanguageSpec, concepts: Concepts, lexicon: Lexicon):
        self.spec, self.concepts, self.lexicon = spec, concepts, lexicon
        self.forms = FormTable(spec, concepts, lexicon)
        self.surfaces = self.forms.surfaces  # by number; compounds are added as they are first met
        self.order, self.question_order = sentence_order(spec), question_order(spec)
        self._hashes: list[int] = []

    def hashes(self) -> np.ndarray:
        """Return a 64-bit number for each written form, a function of its spelling alone."""
        for word in self.surfaces[len(self._hashes) :]:
            digest = hashlib.blake2b(word.encode(), digest_size=8).digest()
            self._hashes.append(int.from_bytes(digest, "little"))
        return np.array(self._hashes, dtype=np.uint64)

    def tell(self, a: Columns, b: Columns | None = None, link: np.ndarray | None = None) -> Told:
        """Return sentences of clauses `a`, with `b` as `link` ([n], 0 none, COORDINATED or REPORTED) says."""
        link = np.zeros(a.size, np.int8) if link is None or b is None else link
        columns = clause_columns(self.spec, self.concepts, surface_roles(a, self.concepts), "a")
        rows = np.flatnonzero(link)
        if b is not None and len(rows):
            second = surface_roles(b.take(rows), self.concepts)
            for key, column in clause_columns(self.spec, self.concepts, second, "b").items():
                columns[key] = _spread(column[0], rows, a.size, -1), _spread(column[1], rows, a.size, 0)
        words = self.concepts.function
        contrast = a["negated"] ^ (a if b is None else b)["negated"]
        columns["conjunction"] = (np.where(contrast, words["but"], words["and"]), 0)
        columns["mark"] = (np.full(a.size, words["that"]), 0)
        signs = self.concepts.punctuation
        columns["end"] = (np.where(a["question"], signs["?"], signs["."]), 0)
        columns["polite"] = (np.where(a["polite"], words["please"], -1), 0)
        return self.assemble(self.order, columns, self._conditions(a, b, link), a["variety"], a["resaid"])

    def ask(self, batch: Columns, asked: np.ndarray) -> Told:
        """Return questions; `asked`: [n] roles, numbers in SURFACE_ROLES. See `syntax.question`."""
        columns = clause_columns(self.spec, self.concepts, batch, "a")
        columns["end"] = (np.full(batch.size, self.concepts.punctuation["?"]), 0)
        conditions = self._conditions(batch, None, np.zeros(batch.size, np.int8))
        for number, role in enumerate(SURFACE_ROLES):
            conditions[f"asked.{role}"] = asked == number
            conditions[f"unasked.{role}"] = asked != number
        return self.assemble(self.question_order, columns, conditions, batch["variety"], batch["resaid"])

    def assemble(
        self,
        order: list[OrderSlot],
        columns: Mapping[str, Column],
        conditions: Mapping[str, np.ndarray],
        variety: np.ndarray,
        resaid: np.ndarray,
    ) -> Told:
        """Put the words of `columns` into the slots of `order` whose condition holds."""
        formed, merged = self._inflect(columns, variety, resaid)
        keys, form, concept = [], [], []
        for slot in order:
            if slot.key not in formed:
                continue
            concepts, forms = formed[slot.key]
            if slot.condition:
                clause = slot.key.partition(".")[0]
                names = [n if n in conditions else f"{clause}.{n}" for n in slot.condition.split("+")]
                holds = np.logical_and.reduce([conditions[name] for name in names])
                if not holds.any():
                    continue
                concepts, forms = np.where(holds, concepts, -1), np.where(holds, forms, -1)
            if (forms >= 0).any():
                keys.append(slot.key)
                form.append(forms)
                concept.append(concepts)
        return Told(keys, np.stack(form, axis=1), np.stack(concept, axis=1), merged)

    def _conditions(self, a: Columns, b: Columns | None, link: np.ndarray) -> dict[str, np.ndarray]:
        conditions = {"coordinated": link == COORDINATED, "reported": link == REPORTED}
        for clause, batch in (("a", a), ("b", b)):
            if batch is not None:
                fronted = chance(batch["variety"], "fronting") < self.spec.fronting
                conditions[f"{clause}.fronted"], conditions[f"{clause}.in_place"] = fronted, ~fronted
                free = batch["free"] & (chance(batch["variety"], "free_order") < self.spec.free_order)
                if not self.spec.morphology.has_case("object"):
                    # In a passive the agent's adposition tells who acts; in an active clause nothing would.
                    free &= batch["passive"]
                conditions[f"{clause}.free"], conditions[f"{clause}.usual"] = free, ~free
        return conditions

    def _inflect(
        self, columns: Mapping[str, Column], variety: np.ndarray, resaid: np.ndarray
    ) -> tuple[dict[str, tuple[np.ndarray, np.ndarray]], dict[str, tuple[str, np.ndarray]]]:
        formed, merged = {}, {}
        for key, (concepts, features) in columns.items():
            if not (concepts >= 0).any():
                continue
            rows = np.flatnonzero(concepts >= 0)
            variant = ((chance(variety[rows], key) < SYNONYM_SHARE) ^ resaid[rows]).astype(np.int8)
            feature = features if isinstance(features, int) else features[rows]
            forms = np.full(len(concepts), -1, np.int32)
            forms[rows] = self.forms.form[variant, concepts[rows], feature]
            formed[key] = (concepts, forms)
        for key in [key for key in formed if self.spec.compounding and key.endswith(".modifier")]:
            self._merge(key, formed, merged)
        return formed, merged

    def _merge(self, key: str, formed: dict, merged: dict) -> None:
        """Write modifier and head as one word where both are common nouns."""
        head_key = key.replace(".modifier", ".head")
        (modifier, modifier_form), (head, head_form) = formed[key], formed[head_key]
        common = np.array([pos == "NOUN" for pos in self.concepts.pos] + [False])
        mask = (modifier >= 0) & common[modifier] & (head >= 0) & common[head]
        rows = np.flatnonzero(mask)
        both = np.stack([modifier_form[rows], head_form[rows]])
        pairs, inverse = np.unique(both, axis=1, return_inverse=True)
        words = [self.forms.compound(int(m), int(h)) for m, h in pairs.T]
        head_form = head_form.copy()
        head_form[rows] = np.array(words, np.int32)[inverse.reshape(-1)]
        formed[head_key] = (head, head_form)
        formed[key] = (np.where(mask, -1, modifier), np.where(mask, -1, modifier_form))
        merged[key] = (head_key, mask)


def _spread(values: np.ndarray | int, rows: np.ndarray, n: int, elsewhere: int) -> np.ndarray:
    """Return `n` values: as given in `rows`, and `elsewhere`."""
    wide = np.full(n, elsewhere, np.int32)
    wide[rows] = values
    return wide


def chance(variety: np.ndarray, name: str) -> np.ndarray:
    """Return a number in [0, 1) for each event, fixed by its random bits and by what the choice is called."""
    mixed = (variety.astype(np.uint64) ^ np.uint64(zlib.crc32(name.encode()))) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return (mixed >> np.uint64(40)).astype(np.float64) / 2**24


class World:
    """The seeded world of a family of languages.

    All that is drawn is fixed by (seed, kind, languages, split): fewer sentences are a prefix of more.
    """

    def __init__(self, family: Family, seed: int):
        self.family, self.seed = family, seed
        self.concepts = Concepts(family.world, seed)
        self._languages: dict[str, Language] = {}
        self._lexicons: dict[str, Lexicon] = {}

    @cached_property
    def knowledge(self) -> Knowledge:
        """The whole knowledge, no concept left out."""
        return self.knowledge_of(None)

    def knowledge_of(self, admits: ConceptFilter | None) -> Knowledge:
        """Return the knowledge of the concepts that `admits` keeps."""
        return Knowledge(self.family.world, self.concepts, self.seed, admits)

    def language(self, code: str) -> Language:
        """Return a language. Raises ConfigError when the family has none of that code."""
        if code not in self._languages:
            self._languages[code] = Language(self.family[code], self.concepts, self.lexicon(code))
        return self._languages[code]

    def lexicon(self, code: str) -> Lexicon:
        """Return a language's lexicon, built after the lexicons from which it borrows."""
        if code not in self._lexicons:
            spec = self.family[code]
            first = next(iter(self.family))
            wanted = dict.fromkeys([*([first] if code != first else []), *(r.to for r in spec.relations)])
            others = {other: self.lexicon(other) for other in wanted}
            self._lexicons[code] = Lexicon(spec, self.family.world, self.concepts, self.seed, others)
        return self._lexicons[code]

    def topics_of(self, code: str) -> np.ndarray:
        """Return the topic distribution of a language's corpora, whose domain is shifted."""
        topics, shift = self.family.world.topics, self.family[code].domain_shift
        shifted = self.stream("domain", code).permutation(zipf(topics, 1.5))
        return (1 - shift) * zipf(topics, 0.5) + shift * shifted

    def stream(self, *name: str | int) -> np.random.Generator:
        """Return the random stream of this name."""
        return stream(self.seed, *name)


CHUNK = 4096  # sentences drawn at once: memory stays flat, and any size is a prefix of a larger one
LINK_SHARES = (0.78, 0.13, 0.09)  # single, coordinated, reported


@dataclass
class SentenceEvents:
    """Events of a chunk of sentences: main clauses, second clauses, and how they are linked ([n])."""

    a: Columns
    b: Columns
    link: np.ndarray

    def take(self, rows: np.ndarray) -> Self:
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
    second = sample_clauses(world, rng, topics[link > 0])
    # What reports is a verb of speech whose object is the other clause.
    verbs, rows = world.concepts.verbs["say"], np.flatnonzero(link == REPORTED)
    says = sample_clauses(world, rng, topics[rows], rng.choice(verbs, len(rows), p=zipf(len(verbs), 0.8)))
    says.put("object", absent(says.field("object"), np.ones(len(rows), bool)))
    says["passive"][:] = False
    for name in a:
        a[name][rows], b[name][link > 0] = says[name], second[name]
    return SentenceEvents(a, b, link)
