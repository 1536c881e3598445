"""Table 1: precision by system and pair."""

from collections.abc import Iterator

import pandas as pd

from crosslingua.report.figures import Figure
from crosslingua.report.tables import Grid, Published, Table, grid


def grids(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    """Yield the grid of the table from metrics rows."""
    yield grid("Precision.", rows.assign(column=rows["source"] + "-" + rows["target"]), {})


TABLES = {"table1": Table("Compared maps, table 1: precision", "Precision at 1 in percent.", grids)}
FIGURES: dict[str, Figure] = {}
