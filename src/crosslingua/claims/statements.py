"""Read a file of claims (reference/<paper>_claims.yaml): its statements, each with the comparisons that test it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crosslingua.config import check, load_schema
from crosslingua.errors import ConfigError, InputError, did_you_mean
from crosslingua.evidence.evidence import renamed
from crosslingua.io.json import read_yaml

MIN_SEEDS = 3  # of a verdict
SMALLEST = "smallest_effect"  # the threshold of statements without a number
SMALLEST_EFFECTS = "smallest_effects.yaml"  # beside the files of claims


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

    @property
    def complement(self) -> str:
        """The effects for which the statement is false."""
        return f"{self.above:g} or less" if self.above is not None else f"{self.below:g} or more"

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
    encoders: bool = False
    failed_runs: str = ""
    threshold: str | Mapping[str, Any] = ""
    smallest: float = 0.0  # effect of interest, of its measure

    @property
    def is_order(self) -> bool:
        """Whether it claims an order without a number: `holds` begins at the smallest effect, the order at 0."""
        above, below = self.holds.above, self.holds.below
        return self.threshold == SMALLEST and ((above or 0.0) > 0 or (below or 0.0) < 0)

    @property
    def region(self) -> Region:
        """The effects for which it is true, of an order however small."""
        if not self.is_order:
            return self.holds
        return Region(above=0.0) if self.holds.above is not None else Region(below=0.0)

    @property
    def printed(self) -> float | None:
        """The difference that the paper prints, if the statement is tested by it."""
        return self.threshold.get("printed") if isinstance(self.threshold, Mapping) else None

    @property
    def is_too_small(self) -> bool:
        """Whether the paper's own difference is below the smallest effect of interest."""
        return self.printed is not None and self.printed < self.smallest

    @property
    def printed_distance(self) -> float:
        """How far the paper's own difference lies from the edge of the region, which is half of it."""
        return (self.printed or 0.0) / 2

    @property
    def counts_failures(self) -> bool:
        """Whether runs that failed count with what they measured, as they do where nothing is said."""
        return self.failed_runs != "left_out"

    @property
    def falsified_by(self) -> str:
        """A sentence: which result would contradict the statement."""
        where = "in the mean over pairs" if self.pairs == "mean" else "in any pair"
        number = len(self.comparisons)
        which = "" if number == 1 else f" of one of the {number} comparisons, none of which holds,"
        return f"Contradicted by an interval{which} that is wholly {self.region.complement}, {where}."


Measures = Mapping[str, Sequence[str]]  # {measure: the choices of words that it knows}


def read_claims(
    path: str | Path,
    schema: str | Path,
    measures: Measures | None = None,
    paper: str = "",
    stand_ins: Mapping[str, str] | None = None,
) -> list[Claim]:
    """Read and check a file of claims, against `measures` too where they are given (of the paper's claims.py).

    Comparisons name the systems of `stand_ins` in place of the paper's encoders: {paper's encoder: its stand-in}.

    Raises InputError where it does not follow `schema`, is of another `paper`, repeats a name, or names what is not
    known.
    """
    content = read_yaml(path)
    try:
        check(content, load_schema(schema), [path])
    except ConfigError as error:
        raise InputError(path, str(error).replace("the configuration is", "the claims are", 1)) from None
    if paper and content["paper"] != paper:
        raise InputError(path, f"holds claims of {content['paper']}, not of {paper}")
    beside = Path(path).with_name(SMALLEST_EFFECTS)
    effects = read_yaml(beside).get(content["paper"], {}) if beside.is_file() else {}
    claims = [_claim(content, entry, effects, stand_ins or {}) for entry in content["claims"]]
    names = [claim.claim for claim in claims]
    for name in names:
        if names.count(name) > 1:
            raise InputError(path, f"two claims are called {name!r}", remedy="rename one")
    for claim in claims if measures is not None else ():
        _check_measure(path, claim, measures)
    return claims


def _check_measure(path: str | Path, claim: Claim, measures: Measures) -> None:
    words = measures.get(claim.measure, ())
    for key, name, known in (("measure", claim.measure, measures), ("words", claim.words, words)):
        if name not in known:
            which = f"none of {', '.join(known)}{did_you_mean(name, known)}"
            raise InputError(path, f"{claim.claim}: {key} {name!r} is {which}")


def _claim(
    content: Mapping[str, Any],
    entry: Mapping[str, Any],
    effects: Mapping[str, float],
    stand_ins: Mapping[str, str],
) -> Claim:
    comparisons = [
        Comparison(renamed(system, stand_ins), over and renamed(over, stand_ins))
        for part in entry["comparisons"]
        for system in part["of"]
        for over in part.get("over", [None])
    ]
    made = {
        "paper": content["paper"],
        "comparisons": tuple(dict.fromkeys(comparisons)),
        "holds": Region(**entry["holds"]),
        "tested_on": tuple(entry.get("tested_on", [])),
        "needs": frozenset(renamed(system, stand_ins) for system in entry.get("needs", [])),
        "smallest": effects.get(entry["measure"], 0.0),
    }
    common = {key: content[key] for key in ("encoders", "threshold") if key in content}
    return Claim(**common | entry | made)
