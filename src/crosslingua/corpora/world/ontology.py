"""What the world is made of, before any language: noun classes, verb frames, entity types, function words.

The lists below are the world's fixed skeleton; how many concepts fill each class is set in world.yaml.
"""

from __future__ import annotations

from dataclasses import dataclass, field

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
PUNCTUATION = {".": "PUNCT", "?": "PUNCT", ",": "PUNCT"}


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
    "happen": Frame(
        0.05, {"event": 0.55, "MISC": 0.45}, adjuncts={"place": 0.6, "time": 0.5},
    ),
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

# Role -> function concept that marks it where a language uses adpositions. Place and time vary: see events.
ADPOSITIONS = {"recipient": "to", "source": "from", "goal": "to", "companion": "with", "agent": "by"}
TIME_ADPOSITIONS = {"on": 0.6, "after": 0.2, "before": 0.2}  # of days; years have "in"
PLACE_ADPOSITIONS = {"in": 0.65, "near": 0.2, "behind": 0.15}

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
