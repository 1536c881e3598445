"""Tables 1 and 2 of joint_align: precision of bilingual lexicon induction, one grid a convention."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from crosslingua.metrics import Row
from crosslingua.report import grids as formats
from crosslingua.report.grids import Grid
from crosslingua.report.tables import build

TITLES = {
    "table1": "joint_align, table 1: precision at 1 of bilingual lexicon induction",
    "table2": "joint_align, table 2: the same without test pairs of one surface form",
}
CAPTION = (
    "Precision at 1 in percent, mean ± standard deviation over seeds; the best of a column is bold. Retrieval is "
    "CSLS; a source word out of vocabulary retrieves itself and a target out of vocabulary counts as wrong "
    "(footnote 6 of the paper), unless a grid says otherwise."
)


def signature_fields(signature: str) -> dict[str, str]:
    """Split `csls|k=10|oov=paper` into {"retrieval": "csls", "k": "10", "oov": "paper"}."""
    first, *rest = signature.split("|")
    return {"retrieval": first} | dict(part.split("=", 1) for part in rest)


def grids(rows: Sequence[Row], table: str, systems: Sequence[str]) -> list[Grid]:
    """Return the grids of `table`: P@1 in the paper's convention, then in the others, P@5, P@10, coverage."""
    rows = [row for row in rows if row.paper == "joint_align" and row.table == table and row.task == "bli"]
    column = _column_name(rows)
    kinds = sorted({_kind(row) for row in rows}, key=lambda kind: (kind != ("csls", "paper"), kind))
    wanted = [("p_at_1", kind) for kind in kinds] + [(m, kinds[0]) for m in ("p_at_5", "p_at_10", "coverage")]
    return [
        Grid(_note(metric, *kind), build(TITLES[table], chosen, systems, column))
        for metric, kind in wanted
        if (chosen := [row for row in rows if row.metric == metric and _kind(row) == kind])
    ]


def _kind(row: Row) -> tuple[str, str]:
    fields = signature_fields(row.signature)
    return fields["retrieval"], fields["oov"]


def _note(metric: str, retrieval: str, oov: str) -> str:
    if metric == "coverage":
        return "Coverage: percent of the test dictionary's source words that have a vector and a translation with one."
    how = {"csls": "CSLS", "nn": "nearest neighbour by cosine"}[retrieval]
    policy = {
        "paper": "out-of-vocabulary as in the paper",
        "muse": "out-of-vocabulary pairs skipped, as in MUSE",
    }[oov]
    return f"{metric.replace('p_at_', 'P@')}, {how}, {policy}."


def _column_name(rows: Sequence[Row]):
    """Name a column `en-de`, with the dictionary where one pair is tested with several."""
    dictionaries: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        dictionaries.setdefault((row.source, row.target), set()).add(
            signature_fields(row.signature)["dictionary"]
        )

    def name(row: Row) -> str:
        pair = f"{row.source}-{row.target}"
        several = len(dictionaries[row.source, row.target]) > 1
        return f"{pair} ({signature_fields(row.signature)['dictionary']})" if several else pair

    return name


def view(rows: Sequence[Row], table: str, systems: Sequence[str]) -> dict:
    """What the results page shows of a table."""
    return formats.view(f"joint_align_{table}", TITLES[table], CAPTION, grids(rows, table, systems))


def write(path: str | Path, table: str, found: Sequence[Grid], scale: str) -> None:
    """Write a table's grids as `.csv` or `.md` (all conventions) or `.tex` (the paper's convention)."""
    shown = found[:1] if Path(path).suffix == ".tex" else found
    formats.write(path, TITLES[table], CAPTION, shown, scale)
