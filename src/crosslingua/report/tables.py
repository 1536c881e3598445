"""Result tables: systems down, columns across, mean ± deviation over seeds, the paper's figure beside it."""

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tabulate import tabulate

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.atomic import atomic_open
from crosslingua.io.decode import CsvRecords
from crosslingua.report import markdown_name, markdown_words

# `target` is a language, a pair (`de-en`), a transformation or `mean`; further columns are notes for the reader.
COLUMNS = ("system", "target", "task", "metric", "value")
Key = tuple[str, str, str, str]  # the first four columns


def read_reference(paths: Iterable[str | Path]) -> dict[Key, float]:
    """Read published numbers by (system, target, task, metric). InputError where they are none, or tables disagree."""
    found: dict[Key, float] = {}
    for path in paths:
        reader = CsvRecords(path)
        if tuple(reader.fieldnames or ())[: len(COLUMNS)] != COLUMNS:
            raise InputError(path, f"columns must be {','.join(COLUMNS)}", line=1)
        for record in reader:
            key, line = tuple(record[name] for name in COLUMNS[:4]), reader.line_num
            value = float(reader.number(record, "value"))
            if found.setdefault(key, value) != value:
                raise InputError(path, f"{value} for {key}, another table has {found[key]}", line=line)
    return found


Published = Mapping[Key, float]
MEAN = "mean"  # the column of means over all others
CV_NOTE = "Our figures and the paper's differ by a coefficient of variation (CV*, Belz et al. 2022) of {}."
TIED_NOTE = "Italic: no significant difference from the best of the column (Welch's t test over seeds, 5 %)."


def cv_star(values: Sequence[float]) -> float:
    """Return the coefficient of variation of a few results of one experiment, in percent, unbiased for small samples
    (Belz et al. 2022, Quantified Reproducibility Assessment of NLP Results). NaN unless all have one sign.
    """
    n, mean = len(values), float(np.mean(values))
    if not (min(values) > 0 or max(values) < 0):
        return math.nan
    unbiased = math.sqrt(2 / (n - 1)) * math.gamma(n / 2) / math.gamma((n - 1) / 2)
    return 100 * (1 + 1 / (4 * n)) * float(np.std(values, ddof=1)) / unbiased / abs(mean)


@dataclass(frozen=True)
class Grid:
    """A grid of numbers, and the sentence that names what sets it apart from the others of its table.

    `cells` has a row for each (system, column) in order. Its columns are mean, deviation (NaN for one seed), seeds,
    published, and `mark`, a text behind the number. In the columns `lowest` less is better. `bold` is off where systems
    do not compete; `unranked` are columns, systems and cells (system, column) that do not. `kinds` of systems make a
    column; the page shows the first grid, and `unfolded` ones. `footnote` explains marks.
    """

    note: str
    cells: pd.DataFrame
    lowest: frozenset[str] = frozenset()
    decimals: int = 1
    bold: bool = True
    unranked: frozenset[str | tuple[str, str]] = frozenset()
    kinds: Mapping[str, str] = field(default_factory=dict)
    unfolded: bool = False
    footnote: str = ""

    def _competes(self) -> pd.Series:
        """Return whether each cell is ranked."""
        places = self.cells.index
        ranked = [self.bold and self.unranked.isdisjoint({place, *place}) for place in places]
        return pd.Series(ranked, places, dtype=bool)

    def best(self) -> pd.Series:
        """Return whether each cell's mean, as it is shown, is the best of its column."""
        shown = self.cells["mean"].map(f"{{:.{self.decimals}f}}".format).astype(float)
        sign = [-1 if column in self.lowest else 1 for _, column in shown.index]
        competing = (shown * sign).where(self._competes())
        return competing.groupby(level="column").transform("max").eq(competing)

    @cached_property
    def tied(self) -> pd.Series:
        """Return whether each competing cell does not differ from its column's best (Welch's t test, 5 %)."""
        from scipy.stats import ttest_ind_from_stats

        best = self.best()
        tied = pd.Series(data=False, index=best.index)
        tops = {column: cell for (_, column), cell in self.cells[best].iterrows()}
        for place, cell in self.cells[self._competes() & ~best].iterrows():
            top = tops.get(place[1])
            if top is None:
                continue
            both = [tuple(float(one[name]) for name in ("mean", "deviation", "seeds")) for one in (cell, top)]
            if all(np.isfinite(number).all() and number[1] > 0 and number[2] > 1 for number in both):
                tied[place] = ttest_ind_from_stats(*both[0], *both[1], equal_var=False).pvalue > 0.05
        return tied

    @property
    def variation(self) -> pd.Series:
        """The coefficient of variation of our mean and the published figure of each cell, in percent."""
        both = self.cells.reindex(columns=["mean", "published"]).astype(float)
        found = [cv_star(pair) if np.isfinite(pair).all() else math.nan for pair in both.to_numpy()]
        return pd.Series(found, both.index, dtype=float)

    @property
    def notes(self) -> str:
        """The footnote, what italics mean where there are any, and how far the paper's figures are from ours."""
        known = self.variation.dropna()
        which = f"{known.median():.0f} % in the median of {len(known)} cells" if len(known) > 1 else ""
        which = which or f"{known.sum():.0f} %"
        parts = (self.footnote, TIED_NOTE * bool(self.tied.any()), CV_NOTE.format(which) * bool(len(known)))
        return " ".join(filter(None, parts))


