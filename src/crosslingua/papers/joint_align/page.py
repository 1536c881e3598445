"""What the results page shows besides tables and figures: words that reallocation moved, sample translations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tabulate import tabulate

from crosslingua.io.decode import decoded_lines
from crosslingua.io.json import read_json

HEAD = """<h3>What reallocation moved</h3>
<p>Vocabulary reallocation (Eq. 5 and 6) gives a word that both corpora hold back to the language
that uses it. Sizes are words before → after; the examples are the most frequent ones that moved.</p>
"""
EXAMPLES = 6
SAMPLES = """<h3>Sample translations, {direction}</h3>
<p>The first sentences of the test set of {least} to {most} words, with the translations of each system's chosen epoch
(seed {seed}).</p>
"""


def section(results: Path) -> str:
    """Return what reallocation moved, and sample translations; nothing of what was not made."""
    return _reallocated(results) + "".join(_samples(results))


def _reallocated(results: Path) -> str:
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


def _samples(results: Path) -> Iterator[str]:
    """Yield a table a direction: source, reference, and what each system of the first seed says."""
    for brief in sorted(results.glob("plans/translation_samples/*.json")):
        told = read_json(brief)
        if not all(Path(path).is_file() for path in told["files"].values()):
            continue
        columns = {name: list(decoded_lines(path)) for name, path in told["files"].items()}
        lines = _chosen_lines(columns["source"], told["samples"], told["least"], told["most"])
        rows = [{"": name} | {i: column[i].lower() for i in lines} for name, column in columns.items()]
        table = tabulate([list(row.values()) for row in rows], tablefmt="html", disable_numparse=True)
        yield SAMPLES.format(**told) + f'<div class="scroll">{table}</div>'


def _chosen_lines(source: Sequence[str], samples: int, least: int, most: int) -> list[int]:
    """Return the numbers of the first sentences of such lengths."""
    return [i for i, line in enumerate(source) if least <= len(line.split()) <= most][:samples]
