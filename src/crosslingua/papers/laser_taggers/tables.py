"""Tables 2 and 3: transfer and monolingual training, and joint training, ours beside the published figures."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd

from crosslingua.evidence.participation import SHORTCUT
from crosslingua.metrics import conditions
from crosslingua.report.controls import flagged, with_shortcut
from crosslingua.report.tables import Grid, Published, Table, grid, hardly_above, published_grid
from crosslingua.tasks.kinds import KINDS

TASKS = {name: kind.short for name, kind in KINDS.items() if kind.tagged}
SOURCE, ZERO_SHOT, MONOLINGUAL = "source", "zero_shot", "monolingual"
SCENARIO_A, CHANGE = "scenario_a", "change"
MAJORITY = "majority"
CONTROLS = ("random", MAJORITY, SHORTCUT)
LASER = ("laser_top", "laser_elmo")
EQUAL_RECIPE = "_laser_recipe"  # behind a baseline's name: trained by LASER's recipe (zero-shot only)
ALPHA = 0.05  # of the sign test
NOT_RANKED = "not ranked, controls and mappings of vectors that found nothing."
NOT_LEARNT = 10.0  # points: a column whose best is no further above the controls is not ranked
NOTHING = 1.0  # F1 up to which a tagger learnt nothing
FORMS = {SOURCE: "{}", ZERO_SHOT: "→ {}", MONOLINGUAL: "{} alone", SCENARIO_A: "{}: A", CHANGE: "{}: B − A"}
METRICS = {"table2": (SOURCE, ZERO_SHOT, MONOLINGUAL), "table3": (SCENARIO_A, CHANGE)}
LITERATURE = "literature"  # what the paper quotes as the state of the art
FAILED = 5.0  # P@1 in percent, below which a mapping of vectors found nothing
PUBLISHED = (
    "In parentheses: the paper's figure for the language of that name; only scale paper has the same data."
)
CAPTION2 = (
    "Percent, mean ± standard deviation over seeds: entity F1 (strict) for NER, accuracy for POS. First column: the "
    "training language. →: zero-shot transfer. Alone: trained on the language itself. Bold: best of the column. "
    "Dash: not run."
)
NOTES2 = (
    "No number is bold where the best is less than 10 points above the controls. Controls: random vectors, the "
    "most frequent tag, the best reader without an encoder. Baselines and LASER's systems have different training "
    f"recipes, unless a name ends in `{EQUAL_RECIPE}`. " + PUBLISHED
)
CAPTION3 = (
    "Percent, mean ± standard deviation over seeds (NER: F1; POS: accuracy). A: trained on a quarter of "
    "each language. B − A: points gained by all of the first language instead of a quarter. Bold: best of A."
)
NOTES3 = (
    "Figures 3 and 4 show the same gain. In the first language they show B less training on all of that language "
    "alone. As in table 2, random and majority are controls, and baselines and LASER's systems have different training "
    "recipes. " + PUBLISHED
)


def failed_mappings(rows: pd.DataFrame) -> dict[tuple[str, str], float]:
    """Return, by system and target, the mean P@1 (CSLS, MUSE's rule) of mappings that found nothing."""
    own = rows[(rows["task"] == "bli") & (rows["metric"] == "p_at_1")]
    signatures = own["signature"].astype(str)
    chosen = [one.startswith("csls") and conditions(one).get("oov") == "muse" for one in signatures]
    means = own[np.array(chosen, dtype=bool)].groupby(["system", "target"])["value"].mean()
    return {key: float(value) for key, value in means.items() if value < FAILED}


def not_significant(rows: pd.DataFrame) -> dict[str, list[str]]:
    """Return by `task target` the systems without significant difference from LASER-top in at least one run."""
    own = rows[(rows["metric"] == "p_value") & ~rows["system"].isin(CONTROLS)]
    worst = own.groupby(["task", "target", "system"], sort=False)["value"].max()
    found: dict[str, list[str]] = {}
    for task, target, name in worst.index[worst >= ALPHA]:
        found.setdefault(f"{TASKS[task]} {target}", []).append(name)
    return found


def warning(rows: pd.DataFrame) -> str:
    """Return what to beware of: mappings that failed, results that may be chance."""
    parts = [
        f"The mapping of {system} to {target} found nothing (P@1 {value:.1f} %): its result is not ranked."
        for (system, target), value in failed_mappings(rows).items()
    ]
    if alike := not_significant(rows):
        told = "; ".join(f"{place}: {', '.join(names)}" for place, names in alike.items())
        parts.append(
            f"The sign test over sentences (α = {ALPHA}) finds no difference from laser_top in at least one run of "
            f"these: {told}. All other systems differ in every run."
        )
    return " ".join([*parts, *leads_of_recipe(rows)])


def leads_of_recipe(rows: pd.DataFrame) -> list[str]:
    """Return a sentence that names the columns in which LASER's systems lead the baselines only by their recipe."""
    own = rows[rows["metric"].isin([SOURCE, ZERO_SHOT])]
    means = own.groupby(["task", "metric", "target", "system"], sort=False)["value"].mean()
    found = []
    for (task, metric, target), scores in means.groupby(level=["task", "metric", "target"], sort=False):
        scores = scores.droplevel(["task", "metric", "target"])
        equal = scores[scores.index.str.endswith(EQUAL_RECIPE)]
        plain = scores.reindex(equal.index.str.removesuffix(EQUAL_RECIPE))
        best = scores.reindex(LASER).max()
        if len(equal) and plain.max() < best <= equal.max():
            found.append(f"{TASKS[task]} {FORMS[metric].format(target)} ({equal.idxmax()})")
    told = f"LASER's best leads the baselines by its recipe, not with equal recipes: {', '.join(found)}."
    return [told] if found else []


def _grids(rows: pd.DataFrame, published: Published, table: str) -> Iterator[Grid]:
    """Yield for each task our numbers beside the paper's, unranked systems, and further numbers of the paper."""
    for task, name in TASKS.items():
        columns = _columns(rows[(rows["table"] == table) & (rows["task"] == task)], table)
        own = with_shortcut(rows[rows["task"] == task])
        labels = [columns.get(key) for key in zip(own["metric"], own["target"], strict=True)]
        values = own.assign(column=labels).dropna(subset="column")[["system", "column", "value"]]
        if values.empty:
            continue
        theirs, order = {}, list(columns.values())
        for (system, target, of, metric), value in published.items():
            if of == task and metric in METRICS[table]:
                theirs[system, FORMS[metric].format(target)] = value
        # Where languages are the same, the paper's columns that we have not stay, empty.
        every = list(dict.fromkeys(column for system, column in theirs if system != LITERATURE))
        empty = every if set(every) & set(order) else []
        aside, unranked = np.zeros(len(values), bool), [*CONTROLS, *_changes([*order, *empty])]
        controls = values[values["system"].isin(CONTROLS)]
        if table == "table2":
            aside = _aside(values, columns, failed_mappings(rows))
            # Random vectors learn frequent words where training and test data are of one language.
            is_transfer = controls["column"].str.startswith(FORMS[ZERO_SHOT].format(""))
            floors = controls[is_transfer | (controls["system"] == MAJORITY)]
            unranked += hardly_above(values[~aside], floors, NOT_LEARNT)
        shown = grid(f"{name}.", values[~aside], theirs, columns=order, empty=empty, unranked=unranked)
        yield flagged(shown, values[~aside], controls, _changes(order))
        apart = grid(f"{name}: {NOT_RANKED}", values[aside], columns=order, bold=False)
        yield flagged(apart, values[aside], controls)
        yield _paper(name, theirs, order)


def _columns(rows: pd.DataFrame, table: str) -> dict[tuple[str, str], str]:
    """Return (metric, target) -> label: of table 2 metric by metric, of table 3 language by language."""
    if table == "table3":
        places = [(metric, target) for target in rows["target"].unique() for metric in METRICS[table]]
    else:
        targets = {metric: rows.loc[rows["metric"] == metric, "target"].unique() for metric in METRICS[table]}
        places = [(metric, target) for metric in targets for target in targets[metric]]
    return {(metric, target): FORMS[metric].format(target) for metric, target in places}


def _changes(columns: Iterable[str]) -> list[str]:
    """Return the columns of B − A, whose best says nothing: it begins from the worst A."""
    return [column for column in columns if column.endswith(FORMS[CHANGE].format(""))]


def _aside(
    values: pd.DataFrame, columns: Mapping[tuple[str, str], str], failed: Collection[tuple[str, str]]
) -> pd.Series:
    """Return which values are not ranked: controls, and transfer by vectors whose mapping found nothing."""
    lost = {(system, columns.get((ZERO_SHOT, target))) for system, target in failed}
    places = zip(values["system"], values["column"], strict=True)
    return pd.Series([place in lost or place[0] in CONTROLS for place in places], values.index)


def _paper(name: str, theirs: Mapping[tuple[str, str], float], order: Sequence[str]) -> Grid:
    """Return the paper's table if its languages are not ours, or else the literature that it quotes."""
    is_ours = bool({column for _, column in theirs} & set(order))
    shown = {place: value for place, value in theirs.items() if not is_ours or place[0] == LITERATURE}
    quoted, own = "the state of the art that the paper quotes", "the paper's figures for its languages"
    unranked = [LITERATURE, *_changes(column for _, column in shown)]
    note = f"{name}: {quoted if is_ours else own}."
    return published_grid(note, shown, bold=not is_ours, unranked=unranked)


def learnt_nothing(rows: pd.DataFrame) -> list[tuple[str, str, str]]:
    """Return (task, system, target) of scenario A where the mean score is not above NOTHING: B − A is no gain there."""
    own = rows[(rows["table"] == "table3") & (rows["metric"] == SCENARIO_A) & ~rows["system"].isin(CONTROLS)]
    means = own.groupby(["task", "system", "target"], sort=False)["value"].mean()
    return list(means.index[means <= NOTHING])


def warning3(rows: pd.DataFrame) -> str:
    """Say which taggers learnt nothing from a quarter of each language."""
    found = dict.fromkeys(f"{TASKS[task]} {system}" for task, system, _ in learnt_nothing(rows))
    told = f"Nothing was learnt in scenario A by {', '.join(found)}: the difference there is no gain by joint training."
    return told if found else ""


TABLES = {
    "table2": Table(
        "laser_taggers, table 2: transfer without target data", CAPTION2,
        partial(_grids, table="table2"), warning, NOTES2,
    ),
    "table3": Table(
        "laser_taggers, table 3: joint training", CAPTION3, partial(_grids, table="table3"), warning3, NOTES3,
    ),
}  # fmt: skip
