"""The inventory of concepts: meanings with part of speech and class, the ontology, the intents, seeded choices."""

import hashlib
from dataclasses import dataclass, field

import numpy as np

from crosslingua.corpora.world.spec import WorldSpec

# The world's fixed skeleton: how many concepts fill each class is set in world.yaml.
ENTITY_TYPES = ("PER", "LOC", "ORG", "MISC")

# Noun class -> share of the common nouns. The first concept of each class is its hypernym ("animal").
NOUN_CLASSES = {
    "person": 0.17, "animal": 0.11, "food": 0.10, "artefact": 0.18, "vehicle": 0.05, "building": 0.10,
    "nature": 0.09, "material": 0.06, "idea": 0.09, "event": 0.05,
}  # fmt: skip
TIME_NOUNS = 12  # days and parts of the day: a closed class
YEARS = 40  # numerals written in digits, the same in every language
NUMERALS = 9

# Function concepts: name -> universal part of speech.
FUNCTION_WORDS = {
    "the": "DET", "a": "DET",
    "in": "ADP", "near": "ADP", "behind": "ADP", "from": "ADP", "to": "ADP", "with": "ADP", "by": "ADP",
    "of": "ADP", "on": "ADP", "after": "ADP", "before": "ADP",
    "and": "CCONJ", "but": "CCONJ", "that": "SCONJ",
    "will": "AUX", "be": "AUX", "may": "AUX", "not": "PART",
    "he": "PRON", "she": "PRON", "it": "PRON", "they": "PRON", "i": "PRON", "me": "PRON", "you": "PRON",
    "who": "PRON", "what": "PRON", "where": "ADV", "when": "ADV",
    "please": "INTJ",
}  # fmt: skip
PUNCTUATION = (".", "?", ",")


@dataclass(frozen=True)
class Frame:
    """What a class of verbs selects: filler classes by weight, adjuncts by probability."""

    share: float
    subject: dict[str, float]
    object: dict[str, float] = field(default_factory=dict)
    adjuncts: dict[str, float] = field(default_factory=dict)


FRAMES = {
    "motion": Frame(
        0.11, {"PER": 0.35, "person": 0.3, "animal": 0.12, "vehicle": 0.23},
        adjuncts={"source": 0.35, "goal": 0.65, "companion": 0.15, "time": 0.2},
    ),
    "state": Frame(
        0.08, {"PER": 0.3, "person": 0.3, "animal": 0.25, "food": 0.05, "material": 0.1},
        adjuncts={"place": 0.5, "time": 0.25, "companion": 0.15},
    ),
    "change": Frame(
        0.09, {"artefact": 0.25, "material": 0.2, "nature": 0.2, "vehicle": 0.1, "food": 0.1, "MISC": 0.15},
        adjuncts={"place": 0.3, "time": 0.3},
    ),
    "happen": Frame(0.05, {"event": 0.55, "MISC": 0.45}, adjuncts={"place": 0.6, "time": 0.5}),
    "consume": Frame(
        0.08, {"PER": 0.25, "person": 0.3, "animal": 0.45}, {"food": 0.85, "material": 0.15},
        adjuncts={"place": 0.25, "time": 0.15},
    ),
    "handle": Frame(
        0.12, {"PER": 0.3, "person": 0.7}, {"artefact": 0.55, "vehicle": 0.12, "material": 0.23, "MISC": 0.1},
        adjuncts={"place": 0.25, "companion": 0.12, "time": 0.12},
    ),
    "make": Frame(
        0.09, {"PER": 0.35, "person": 0.35, "ORG": 0.3},
        {"artefact": 0.35, "building": 0.15, "MISC": 0.4, "vehicle": 0.05, "idea": 0.05},
        adjuncts={"place": 0.2, "time": 0.25},
    ),
    "perceive": Frame(
        0.08, {"PER": 0.35, "person": 0.45, "animal": 0.2},
        {"animal": 0.25, "nature": 0.2, "event": 0.15, "artefact": 0.15, "PER": 0.1, "MISC": 0.15},
        adjuncts={"place": 0.3, "time": 0.1},
    ),
    "transfer": Frame(
        0.08, {"PER": 0.4, "person": 0.3, "ORG": 0.3}, {"artefact": 0.5, "food": 0.3, "idea": 0.2},
        adjuncts={"recipient": 0.8, "time": 0.1},
    ),
    "social": Frame(
        0.08, {"PER": 0.5, "person": 0.5}, {"PER": 0.5, "person": 0.5},
        adjuncts={"place": 0.3, "time": 0.25},
    ),
    "rival": Frame(
        0.06, {"ORG": 0.75, "PER": 0.25}, {"ORG": 0.75, "PER": 0.25},
        adjuncts={"place": 0.25, "time": 0.3},
    ),
    "visit": Frame(
        0.05, {"PER": 0.55, "person": 0.45}, {"LOC": 0.7, "building": 0.3},
        adjuncts={"companion": 0.2, "time": 0.35},
    ),
    "govern": Frame(
        0.05, {"PER": 0.4, "ORG": 0.5, "person": 0.1}, {"LOC": 0.3, "ORG": 0.3, "event": 0.2, "idea": 0.2},
        adjuncts={"time": 0.25, "place": 0.1},
    ),
    "say": Frame(
        0.08, {"PER": 0.6, "person": 0.2, "ORG": 0.2}, {"idea": 0.55, "event": 0.25, "MISC": 0.2},
        adjuncts={"recipient": 0.3, "time": 0.1},
    ),
}  # fmt: skip

