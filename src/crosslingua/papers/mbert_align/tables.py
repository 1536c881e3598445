"""Table 3: zero-shot F1 by the method of alignment, ours beside the published numbers, and distances of languages."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from crosslingua.report.tables import Grid, Published, Table, grid

SYSTEMS = {
    "mbert": "mBERT baseline",
    "rotate_dict": "rotate, dictionary",
    "norm_rotate_dict": "centre and rotate, dictionary",
    "rotate_parallel": "rotate, parallel text",
    "norm_rotate_parallel": "centre and rotate, parallel text",
    "finetune_tgt_to_src": "fine-tune, target to source",
    "finetune_src_to_tgt": "fine-tune, source to target",
}
CONTROLS = ("majority", "random_vectors", "target_language")
TASKS = {"ner": "NER", "slots": "slots"}
CAPTION = (
    "F1 of spans in percent (strict), zero-shot: trained on the source language, tested on the target language; mean ± "
    "standard deviation over seeds. In parentheses: the paper's figure for the set of that name, which at other scales "
    "than paper may be another, or a part (docs/mbert_align.md). Controls: `majority` always gives the most frequent "
    "label, `random_vectors` has random vectors of words, `target_language` is the mBERT baseline trained on the "
    "target's own data."
)


def label(task: str, target: str) -> str:
    """Return the name of a column."""
    return f"{TASKS.get(task, task)} {target}"


def scores(rows: pd.DataFrame, metric: str = "f1") -> pd.DataFrame:
    """Return system, task, target, seed, column and value of table 3."""
    rows = rows[(rows["table"] == "table3") & (rows["metric"] == metric)]
    columns = [label(*key) for key in zip(rows["task"], rows["target"], strict=True)]
    return rows.assign(column=columns)[["system", "task", "target", "seed", "column", "value"]]


def distances(rows: pd.DataFrame) -> pd.DataFrame:
    """Return system (lexical, order, distance), task, target, column and value of the measured distances."""
    rows = rows[rows["system"] == "distance"]
    columns = [label(*key) for key in zip(rows["task"], rows["target"], strict=True)]
    return rows.assign(column=columns, system=rows["metric"])[["system", "task", "target", "column", "value"]]


def grids(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    """Yield the systems beside the published figures, the controls, the distances, and the paper's other figures."""
    ours = scores(rows)
    theirs = {
        (system, label(task, target)): value
        for (system, target, task, metric), value in published.items()
        if metric == "f1"
    }
    shown = ours[ours["system"].isin(SYSTEMS)]
    yield grid("F1 of spans.", shown, theirs)
    yield grid("Controls: F1 of spans.", ours[ours["system"].isin(CONTROLS)], theirs, bold=False)
    note = "Distance of the languages in percent: spelling (LDND), order (crossing links), and their mean."
    yield grid(note, distances(rows), bold=False)
    if set(dict(theirs)) and {column for _, column in theirs} - set(shown["column"]):
        values = pd.DataFrame([(*key, v) for key, v in theirs.items()], columns=["system", "column", "value"])
        yield grid("F1 in the paper.", values[values["system"].isin(SYSTEMS)], decimals=2)


TABLES = {"table3": Table("mbert_align, table 3: alignment methods of mBERT", CAPTION, grids)}
