"""The evidence of mbert_align's statements: F1 sentence by sentence, and its relation to distance.

A pair is `task.class.target` (`ner.close.ber`). A task's nearest target is close, the farthest distant, all others
moderate. If section 5 classes all targets, its classes hold. Slots that are not translated from the source's, which the
paper has none of, are of no class. Values of sentences are influence values, whose mean is F1. A sentence in several
languages is one item.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path

import numpy as np

from crosslingua.cells import Cell
from crosslingua.evidence.evidence import Evidence, numbered
from crosslingua.evidence.influence import of_rank_correlation
from crosslingua.evidence.participation import unable_taggers, withhold
from crosslingua.io.json import read_json
from crosslingua.papers.mbert_align.tables import FLOORS

BASELINE = "mbert"
TUNED, ROTATED = ("finetune_tgt_to_src", "finetune_src_to_tgt"), ("rotate_parallel", "norm_rotate_parallel")
# The measures of claims. F1 of spans. Spearman's rho of F1 and the distance of languages. F1 less the baseline's, of
# system@close, @moderate and @distant languages. F1 of fine-tuning less F1 of rotation, by kind of data. Spearman's rho
# of the languages' separation in the encoder and their distance.
MEASURES = dict.fromkeys(
    ("tagging_f1", "f1_by_distance", "gain_by_class", "tuning_over_rotation", "separation_by_distance"),
    ("all",),
)
# Of languages from English (sections 5.2 and 5.3; by section 5.1 Turkish is distant, in which rotation gains most).
PUBLISHED = {
    **dict.fromkeys(("de", "nl", "es", "it"), "close"),
    **dict.fromkeys(("hy", "hi", "tr"), "moderate"),
    "th": "distant",
}
Place = tuple[str, str]  # task, target
Means = Mapping[tuple[str, int], Mapping[Place, float]]  # of a system and seed


def evidence(cells: Sequence[Cell], inputs: Mapping[str, list[Path]]) -> dict[tuple[str, str], Evidence]:
    """Return the evidence by measure; `inputs` are none."""
    plain = {(c.task, c.target) for c in cells if c.conditions.get("translated") == "no"}
    far = {(c.task, c.target): read_json(c.score)["distance"] for c in cells if c.system == "distance"}
    classes = classified({place: distance for place, distance in far.items() if place not in plain})
    means: defaultdict[tuple[str, int], dict[Place, float]] = defaultdict(dict)
    found = Evidence("points of F1")
    for cell in (cell for cell in cells if cell.table == "table3"):
        values, place = read_json(cell.score)["per_sentence"], (cell.task, cell.target)
        if place in classes:
            pair = f"{cell.task}.{classes[place]}.{cell.target}"
            found.add(pair, cell.system, cell.seed, numbered(cell.task, values))
        if place in far:
            means[cell.system, cell.seed][place] = float(np.mean(values))
    classed = {
        key: {place: mean for place, mean in each.items() if place in classes} for key, each in means.items()
    }
    every = {
        "tagging_f1": found,
        "f1_by_distance": by_distance(classed, far),
        "gain_by_class": by_class(classed, classes),
        "tuning_over_rotation": by_kind_of_data(means, plain),
    }
    unable = unable_taggers(cells, FLOORS, lambda cell: (cell.task, cell.target))
    withhold_unable(every, unable, classes, plain)
    every["separation_by_distance"] = separation(cells, far)
    return {(measure, "all"): one for measure, one in every.items()}


def withhold_unable(
    every: Mapping[str, Evidence],
    lost: Mapping[tuple[str, str, str], str],
    classes: Mapping[Place, str],
    plain: AbstractSet[Place],
) -> None:
    """Withhold the systems that are `lost`, and the means and correlations over targets of which one is lost."""
    gone: dict[str, dict[tuple[str, str], str]] = {name: {} for name in every}
    systems = {system for of in every["tagging_f1"].values.values() for system in of}
    for (task, target, system), reason in lost.items():
        told, is_plain = f"({system} {reason})", (task, target) in plain
        if system in (*TUNED, *ROTATED):
            gone["tuning_over_rotation"]["all", f"{task}_untranslated" if is_plain else task] = told
        if distance := classes.get((task, target)):
            gone["tagging_f1"][f"{task}.{distance}.{target}", system] = reason
            gone["f1_by_distance"][task, system] = reason
            for name, both in compared(systems).items():
                if system in both:
                    gone["gain_by_class"][task, f"{name}@{distance}"] = told
    for name, found in every.items():
        withhold(found, gone[name])


def classified(far: Mapping[Place, float]) -> dict[Place, str]:
    """Return the class of each target (`language` or `language_set`): the paper's, or by distance."""
    found: dict[Place, str] = {}
    for task in {task for task, _ in far}:
        places = sorted((place for place in far if place[0] == task), key=far.__getitem__)
        spoken = {place: place[1].partition("_")[0] for place in places}
        if PUBLISHED.keys() >= set(spoken.values()):
            found |= {place: PUBLISHED[language] for place, language in spoken.items()}
        elif len(places) > 1:
            found |= dict.fromkeys(places, "moderate") | {places[0]: "close", places[-1]: "distant"}
    return found


