"""Jobs of labelled data and parallel text. A set is named `task/name` in the rules."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from crosslingua.corpora.datasets.readers import BITEXT_READERS
from crosslingua.corpora.file_set import FileSet
from crosslingua.corpora.labelled.splits import labelled_set, sources
from crosslingua.io.decode import SEPARATOR
from crosslingua.tasks.kinds import KINDS, kind_of
from crosslingua.workflow.checks import TAG_MAPS, published_inputs
from crosslingua.workflow.sources import (
    PARALLEL,
    SPLITS,
    TREEBANKS,
    WORLD,
    Entry,
    Sources,
    data_files,
    dictionary_name,
)
from crosslingua.workflow.workflow import Workflow, once, pair_languages

# Every file set of a scale's data, with its paths and its origin: what `data` makes, and the card describes.


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


PAIRS = "pairs"  # in a list of sets: those that the language pairs give


def either(names: Iterable[str]) -> str:
    """Return a wildcard constraint: one of `names`; nothing matches where there are none."""
    return "|".join(names) or "(?!)"


def chosen(named: int | Sequence[str] | None, given: Sequence[str]) -> list[str]:
    """Return what a key takes of what `pairs` give: all (None), so many of the first, or what a list names.

    In a list PAIRS stands for all that are `given`. What is there twice is taken once.
    """
    if named is None or isinstance(named, int):
        return list(given[:named])
    return list(dict.fromkeys(name for one in named for name in (given if one == PAIRS else [one])))


def by_name(named: Sequence[str]) -> list[str]:
    """Return what such a list names one by one."""
    return [one for one in named if one != PAIRS]


def transferred(w: Workflow, task: str, trained: str) -> list[str]:
    """Return the test sets that a training set is transferred to by `pairs`: one a target, where there is one."""
    language = w.sources.language(task, trained)
    found = [_fellows(w, task, trained, target) for source, target in w.pairs if source == language]
    return [names[0] for names in found if names]


def _fellows(w: Workflow, task: str, trained: str, language: str) -> list[str]:
    """Return the test sets of a language whose labels are those of a training set, the one of its name first.

    Labels are a data set's own, so that others than those of its name will not do; but the 12 universal tags are the
    same wherever they come from.
    """
    sets = w.sources.sets[task]
    own = sets.get(trained, {})
    ending = (
        f"_{own['slots_as']}" if "slots_as" in own else _ending(trained, w.sources.language(task, trained))
    )
    universal = bool(own.get("universal"))
    names = [*([] if ending is None else [f"{language}{ending}"]), *(sets if universal else ())]
    return [
        name
        for name in names
        if name in sets
        and w.sources.language(task, name) == language
        and bool(sets[name].get("universal")) == universal
        and "test" in w.sources.splits(task, name)
    ]


def _ending(name: str, language: str) -> str | None:
    """Return what follows the language in a set's name: `_panx` in `en_panx`; None where another name comes first."""
    ending = name[len(language) :]
    return ending if name.startswith(language) and ending[:1] in ("", "_") else None


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


def task_and_name(labelled: str) -> tuple[str, str]:
    """Split `ner/ana`."""
    task, _, name = labelled.partition("/")
    return task, name


def entry(w: Workflow, labelled: str) -> Entry:
    """Return where a set comes from."""
    task, name = task_and_name(labelled)
    return w.sources.sets[task][name]


def generated_sets(w: Workflow) -> str:
    """Return a constraint: the sets that the world tells, before the suffix that it gives them."""
    return either(
        rf"{task}/{name}(?=[.][a-z]+[.]{kind.world_suffix}$)"
        for task, kind in KINDS.items()
        for name in w.sources.named_from(task, WORLD)
    )


def read_sets(w: Workflow) -> str:
    """Return a constraint: the sets that a reader makes, of published files, your own, or what the world tells."""
    return either(
        f"{task}/{name}"
        for task, kind in KINDS.items()
        for name in w.sources.named_from(task, "file", "published", *([WORLD] if kind.told_as else []))
    )


