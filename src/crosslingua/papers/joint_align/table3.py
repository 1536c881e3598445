"""Table 3: F1 of named entities across languages, ours beside the published numbers, and the controls."""

from collections.abc import Iterator

import pandas as pd

from crosslingua.report.tables import MEAN, Grid, Published, Table, column_means, grid

FLOORS = ("majority", "random_vectors", "same_spelling")
UPPER = "target_language"
CONTROLLED = (*FLOORS, UPPER)
CAPTION = (
    "F1 of entities in percent, trained on the source language and tested on the target language (zero-shot); mean ± "
    "standard deviation over seeds; the best of a column is bold, unless it is less than 10 points above the controls "
    "that must fail: there little was learnt. In parentheses: the paper's figure, where it is at hand. A dash: not "
    "run. Static vectors are read by a BiLSTM layer and a CRF, features of a frozen encoder by two such layers."
)
CONTROLS = (
    "Controls, F1: `majority` gives every word the most frequent label; `random_vectors` has random vectors, of every "
    "word and language its own; `same_spelling` random vectors that a spelling has in both languages; "
    f"`{UPPER}` is trained on the target's own data, with its independent vectors."
)
CONLL = "F1 as conlleval counts: an I-X that goes on nothing begins an entity."
NEAR_NOTHING = 10.0  # points of F1 up to which a control that must fail has failed, and that learning exceeds


def scores(rows: pd.DataFrame, metric: str = "f1") -> pd.DataFrame:
    """Return system, source, target, seed, column (`source-target`) and value of table 3."""
    rows = rows[(rows["table"] == "table3") & (rows["metric"] == metric)]
    return rows.assign(column=rows["source"] + "-" + rows["target"])


def grids(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    """Yield the systems, the controls, and F1 by the other convention."""
    ours = scores(rows)
    shown = ours[~ours["system"].isin(CONTROLLED)]
    sources = set(ours["source"])
    theirs = {
        (system, f"{source}-{target}"): value
        for (system, target, _, metric), value in published.items()
        for source in sources
        if metric == "f1"
    }
    whole = pd.concat([shown, column_means(shown, ["system", "seed"])])
    weak = not_learnt(ours)
    yield grid("F1 of entities (strict).", whole, theirs, unranked=weak)
    yield grid(CONTROLS, ours[ours["system"].isin(CONTROLLED)], bold=False)
    conll = scores(rows, "f1_conll")
    yield grid(CONLL, conll[~conll["system"].isin(CONTROLLED)], unranked=weak)


def not_learnt(ours: pd.DataFrame) -> list[str]:
    """Return the columns whose best is less than NEAR_NOTHING points above the best of FLOORS; the mean, if all are."""
    means = ours.groupby(["column", "system"])["value"].mean().unstack()
    best = means.drop(columns=list(CONTROLLED), errors="ignore").max(axis=1)
    floor = means.reindex(columns=list(FLOORS)).max(axis=1).fillna(0)
    found = list(best.index[best - floor < NEAR_NOTHING])
    return [*found, MEAN] if len(found) == len(best) else found


def warn(rows: pd.DataFrame) -> str:
    """Say where a control did not do what it must: then the pair's scores say little."""
    found = scores(rows).groupby(["column", "system"])["value"].mean()
    told = []
    for column in found.index.unique("column"):
        own = found[column]
        told += [
            f"{column}: {name} {own[name]:.1f}" for name in FLOORS[:2] if own.get(name, 0) > NEAR_NOTHING
        ]
        static = [own[name] for name in ("align", "joint", "joint_align") if name in own]
        if UPPER in own and static and own[UPPER] <= max(static):
            told.append(f"{column}: {UPPER} {own[UPPER]:.1f}, not above zero-shot {max(static):.1f}")
    return f"Controls that failed: {'; '.join(told)}." if told else ""


TABLE = Table("joint_align, table 3: F1 of named entities across languages", CAPTION, grids, warn)
