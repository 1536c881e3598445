"""Commands to an assistant with gold slots (BIO2) and intents; told in any language, in parallel or not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from crosslingua.corpora.world.batch import Columns
from crosslingua.corpora.world.dependencies import Trees, alone, parse
from crosslingua.corpora.world.drawing import knowledge_of_split
from crosslingua.corpora.world.events import (
    DEFINITE,
    INDEFINITE,
    absent,
    adpositions,
    blank_clauses,
    noun_phrases,
)
from crosslingua.corpora.world.intents import INTENTS, LABELS, Intent, thing_concepts, verb_concepts
from crosslingua.corpora.world.knowledge import CLASS_ID, Knowledge
from crosslingua.corpora.world.quota import Quota
from crosslingua.corpora.world.realise import Told
from crosslingua.corpora.world.sentences import CHUNK
from crosslingua.corpora.world.splits import in_split
from crosslingua.corpora.world.tagged import bio, conll
from crosslingua.corpora.world.wording import vocabulary
from crosslingua.corpora.world.world import World
from crosslingua.errors import ConfigError

SEEN = 0.6  # of the names; see drawing.knowledge_of_split
VARIANTS = ("translated", "independent")
IMPERATIVE, POLITE, QUESTION, WISH, ELLIPTIC = range(5)
FORM_SHARES = (0.35, 0.15, 0.2, 0.15, 0.15)


@dataclass
class Commands:
    """Commands as clauses, with the number of each one's intent."""

    clauses: Columns
    intent: np.ndarray


def slot_blocks(
    world: World,
    code: str,
    split: str,
    sentences: int,
    *,
    variant: str = "independent",
    trees: Trees | None = None,
) -> Iterator[str]:
    """Yield blocks of `sentences` commands in all: two-column CoNLL, `# intent = X` before each.

    "translated": line for line the same commands in every language of the world; "independent": each
    language's own commands, with its own topics and habits. Raises ConfigError for another `variant`.
    `trees`: where those of the commands are written, if asked.
    """
    if variant not in VARIANTS:
        raise ConfigError(f"unknown variant {variant!r}: choose one of {', '.join(VARIANTS)}")
    pivot = next(iter(world.family)) if variant == "translated" else code
    knowledge = knowledge_of_split(world, split, ("name",), SEEN)
    quota = Quota(sentences, f"slots {code} {split}")
    for number in quota:
        rng = world.stream("slots", variant, pivot, split, number)
        drawn = sample_commands(knowledge, rng, *habits(world, pivot), CHUNK)
        kept = in_split(world.language(pivot).tell(drawn.clauses), world.language(pivot), split)
        rows = quota.take(np.flatnonzero(kept))
        yield _block(world, code, Commands(drawn.clauses.take(rows), drawn.intent[rows]), trees)


def habits(world: World, code: str) -> tuple[np.ndarray, np.ndarray]:
    """Return how often each intent and each form of address is used in a language: domains shift here too."""
    shift = world.family[code].domain_shift
    rng = world.stream("habits", code)
    intents = (1 - shift) / len(INTENTS) + shift * rng.dirichlet(np.full(len(INTENTS), 2.0))
    forms = (1 - shift) * np.array(FORM_SHARES) + shift * rng.dirichlet(np.full(len(FORM_SHARES), 2.0))
    return intents, forms


def sample_commands(
    world: Knowledge, rng: np.random.Generator, intents: np.ndarray, forms: np.ndarray, n: int
) -> Commands:
    """Draw `n` commands; `intents` and `forms` are the probabilities of the INTENTS and of the forms."""
    topics = rng.integers(0, world.spec.topics, n)
    intent, form = rng.choice(len(intents), n, p=intents), rng.choice(len(forms), n, p=forms)
    batch = blank_clauses(rng, topics)
    verb, thing = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    for number, kind in enumerate(INTENTS):
        rows = np.flatnonzero(intent == number)
        verb[rows] = rng.choice(verb_concepts(world.concepts, kind), len(rows))
        things = thing_concepts(world.concepts, kind)
        thing[rows] = rng.choice(things, len(rows)) if things else -1
        _fill_slots(batch, world, rng, kind, rows)
    _say_thing(batch, rng, thing)
    _address(batch, world, form, verb)
    return Commands(batch, intent)