@dataclass(frozen=True)
class Table:
    """A table of a paper: `grids` makes it of metrics rows and published numbers; `warn` names what to beware of.

    The caption has at most 40 words. The `notes` have the rest, which the page folds away.
    """

    title: str
    caption: str
    grids: Callable[[pd.DataFrame, Published], Iterable[Grid]]
    warn: Callable[[pd.DataFrame], str] = lambda rows: ""
    notes: str = ""

    def build(self, rows: pd.DataFrame, published: Published) -> list[Grid]:
        """Return the grids that have a number of ours. Raises InputError if there is none."""
        found = [grid for grid in self.grids(rows, published) if not grid.cells.empty]
        if not found:
            raise InputError("metrics", f"no rows for {self.title}")
        return found


def fitted(text: str, grids: Sequence[Grid]) -> str:
    """Return a caption or note with the number of seeds that deviations are over, and without the sentence on the
    paper's figures in parentheses where there are none.
    """
    cells = pd.concat(
        [each.cells.reindex(columns=["mean", "deviation", "seeds", "published"]) for each in grids]
    )
    seeds = cells.loc[cells["deviation"].notna(), "seeds"].astype(int)
    if len(seeds):
        least, most = seeds.min(), seeds.max()
        text = text.replace("over seeds", f"over {most if least == most else f'{least} to {most}'} seeds", 1)
    if not (cells["mean"].notna() & cells["published"].notna()).any():
        text = re.sub(r"In parentheses: [^.]*\. ?", "", text).rstrip()
    return text


def grid(
    note: str,
    values: pd.DataFrame,
    published: Mapping[tuple[str, str], float | None] | None = None,
    *,
    columns: Iterable[str] = (),
    empty: Iterable[str] = (),
    lowest: Collection[str] = (),
    decimals: int = 1,
    bold: bool = True,
    unranked: Collection[str | tuple[str, str]] = (),
) -> Grid:
    """Summarise `values`, which have the columns system, column, seed, value: one row a system, column and seed.

    Systems and columns stand in the order of their first row, or of `columns`; without a value, only `empty` stay, at
    the end. `published` is by (system, column). Raises ConfigError where a system has several rows of a seed in a
    column, which differ in signature and would be averaged like seeds.
    """
    places = ["system", "column", "seed"]
    if {"seed"} <= set(values) and (several := values.duplicated(places)).any():
        system, column, seed = values.loc[several, places].iloc[0]
        own = values[(values[places] == [system, column, seed]).all(axis=1)]
        raise ConfigError(
            f"several rows of {system}, {column}, seed {seed}: choose by signature what the table shows: "
            + " or ".join(own.get("signature", []))
        )
    found = values.groupby(["system", "column"])["value"].agg(mean="mean", deviation="std", seeds="size")
    present = values["column"].unique()
    columns = [column for column in columns if column in present] or list(present)
    columns += [column for column in dict.fromkeys(empty) if column not in columns] if columns else []
    places = pd.MultiIndex.from_product([values["system"].unique(), columns], names=["system", "column"])
    cells = found.reindex(places)
    if published is not None:
        cells["published"] = [published.get(place) for place in places]
    return Grid(note, cells, frozenset(lowest), decimals, bold, frozenset(unranked))


