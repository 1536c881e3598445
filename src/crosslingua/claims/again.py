"""Judge what a file of evidence holds, and compare committed verdicts with those that their evidence gives now."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from crosslingua.claims.files import row
from crosslingua.claims.statements import read_claims
from crosslingua.claims.verdict import Judgement, LeftOut, judge_all
from crosslingua.evidence.files import Recorded

Results = list[Judgement | LeftOut]
COMPARED = ("verdict", "effect", "ci_low", "ci_high")  # columns of claims.csv


def judge_recorded(
    recorded: Recorded, paper: ModuleType, statements: str | Path, schema: str | Path
) -> tuple[Results, Mapping[str, Any] | None]:
    """Return the judged statements of a file, and the answer of a paper (its claims.py) that gives one.

    Raises InputError for a file of statements that `read_claims` refuses.
    """
    claims = read_claims(statements, schema, paper.MEASURES, recorded.paper, recorded.stand_ins)
    results = judge_all(claims, recorded.evidence, recorded.runs, recorded.planned, recorded.text)
    if not recorded.strategies:
        return results, None
    return results, paper.answer(recorded.evidence, recorded.unsupervised, recorded.strategies)


def counts(results: Results) -> str:
    """Say how many statements have each verdict."""
    verdicts = Counter(one.verdict for one in results if isinstance(one, Judgement))
    left_out = sum(isinstance(one, LeftOut) for one in results)
    parts = [f"{number} {verdict}" for verdict, number in verdicts.most_common()]
    return ", ".join(parts + [f"{left_out} not tested"] * bool(left_out))


def differences(
    results: Results, committed: Sequence[Mapping[str, str]]
) -> dict[str, dict[str, tuple[str, str]]]:
    """Return the statements that a paper's rows of a claims.csv (`committed`) tell otherwise: name -> column -> the
    committed text and that of `results`. A statement that only one of both has differs in its verdict.
    """
    now = {
        found["claim"]: {name: "" if found[name] is None else str(found[name]) for name in COMPARED}
        for found in (row(one) for one in results if isinstance(one, Judgement))
    }
    before = {found["claim"]: {name: found[name] for name in COMPARED} for found in committed}
    none = dict.fromkeys(COMPARED, "")
    both = {name: (before.get(name, none), now.get(name, none)) for name in {**before, **now}}
    return {
        name: {column: (old[column], new[column]) for column in COMPARED if old[column] != new[column]}
        for name, (old, new) in both.items()
        if old != new
    }
