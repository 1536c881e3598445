"""Linear order: where each part of a sentence stands in a language, for all parts that a sentence can have.

A part is named `clause.role.part`, e.g. "a.subject.head" or "a.verb": clause "a" is the main clause, "b" the
second one. The order of all parts is computed once a language; a sentence leaves out what it does not have.
"""

from __future__ import annotations

from dataclasses import dataclass

from crosslingua.corpora.world.ontology import ADJUNCTS
from crosslingua.corpora.world.spec import LanguageSpec

SURFACE_ROLES = ("subject", "object", *ADJUNCTS, "agent")
VERB_PARTS = ("auxiliary", "negation", "copula", "passive", "verb", "predicate")
COORDINATED, REPORTED = 1, 2  # how clause b is linked to clause a
_AFTER_VERB = ("recipient", "agent", "source", "goal", "companion", "adverb", "place", "time")


@dataclass(frozen=True)
class OrderSlot:
    """A place in the sentence: the part that stands there, and when ("" always, else a condition's name)."""

    key: str
    condition: str = ""


def sentence_order(spec: LanguageSpec) -> list[OrderSlot]:
    """Return every slot of a sentence in order; a part may have two slots under two conditions."""
    before_verb = spec.word_order.index("O") < spec.word_order.index("V")
    complement = [
        OrderSlot(slot.key, f"reported{slot.condition and '+' + slot.condition}")
        for slot in _clause(spec, "b")
    ]
    mark = OrderSlot("mark", "reported")
    complement = [*complement, mark] if spec.adpositions == "after" else [mark, *complement]
    order = []
    for slot in _clause(spec, "a"):
        order += [*complement, slot] if slot.key == "a.@object" and before_verb else [slot]
    if not before_verb:
        order += complement
    second = [
        OrderSlot(slot.key, f"coordinated{slot.condition and '+' + slot.condition}")
        for slot in _clause(spec, "b")
    ]
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
    front = [
        OrderSlot(part, f"asked.{role}") for role in SURFACE_ROLES for part in _phrase(spec, f"a.{role}")
    ]
    rest = []
    for slot in clause:
        role = slot.key.split(".")[1]
        condition = f"unasked.{role}" if role in SURFACE_ROLES else ""
        rest.append(OrderSlot(slot.key, "+".join(filter(None, (slot.condition, condition)))))
    return [*front, *rest, OrderSlot("end")]


def _clause(spec: LanguageSpec, clause: str) -> list[OrderSlot]:
    slots = [OrderSlot(part, "fronted") for part in _phrase(spec, f"{clause}.time")]
    for constituent in constituents(spec):
        if constituent == "verb":
            slots += [OrderSlot(f"{clause}.{part}") for part in _verb_group(spec)]
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


def _verb_group(spec: LanguageSpec) -> list[str]:
    return list(VERB_PARTS) if spec.auxiliaries == "before" else list(reversed(VERB_PARTS))


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