# Adjunct role -> filler classes. Time fillers are days (`time`) and years (`year`).
ADJUNCTS = {
    "recipient": {"PER": 0.5, "person": 0.35, "ORG": 0.15},
    "source": {"LOC": 0.65, "building": 0.35},
    "goal": {"LOC": 0.65, "building": 0.35},
    "companion": {"PER": 0.35, "person": 0.35, "artefact": 0.3},
    "place": {"LOC": 0.4, "building": 0.35, "nature": 0.25},
    "time": {"time": 0.65, "year": 0.35},
}

ROLES = ("subject", "object", *ADJUNCTS)  # of an event, before any passive

# Role -> function concept that marks it where a language uses adpositions. Place and time vary.
ADPOSITIONS = {"recipient": "to", "source": "from", "goal": "to", "companion": "with", "agent": "by"}
VARIED_ADPOSITIONS = {
    "place": {"in": 0.65, "near": 0.2, "behind": 0.15},
    "time": {"on": 0.6, "after": 0.2, "before": 0.2},  # of days; years have "in"
}

# Adjective class -> noun classes that it describes.
ADJECTIVE_CLASSES = {
    "human": ("person",), "living": ("person", "animal"), "taste": ("food", "material"),
    "shape": ("artefact", "vehicle", "building"),
    "size": ("artefact", "building", "nature", "animal", "vehicle"),
    "value": ("idea", "event", "artefact", "food"), "matter": ("material", "nature"),
}  # fmt: skip
# Modifier-head classes that compound ("forest path").
COMPOUNDS = {
    "building": ("food", "person", "material"), "artefact": ("material", "food", "animal"),
    "event": ("idea", "person"), "person": ("building", "vehicle", "artefact"),
    "nature": ("animal", "material"), "food": ("nature", "animal"),
}  # fmt: skip


def stream(seed: int, *name: str | int) -> np.random.Generator:
    """Return the generator of the stream `name` under `seed`; streams of other names are independent."""
    digest = hashlib.blake2b(repr((int(seed), *name)).encode(), digest_size=16).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest, "little")))


def zipf(n: int, exponent: float) -> np.ndarray:
    """Return Zipfian weights of ranks 1 to n, summing to one."""
    weights = (np.arange(n) + 2.0) ** -exponent
    return weights / weights.sum()


class InverseTable:
    """Fast draws from many discrete distributions, by a table of each one's inverse distribution function.

    `weights`: [rows, n] non-negative, a positive sum a row. Each row is cut into `size` cells with a random offset, so
    items rarer than 1/size keep their expected share over rows.
    """

    def __init__(self, weights: np.ndarray, rng: np.random.Generator, *, size: int = 2048):
        weights = np.atleast_2d(np.asarray(weights, dtype=float))
        cumulative = np.cumsum(weights, axis=1)
        cumulative /= cumulative[:, -1:]
        quantiles = (np.arange(size) + rng.random((len(weights), 1))) / size
        rows = zip(cumulative, quantiles, strict=True)
        cells = [np.searchsorted(shares, points, side="right") for shares, points in rows]
        self._cells = np.minimum(cells, weights.shape[1] - 1).astype(np.int32)
        self._size = size

    def draw(self, rng: np.random.Generator, rows: np.ndarray) -> np.ndarray:
        """Return one item for each entry of `rows` (row numbers of the table)."""
        return self._cells[rows, rng.integers(0, self._size, len(rows))]


