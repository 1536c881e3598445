"""Who takes part in verdicts: a trained system that, in the language of training, beats its controls.

Controls are random vectors or weights, the most frequent answer, the best reader without an encoder that is trained on
the same data (tasks/shortcuts.py), and of word alignment the diagonal.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, TypeVarTuple

from crosslingua.cells import Cell
from crosslingua.evidence.evidence import Evidence
from crosslingua.io.json import read_json
from crosslingua.statistics.interval import beats

Place = tuple[str, str]  # pair, system
Where = TypeVarTuple("Where")  # names of a place, before the system's
SHORTCUT, LINEAR = "shortcut", "linear"
SOURCE = "source"  # the table of the scores in the language of training
UPPER = "target_language"  # the upper line: trained on the target's own data
NAMES = {
    "majority": "the most frequent answer", "random": "random vectors", "random_vectors": "random vectors",
    "same_spelling": "random vectors of spellings", "untrained": "random weights", SHORTCUT: "the best shortcut",
    LINEAR: "the linear control", "diagonal": "the diagonal",
}  # fmt: skip


def below(scores: Sequence[float], controls: Mapping[str, Sequence[float]]) -> str:
    """Return why a system with these runs is not compared, or "": it does not beat a control; the best is named."""
    ahead = {name: fmean(runs) for name, runs in controls.items() if runs and not beats(scores, runs)}
    return f"does not beat {NAMES[max(ahead, key=ahead.__getitem__)]}" if ahead else ""


def not_above(
    runs: Mapping[tuple[*Where, str], Sequence[float]],
    controls: Mapping[tuple[*Where], Mapping[str, Sequence[float]]],
    floors: Collection[str],
) -> dict[tuple[*Where, str], str]:
    """Return why (*place, system) takes part in no comparison: the `runs` of these that do not beat a control.

    A place has the `controls` that are given, and the runs of systems that are `floors`.
    """
    every = defaultdict(dict, {place: dict(own) for place, own in controls.items()})
    for (*place, system), values in runs.items():
        if system in floors:
            every[*place,][system] = values
    trained = {key: values for key, values in runs.items() if key[-1] not in floors}
    reasons = {key: below(values, every[key[:-1]]) for key, values in trained.items()}
    return {key: reason for key, reason in reasons.items() if reason}


def unable_taggers(
    cells: Iterable[Cell], floors: Collection[str], place: Callable[[Cell], tuple[*Where]]
) -> dict[tuple[*Where, str], str]:
    """Return why (*place, system) takes part in no comparison: its F1 in its training language does not beat a control.

    These are the cells of table `source`, or, of the upper line, the shortcut that is trained on the target's data.
    """
    runs, controls, upper = defaultdict(list), defaultdict(dict), defaultdict(dict)
    for cell in (one for one in cells if one.table == SOURCE or one.system == UPPER):
        score, where = read_json(cell.score), place(cell)
        (upper if cell.system == UPPER else controls)[where] |= shortcut_of(score, "f1")
        runs[*where, cell.system].append(score["f1"])
    above = {key: runs.pop(key) for key in [*runs] if key[-1] == UPPER}
    return not_above(runs, controls, floors) | not_above(above, upper, ())


def shortcut_of(score: Mapping[str, Any], key: str) -> dict[str, list[float]]:
    """Return the shortcut's score `key` of a file of scores as a control's runs; nothing where it has none."""
    reader = LINEAR if score.get(SHORTCUT) == LINEAR else SHORTCUT
    return {reader: [score[f"{SHORTCUT}_{key}"]]} if f"{SHORTCUT}_{key}" in score else {}


def withhold(
    found: Evidence, lost: Mapping[Place, str], made_of: Mapping[str, Collection[str]] | None = None
) -> None:
    """Withhold the systems that are `lost`, by pair and system the reason, and what is made of them, by its name."""
    found.controlled = True
    for (pair, system), reason in lost.items():
        if pair in found.values:
            found.withhold(pair, system, reason)
            for name in (name for name, parts in (made_of or {}).items() if system in parts):
                found.withhold(pair, name, f"({system} {reason})")
