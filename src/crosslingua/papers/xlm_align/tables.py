"""Table 2 (error rates of word alignment) and the tables of XTREME; all tables by name, at the end."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean

import pandas as pd

from crosslingua.evidence import participation
from crosslingua.evidence.participation import SHORTCUT, below
from crosslingua.metrics import conditions
from crosslingua.papers.xlm_align.tasks import ABLATED, METRICS, TASKS, XtremeTask, compared_in
from crosslingua.report.controls import (
    MAJORITY,
    NO_BETTER,
    flagged,
    not_above,
    places_not_above,
    with_shortcut,
)
from crosslingua.report.tables import (
    MEAN,
    Grid,
    Published,
    Table,
    column_means,
    grid,
    of_metric,
    published_grid,
)
from crosslingua.word_aligners import DIAGONAL

AVERAGE, BASE = "average", "xlm_align"
TRANSFER = "transfer"  # the column of means over all languages but that of training
SUMMARIES = {
    MEAN: "Mean over languages, and the average over tasks",
    TRANSFER: "Transfer: mean over the languages transferred to, without that of training, and the average over tasks",
}
BY_ANOTHER_SCORE = [name for name, task in TASKS.items() if task.floor != MAJORITY]  # than the first metric
QUESTIONS = ("of questions F1 alone", "of questions F1 and EM count by their mean")
XTREME_CAPTION = (
    "Percent, mean ± standard deviation over seeds. Encoders are fine-tuned in one language and tested in all. In "
    "parentheses: the paper's figure for the same languages. Bold: best of those that beat their controls."
)
XTREME_NOTES = (
    "POS and NER: F1 as seqeval counts in its default mode. XQuAD and TyDiQA: F1 and exact match by SQuAD's rule; "
    "MLQA: by its own. XNLI and PAWS-X: accuracy. Means include the training language, except for means of transfer. "
    f"`{SHORTCUT}` is the best reader without an encoder of the same training set. `{MAJORITY}` always gives the most "
    "frequent answer."
)

GAP = (
    "Score in the training language less the mean over the others, lower is better where the task is learnt; "
    f"{QUESTIONS[1]}"
)
NOT_ABOVE = (
    f"{NO_BETTER}: in the languages transferred to, no better than a shortcut or the most frequent answer (table 1) by "
    "one of the task's measures; such a system has little to lose. Never bold."
)


def of_xtreme(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of XTREME's tasks."""
    return rows[rows["task"].isin(TASKS) & rows["table"].isin(["table1", "table3"])]


def by_language(rows: pd.DataFrame, task: XtremeTask) -> pd.DataFrame:
    """Return system, seed, metric, column and value of a task by language, and the means of systems with all.

    Means are `mean`, over all languages, and `transfer`, without the training language.
    """
    return _with_means(rows[(rows["task"] == task.name) & rows["metric"].isin(task.metrics)])


def _with_means(rows: pd.DataFrame) -> pd.DataFrame:
    rows, by = rows.assign(column=rows["target"]), ["system", "seed", "metric"]
    others = column_means(rows[rows["target"] != rows["source"]], by, least=1).assign(column=TRANSFER)
    whole = pd.concat([rows, column_means(rows, by, least=1), others], ignore_index=True)
    return whole[[*by, "column", "value"]]


def _held(rows: pd.DataFrame, task: XtremeTask) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a task's scores to compare with the most frequent answer, and the answer's scores as a system's."""
    scores, floors = (
        _with_means(rows[(rows["task"] == task.name) & (rows["metric"] == metric)])
        for metric in (task.learnt_by[0], MAJORITY)
    )
    return scores, floors.assign(system=MAJORITY)