def published_grid(note: str, published: Mapping[tuple[str, str], float], **how: Any) -> Grid:
    """Return a grid of published numbers alone, which are by (system, column)."""
    lines = [(*place, value) for place, value in published.items()]
    return grid(note, pd.DataFrame(lines, columns=["system", "column", "value"]), **how)


def of_metric(published: Published, metric: str) -> dict[tuple[str, str], float]:
    """Return the published numbers of a metric by (system, target)."""
    return {key[:2]: value for key, value in published.items() if key[3] == metric}


def column_means(values: pd.DataFrame, by: Sequence[str], least: int = 2) -> pd.DataFrame:
    """Return the mean over the columns, if `least` or more, of each group `by` that has all; its column: `mean`."""
    every = values["column"].nunique()
    groups = values.groupby(list(by), sort=False, dropna=False)["value"]
    found = groups.agg(value="mean", columns="size").reset_index()
    return found[(found["columns"] == every) & (every >= least)].drop(columns="columns").assign(column=MEAN)


def hardly_above(
    compared: pd.DataFrame, floors: pd.DataFrame, points: float, absent: float = 0.0
) -> list[str]:
    """Return the columns whose best system is less than `points` above the best floor, `absent` where there is none."""
    means = (values.groupby(["column", "system"])["value"].mean() for values in (compared, floors))
    best, floor = (each.groupby("column").max() for each in means)
    return list(best.index[best - floor.reindex(best.index).fillna(absent) < points])


@dataclass(frozen=True)
class Document:
    """A table to write: its grids, and the words around them. `texts` are paragraphs; empty ones are left out.

    `notes` stand below the grids, on the page behind a fold.
    """

    id: str
    title: str
    texts: Sequence[str]
    grids: Sequence[Grid]
    made_by: str = ""
    notes: str = ""


@dataclass(frozen=True)
class Style:
    """How a format of tabulate writes a cell: bold, italic, the sign of a deviation, and a name."""

    format: str
    bold: str
    italic: str
    plus_minus: str = "±"
    name: Callable[[str], str] = str


IN_LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


def _latex_name(name: str) -> str:
    name = " ".join(name.split())
    return re.sub(r"[_%&#${}\\~^]", lambda found: IN_LATEX.get(found[0], f"\\{found[0]}"), name)


MARKDOWN = Style("github", "**{}**", "*{}*", name=markdown_name)
LATEX = Style("latex_raw", r"\textbf{{{}}}", r"\textit{{{}}}", r"$\pm$", _latex_name)
HTML = Style("unsafehtml", "<strong>{}</strong>", "<em>{}</em>", name=escape)


def render(grid: Grid, style: Style) -> str:
    """Return a grid as text, a missing number as a dash."""
    cells = grid.cells.reindex(columns=["mean", "deviation", "published", "mark"])
    cells = cells.assign(best=grid.best(), tied=grid.tied)
    texts = [_text(cell, grid.decimals, style) for cell in cells.itertuples()]
    frame = pd.Series(texts, cells.index).unstack("column", sort=False)
    kinds = [style.name(grid.kinds.get(system, "")) for system in frame.index]
    frame = frame.rename(index=style.name, columns=style.name)
    align = ["left"] + ["right"] * len(frame.columns)
    if grid.kinds:
        frame.insert(0, "kind", kinds)
        align = ["left", *align]
    return tabulate(frame, headers="keys", tablefmt=style.format, colalign=align, disable_numparse=True)


def _text(cell, decimals: int, style: Style) -> str:
    text = "–" if pd.isna(cell.mean) else f"{cell.mean:.{decimals}f}"
    if pd.notna(cell.deviation):
        text += f" {style.plus_minus} {cell.deviation:.{decimals}f}"
    text = style.bold.format(text) if cell.best else style.italic.format(text) if cell.tied else text
    text += f" {cell.mark}" if isinstance(cell.mark, str) and cell.mark else ""
    return text if pd.isna(cell.published) else f"{text} ({cell.published:.{decimals}f})"


