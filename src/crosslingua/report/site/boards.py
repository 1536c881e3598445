"""Leaderboards of committed results: the systems of a task in a language or language pair, best first."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from pathlib import Path

from crosslingua.io.decode import CsvRecords
from crosslingua.report.page.statements import REAL_SCALES
from crosslingua.statistics.interval import student_t

LOWER = "lower"  # in the measure of error rates
ALIKE, UNLIKE = "Lexicons, all words", "Lexicons, words not spelt alike"
ALIGNMENT, ENTITIES, POS = "Word alignment", "Named entities", "Parts of speech"
# Tables by task. The first words of a grid's note choose the grid, and none take the first one.
TABLES = (
    (UNLIKE, "joint_align_table2", "", "P@1"),
    (ALIKE, "joint_align_table1", "", "P@1"),
    (ALIGNMENT, "xlm_align_table2", "", "AER, lower is better"),
    (ENTITIES, "joint_align_table3", "", "F1"),
    (ENTITIES, "laser_taggers_table2", "NER.", "F1"),
    (ENTITIES, "xlm_align_table14", "", "F1"),
    ("Entities and slots", "mbert_align_table3", "", "F1"),
    (POS, "laser_taggers_table2", "POS.", "accuracy"),
    (POS, "xlm_align_table13", "", "F1"),
    ("Questions, XQuAD", "xlm_align_table15", "", "F1"),
    ("Questions, MLQA", "xlm_align_table16", "", "F1"),
    ("Questions, TyDiQA", "xlm_align_table17", "", "F1"),
    ("Inference, XNLI", "xlm_align_table18", "", "accuracy"),
    ("Paraphrases, PAWS-X", "xlm_align_table19", "", "accuracy"),
)
NO_LANGUAGE = ("mean", "average", "transfer")  # columns over several languages
LEARNT, HARDLY = 5.0, "hardly learnt"  # percent of words not spelt alike, as in docs/atlas.md
CONTROLS = ("shortcut", "majority", "random_vectors", "same_spelling", "target_language", "diagonal")


@dataclass(frozen=True)
class Entry:
    """A system's score. `spread` is the standard deviation over seeds, or a 95 % interval, as text; `low` and `high`
    are that interval, of a deviation by Student's t, and NaN of one run.
    """

    system: str
    value: float
    spread: str
    seeds: int
    mark: str = ""
    is_control: bool = False
    low: float = math.nan
    high: float = math.nan

    @property
    def is_ranked(self) -> bool:
        """Whether the system competes: it is no control, is surely above the controls, and no run of it failed."""
        return not (self.is_control or self.mark)


@dataclass(frozen=True)
class Board:
    """Systems of one task in one column of a table. `languages` are the codes that the column names."""

    scale: str
    task: str
    measure: str
    column: str
    languages: tuple[str, ...]
    source: str
    entries: Sequence[Entry] = field(repr=False)

    @cached_property
    def ranks(self) -> list[str]:
        """The rank of each entry: `2`, or `2–4` where intervals overlap; nothing of one that does not compete."""
        competing = [one for one in self.entries if one.is_ranked]
        found = []
        for one in self.entries:
            first = 1 + sum(self._is_ahead(other, one) for other in competing)
            last = len(competing) - sum(self._is_ahead(one, other) for other in competing)
            found.append("" if not one.is_ranked else str(first) if first == last else f"{first}–{last}")
        return found

    def _is_ahead(self, one: Entry, other: Entry) -> bool:
        """Whether the whole interval of an entry is better than that of another."""
        return one.high < other.low if LOWER in self.measure else one.low > other.high

    @property
    def is_real(self) -> bool:
        """Whether the text is real."""
        return self.scale == "atlas" or self.scale in REAL_SCALES

    @property
    def key(self) -> str:
        """The name of the board in addresses."""
        return "-".join("".join(c if c.isalnum() else "-" for c in part) for part in
                        (self.scale, self.source, self.task, self.column)).lower()  # fmt: skip


def boards(folders: Iterable[Path]) -> list[Board]:
    """Return the boards of folders of committed results, each called as its scale: real text first, then by task.
    Scale tiny has none, since its numbers mean nothing.
    """
    folders = [folder for folder in folders if folder.name != "tiny"]
    found = [board for folder in folders for board in (*_of_tables(folder), *_of_cards(folder))]
    tasks = list(dict.fromkeys(task for task, *_ in TABLES))
    return sorted(found, key=lambda board: (not board.is_real, tasks.index(board.task), board.column))


def _of_tables(folder: Path) -> Iterator[Board]:
    for task, table, note, measure in TABLES:
        path = folder / f"{table}.csv"
        if not path.is_file():
            continue
        reader = CsvRecords(path)
        records = [(record, _entry(reader, record)) for record in reader]
        first = next(
            (record["convention"] for record, _ in records if record["convention"].startswith(note)), ""
        )
        of_grid = [(record, entry) for record, entry in records if record["convention"] == first]
        of_grid.sort(key=lambda both: both[0]["column"])
        for column, group in groupby(of_grid, key=lambda both: both[0]["column"]):
            entries = [entry for _, entry in group if math.isfinite(entry.value)]
            if column in NO_LANGUAGE or "published" in column or not entries:
                continue
            lower = LOWER in measure
            yield Board(
                folder.name, task, measure, column, _languages(column), table, _ordered(entries, lower)
            )


def _entry(reader: CsvRecords, record: Mapping[str, str]) -> Entry:
    def number(name: str) -> float:
        return float(reader.number(record, name)) if record[name] else math.nan

    deviation = number("deviation")
    seeds = int(number("seeds")) if record["seeds"] else 0
    system, kind = record["system"], record.get("kind", "")
    spread = "" if math.isnan(deviation) else f"± {deviation:.1f}"
    is_control = system in CONTROLS or kind == "control"
    mean = number("mean")
    half = student_t(0.95, seeds - 1) * deviation / math.sqrt(seeds) if seeds > 1 else math.nan
    return Entry(
        system,
        mean,
        spread,
        seeds,
        record.get("mark", ""),
        is_control,
        mean - half,
        mean + half,
    )


def _of_cards(folder: Path) -> Iterator[Board]:
    """Yield the boards of an atlas: the strategies of a pair, each by the system that stands for it. Of all words a
    strategy has to beat the control that translates each word by itself, and of words not spelt alike LEARNT percent.
    """
    from crosslingua.atlas.assemble import read_cards

    for card in read_cards(sorted(folder.glob("cards/*.json"))):
        if card["curve"]:
            continue
        for condition in card["conditions"]:
            if condition["supervision"] != "dictionary":
                continue
            is_unlike = condition["words"] == "not spelt alike"
            spelling = card.get("spelling") or 0.0
            entries = [
                Entry(
                    f"{strategy} ({one['system']})", one["value"],
                    f"[{one['low']:.1f}, {one['high']:.1f}]", condition["seeds"],
                    HARDLY if is_unlike and one["value"] < LEARNT else
                    "‡" if not is_unlike and one["low"] <= spelling else "",
                    low=one["low"], high=one["high"],
                )
                for strategy, one in condition["strategies"].items()
            ]  # fmt: skip
            entries += [
                Entry("published encoder", value, "", 1)
                for words, value in (card.get("reference") or {}).items()
                if words == condition["words"]
            ]
            if spelling and not is_unlike:
                entries.append(Entry("each word by itself", spelling, "", 1, is_control=True))
            column = "-".join(card["languages"])
            source = f"{card['domain']}, {card['dictionary']}"
            yield Board(
                folder.name,
                UNLIKE if is_unlike else ALIKE,
                "P@1",
                column,
                tuple(card["languages"]),
                source,
                _ordered(entries, lower=False),
            )


def _ordered(entries: Iterable[Entry], lower: bool) -> list[Entry]:
    return sorted(entries, key=lambda one: (not one.is_ranked, one.value if lower else -one.value))


def _languages(column: str) -> tuple[str, ...]:
    """Return the codes that a column names: `en-de`, `→ de`, `de alone`, `NER de_pud`, `slots tr_xsid`."""
    words = column.removeprefix("→ ").removesuffix(" alone").split()
    return tuple(code.partition("_")[0] for code in words[-1].split("-"))


def choices(found: Sequence[Board]) -> dict[str, list[str]]:
    """Return the choices of the filters: languages, tasks and scales."""
    return {
        "languages": sorted({code for board in found for code in board.languages}),
        "tasks": list(dict.fromkeys(board.task for board in found)),
        "scales": list(dict.fromkeys(board.scale for board in found)),
    }
