"""Data of understanding: commands with gold slots (BIO2) and intents, and questions with answers in passages."""

import json
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from crosslingua.corpora.world.bitext import Quota, in_split, told_lines, told_words
from crosslingua.corpora.world.concepts import INTENTS, LABELS, ROLES, Intent
from crosslingua.corpora.world.dependencies import Trees, alone, bio, conll, knowledge_of_split, parse
from crosslingua.corpora.world.edits import Passages, sample_passages
from crosslingua.corpora.world.events import (
    CLASS_ID,
    DEFINITE,
    INDEFINITE,
    Columns,
    Knowledge,
    absent,
    adpositions,
    blank_clauses,
    noun_phrases,
)
from crosslingua.corpora.world.realise import CHUNK, Language, Told, World
from crosslingua.corpora.world.syntax import SURFACE_ROLES, question
from crosslingua.errors import ConfigError

SEEN = 0.6  # of the names
VARIANTS = ("translated", "independent")
IMPERATIVE, POLITE, QUESTION, WISH, ELLIPTIC = range(5)
FORM_SHARES = (0.35, 0.15, 0.2, 0.15, 0.15)
_PARTS = ("numeral", "adjective", "modifier", "head", "second")  # of a phrase, without its owner


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

    "translated": line for line the same commands in every language; "independent": each language's own.
    """
    if variant not in VARIANTS:
        raise ConfigError(f"unknown variant {variant!r}: choose one of {', '.join(VARIANTS)}")
    pivot = next(iter(world.family)) if variant == "translated" else code
    knowledge = knowledge_of_split(world, split, ("name",), SEEN)
    quota = Quota(sentences, f"slots {code} {split}")
    for number in quota:
        rng = world.stream("slots", variant, pivot, split, number)
        clauses, intent = sample_commands(knowledge, rng, *habits(world, pivot), CHUNK)
        kept = in_split(world.language(pivot).tell(clauses), world.language(pivot), split)
        rows = quota.take(np.flatnonzero(kept))
        clauses, intent = clauses.take(rows), intent[rows]
        told = world.language(code).tell(clauses)
        if trees:
            trees.add(world, code, parse(world, code, told, alone(clauses)))
        row, place = told.tokens()
        kind = slot_labels(told, intent)[row, place]
        # Two slots of a sentence never share a label, so the label identifies the span.
        labels = bio(kind, kind, row, LABELS)
        comments = [f"intent = {INTENTS[number].name}" for number in intent]
        yield conll(told_words(world, code, told), labels, told.lengths, comments)


def habits(world: World, code: str) -> tuple[np.ndarray, np.ndarray]:
    """Return how often each intent and each form of address is used in a language: domains shift here too."""
    shift = world.family[code].domain_shift
    rng = world.stream("habits", code)
    intents = (1 - shift) / len(INTENTS) + shift * rng.dirichlet(np.full(len(INTENTS), 2.0))
    forms = (1 - shift) * np.array(FORM_SHARES) + shift * rng.dirichlet(np.full(len(FORM_SHARES), 2.0))
    return intents, forms


def sample_commands(
    world: Knowledge, rng: np.random.Generator, intents: np.ndarray, forms: np.ndarray, n: int
) -> tuple[Columns, np.ndarray]:
    """Draw `n` commands and their intents; `intents` and `forms` are the probabilities of the INTENTS and forms."""
    topics = rng.integers(0, world.spec.topics, n)
    intent, form = rng.choice(len(intents), n, p=intents), rng.choice(len(forms), n, p=forms)
    batch = blank_clauses(rng, topics)
    verb, thing = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    for number, kind in enumerate(INTENTS):
        rows = np.flatnonzero(intent == number)
        verb[rows] = rng.choice(kind.verb_concepts(world.concepts), len(rows))
        if kind.thing:
            thing[rows] = rng.choice(kind.thing_concepts(world.concepts), len(rows))
        _fill_slots(batch, world, rng, kind, rows)
    said, definite = thing >= 0, rng.choice([DEFINITE, INDEFINITE], n).astype(np.int8)
    batch["object.head"] = np.where(said, thing, batch["object.head"])
    batch["object.definite"] = np.where(said, definite, batch["object.definite"])
    batch["object.plural"] &= ~said
    _address(batch, world, form, verb)
    return batch, intent


def slot_labels(told: Told, intent: np.ndarray) -> np.ndarray:
    """Return [n, slots] the slot label of each place in the sentence plus one, 0 outside."""
    labels = np.zeros(told.form.shape, np.int8)
    for place, key in enumerate(told.keys):
        clause, role, part = [*key.split("."), "", ""][:3]
        for number, slots in enumerate(kind.slots for kind in INTENTS if clause == "a"):
            for slot in slots:
                named = slot.part == "name" and part in _PARTS
                if slot.label and slot.role == role and (named or slot.part == part):
                    labels[intent == number, place] = LABELS.index(slot.label) + 1
    return labels


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
    batch["recipient.head"][free], batch["recipient.adposition"][free] = words["me"], words["to"]


class QuestionSample(NamedTuple):
    """A sample of questions: whether all languages share it, and the sentences beside the one with the answer.

    `distractors` have its verb and answers of its class, `others` are of its topic alone.
    """

    parallel: bool
    distractors: int
    others: int


QUESTION_VARIANTS = {
    "independent": QuestionSample(False, 3, 3),
    "translated": QuestionSample(True, 2, 1),  # as XQuAD: the same passages in every language
    "long": QuestionSample(True, 3, 2),  # as MLQA: the same, in longer passages
    "short": QuestionSample(False, 2, 0),  # as TyDiQA-GoldP: each language's own
}


def qa_blocks(
    world: World,
    code: str,
    split: str,
    questions: int,
    *,
    raw: bool = False,
    variant: str = "independent",
    trees: Trees | None = None,
) -> Iterator[str]:
    """Yield the text of a SQuAD 1.1 JSON file with `questions` questions, one a passage, block by block.

    `raw`: as the language writes, else spaces between tokens. Splits share no answering sentence. Questions that are
    the same in every language have the same id and order. ConfigError for a `variant` that is none.
    """
    if variant not in QUESTION_VARIANTS:
        raise ConfigError(f"unknown variant {variant!r}: choose one of {', '.join(QUESTION_VARIANTS)}")
    kind = QUESTION_VARIANTS[variant]
    pivot = next(iter(world.family)) if kind.parallel else code
    language, shares = world.language(pivot), world.topics_of(pivot)
    name = (code,) if variant == "independent" else (variant, pivot)
    spaces = world.family[code].spaces if raw else None
    yield '{"version": "1.1", "data": [\n'
    quota = Quota(questions, f"qa {code} {split}")
    for number in quota:
        rng = world.stream("qa", *name, split, number)
        topics = rng.choice(len(shares), CHUNK, p=shares / shares.sum())
        passages = sample_passages(world.knowledge, rng, topics, kind.distractors, kind.others)
        order = rng.permuted(np.tile(np.arange(len(passages.rest) + 1), (passages.target.size, 1)), axis=1)
        first, kept = quota.done, in_split(language.tell(passages.target), language, split)
        rows = quota.take(np.flatnonzero(kept))
        if len(rows):
            named = f"{'-'.join(name)}-{split}"
            articles = _articles(world, code, passages.take(rows), order[rows], spaces, named, first, trees)
            lines = [json.dumps(article, ensure_ascii=False) for article in articles]
            yield (",\n" if first else "") + ",\n".join(lines)
    yield "\n]}\n"


def _articles(
    world: World,
    code: str,
    passages: Passages,
    order: np.ndarray,
    spaces: bool | None,
    name: str,
    first: int,
    trees: Trees | None,
) -> Iterator[dict]:
    """Yield articles; write the trees of every passage's sentences, the answering one first, and of its question."""
    language, batches = world.language(code), [passages.target, *passages.rest]
    wording, asked = question(passages.wording, passages.asked, world.concepts)
    told = [*map(language.tell, batches), language.ask(wording, asked)]
    if trees:
        sentences = map(alone, [*batches, wording])
        trees.add(world, code, *(parse(world, code, *each) for each in zip(told, sentences, strict=True)))
    *sides, questions = (told_lines(world, code, each, raw_spaces=spaces).splitlines() for each in told)
    answering = np.split(told_words(world, code, told[0]), np.cumsum(told[0].lengths)[:-1])
    joint = " " if spaces is not False else ""
    for i, (start, stop) in enumerate(answer_spans(language, passages, told[0]).tolist()):
        texts, words = [side[i] for side in sides], answering[i].tolist()
        place = order[i].tolist().index(0)
        before = [*(texts[j] for j in order[i, :place]), *words[:start]]
        offset = sum(len(text) + len(joint) for text in before)
        answer = {"text": joint.join(words[start:stop]), "answer_start": offset}
        title = f"{name}-{first + i}"
        qas = [{"id": title, "question": questions[i], "answers": [answer]}]
        context = joint.join(texts[j] for j in order[i])
        yield {"title": title, "paragraphs": [{"context": context, "qas": qas}]}


def answer_spans(language: Language, passages: Passages, told: Told) -> np.ndarray:
    """Return [n, 2] first token of the answer and the one after its last, in the telling of the target."""
    place = told.positions()
    _, role = question(passages.target, passages.asked, language.concepts)
    spans = np.full((passages.target.size, 2), -1)
    kinds = np.stack([passages.target[f"{name}.kind"] for name in ROLES])
    titled = kinds[passages.asked, np.arange(len(role))] > 0  # a name's modifier is no part of the answer
    for number, name in enumerate(SURFACE_ROLES):
        parts = np.stack([place.get(f"a.{name}.{part}", np.full(len(role), -1)) for part in _PARTS])
        parts[_PARTS.index("modifier"), titled] = -1
        rows = (role == number) & (parts >= 0).any(axis=0)
        first = np.where(parts >= 0, parts, len(told.keys)).min(axis=0)
        spans[rows, 0], spans[rows, 1] = first[rows], parts.max(axis=0)[rows] + 1
    return spans
