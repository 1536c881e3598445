"""The suite's question, pair by pair: is it better to align afterwards, to train jointly, or both?

Table 1's numbers in the form of the question, with the same mapper on either side.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from crosslingua.papers.joint_align.convention import condition, leading, pair_columns, warn_of_coverage
from crosslingua.papers.joint_align.failures import marked_grid, succeeded
from crosslingua.report.tables import Grid, Published, Table, grid

JOINT, BOTH = "joint", "joint_align_"  # and the mapper
SIDES = ("aligned afterwards", "trained jointly", "both")
CAPTION = (
    "P@1 in percent, CSLS, of table 1, by the rule for words out of vocabulary that leads there; mean ± standard "
    "deviation over seeds. Aligned afterwards: vectors trained apart, mapped by the mapper that the column names. "
    "Trained jointly: on both texts together, no mapping. Both: trained jointly, words reallocated, those that are not "
    "shared mapped by the same mapper. Words spelt alike, which joint training finds at no cost, count (table 2)."
)
DIFFERENCES = ((2, 0), (2, 1), (1, 0))


def mappers(systems: list[str]) -> list[str]:
    """Return the mappers of which the question can be asked, in the order of `systems`."""
    return [name for name in systems if JOINT in systems and BOTH + name in systems]


def grids(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    """Yield the three sides by pair and mapper, then what each is above another."""
    values = _sides(_precision(rows))
    if values.empty:
        return
    yield marked_grid("The best of the three is bold.", values)
    wide = succeeded(values).pivot_table(
        index=["column", "seed"], columns="system", values="value", sort=False
    )
    wide = wide.reindex(columns=list(SIDES))
    parts = [
        (wide[SIDES[first]] - wide[SIDES[second]]).dropna().rename("value").reset_index()
        .assign(system=f"{SIDES[first]}, less {SIDES[second]}")
        for first, second in DIFFERENCES
    ]  # fmt: skip
    yield grid("Points between them, seed by seed.", pd.concat(parts), bold=False)


def _precision(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of P@1 of table 1 in the leading convention, of each system under its own settings."""
    rows = rows[(rows["table"] == "table1") & (rows["task"] == "bli")]
    rule = leading(rows.loc[rows["metric"] == "coverage", "value"])
    rows = rows[(rows["metric"] == "p_at_1") & rows["signature"].str.startswith("csls|")]
    own = condition(rows, "settings", "")
    selected = rows["system"].isin(set(rows.loc[own == "selected", "system"]))
    return rows[condition(rows, "oov", "").eq(rule) & ((own != "published") | ~selected)]


def _sides(rows: pd.DataFrame) -> pd.DataFrame:
    """Return system (the side), column (`en-de: rcsls`), seed, value, signature; what lacks a side is left out."""
    parts = []
    for place, own in rows.groupby(pair_columns(rows), sort=False):
        for name in mappers(list(dict.fromkeys(own["system"]))):
            systems = dict(zip((name, JOINT, BOTH + name), SIDES, strict=True))
            found = own[own["system"].isin(systems)]
            parts.append(found.assign(system=found["system"].map(systems), column=f"{place}: {name}"))
    columns = ["system", "column", "seed", "value", "signature"]
    every = pd.concat(parts)[columns] if parts else pd.DataFrame(columns=columns)
    return every.sort_values("system", key=lambda sides: sides.map(SIDES.index), kind="stable")


TABLE = Table("joint_align: joint training, alignment, or both?", CAPTION, grids, warn_of_coverage)
