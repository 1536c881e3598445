"""The table of labelled sets (`splits.yaml`), and how a set without a split of its own is divided."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from crosslingua.corpora.datasets.registry import dataset, read_rows
from crosslingua.corpora.labelled.source import Grouped
from crosslingua.errors import ConfigError
from crosslingua.io.conll import TaggedSentence
from crosslingua.io.pairs import SentencePair
from crosslingua.tasks.kinds import KINDS

TABLE = Path(__file__).with_name("splits.yaml")
SCHEMA = Path(__file__).with_name("splits.schema.json")
UNITS = ("sentences", "pairs", "questions")  # of `expect`, that data of one of the forms are counted in
WITH_INTENTS = ("facebook", "multiatis", "xsid")  # formats that tell the intent of each sentence


class Published(NamedTuple):
    """A split as it was published: `files` are `file` or `file:member`, `expect` counts that reading must give.

    `labels_of`: (set, language, split) with the labels, row by row, of these files, which hold none. `same_as`: the
    split of another set that equals this split, which then has no files.
    """

    files: tuple[str, ...] = ()
    expect: Mapping[str, int] = MappingProxyType({})
    where: tuple[str, str] | None = None
    labels_of: tuple[str, str, str] | None = None
    same_as: tuple[str, str, str] | None = None


class Made(NamedTuple):
    """A split of `language` made of another: with the records of other splits, and without what occurs in others."""

    language: str
    of: str
    add: Sequence[Sequence[str]] = ()  # (set, language, split)
    leave_out: Sequence[Sequence[str]] = ()


@dataclass(frozen=True)
class LabelledSet:
    """One row of the table; see the head of splits.yaml."""

    name: str
    format: str
    tasks: tuple[str, ...]
    languages: Mapping[str, Mapping[str, Published]]
    made: Mapping[str, Made]
    tag_set: Mapping[str, str] = field(default_factory=dict)
    slot_maps: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)
    drop: tuple[str, ...] = ()
    divisions: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @property
    def tells_intents(self) -> bool:
        """Whether sentences come with their intents; of side-by-side files, which are without, none has them here."""
        return self.format in WITH_INTENTS

    def splits(self, language: str) -> list[str]:
        """Return all split names of a language: published, divided, and with sentences left out."""
        published = self._published(language)
        divided = [part for of, parts in self.divisions.items() if of in published for part in parts]
        made = [name for name, rule in self.made.items() if rule.language == language]
        return [*published, *(part for part in divided if part not in published), *made]

    def published(self, language: str, split: str) -> Published:
        """Return the published split called `split`; ConfigError lists the splits there are."""
        published = self._published(language)
        if split not in published:
            raise ConfigError(
                f"{self.name} has no split {split!r} in {language}: it has {', '.join(self.splits(language))}"
            )
        return published[split]

    def parent(self, language: str, split: str) -> str | None:
        """Return the published split that `split` is a part of by division; None where it is published itself."""
        if split in self._published(language):
            return None
        return next((of for of, parts in self.divisions.items() if split in parts), None)

    def _published(self, language: str) -> Mapping[str, Published]:
        if language not in self.languages:
            raise ConfigError(f"{self.name} has no {language!r}: it has {', '.join(self.languages)}")
        return self.languages[language]


def labelled_set(name: str) -> LabelledSet:
    """Return the row called `name`; ConfigError lists the sets there are."""
    table = load_splits()
    if name not in table:
        raise ConfigError(f"no labelled data set {name!r}: there are {', '.join(sorted(table))}")
    return table[name]


@lru_cache(maxsize=4)
def load_splits(path: str | Path = TABLE) -> dict[str, LabelledSet]:
    """Read and check the table; InputError names the file, the line and the key that is wrong."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    schema["additionalProperties"]["properties"]["tasks"]["items"] = {"enum": list(KINDS)}
    return {name: _row(name, row) for name, row in read_rows(path, schema).items()}


def _row(name: str, row: Mapping[str, Any]) -> LabelledSet:
    made = {split: Made(**rule) for split, rule in row.get("made", {}).items()}
    languages = {
        language: {split: Published(**_tuples(entry)) for split, entry in splits.items()}
        for language, splits in row["languages"].items()
    }
    return LabelledSet(name=name, **_tuples(row) | {"languages": languages, "made": made})


