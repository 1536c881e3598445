"""Table 1, the appendix and tables 3 to 7: encoders tuned in one language, and tested in all languages with data.

Plan side, as `cells`. A fine-tuning reads one language's training data. Validation data of all languages choose the
settings with several values (appendix C); no test file is read.
"""

from collections.abc import Mapping
from typing import Any

from crosslingua.cells import Cell
from crosslingua.errors import ConfigError, check_defined
from crosslingua.papers.shared import sentences
from crosslingua.papers.xlm_align.tasks import ABLATED, TASKS, XtremeTask, compared_in
from crosslingua.tasks.kinds import kind_of
from crosslingua.workflow import runs
from crosslingua.workflow.encoders import runs_read
from crosslingua.workflow.fine_tuning import Prediction, Tuning, predictions, score_file, set_language
from crosslingua.workflow.jobs import In
from crosslingua.workflow.labelled import chosen, labelled_path
from crosslingua.workflow.results import ABLATIONS, Drawing, TableRequest, rows_file
from crosslingua.workflow.runs import multilingual_origins
from crosslingua.workflow.sources import present
from crosslingua.workflow.workflow import Workflow, in_turn, once

PAPER, XTREME = "xlm_align", "xtreme"


def section(w: Workflow) -> Mapping[str, Any] | None:
    """Return the section of XTREME; None where a scale has none, or no data of any of its tasks."""
    return w.config[PAPER]["xtreme"] if tasks(w) else None


def groups(w: Workflow) -> list[str]:
    """Return the groups of cells."""
    return [XTREME, *([ABLATIONS] if ablations(w) else [])] if section(w) else []


def ablations(w: Workflow) -> list[str]:
    """Return the tables of ablations: none where a scale lacks one of their tasks."""
    return section(w)["ablations"] if set(ABLATED) <= set(tasks(w)) else []


@once
def tasks(w: Workflow) -> dict[str, XtremeTask]:
    """Return the tasks that the scale names and has data of."""
    named = present((w.config[PAPER]["xtreme"] or {"tasks": {}})["tasks"])
    return {
        name: task
        for name, task in TASKS.items()
        if name in named and w.sources.sets[kind_of(task.kind).data_kind]
    }


def task_of(one: Prediction) -> XtremeTask:
    """Return the task that a prediction is of."""
    return next(each for each in TASKS.values() if each.kind == one.task)


def languages(w: Workflow) -> list[str]:
    """Return the test languages: a list, in which `pairs` stands for the languages of `pairs`, or the encoders'."""
    return chosen(section(w)["languages"] or None, runs.languages(w))


def seeds(w: Workflow) -> list[int]:
    """Return the seeds of fine-tunings; the encoders that they begin with take turns."""
    return section(w)["seeds"] or w.encoder_seeds


def encoder_runs(w: Workflow) -> dict[int, int]:
    """Return which training of the encoders the run of each seed reads."""
    return runs_read(w, models(w, XTREME), w.encoder_seeds, seeds(w)) if section(w) else {}


def models(w: Workflow, group: str) -> list[str]:
    """Return the encoders of a group, in the order of its tables."""
    if group == XTREME:
        return list(section(w)["models"])
    known = [name for name in runs.members(w) if name not in section(w)["models"]]
    return [name for name in known if any(name in ablated(w, table) for table in ablations(w))]


def ablated(w: Workflow, table: str) -> list[str]:
    """Return the encoders that an ablation compares, in its order; `base` is XLM-Align as they vary it."""
    return compared_in(table, runs.members(w), section(w)["base"])


def trained(w: Workflow, task: str) -> str:
    """Return the set that a task is trained on."""
    return w.of_source(section(w)["tasks"][task]["train"])


def set_name(w: Workflow, task: str, language: str) -> str:
    """Return the name of a task's set in a language."""
    return section(w)["tasks"][task]["sets"].replace("{language}", language)


def has(w: Workflow, task: str, name: str, split: str) -> bool:
    """Whether a set has a split."""
    kind = kind_of(TASKS[task].kind).data_kind
    return name in w.sources.sets[kind] and split in w.sources.splits(kind, name)


def tested(w: Workflow, task: str) -> list[str]:
    """Return the languages in which a task has test data."""
    return [one for one in languages(w) if has(w, task, set_name(w, task, one), "test")]


