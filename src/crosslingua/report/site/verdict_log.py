"""The log of verdicts: a line for each verdict of a committed scale, and one more whenever the verdict changes."""

import csv
from collections.abc import Iterable, Mapping
from datetime import date
from io import StringIO
from pathlib import Path
from typing import Any

from crosslingua.io.atomic import atomic_open
from crosslingua.io.decode import CsvRecords

COLUMNS = (
    "date",
    "scale",
    "paper",
    "claim",
    "verdict",
    "effect",
    "ci_low",
    "ci_high",
    "n_seeds",
    "code_version",
)


def read_log(path: Path) -> list[dict[str, str]]:
    """Return the lines of a log, oldest first; none where there is no file."""
    return list(CsvRecords(path)) if path.is_file() else []


def append(path: Path, scale: str, claims: Iterable[Mapping[str, Any]], code_version: str) -> int:
    """Append the claims of a scale whose verdicts are new or have changed; return their number. Earlier lines stay.

    `claims` are rows of claims.csv. New lines have the date of today.
    """
    log = read_log(path)
    last = {(line["scale"], line["claim"]): line["verdict"] for line in log}
    lines = [
        {"date": date.today().isoformat(), "scale": scale, "code_version": code_version}
        | {name: claim.get(name) or "" for name in COLUMNS[2:-1]}
        for claim in claims
        if last.get((scale, claim["claim"])) != claim["verdict"]
    ]
    if lines:
        text = StringIO(newline="")
        writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows([*log, *lines])
        with atomic_open(path) as stream:
            stream.write(text.getvalue())
    return len(lines)


def histories(log: Iterable[Mapping[str, str]]) -> dict[tuple[str, str], list[Mapping[str, str]]]:
    """Return the lines of each paper and claim, newest first: papers by name, claims of one as the log has them."""
    found: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    for line in log:
        found.setdefault((line["paper"], line["claim"]), []).insert(0, line)
    return dict(sorted(found.items(), key=lambda item: item[0][0]))
