"""What the results page shows besides tables and figures: the words that vocabulary reallocation moved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tabulate import tabulate

from crosslingua.io.json import read_json

HEAD = """<h3>What reallocation moved</h3>
<p>Vocabulary reallocation (Eq. 5 and 6) gives a word that both corpora hold back to the language
that uses it. Sizes are words before → after; the examples are the most frequent ones that moved.</p>
"""
EXAMPLES = 6


def section(results: Path) -> str:
    """Return a table of the reports of reallocation under `results`, a row a pair and seed; nothing without any."""
    paths = sorted(results.glob("word_embeddings/joint_vr/*/division.json"))
    rows = [_row(path.parent.name, division) for path in paths for division in read_json(path)]
    if not rows:
        return ""
    table = tabulate(rows, headers="keys", tablefmt="html", disable_numparse=True)
    return f'{HEAD}<div class="scroll">{table}</div>'


def _row(pair: str, division: dict[str, Any]) -> dict[str, Any]:
    sizes = {
        name: f"{division['sizes_before'][side]} → {division['sizes'][side]}"
        for side, name in (("source", "source only"), ("target", "target only"), ("shared", "shared"))
    }
    moved = {
        f"moved to {side}": " ".join(division[f"moved_to_{side}"][:EXAMPLES]) for side in ("source", "target")
    }
    return {"pair": pair, "seed": division["seed"], "gamma": division["gamma"], **sizes, **moved}
