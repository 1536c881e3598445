"""From meaning to surface syntax: which words a language uses for an event, before it puts them in order."""

from __future__ import annotations

import numpy as np

from crosslingua.corpora.world.batch import Columns
from crosslingua.corpora.world.concepts import Concepts
from crosslingua.corpora.world.events import DEFINITE, FUTURE, INDEFINITE
from crosslingua.corpora.world.grammar import SURFACE_ROLES
from crosslingua.corpora.world.morphology import CASE_ID, noun_feature, verb_feature
from crosslingua.corpora.world.spec import LanguageSpec

Column = tuple[np.ndarray, np.ndarray | int]  # concepts (-1 absent), feature numbers


def surface_roles(batch: Columns, concepts: Concepts) -> Columns:
    """Return the batch with surface roles: in a passive the object is subject, and the subject agent."""
    batch = Columns(batch)
    passive = batch["passive"]
    if "subject.head" not in batch or "object.head" not in batch:
        return batch
    subject, obj = batch.field("subject"), batch.field("object")
    for name, values in subject.items():
        empty = np.array(
            0 if values.dtype in (np.bool_, np.int8) and name != "filler_class" else -1, values.dtype
        )
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
    columns: dict[str, Column] = {
        "article": (np.where(present, _article(spec, words, np_["definite"]), -1), 0),
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


def _article(spec: LanguageSpec, words: dict[str, int], definite: np.ndarray) -> np.ndarray:
    the = words["the"] if spec.articles != "none" else -1
    a = words["a"] if spec.articles == "both" else -1
    return np.select([definite == DEFINITE, definite == INDEFINITE], [the, a], -1)


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
