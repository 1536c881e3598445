"""What xlm_align's statements are tested on: alignment error by sentence pair, and scores on XTREME by item."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from crosslingua.cells import Cell
from crosslingua.evidence.evidence import Evidence, Values, numbered
from crosslingua.evidence.influence import contrast, of_ratio
from crosslingua.evidence.participation import Place, below, not_above, shortcut_of, withhold
from crosslingua.io.json import read_json
from crosslingua.papers.xlm_align.tasks import ABLATED, CLASSIFICATION, TASKS, XtremeTask
from crosslingua.word_aligners import DIAGONAL

# What claims name. In percent: AER of table 2 and, as system@place, of figure 2; of figure 2 by layer (the pair); the
# reduction of XLM-R's AER by XLM-Align in the last and the earlier layers. In points: table 1, averaged over all
# languages as in the paper, and its F1 alone. In points, without the training language: tables 1 and 3 to 7; and, of
# tables 1 and 3, XLM-Align's gain on token tasks (structured prediction and questions) less its gain on classification.
MEASURES = dict.fromkeys(
    (
        *("alignment_error", "alignment_error_by_layer", "reduction_of_alignment_error"),
        *("xtreme", "xtreme_f1", "xtreme_transfer", "xtreme_ablation", "xtreme_token_level"),
    ),
    ("all",),
)
Scored = Mapping[str, Any]


def evidence(cells: Sequence[Cell], inputs: Mapping[str, list[Path]]) -> dict[tuple[str, str], Evidence]:
    """Return the alignment error of table 2 and of figure 2's layers, and scores on XTREME; `inputs` are none.

    Of questions `xtreme` and `xtreme_transfer` have the mean of F1 and EM, all others F1.
    """
    aligned = [cell for cell in cells if cell.task == "word_alignment"]
    error = alignment_error(aligned)
    by_layer = alignment_error_by_layer(aligned, error.withheld if error.controlled else None)
    # An XLM-Align that was trained as long as its variants replaces table 1's.
    scores = sorted(
        ((cell, read_json(cell.score)) for cell in cells if cell.task in TASKS),
        key=lambda one: one[0].table != "table1",
    )
    main = [one for one in scores if one[0].table == "table1"]
    lost, lost_in_ablation = unable(main), unable(scores)
    table1 = transfer([one for one in main if one[0].source != one[0].target], True, lost)
    ablated = [(c, score) for c, score in scores if c.task in ABLATED and c.source != c.target]
    table3 = transfer(ablated, False, lost_in_ablation)
    found = {
        "alignment_error": error,
        "alignment_error_by_layer": by_layer,
        "reduction_of_alignment_error": reduction(by_layer),
        "xtreme": transfer(main, True, lost),
        "xtreme_f1": transfer(main, False, lost),
        "xtreme_transfer": table1,
        "xtreme_ablation": table3,
        "xtreme_token_level": token_level({"table1": (table1, "xlmr"), "table3": (table3, "no_dwa")}),
    }
    return {(measure, "all"): each for measure, each in found.items()}


def unable(scores: Sequence[tuple[Cell, Scored]]) -> dict[Place, str]:
    """Return the reasons of (task, system) that do not beat their controls in the training language, by each metric."""
    runs: defaultdict[tuple[str, str, str], dict[int, float]] = defaultdict(dict)
    floors: dict[tuple[str, str], dict[str, list[float]]] = {}
    for cell, score in scores:
        if cell.source == cell.target:
            for key, controls in _controls(TASKS[cell.task], score).items():
                runs[cell.task, cell.system, key][cell.seed] = score[key]
                floors[cell.task, key] = controls
    found: dict[Place, str] = {}
    for (task, system, key), values in runs.items():
        if reason := below([*values.values()], floors[task, key]):
            found.setdefault((task, system), reason)
    return found


def _controls(task: XtremeTask, score: Scored) -> dict[str, dict[str, list[float]]]:
    """Return by key of a file of scores what a system must beat in it, by the name of the control."""
    found = {key: shortcut_of(score, key) for key in task.metrics.values()}
    if task.floor:
        found.setdefault(task.learnt_by[1], {})["majority"] = [score[task.floor]]
    return found


def transfer(scores: Sequence[tuple[Cell, Scored]], both: bool, lost: Mapping[Place, str]) -> Evidence:
    """Return the scores, in points, without those `lost`; `both`: of questions the mean of F1 and exact match."""
    found = Evidence("points", bounds=(0, 100))
    groups: defaultdict[tuple[str, str, int], dict[str, Values]] = defaultdict(dict)
    for cell, score in scores:
        groups[cell.task, cell.system, cell.seed][cell.target] = _items(cell, score, both)
    for key, languages in groups.items():
        found.add(*key, contrast([(1 / len(languages), items) for items in languages.values()]))
    withhold(found, lost)
    return found


def token_level(tables: Mapping[str, tuple[Evidence, str]]) -> Evidence:
    """Return by table the gain of xlm_align on token tasks in which both systems take part, less its gain on
    classification. Gains are means over tasks.
    """
    found = Evidence("points", controlled=True, differences=True)
    for table, (scores, other) in tables.items():
        compared = ("xlm_align", other)
        part = replace(
            scores, values={task: of for task, of in scores.values.items() if {*compared} <= of.keys()}
        )
        classes = {name: name in CLASSIFICATION for name in part.values}
        if {*classes.values()} != {True, False}:
            if told := scores.not_compared(compared):
                found.withhold(
                    table, "xlm_align", f"is compared on one kind of task at most: {'; '.join(told)}"
                )
            continue
        number = Counter(classes.values())
        for seed in part.seeds(compared):
            parts = []
            for name, is_classification in classes.items():
                grid = part.grid(name, *compared, [seed])
                weight = (-1 if is_classification else 1) / number[is_classification]
                items = cast(Sequence[tuple[str, str]], grid.items)  # as all evidence has
                parts.append((weight, dict(zip(items, grid.values[0], strict=True))))
            found.add(table, "xlm_align", seed, contrast(parts))
    return found


def _items(cell: Cell, score: Scored, both: bool) -> Values:
    """Return the values by item of a file of scores, whose mean is the score: of questions by their ids."""
    keys = list(TASKS[cell.task].metrics.values())
    if "per_question" not in score:
        values = np.array(score["per_sentence"], dtype=np.float64)
        values += score[keys[0]] - values.mean()  # seqeval's F1, of spans as it reads them
        return numbered(cell.task, values)
    columns = score["per_question"]
    chosen = [columns[key] for key in (keys if both else keys[:1])]
    lines = zip(columns["id"], *chosen, strict=True)
    return {(cell.task, name): sum(values) / len(values) for name, *values in lines}


COMPARED = ("optimal_transport+xlmr", "optimal_transport+xlm_align")  # of figure 2
LEAST_LAYERS = 4  # drawn, for a layer to be in the middle of them


def alignment_error_by_layer(cells: Sequence[Cell], lost: Mapping[Place, str] | None = None) -> Evidence:
    """Read figure 2's AER, a "pair" a layer but the embeddings; an item is a sentence pair, pairs weigh alike. Without
    the systems that are `lost` in a language pair; None: no control was run.
    """
    found = Evidence("points of AER", bounds=(0, 100))
    drawn: defaultdict[tuple[str, str, int], list[Values]] = defaultdict(list)
    for cell in cells:
        if cell.table == "fig2" and _layer(cell) > 0:
            drawn[f"layer {_layer(cell)}", cell.system, cell.seed].append(_errors(cell))
    for (layer, system, seed), parts in drawn.items():
        total = sum(len(part) for part in parts)
        weighted = {
            item: value * total / (len(parts) * len(part)) for part in parts for item, value in part.items()
        }
        found.add(layer, system, seed, weighted)
    if lost is not None:
        reasons = {system: f"{reason} in {pair}" for (pair, system), reason in lost.items()}
        withhold(found, {(layer, system): reasons[system] for layer in found.values for system in reasons})
    return found


def reduction(by_layer: Evidence) -> Evidence:
    """Return AER of XLM-R less AER of XLM-Align: means over the last third of the layers, and over the rest."""
    found = Evidence("points of AER", controlled=by_layer.controlled, differences=True)
    if told := by_layer.not_compared(COMPARED):
        found.withhold("figure 2", "last_layers", f"needs all that it compares: {'; '.join(told)}")
    layers = sorted(by_layer.values, key=lambda layer: int(layer.partition(" ")[2]))
    first = len(layers) - max(1, len(layers) // 3)
    for name, chosen in (("last_layers", layers[first:]), ("earlier_layers", layers[:first])):
        part = by_layer.restricted(chosen) if chosen else Evidence("")
        if set(COMPARED) <= part.systems():
            for seed in part.seeds(COMPARED):
                columns = [[part.values[layer][system][seed] for layer in chosen] for system in COMPARED]
                base, aligned = (
                    {item: sum(layer[item] for layer in layers) / len(layers) for item in layers[0]}
                    for layers in columns
                )
                found.add("figure 2", name, seed, {item: base[item] - aligned[item] for item in base})
    return found


def alignment_error(cells: Sequence[Cell]) -> Evidence:
    """Read AER, 1 - N / D, an item a sentence pair. What trains on text was run once, and counts in every seed. Where
    the diagonal was run, systems that do not beat it at the layer of table 2 are withheld, at all layers.
    """
    found = Evidence("points of AER", bounds=(0, 100))
    on_vectors = {cell.seed for cell in cells if cell.conditions.get("reads") != "text"}
    places = _places(cells)
    for cell in cells:
        reads_text = cell.conditions.get("reads") == "text"
        # A layer of figure 2 may be at several places, or at none.
        of_figure = [
            f"{cell.system}@{p}" for p, n in places.get(cell.system, {}).items() if n == _layer(cell)
        ]
        for system in of_figure if cell.table == "fig2" else [cell.system]:
            for seed in on_vectors if reads_text and on_vectors else {cell.seed}:
                found.add(f"{cell.source}-{cell.target}", system, seed, _errors(cell))
    if DIAGONAL in found.systems():
        layers = {
            name: [name.partition("@")[0]] for of in found.values.values() for name in of if "@" in name
        }
        runs = {
            (pair, name): [-error for error in found.means(pair, name)]
            for pair, of in found.values.items()
            for name in of.keys() - layers
        }
        withhold(found, not_above(runs, {}, {DIAGONAL}), layers)
    return found


def _places(cells: Sequence[Cell]) -> dict[str, dict[str, int | None]]:
    """Return each system's first and last layer in figure 2, and `middle`, table 2's layer if between them."""
    drawn: defaultdict[str, set[int]] = defaultdict(set)
    own: dict[str, int] = {}
    for cell in cells:
        if cell.table == "fig2":
            drawn[cell.system].add(_layer(cell))
        elif "layer" in cell.conditions:
            own[cell.system] = _layer(cell)
    found = {}
    for system, layers in drawn.items():
        first, middle, last = min(layers), own.get(system), max(layers)
        between = middle is not None and len(layers) >= LEAST_LAYERS and first < middle < last
        found[system] = {"first": first, "middle": middle if between else None, "last": last}
    return found


def _layer(cell: Cell) -> int:
    return int(cell.conditions["layer"])


def _errors(cell: Cell) -> Values:
    counts = np.array(read_json(cell.score)["per_pair"], dtype=np.float64)
    chosen, sure, chosen_sure, chosen_possible = counts.T
    values = 100 * (1 - of_ratio(chosen_sure + chosen_possible, chosen + sure))
    return numbered(f"{cell.source}-{cell.target}", values)