def derived_sets(w: Workflow) -> str:
    """Return a constraint: the sets that are made of another."""
    return either(f"{task}/{name}" for task in KINDS for name in w.sources.named_from(task, "derived"))


def world_options(w: Workflow, labelled: str) -> dict[str, Any]:
    """Return how the world tells a set: its language, its variant and the sizes of its splits."""
    task, name = task_and_name(labelled)
    chosen = entry(w, labelled)
    return {
        "seed": w.config["world"]["seed"],
        "language": w.sources.language(task, name),
        "variant": chosen.get("variant"),
        "split": list(SPLITS),
        "sentences": [chosen[split] for split in SPLITS],
    }


def world_module(labelled: str) -> str:
    """Return the module that tells a kind of data."""
    return KINDS[task_and_name(labelled)[0]].world


def labelled_files(w: Workflow, labelled: str, split: str) -> list[str]:
    """Return the files that a split is read from."""
    task, name = task_and_name(labelled)
    chosen = entry(w, labelled)
    if chosen["from"] == WORLD:
        return [f"{w.corpora}/{world_path(task, name, split)}"]
    if chosen["from"] == "file":
        return [chosen[split]]
    return fetched(w, published_inputs(task, chosen, name, split))


def table_of_splits(w: Workflow, labelled: str) -> list[str]:
    """Return the table that says what the splits of published sets are; nothing for other sets."""
    published = entry(w, labelled)["from"] not in (WORLD, "file")
    return ["src/crosslingua/corpora/labelled/splits.yaml"] if published else []


def labelled_options(w: Workflow, labelled: str, split: str) -> dict[str, Any]:
    """Return how a split is to be read."""
    task, name = task_and_name(labelled)
    chosen = entry(w, labelled)
    told: dict[str, Any] = {"task": task, "language": w.sources.language(task, name)}
    if chosen["from"] in (WORLD, "file"):
        files = labelled_files(w, labelled, split)
        return told | {"input": files, "format": chosen.get("format", "conllu")}
    maps = fetched(w, [TAG_MAPS])[0] if chosen.get("universal") else None
    own = {"dataset": chosen["from"], "split": chosen[split], "data_dir": w.data}
    renamed = chosen.get("slots_as")
    return told | own | {"seed": w.config["data"]["seed"], "universal": maps, "slots_as": renamed}


def fetched(w: Workflow, files: Iterable[tuple[str, str]]) -> list[str]:
    """Return where (data set, file) pairs lie once they are fetched."""
    return [f"{w.data}/{dataset}/{file}" for dataset, file in files]


def derivation(w: Workflow, made: Entry, words: str = "whitespace") -> dict[str, Any]:
    """Return how a derived language is made of its parent; a word is spelled alike in its text and its tasks."""
    own = {"transform": made["transform"], "overlap": made.get("overlap", 0.0)}
    return own | {"words": words, **w.config["derived"]}


def parent_files(w: Workflow, labelled: str) -> list[str]:
    """Return the files of the set that a derived one is made of, a split each."""
    task, _ = task_and_name(labelled)
    return [
        f"{w.corpora}/{labelled_path(task, entry(w, labelled)['derived_from'], split)}" for split in SPLITS
    ]


def text_derivation(w: Workflow, language: str, cased: str) -> dict[str, Any]:
    """Return how a derived language's text is made; trees are in lower case where the text is."""
    made = w.sources.languages[language]
    order = {"order": word_order(w, made)[0], "trees": trees(w, made)} if "order_of" in made else {}
    lowercase = bool(order) and w.config["text"]["lowercase"] and not cased
    return derivation(w, made) | order | {"lowercase_trees": lowercase}


def derivation_of_set(w: Workflow, labelled: str) -> dict[str, Any]:
    """Return how a derived set is made: sentences are tokenised in the world, and raw in published pairs."""
    task, name = task_and_name(labelled)
    made = entry(w, labelled)
    tokenised = KINDS[task].tagged or w.sources.origin(task, w.sources.root(task, name)) == WORLD
    order = {"order": word_order(w, made)[0]} if "order_of" in made else {}
    return {"kind": task, **derivation(w, made, "whitespace" if tokenised else "punctuation"), **order}


