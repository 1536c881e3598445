"""Files of judged claims: claims.csv, a row a claim, and claims.json with every comparison and the answer."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from crosslingua.claims.verdict import FAILS, HOLDS, OPEN, Judgement, LeftOut
from crosslingua.errors import InputError
from crosslingua.io.atomic import atomic_open
from crosslingua.io.decode import CsvRecords
from crosslingua.io.json import read_json, write_json

CLAIM_COLUMNS = (
    "claim", "paper", "statement", "verdict", "effect", "ci_low", "ci_high", "n_seeds", "looks",
    "mde", "settle_seeds", "settle_items", "size", "holds", "fails", "open", "likeness",
)  # fmt: skip
METHOD = (
    "Each statement is a set of comparisons, and the effects for which it is true. The 95 % interval of a comparison "
    "covers test items and training seeds. A comparison holds if its interval lies where the statement puts the "
    "effect. It fails if the interval lies wholly outside, also when widened for the number of comparisons (Holm). Of "
    "an order without a number, the interval has to leave 0, and an interval within the smallest effect of interest is "
    "negligible. Reproduced: all comparisons hold. Contradicted: none holds, and some fail. Mixed: some hold, some "
    "fail. Shown is the comparison that decides, or the open one that needs most seeds. A system that does not beat "
    "its controls in the language of training is not compared. How often runs fail is a second number."
)


FAILED_RUNS = {
    "": "",
    "counted": "A run whose map fails counts with what it measured.",
    "left_out": "Runs whose map fails are left out: the statement is about maps that converge.",
}


def row(judgement: Judgement) -> dict[str, Any]:
    """Return a row of claims.csv; of one seed without interval and `mde`, the effect that 80% of runs would tell."""
    interval, effect = judgement.decisive.interval, judgement.decisive.spread.effect
    detectable, settle = judgement.decisive.detectable, judgement.settle
    return {
        "claim": judgement.claim.claim,
        "paper": judgement.claim.paper,
        "statement": judgement.claim.statement,
        "verdict": judgement.verdict,
        "effect": round(effect, 4),
        "ci_low": round(interval.low, 4) if interval else None,
        "ci_high": round(interval.high, 4) if interval else None,
        "n_seeds": judgement.decisive.spread.seeds,
        "looks": judgement.looks,
        "mde": None if detectable is None else round(detectable, 4),
        "settle_seeds": settle.get("seeds"),
        "settle_items": settle.get("items"),
        "size": judgement.decisive.size,
        **{outcome: judgement.number_of(outcome) for outcome in (HOLDS, FAILS, OPEN)},
        "likeness": judgement.likeness[0],
    }


def write_csv(path: str | Path, results: Sequence[Judgement | LeftOut]) -> None:
    """Write the judged claims; claims that were left out have no verdict, and stand in the details only."""
    _write_rows(path, [row(result) for result in results if isinstance(result, Judgement)])


def _write_rows(path: str | Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with atomic_open(path) as stream:
        writer = csv.DictWriter(stream, CLAIM_COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def write_details(
    path: str | Path, results: Sequence[Judgement | LeftOut], answer: Mapping[str, Any] | None = None
) -> None:
    """Write every claim: how it was tested, all comparisons with their intervals, or why it was left out; and the
    answer to the suite's question, where the paper gives one.
    """
    judged = [_details(result) for result in results if isinstance(result, Judgement)]
    left_out = [
        {name: getattr(result.claim, name) for name in ("claim", "paper", "statement", "source")}
        | {"reason": result.reason}
        for result in results
        if isinstance(result, LeftOut)
    ]
    answered = {"answer": answer} if answer else {}
    write_json(path, {"method": METHOD, "judged": judged, "left_out": left_out, **answered})


JUDGE = "judge a paper's claims first: crosslingua judge-claims"


def merged_rows(parts: Sequence[str | Path]) -> list[dict[str, str]]:
    """Return the rows of several files of `write_csv`, one file after another."""
    records = []
    for part in _existing(parts):
        rows = CsvRecords(part)
        if tuple(rows.fieldnames or ()) != tuple(CLAIM_COLUMNS):
            raise InputError(part, f"columns must be {','.join(CLAIM_COLUMNS)}", line=1, remedy=JUDGE)
        records += rows
    return records


def merge(
    path: str | Path, details_path: str | Path, rows: Sequence[str | Path], details: Sequence[str | Path]
) -> None:
    """Write several files of `write_csv` as one, and several of `write_details`, after all have been read."""
    read = merged_rows(rows), merged_details(_existing(details))
    _write_rows(path, read[0])
    write_json(details_path, read[1])


def merged_details(parts: Iterable[str | Path]) -> dict[str, Any]:
    """Return the claims of several files of `write_details`, and the first answer among them."""
    parts = list(parts)
    contents = [read_json(part, dict) for part in parts]
    for part, content in zip(parts, contents, strict=True):
        for key in ("judged", "left_out"):
            if not isinstance(content[key], list):
                raise InputError(part, f"{key} is no list of claims", remedy=JUDGE)
    lists = {key: [claim for content in contents for claim in content[key]] for key in ("judged", "left_out")}
    answers = [content["answer"] for content in contents if "answer" in content]
    return {"method": METHOD, **lists, **({"answer": answers[0]} if answers else {})}


def _existing(parts: Sequence[str | Path]) -> list[Path]:
    """Return the files that are there: a run may test one paper only. Raises InputError where none is."""
    found = [path for path in map(Path, parts) if path.is_file()]
    if not found:
        raise InputError(parts[0], "no such file, and none of the others", remedy=JUDGE)
    return found


def _details(judgement: Judgement) -> dict[str, Any]:
    claim = judgement.claim
    return row(judgement) | {
        "source": claim.source,
        "test": " ".join(filter(None, (claim.test, FAILED_RUNS[claim.failed_runs]))),
        "reading": claim.reading,
        "region": str(claim.region),
        "smallest_effect": claim.smallest,
        "printed": claim.printed,
        "falsified_by": claim.falsified_by,
        "unit": judgement.unit,
        "likeness_why": judgement.likeness[1],
        "reason": judgement.reason,
        "decisive": judgement.decisive.record(),
        "comparisons": [finding.record() for finding in judgement.findings],
        "seeds": list(judgement.seeds),
        "not_run": list(judgement.missing),
        "not_compared": list(judgement.not_compared),
        "failures": judgement.failures,
    }
