"""Tables 1 and 2: precision of bilingual lexicon induction, one grid a convention."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pandas as pd

from crosslingua.metrics import conditions
from crosslingua.report.tables import Grid, Published, Table, grid

CAPTION = (
    "Precision at 1 in percent, mean ± standard deviation over seeds; the best of a column is bold. Retrieval is "
    "CSLS; a source word out of vocabulary retrieves itself and a target out of vocabulary counts as wrong "
    "(footnote 6 of the paper), unless a grid says otherwise."
)
COVERAGE = (
    "Coverage: percent of the test dictionary's source words that have a vector and a translation with one."
)
RETRIEVAL = {"csls": "CSLS", "nn": "nearest neighbour by cosine"}
OOV = {
    "paper": "out-of-vocabulary as in the paper",
    "muse": "out-of-vocabulary pairs skipped, as in MUSE",
}
OWN = ("csls", "paper")  # the paper's retrieval and rule for words out of vocabulary


def grids(rows: pd.DataFrame, published: Published, table: str) -> Iterator[Grid]:
    """Yield the grids of `table`: P@1 in the paper's convention, then in the others, P@5, P@10, coverage."""
    rows = rows[(rows["table"] == table) & (rows["task"] == "bli")]
    signatures = rows["signature"]
    rows = rows.assign(
        column=_columns(rows),
        retrieval=signatures.str.split("|").str[0],
        oov=signatures.map(lambda text: conditions(text)["oov"]),
    )
    found = dict(list(rows.groupby(["metric", "retrieval", "oov"], sort=False)))
    kinds = sorted({key[1:] for key in found}, key=lambda kind: (kind != OWN, kind))
    wanted = [("p_at_1", *kind) for kind in kinds]
    wanted += [(metric, *kind) for kind in kinds[:1] for metric in ("p_at_5", "p_at_10", "coverage")]
    yield from (grid(_note(*key), found[key]) for key in wanted if key in found)


def _note(metric: str, retrieval: str, oov: str) -> str:
    if metric == "coverage":
        return COVERAGE
    return f"{metric.replace('p_at_', 'P@')}, {RETRIEVAL[retrieval]}, {OOV[oov]}."


def _columns(rows: pd.DataFrame) -> pd.Series:
    """Name each row's column: `en-de`, with the dictionary where one pair is tested with several."""
    pairs = rows["source"] + "-" + rows["target"]
    dictionaries = rows["signature"].map(lambda signature: conditions(signature)["dictionary"])
    several = dictionaries.groupby(pairs).transform("nunique") > 1
    return pairs.mask(several, pairs + " (" + dictionaries + ")")


TABLES = {
    name: Table(title, CAPTION, partial(grids, table=name))
    for name, title in (
        ("table1", "joint_align, table 1: precision at 1 of bilingual lexicon induction"),
        ("table2", "joint_align, table 2: the same without test pairs of one surface form"),
    )
}
