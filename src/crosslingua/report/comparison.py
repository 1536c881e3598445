"""Which numbers of two results differ by more than their seeds vary."""

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from crosslingua.errors import InputError
from crosslingua.io.atomic import atomic_open
from crosslingua.io.decode import CsvRecords
from crosslingua.metrics import read_rows
from crosslingua.report.tables import no_formulas

KEYS = ["paper", "table", "system", "task", "source", "target", "metric", "signature"]
OF_TABLES = ["convention", "system", "column"]
NUMBERS = ["mean", "deviation", "seeds"]
GIVE = "give a folder with metrics.csv, or a table as CSV"
LEVEL = 0.05  # of the false discovery rate


def read_numbers(path: str | Path) -> pd.DataFrame:
    """Return mean, deviation and seeds of each number, by a key of words, from a folder, metrics.csv or a table.

    Raises InputError for a file that is neither, for wrong numbers, and for two numbers of one key.
    """
    path = Path(path)
    path = path / "metrics.csv" if path.is_dir() else path
    if not path.is_file():
        raise InputError(path, "is no file" if path.exists() else "no such file", remedy=GIVE)
    records = CsvRecords(path)
    columns = set(records.fieldnames or ())
    if set(KEYS) <= columns:
        return (
            read_rows(path).groupby(KEYS, sort=False)["value"].agg(mean="mean", deviation="std", seeds="size")
        )
    if not {*OF_TABLES, *NUMBERS} <= columns:
        raise InputError(path, "neither metrics.csv nor a table of results", line=1, remedy=GIVE)
    found: dict[tuple[str, ...], list[float]] = {}
    for record in records:
        if not record["mean"]:  # a mark without a number
            continue
        key = tuple(record[name] for name in OF_TABLES)
        if key in found:
            raise InputError(
                path, f"a second number for {', '.join(key)}", line=records.line_num, remedy="leave one"
            )
        mean, seeds = records.number(record, "mean"), records.number(record, "seeds", int, 1)
        alone = seeds == 1 and not record["deviation"]
        found[key] = [mean, math.nan if alone else records.number(record, "deviation", float, 0), seeds]
    if not found:
        raise InputError(path, "holds no number", remedy=GIVE)
    return pd.DataFrame(found.values(), pd.MultiIndex.from_tuples(found, names=OF_TABLES), columns=NUMBERS)


@dataclass(frozen=True)
class Moves:
    """`numbers` that both have, with difference and p; how many only the first and only the second have."""

    numbers: pd.DataFrame
    only_before: int
    only_after: int

    def write(self, path: str | Path) -> None:
        """Write all numbers as CSV, for spreadsheets too."""
        with atomic_open(path) as stream:
            no_formulas(self.numbers.reset_index()).to_csv(stream, index=False, lineterminator="\n")

    def text(self, most: int = 50) -> str:
        """Return the report on numbers that moved, the largest move first, and that stayed."""
        moved = self.numbers[self.numbers["moved"]]
        moved = moved.sort_values("difference", key=abs, ascending=False, kind="stable")
        lines = [
            f"{row.before:8.2f} -> {row.after:8.2f} ({row.difference:+.2f}; p {row.p:.2g})  {' '.join(row.Index)}"
            for row in moved.head(most).itertuples()
        ]
        more = len(moved) - most
        lines += [f"... and {more} more"] if more > 0 else []
        lines += [f"{len(moved)} of {len(self.numbers)} numbers moved beyond noise."]
        if self.only_before or self.only_after:
            lines += [f"Only in the first: {self.only_before}; only in the second: {self.only_after}."]
        return "\n".join(lines)


def compare(before: pd.DataFrame, after: pd.DataFrame) -> Moves:
    """Compare two results of `read_numbers`. Raises InputError where they have no number in common."""
    from scipy.stats import false_discovery_control

    common = before.index.intersection(after.index, sort=False)
    if common.empty:
        raise InputError("results", "have no number in common: compare results of one scale")
    first, second = before.loc[common], after.loc[common]
    numbers = pd.DataFrame({"before": first["mean"], "after": second["mean"]})
    numbers["difference"] = numbers["after"] - numbers["before"]
    numbers["p"] = _welch(first, second)
    numbers["moved"] = false_discovery_control(numbers["p"]) <= LEVEL  # Benjamini and Hochberg (1995)
    return Moves(numbers, len(before) - len(common), len(after) - len(common))


def _welch(first: pd.DataFrame, second: pd.DataFrame) -> np.ndarray:
    """Return p of Welch's test; of numbers without deviation 1 where they are equal, else 0."""
    from scipy.stats import ttest_ind_from_stats

    means = first["mean"].to_numpy(float), second["mean"].to_numpy(float)
    deviations = [part["deviation"].fillna(0).to_numpy(float) for part in (first, second)]
    seeds = [part["seeds"].to_numpy(float) for part in (first, second)]
    noisy = (deviations[0] + deviations[1] > 0) & (np.minimum(*seeds) > 1)
    p = np.where(np.isclose(*means, rtol=0, atol=1e-9), 1.0, 0.0)
    if noisy.any():
        sides = [part[noisy] for pair in zip(means, deviations, seeds, strict=True) for part in pair]
        p[noisy] = ttest_ind_from_stats(*sides, equal_var=False).pvalue
    return p
