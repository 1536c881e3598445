"""The sources of all data: the controlled world, data sheets, files of the user, and derived languages."""

import fnmatch
import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path
from typing import Any, TypeVar

from crosslingua.config import found_beside
from crosslingua.corpora.datasets.registry import DataSet, dataset
from crosslingua.corpora.labelled.splits import labelled_set, load_splits
from crosslingua.corpora.world.spec import load_languages
from crosslingua.errors import ConfigError, InputError, check_defined, did_you_mean
from crosslingua.io.decode import SEPARATOR, base_language, decoded_lines
from crosslingua.settings import MOST
from crosslingua.tasks.kinds import KINDS
from crosslingua.workflow.sections import Configuration, WorldSection

# Data sheets are tab-separated tables of the data sets in use, one a line (docs/your-data.md).
COLUMNS = ("task", "set", "from", "train", "valid", "test", "options")
SET = re.compile("[a-z0-9_]+(-[a-z0-9_]+)?([.][a-z0-9_]+)?")
SPLITS = ("train", "valid", "test")
# Options of a line, with their types.
OPTIONS: Mapping[str, type] = {
    "language": str, "member": str, "tokeniser": str, "format": str, "universal": bool, "slots_as": str, "take": int,
    "part": str, "column": int, "deduplicate": bool, "min_tokens": int, "max_tokens": int, "transform": str,
    "order_of": str, "trees": str, "overlap": float, "pairs": str, "words": int, "bitext": str,
}  # fmt: skip


@dataclass(frozen=True)
class Line:
    """A line of a sheet. `place` is its location; `splits` are the values of its columns, files or splits."""

    place: str
    task: str
    name: str
    origin: str
    splits: Mapping[str, tuple[str, ...]]
    options: Mapping[str, Any]


def read_sheet(path: str | Path) -> list[Line]:
    """Read a data sheet; the header comes first. Raises InputError with the line of a wrong column or option, or of a
    repeated set.
    """
    lines: dict[tuple[str, str], Line] = {}
    header = True
    for number, text in enumerate(decoded_lines(path), 1):
        if not text.strip() or text.startswith("#"):
            continue
        fields = [field.strip() for field in text.split("\t")]
        if not header:
            line = _line(path, number, fields + [""] * (len(COLUMNS) - len(fields)))
            if lines.setdefault((line.task, line.name), line) is not line:
                raise InputError(path, f"a second line for {line.task} {line.name}", line=number)
        elif tuple(fields) != COLUMNS:
            columns = f"the columns must be {', '.join(COLUMNS)}, separated by tabs"
            raise InputError(path, columns, line=number)
        header = False
    return list(lines.values())


def _line(path: str | Path, number: int, fields: list[str]) -> Line:
    if len(fields) > len(COLUMNS):
        raise InputError(path, f"{len(fields)} columns instead of {len(COLUMNS)}", line=number)
    task, name, origin, *columns, options = fields
    if not (task and name and origin):
        raise InputError(path, "task, set and from must be given", line=number)
    if not SET.fullmatch(name):
        raise InputError(
            path, f"the set {name!r} is called otherwise than names can be", line=number,
            remedy="write lower-case letters, digits and _, for a pair source-target, then perhaps .what",
        )  # fmt: skip
    try:
        splits = {
            split: tuple(shlex.split(text)) for split, text in zip(SPLITS, columns, strict=True) if text
        }
        chosen = dict(_option(text) for text in shlex.split(options))
        if origin == "file":
            splits = {
                split: tuple(found_beside(name, Path(path).parent) for name in names)
                for split, names in splits.items()
            }
        if "trees" in chosen:
            chosen["trees"] = found_beside(chosen["trees"], Path(path).parent)
    except ValueError as error:
        raise InputError(path, str(error), line=number) from None
    return Line(f"{path}:{number}: {task} {name}", task, name, origin, splits, chosen)


