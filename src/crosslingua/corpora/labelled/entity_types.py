"""Maps from the entity types of a data set to PER, LOC, ORG and MISC (CoNLL-2003)."""

from __future__ import annotations

ENTITY_TYPES = ("PER", "LOC", "ORG", "MISC")


def conll_type(kind: str) -> str:
    """The four types as they are. KeyError on any other."""
    if kind not in ENTITY_TYPES:
        raise KeyError(kind)
    return kind


def germeval(kind: str) -> str | None:
    """GermEval 2014: OTH is MISC; derived words (`LOCderiv`) and parts of compounds (`ORGpart`) are no entities."""
    outer = kind.removesuffix("deriv").removesuffix("part")
    mapped = {"OTH": "MISC"}.get(outer, outer)
    if mapped not in ENTITY_TYPES:
        raise KeyError(kind)
    return mapped if outer == kind else None
