"""Sets of labelled data and parallel text: their names, their files, and how a list selects them."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from crosslingua.corpora.datasets.registry import FileSet
from crosslingua.errors import check_defined
from crosslingua.io.decode import SEPARATOR
from crosslingua.tasks.kinds import KINDS, kind_of
from crosslingua.workflow.checks import published_inputs
from crosslingua.workflow.sources import PARALLEL, WORLD, Entry, data_files, dictionary_files, files_beside
from crosslingua.workflow.workflow import Workflow, once, pair_languages


def check_sets(w: Workflow, key: str, task: str, names: Iterable[str]) -> None:
    """Raise ConfigError for the first of the sets of labelled data, at configuration key `key`, that there is not."""
    check_defined(key, names, w.sources.sets[task], f"the sets of {task}, which world and data.sheets give")


def labelled_path(task: str, name: str, split: str) -> str:
    """Return the contract file of a split."""
    kind = kind_of(task)
    return f"{kind.data_kind}/{name}.{split}.{kind.form.suffix}"


def world_path(task: str, name: str, split: str) -> str:
    """Return the file that the world writes: the contract file, or the source of a reader."""
    return f"{task}/{name}.{split}.{KINDS[task].world_suffix}"


def trees_path(task: str, name: str, split: str) -> str:
    """Return the dependency trees of a split of the world's sentences, or of all its text ("")."""
    if task in KINDS and KINDS[task].has_trees:
        return world_path(task, name, split)
    return f"trees/{task}/{name}.{split}.conllu" if split else f"trees/{task}/{name}.conllu"


def parallel_paths(task: str, name: str, entry: Entry) -> list[str]:
    """Return the two texts of a pair and, where it has gold links, these."""
    source, target = pair_languages(name)
    paths = [f"{task}/{name}.{source}.txt", f"{task}/{name}.{target}.txt"]
    return [*paths, f"{task}/{name}.links"] if task == "gold_alignment" or entry["from"] == WORLD else paths


def file_sets(w: Workflow) -> Iterator[FileSet]:
    """Yield all data of a scale, text and dictionaries first."""
    sources = w.sources
    for name, entry in sources.languages.items():
        report = None if "derived_from" in entry else f"text/{name}.json"
        inputs = (*data_files(entry), *files_beside(entry, w.datasets))
        yield FileSet("text", name, "", (name,), (f"text/{name}.txt",), report, entry, inputs)
    for pair in w.lexicon_pairs.values():
        languages = pair.source, pair.target
        for split in ("train", "test") if pair.dictionary else ():
            entry, path = sources.dictionaries[pair.dictionary], f"dictionaries/{pair.name}/{split}.txt"
            is_published = entry["from"] not in (WORLD, "file")
            named = dictionary_files(entry, split, languages) if is_published else []
            inputs = tuple((entry["from"], name.partition(SEPARATOR)[0]) for name in named)
            yield FileSet("dictionary", pair.name, split, languages, (path,), None, entry, inputs)
    for task, name in [(one, name) for one in PARALLEL for name in sources.sets[one]]:
        entry = sources.sets[task][name]
        if entry["from"] != WORLD or name in w.config.pairs:
            report = None if entry["from"] == WORLD else f"{task}/{name}.report.json"
            files = tuple(parallel_paths(task, name, entry))
            inputs = (*data_files(entry), *files_beside(entry, w.datasets))
            yield FileSet(task, name, "", pair_languages(name), files, report, entry, inputs)
    for task, name in [(one, name) for one in KINDS for name in sources.sets[one]]:
        entry, language = sources.sets[task][name], sources.language(task, name)
        if entry.get("from") == WORLD and language not in sources.languages:
            continue
        # A reader makes the set and reports on it.
        is_read = "from" in entry and (entry["from"] != WORLD or KINDS[task].told_as)
        for split in sources.splits(task, name):
            path, inputs = labelled_path(task, name, split), tuple(published_inputs(entry, name, split))
            report = f"{path}.report.json" if is_read else None
            yield FileSet(task, name, split, (language,), (path,), report, entry, inputs)