def slot_labels(told: Told, intent: np.ndarray) -> np.ndarray:
    """Return [n, slots] the slot label of each place in the sentence plus one, 0 outside."""
    labels = np.zeros(told.form.shape, np.int8)
    for place, key in enumerate(told.keys):
        clause, _, rest = key.partition(".")
        role, _, part = rest.partition(".")
        if clause == "a" and part:
            labels[:, place] = _label_table(role, part)[intent]
    return labels


def _label_table(role: str, part: str) -> np.ndarray:
    """Return for each intent the label (plus one) of this part of the phrase in `role`."""
    table = np.zeros(len(INTENTS), np.int8)
    for number, intent in enumerate(INTENTS):
        for slot in intent.slots:
            named = slot.part == "name" and part in ("head", "second", "modifier", "numeral", "adjective")
            if slot.label and slot.role == role and (named or slot.part == part):
                table[number] = LABELS.index(slot.label) + 1
    return table


def _block(world: World, code: str, commands: Commands, trees: Trees | None) -> str:
    told = world.language(code).tell(commands.clauses)
    if trees:
        trees.add(world, code, parse(world, code, told, alone(commands.clauses)))
    row, place = told.tokens()
    kind = slot_labels(told, commands.intent)[row, place]
    # Two slots of a sentence never share a label, so that the label itself tells spans apart.
    labels = bio(kind, kind, row, LABELS)
    comments = [f"intent = {INTENTS[number].name}" for number in commands.intent]
    return conll(vocabulary(world, code)[told.form[row, place]], labels, told.lengths, comments)


def _fill_slots(
    batch: Columns, world: Knowledge, rng: np.random.Generator, intent: Intent, rows: np.ndarray
) -> None:
    for slot in intent.slots:
        topics = rng.integers(0, world.spec.topics, len(rows))
        fillers = world.draw_filler(rng, topics, np.full(len(rows), CLASS_ID[slot.filler]))
        phrase = noun_phrases(world, rng, fillers, topics, rich=0.0)
        phrase["adposition"] = adpositions(world, rng, slot.role, phrase["filler_class"])
        if slot.part == "numeral":
            phrase["numeral"] = rng.choice(world.concepts.numerals, len(rows)).astype(np.int32)
            phrase["plural"][:] = True
            phrase["definite"][:] = 0
        given = rng.random(len(rows)) < slot.share
        if slot.part == "adjective":  # the phrase itself is the thing asked for
            taste = world.adjectives[world.adjective_of.draw(rng, world.noun_row[phrase["head"]])]
            batch["object.adjective"][rows] = np.where(given, taste, -1)
            continue
        batch.put_rows(slot.role, absent(phrase, ~given), rows)


def _say_thing(batch: Columns, rng: np.random.Generator, thing: np.ndarray) -> None:
    said = thing >= 0
    definite = rng.choice([DEFINITE, INDEFINITE], len(thing)).astype(np.int8)
    batch["object.head"] = np.where(said, thing, batch["object.head"])
    batch["object.definite"] = np.where(said, definite, batch["object.definite"])
    batch["object.plural"] &= ~said


def _address(batch: Columns, world: Knowledge, form: np.ndarray, verb: np.ndarray) -> None:
    """Make it an order, a polite order, a question ("may you ...?"), a wish ("i will ...") or bare words."""
    words = world.concepts.function
    batch["verb"] = np.where(form == ELLIPTIC, -1, verb).astype(np.int32)
    batch["polite"], batch["question"] = form == POLITE, form == QUESTION
    batch["modal"] = np.where(form == QUESTION, words["may"], -1).astype(np.int32)
    batch["tense"] = np.where(form == WISH, 2, 0).astype(np.int8)
    subject = np.select([form == QUESTION, form == WISH], [words["you"], words["i"]], -1)
    batch["subject.head"] = subject.astype(np.int32)
    batch["subject.plural"][:] = True  # the bare form of the verb
    free = (batch["recipient.head"] < 0) & np.isin(form, [IMPERATIVE, QUESTION]) & (batch["variety"] % 2 == 0)
    batch["recipient.head"] = np.where(free, words["me"], batch["recipient.head"]).astype(np.int32)
    batch["recipient.adposition"] = np.where(free, words["to"], batch["recipient.adposition"]).astype(
        np.int32
    )
