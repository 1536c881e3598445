"""Read a file of claims (reference/<paper>_claims.yaml): its statements, each with the comparisons that test it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crosslingua.config import check, load_schema, load_yaml
from crosslingua.errors import ConfigError, InputError

MIN_SEEDS = 3  # of a verdict


@dataclass(frozen=True, order=True)
class Comparison:
    """`system` against `over`, or the value of `system` alone where `over` is None."""

    system: str
    over: str | None = None

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems that it needs."""
        return (self.system,) if self.over is None else (self.system, self.over)

    def __str__(self) -> str:
        return self.system if self.over is None else f"{self.system} - {self.over}"


@dataclass(frozen=True)
class Region:
    """The effects for which a statement is true: all above `above`, or all below `below`."""

    above: float | None = None
    below: float | None = None

    def slack(self, low: float, high: float) -> float:
        """How far the interval's worse end lies inside the region (negative: outside)."""
        return low - self.above if self.above is not None else self.below - high

    def __str__(self) -> str:
        return f"> {self.above:g}" if self.above is not None else f"< {self.below:g}"


@dataclass(frozen=True)
class Claim:
    """One statement; schemas/claims.schema.yaml says what each field holds."""

    claim: str
    paper: str
    source: str
    statement: str
    test: str
    measure: str
    comparisons: tuple[Comparison, ...]
    holds: Region
    words: str = "all"
    pairs: str = "mean"
    tested_on: tuple[str, ...] = ()
    needs: frozenset[str] = field(default_factory=frozenset)
    reading: str = ""
    min_seeds: int = MIN_SEEDS


def read_claims(path: str | Path, schema: str | Path) -> list[Claim]:
    """Read and check a file of claims. Raises InputError where it does not follow `schema` or repeats a name."""
    content = load_yaml(path)
    try:
        check(content, load_schema(schema))
    except ConfigError as error:
        raise InputError(path, str(error).replace("the configuration is", "the claims are", 1)) from None
    claims = [_claim(content, entry) for entry in content["claims"]]
    names = [claim.claim for claim in claims]
    for name in names:
        if names.count(name) > 1:
            raise InputError(path, f"two claims are called {name!r}", remedy="rename one")
    return claims


def _claim(content: Mapping[str, Any], entry: Mapping[str, Any]) -> Claim:
    comparisons = [
        Comparison(system, over)
        for part in entry["comparisons"]
        for system in part["of"]
        for over in part.get("over", [None])
    ]
    return Claim(
        **entry
        | {
            "paper": content["paper"],
            "min_seeds": content.get("min_seeds", MIN_SEEDS),
            "comparisons": tuple(dict.fromkeys(comparisons)),
            "holds": Region(**entry["holds"]),
            "tested_on": tuple(entry.get("tested_on", [])),
            "needs": frozenset(entry.get("needs", [])),
        }
    )
