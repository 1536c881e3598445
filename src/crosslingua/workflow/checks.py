"""Whether the sources of a configuration are there: data sets, their files and splits, languages, parents."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from crosslingua.corpora.derived.derivation import TRANSFORMS
from crosslingua.corpora.labelled.splits import labelled_set, load_splits, required_files
from crosslingua.errors import ConfigError, check_defined, check_given, did_you_mean
from crosslingua.tasks.kinds import KINDS
from crosslingua.workflow.sources import (
    PARALLEL,
    PARTS,
    SPLITS,
    WORLD,
    Entry,
    data_files,
    dictionary_name,
    family,
)
from crosslingua.workflow.workflow import Workflow

WILDCARD = re.compile("[{][^{}]*[}]")
TAG_MAPS = ("universal-tagset", "universal_tagset.zip")


def check_sources(w: Workflow) -> None:
    """Raise ConfigError when a source, or a language pair, names something that is not there."""
    if w.config["world"]:
        told = family(w.config["world"])
        check_defined("world.text", w.config["world"]["text"], told, w.config["world"]["languages"])
    for name, entry in w.sources.languages.items():
        _check_text(w, name, entry)
    for name, entry in w.sources.dictionaries.items():
        _check_dictionary(w, name, entry)
    for task in PARALLEL:
        for name, entry in w.sources.sets[task].items():
            _check_parallel(w, w.sources.place(task, name), name, entry)
    for task in KINDS:
        for name, entry in w.sources.sets[task].items():
            if "from" in entry:
                _check_labelled(w, w.sources.place(task, name), task, name, entry)
    for source, target in w.pairs:
        check_defined(
            f"pairs: {source}-{target}", (source, target), w.sources.languages, "the text of languages"
        )
        if source == target:
            raise ConfigError(f"pairs: {source}-{target} has the same language twice")


def check_own_files(w: Workflow) -> None:
    """Raise ConfigError for a missing file of the user. Snakemake would keep results that an earlier file gave."""
    for place, path in (*_folders(w), *own_files(w)):
        if word := WILDCARD.search(path):
            raise ConfigError(
                f"{place}: {path}: Snakemake would take {word[0]} for a wildcard: rename it without braces"
            )
    for place, path in own_files(w):
        if not (_is_made(w, Path(path)) or Path(path).is_file()):
            raise ConfigError(f"{place}: there is no file {path}{_where(Path(path))}")


def _folders(w: Workflow) -> Iterator[tuple[str, str]]:
    """Yield (key, path) of other paths of the configuration that become files of jobs."""
    data = w.config["data"]
    yield "data.folder", data["folder"]
    yield from (("data.sheets", sheet) for sheet in data["sheets"])
    yield from ((f"data.user_supplied.{name}", path) for name, path in data["user_supplied"].items())
    if w.world:
        yield "world.languages", w.world["languages"]


def own_files(w: Workflow) -> Iterator[tuple[str, str]]:
    """Yield (where it is named, path) of every file that the configuration or a sheet takes from you."""
    told = w.sources
    for name in told.named_from("text", "file"):
        yield f"{told.place('text', name)}: path", told.languages[name]["path"]
    for pair in w.lexicon_pairs.values():
        if pair.dictionary and told.origin("dictionary", pair.dictionary) == "file":
            entry, place = told.dictionaries[pair.dictionary], told.place("dictionary", pair.dictionary)
            for split in ("train", "test"):
                yield f"{place}: {split}", dictionary_name(entry, split, (pair.source, pair.target))
    for task in PARALLEL:
        for name in told.named_from(task, "file"):
            entry = told.sets[task][name]
            yield from ((f"{told.place(task, name)}: {entry['use']}", path) for path in entry["files"])
    for task in KINDS:
        for name in told.named_from(task, "file"):
            for split in told.splits(task, name):
                yield f"{told.place(task, name)}: {split}", told.sets[task][name][split]


def _is_made(w: Workflow, path: Path) -> bool:
    return path.is_relative_to(w.results) or (path.is_relative_to(w.data) and path.parent.name in w.datasets)


def _where(path: Path) -> str:
    if path.is_dir():
        return ": that is a folder"
    folder = "" if path.is_absolute() else f" in {Path.cwd()}"
    if not path.parent.is_dir():
        return f"{folder}, nor a folder {path.parent}"
    there = [str(other) for other in path.parent.iterdir() if other.is_file()]
    return f"{folder}{did_you_mean(path, there)}"


def published_inputs(task: str, entry: Entry, name: str, split: str) -> list[tuple[str, str]]:
    """Return the (data set, file) pairs that a published split is read from; maps of tag sets too."""
    if entry.get("from") in (None, WORLD, "file"):
        return []
    files = required_files(entry["from"], entry.get("language", name), entry[split])
    return [*files, TAG_MAPS] if entry.get("universal") else files


def _check_text(w: Workflow, name: str, entry: Entry) -> None:
    place = w.sources.place("text", name)
    if "derived_from" in entry:
        _check_derived(w, place, entry)
    elif entry["from"] == PARTS:
        check_defined(place, entry["parts"], w.sources.languages, "the text of languages")
    elif entry["from"] != WORLD:
        _check_files(w, place, entry, ["path"] if entry["from"] == "file" else ["files"])


def _check_dictionary(w: Workflow, name: str, entry: Entry) -> None:
    place = w.sources.place("dictionary", name)
    if entry["from"] == WORLD:
        return
    _check_origin(w, place, entry["from"])
    for split in ("train", "test"):
        check_given(place, entry, split, "what trains and what tests")
        if entry[split] is None:
            raise ConfigError(f"{place}: {split} is null: name the files of both, or of neither")


def _check_parallel(w: Workflow, place: str, name: str, entry: Entry) -> None:
    if "-" not in name.partition(".")[0]:
        raise ConfigError(f"{place}: a pair is named source-target, or source-target.what")
    if entry["from"] != WORLD:
        _check_files(w, place, entry, ["files"])


def _check_files(w: Workflow, place: str, entry: Entry, needed: list[str]) -> None:
    for key in needed:
        check_given(place, entry, key, f"from: {entry['from']}")
    _check_origin(w, place, entry["from"])
    for dataset, file in data_files(entry):
        check_defined(place, [dataset], w.datasets, "the registry of data sets")
        _check_published(w.datasets, place, dataset, [file])


def _check_labelled(w: Workflow, place: str, task: str, name: str, entry: Entry) -> None:
    if entry["from"] == WORLD:
        return
    if entry["from"] == "file":
        check_given(place, entry, "format", "from: file")
        return
    check_defined(f"{place}: from", entry["from"], load_splits(), "the labelled data sets")
    if task not in labelled_set(entry["from"]).tasks:
        raise ConfigError(f"{place}: {entry['from']} has no data for {task}")
    for split in (split for split in SPLITS if split in entry):
        try:
            files = published_inputs(task, entry, name, split)
        except ConfigError as error:
            raise ConfigError(f"{place}: {error}") from None
        for dataset, file in files:
            _check_published(w.datasets, place, dataset, [file])


def _check_derived(w: Workflow, place: str, entry: Entry) -> None:
    check_given(place, entry, "transform", f"made of {entry['derived_from']}")
    check_defined(f"{place}: transform", entry["transform"], TRANSFORMS, "the transforms")
    parent = entry["derived_from"]
    check_defined(place, parent, w.sources.languages, "the text of languages")
    if "derived_from" in w.sources.languages[parent]:
        raise ConfigError(
            f"{place}: {parent!r} is derived itself; compose the transforms (trans_inv) instead"
        )
    if not entry["transform"].endswith("syn"):
        return
    check_given(place, entry, "order_of", "the language whose word order is taken")
    treebanks = w.sources.treebanks()
    check_defined(f"{place}: order_of", entry["order_of"], treebanks, "the treebanks")
    if w.sources.origin("text", parent) != WORLD:
        check_given(
            place, entry, "parsed_as", "the treebank that a parser learns from: this text has no trees"
        )
    if "parsed_as" in entry:
        check_defined(f"{place}: parsed_as", entry["parsed_as"], treebanks, "the treebanks")
        _check_one_parser(w, place, entry)


def _check_one_parser(w: Workflow, place: str, entry: Entry) -> None:
    parent = entry["derived_from"]
    named = {
        other.get("parsed_as")
        for other in w.sources.languages.values()
        if other.get("derived_from") == parent
    }
    if len(named - {None}) > 1:
        raise ConfigError(
            f"{place}: parsed_as: the text of {parent} is parsed once, as one of {sorted(named - {None})}"
        )


def _check_origin(w: Workflow, place: str, origin: str) -> None:
    check_defined(f"{place}: from", origin, ["file", *w.datasets], "the registry of data sets")


def _check_published(datasets: Mapping, place: str, dataset: str, files: list[str]) -> None:
    check_defined(place, files, datasets[dataset].files, f"data set {dataset}")