def _tuples(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}


def required_files(name: str, language: str, split: str) -> list[tuple[str, str]]:
    """Return the (data set, file) pairs that a split is read from, each once: what a rule must fetch."""
    row = labelled_set(name)
    rule = row.made.get(split)
    if rule is not None and rule.language == language:
        needed, others = [], [(name, language, rule.of), *rule.add, *rule.leave_out]
    else:
        published = row.published(language, row.parent(language, split) or split)
        needed = [(name, file.partition(":")[0]) for file in published.files]
        others = [other for other in (published.labels_of, published.same_as) if other]
    return list(dict.fromkeys([*needed, *(file for other in others for file in required_files(*other))]))


def sources(name: str, published: Published, data_dir: str | Path) -> list[str]:
    """Return the paths of a published split's files, `ARCHIVE::MEMBER` in an archive."""
    paths = []
    for entry in published.files:
        file, _, member = entry.partition(":")
        path = f"{Path(data_dir) / name / file}"
        if member:
            held = dataset(name).file(file).members
            if member not in held:
                raise ConfigError(f"file {file} of {name} has no member {member!r}: it has {', '.join(held)}")
            path += f"::{held[member]}"
        paths.append(path)
    return paths


T = TypeVar("T")


def divide(
    items: Sequence[T], group: Callable[[T], str], shares: Mapping[str, float], seed: int
) -> dict[str, list[T]]:
    """Divide items into named parts by group. ConfigError unless `shares`, of the *groups*, sum to 1.

    Groups are ranked by a hash of seed and name and cut by share, rounded; the order of items is kept in each part.
    """
    if abs(sum(shares.values()) - 1) > 1e-9 or any(share <= 0 for share in shares.values()):
        raise ConfigError(f"shares must be positive and sum to 1: {dict(shares)}")

    def rank(name: str) -> tuple[bytes, str]:
        return hashlib.blake2b(f"{seed}\0{name}".encode(), digest_size=16).digest(), name

    ranked = sorted({group(item) for item in items}, key=rank)
    part_of: dict[str, str] = {}
    start, cumulated = 0, 0.0
    for name, share in shares.items():
        cumulated += share
        end = round(cumulated * len(ranked))
        if end == start:
            raise ConfigError(f"part {name!r} with share {share} of {len(ranked)} groups is empty")
        part_of.update(dict.fromkeys(ranked[start:end], name))
        start = end
    parts: dict[str, list[T]] = {name: [] for name in shares}
    for item in items:
        parts[part_of[group(item)]].append(item)
    return parts


def drop_repeats(items: Iterable[T], key: Callable[[T], Hashable], counts: Counter[str]) -> list[T]:
    """Keep the first item of each key; the others are counted as `repeats`."""
    first: dict[Hashable, T] = {}
    for item in items:
        if key(item) in first:
            counts["repeats"] += 1
        else:
            first[key(item)] = item
    return list(first.values())


def leave_out(
    items: Iterable[T], key: Callable[[T], Hashable], elsewhere: Iterable[Hashable], counts: Counter[str]
) -> list[T]:
    """Keep the items whose key does not occur `elsewhere` (in a test set, say); count the others as `left_out`."""
    forbidden, items = set(elsewhere), list(items)
    kept = [item for item in items if key(item) not in forbidden]
    if len(kept) < len(items):
        counts["left_out"] += len(items) - len(kept)
    return kept


_PUNCTUATION = re.compile(r"[^\w\s]|_")


def folded(item: Grouped[TaggedSentence] | Grouped[SentencePair]) -> str:
    """The key of an utterance or premise that occurs in several sets: without case, punctuation and spaces."""
    record = item.record
    text = record.first if isinstance(record, SentencePair) else " ".join(record.tokens)
    return "".join(_PUNCTUATION.sub("", text).casefold().split())


_REDIRECT = re.compile(r"(weiterleitung|redirect)", re.IGNORECASE)


def is_redirect(item: Grouped[TaggedSentence]) -> bool:
    """Whether a WikiANN sentence is a redirect line of Wikipedia, in English or German, not a sentence."""
    return bool(_REDIRECT.match(item.record.tokens[0]))
