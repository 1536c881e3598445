"""Table 3: zero-shot F1 by the method of alignment, ours beside the published numbers, and distances of languages."""

from collections.abc import Iterator

import pandas as pd

from crosslingua.evidence.participation import SHORTCUT, SOURCE, UPPER
from crosslingua.report.controls import flagged, scores_of
from crosslingua.report.tables import Grid, Published, Table, grid, hardly_above, published_grid
from crosslingua.tasks.kinds import kind_of

SYSTEMS = {
    "mbert": "mBERT baseline",
    "rotate_dict": "rotate, dictionary",
    "norm_rotate_dict": "centre and rotate, dictionary",
    "rotate_parallel": "rotate, parallel text",
    "norm_rotate_parallel": "centre and rotate, parallel text",
    "finetune_tgt_to_src": "fine-tune, target to source",
    "finetune_src_to_tgt": "fine-tune, source to target",
}
LITERATURE = {
    "wu_dredze": "mBERT (Wu and Dredze 2019)",
    "wang": "mBERT, rotation, parallel (Wang et al. 2020)",
    "bellomaria": "BERT, 1400 target-language sentences (Bellomaria et al. 2019)",
    "upadhyay": "no context, zero-shot (Upadhyay et al. 2018), read off a chart",
    "schuster": "translated training data (Schuster et al. 2019)",
}
TASKS = ("ner", "slots")  # of the paper
GOLD_TYPES = (
    "F1 without the spans of a type that the test set has none of (PioNER and UNER have no MISC, which CoNLL-2003's "
    "English teaches); above they count as wrong."
)
INTENTS = (
    "Intents: accuracy in percent, of a linear classifier of the mean of a sentence's word vectors, learnt beside the "
    "slots of the first grid. Beyond the paper, which has none. Controls are `majority`, which always gives the most "
    "frequent intent, `random_vectors` and `target_language`."
)
SEPARATION = {"separation": "as pre-trained", "separation_after": "after rotation"}
NOT_LEARNT = 10.0  # points of F1: a column whose best is no further above both floors is not ranked
FLOORS = ("majority", "random_vectors", SHORTCUT)
CONTROLS = (*FLOORS, UPPER)
APART = (
    "Separation of the languages: distance of the centroids of linked words in the encoder's last layers, in percent "
    "of how far words are spread about their centroid. Centring brings it to 0."
)
HOME = (
    "F1 of spans in the source language, of the taggers above. The claims compare a system where it beats all controls "
    "here."
)
CAPTION = (
    "F1 of spans in percent (strict), mean ± standard deviation over seeds: trained on the source language, tested on "
    "the target language (zero-shot). Bold: best of the column. Dash: not run."
)
NOTES = (
    "A column whose best is less than 10 points above the controls has no bold number. In parentheses: the paper's "
    "figure for the set of that name. Controls: `majority` always gives the most frequent label, `random_vectors` has "
    "random vectors of words, and `shortcut` is the best reader without an encoder. `target_language` is the baseline "
    "trained on the target language."
)


def label(task: str, target: str) -> str:
    """Return the name of a column."""
    return f"{kind_of(task).short} {target}"


def _with_columns(rows: pd.DataFrame) -> pd.DataFrame:
    columns = [label(*key) for key in zip(rows["task"], rows["target"], strict=True)]
    return rows.assign(column=columns)


def scores(rows: pd.DataFrame, metric: str = "f1", table: str = "table3") -> pd.DataFrame:
    """Return system, task, target, seed, column and value of a table, and of the shortcut from the source language."""
    rows = _with_columns(scores_of(rows, table, metric))
    return rows[["system", "task", "target", "seed", "column", "value"]]


def distances(rows: pd.DataFrame) -> pd.DataFrame:
    """Return system (lexical, order, distance), task, target, column and value of the measured distances."""
    rows = _with_columns(rows[rows["system"] == "distance"])
    return rows.assign(system=rows["metric"])[["system", "task", "target", "column", "value"]]


def separations(rows: pd.DataFrame) -> pd.DataFrame:
    """Return system (before or after rotation), column and value: how far apart the centroids of languages are."""
    rows = _with_columns(rows[rows["system"] == "separation"])
    return rows.assign(system=rows["metric"].map(SEPARATION))[["system", "column", "value"]]


def warn(rows: pd.DataFrame) -> str:
    """Say where the upper line is none; cells no better than a control that must fail are marked."""
    told = []
    for column, values in scores(rows).groupby("column", sort=False):
        means = values.groupby("system")["value"].mean()
        own = means.reindex(list(SYSTEMS)).dropna()
        if UPPER in means and len(own) and means[UPPER] <= own.max():
            best = f"{own.idxmax()} ({own.max():.1f})"
            told.append(f"{column}: {UPPER} ({means[UPPER]:.1f}) is not above {best}.")
    return " ".join(told)


def grids(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    """Yield the systems beside the published figures, the controls, the distances, and the paper's other figures."""
    ours = scores(rows)
    theirs = {
        (system, label(task, target)): value
        for (system, target, task, metric), value in published.items()
        if metric == "f1"
    }
    shown, floors = ours[ours["system"].isin(SYSTEMS)], ours[ours["system"].isin(FLOORS)]
    unranked = hardly_above(shown, floors, NOT_LEARNT, absent=float("-inf"))
    is_theirs = {column for _, column in theirs} & set(shown["column"])
    empty = [column for _, column in theirs] if is_theirs else []
    yield flagged(grid("F1 of spans.", shown, theirs, empty=empty, unranked=unranked), shown, floors)
    controls = ours[ours["system"].isin(CONTROLS)]
    yield flagged(grid("Controls: F1 of spans.", controls, theirs, bold=False), controls, floors)
    home = scores(rows, table=SOURCE)
    yield flagged(grid(HOME, home, bold=False), home, home[home["system"].isin(FLOORS)])
    gold_types = scores(rows, "f1_gold_types")
    both = gold_types.merge(ours, on=["system", "column", "seed"], suffixes=("", "_all"))
    other = gold_types["column"].isin(both.loc[both["value"] != both["value_all"], "column"])
    intents = scores(rows, "intent_accuracy").assign(column=lambda own: "intents " + own["target"])
    for note, values in ((GOLD_TYPES, gold_types[other]), (INTENTS, intents)):
        yield flagged(grid(note, values, bold=False), values, values[values["system"].isin(FLOORS)])
    note = "Distance of the languages in percent: spelling (LDND), order (crossing links), and their mean."
    yield grid(note, distances(rows), bold=False)
    yield grid(APART, separations(rows), bold=False)
    if theirs and not is_theirs:
        of_systems = {place: value for place, value in theirs.items() if place[0] in SYSTEMS}
        yield published_grid("F1 in the paper.", of_systems, decimals=2)
    quoted = {(LITERATURE[name], of): value for (name, of), value in theirs.items() if name in LITERATURE}
    yield published_grid("F1 in the literature, as the paper quotes it.", quoted, decimals=2, bold=False)


TABLES = {"table3": Table("mbert_align, table 3: alignment methods of mBERT", CAPTION, grids, warn, NOTES)}