def derivation_plan(w: Workflow, labelled: str) -> str:
    """Write the cells that make a derived set, a split each; return the file."""
    task, name = task_and_name(labelled)
    made = [f"{w.corpora}/{labelled_path(task, name, split)}" for split in SPLITS]
    found = set_trees(w, labelled) or [None] * len(SPLITS)
    columns = zip(parent_files(w, labelled), made, found, strict=True)
    cells = [
        {"input": parent, "out": path, "report": f"{path}.report.json", "trees": tree}
        for parent, path, tree in columns
    ]
    return w.plan(f"derive/{task}.{name}", cells)


def set_trees(w: Workflow, labelled: str) -> list[str]:
    """Return the trees of a set's sentences, a split each, for a transformation of syntax."""
    return trees(w, entry(w, labelled), task_and_name(labelled)[0])


def word_order(w: Workflow, made: Entry) -> list[str]:
    """Return the word order that a transformation of syntax needs; nothing for another."""
    return [f"{w.corpora}/word_order/{made['order_of']}.json"] if "order_of" in made else []


def trees(w: Workflow, made: Entry, task: str = "text") -> list[str]:
    """Return the trees that a transformation of syntax needs: of a text, or of a set's splits."""
    if "order_of" not in made:
        return []
    splits = ("",) if task == "text" else SPLITS
    parent = made["derived_from"]
    if "parsed_as" in made:
        return [f"{w.corpora}/parsed/{task}/{parent}{'.' * bool(split)}{split}.conllu" for split in splits]
    return [f"{w.corpora}/{trees_path(task, parent, split)}" for split in splits]


def treebank(w: Workflow, name: str) -> list[str]:
    """Return the trees of parts of speech: the first split that there is, whole; ARCHIVE::MEMBER if in one."""
    chosen = w.sources.sets[TREEBANKS][name]
    split = next(split for split in SPLITS if split in chosen)
    if chosen["from"] == WORLD:
        return [f"{w.corpora}/{world_path(TREEBANKS, name, split)}"]
    if chosen["from"] == "file":
        return [chosen[split]]
    row, language = labelled_set(chosen["from"]), w.sources.language(TREEBANKS, name)
    wanted = chosen[split]
    rule = row.without.get(wanted)
    whole = rule.of if rule else row.parent(language, wanted) or wanted
    return sources(row.name, row.published(language, whole), w.data)


def treebank_files(w: Workflow, name: str) -> list[str]:
    """Return the files that these trees are in."""
    return [path.partition(SEPARATOR)[0] for path in treebank(w, name)]


def parser_of(w: Workflow, parent: str) -> str:
    """Return the parser of a language's sentences, named by the treebank that it learns from."""
    made = w.sources.languages.values()
    name = next(one["parsed_as"] for one in made if one.get("derived_from") == parent and "parsed_as" in one)
    return f"{w.corpora}/parser/{name}.parser"


def parsed_texts(w: Workflow) -> str:
    """Return a constraint: the languages whose text is parsed."""
    return either(e["derived_from"] for e in w.sources.languages.values() if "parsed_as" in e)


def parsed_file(w: Workflow, task: str, name: str) -> str:
    """Return the sentences that are parsed: a language's text, or a split of a set (`en.train`)."""
    if task == "text":
        return f"{w.corpora}/text_cased/{name}.txt"
    return f"{w.corpora}/{labelled_path(task, *name.split('.'))}"


def parsed_options(task: str) -> dict[str, Any]:
    """Return how the words of sentences are found: as their derivation finds them."""
    apart = task == "text" or KINDS[task].tagged
    return {"kind": task, "words": "whitespace" if apart else "punctuation"}


def parallel_sets(w: Workflow, task: str, *origins: str) -> str:
    """Return a constraint of the wildcard {source}: what stands from there on is the file of a pair of `origins`."""
    names = w.sources.named_from(task, *origins)
    ending = r"[.](links|report[.]json|[a-z0-9_]+[.]txt)$"
    return f"(?=({either(map(re.escape, names))}){ending})[a-z0-9_]+"


