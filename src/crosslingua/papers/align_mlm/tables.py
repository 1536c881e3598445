"""Tables: transfer from a natural to a derived language, word-embedding alignment, and training length.

Systems are `mlm`, `xlm`, `dict_mlm`, `align_mlm`; what an ablation changes is added to the name, with its value in
percent: `xlm_parallel_100`, `dict_mlm_dictionary_50`, `xlm_overlap_25`. A row's target is the transformation.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

import pandas as pd

from crosslingua.evidence.participation import SHORTCUT, below
from crosslingua.report.controls import (
    MAJORITY,
    NO_BETTER,
    flagged,
    not_above,
    places_not_above,
    with_shortcut,
)
from crosslingua.report.correlation import correlations, together
from crosslingua.report.tables import COLUMNS, Grid, Published, Table, grid
from crosslingua.tasks.kinds import KINDS

# The paper's systems, in its order; other systems follow under their names (`systems_of`).
SYSTEMS = {"mlm": "MLM", "xlm": "XLM", "dict_mlm": "DICT-MLM", "align_mlm": "ALIGN-MLM"}
CONTROLS = {"untrained": "no pre-training"}
FLOORS = (*CONTROLS, MAJORITY)  # of a zero-shot score: what fine-tuning alone gives, and always one answer
TARGETS = {
    "trans": "transliteration",
    "trans_inv": "transliteration and inversion",
    "trans_syn": "transliteration and syntax",
}
TASKS = {task: KINDS[task].short for task in ("nli", "ner", "pos", *KINDS)}  # the paper's first
DELTA_NOTE = f"{NO_BETTER} of a Δ: the supervised or the zero-shot score is no better than a control's."
METRICS = {"supervised": "supervised", "zero_shot": "zero-shot", "delta": "Δ"}
ALIGNMENT = ("embedding_alignment", "alignment")  # task and metric of table 8's score
Line = tuple[str, str, str]  # a grid's row: label, system, target
Column = tuple[str, str, str]  # label, task, metric


def systems_of(rows: pd.DataFrame) -> dict[str, str]:
    """Return the systems of table 3 with their labels, the paper's first, without controls and ablations."""
    found = rows.loc[rows["table"] == "table3", "system"].unique()
    return SYSTEMS | {name: name for name in found if name not in (*SYSTEMS, *FLOORS, SHORTCUT)}


def not_learnt(rows: pd.DataFrame) -> str:
    """Return a sentence about systems that did not learn a task: their delta is small for no good reason."""
    said = []
    for task, of in rows.groupby("task", sort=False):
        failed = _failed(of)
        named = {target: [system for _, system, where in failed if where == target] for target in TARGETS}
        told = "; ".join(
            f"{TARGETS[target]}: {', '.join(systems)}" for target, systems in named.items() if systems
        )
        if told:
            said.append(
                f"{TASKS[task]} supervised is not above its controls, and its Δ says nothing, of {told}."
            )
    return " ".join(said)


def _failed(rows: pd.DataFrame) -> dict[tuple[str, str, str], str]:
    """Return why (task, system, target) takes part in no comparison: its supervised score does not beat a control."""
    found = {}
    for (task, target), of in rows.groupby(["task", "target"], sort=False):
        values = {key: list(each) for key, each in of.groupby(["metric", "system"], sort=False)["value"]}
        controls = {name: values["supervised", name] for name in CONTROLS if ("supervised", name) in values}
        for name, metric in ((MAJORITY, MAJORITY), (SHORTCUT, f"{SHORTCUT}_supervised")):
            controls[name] = of.loc[of["metric"] == metric, "value"].to_list()[:1]  # the same of every run
        for (metric, system), runs in values.items():
            is_system = metric == "supervised" and system not in (*FLOORS, SHORTCUT)
            if is_system and (reason := below(runs, controls)):
                found[task, system, target] = reason
    return found


