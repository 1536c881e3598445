"""Jobs that measure the spaces of word vectors of a language pair.

A paper's `cells.py` returns the cells of a pair by what is measured: `similarity(w, pair)`, how near translations are,
and `hubness(w, pair)`, which words are neighbours of many.
"""

from __future__ import annotations

from crosslingua.workflow.workflow import LexiconPair, Workflow, asked_by_all

FILES = ("source", "target", "shared", "mapping", "dictionary")


def measure_inputs(w: Workflow, what: str, pair: LexiconPair) -> list[str]:
    """Return the files that the cells read: vectors, shared words, reports of mappings, a dictionary."""
    cells = asked_by_all(w, what, pair)
    return list(dict.fromkeys(cell[name] for cell in cells for name in FILES if cell.get(name)))


def measure_plan(w: Workflow, what: str, pair: LexiconPair) -> str:
    """Write the cells; return the file."""
    return w.plan(f"measure_{what}/{pair.name}", asked_by_all(w, what, pair))
