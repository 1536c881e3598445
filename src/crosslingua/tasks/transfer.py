"""Transfer of align_mlm's encoders: the scores of one encoder as metrics rows, and sentence by sentence for claims.

An encoder's scores lie in one folder: TASK.supervised.json (trained and tested on the derived language) and
TASK.zero_shot.json (trained on the natural one) of score_tags.py or score_classes.py, and alignment.json of
score_embedding_alignment.py. What is not there is left out, but one of the first two needs the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from crosslingua.errors import InputError
from crosslingua.io.json import read_json
from crosslingua.metrics import Row, process_cost

TASKS = {"nli": "accuracy", "ner": "f1", "pos": "f1"}  # task -> its score (App. G and the authors' code)
# Points above the accuracy of always giving the most frequent class, up to which a task is not learnt: transfer could
# lose hardly more than that, however bad.
MARGIN = 10.0
TABLES = {"parallel": "table1", "overlap": "table7"}  # what an ablation changes -> its table


def is_learnt(supervised: Sequence[float], majority: float | None) -> bool:
    """Whether a derived language's task was learnt: supervised scores are, in their mean, well above `majority`.

    That is the accuracy of always giving the most frequent class; None for tagging, where no answer is as cheap.
    """
    return majority is None or mean(supervised) > majority + MARGIN


@dataclass(frozen=True)
class Scored:
    """An encoder's folder of scores: its system, its transformation, its seed."""

    folder: Path
    system: str
    target: str
    seed: int
    config_hash: str


def table_of(system: str, target: str) -> str:
    """Return the table of a system: 1 for xlm_parallel_10, 2 or 5 for dict_mlm_dictionary_50, 7 for xlm_overlap_25."""
    factor = system.split("_")[-2:-1]
    if factor == ["dictionary"]:
        return "table5" if target == "trans_syn" else "table2"
    return TABLES.get("".join(factor), "table3")


def rows_of(scored: Scored, source: str, scale: str) -> list[Row]:
    """Return the metrics rows of one encoder. Raises InputError when there is none, or a score lacks its pair."""
    rows: list[Row] = []
    for task, supervised, zero_shot in _transfers(scored):
        score = TASKS[task]
        cells = {"supervised": supervised[score], "zero_shot": zero_shot[score]}
        cells["delta"] = cells["supervised"] - cells["zero_shot"]
        number = len(supervised["per_sentence"])
        rows += [
            _row(scored, task, metric, value, number, supervised["signature"], source, scale)
            for metric, value in cells.items()
        ]
        if "majority" in supervised:
            values = ("majority", supervised["majority"], number, supervised["signature"])
            rows.append(_row(scored, task, *values, source, scale))
    path = scored.folder / "alignment.json"
    if path.is_file():
        found = read_json(path)
        what = ("embedding_alignment", "alignment", found["alignment"], found["tokens"], found["signature"])
        rows.append(_row(scored, *what, source, scale))
    if not rows:
        raise InputError(scored.folder, "holds no scores", remedy=f"score {', '.join(TASKS)} into it")
    return rows


def items_of(scored: Scored) -> dict[str, Any]:
    """Return what claims are tested on: the scores sentence by sentence, and the alignment (None without)."""
    path = scored.folder / "alignment.json"
    return {
        "system": scored.system,
        "target": scored.target,
        "seed": scored.seed,
        "alignment": read_json(path)["alignment"] if path.is_file() else None,
        "tasks": {
            task: {
                "supervised": supervised["per_sentence"],
                "zero_shot": zero_shot["per_sentence"],
                "majority": supervised.get("majority"),
            }
            for task, supervised, zero_shot in _transfers(scored)
        },
    }


def _transfers(scored: Scored) -> Iterator[tuple[str, dict, dict]]:
    """Yield (task, supervised, zero-shot scores) of each task that was scored."""
    for task in TASKS:
        paths = [scored.folder / f"{task}.{kind}.json" for kind in ("supervised", "zero_shot")]
        if not any(path.is_file() for path in paths):
            continue
        supervised, zero_shot = map(read_json, paths)
        if len(supervised["per_sentence"]) != len(zero_shot["per_sentence"]):
            raise InputError(paths[1], f"other sentences were scored than in {paths[0]}")
        yield task, supervised, zero_shot


def _row(
    scored: Scored, task: str, metric: str, value: float, n: int, signature: str, source: str, scale: str
) -> Row:
    seconds, peak_mb = process_cost()
    table = "table8" if metric == "alignment" else table_of(scored.system, scored.target)
    return Row(
        "align_mlm", table, scored.system, task, source, scored.target, metric, value, scored.seed, n, scale,
        signature, scored.config_hash, seconds=seconds, peak_mb=peak_mb,
    )  # fmt: skip
