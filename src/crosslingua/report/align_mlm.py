"""Tables of align_mlm: transfer from a natural to a derived language, and word-embedding alignment.

Systems are `mlm`, `xlm`, `dict_mlm`, `align_mlm`; what an ablation changes is added to the name, with its value in
percent: `xlm_parallel_100`, `dict_mlm_dictionary_50`, `xlm_overlap_25`. A row's target is the transformation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import mean

from crosslingua.errors import InputError
from crosslingua.metrics import Row
from crosslingua.report import grids as shared
from crosslingua.report.correlation import correlations
from crosslingua.report.grids import Grid
from crosslingua.report.reference import Key
from crosslingua.report.tables import Table, summarise
from crosslingua.tasks.transfer import is_learnt

SYSTEMS = {"mlm": "MLM", "xlm": "XLM", "dict_mlm": "DICT-MLM", "align_mlm": "ALIGN-MLM"}
TARGETS = {
    "trans": "transliteration",
    "trans_inv": "transliteration and inversion",
    "trans_syn": "transliteration and syntax",
}
TASKS = {"nli": "NLI", "ner": "NER", "pos": "POS"}
METRICS = {"supervised": "supervised", "zero_shot": "zero-shot", "delta": "Δ"}
ALIGNMENT = ("embedding_alignment", "alignment")  # task and metric of table 8's score

TITLES = {
    "table1": "align_mlm, tables 1 and 6: XLM with more or less parallel data",
    "table2": "align_mlm, tables 2 and 4: size of the dictionary (transliteration and inversion)",
    "table3": "align_mlm, table 3: transfer to derived languages",
    "table5": "align_mlm, table 5: size of the dictionary (transliteration and syntax)",
    "table7": "align_mlm, table 7: XLM with shared vocabulary",
    "table8": "align_mlm, table 8: word-embedding alignment and transfer",
}
CAPTION = (
    "Percent, mean ± standard deviation over seeds; the paper's figure in parentheses; the best of a column is bold. "
    "NLI: accuracy; NER: F1 of entities (strict); POS: F1 of runs of tags, as seqeval has it. Supervised: trained and "
    "tested on the derived language; zero-shot: trained on the natural one; Δ, their difference, is better when low."
)


@dataclass(frozen=True)
class Line:
    """A row of a grid: its label, and whose numbers it shows."""

    label: str
    system: str
    target: str


Column = tuple[str, str, str]  # label, task, metric


def grids(rows: Sequence[Row], published: Mapping[Key, float], table: str) -> list[Grid]:
    """Return the grids of `table`. Raises InputError if there is no number of it among `rows`."""
    rows = [row for row in rows if row.paper == "align_mlm"]
    found = [grid for grid in TABLES[table](rows, published) if any(grid.table.cells.values())]
    if not found:
        raise InputError("metrics", f"no rows for {TITLES[table]}")
    warning = not_learnt(rows)
    return [Grid(f"{grid.note} ({warning})" if warning else grid.note, grid.table) for grid in found]


def not_learnt(rows: Sequence[Row]) -> str:
    """Return a sentence about tasks that were not learnt: their delta is small for no good reason."""
    return " ".join(filter(None, (_not_learnt(rows, task) for task in TASKS)))


def _not_learnt(rows: Sequence[Row], task: str) -> str:
    found: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        if row.task == task and row.metric in ("supervised", "majority"):
            found.setdefault(row.target, {}).setdefault(row.metric, []).append(row.value)
    told = {target: scores for target, scores in found.items() if len(scores) == 2}
    failed = [t for t, scores in told.items() if not is_learnt(scores["supervised"], scores["majority"][0])]
    if not failed:
        return ""
    where = "" if len(failed) == len(found) else f" ({', '.join(TARGETS[target] for target in failed)})"
    ours = ", ".join(f"{mean(found[target]['supervised']):.1f}" for target in failed)
    cheap = max(found[target]["majority"][0] for target in failed)
    return (
        f"{TASKS[task]} was not learnt{where}: {ours} supervised, {cheap:.1f} by the most frequent class alone;"
        " its Δ says nothing."
    )


def view(rows: Sequence[Row], published: Mapping[Key, float], table: str, encoders: str) -> dict:
    """What the results page shows of a table; `encoders` says where they come from."""
    return shared.view(
        f"align_mlm_{table}", TITLES[table], f"{CAPTION} {encoders}", grids(rows, published, table)
    )


def _table3(rows: Sequence[Row], published: Mapping[Key, float]) -> list[Grid]:
    return [
        Grid(name.capitalize(), _grid(rows, published, [Line(s, s, target) for s in SYSTEMS], _columns()))
        for target, name in TARGETS.items()
    ]


def _table1(rows: Sequence[Row], published: Mapping[Key, float]) -> list[Grid]:
    lines = [
        *_varied(rows, published, "xlm", "parallel", 25, "trans_inv"),
        Line("align_mlm 0%", "align_mlm", "trans_inv"),
    ]
    return [
        Grid(
            "Parallel sentences, relative to those of one language", _grid(rows, published, lines, _columns())
        )
    ]


def _dictionary(rows: Sequence[Row], published: Mapping[Key, float], target: str) -> list[Grid]:
    lines = [
        line
        for s in ("dict_mlm", "align_mlm")
        for line in _varied(rows, published, s, "dictionary", 25, target)
    ]
    columns = _columns(["delta", "zero_shot", "supervised"])
    return [
        Grid(
            "Tokens in the dictionary, of those of the natural language",
            _grid(rows, published, lines, columns),
        )
    ]


def _table7(rows: Sequence[Row], published: Mapping[Key, float]) -> list[Grid]:
    lines = _varied(rows, published, "xlm", "overlap", 0, "trans_inv")
    return [Grid("Vocabulary that both languages share", _grid(rows, published, lines, _columns()))]


def _table8(rows: Sequence[Row], published: Mapping[Key, float]) -> list[Grid]:
    lines = [Line(f"{system} {target}", system, target) for system in SYSTEMS for target in TARGETS]
    columns = [("alignment", *ALIGNMENT), *_columns(["delta"])]
    scores = _grid(rows, published, lines, columns)
    return [
        Grid("Tokens whose counterpart is nearest (%), and Δ", scores),
        Grid(
            "Spearman's rank correlation of alignment with transfer (−Δ), and its two-tailed p",
            _correlation_table(rows, published),
        ),
    ]


TABLES = {
    "table1": _table1,
    "table2": partial(_dictionary, target="trans_inv"),
    "table3": _table3,
    "table5": partial(_dictionary, target="trans_syn"),
    "table7": _table7,
    "table8": _table8,
}


def values(rows: Iterable[Row]) -> dict[Key, list[float]]:
    """Return the values of each (system, target, task, metric), one a seed."""
    found: dict[Key, list[float]] = {}
    for row in rows:
        found.setdefault((row.system, row.target, row.task, row.metric), []).append(row.value)
    return found


def _columns(metrics: Iterable[str] = tuple(METRICS)) -> list[Column]:
    return [(f"{TASKS[task]} {METRICS[metric]}", task, metric) for task in TASKS for metric in metrics]


def _varied(
    rows: Sequence[Row], published: Mapping[Key, float], system: str, factor: str, default: int, target: str
) -> list[Line]:
    """Return lines of `system` with each value of `factor` that was run or published, from low to high."""
    pattern = re.compile(rf"{system}_{factor}_(\d+)")
    names = {row.system for row in rows if row.target == target} | {
        key[0] for key in published if key[1] == target
    }
    percents = {int(match[1]): name for name in names if (match := pattern.fullmatch(name))} | {
        default: system
    }
    return [Line(f"{system} {percent}%", percents[percent], target) for percent in sorted(percents)]


def _grid(
    rows: Sequence[Row], published: Mapping[Key, float], lines: Sequence[Line], columns: Sequence[Column]
) -> Table:
    """Return the numbers of `lines` and `columns`; columns without any number of ours are left out."""
    ours = values(rows)

    def pick(numbers: Mapping[Key, object]) -> dict[str, dict]:
        return {
            line.label: {
                label: numbers[key]
                for label, *what in columns
                if (key := (line.system, line.target, *what)) in numbers
            }
            for line in lines
        }

    cells = pick({key: summarise(found) for key, found in ours.items()})
    labels = tuple(label for label, *_ in columns if any(label in cells[line.label] for line in lines))
    lowest = frozenset(label for label, _, metric in columns if metric == "delta")
    several = len({line.target for line in lines}) > 1
    names = tuple(line.label for line in lines if cells[line.label])
    beside = {
        name: {label: value for label, value in found.items() if label in labels}
        for name, found in pick(published).items()
    }
    return Table("", names, labels, cells, published=beside, lowest=lowest, best_in_bold=not several)


def _correlation_table(rows: Sequence[Row], published: Mapping[Key, float]) -> Table:
    found = correlations(rows)
    cells = {
        TASKS[task]: {"ρ": summarise(c.rho for c in seeds), "p": summarise(c.p for c in seeds)}
        for task, seeds in found.items()
        if seeds
    }
    beside = {
        TASKS[t]: {"ρ": rho}
        for t in TASKS
        if (rho := published.get(("all", "all", t, "spearman"))) is not None
    }
    return Table("", tuple(cells), ("ρ", "p"), cells, 3, published=beside, best_in_bold=False)