def _option(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or name not in OPTIONS:
        hint = did_you_mean(name, OPTIONS)
        raise ValueError(f"{text!r} is no option; they are name=value with {', '.join(OPTIONS)}{hint}")
    if OPTIONS[name] is bool:
        if value not in ("true", "false"):
            raise ValueError(f"{text!r} must be true or false")
        return name, value == "true"
    try:
        number = OPTIONS[name](value)
    except ValueError:
        raise ValueError(f"{text!r} must be a number") from None
    if OPTIONS[name] is int and not 0 <= number <= MOST:
        raise ValueError(f"{text!r} must be a whole number from 0 to {MOST}")
    return name, number


K = TypeVar("K")
V = TypeVar("V")
Entry = Mapping[str, Any]
PARALLEL = ("bitext", "gold_alignment")
WORLD = "world"
TREEBANKS = next(name for name, kind in KINDS.items() if kind.has_trees)
PARTS = "parts"  # of a language whose text is made of several, called `en.what`


@dataclass(frozen=True)
class Sources:
    """Entries by name. An entry says where a set comes `from` or is `derived_from`, and how to read the set. `sets`
    holds parallel text (`bitext`, `gold_alignment`) and labelled data, `places` the location of (task, name).
    """

    languages: dict[str, Entry] = field(default_factory=dict)
    dictionaries: dict[str, Entry] = field(default_factory=dict)
    sets: dict[str, dict[str, Entry]] = field(default_factory=lambda: {t: {} for t in (*PARALLEL, *KINDS)})
    places: dict[tuple[str, str], str] = field(default_factory=dict)

    def place(self, task: str, name: str) -> str:
        """Return the location of a set's definition."""
        return self.places.get((task, name), f"{task} {name}")

    def root(self, task: str, name: str) -> str:
        """Return the set that `name` is derived from, or `name`."""
        return str(self.of(task)[name].get("derived_from", name))

    def of(self, task: str) -> dict[str, Entry]:
        """Return the entries of text, dictionaries, or a task."""
        return {"text": self.languages, "dictionary": self.dictionaries, **self.sets}[task]

    def origin(self, task: str, name: str) -> str:
        """Return where a set comes from; "derived" for one made of another."""
        return str(self.of(task)[name].get("from", "derived"))

    def named_from(self, task: str, *origins: str) -> list[str]:
        """Return the names from `origins`: world, file, derived, or any other name for data sets."""
        known = (WORLD, "file", "derived")
        return [
            name
            for name in self.of(task)
            if (o := self.origin(task, name)) in origins or ("published" in origins and o not in known)
        ]

    def splits(self, task: str, name: str) -> list[str]:
        """Return the splits that a labelled set has."""
        entry = self.sets[task][self.root(task, name)]
        return [split for split in SPLITS if split in entry]

    def treebanks(self) -> list[str]:
        """Return the part-of-speech sets with dependency trees: of the world, published or own CoNLL-U files."""
        found = []
        for name, entry in self.sets[TREEBANKS].items():
            origin = entry.get("from")
            published = origin in load_splits() and labelled_set(origin).format.startswith("conllu")
            if origin == WORLD or (origin == "file" and entry.get("format") == "conllu") or published:
                found.append(name)
        return found

    def tells_intents(self, task: str, name: str) -> bool:
        """Whether a labelled set has the intent of each sentence."""
        origin = self.sets[task][self.root(task, name)]["from"]
        if task != "slots" or origin == WORLD:
            return task == "slots"
        return origin in load_splits() and labelled_set(origin).tells_intents

    def language(self, task: str, name: str) -> str:
        """Return the language of a labelled set: of its entry, else its name (also of a mixture)."""
        return str(self.sets[task].get(name, {}).get("language", name))


def find_sources(config: Configuration) -> Sources:
    """Return the sources of a configuration that is checked. Raises InputError for a malformed sheet."""
    found = Sources()
    if config.world:
        _add_world(found, config.world)
    for sheet in config.data.sheets:
        _check_file("data.sheets", sheet)
        for line in read_sheet(sheet):
            _add_line(found, line)
    for name, text in present(config.languages).items():
        found.languages[name] = {"from": "file", **present(dict(text))}
        found.places["text", name] = f"languages.{name}"
    own = config.dictionaries
    if own.train or own.test:
        splits = {split: path and (path,) for split, path in (("train", own.train), ("test", own.test))}
        found.dictionaries["own"] = {"from": "file", **splits}
        found.places["dictionary", "own"] = "dictionaries"
    for name, entry in found.languages.items():
        # A derived language has the labelled sets that its parent has in full.
        for task in KINDS if "derived_from" in entry else ():
            if set(SPLITS) <= set(found.sets[task].get(entry["derived_from"], {})):
                found.sets[task][name] = {key: v for key, v in entry.items() if key != "tokeniser"}
    return found


def present(members: Mapping[K, V | None]) -> dict[K, V]:
    """Return the members that a scale has not set to null."""
    return {name: member for name, member in members.items() if member is not None}


def family(world: WorldSection) -> list[str]:
    """Return the languages of the controlled world."""
    _check_file("world.languages", world.languages)
    return list(load_languages(world.languages))


def _check_file(key: str, path: str) -> None:
    if not Path(path).is_file():
        raise ConfigError(f"{key}: there is no file {path}")


def _add_world(found: Sources, world: WorldSection) -> None:
    names = family(world)
    check_defined("world.tasks", world.tasks, KINDS, "the kinds of task")
    for name, sentences in present(world.text).items():
        found.languages[name] = {"from": WORLD, "sentences": sentences}
    for name, share in present(world.dictionaries).items():
        found.dictionaries[name] = {"from": WORLD, "share": share, "curve": name != WORLD}
    for pair in map("-".join, permutations(names, 2)):
        found.sets["bitext"][pair] = {"from": WORLD, "sentences": world.bitext}
        gold = {"from": WORLD, "sentences": world.gold_alignment, "split": "test"}
        found.sets["gold_alignment"][pair] = gold
    for task, sizes in present(world.tasks).items():
        entry = {"from": WORLD, **dict(zip(SPLITS, sizes, strict=True))}
        found.sets[task] |= dict.fromkeys(names, entry)
        for variant, size in KINDS[task].variants:
            own = {**entry, "train": entry[size], "variant": variant}
            found.sets[task] |= {f"{name}_{variant}": {**own, "language": name} for name in names}
    for name, how in present(world.derived).items():
        told = present(dict(how))
        found.languages[name] = {"derived_from": told.pop("of"), **told}
        found.places["text", name] = f"world.derived.{name}"


def _add_line(found: Sources, line: Line) -> None:
    if line.task == "derived":
        found.languages[line.name] = {"derived_from": line.origin, **line.options}
        found.places["text", line.name] = line.place
        return
    if line.task not in ("text", "dictionary", *PARALLEL, *KINDS):
        legal = ["text", "derived", "dictionary", *PARALLEL, *KINDS]
        hint = did_you_mean(line.task, legal)
        raise ConfigError(f"{line.place}: unknown task {line.task!r}: the tasks are {', '.join(legal)}{hint}")
    if line.origin == WORLD:
        raise ConfigError(
            f"{line.place}: data of the generated world are configured under `world`, not in a sheet"
        )
    if not line.splits:
        raise ConfigError(f"{line.place}: train, valid and test are empty: nothing is named")
    entry = {"from": line.origin, **_named(line), **line.options}
    found.places[line.task, line.name] = line.place
    found.of(line.task)[line.name] = entry


def _named(line: Line) -> dict[str, Any]:
    """Return what the columns of a line name. A file with `*` stands for the data set's like it, in order."""

    def files(names: Iterable[str]) -> list[str]:
        found: list[str] = []
        for name in names:
            if "*" in name and line.origin in ("file", PARTS):
                raise ConfigError(f"{line.place}: {name}: only files of published data sets are found by *")
            every = dataset(line.origin).files if "*" in name else [name]
            alike = fnmatch.filter(every, name) if "*" in name else every
            if not alike:
                raise ConfigError(
                    f"{line.place}: no file of {line.origin} is like {name}: it has {', '.join(every)}"
                )
            found += alike
        return found

    if line.task == "text":
        read = files(name for names in line.splits.values() for name in names)
        if line.origin == "file" and len(read) > 1:
            raise ConfigError(f"{line.place}: a text is one file, not {len(read)}")
        return (
            {"path": read[0]}
            if line.origin == "file"
            else {"parts" if line.origin == PARTS else "files": read}
        )
    if line.task in PARALLEL:
        (use, names), *more = line.splits.items()
        if more:
            raise ConfigError(f"{line.place}: one line is one text: name its files in one column")
        return {"files": files(names), "use": use}
    if line.task == "dictionary":
        return dict(line.splits)
    return {split: " ".join(names) for split, names in line.splits.items()}


def data_files(entry: Entry) -> list[tuple[str, str]]:
    """Return the (data set, file) pairs of published text or parallel text; `SET/FILE` is another data set's."""
    if entry.get("from") in (WORLD, "file", PARTS, None):
        return []
    named = (file.rpartition("/") for file in entry["files"])
    return [(dataset or entry["from"], file) for dataset, _, file in named]


def files_beside(entry: Entry, datasets: Mapping[str, DataSet]) -> list[tuple[str, str]]:
    """Return the (data set, file) pairs that the reader of published text needs beside those of `data_files`."""
    sets = dict.fromkeys(dataset for dataset, _ in data_files(entry))
    return [(name, beside) for name in sets if (row := datasets.get(name)) and (beside := row.beside)]


def dictionaries_of(found: Sources, pair: tuple[str, str], datasets: Mapping[str, DataSet]) -> list[str]:
    """Return the dictionaries that a language pair has."""

    def has(entry: Entry) -> bool:
        if entry["from"] == WORLD:
            return all(found.languages.get(language, {}).get("from") == WORLD for language in pair)
        if not fnmatch.fnmatchcase("-".join(pair), entry.get("pairs", "*")):
            return False
        if "bitext" in entry and bitext_of(entry, pair) not in found.sets["bitext"]:
            return False
        if entry["from"] == "file":
            return True
        files = [file for split in ("train", "test") for file in dictionary_files(entry, split, pair)]
        published = datasets[entry["from"]]
        known = {file.partition(SEPARATOR)[0] for file in files} <= published.files.keys()
        return known and {*map(base_language, pair)} <= {*published.languages}

    return [name for name, entry in found.dictionaries.items() if has(entry)]


def dictionary_files(entry: Entry, split: str, pair: Iterable[str]) -> list[str]:
    """Return the names of the files that a split of a dictionary is read from; FILE::MEMBER if in an archive.

    In names of published files `{source}` and `{target}` are languages, in names of your files the names of texts.
    """
    languages = tuple(pair) if entry["from"] == "file" else tuple(map(base_language, pair))
    return [_named_by(languages, name) for name in entry[split]]


def bitext_of(entry: Entry, pair: Iterable[str]) -> str:
    """Return the bitext whose linked words train a dictionary: `{source}` and `{target}` in its name are languages."""
    return _named_by(map(base_language, pair), entry["bitext"])


def _named_by(languages: Iterable[str], name: str) -> str:
    source, target = languages
    return name.replace("{source}", source).replace("{target}", target)
