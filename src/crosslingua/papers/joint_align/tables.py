"""Tables 1 and 2: precision of bilingual lexicon induction, one grid a convention; and table 3."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pandas as pd

from crosslingua.metrics import conditions
from crosslingua.papers.joint_align.named_entities_table import TABLE3
from crosslingua.report.tables import Grid, Published, Table, grid

CAPTION = (
    "Precision in percent, mean ± standard deviation over seeds; the best of a column is bold. In the paper's rule a "
    "source word none of whose pairs is in vocabulary counts as right if it is its own translation, and as wrong if "
    "not: where coverage is low, that measures spelling, and MUSE's rule, which skips such words, comes first."
)
COVERAGE = (
    "Coverage: percent of the test dictionary's source words that have a vector and a translation with one."
)
# Of pairs without a dictionary.
WITHOUT_GOLD = {
    "mean_cosine": "Without a dictionary, {retrieval}: mean cosine of the 10,000 most frequent source words (or all) "
    "with their best candidate.",
    "mutual": "Without a dictionary, {retrieval}: percent of these words whose best candidate retrieves them back.",
}
BEWARE = (
    "Mean cosine and mutual retrieval are judged without gold: they do not tell right translations from wrong ones. "
    "Compare systems within one pair and corpus only, and mapped spaces with mapped ones, joint with joint: joint "
    "training of little text leaves all vectors alike, a word that a joint space shares retrieves itself at cosine 1, "
    "and some mappers fit these very numbers. Hence no best is marked."
)
DECIMALS = {"mean_cosine": 3, "mutual": 1}
RETRIEVAL = {"csls": "CSLS", "nn": "nearest neighbour by cosine"}
OOV = {
    "paper": "out-of-vocabulary as in the paper",
    "footnote6": "out-of-vocabulary to the letter of footnote 6",
    "muse": "out-of-vocabulary pairs skipped, as in MUSE",
}
COVERED = 80.0  # percent of the queries, of the pair that has least: below it the paper's rule does not lead


def grids(rows: pd.DataFrame, published: Published, table: str) -> Iterator[Grid]:
    """Yield the grids of `table`: P@1 in the leading convention, coverage, P@1 in the others, P@5, P@10.

    Then come those of pairs without a dictionary.
    """
    rows = rows[(rows["table"] == table) & (rows["task"] == "bli")]
    rows = rows.assign(column=_columns(rows), retrieval=rows["signature"].str.split("|").str[0])
    gold = ~rows["metric"].isin(WITHOUT_GOLD)
    yield from _with_gold(rows[gold])
    for (metric, retrieval), values in rows[~gold].groupby(["metric", "retrieval"], sort=False):
        note = WITHOUT_GOLD[metric].format(retrieval=RETRIEVAL[retrieval])
        yield grid(note, values, decimals=DECIMALS[metric], bold=False)


def _with_gold(rows: pd.DataFrame) -> Iterator[Grid]:
    rows = rows.assign(oov=rows["signature"].map(lambda text: conditions(text)["oov"]))
    found = dict(list(rows.groupby(["metric", "retrieval", "oov"], sort=False)))
    lead = ("csls", "muse" if rows[rows["metric"] == "coverage"]["value"].min() < COVERED else "paper")
    first, *others = sorted({key[1:] for key in found}, key=lambda kind: (kind != lead, kind))
    wanted = [("p_at_1", *first), ("coverage", *first), *(("p_at_1", *kind) for kind in others)]
    wanted += [(metric, *first) for metric in ("p_at_5", "p_at_10")]
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


def warn(rows: pd.DataFrame) -> str:
    """Say what numbers without gold are worth, where there are any."""
    return BEWARE if rows["metric"].isin(WITHOUT_GOLD).any() else ""


TABLES = {
    name: Table(title, CAPTION, partial(grids, table=name), warn if name == "table1" else Table.warn)
    for name, title in (
        ("table1", "joint_align, table 1: precision at 1 of bilingual lexicon induction"),
        ("table2", "joint_align, table 2: the same without test pairs of one surface form"),
    )
} | {"table3": TABLE3}