FORMULA = re.compile(r"[=+@\t\r-]")


def no_formulas(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table for a spreadsheet: text that would be a formula gets `'` in front. Numbers stay numbers."""

    def quoted(value: Any) -> Any:
        return (
            f"'{value}"
            if isinstance(value, str) and FORMULA.match(value) and not _is_number(value)
            else value
        )

    return frame.map(quoted)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def tidy(document: Document) -> str:
    """Return the grids as one CSV, for spreadsheets too, without places that have neither a number nor a mark.

    Columns: convention, system, column, mean, deviation, seeds and, where there are any, published with its cv_star
    (`cv_star`, in percent), mark, kind.
    """
    frames = {}
    for grid in document.grids:
        cells = grid.cells
        shown = cells["mean"].notna() | (cells["mark"].fillna("").ne("") if "mark" in cells else False)
        kinds = {"kind": [grid.kinds.get(system, "") for system, _ in cells.index]} if grid.kinds else {}
        if "published" in cells:
            cells = cells.copy()
            cells.insert(list(cells).index("published") + 1, "cv_star", grid.variation)
        frames[grid.note] = cells.assign(**kinds)[shown]
    cells = pd.concat(frames, names=["convention"]).reset_index().astype({"seeds": int})
    for name in ("mean", "deviation"):
        cells[name] = cells[name].map("{:.4f}".format, na_action="ignore")
    if "cv_star" in cells:
        cells["cv_star"] = cells["cv_star"].map("{:.2f}".format, na_action="ignore")
    return no_formulas(cells).to_csv(index=False, lineterminator="\n")


def markdown(document: Document) -> str:
    """Return the grids under headings."""
    words = (document.title, *document.texts, document.notes, document.made_by)
    title, *texts, notes, made_by = map(markdown_words, words)
    parts = [f"# {title}", *texts]
    for grid in document.grids:
        parts += [f"## {markdown_words(grid.note)}", render(grid, MARKDOWN), markdown_words(grid.notes)]
    return _joined(*parts, notes and f"## Notes\n\n{notes}", made_by)


def latex(document: Document) -> str:
    """Return a tabular for each grid; all other words are comments."""
    texts = (document.title, *document.texts, document.notes, document.made_by)
    parts = ["\n".join(f"% {' '.join(text.split())}" for text in texts if text)]
    for grid in document.grids:
        note, notes = (" ".join(text.split()) for text in (grid.note, grid.notes))
        lines = (f"% {note}", render(grid, LATEX), notes and f"% {notes}")
        parts.append("\n".join(filter(None, lines)))
    return _joined(*parts)


def html(document: Document) -> str:
    """Return a section of the results page: the first grid, and the others to unfold."""
    first, *others = document.grids
    return _joined(
        f'<section id="{document.id}">\n<h3>{escape(document.title)}</h3>',
        *(f"<p>{_with_code(text)}</p>" for text in document.texts if text),
        f'<div class="scroll">{render(first, HTML)}</div>{_notes(first.note, first.notes)}',
        *(
            f"<details{' open' * grid.unfolded}><summary>{_with_code(grid.note)}</summary>"
            f'<div class="scroll">{render(grid, HTML)}</div>{_notes(grid.notes)}</details>'
            for grid in others
        ),
        f"<details><summary>Notes</summary>{_notes(document.notes)}</details>" if document.notes else "",
        _notes(document.made_by),
        "</section>",
    )


def _notes(*texts: str) -> str:
    return "".join(f'<p class="note">{_with_code(text)}</p>' for text in texts if text)


def _with_code(text: str) -> str:
    """Return HTML of a text whose commands and names stand in backticks."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _joined(*paragraphs: str) -> str:
    return "\n\n".join(filter(None, paragraphs)) + "\n"


FORMATS = {".csv": tidy, ".md": markdown, ".tex": latex, ".html": html}


def write(path: str | Path, document: Document) -> None:
    """Write a table in the format of the suffix. Raises ConfigError for one that is none."""
    if Path(path).suffix not in FORMATS:
        raise ConfigError(f"{path}: tables are written as {', '.join(FORMATS)}")
    with atomic_open(path) as stream:
        stream.write(FORMATS[Path(path).suffix](document))