DESIGNATORS = {"LOC": 6, "ORG": 12, "MISC": 8}  # words such as "Lake", "Bank", "Prize": parts of names


class Concepts:
    """Concept numbers by group. `pos[c]` is the universal part of speech, `group[c]` the group's name.

    `nouns[class]`, `verbs[frame]`, `adjectives[class]` and `pools[pool]` are arrays of concepts, the most
    frequent first. A name may stand in several pools: it is ambiguous between entity types.
    """

    def __init__(self, spec: WorldSpec, seed: int):
        self.pos: list[str] = []
        self.group: list[str] = []
        self.function = {name: self._add("function", pos) for name, pos in FUNCTION_WORDS.items()}
        self.punctuation = {name: self._add("punctuation", "PUNCT") for name in PUNCTUATION}
        self.numerals = self._many(NUMERALS, "numeral", "NUM")
        self.years = self._many(YEARS, "year", "NUM")
        self.time = self._many(TIME_NOUNS, "time", "NOUN")
        nouns = _sizes(spec.nouns, NOUN_CLASSES)
        self.nouns = {name: self._many(n, f"noun:{name}", "NOUN") for name, n in nouns.items()}
        verbs = _sizes(spec.verbs, {name: frame.share for name, frame in FRAMES.items()})
        self.verbs = {name: self._many(n, f"verb:{name}", "VERB") for name, n in verbs.items()}
        adjectives = _sizes(spec.adjectives, dict.fromkeys(ADJECTIVE_CLASSES, 1 / len(ADJECTIVE_CLASSES)))
        self.adjectives = {name: self._many(n, f"adjective:{name}", "ADJ") for name, n in adjectives.items()}
        self.adverbs = self._many(spec.adverbs, "adverb", "ADV")
        self.designators = {kind: self._many(n, "designator", "PROPN") for kind, n in DESIGNATORS.items()}
        self.pools = self._name_pools(spec, stream(seed, "names"))

    def __len__(self) -> int:
        return len(self.pos)

    def _add(self, group: str, pos: str) -> int:
        self.pos.append(pos)
        self.group.append(group)
        return len(self.pos) - 1

    def _many(self, n: int, group: str, pos: str) -> np.ndarray:
        return np.array([self._add(group, pos) for _ in range(n)], dtype=np.int32)

    def _name_pools(self, spec: WorldSpec, rng: np.random.Generator) -> dict[str, np.ndarray]:
        """Fill the pools; a share of each pool after the given names is borrowed from the pools before it."""
        pools: dict[str, np.ndarray] = {}
        for pool, size in spec.names.items():
            lenders = [names for name, names in pools.items() if name != "given"]
            borrowed = round(size * spec.ambiguous_names) if lenders else 0
            fresh = self._many(size - borrowed, "name", "PROPN")
            if borrowed:
                lent = np.unique(np.concatenate(lenders))
                fresh = np.concatenate([fresh, rng.choice(lent, min(borrowed, len(lent)), replace=False)])
            pools[pool] = rng.permutation(fresh)
        return pools


def _sizes(total: int, shares: dict[str, float]) -> dict[str, int]:
    """Divide `total` by `shares`; every class gets at least three members."""
    weight = sum(shares.values())
    return {name: max(3, round(total * share / weight)) for name, share in shares.items()}


# Intents share verbs, and slots share fillers: only context separates them. Command verbs: a frame's verb by rank. An
# intent uses two or three of them.
VERBS = {
    "book": ("transfer", 1), "find": ("perceive", 1), "show": ("perceive", 2), "tell": ("say", 1),
    "play": ("make", 1), "add": ("handle", 1), "set": ("make", 2), "send": ("transfer", 2),
    "cancel": ("change", 1), "reserve": ("handle", 2),
}  # fmt: skip


