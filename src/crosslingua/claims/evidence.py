"""What claims are tested on: values for (language pair, system), one a seed and item, read from result files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from crosslingua.claims.interval import Grid
from crosslingua.errors import InputError
from crosslingua.io.json import read_json

CONVENTION = {"retrieval": "csls", "oov": "paper"}  # section 4.2; footnote 6
IDENTICAL = {"all": "kept", "different_surface": "dropped"}  # table 1; table 2

# One seed's values by item; an item is (source language, word), so that pairs with one source share their items.
Values = Mapping[tuple[str, str], float]


@dataclass
class Evidence:
    """Values of one measure: language pair -> system -> seed -> item -> value, in `unit`."""

    unit: str
    values: dict[str, dict[str, dict[int, Values]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(dict))
    )

    def add(self, pair: str, system: str, seed: int, values: Values) -> None:
        """Keep one seed's values."""
        self.values[pair][system][seed] = values

    def restricted(self, pairs: Sequence[str]) -> Evidence:
        """Return the evidence on `pairs`, those of them that were measured; on all where `pairs` is empty."""
        if not pairs:
            return self
        part = Evidence(self.unit)
        for pair in pairs:
            if pair in self.values:
                part.values[pair] = self.values[pair]
        return part

    def systems(self) -> set[str]:
        """The systems that every pair has."""
        return set.intersection(*(set(found) for found in self.values.values())) if self.values else set()

    def seeds(self, systems: Sequence[str]) -> list[int]:
        """The seeds that all `systems` have in every pair."""
        return sorted(
            set.intersection(*(set(of[system]) for of in self.values.values() for system in systems))
        )

    def grid(self, pair: str, system: str, over: str | None, seeds: Sequence[int]) -> Grid:
        """Return values (seeds, items) of `system`, less those of `over`, on the items that all of them answered."""
        columns = [self.values[pair][name][seed] for name in (system, over) if name for seed in seeds]
        items = [item for item in columns[0] if all(item in column for column in columns)]
        table = np.array([[column[item] for item in items] for column in columns], dtype=np.float64)
        table = table.reshape(len(columns), len(items))
        return Grid(items, table[: len(seeds)] - table[len(seeds) :] if over else table)


@dataclass(frozen=True)
class Cell:
    """A result file, and what it belongs to (`pair`: source-target.dictionary, or a gold set's name)."""

    path: Path
    pair: str
    system: str
    seed: int


def precision(cells: Iterable[Cell], words: str) -> Evidence:
    """Read P@1 in percent: 100 for a query whose first candidate is right, 0 for another.

    `words` is `all` (table 1) or `different_surface` (table 2); the convention is the paper's. The evidence is
    empty where the cells were not scored under it. Raises InputError where a cell has no ranks.
    """
    found = Evidence("points of P@1")
    for cell in cells:
        for result in _results(cell.path):
            if _follows(result["signature"], words):
                found.add(cell.pair, cell.system, cell.seed, _hits(cell, result["ranks"]))
    return found


def by_sharing(found: Evidence, paths: Iterable[str | Path], *, shared: bool) -> Evidence:
    """Return the part of `found` whose source words are shared before reallocation, or the part where they are not.

    The shared words of each pair and seed come from the files of scripts/measure_similarity.py.
    """
    part = Evidence(found.unit)
    for content in map(read_json, paths):
        pair = content["pair"]
        words = {
            entry["seed"]: {(content["source"], w) for w in entry["words"]}
            for entry in content["shared_sources"]
        }
        for system, seeds in found.values[pair].items():
            for seed, values in seeds.items():
                if seed in words:
                    kept = {item: v for item, v in values.items() if (item in words[seed]) == shared}
                    part.add(pair, system, seed, kept)
    return part


def shared_words(paths: Iterable[str | Path]) -> Evidence:
    """Read the percentage of a joint vocabulary that both languages hold, from `division.json` files.

    `joint` before reallocation, `reallocated` after it; the pair is the name of the file's folder.
    """
    found = Evidence("% of the joint vocabulary")
    for path in map(Path, paths):
        pair = path.parent.name
        for cell in read_json(path):
            for system, sizes in (("joint", cell["sizes_before"]), ("reallocated", cell["sizes"])):
                share = 100 * sizes["shared"] / sum(sizes.values())
                found.add(pair, system, cell["seed"], {(pair, "vocabulary"): share})
    return found


def closeness(paths: Iterable[str | Path], words: str) -> Evidence:
    """Read how much nearer a word is to its translations than to other words, in mean cosine, by stage.

    From the files of scripts/measure_similarity.py; `words` is `all` or `not_shared`.
    """
    found = Evidence("cosine, translations less random pairs")
    for path in paths:
        content = read_json(path)
        for cell in content["cells"]:
            gaps: defaultdict[str, list[float]] = defaultdict(list)
            for pair in cell["pairs"]:
                if words == "all" or not pair["shared"]:
                    gaps[pair["source"]].append(pair["cosine"] - pair["random"])
            values = {(content["source"], word): float(np.mean(gap)) for word, gap in gaps.items()}
            found.add(content["pair"], cell["stage"], cell["seed"], values)
    return found


def alignment_error(cells: Iterable[Cell], deterministic: Iterable[Cell] = ()) -> Evidence:
    """Read the alignment error of files of scripts/score_alignment.py, an item a sentence pair.

    AER is a ratio of sums over sentence pairs, 1 - N / D. A pair with numerator n and denominator d has the value
    AER - (n - (1 - AER) d) / mean(d), in percent: the mean over pairs is AER, and their deviation gives that of the
    ratio to the first order (Särndal et al. 1992, section 5.5). `deterministic` cells count in every seed.
    """
    found = Evidence("points of AER")
    cells = list(cells)
    for cell in cells:
        found.add(cell.pair, cell.system, cell.seed, _linearised(cell))
    for cell in deterministic:
        for seed in {other.seed for other in cells} or {cell.seed}:
            found.add(cell.pair, cell.system, seed, _linearised(cell))
    return found


def _linearised(cell: Cell) -> Values:
    chosen, sure, chosen_sure, chosen_possible = np.array(
        read_json(cell.path)["per_pair"], dtype=np.float64
    ).T
    numerator, denominator = chosen_sure + chosen_possible, chosen + sure
    rate = numerator.sum() / denominator.sum()
    values = 100 * (1 - rate - (numerator - rate * denominator) / denominator.mean())
    return {(cell.pair, str(number)): float(value) for number, value in enumerate(values)}


def _results(path: Path) -> list[dict]:
    content = read_json(path)
    return content if isinstance(content, list) else [content]


def _follows(signature: str, words: str) -> bool:
    retrieval, *rest = signature.split("|")
    fields = dict(part.split("=", 1) for part in rest)
    return (
        retrieval == CONVENTION["retrieval"]
        and fields["oov"] == CONVENTION["oov"]
        and fields["identical"] == IDENTICAL[words]
    )


def _hits(cell: Cell, ranks: Mapping[str, int]) -> Values:
    if not ranks:
        raise InputError(cell.path, "holds no ranks of queries", remedy="run scripts/induce_lexicon.py again")
    language = cell.pair.partition("-")[0]
    return {(language, word): 100.0 * (rank == 1) for word, rank in ranks.items()}