def with_majority(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows with two systems added: `majority`, which transfers without loss, and `shortcut`."""
    floor = rows[rows["metric"].isin([MAJORITY, f"{MAJORITY}_accuracy"])]
    floor = floor.drop_duplicates(["task", "target", "metric"])  # the same for every system and seed
    added = [
        floor.assign(system=MAJORITY, metric=floor["metric"].str.replace(MAJORITY, metric))
        for metric in ("supervised", "zero_shot")
    ]
    spans = [
        part[part["task"] == "ner"].assign(metric=lambda own: own["metric"] + "_conll") for part in added
    ]
    return with_shortcut(pd.concat([rows, *added, *spans], ignore_index=True))


def lines_grid(
    note: str, rows: pd.DataFrame, published: Published, lines: Sequence[Line], columns: Sequence[Column]
) -> Grid:
    """Return the numbers of `lines` and `columns`, without lines and columns that have no number of ours."""
    places = pd.DataFrame(lines, columns=["label", "system", "target"]).merge(
        pd.DataFrame(columns, columns=["column", "task", "metric"]), how="cross"
    )
    theirs = pd.DataFrame([(*key, value) for key, value in published.items()], columns=list(COLUMNS))
    ours, theirs = (
        places.merge(numbers[list(COLUMNS)])[["label", "column", "value"]].rename(columns={"label": "system"})
        for numbers in (rows, theirs)
    )
    beside = theirs.set_index(["system", "column"])["value"].to_dict()
    lowest = {label for label, _, metric in columns if metric.startswith("delta")}
    one = len({target for *_, target in lines}) == 1  # numbers of several languages do not compete
    shown = rows[rows["target"].isin({target for *_, target in lines})]
    failed = _failed(shown)
    unranked: list[str | tuple[str, str]] = [*FLOORS, SHORTCUT]
    unranked += [
        (label, column)
        for label, system, target in lines
        for column, task, metric in columns
        if (task, system, target) in failed
    ]
    names = [label for label, *_ in columns]
    found = grid(note, ours, beside, columns=names, lowest=lowest, bold=one, unranked=unranked)
    if not one:
        return found
    # Numbers of one language are held against its controls, whether they stand in the grid or not. Tags are held by
    # accuracy, where the score shown is of runs of tags: the most frequent tag alone makes no run.
    by = [(column, task, f"{metric}{end}") for column, task, metric in columns for end in ("_accuracy", "")]
    held = shown.merge(pd.DataFrame(by, columns=["column", "task", "metric"]))
    held["system"] = held["system"].replace({system: label for label, system, _ in lines})
    by_accuracy = held["metric"].str.endswith("_accuracy")
    cells = pd.MultiIndex.from_frame(held[["system", "column"]])
    held = held[by_accuracy | ~cells.isin(cells[by_accuracy])]
    is_floor = held["system"].isin(FLOORS)
    skipped = [label for label, _, metric in columns if metric == ALIGNMENT[1]]
    beside = ours, ours[ours["system"].isin([SHORTCUT, *FLOORS])]
    found = flagged(found, held[~is_floor], held[is_floor], skipped, beside)
    return not_above(found, _lost_little(rows, lines, columns), DELTA_NOTE)


def _lost_little(
    rows: pd.DataFrame, lines: Sequence[Line], columns: Sequence[Column]
) -> set[tuple[str, str]]:
    """Return the cells of differences whose supervised or zero-shot score is no better than a control's."""
    scores = [
        (f"{label} {how}", task, metric.replace("delta", how))
        for label, task, metric in columns
        if metric.startswith("delta")
        for how in ("supervised", "zero_shot")
    ]
    if not scores:
        return set()
    targets = dict.fromkeys(target for *_, target in lines)
    controls = [(name, name, target) for target in targets for name in (*FLOORS, SHORTCUT)]
    found = places_not_above(lines_grid("", rows, {}, [*dict.fromkeys([*lines, *controls])], scores))
    return {(label, column.rpartition(" ")[0]) for label, column in found}


NAME = "training_length"
SHOWN = (  # title, task and metric of the columns
    ("tokens aligned", *ALIGNMENT),
    *((f"{name} zero-shot", task, "zero_shot") for task, name in TASKS.items()),
    *((f"{name} Δ", task, "delta") for task, name in TASKS.items()),
)
LENGTH_CAPTION = (
    "Percent, mean ± standard deviation over seeds. Aligned: natural-language tokens whose counterpart has the highest "
    "cosine among the tokens of the derived language. Δ: supervised less zero-shot; lower is better."
)
LENGTH_NOTES = (
    "NER: F1 of entities (strict). POS: F1 of runs of tags. A system without a number of steps is table 3's."
)


def chosen(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of systems with more than one training length; columns `base` and `steps` (0: table 3's)."""
    parts = rows["system"].str.extract(r"^(.+)_steps_(\d+)$")
    rows = rows.assign(base=parts[0].fillna(rows["system"]), steps=parts[1].fillna("0").astype(int))
    longer = set(zip(*(rows.loc[rows["steps"] > 0, column] for column in ("base", "target")), strict=True))
    return rows[[place in longer for place in zip(rows["base"], rows["target"], strict=True)]]


def grids(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    """Yield a grid a transformation, a line a system and number of steps."""
    order = list(systems_of(rows))
    rows = chosen(rows)
    for target, title in TARGETS.items():
        own = rows[rows["target"] == target]
        lines = [
            (f"{base}, {steps:,} steps" if steps else base, name, target)
            for base, steps, name in sorted(
                set(zip(own["base"], own["steps"], own["system"], strict=True)),
                key=lambda line: (order.index(line[0]), line[1]),
            )
        ]
        if lines:
            yield lines_grid(title.capitalize(), own, {}, lines, SHOWN)


# Other scores of the same predictions: task, suffix of the metric, and the title of its columns.
ALSO = (("ner", "conll", "NER as conlleval"), ("pos", "accuracy", "POS accuracy"))
CAPTION = (
    "Percent, mean ± standard deviation over seeds; the paper's figure in parentheses. Supervised: trained and tested "
    "on the derived language. Zero-shot: trained on the natural language. Δ: supervised less zero-shot; lower is "
    "better. Bold: best of the column."
)
NOTES = (
    "NLI: accuracy. NER: F1 of entities (strict). POS: F1 of runs of tags, as seqeval counts. Untrained: an encoder of "
    "random weights with the same fine-tuning. Majority: always the most frequent class or tag. Shortcut: the best "
    "reader without an encoder. Never bold: a system whose supervised score does not beat these three."
)


def _table3(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    rows = with_majority(rows)
    for target, name in TARGETS.items():
        lines = [(system, system, target) for system in (*systems_of(rows), *FLOORS, SHORTCUT)]
        yield lines_grid(name.capitalize(), rows, published, lines, _columns())
        also = [(f"{name} {METRICS[m]}", task, f"{m}_{how}") for task, how, name in ALSO for m in METRICS]
        note = f"{name.capitalize()}: the same predictions, scored otherwise"
        yield lines_grid(note, rows, {}, lines, also)


def _table1(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    note = "Parallel sentences, relative to those of one language"
    lines = [*_varied(rows, "xlm", "parallel", 25, "trans_inv"), ("align_mlm 0%", "align_mlm", "trans_inv")]
    yield lines_grid(note, rows, published, lines, _columns())


def _dictionary(rows: pd.DataFrame, published: Published, target: str) -> Iterator[Grid]:
    lines = [line for s in ("dict_mlm", "align_mlm") for line in _varied(rows, s, "dictionary", 25, target)]
    note = "Tokens in the dictionary, of those of the natural language"
    yield lines_grid(note, rows, published, lines, _columns(["delta", "zero_shot", "supervised"]))


def _alpha(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    lines = _varied(rows, "align_mlm", "alpha", 10, "trans_inv", "")
    yield lines_grid("Weight of the alignment loss", rows, published, lines, _columns())


def _table7(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    lines = _varied(rows, "xlm", "overlap", 0, "trans_inv")
    yield lines_grid("Vocabulary that both languages share", rows, published, lines, _columns())


def _table8(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    lines = [(f"{system} {target}", system, target) for system in systems_of(rows) for target in TARGETS]
    columns = [("alignment", *ALIGNMENT), *_columns(["delta"])]
    found = lines_grid("Tokens whose counterpart is nearest (%), and Δ", rows, published, lines, columns)
    of_targets = ([line for line in lines if line[2] == target] for target in TARGETS)
    weak = [_lost_little(with_majority(rows), own, columns) for own in of_targets]
    yield not_above(found, set().union(*weak), DELTA_NOTE)
    numbers = [
        (TASKS[task], name, value)
        for task, seeds in correlations(rows, systems_of(rows), TASKS).items()
        if seeds
        for name, value in (*(("ρ", one.rho) for one in seeds), ("p", together(seeds)))
    ]
    rhos = {(TASKS[task], "ρ"): published.get(("all", "all", task, "spearman")) for task in TASKS}
    note = (
        "Spearman's rank correlation of alignment with transfer (−Δ), in seeds with the most encoders; two-tailed p of "
        "the mean over these seeds, permuted within transformations"
    )
    yield grid(
        note, pd.DataFrame(numbers, columns=["system", "column", "value"]), rhos, decimals=3, bold=False
    )


def _columns(metrics: Iterable[str] = tuple(METRICS)) -> list[Column]:
    return [(f"{TASKS[task]} {METRICS[metric]}", task, metric) for task in TASKS for metric in metrics]


def _varied(
    rows: pd.DataFrame, system: str, factor: str, default: float, target: str, unit: str = "%"
) -> list[Line]:
    """Return lines of `system` with each value of `factor` that was run, from low to high."""
    pattern = re.compile(rf"{system}_{factor}_([\d.]+)")
    names = rows.loc[rows["target"] == target, "system"].unique()
    values = {float(match[1]): name for name in names if (match := pattern.fullmatch(name))}
    values |= {float(default): system}
    return [(f"{system} {value:g}{unit}", values[value], target) for value in sorted(values)]


_table2, _table5 = (partial(_dictionary, target=target) for target in ("trans_inv", "trans_syn"))
TABLES = {
    name: Table(f"align_mlm, {title}", CAPTION, build, not_learnt, NOTES)
    for name, title, build in (
        ("table1", "tables 1 and 6: XLM with more or less parallel data", _table1),
        ("table2", "tables 2 and 4: size of the dictionary (transliteration and inversion)", _table2),
        ("table3", "table 3: transfer to derived languages", _table3),
        ("table5", "table 5: size of the dictionary (transliteration and syntax)", _table5),
        ("table7", "table 7: XLM with shared vocabulary", _table7),
        ("table8", "table 8: word-embedding alignment and transfer", _table8),
        ("alpha", "appendix G.5: weight of the alignment loss (transliteration and inversion)", _alpha),
    )
} | {
    NAME: Table(
        "align_mlm, training length: alignment and transfer after more updates", LENGTH_CAPTION, grids,
        notes=LENGTH_NOTES,
    )
}  # fmt: skip
