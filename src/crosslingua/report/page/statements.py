"""Statements on the page: verdicts in words, what is known elsewhere, and which verdicts turn round on real text."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crosslingua.claims.verdict import IN_WORDS
from crosslingua.io.decode import CsvRecords
from crosslingua.io.json import read_json

COMMITTED = ("demo", "full", "real")  # scales whose results may be committed, the largest last
REAL_SCALES = ("real",)  # of them
LIKENESS = (
    "Likeness to the paper's experiment: A, real text and a learnt model, with three seeds or more; B, the generated "
    "world and a learnt model; C, the rest."
)
# What older files of claims lack, and a file of verdicts alone.
LACKING = {
    **dict.fromkeys(
        ("source", "test", "reading", "region", "falsified_by", "unit", "reason", "likeness_why"), ""
    ),
    **dict.fromkeys(("effect", "ci_low", "ci_high", "mde", "settle_seeds", "settle_items", "n_seeds")),
    **dict.fromkeys(("holds", "fails", "open"), 0),
    **dict.fromkeys(("comparisons", "seeds", "not_run", "not_compared"), ()),
    "decisive": {"comparison": "", "pair": ""},
    "failures": {},
    "likeness": "",
    "size": "",
    "looks": 1,
}
FLOATS = ("effect", "ci_low", "ci_high", "mde")
WHOLE = ("n_seeds", "looks", "settle_seeds", "settle_items", "holds", "fails", "open")
SIZES = {
    "relevant": "by a relevant amount",
    "negligible": "by less than the smallest effect",
    "open": "by an amount that is open",
}
SIDES = {"reproduced": 1, "contradicted": -1}


@dataclass(frozen=True)
class KnownResults:
    """What is known at a scale: claims by name, as `read_verdicts` returns them, and the answer, if there is one."""

    scale: str
    claims: Mapping[str, Mapping[str, Any]]
    answer: Mapping[str, Any] | None = None
    generated: bool = True


def completed(claim: Mapping[str, Any]) -> dict[str, Any]:
    """Return a judged claim with every key that the page reads."""
    return LACKING | claim


def read_verdicts(path: str | Path) -> list[dict[str, Any]]:
    """Return the rows of a claims.csv, older ones too, as judged claims."""
    kinds = dict.fromkeys(FLOATS, float) | dict.fromkeys(WHOLE, int)
    return [
        completed({name: kinds.get(name, str)(text) for name, text in record.items() if text})
        for record in CsvRecords(path)
    ]


def committed(folder: str | Path | None, but: str) -> list[KnownResults]:
    """Return what is known at the scales whose results are committed in `folder`, `but` for one."""
    found = []
    for scale in COMMITTED if folder else ():
        claims, answer = (Path(folder, scale, name) for name in ("claims.csv", "answer.json"))
        if scale != but and claims.is_file():
            told = read_json(answer, dict) if answer.is_file() else None
            found.append(KnownResults(scale, _by_name(claims), told, scale not in REAL_SCALES))
    return found


def _by_name(path: str | Path) -> dict[str, dict[str, Any]]:
    return {claim["claim"]: claim for claim in read_verdicts(path)}


def in_words(verdict: str, generated: bool) -> str:
    """Return a verdict as the page says it."""
    said = IN_WORDS.get(verdict, verdict)
    return f"{said} in the generated world" if generated and verdict == "reproduced" else said


def occurring(claims: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the verdicts that some of `claims` have, in the order of the page."""
    there = {claim["verdict"] for claim in claims}
    return [verdict for verdict in IN_WORDS if verdict in there]


def counted(claim: Mapping[str, Any]) -> str:
    """Say how many comparisons hold, where there are several, and of an order by how much; of what is too small, how
    many seeds a test takes.
    """
    if claim["verdict"] == "too_small" and claim["settle_seeds"]:
        return f"a test takes {claim['settle_seeds']} seeds"
    number = claim["holds"] + claim["fails"] + claim["open"]
    said = [f"{claim['holds']} of {number} comparisons hold"] if number > 1 else []
    said += [SIZES[claim["size"]]] if claim["verdict"] == "reproduced" and claim["size"] in SIZES else []
    return "; ".join(said)


def failed(claim: Mapping[str, Any]) -> list[str]:
    """Say of each system of which runs failed how often, with the 95 % interval of the rate."""
    return [
        f"{name}: {each['failed']} of {each['runs']} runs failed ({each['low']:.0f} to {each['high']:.0f} %)"
        for name, each in claim["failures"].items()
        if each["failed"]
    ]


def turned(
    judged: Sequence[Mapping[str, Any]], elsewhere: Iterable[KnownResults]
) -> tuple[int, list[Mapping[str, Any]]] | None:
    """Return how many of `judged` are decided on real text too, and those whose verdict is the other one there."""
    real = next((each.claims for each in elsewhere if not each.generated), {})
    both = [
        (claim, SIDES[claim["verdict"]] * SIDES[known["verdict"]])
        for claim in judged
        if (known := real.get(claim["claim"])) and {claim["verdict"], known["verdict"]} <= SIDES.keys()
    ]
    return (len(both), [claim for claim, sign in both if sign < 0]) if both else None
