"""Every file set of a scale's data, with its paths and its origin: what `data` makes, and the card describes."""

from __future__ import annotations

from collections.abc import Iterator

from crosslingua.corpora.file_set import FileSet
from crosslingua.tasks.kinds import KINDS, kind_of
from crosslingua.workflow.checks import published_inputs
from crosslingua.workflow.sources import PARALLEL, WORLD, Entry, Sources, data_files, dictionary_name
from crosslingua.workflow.workflow import Workflow, pair_languages


def is_read(task: str, entry: Entry) -> bool:
    """Whether a reader makes the set, of published files, your own, or what the world tells, and reports on it."""
    origin = entry.get("from", WORLD)
    return origin != WORLD or (bool(KINDS[task].told_as) and "from" in entry)


def labelled_path(task: str, name: str, split: str) -> str:
    """Return the contract file of a split."""
    kind = kind_of(task)
    return f"{kind.data_kind}/{name}.{split}.{kind.suffix}"


def world_path(task: str, name: str, split: str) -> str:
    """Return what the world writes: the contract file, or what a reader makes that of."""
    return f"{task}/{name}.{split}.{KINDS[task].world_suffix}"


def trees_path(task: str, name: str, split: str) -> str:
    """Return the dependency trees of the sentences that the world tells: of a split, of text ("") of all."""
    if task in KINDS and KINDS[task].has_trees:
        return world_path(task, name, split)
    return f"trees/{task}/{name}.{split}.conllu" if split else f"trees/{task}/{name}.conllu"


def parallel_paths(task: str, name: str, entry: Entry) -> list[str]:
    """Return the two texts of a pair and, where it has gold links, these."""
    source, target = pair_languages(name)
    paths = [f"{task}/{name}.{source}.txt", f"{task}/{name}.{target}.txt"]
    return [*paths, f"{task}/{name}.links"] if task == "gold_alignment" or entry["from"] == WORLD else paths


def file_sets(w: Workflow) -> Iterator[FileSet]:
    """Yield all data of a scale, text and dictionaries first; of the world the languages that have text."""
    yield from _texts(w.sources)
    yield from _dictionaries(w)
    for task in PARALLEL:
        yield from _parallel(w, task)
    for task in KINDS:
        yield from _labelled(w.sources, task)


def _texts(sources: Sources) -> Iterator[FileSet]:
    for name, entry in sources.languages.items():
        inputs = tuple(data_files(entry))
        report = None if "derived_from" in entry else f"text/{name}.json"
        yield FileSet("text", name, "", (name,), (f"text/{name}.txt",), report, entry, inputs)


def _dictionaries(w: Workflow) -> Iterator[FileSet]:
    for pair in w.lexicon_pairs.values():
        if not pair.dictionary:
            continue
        entry, languages = w.sources.dictionaries[pair.dictionary], (pair.source, pair.target)
        for split in ("train", "test"):
            inputs: tuple[tuple[str, str], ...] = ()
            if entry["from"] not in (WORLD, "file"):
                inputs = ((entry["from"], dictionary_name(entry, split, languages)),)
            path = f"dictionaries/{pair.name}/{split}.txt"
            yield FileSet("dictionary", pair.name, split, languages, (path,), None, entry, inputs)


def _parallel(w: Workflow, task: str) -> Iterator[FileSet]:
    for name, entry in w.sources.sets[task].items():
        if entry["from"] == WORLD and name not in w.config["pairs"]:
            continue
        report = None if entry["from"] == WORLD else f"{task}/{name}.report.json"
        inputs = tuple(data_files(entry))
        files = tuple(parallel_paths(task, name, entry))
        yield FileSet(task, name, "", pair_languages(name), files, report, entry, inputs)


def _labelled(sources: Sources, task: str) -> Iterator[FileSet]:
    for name, entry in sources.sets[task].items():
        language = sources.language(task, name)
        if entry.get("from") == WORLD and language not in sources.languages:
            continue
        for split in sources.splits(task, name):
            inputs = tuple(published_inputs(task, entry, name, split))
            path = labelled_path(task, name, split)
            report = f"{path}.report.json" if is_read(task, entry) else None
            yield FileSet(task, name, split, (language,), (path,), report, entry, inputs)