PAIRS = "pairs"  # in a list of sets: those that the language pairs give


def either(names: Iterable[str]) -> str:
    """Return a wildcard constraint: one of `names`; nothing matches where there are none."""
    return "|".join(names) or "(?!)"


def chosen(named: int | Sequence[str] | None, given: Sequence[str]) -> list[str]:
    """Return what a key takes of the `given` sets: all (None), the first few, or a list, in which PAIRS is all."""
    if named is None or isinstance(named, int):
        return list(given[:named])
    return list(dict.fromkeys(name for one in named for name in (given if one == PAIRS else [one])))


def by_name(named: Sequence[str]) -> list[str]:
    """Return the sets that such a list names one by one."""
    return [one for one in named if one != PAIRS]


def transferred(w: Workflow, task: str, trained: str) -> list[str]:
    """Return the test sets of a training set by `pairs`: for each target the first with its labels, the set of its name
    before others. Labels belong to a data set, but for the 12 universal tags, which all sets share.
    """
    sets, language = w.sources.sets[task], w.sources.language(task, trained)
    own, tested = sets.get(trained, {}), list[str]()
    universal = bool(own.get("universal"))
    for target in (target for source, target in w.pairs if source == language):
        names = []
        if "slots_as" in own:
            names = [f"{target}_{own['slots_as']}"]
        elif trained == language or trained.startswith(f"{language}_"):  # en_panx: de_panx
            names = [target + trained.removeprefix(language)]
        fellows = (
            name
            for name in (*names, *(sets if universal else ()))
            if name in sets
            and w.sources.language(task, name) == target
            and bool(sets[name].get("universal")) == universal
            and "test" in w.sources.splits(task, name)
        )
        tested += islice(fellows, 1)
    return tested


@once
def of_pair(w: Workflow, task: str, pair: tuple[str, str]) -> list[str]:
    """Return the parallel sets of two languages, in whichever order; the world has them in either."""
    return [
        name
        for name, found in w.sources.sets[task].items()
        if set(pair_languages(name)) == set(pair) and (found["from"] != WORLD or pair_languages(name) == pair)
    ]


def training_bitext(w: Workflow, pair: tuple[str, str]) -> list[str]:
    """Return the bitext for training of two languages, in whichever order."""
    found = w.sources.sets["bitext"]
    return [name for name in of_pair(w, "bitext", pair) if found[name].get("use", "train") == "train"]


def fetched(w: Workflow, files: Iterable[tuple[str, str]]) -> list[str]:
    """Return the paths of downloaded (data set, file) pairs."""
    return [f"{w.data}/{dataset}/{file}" for dataset, file in files]


def held_out(w: Workflow, language: str) -> list[str]:
    """Return the texts that no training text of a language may contain: gold alignments, and other held-out bitext."""
    code = language.partition(".")[0]
    return [
        text_in(w, task, name, code)
        for task in PARALLEL
        for name, entry in w.sources.sets[task].items()
        if entry["from"] != WORLD and entry["use"] != "train" and code in pair_languages(name)
    ]


def side_of(w: Workflow, task: str, name: str, side: int) -> str:
    """Return the text of one side, 0 or 1, of a set of parallel text."""
    return f"{w.corpora}/{task}/{name}.{pair_languages(name)[side]}.txt"


def text_in(w: Workflow, task: str, name: str, language: str) -> str:
    """Return the text of a language in a set of parallel text."""
    return side_of(w, task, name, pair_languages(name).index(language))


def sides(w: Workflow, task: str, names: Iterable[str]) -> dict[str, list[str]]:
    """Return both texts of sets of parallel text, by name."""
    return {name: [side_of(w, task, name, side) for side in (0, 1)] for name in names}


def all_data(w: Workflow) -> list[str]:
    """Return every file of a scale's data."""
    return [f"{w.corpora}/{path}" for made in file_sets(w) for path in made.files]


def all_fetched(w: Workflow) -> list[str]:
    """Return every file that a scale's data are downloaded from."""
    return sorted(set(fetched(w, (one for made in file_sets(w) for one in made.inputs))))
