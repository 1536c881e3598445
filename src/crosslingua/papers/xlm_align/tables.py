"""All tables, at the end: table 2, error rates of word alignment, is made here, XTREME's in `xtreme_tables`."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from crosslingua.metrics import conditions
from crosslingua.papers.xlm_align import xtreme_tables
from crosslingua.report.tables import MEAN, Grid, Published, Table, column_means, grid

CAPTION = (
    "Alignment error rate in percent (lower is better), mean ± standard deviation over seeds; the best of a column is "
    "bold. A system is an aligner, and after + the encoder or the vectors that it compares words by; those have no "
    "deviation that are the same in every run. In parentheses: the paper's figure for the pair of that name, whose "
    "gold set at other scales than paper may be another. fast_align is trained on the gold "
    "set's text and on the bitext that the configuration names."
)
NOTES = {
    "aer": "Alignment error rate (AER).",
    "precision": "Precision: percent of the links that are possible.",
    "recall": "Recall: percent of the sure links that are found.",
    "f1": "F1 of precision and recall.",
}


def layer_of(signature: str) -> int | None:
    """Return the encoder layer that a row's signature names."""
    layer = conditions(signature).get("layer")
    return None if layer is None else int(layer)


def by_pair(rows: pd.DataFrame, table: str, metric: str) -> pd.DataFrame:
    """Return system, layer (NaN without), seed, column (the language pair) and value of `table2` or `fig2`."""
    rows = rows[(rows["task"] == "word_alignment") & (rows["table"] == table) & (rows["metric"] == metric)]
    layers = rows["signature"].map(layer_of).astype(float)
    rows = rows.assign(column=rows["source"] + "-" + rows["target"], layer=layers)
    return rows[["system", "layer", "seed", "column", "value"]]


def means(values: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over language pairs for every system, layer and seed that has all of them.

    `values` are those of `by_pair`; the mean's column is `mean`. There is none over a single pair.
    """
    return column_means(values, ["system", "layer", "seed"])


def grids(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    """Yield AER beside the published figures, then precision, recall and F1.

    Where the gold sets are not all of the paper's, its error rates follow in a grid of their own: a mean over other
    pairs is no figure to stand beside.
    """
    ours = {metric: by_pair(rows, "table2", metric) for metric in NOTES}
    ours = {metric: pd.concat([values, means(values)]) for metric, values in ours.items()}
    columns = set(ours["aer"]["column"])
    theirs = {
        (system, column): rate for (system, column, _, metric), rate in published.items() if metric == "aer"
    }
    published_columns = {column for _, column in theirs}
    same = published_columns == columns
    beside = {key: rate for key, rate in theirs.items() if same or key[1] != MEAN}
    yield grid(NOTES["aer"], ours["aer"], beside, lowest=columns)
    yield from (grid(NOTES[metric], ours[metric]) for metric in ("precision", "recall", "f1"))
    if columns and published_columns - columns:
        values = pd.DataFrame(
            [(*key, rate) for key, rate in theirs.items()], columns=["system", "column", "value"]
        )
        yield grid("Alignment error rate in the paper.", values, lowest=set(values["column"]))


TABLES = {
    "table2": Table("xlm_align, table 2: alignment error rate", CAPTION, grids),
    **xtreme_tables.TABLES,  # 1, those of its tasks, what is lost in transfer, and 3 to 7
}
