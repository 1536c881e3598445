"""Turn a clause into a question about one of its roles."""

from __future__ import annotations

import numpy as np

from crosslingua.corpora.world.batch import Columns
from crosslingua.corpora.world.concepts import Concepts
from crosslingua.corpora.world.events import absent
from crosslingua.corpora.world.grammar import SURFACE_ROLES
from crosslingua.corpora.world.knowledge import CLASS_ID
from crosslingua.corpora.world.ontology import ADJUNCTS
from crosslingua.corpora.world.syntax import surface_roles

ASKABLE = ("subject", "object", *ADJUNCTS)  # the roles of an event, before any passive


def question(batch: Columns, asked: np.ndarray, concepts: Concepts) -> tuple[Columns, np.ndarray]:
    """Return the clause with a question word for the asked role, and that role's number in SURFACE_ROLES.

    `asked`: [n] numbers in ASKABLE. The result has surface roles: tell it with `Language.ask`.
    """
    batch = batch.copy()
    for number, role in enumerate(ASKABLE):
        where = asked == number
        word = _question_word(batch[f"{role}.filler_class"], role, concepts)
        adposition = batch[f"{role}.adposition"]
        batch.put(role, absent(batch.field(role), where))
        batch[f"{role}.head"] = np.where(where, word, batch[f"{role}.head"]).astype(np.int32)
        if role not in ("place", "time"):  # "where" and "when" need no adposition
            batch[f"{role}.adposition"] = np.where(where, adposition, batch[f"{role}.adposition"])
    surface = np.array([SURFACE_ROLES.index(role) for role in ASKABLE])[asked]
    passive = batch["passive"]
    subject, obj, agent = (SURFACE_ROLES.index(role) for role in ("subject", "object", "agent"))
    moved = np.where(surface == subject, agent, np.where(surface == obj, subject, surface))
    return surface_roles(batch, concepts), np.where(passive, moved, surface)


def _question_word(classes: np.ndarray, role: str, concepts: Concepts) -> np.ndarray:
    words = concepts.function
    if role == "time":
        return np.full(len(classes), words["when"], np.int32)
    if role in ("place", "source", "goal"):
        return np.full(len(classes), words["where"], np.int32)
    human = np.isin(classes, [CLASS_ID["PER"], CLASS_ID["person"], CLASS_ID["ORG"]])
    return np.where(human, words["who"], words["what"]).astype(np.int32)
