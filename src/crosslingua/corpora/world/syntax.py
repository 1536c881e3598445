"""From meaning to surface syntax: which words a language uses for an event or a question, before their order."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from crosslingua.corpora.world.concepts import ROLES, Concepts
from crosslingua.corpora.world.events import CLASS_ID, DEFINITE, FUTURE, INDEFINITE, Columns, absent
from crosslingua.corpora.world.lexicon import CASE_ID, noun_feature, verb_feature
from crosslingua.corpora.world.spec import LanguageSpec

# A part is named `clause.role.part`, such as "a.subject.head"; clause "a" is the main one, "b" the second.
SURFACE_ROLES = (*ROLES, "agent")
VERB_PARTS = ("auxiliary", "negation", "copula", "passive", "verb", "predicate")
COORDINATED, REPORTED = 1, 2  # how clause b is linked to clause a
_AFTER_VERB = ("recipient", "agent", "source", "goal", "companion", "adverb", "place", "time")


@dataclass(frozen=True)
class OrderSlot:
    """A place in the sentence: the part that stands there, and when ("" always, else a condition's name)."""

    key: str
    condition: str = ""

    def when(self, condition: str) -> Self:
        """Return the slot under one more condition ("" for none)."""
        return OrderSlot(self.key, "+".join(filter(None, (self.condition, condition))))


def sentence_order(spec: LanguageSpec) -> list[OrderSlot]:
    """Return every slot of a sentence in order; a part may have two slots under two conditions."""
    before_verb = spec.word_order.index("O") < spec.word_order.index("V")
    clause = _every_clause(spec, "b")
    complement, second = ([slot.when(link) for slot in clause] for link in ("reported", "coordinated"))
    mark = OrderSlot("mark", "reported")
    complement = [*complement, mark] if spec.adpositions == "after" else [mark, *complement]
    order = []
    for slot in _every_clause(spec, "a"):
        order += [*complement, slot] if slot.key == "a.@object" and before_verb else [slot]
    if not before_verb:
        order += complement
    order += [OrderSlot("conjunction", "coordinated"), *second]
    polite = OrderSlot("polite")
    order = [polite, *order] if spec.adpositions == "before" else [*order, polite]
    order.append(OrderSlot("end"))
    return [slot for slot in order if "@" not in slot.key]


def question_order(spec: LanguageSpec) -> list[OrderSlot]:
    """Return the slots of a question about one role: its phrase first, or where the answer would stand."""
    clause = [slot for slot in _clause(spec, "a") if "@" not in slot.key]
    if spec.question_words == "in_place":
        return [*clause, OrderSlot("end")]
    order = [OrderSlot(key, f"asked.{role}") for role in SURFACE_ROLES for key in _phrase(spec, f"a.{role}")]
    for slot in clause:
        role = slot.key.split(".")[1]
        order.append(slot.when(f"unasked.{role}" if role in SURFACE_ROLES else ""))
    return [*order, OrderSlot("end")]


def _every_clause(spec: LanguageSpec, clause: str) -> list[OrderSlot]:
    """Return the slots of a clause, and of its free order where the language has one."""
    usual = _clause(spec, clause)
    if not spec.free_order:
        return usual
    free = [slot for slot in _clause(spec, clause, free_constituents(spec)) if "@" not in slot.key]
    return [
        *(slot if "@" in slot.key else slot.when("usual") for slot in usual),
        *(slot.when("free") for slot in free),
    ]


def _clause(spec: LanguageSpec, clause: str, order: list[str] | None = None) -> list[OrderSlot]:
    slots = [OrderSlot(part, "fronted") for part in _phrase(spec, f"{clause}.time")]
    for constituent in order or constituents(spec):
        if constituent == "verb":
            parts = VERB_PARTS if spec.auxiliaries == "before" else VERB_PARTS[::-1]
            slots += [OrderSlot(f"{clause}.{part}") for part in parts]
        elif constituent == "adverb":
            slots.append(OrderSlot(f"{clause}.adverb"))
        else:
            condition = "in_place" if constituent == "time" else ""
            slots += [OrderSlot(part, condition) for part in _phrase(spec, f"{clause}.{constituent}")]
        if constituent == "object":
            slots.append(OrderSlot(f"{clause}.@object"))
    return slots


def constituents(spec: LanguageSpec) -> list[str]:
    """Return the order of constituents: adjuncts follow the core where O follows V, else they precede O."""
    core = [{"S": "subject", "V": "verb", "O": "object"}[letter] for letter in spec.word_order]
    place = core.index("object")
    if place > core.index("verb"):
        return [*core, *_AFTER_VERB]
    return [*core[:place], *reversed(_AFTER_VERB), *core[place:]]


def free_constituents(spec: LanguageSpec) -> list[str]:
    """Return the order with subject and object exchanged; the agent of a passive stands where the object does."""
    exchanged = {"subject": "object", "object": "subject"}
    order = [exchanged.get(one, one) for one in constituents(spec) if one != "agent"]
    place = order.index("object")
    return [*order[:place], "agent", *order[place:]]


def _phrase(spec: LanguageSpec, role: str) -> list[str]:
    """Return the parts of a noun phrase in order; article and adposition embrace what lies between."""
    core = ["modifier", "head", "second"]
    core = ["adjective", *core] if spec.adjectives == "before" else [*core, "adjective"]
    core = ["numeral", *core] if spec.numerals == "before" else [*core, "numeral"]
    owner = ["owner_adposition", "owner"] if spec.adpositions == "before" else ["owner", "owner_adposition"]
    core = [*owner, *core] if spec.genitives == "before" else [*core, *owner]
    core = ["article", *core]
    core = ["adposition", *core] if spec.adpositions == "before" else [*core, "adposition"]
    return [f"{role}.{part}" for part in core]


Column = tuple[np.ndarray, np.ndarray | int]  # concepts (-1 absent), feature numbers


def surface_roles(batch: Columns, concepts: Concepts) -> Columns:
    """Return the batch with surface roles: in a passive the object is subject, and the subject agent."""
    batch = Columns(batch)
    passive = batch["passive"]
    if "subject.head" not in batch or "object.head" not in batch:
        return batch
    subject, obj = batch.field("subject"), batch.field("object")
    for name, values in subject.items():
        is_flag = values.dtype in (np.bool_, np.int8) and name != "filler_class"
        empty = np.array(0 if is_flag else -1, values.dtype)
        batch[f"agent.{name}"] = np.where(passive, values, empty)
        batch[f"subject.{name}"] = np.where(passive, obj[name], values)
        batch[f"object.{name}"] = np.where(passive, empty, obj[name])
    batch["agent.adposition"] = np.where(passive, concepts.function["by"], -1).astype(np.int32)
    return batch


def clause_columns(spec: LanguageSpec, concepts: Concepts, batch: Columns, clause: str) -> dict[str, Column]:
    """Return the words of a clause by part: concepts, feature numbers ([n]); `batch` has surface roles."""
    columns: dict[str, Column] = {}
    for role in SURFACE_ROLES:
        if f"{role}.head" in batch:
            phrase = _phrase_columns(spec, concepts, batch.field(role), role)
            columns |= {f"{clause}.{role}.{part}": column for part, column in phrase.items()}
    columns |= {f"{clause}.{part}": column for part, column in _verb_columns(spec, concepts, batch).items()}
    return columns


def _phrase_columns(spec: LanguageSpec, concepts: Concepts, np_: Columns, role: str) -> dict[str, Column]:
    head, words = np_["head"], concepts.function
    present = head >= 0
    if role == "subject" and spec.pro_drop:
        present &= ~np.isin(head, [words[p] for p in ("he", "she", "they", "it")])
    plural = np_["plural"].astype(np.int32)
    feature = noun_feature(plural, CASE_ID[role] if spec.morphology.has_case(role) else 0)
    named = np_["second"] >= 0
    the = words["the"] if spec.articles != "none" else -1
    a = words["a"] if spec.articles == "both" else -1
    article = np.select([np_["definite"] == DEFINITE, np_["definite"] == INDEFINITE], [the, a], -1)
    columns: dict[str, Column] = {
        "article": (np.where(present, article, -1), 0),
        "numeral": (np_["numeral"], 0),
        "adjective": (np_["adjective"], noun_feature(plural, 0)),
        "modifier": (np_["modifier"], 0),
        "head": (np.where(present, head, -1), np.where(named, noun_feature(plural, 0), feature)),
        "second": (np_["second"], feature),
        "owner": (np_["owner"], CASE_ID["genitive"] if spec.morphology.has_case("genitive") else 0),
    }
    if spec.morphology.has_adposition("genitive"):
        columns["owner_adposition"] = (np.where(np_["owner"] >= 0, words["of"], -1), 0)
    if role not in ("subject", "object") and spec.morphology.has_adposition(role):
        columns["adposition"] = (np.where(present, np_["adposition"], -1), 0)
    return columns


def _verb_columns(spec: LanguageSpec, concepts: Concepts, batch: Columns) -> dict[str, Column]:
    words, rules = concepts.function, spec.morphology
    tense, passive = batch["tense"].astype(np.int32), batch["passive"]
    singular = (~batch["subject.plural"]).astype(np.int32)
    negated = batch["negated"].astype(np.int32)
    by_aux = passive if rules.passive == "auxiliary" else np.zeros_like(passive)
    copular = batch["predicate"] >= 0
    finite = verb_feature(tense, singular, 0, 0)
    be = words["be"]
    # Negation is marked once: on the verb, or in copular and periphrastic clauses on "be".
    on_verb = np.where(by_aux, 0, negated)
    columns: dict[str, Column] = {
        "verb": (batch["verb"], verb_feature(tense, singular, passive.astype(np.int32), on_verb)),
        "predicate": (batch["predicate"], noun_feature(batch["subject.plural"].astype(np.int32), 0)),
        "copula": (np.where(copular, be, -1), finite + negated),
        "passive": (np.where(by_aux, be, -1), finite + negated),
        "adverb": (batch["adverb"], 0),
    }
    will = words["will"] if rules.future == "auxiliary" else -1
    columns["auxiliary"] = (np.where(tense == FUTURE, will, batch["modal"]), 0)
    if rules.negation == "particle":
        columns["negation"] = (np.where(negated == 1, words["not"], -1), 0)
    return columns


def question(batch: Columns, asked: np.ndarray, concepts: Concepts) -> tuple[Columns, np.ndarray]:
    """Return the clause, in surface roles, with question words for the `asked` ([n], in ROLES), and SURFACE_ROLES."""
    batch, words = batch.copy(), concepts.function
    who = [CLASS_ID[name] for name in ("PER", "person", "ORG")]
    for number, role in enumerate(ROLES):
        where = asked == number
        word = np.where(np.isin(batch[f"{role}.filler_class"], who), words["who"], words["what"])
        if role in ("time", "place", "source", "goal"):
            word = words["when" if role == "time" else "where"]
        adposition = batch[f"{role}.adposition"]
        batch.put(role, absent(batch.field(role), where))
        batch[f"{role}.head"] = np.where(where, word, batch[f"{role}.head"]).astype(np.int32)
        if role not in ("place", "time"):  # "where" and "when" need no adposition
            batch[f"{role}.adposition"] = np.where(where, adposition, batch[f"{role}.adposition"])
    surface = np.array([SURFACE_ROLES.index(role) for role in ROLES])[asked]
    passive = batch["passive"]
    subject, obj, agent = (SURFACE_ROLES.index(role) for role in ("subject", "object", "agent"))
    moved = np.where(surface == subject, agent, np.where(surface == obj, subject, surface))
    return surface_roles(batch, concepts), np.where(passive, moved, surface)