def untested(w: Workflow) -> dict[str, list[str]]:
    """Return by task the other languages with test data, without generated data."""
    found: dict[str, list[str]] = {}
    for task, one in tasks(w).items():
        kind = kind_of(one.kind).data_kind
        for name in w.sources.named_from(kind, "published", "file"):
            language = w.sources.language(kind, name)
            is_of_task = name == set_name(w, task, language) and has(w, task, name, "test")
            if is_of_task and language not in languages(w):
                found.setdefault(task, []).append(language)
    return found


def fine_tunings(w: Workflow) -> dict[str, list[Tuning]]:
    """Return the fine-tunings of each group."""
    every = {group: [tuning(w, name, group) for name in models(w, group)] for group in groups(w)}
    return {group: [one for one in own if one.train] for group, own in every.items()}


def tuning(w: Workflow, encoder: str, group: str) -> Tuning:
    """Return the fine-tuning of an encoder on all tasks of a group."""
    named = {name: task for name, task in tasks(w).items() if group == XTREME or name in ABLATED}
    chosen = {name: task for name, task in named.items() if group != XTREME or encoder in tuned(w, name)}
    train = tuple((task.kind, trained(w, name)) for name, task in chosen.items())
    test = tuple((one.kind, set_name(w, name, of)) for name, one in chosen.items() for of in tested(w, name))
    settings = {task.kind: settings_of(w, name, encoder) for name, task in chosen.items()}
    joint = tuple(one for name in chosen for one in _validation(w, name, encoder))
    runs_of = {"seeds": tuple(seeds(w)), "runs": tuple(in_turn(w.encoder_seeds, seeds(w)))}
    return Tuning(encoder, train, test, settings, joint, **runs_of)


def tuned(w: Workflow, task: str) -> list[str]:
    """Return the encoders of table 1 that are tuned on a task."""
    only = section(w)["tasks"][task].get("only")
    return models(w, XTREME) if only is None else only


def settings_of(w: Workflow, task: str, encoder: str) -> dict[str, Any]:
    """Return the settings of a task, overridden by an encoder's."""
    own = section(w)["tasks"][task]
    return {**(own.get("settings") or {}), **((own.get("models") or {}).get(encoder) or {})}


def _validation(w: Workflow, task: str, encoder: str) -> list[tuple[str, str]]:
    """Return the sets on whose validation data a task is selected.

    Of all languages if a grid is searched, else of the training language.
    """
    first, kind = trained(w, task), TASKS[task].kind
    names = [first]
    if any(isinstance(value, list) for value in settings_of(w, task, encoder).values()):
        every = [set_name(w, task, language) for language in languages(w)]
        found = [name for name in every if has(w, task, name, "valid")]
        language = set_language(w, kind, first)
        names = found if language in (set_language(w, kind, n) for n in found) else [first, *found]
    return [(kind, name) for name in names]


def cells(w: Workflow, group: str) -> list[Cell]:
    """Return a cell for each task and language of every encoder and seed of a group."""
    table, base = ("table1", PAPER) if group == XTREME else ("table3", section(w)["base"])
    return [
        Cell(
            PAPER, table, PAPER if one.encoder == base else one.encoder, task_of(one).name, one.trained, one.tested,
            one.seed, score_file(w, PAPER, group, one.score), task_of(one).rows,
        )
        for own in fine_tunings(w)[group]
        for one in predictions(w, own)
    ]  # fmt: skip


def tables(w: Workflow) -> dict[str, TableRequest]:
    """Return table 1, a table a task, the loss in transfer, the chosen settings, and tables 3 to 7."""
    if not section(w):
        return {}
    lacking = _by_task({task: [n for n in languages(w) if n not in tested(w, task)] for task in tasks(w)})
    missing = f"Empty cells have no test data: {lacking}." if lacking else ""
    named = section(w)["languages"]
    reason = "the configuration names other languages" if named else "no encoder trained here has read them"
    left_out = f"Not tested, since {reason}: {others}." if (others := _by_task(untested(w))) else ""
    note = sentences(multilingual_origins(w, models(w, XTREME)), _sets(w), _shares(w), missing, left_out)
    per_task = [task.table for task in tasks(w).values()]
    found = {name: TableRequest((XTREME,), note) for name in ("table1", *per_task, "transfer_gap")}
    base = section(w)["base"]
    longer = f"{base} is XLM-Align, trained as long as its variants." if base != PAPER else ""
    for table in ablations(w):
        note = sentences(longer, multilingual_origins(w, ablated(w, table)))
        found[table] = TableRequest((XTREME, ABLATIONS), note)
    return found