def with_controls(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows with two systems added: `shortcut`, and `majority`, which has the first metric of each task."""
    first = {name: next(iter(task.metrics)) for name, task in TASKS.items()}
    own = rows[(rows["metric"] == MAJORITY) & ~rows["task"].isin(BY_ANOTHER_SCORE)]
    own = pd.concat([own, rows[rows["metric"].str.startswith(f"{MAJORITY}_")]])
    own = own.drop_duplicates(["task", "target"])  # the same for every system and seed
    return pd.concat(
        [with_shortcut(rows), own.assign(system=MAJORITY, metric=own["task"].map(first))], ignore_index=True
    )


def language_means(rows: pd.DataFrame, names: Sequence[str], column: str = MEAN) -> pd.DataFrame:
    """Return system, seed, task, metric and value, the mean over languages or `transfer`, of the tasks `names`."""
    found = pd.concat([by_language(rows, TASKS[name]).assign(task=name) for name in names])
    return found[found["column"] == column].reset_index(drop=True)


def averages(values: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return system, seed and value: the mean over the tasks `names`, of systems and seeds that have them all."""
    tasks = values.groupby(["system", "seed", "task"], sort=False)["value"].mean().reset_index()
    groups = tasks.groupby(["system", "seed"], sort=False)["value"].agg(["mean", "size"]).reset_index()
    whole = groups[groups["size"] == len(names)].rename(columns={"mean": "value"})
    return whole[["system", "seed", "value"]]


def _title(task: XtremeTask, metric: str) -> str:
    return f"{task.title} {METRICS[metric]}"


def _summaries(
    rows: pd.DataFrame, published: Published, metrics: Mapping[str, Sequence[str]]
) -> Iterator[Grid]:
    """Yield grids of tasks (their `metrics`) and their average, with and without the language of training; the paper's
    own means, over its languages.
    """
    yield _summary(rows, metrics, MEAN)
    if (rows["target"] != rows["source"]).any():
        yield replace(_summary(rows, metrics, TRANSFER), unfolded=True)
    theirs = {
        (system, AVERAGE if task == AVERAGE else _title(TASKS[task], metric)): value
        for (system, _, task, metric), value in published.items()
    }
    yield published_grid("In the paper: means over its own languages", theirs)


def _summary(rows: pd.DataFrame, metrics: Mapping[str, Sequence[str]], of: str) -> Grid:
    """Return the grid of tasks and their average, of the shown metrics."""
    names = list(metrics)
    values = language_means(with_controls(rows), names, of)
    values = values[[m in metrics[task] for task, m in zip(values["task"], values["metric"], strict=True)]]
    labels = [_title(TASKS[task], m) for task, m in zip(values["task"], values["metric"], strict=True)]
    average = averages(values[values["system"] != MAJORITY], names).assign(column=AVERAGE)
    shown = pd.concat([values.assign(column=labels)[["system", "seed", "column", "value"]], average])
    unranked: list[str | tuple[str, str]] = [
        (s, _title(TASKS[t], metric)) for s, t in not_learnt(rows) for metric in TASKS[t].metrics
    ]
    columns = [_title(TASKS[name], metric) for name in names for metric in metrics[name]]
    unranked += [SHORTCUT, MAJORITY]
    titles = {name: _title(TASKS[name], metrics[name][0]) for name in names}
    pairs = [[each.assign(task=name) for each in _held(rows, TASKS[name])] for name in names]
    held, floors = (
        every[every["column"] == of].assign(column=lambda own: own["task"].map(titles))
        for every in map(pd.concat, zip(*pairs, strict=True))
    )
    held = pd.concat([held, shown[~shown["column"].isin(titles.values())]])
    note = f"{SUMMARIES[of]}; {QUESTIONS[any(len(each) > 1 for each in metrics.values())]}"
    found = grid(note, shown, columns=[*columns, AVERAGE], unranked=unranked)
    return flagged(found, held, floors, beside=(shown, shown[shown["system"] == SHORTCUT]))


def _table1(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    rows = of_xtreme(rows)
    metrics = {name: list(task.metrics) for name, task in TASKS.items()}
    yield from _summaries(rows, published, metrics)


def _per_language(rows: pd.DataFrame, published: Published, task: XtremeTask) -> Iterator[Grid]:
    rows = of_xtreme(rows[rows["table"] == "table1"])
    values, unranked = by_language(with_controls(rows), task), {SHORTCUT, MAJORITY, *_failed(rows, task)}
    home = set(rows.loc[rows["task"] == task.name, "source"])
    for number, metric in enumerate(task.metrics):
        own = values[values["metric"] == metric]
        languages = [*dict.fromkeys(own.loc[~own["column"].isin([MEAN, TRANSFER]), "column"]), MEAN, TRANSFER]
        theirs, what = of_metric(published, metric), f"{task.title}, {METRICS[metric]}"
        beside = _of_the_same(theirs, languages[:-2], home)
        found = grid(f"{what} by language", own, beside, columns=languages, unranked=unranked)
        held, floors = _held(rows, task)
        values_and_floors = (own, floors[:0]) if number else (held, floors)
        yield flagged(found, *values_and_floors, beside=(own, own[own["system"] == SHORTCUT]))
        if {column for _, column in theirs} - set(languages):
            yield published_grid(f"{what} in the paper", theirs, bold=False)


def _of_the_same(
    theirs: Mapping[tuple[str, str], float], languages: Sequence[str], home: Collection[str]
) -> dict[tuple[str, str], float]:
    """Return published numbers by (system, language), and their means over `languages` with and without `home` if none
    is missing. For the paper's languages return the printed mean.
    """
    found = {key: number for key, number in theirs.items() if key[1] != MEAN}
    parts = {MEAN: languages, TRANSFER: [language for language in languages if language not in home]}
    for system in dict.fromkeys(system for system, _ in theirs):
        for column, chosen in parts.items():
            numbers = [found[system, language] for language in chosen if (system, language) in found]
            if numbers and len(numbers) == len(chosen):
                found[system, column] = round(fmean(numbers), 1)
    same = {column for _, column in theirs} == {*languages, MEAN}
    return found | (dict(theirs) if same else {})


def gaps(rows: pd.DataFrame) -> pd.DataFrame:
    """Return system, seed, task and value: the score in the training language less the mean over the others."""
    rows = of_xtreme(rows)
    rows = rows[[m in TASKS[t].metrics for m, t in zip(rows["metric"], rows["task"], strict=True)]]
    home = rows["source"] == rows["target"]
    keys = ["system", "seed", "task"]
    own = rows[home].groupby(keys, sort=False)["value"].mean()
    by_target = rows[~home].groupby([*keys, "target"], sort=False)["value"].mean()
    others = by_target.groupby(keys, sort=False).mean()
    return (own - others).dropna().rename("value").reset_index()


def _gap(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    rows = rows[rows["table"] == "table1"]
    values = gaps(with_shortcut(rows))
    if values.empty:
        return
    labels = [TASKS[name].title for name in values["task"]]
    average = averages(values, list(TASKS)).assign(column=AVERAGE)
    shown = pd.concat([values.assign(column=labels)[["system", "seed", "column", "value"]], average])
    columns = [*(task.title for task in TASKS.values()), AVERAGE]
    titles = [(system, TASKS[name].title) for system, name in not_learnt(rows)]
    averaged = [(system, AVERAGE) for system, _ in titles]
    unranked: list[str | tuple[str, str]] = [SHORTCUT, *titles, *averaged]
    found = grid(GAP, shown, columns=columns, lowest=set(columns), unranked=unranked)
    transfer = _summary(of_xtreme(rows), {name: list(task.metrics) for name, task in TASKS.items()}, TRANSFER)
    titles_of = {_title(task, metric): task.title for task in TASKS.values() for metric in task.metrics}
    weak = {(system, titles_of.get(column, column)) for system, column in places_not_above(transfer)}
    yield not_above(found, weak, NOT_ABOVE)


def _ablation(rows: pd.DataFrame, published: Published, table: str) -> Iterator[Grid]:
    rows = _of_ablation(rows, table)
    yield from _summaries(rows, published, {name: [next(iter(TASKS[name].metrics))] for name in ABLATED})


def _of_ablation(rows: pd.DataFrame, table: str) -> pd.DataFrame:
    """Return the rows that a table compares, in its order of systems."""
    rows = of_xtreme(rows)
    if (rows["system"].eq(BASE) & rows["table"].eq("table3")).any():  # trained as long as those that vary it
        rows = rows[~(rows["system"].eq(BASE) & rows["table"].eq("table1"))]
    present = list(dict.fromkeys(rows["system"]))
    order = {name: number for number, name in enumerate(compared_in(table, present))}
    rows = rows[rows["system"].isin(order)]
    return rows.sort_values("system", key=lambda names: names.map(order), kind="stable")


def warn(rows: pd.DataFrame) -> str:
    """Return sentences about averages that are refused, and tasks that were not learnt in the training language."""
    rows = of_xtreme(rows[rows["table"] == "table1"])
    means, refused = language_means(rows, list(TASKS)), []
    for system in dict.fromkeys(rows["system"]):
        present = set(means.loc[means["system"] == system, "task"])
        if lacking := [task.title for name, task in TASKS.items() if name not in present]:
            refused.append(f"{system} lacks {', '.join(lacking)}")
    told = f"No average where a task, or a language of it, is missing: {'; '.join(refused)}."
    parts = [told if refused else "", *(_told_not_learnt(rows, task) for task in TASKS.values())]
    return " ".join(filter(None, parts))


def not_learnt(rows: pd.DataFrame) -> list[tuple[str, str]]:
    """Return each (system, task) that does not beat its controls in the training language, by each metric."""
    return [(system, task.name) for task in TASKS.values() for system in _failed(rows, task)]


def _failed(rows: pd.DataFrame, task: XtremeTask) -> dict[str, str]:
    """Return the systems that do not beat a control of a task in the training language, and what is said of each."""
    own = rows[(rows["task"] == task.name) & (rows["source"] == rows["target"])]
    scores = {metric: of.set_index("system")["value"] for metric, of in own.groupby("metric")}
    found: dict[str, str] = {}
    for metric in dict.fromkeys((*task.metrics, task.learnt_by[0])):
        named = {SHORTCUT: f"{SHORTCUT}_{metric}"} | (
            {MAJORITY: MAJORITY} if metric == task.learnt_by[0] else {}
        )
        controls = {name: [scores[key].iloc[0]] for name, key in named.items() if key in scores}
        for system, runs in scores.get(metric, pd.Series(dtype=float)).groupby(level=0, sort=False):
            if reason := below([*runs], controls):
                told = f"{METRICS[metric]} {runs.mean():.1f}, {max(map(max, controls.values())):.1f}"
                found.setdefault(system, f"{system} {reason} ({told})")
    return found


def _told_not_learnt(rows: pd.DataFrame, task: XtremeTask) -> str:
    failed = _failed(rows, task)
    return f"{task.title} in the training language: {'; '.join(failed.values())}." if failed else ""


def _warn_ablation(rows: pd.DataFrame, table: str) -> str:
    rows = _of_ablation(rows, table)
    return " ".join(filter(None, [_told_not_learnt(rows, TASKS[name]) for name in ABLATED]))


CAPTION = (
    "Alignment error rate in percent, mean ± standard deviation over seeds; lower is better. A system is an aligner, + "
    "the encoder or vectors that it reads. Bold: best of the column. In parentheses: the paper's figure."
)
AER_NOTES = (
    "Systems that are the same in every run have no deviation. The paper's figure is for the pair of that name; at "
    "other scales than paper, the gold set may be another. `fast_align` is trained on the text of the gold set and on "
    "the bitext that the configuration names. So is `gibbs`, which the paper does not have. `diagonal`, a control, "
    "links each target word to the source word at the same share of its sentence."
)
NOT_BELOW = f"{NO_BETTER}: not below `{DIAGONAL}`, by the interval of 95%; never bold."
NOTES = {
    "aer": "Alignment error rate (AER).",
    "precision": "Precision: percent of the links that are possible.",
    "recall": "Recall: percent of the sure links that are found.",
    "f1": "F1 of precision and recall.",
}


def by_pair(rows: pd.DataFrame, table: str, metric: str) -> pd.DataFrame:
    """Return system, layer (NaN without), seed, column (the language pair) and value of `table2` or `fig2`."""
    rows = rows[(rows["task"] == "word_alignment") & (rows["table"] == table) & (rows["metric"] == metric)]
    layers = rows["signature"].map(lambda signature: conditions(signature).get("layer")).astype(float)
    rows = rows.assign(column=rows["source"] + "-" + rows["target"], layer=layers)
    return rows[["system", "layer", "seed", "column", "value"]]


def means(values: pd.DataFrame) -> pd.DataFrame:
    """Return the `mean` over language pairs, if there are several, of systems, layers and seeds that have all."""
    return column_means(values, ["system", "layer", "seed"])


def grids(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    """Yield AER beside the published figures, then precision, recall and F1.

    Where the gold sets are not all of the paper's, its error rates follow in a grid of their own.
    """
    ours = {metric: by_pair(rows, "table2", metric) for metric in NOTES}
    ours = {metric: pd.concat([values, means(values)]) for metric, values in ours.items()}
    columns = set(ours["aer"]["column"])
    theirs = of_metric(published, "aer")
    published_columns = {column for _, column in theirs}
    same = published_columns == columns
    beside = {key: rate for key, rate in theirs.items() if same or key[1] != MEAN}
    found = grid(NOTES["aer"], ours["aer"], beside, lowest=columns, unranked=[DIAGONAL])
    yield not_above(found, _no_better_than_the_diagonal(ours["aer"]), NOT_BELOW)
    yield from (grid(NOTES[metric], ours[metric]) for metric in ("precision", "recall", "f1"))
    if columns and published_columns - columns:
        yield published_grid("Alignment error rate in the paper.", theirs, lowest=published_columns)


def _no_better_than_the_diagonal(errors: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the cells (system, column) whose AER is not below that of the control."""
    runs = {place: [-error for error in of] for place, of in errors.groupby(["column", "system"])["value"]}
    return [(system, column) for column, system in participation.not_above(runs, {}, {DIAGONAL})]


TABLES = {
    "table2": Table("xlm_align, table 2: alignment error rate", CAPTION, grids, notes=AER_NOTES),
    "table1": Table("xlm_align, table 1: XTREME", XTREME_CAPTION, _table1, warn, XTREME_NOTES),
    **{
        task.table: Table(
            f"xlm_align, {task.table[:5]} {task.table[5:]}: {task.title} by language", XTREME_CAPTION,
            partial(_per_language, task=task), partial(_told_not_learnt, task=task), XTREME_NOTES,
        )
        for task in TASKS.values()
    },
    "transfer_gap": Table("xlm_align: what is lost in transfer", XTREME_CAPTION, _gap, warn, XTREME_NOTES),
    **{
        name: Table(
            f"xlm_align, table {name[5:]}: {title}", XTREME_CAPTION,
            partial(_ablation, table=name), partial(_warn_ablation, table=name), XTREME_NOTES,
        )
        for name, title in (
            ("table3", "components"),
            ("table4", "layer whose vectors label alignments"),
            ("table5", "layer that the pointer network reads"),
            ("table6", "filtering of alignments"),
            ("table7", "query positions"),
        )
    },
}  # fmt: skip
