"""All tables, at the end: 1 and 2, precision of lexicon induction, are made here, each other one in its own file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import pandas as pd

from crosslingua.metrics import conditions
from crosslingua.papers.joint_align import answer, controls, curve, figure2, table3
from crosslingua.papers.joint_align.convention import condition, leading, pair_columns, warn_of_coverage
from crosslingua.papers.joint_align.failures import marked_grid
from crosslingua.report.tables import Grid, Published, Table

# Of tables 1 and 2, as the paper groups them: alignment, joint training, both; unsupervised methods above.
OF_THE_PAPER = (
    "muse", "vecmap", "procrustes", "iterative_norm", "geomm", "rcsls", "joint", "duong", "joint_replace", "joint_vr",
    "joint_align_muse", "joint_ar_muse", "joint_ar_geomm", "joint_ar_rcsls", "joint_align_geomm", "joint_align_rcsls",
)  # fmt: skip
AS_PUBLISHED = ", as published"
CAPTION = (
    "Precision in percent, mean ± standard deviation over seeds; the best of a column is bold. Settings of supervised "
    "systems are chosen on validation translations, among their own paper's values, with the first seed; columns "
    f"“{AS_PUBLISHED.strip(', ')}” have none chosen. † marks runs whose map is no better than a random one, by a "
    "criterion that knows no dictionary, or has no pair to learn from: they failed, and are in no mean. In the "
    "paper's rule a source word none of whose pairs is in vocabulary counts as right if it is its own translation, "
    "and as wrong if not: where coverage is low, that measures spelling, and MUSE's rule, which skips such words, "
    "comes first."
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


def grids(rows: pd.DataFrame, published: Published, table: str) -> Iterator[Grid]:
    """Yield the grids of `table`: P@1 in the leading convention, coverage, P@1 in the others, P@5, P@10.

    Then come those of pairs without a dictionary.
    """
    rows = rows[(rows["table"] == table) & (rows["task"] == "bli")]
    rows = rows.assign(column=pair_columns(rows), retrieval=rows["signature"].str.split("|").str[0])
    gold = ~rows["metric"].isin(WITHOUT_GOLD)
    if gold.any():
        yield from _with_gold(_ordered(rows[gold]))
    for (metric, retrieval), values in rows[~gold].groupby(["metric", "retrieval"], sort=False):
        note = WITHOUT_GOLD[metric].format(retrieval=RETRIEVAL[retrieval])
        yield _grid(note, values, decimals=DECIMALS[metric], bold=False)


def _ordered(rows: pd.DataFrame) -> pd.DataFrame:
    """Put unsupervised systems before those that read a dictionary, else in the order of the configuration."""
    return rows.iloc[(condition(rows, "supervision", "none") != "none").argsort(kind="stable")]


def _with_gold(rows: pd.DataFrame) -> Iterator[Grid]:
    rows = rows.assign(oov=condition(rows, "oov", ""), own=condition(rows, "settings", "selected"))
    found = dict(list(rows.groupby(["metric", "retrieval", "oov"], sort=False)))
    lead = ("csls", leading(rows.loc[rows["metric"] == "coverage", "value"]))
    first, *others = sorted({key[1:] for key in found}, key=lambda kind: (kind != lead, kind))
    wanted = [("p_at_1", *first), ("coverage", *first), *(("p_at_1", *kind) for kind in others)]
    wanted += [(metric, *first) for metric in ("p_at_5", "p_at_10")]
    for number, key in enumerate(key for key in wanted if key in found):
        yield _grid(_note(*key), (_side_by_side if not number else _leading)(found[key]))


def _leading(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of each system's own settings: those chosen, or the published where nothing is chosen."""
    chosen = set(rows.loc[rows["own"] == "selected", "system"])
    return rows[(rows["own"] == "selected") | ~rows["system"].isin(chosen)]


def _side_by_side(rows: pd.DataFrame) -> pd.DataFrame:
    """Add the columns of what is as published to those of what is chosen."""
    published = rows[(rows["own"] == "published")]
    beside = published.assign(column=published["column"] + AS_PUBLISHED)
    return pd.concat(
        [_leading(rows), beside[beside["system"].isin(rows.loc[rows["own"] == "selected", "system"])]]
    )


def _grid(note: str, rows: pd.DataFrame, **how) -> Grid:
    """Summarise rows, failed runs apart, and say each system's kind."""
    kinds = dict(zip(rows["system"], map(_kind, rows["system"], rows["signature"]), strict=True))
    return replace(marked_grid(note, rows, **how), kinds=kinds)


def _kind(system: str, signature: str) -> str:
    kind = {"none": "unsupervised", "dictionary": "supervised"}.get(
        conditions(signature).get("supervision", ""), ""
    )
    return kind if system in OF_THE_PAPER else f"{kind} (beyond the paper)".strip()


def _note(metric: str, retrieval: str, oov: str) -> str:
    if metric == "coverage":
        return COVERAGE
    return f"{metric.replace('p_at_', 'P@')}, {RETRIEVAL[retrieval]}, {OOV[oov]}."


def warn(rows: pd.DataFrame) -> str:
    """Say what numbers without gold are worth, where there are any, and which mappers failed their control."""
    return " ".join(
        filter(None, [
            BEWARE if rows["metric"].isin(WITHOUT_GOLD).any() else "", warn_of_controls(rows), warn_of_coverage(rows)
        ])
    )  # fmt: skip


def warn_of_controls(rows: pd.DataFrame) -> str:
    """Name the mappers that did not map a language onto itself."""
    if not (names := controls.failed(rows)):
        return ""
    return f"Not to be ranked: {', '.join(names)}, which failed the control (one language twice; table of controls)."


TABLES = {
    "answer": answer.TABLE,
    "table1": Table(
        "joint_align, table 1: precision at 1 of bilingual lexicon induction",
        CAPTION,
        partial(grids, table="table1"),
        warn,
    ),
    "table2": Table(
        "joint_align, table 2: the same without test pairs of one surface form",
        CAPTION,
        partial(grids, table="table2"),
        warn_of_controls,
    ),
    "table3": table3.TABLE,
    "fig2": figure2.TABLE,
    "curve": curve.TABLE,
    "controls": controls.TABLE,
}
