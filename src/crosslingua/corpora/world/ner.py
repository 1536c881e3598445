"""Named entities (PER, LOC, ORG, MISC; BIO2): names are ambiguous, and most names of the test are new.

A name's type follows from what its sentence says of it, seldom from its spelling: pools of names overlap,
some names are common nouns, and training and test draw on different halves of the pools.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crosslingua.corpora.world.batch import Columns
from crosslingua.corpora.world.dependencies import Trees, parse
from crosslingua.corpora.world.drawing import knowledge_of_split, labelled_sentences
from crosslingua.corpora.world.ontology import ENTITY_TYPES
from crosslingua.corpora.world.realise import Told
from crosslingua.corpora.world.syntax import surface_roles
from crosslingua.corpora.world.tagged import bio, conll
from crosslingua.corpora.world.wording import vocabulary
from crosslingua.corpora.world.world import World

SEEN = 0.6  # of the names; see drawing.knowledge_of_split


def ner_blocks(
    world: World, code: str, split: str, sentences: int, *, trees: Trees | None = None
) -> Iterator[str]:
    """Yield blocks of `sentences` labelled sentences in all, two-column CoNLL; write their trees if asked."""
    knowledge = knowledge_of_split(world, split, ("name",), SEEN)
    for drawn, told in labelled_sentences(world, code, "ner", split, sentences, knowledge):
        if trees:
            trees.add(world, code, parse(world, code, told, drawn))
        roles = {
            clause: surface_roles(batch, world.concepts) for clause, batch in (("a", drawn.a), ("b", drawn.b))
        }
        row, slot = told.tokens()
        kind = entity_kinds(told, roles)[row, slot]
        labels = bio(kind, _spans(told)[slot], row, ENTITY_TYPES)
        yield conll(vocabulary(world, code)[told.form[row, slot]], labels, told.lengths)


def entity_kinds(told: Told, roles: dict[str, Columns]) -> np.ndarray:
    """Return [n, slots] the entity type of each slot plus one, 0 for what is no part of a name.

    `roles`: the clauses "a" and "b" with surface roles.
    """
    kinds = np.zeros(told.form.shape, np.int8)
    for slot, key in enumerate(told.keys):
        clause, _, place = key.partition(".")
        role, _, part = place.partition(".")
        if part in ("head", "second"):
            kinds[:, slot] = roles[clause][f"{role}.kind"]
        elif part == "owner":
            kinds[:, slot] = roles[clause][f"{role}.owner_kind"]
    return kinds


def _spans(told: Told) -> np.ndarray:
    """Return a number for each slot, the same for the slots of one name."""
    names = [key.replace(".second", ".head") for key in told.keys]
    return np.array([names.index(name) for name in names])