def world_parallel(w: Workflow) -> str:
    """Return a constraint of the wildcard {task} of parallel text: what follows is a pair that the world tells."""
    return "|".join(f"{task}(?=/{parallel_sets(w, task, WORLD)})" for task in PARALLEL)


def parallel_files(w: Workflow, task: str, name: str) -> list[str]:
    """Return the files that a pair's text is read from."""
    chosen = w.sources.sets[task][name]
    if chosen["from"] == "file":
        return list(chosen["files"])
    return fetched(w, data_files(chosen))


def bitext_format(w: Workflow, name: str) -> str:
    """Return the format of a bitext's files."""
    chosen = w.sources.sets["bitext"][name]
    if chosen["from"] == "file":
        return chosen.get("format", "parallel_lines")
    return w.datasets[chosen["from"]].format


def held_out(w: Workflow, language: str) -> list[str]:
    """Return the texts of a language that no training text may hold: gold alignments, bitext that tests or validates.

    Those of the controlled world are told apart from its text. A part of a language's text is called `en.what`.
    """
    code = language.partition(".")[0]
    return [
        side_of(w, task, name, pair_languages(name).index(code))
        for task in PARALLEL
        for name, entry in w.sources.sets[task].items()
        if entry["from"] != WORLD and entry["use"] != "train" and code in pair_languages(name)
    ]


def held_out_sides(w: Workflow, name: str) -> tuple[list[str], list[str]]:
    """Return the same of both sides of a bitext that trains; nothing for another."""
    if w.sources.sets["bitext"][name]["use"] != "train":
        return [], []
    source, target = pair_languages(name)
    return held_out(w, source), held_out(w, target)


def held_out_text(w: Workflow, name: str) -> list[str]:
    """Return the files of both sides that a bitext which trains is to leave out."""
    return [path for side in held_out_sides(w, name) for path in side]


def side_of(w: Workflow, task: str, name: str, side: int) -> str:
    """Return the text of one side, 0 or 1, of a set of parallel text."""
    return f"{w.corpora}/{task}/{name}.{pair_languages(name)[side]}.txt"


def sides(w: Workflow, task: str, names: Iterable[str]) -> dict[str, list[str]]:
    """Return both texts of sets of parallel text, by name."""
    return {name: [side_of(w, task, name, side) for side in (0, 1)] for name in names}


def bitext_reader(w: Workflow, name: str) -> str:
    """Return the module of the reader of a bitext."""
    return BITEXT_READERS.module(bitext_format(w, name))


def bitext_options(w: Workflow, name: str) -> dict[str, Any]:
    """Return how a bitext is read."""
    chosen = w.sources.sets["bitext"][name]
    return {
        "format": bitext_format(w, name),
        "max_tokens": w.config["text"]["max_tokens"],
        "take": chosen.get("take"),
        "part": chosen.get("part"),
    }


def bitext_plan(w: Workflow, name: str) -> str:
    """Write which files a bitext is read from, and which are left out of each side, maybe many; return the plan."""
    source, target = held_out_sides(w, name)
    files = {"input": parallel_files(w, "bitext", name), "without_source": source, "without_target": target}
    return w.plan(f"prepare_bitext/{name}", [files])


def world_pair_options(w: Workflow, task: str, name: str) -> dict[str, Any]:
    """Return how much parallel text the world tells."""
    chosen = w.sources.sets[task][name]
    size = {key: chosen.get(key) for key in ("sentences", "split")}
    return {"seed": w.config["world"]["seed"], **size}


def all_data(w: Workflow) -> list[str]:
    """Return every file of a scale's data."""
    return [f"{w.corpora}/{path}" for made in file_sets(w) for path in made.files]


def all_reports(w: Workflow) -> list[str]:
    """Return what readers report on them."""
    return [f"{w.corpora}/{made.report}" for made in file_sets(w) if made.report]


def all_fetched(w: Workflow) -> list[str]:
    """Return every file that a scale's data are downloaded from."""
    return sorted(set(fetched(w, (one for made in file_sets(w) for one in made.inputs))))