def by_distance(means: Means, far: Mapping[Place, float]) -> Evidence:
    """Return Spearman's rho of a system's F1 and the distance, over the targets of a task, which is the pair."""
    found = Evidence("Spearman's rho", bounds=(-1, 1))
    for (system, seed), values in means.items():
        for task in {task for task, _ in values}:
            places = sorted(place for place in values if place[0] == task)
            scores = np.array([round(values[place], 6) for place in places])
            rho = of_rank_correlation(np.array([far[place] for place in places]), scores)
            if rho is not None:
                found.add(task, system, seed, dict(zip(places, rho.tolist(), strict=True)))
    return found


def by_class(means: Means, classes: Mapping[Place, str]) -> Evidence:
    """Return by task the improvement of `system@class` on the baseline, in the mean over the targets of a class.

    `centring_dict@class` and `centring_parallel@class` are a centred rotation's on the same without centring.
    """
    found = Evidence("points of F1")
    for name, (system, base) in compared(system for system, _ in means).items():
        for seed in (seed for other, seed in means if other == system):
            values, less = means[system, seed], means.get((base, seed), {})
            gains: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
            for place in sorted(values.keys() & less.keys()):
                gains[place[0], classes[place]].append(values[place] - less[place])
            for (task, distance), each in gains.items():
                found.add(task, f"{name}@{distance}", seed, {(task, "all"): float(np.mean(each))})
    return found


def compared(systems: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return the system and the base of each gain."""
    found = {system: (system, BASELINE) for system in systems if system != BASELINE}
    of_centring = {
        f"centring_{data}": (f"norm_rotate_{data}", f"rotate_{data}") for data in ("dict", "parallel")
    }
    return found | of_centring


def by_kind_of_data(means: Means, plain: AbstractSet[Place]) -> Evidence:
    """Return F1 of fine-tuning less F1 of rotation in one pair, `all`: `ner`, `slots`, `slots_untranslated`."""
    found = Evidence("points of F1", differences=True)
    for seed in sorted({seed for _, seed in means}):
        sides = [[means.get((name, seed), {}) for name in names] for names in (TUNED, ROTATED)]
        kinds: defaultdict[str, list[float]] = defaultdict(list)
        for place in sorted(set.intersection(*(set(each) for side in sides for each in side))):
            tuned, rotated = (np.mean([each[place] for each in side]) for side in sides)
            kinds[f"{place[0]}_untranslated" if place in plain else place[0]].append(float(tuned - rotated))
        for kind, values in kinds.items():
            found.add("all", kind, seed, {("all", "targets"): float(np.mean(values))})
    return found


def separation(cells: Sequence[Cell], far: Mapping[Place, float]) -> Evidence:
    """Return Spearman's rho of the separation of languages in the encoder and their distance, by target language."""
    found = Evidence("Spearman's rho", bounds=(-1, 1))
    values: defaultdict[int, dict[str, tuple[float, float]]] = defaultdict(dict)
    for cell in (cell for cell in cells if cell.system == "separation"):
        apart = read_json(cell.score)["separation"]
        values[cell.seed].setdefault(cell.score, (far[cell.task, cell.target], apart))
    for seed, by_pair in values.items():
        rho = of_rank_correlation(*np.array(list(by_pair.values())).T)
        if rho is not None:
            found.add("all", BASELINE, seed, numbered("all", rho))
    return found
