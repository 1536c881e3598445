"""Files of evidence: what one paper's verdicts rest on, value by value, so that anybody can judge again.

A file is gzip-compressed JSON. Its items have numbers in place of words, since words may be of licensed text; the order
of numbers is that of the words. An item of several pairs, systems and seeds has one number. A list of items is written
as the first number and the steps from one number to the next.

    {"paper": ..., "scale": ..., "text": ..., "runs": {seed: run}, "planned": [...], "strategies": {system: strategy},
     "unsupervised": [systems], "stand_ins": {published encoder: the one in its place}, "items": [[steps], ...],
     "evidence": [
      {"measure": ..., "words": ..., "unit": ..., "bounds": [least, greatest], "true": [names of fields],
       "failed": [[pair, system, seed], ...], "withheld": [[pair, system, reason], ...],
       "values": {pair: {system: {seed: [place in items, [values]]}}}}, ...]}
"""

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from math import inf, isinf
from pathlib import Path
from typing import Any

from crosslingua.errors import InputError
from crosslingua.evidence.evidence import Evidence
from crosslingua.io.atomic import atomic_open
from crosslingua.io.decode import open_source

MADE_BY = "make the file again: crosslingua judge-claims"


@dataclass(frozen=True)
class Recorded:
    """What the verdicts of a `paper` at a `scale` rest on: `evidence` by (measure, words), and what judging needs.

    `text` is generated or real. `runs` is the encoder training of each seed, and `planned` the numbers of seeds
    of planned analyses. The answer needs the strategy of each system and the systems that work `unsupervised`.
    `stand_ins` are encoders of this scale by the published ones that they stand for in statements.
    """

    paper: str
    scale: str
    text: str
    evidence: Mapping[tuple[str, str], Evidence]
    runs: Mapping[int, int] = field(default_factory=dict)
    planned: Sequence[int] = ()
    strategies: Mapping[str, str] = field(default_factory=dict)
    unsupervised: Sequence[str] = ()
    stand_ins: Mapping[str, str] = field(default_factory=dict)


NAMED = ("paper", "scale", "text", "planned", "strategies", "unsupervised")  # written as they are


def write_evidence(path: str | Path, recorded: Recorded) -> None:
    """Write the evidence of a paper. Equal evidence makes equal bytes."""
    runs = (
        values
        for one in recorded.evidence.values()
        for systems in one.values.values()
        for seeds in systems.values()
        for values in seeds.values()
    )
    numbers = {item: number for number, item in enumerate(sorted(set().union(*runs)))}
    lists: dict[tuple[int, ...], int] = {}  # the numbers of a run's items, and their place in the file
    evidence = [_content(key, one, numbers, lists) for key, one in recorded.evidence.items()]
    content = {name: getattr(recorded, name) for name in NAMED}
    content |= {"stand_ins": dict(recorded.stand_ins)} if recorded.stand_ins else {}
    content |= {"runs": dict(recorded.runs), "items": [_steps(each) for each in lists], "evidence": evidence}
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    with atomic_open(path, "wb") as stream, gzip.GzipFile("", "wb", 6, stream, mtime=0) as packed:
        packed.write(text.encode())


def _steps(numbers: Sequence[int]) -> list[int]:
    return [*numbers[:1], *(after - before for before, after in pairwise(numbers))]


def _content(
    key: tuple[str, str], one: Evidence, numbers: Mapping[Any, int], lists: dict[tuple[int, ...], int]
) -> dict[str, Any]:
    def written(values: Mapping[Any, float]) -> list[Any]:
        place = lists.setdefault(tuple(numbers[item] for item in values), len(lists))
        return [
            place,
            [int(value) if float(value).is_integer() else float(value) for value in values.values()],
        ]

    return {
        "measure": key[0],
        "words": key[1],
        "unit": one.unit,
        "bounds": [None if isinf(bound) else bound for bound in one.bounds],
        "true": [name for name, value in vars(one).items() if value is True],
        "failed": one.failed,
        "withheld": [[*place, reason] for place, reason in one.withheld.items()],
        "values": {
            pair: {
                system: {seed: written(values) for seed, values in seeds.items()}
                for system, seeds in systems.items()
            }
            for pair, systems in one.values.items()
        },
    }


def read_evidence(path: str | Path) -> Recorded:
    """Read a file of `write_evidence`; items are numbers. Raises InputError for another file."""
    with open_source(path) as stream:
        text = stream.read()
    try:
        content = json.loads(text)
        items = [list(accumulate(steps)) for steps in content["items"]]
        evidence = {(one["measure"], one["words"]): _evidence(one, items) for one in content["evidence"]}
        runs = {int(seed): run for seed, run in content["runs"].items()}
        named = {name: content[name] for name in NAMED} | {"stand_ins": content.get("stand_ins", {})}
        return Recorded(evidence=evidence, runs=runs, **named)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise InputError(path, f"not a file of evidence: {error!r:.80}", remedy=MADE_BY) from None


def _evidence(content: Mapping[str, Any], items: Sequence[Sequence[int]]) -> Evidence:
    least, greatest = content["bounds"]
    found = Evidence(
        content["unit"],
        bounds=(-inf if least is None else least, inf if greatest is None else greatest),
        failed=[(pair, system, seed) for pair, system, seed in content["failed"]],
        withheld={(pair, system): reason for pair, system, reason in content["withheld"]},
        **dict.fromkeys(content["true"], True),
    )
    for pair, systems in content["values"].items():
        found.values[pair] = {
            system: {
                int(seed): dict(zip(items[place], map(float, values), strict=True))
                for seed, (place, values) in seeds.items()
            }
            for system, seeds in systems.items()
        }
    return found
