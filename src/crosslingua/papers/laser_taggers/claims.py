"""What laser_taggers' statements are tested on: scores sentence by sentence, as values whose mean is the score.

A pair is `task.target` (`ner.nl`), an item is a sentence of its test data. Measures:

    zero_shot, distant          of languages of joint training, and of distant ones, which it leaves out
    source_score, monolingual   in the language of training; trained on the language itself, if it is not distant
    drop                        source_score less zero_shot
    distance                    (pair: the task) zero_shot in the mean over languages, less distant
    hungarian_over_basque       (pair: the task) distant in Hungarian, less in Basque
    joint, joint_gain           scenario A; B less A, in the language of training B less source_score
    distant_joint_gain          B less A, of distant languages
    significance                (pair: all) percent of tasks and languages in which a system is told from LASER-top
    detection                   F1 of words in entities, of any type
    ambiguous_recall            recall of entity words that occur outside entities too
    training_score              (pair: the task) on the sentences of training
    highest                     (pair: the task) percent of languages, that of training too, without a higher score

Transfer by vectors whose mapping found nothing is marked as failed; comparisons of it with LASER-top are left out.
`bert_or_laser_top` is the better of both in a pair.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from crosslingua.cells import Cell
from crosslingua.errors import InputError
from crosslingua.evidence.evidence import Evidence, numbered
from crosslingua.evidence.influence import contrast, of_ratio
from crosslingua.evidence.participation import Place, not_above, shortcut_of, withhold
from crosslingua.io.json import read_json
from crosslingua.papers.laser_taggers.tables import ALPHA, CONTROLS, FAILED

MEASURES = dict.fromkeys(
    ("zero_shot", "distant", "source_score", "monolingual", "drop", "distance", "hungarian_over_basque", "joint",
     "joint_gain", "distant_joint_gain", "significance", "detection", "ambiguous_recall", "training_score", "highest"),
    ("all",),
)  # fmt: skip
BEST_OF = ("bert", "laser_top")
# Measures of transfer, which a mapping of vectors may fail.
TRANSFERRED = "zero_shot", "distant", "drop", "distance", "hungarian_over_basque"
ITEMS = {"f1": "per_sentence", "accuracy": "accuracy_per_sentence"}  # key of a score -> its items
Runs = Mapping[tuple[str, str, str, int], np.ndarray]  # task, target, system, seed -> values (sentences,)


def evidence(cells: Sequence[Cell], inputs: Mapping[str, list[Path]]) -> dict[tuple[str, str], Evidence]:
    """Return the evidence by measure; `inputs` are `taggers`, folders with their reports."""
    lost, alone = unable(cells, "source"), unable(cells, "monolingual")
    own = {(task, system): reason for (task, _, system), reason in lost.items()}
    cells = [cell for cell in cells if cell.system not in CONTROLS]
    failed = failed_mappings(cells)
    source = _runs(cells, "source")
    near = _runs(cells, "zero_shot", distant=False)
    far = _runs(cells, "zero_shot", distant=True)
    hungarian, basque = (
        {key: values for key, values in far.items() if key[1].partition("_")[0] == language}
        for language in ("hu", "eu")
    )
    compared = [
        cell
        for cell in cells
        if cell.metrics == ("p_value",)
        and (cell.system, cell.target) not in failed
        and not {(cell.task, cell.system), (cell.task, cell.conditions["against"])} & own.keys()
    ]
    training = Evidence("points")
    reports = (Path(folder).glob("*/zero_shot.*/seed*/training.json") for folder in inputs.get("taggers", ()))
    for path in sorted(path for paths in reports for path in paths):
        report = read_json(path)
        if values := report.get("training_per_sentence"):
            items = numbered(f"{report['task']}.training", values)
            training.add(report["task"], path.parents[2].name, report["seed"], items)
    found = {
        "source_score": _points(source),
        "zero_shot": _with_best(_points(near)),
        "distant": _points(far),
        "monolingual": _points({**source, **_runs(cells, "monolingual", distant=False)}),
        "drop": _drops(source, near),
        "distance": _distances(near, far),
        "hungarian_over_basque": _distances(hungarian, basque),
        "joint": _points(_runs(cells, "scenario_a")),
        "joint_gain": _points(_runs(cells, "gain")),
        "distant_joint_gain": _points(_runs(cells, "gain", distant=True)),
        "significance": _significance(compared),
        "detection": _counts(compared, failed, "detection"),
        "ambiguous_recall": _counts(compared, failed, "ambiguous"),
        "training_score": training,
        "highest": _highest({**source, **near}),
    }
    for measure in TRANSFERRED:
        _mark(found[measure], failed)
    _withhold(found, own, alone)
    return {(measure, "all"): one for measure, one in found.items()}


def unable(cells: Sequence[Cell], metric: str) -> dict[tuple[str, str, str], str]:
    """Return why (task, target, system) takes part in no comparison: its score in the language of training, that of
    rows `metric`, does not beat random vectors, the most frequent tag, and the best shortcut.
    """
    runs: defaultdict[tuple[str, str, str], list[float]] = defaultdict(list)
    controls: defaultdict[tuple[str, str], dict[str, list[float]]] = defaultdict(dict)
    for cell in cells:
        name, _, key = cell.metrics[0].rpartition("=")
        if name == metric:
            score = read_json(cell.score)
            runs[cell.task, cell.target, cell.system].append(score[key])
            controls[cell.task, cell.target] |= shortcut_of(score, key)
    return not_above(runs, controls, CONTROLS)


def _withhold(
    found: Mapping[str, Evidence], lost: Mapping[Place, str], alone: Mapping[tuple[str, str, str], str]
) -> None:
    """Withhold systems from all measures of a task (`lost`), and of training on a language alone from that language.

    `detection` and `ambiguous_recall`, whose pairs are languages, are of named entities.
    """
    for measure, one in found.items():
        by_pair = {
            (pair, system): reason
            for (task, system), reason in lost.items()
            for pair in one.values
            if pair.partition(".")[0] == task
        }
        if measure in ("detection", "ambiguous_recall"):
            by_pair = {
                (pair, system): reason
                for (task, system), reason in lost.items()
                if task == "ner"
                for pair in one.values
            }
        if measure == "monolingual":
            by_pair |= {
                (f"{task}.{target}", system): reason for (task, target, system), reason in alone.items()
            }
        withhold(one, by_pair, {"bert_or_laser_top": BEST_OF})


def failed_mappings(cells: Sequence[Cell]) -> set[tuple[str, str]]:
    """Return (system, target) of the mappings whose P@1 (CSLS, MUSE's rule) is below 5 percent in their mean."""
    found: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for cell in (cell for cell in cells if cell.task == "bli"):
        for result in read_json(cell.score):
            parts = result["signature"].split("|")
            if parts[0] == "csls" and {"oov=muse", "identical=kept"} <= set(parts):
                found[cell.system, cell.target].append(result["p_at_1"])
    return {key for key, values in found.items() if np.mean(values) < FAILED}


def _runs(
    cells: Sequence[Cell],
    metric: str,
    distant: bool | None = None,
) -> Runs:
    """Return the values of the cells that fill the rows of a metric, less the subtracted values."""
    found = {}
    for cell in cells:
        name, _, key = cell.metrics[0].rpartition("=")
        is_distant = cell.conditions.get("distant") == "yes"
        if name != metric or distant not in (None, is_distant):
            continue
        columns = []
        for path in filter(None, (cell.score, cell.less)):
            content = read_json(path)
            if ITEMS[key] not in content:
                raise InputError(path, f"has no {ITEMS[key]}", remedy="score the predictions again")
            columns.append(np.array(content[ITEMS[key]], dtype=np.float64))
        values, *less = columns
        found[cell.task, cell.target, cell.system, cell.seed] = values - less[0] if less else values
    return found


def _mark(found: Evidence, failed: set[tuple[str, str]]) -> None:
    """Mark the runs of (system, target) whose mapping failed; a pair that is a task has runs of all its targets."""
    for pair, systems in found.values.items():
        _, _, target = pair.partition(".")
        lost = {system for system, missed in failed if target in ("", missed)}
        found.failed += [(pair, system, seed) for system in lost & set(systems) for seed in systems[system]]


def _points(runs: Runs) -> Evidence:
    found = Evidence("points")
    for (task, target, system, seed), values in runs.items():
        # Items are named by the task: sets of several languages may be translations of each other.
        found.add(f"{task}.{target}", system, seed, numbered(task, values))
    return found


def _with_best(found: Evidence) -> Evidence:
    """Add the better of BERT and LASER-top in each pair, by their mean over seeds."""
    for pair, systems in found.values.items():
        if set(BEST_OF) <= set(systems):
            runs = {
                name: [np.mean(list(items.values())) for items in systems[name].values()] for name in BEST_OF
            }
            best = max(BEST_OF, key=lambda name: np.mean(runs[name]))
            for seed, values in list(systems[best].items()):
                found.add(pair, "bert_or_laser_top", seed, values)
    return found


def _drops(source: Runs, near: Runs) -> Evidence:
    found = Evidence("points lost by transfer")
    sources = {(task, system, seed): values for (task, _, system, seed), values in source.items()}
    for (task, target, system, seed), values in near.items():
        if (task, system, seed) in sources:
            learnt = numbered(task, sources[task, system, seed])
            items = contrast([(1.0, learnt), (-1.0, numbered(task, values))])
            found.add(f"{task}.{target}", system, seed, items)
    return found


def _distances(near: Runs, far: Runs) -> Evidence:
    """Return the mean over languages less the mean over distant ones, of every system that has all, where both are."""
    found = Evidence("points between languages")
    for task, system, seed in dict.fromkeys((task, system, seed) for task, _, system, seed in far):
        groups = [
            {key[1]: values for key, values in runs.items() if (key[0], *key[2:]) == (task, system, seed)}
            for runs in (near, far)
        ]
        wanted = [{target for own, target, *_ in runs if own == task} for runs in (near, far)]
        if all(group and set(group) == names for group, names in zip(groups, wanted, strict=True)):
            parts = [
                (sign / len(group), numbered(task, values))
                for sign, group in zip((1, -1), groups, strict=True)
                for values in group.values()
            ]
            found.add(task, system, seed, contrast(parts))
    return found


def _highest(runs: Runs) -> Evidence:
    """Return in what percent of a task's languages no score is higher in a seed, of the systems that have them all."""
    means: defaultdict[tuple[str, int], dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for (task, target, system, seed), values in runs.items():
        means[task, seed][target][system] = float(values.mean())
    found = Evidence("percent of languages", bounds=(0, 100))
    for (task, seed), targets in means.items():
        best = {target: max(systems.values()) for target, systems in targets.items()}
        for system in set.intersection(*map(set, targets.values())):
            is_best = [systems[system] >= best[target] for target, systems in targets.items()]
            found.add(task, system, seed, {(task, "languages"): 100 * float(np.mean(is_best))})
    return found


def _significance(cells: Sequence[Cell]) -> Evidence:
    found = Evidence("percent of results", bounds=(0, 100))
    values: defaultdict[tuple[str, int], dict[tuple[str, str], float]] = defaultdict(dict)
    for cell in cells:
        is_told = read_json(cell.score)["p_value"] < ALPHA
        values[cell.system, cell.seed][cell.task, cell.target] = 100.0 * is_told
    for (system, seed), items in values.items():
        found.add("all", system, seed, items)
    return found


def _counts(cells: Sequence[Cell], failed: set[tuple[str, str]], key: str) -> Evidence:
    """Return the scores of counts that comparisons hold of both systems, in the languages that are transferred to.

    `detection` counts (n, 3) words right, in gold, and predicted: F1; `ambiguous` (n, 2) words found, and all: recall.
    """
    found = Evidence("points")
    for cell in (cell for cell in cells if cell.source != cell.target):
        content = read_json(cell.score)
        for system, side in ((cell.system, "first"), (cell.conditions["against"], "second")):
            if side in content and (system, cell.target) not in failed:
                right, *every = np.array(content[side][key], dtype=np.float64).T
                if (whole := sum(every)).any():
                    values = 100 * of_ratio(len(every) * right, whole)
                    found.add(cell.target, system, cell.seed, numbered(cell.task, values))
    return found
