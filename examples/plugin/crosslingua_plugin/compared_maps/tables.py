"""Table 1: precision by system and pair."""

from crosslingua.report.tables import Table, grid


def grids(rows, published):
    """Yield the grid of the table from metrics rows."""
    yield grid("Precision.", rows.assign(column=rows["source"] + "-" + rows["target"]), {})


TABLES = {"table1": Table("Compared maps, table 1: precision", "Precision at 1 in percent.", grids)}
FIGURES = {}