def _sets(w: Workflow) -> str:
    """Say which sets train and test, unless sets are named by their language alone."""
    own = section(w)["tasks"]
    told = "; ".join(
        f"{task.title}: trained on {trained(w, name)}, tested on {set_name(w, name, '…')}"
        for name, task in tasks(w).items()
        if own[name]["sets"] != "{language}"
    )
    return f"{told} ({section(w)['stand_ins']})." if told else ""


def _shares(w: Workflow) -> str:
    """Say which share of training sets is used, unless all; encoders may have different shares."""
    common, *own = (
        {task.title: settings_of(w, name, encoder).get("share", 1) for name, task in tasks(w).items()}
        for encoder in ("", *models(w, XTREME))
    )
    parts = [_percent({title: share for title, share in common.items() if share != 1})]
    for encoder, shares in zip(models(w, XTREME), own, strict=True):
        different = _percent({title: share for title, share in shares.items() if share != common[title]})
        parts += [f"{encoder}: {different}"] if different else []
    told = "; ".join(filter(None, parts))
    return f"Share of the training set in use: {told}." if told else ""


def _percent(shares: Mapping[str, float]) -> str:
    return ", ".join(f"{title} {100 * share:g} %" for title, share in shares.items())


def _by_task(found: Mapping[str, list[str]]) -> str:
    return "; ".join(f"{TASKS[task].title} {', '.join(names)}" for task, names in found.items() if names)


def drawings(w: Workflow) -> dict[str, Drawing]:
    """Return the heat map of languages and tasks."""
    if not section(w):
        return {}
    rows, caption = (
        rows_file(w, PAPER, XTREME),
        f"Scale {w.config['scale']}; number of seeds: {len(seeds(w))}.",
    )
    return {"xtreme": Drawing("xtreme", {"rows": [rows]}, {"caption": caption}, (XTREME,))}


def exported(w: Workflow) -> list[dict[str, str]]:
    """Return the lines that lay predictions and gold labels out as XTREME's evaluation reads them."""
    lines = {}
    for one in (one for own in fine_tunings(w)[XTREME] for one in predictions(w, own)):
        suffix = "json" if kind_of(one.task).form.suffix == "json" else "tsv"
        for what, folder, path in (
            ("gold", "labels", In(f"{w.corpora}/{labelled_path(one.task, one.gold, 'test')}")),
            ("predicted", f"{one.encoder}/seed{one.seed}", one.file(w, PAPER)),
        ):
            out = f"{w.results}/xtreme/{folder}/{task_of(one).folder}/test-{one.tested}.{suffix}"
            lines[out] = {"task": one.task, "input": path, "what": what, "out": out}
    return list(lines.values())


def check(w: Workflow) -> None:
    """Raise ConfigError when the section names a model or data that is not there."""
    if not section(w):
        return
    key = "xlm_align.xtreme"
    check_defined(f"{key}.models", models(w, XTREME), runs.members(w), "encoders.multilingual.members")
    runs.check_bitext(w, f"{key}.models", models(w, XTREME))
    kinds = [kind_of(task.kind).data_kind for task in tasks(w).values()]
    spoken = (w.sources.language(kind, name) for kind in kinds for name in w.sources.sets[kind])
    known = list(dict.fromkeys([*runs.languages(w), *spoken]))
    check_defined(f"{key}.languages", languages(w), known, "the languages of encoders and data")
    check_defined(f"{key}.base", section(w)["base"], runs.members(w), "encoders.multilingual.members")
    named = w.config["encoders"]["multilingual"]["members"]  # what a scale takes out keeps its settings
    for name in tasks(w):
        check_defined(f"{key}.tasks.{name}.only", tuned(w, name), models(w, XTREME), f"{key}.models")
        own = present(section(w)["tasks"][name].get("models") or {})
        check_defined(f"{key}.tasks.{name}.models", own, named, "encoders.multilingual.members")
        train = trained(w, name)
        for split in ("train", "valid"):
            if not has(w, name, train, split):
                raise ConfigError(
                    f"{key}.tasks.{name}.train: there is no {split} data {train}: name a set that has training and"
                    f" validation data, or leave the task out by null; `{key}: null` leaves all out"
                )
        if not tested(w, name):
            raise ConfigError(
                f"{key}.tasks.{name}.sets: none of {', '.join(languages(w))} has test data; null leaves the task out"
            )