@dataclass(frozen=True)
class Slot:
    """A slot: its label, the role and part that hold it, the class of its fillers, how often it is given.

    Without a label, the phrase is a mention that a tagger must not mark.
    """

    label: str
    role: str
    filler: str
    share: float
    part: str = "name"  # or "adjective", "numeral": only that word of the phrase is labelled


@dataclass(frozen=True)
class Intent:
    """An intent: domain, verbs, topic (noun class and ranks; None: a slot), and slots."""

    name: str
    domain: str
    verbs: tuple[str, ...]
    thing: tuple[str, int, int] | None
    slots: tuple[Slot, ...]

    def verb_concepts(self, concepts: Concepts) -> list[np.int32]:
        """Return the concepts of its verbs."""
        ranked = ((concepts.verbs[frame], rank) for frame, rank in (VERBS[name] for name in self.verbs))
        return [members[min(rank, len(members) - 1)] for members, rank in ranked]

    def thing_concepts(self, concepts: Concepts) -> np.ndarray:
        """Return the concepts of the thing that it is about."""
        noun_class, first, last = self.thing
        nouns = concepts.nouns[noun_class]
        return nouns[first:last] if len(nouns) > first else nouns[:1]


DATE = Slot("date", "time", "time", 0.7)
FOR_SOMEBODY = Slot("", "recipient", "PER", 0.25)
WITH_SOMEBODY = Slot("", "companion", "PER", 0.2)
INTENTS = (
    Intent("book_flight", "travel", ("book", "find", "reserve"), ("vehicle", 1, 2), (
        Slot("from_city", "source", "LOC", 0.75), Slot("to_city", "goal", "LOC", 0.9), DATE, WITH_SOMEBODY)),
    Intent("find_connection", "travel", ("find", "show", "tell"), ("vehicle", 2, 3), (
        Slot("from_city", "source", "LOC", 0.9), Slot("to_city", "goal", "LOC", 0.9), DATE, FOR_SOMEBODY)),
    Intent("book_room", "travel", ("book", "reserve"), ("building", 1, 3), (
        Slot("city", "place", "LOC", 0.9), DATE, Slot("party_size", "companion", "person", 0.5, "numeral"))),
    Intent("get_weather", "weather", ("tell", "show"), ("nature", 1, 4), (
        Slot("city", "place", "LOC", 0.85), DATE, FOR_SOMEBODY)),
    Intent("get_warning", "weather", ("tell", "send"), ("event", 1, 2), (
        Slot("city", "place", "LOC", 0.8), Slot("date", "time", "time", 0.4))),
    Intent("play_music", "music", ("play", "find"), None, (
        Slot("track", "object", "MISC", 1.0), Slot("artist", "source", "PER", 0.6), FOR_SOMEBODY)),
    Intent("add_to_playlist", "music", ("add", "set"), None, (
        Slot("track", "object", "MISC", 1.0), Slot("playlist", "goal", "MISC", 0.8), WITH_SOMEBODY)),
    Intent("set_reminder", "agenda", ("set", "add", "tell"), None, (
        Slot("todo", "object", "event", 1.0), Slot("person", "companion", "PER", 0.6), DATE)),
    Intent("cancel_meeting", "agenda", ("cancel",), None, (
        Slot("todo", "object", "event", 1.0), Slot("person", "companion", "PER", 0.4), DATE)),
    Intent("send_message", "agenda", ("send", "tell"), ("idea", 1, 4), (
        Slot("contact", "recipient", "PER", 0.95), Slot("date", "time", "time", 0.2))),
    Intent("book_table", "restaurant", ("book", "reserve"), ("artefact", 1, 2), (
        Slot("restaurant", "place", "ORG", 0.8), DATE,
        Slot("party_size", "companion", "person", 0.7, "numeral"))),
    Intent("find_restaurant", "restaurant", ("find", "show"), ("food", 1, 4), (
        Slot("cuisine", "object", "food", 0.8, "adjective"), Slot("city", "place", "LOC", 0.8),
        FOR_SOMEBODY)),
)  # fmt: skip
LABELS = tuple(sorted({slot.label for intent in INTENTS for slot in intent.slots if slot.label}))
