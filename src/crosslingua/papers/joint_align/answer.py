"""The suite's question, pair by pair: is it better to align afterwards, to train jointly, or both?

Table 1's numbers in the form of the question, with the same mapper on either side.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pandas as pd

from crosslingua.claims.statements import MIN_SEEDS
from crosslingua.papers.joint_align.convention import condition, leading, pair_columns, warn_of_coverage
from crosslingua.papers.joint_align.failures import marked_grid, succeeded
from crosslingua.report.tables import Grid, Published, Table, grid

JOINT, BOTH = "joint", "joint_align_"  # and the mapper
SIDES = ("aligned afterwards", "trained jointly", "both")
CAPTION = (
    "P@1 in percent, CSLS, of table 1, by the rule for words out of vocabulary that leads there; mean ± standard "
    "deviation over seeds. Aligned afterwards: vectors trained apart, mapped by the mapper that the column names. "
    "Trained jointly: on both texts together, no mapping. Both: trained jointly, words reallocated, those that are not "
    "shared mapped by the same mapper. Words spelt alike, which joint training finds at no cost, count in the first "
    "grid, and not in the second (table 2)."
)
ALL, UNLIKE = "table1", "table2"
NOTES = {ALL: "The best of the three is bold.", UNLIKE: "The same without pairs that are spelt alike."}
DIFFERENCES = ((2, 0), (2, 1), (1, 0))


def mappers(systems: list[str]) -> list[str]:
    """Return the mappers of which the question can be asked, in the order of `systems`."""
    return [name for name in systems if JOINT in systems and BOTH + name in systems]


def grids(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    """Yield the three sides by pair and mapper, also without words spelt alike, then what each is above another."""
    values = _sides(_precision(rows, ALL))
    if values.empty:
        return
    yield marked_grid(NOTES[ALL], values)
    if not (unlike := _sides(_precision(rows, UNLIKE))).empty:
        yield replace(marked_grid(NOTES[UNLIKE], unlike), unfolded=True)
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


def warn(rows: pd.DataFrame) -> str:
    """Say which side is ahead in each pair, how many seeds stand behind it, and on how few words it rests."""
    every, unlike = (_sides(_precision(rows, table)) for table in NOTES)
    apart, pairs = _ahead(unlike), {}
    for pair, side in _ahead(every).items():
        pairs.setdefault(f"{side}; of words not spelt alike: {apart.get(pair, 'not told')}", []).append(pair)
    said = [f"Ahead in {', '.join(those)}: {sides}." for sides, those in pairs.items()]
    if said and (seeds := rows["seed"].nunique()) < MIN_SEEDS:
        said.append(f"Number of seeds: {seeds}, which is a look; a verdict takes {MIN_SEEDS}.")
    if few := warn_of_coverage(rows):
        said += [few, _chance(every)]
    return " ".join(filter(None, said))


def _ahead(values: pd.DataFrame) -> dict[str, str]:
    """Return of each pair the side that is best with most mappers, and with how many; `none` where nothing is right."""
    if values.empty:
        return {}
    means = succeeded(values).pivot_table(index="column", columns="system", values="value", sort=False)
    means = means.reindex(columns=list(SIDES)).dropna()
    pairs = means.index.map(lambda column: column.rpartition(": ")[0])
    found = {}
    for pair, own in means.groupby(pairs, sort=False):
        best = own.eq(own.max(axis="columns"), axis="index") & own.gt(0)
        side = best.sum().idxmax()
        count = f" ({best[side].sum()} of {len(own)} mappers)" if len(own) > 1 else ""
        found[pair] = f"{side}{count}" if best[side].any() else "none"
    return found


def _chance(values: pd.DataFrame) -> str:
    """Say which differences may be chance of the fewest words: 1.96 standard errors, as of sides apart."""
    if values.empty:
        return ""
    words = values["n"].min()
    column = values.loc[values["n"].idxmin(), "column"]
    share = values.loc[values["column"] == column, "value"].max() / 100
    points = 196 * (2 * share * (1 - share) / words) ** 0.5
    return (
        f"Of {words} words, differences of less than {points:.0f} points may be chance."
        if points >= 1
        else ""
    )


def _precision(rows: pd.DataFrame, table: str) -> pd.DataFrame:
    """Return a table's rows of P@1 in the convention that leads in table 1, of each system under its own settings."""
    rows = rows[rows["task"] == "bli"]
    rule = leading(rows.loc[(rows["metric"] == "coverage") & (rows["table"] == ALL), "value"])
    rows = rows[rows["table"] == table]
    rows = rows[(rows["metric"] == "p_at_1") & rows["signature"].str.startswith("csls|")]
    own = condition(rows, "settings", "")
    selected = rows["system"].isin(set(rows.loc[own == "selected", "system"]))
    return rows[condition(rows, "oov", "").eq(rule) & ((own != "published") | ~selected)]


def _sides(rows: pd.DataFrame) -> pd.DataFrame:
    """Return system (the side), column (`en-de: rcsls`), seed, value, n, signature; what lacks a side is left out."""
    parts = []
    for place, own in rows.groupby(pair_columns(rows), sort=False):
        for name in mappers(list(dict.fromkeys(own["system"]))):
            systems = dict(zip((name, JOINT, BOTH + name), SIDES, strict=True))
            found = own[own["system"].isin(systems)]
            parts.append(found.assign(system=found["system"].map(systems), column=f"{place}: {name}"))
    columns = ["system", "column", "seed", "value", "n", "signature"]
    every = pd.concat(parts)[columns] if parts else pd.DataFrame(columns=columns)
    return every.sort_values("system", key=lambda sides: sides.map(SIDES.index), kind="stable")


TABLE = Table("joint_align: joint training, alignment, or both?", CAPTION, grids, warn)
