"""Jobs of corpora: text, dictionaries, labelled data, parallel text and derived languages."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from crosslingua.corpora.datasets.readers import BITEXT_READERS, DICTIONARY_READERS, TEXT_READERS
from crosslingua.corpora.labelled.splits import labelled_set, sources
from crosslingua.errors import given, visible
from crosslingua.io.decode import SEPARATOR
from crosslingua.places import code
from crosslingua.tasks.kinds import KINDS
from crosslingua.workflow.checks import TAG_MAPS, published_inputs
from crosslingua.workflow.jobs import In, Job
from crosslingua.workflow.labelled import (
    either,
    fetched,
    held_out,
    labelled_path,
    side_of,
    trees_path,
    world_path,
)
from crosslingua.workflow.runs import Run, Tokeniser, runs, tokenisers
from crosslingua.workflow.sources import (
    PARALLEL,
    PARTS,
    SPLITS,
    TREEBANKS,
    WORLD,
    Entry,
    bitext_of,
    data_files,
    dictionaries_of,
    files_beside,
)
from crosslingua.workflow.text import (
    dictionary_folder,
    dictionary_inputs,
    leave_out,
    parts_of,
    raw_text,
    text_beside,
    text_of,
)
from crosslingua.workflow.word_alignment import bitext_links
from crosslingua.workflow.workflow import LexiconPair, Workflow, pair_languages

TOLD_BY = "crosslingua.corpora.world.text"
# Settings of one text, over `text`, which holds for all.
OWN = ("deduplicate", "column", "part", "min_tokens", "max_tokens")
TABLE_OF_SPLITS = "crosslingua/corpora/labelled/splits.yaml"  # says what the splits of published sets are
ENDING = r"[.](links|report[.]json|[a-z0-9_]+[.]txt)$"  # of a file of parallel text, after the pair's name


def world_job(w: Workflow, name: str, module: str, told: Mapping[str, Any]) -> Job:
    """Return the job by which `module` generates data of the world, with the options `told`."""
    world = given(w.config.world)
    options = {"languages": In(world.languages), "seed": world.seed, **told}
    made = [f"{w.corpora}/{path}" for path in (re.sub("^text/", "world/", name), f"trees/{name}")]
    return Job("generate_world.py", f"generate_world/{name}", options=options, members=[module], makes=made)


def text_jobs(w: Workflow) -> Iterator[Job]:
    """Yield the jobs that generate and prepare texts, cased and lower-cased, and count the words of the latter."""
    for language, entry in w.sources.languages.items():
        if entry.get("from") == WORLD:
            told = {"language": language, "sentences": entry["sentences"]}
            yield world_job(w, f"text/{language}", TOLD_BY, told)
        if "derived_from" not in entry:
            yield _prepared(w, language)
        text, made = {"text": In(text_of(w, language))}, [f"{w.corpora}/counts/{language}"]
        yield Job("count_words.py", f"count_words/{language}", options=text, makes=made)
    # Encoders read text with its case, as their task data have theirs: parents of derived texts, and parts of others.
    trained: list[Tokeniser | Run] = [*tokenisers(w).values(), *runs(w).values()]
    read = [language for one in trained for language in one.languages]
    roots = dict.fromkeys(w.sources.root("text", one) for one in read if one in w.sources.languages)
    for language in dict.fromkeys(part for root in roots for part in [root, *parts_of(w, root)]):
        yield _prepared(w, language, "_cased")


def _prepared(w: Workflow, language: str, cased: str = "") -> Job:
    """Return the job that prepares a text. Its plan names the files, since a corpus of novels has many."""
    files = {"input": raw_text(w, language, cased), "without": leave_out(w, language)}
    line = {name: [In(path) for path in paths] for name, paths in files.items()}
    read_as = reading_of(w, language)
    text = w.config.text
    settings = dict(text) | {"part": None} | ({"lowercase": False} if cased else {}) | read_as
    if not cased and (part := text.part.get(language)):
        settings["part"] = part
    return Job(
        "prepare_text.py",
        f"prepare_text/{language}{cased}",
        [line],
        settings | {"language": language.partition(".")[0]},
        [TEXT_READERS.module(read_as.get("format", "lines"))],
        reads=text_beside(w, language),
        makes=[f"{w.corpora}/text{cased}/{language}"],
    )


def reading_of(w: Workflow, language: str) -> dict[str, Any]:
    """Return how to read a text: its format, a tokeniser other than the language's default, its settings of OWN."""
    entry = w.sources.languages[language]
    if entry["from"] == WORLD:
        return {"tokeniser": "none"}
    own = {key: entry[key] for key in OWN if key in entry}
    if entry["from"] == PARTS:
        return {"tokeniser": "none", **own}
    row = w.datasets.get(entry["from"])
    # One side of bitext is text.
    text_format = "lines" if row is None or row.format in ("parallel_lines", "tab_pairs") else row.format
    return {
        "format": entry.get("format", text_format),
        "split_sentences": bool(row and row.paragraphs),
        "member": entry.get("member"),
        "tokeniser": entry.get("tokeniser"),
        **own,
    }


def dictionary_jobs(w: Workflow) -> Iterator[Job]:
    """Yield the jobs that generate or divide dictionaries of the language pairs and of bitext, in both directions."""
    lowercase = {"lowercase": w.config.text.lowercase}
    named = dict.fromkeys([*w.pairs, *map(pair_languages, w.sources.sets["bitext"])])
    for source, target in dict.fromkeys(pair for one in named for pair in (one, one[::-1])):
        for dictionary in dictionaries_of(w.sources, (source, target), w.datasets):
            entry, pair = w.sources.dictionaries[dictionary], LexiconPair(source, target, dictionary)
            if entry["from"] == WORLD:
                shares = {"share": entry["share"], "trainable": given(w.config.world).trainable}
                languages = {"source": source, "target": target}
                yield world_job(w, f"dictionaries/{pair.name}", TOLD_BY, lowercase | shares | languages)
                continue
            read_as = "muse" if entry["from"] == "file" else w.datasets[entry["from"]].format
            files = {split: dictionary_inputs(w, pair, split) for split in ("train", "test")}
            options = {
                "languages": [source, target],
                "format": read_as,
                **lowercase,
                "validation_share": w.config.dictionaries.validation_share,
                "words": entry.get("words"),
                **_linked(w, entry, pair),
                # One file is no list, so that hashes in committed rows stay.
                **{split: named if len(named) > 1 else named[0] for split, named in files.items()},
            }
            name, made = f"prepare_dictionary/{pair.name}", [dictionary_folder(w, pair.name)]
            reader = DICTIONARY_READERS.module(read_as)
            yield Job("prepare_dictionary.py", name, options=options, members=[reader], makes=made)


def _linked(w: Workflow, entry: Entry, pair: LexiconPair) -> dict[str, Any]:
    """Return the bitext whose linked words train a dictionary, and its links."""
    if "bitext" not in entry:
        return {}
    name = bitext_of(entry, (pair.source, pair.target))
    return {
        "bitext": [In(side_of(w, "bitext", name, side)) for side in (0, 1)],
        "links": In(bitext_links(w, name)),
    }


def told_downloads(w: Workflow, files: Iterable[tuple[str, str]]) -> str:
    """Return in words what will be fetched of the network: (data set, file) pairs, by data set with its size."""
    sizes: dict[str, list[int]] = {}
    for dataset, file in files:
        entry = w.datasets[dataset].files.get(file)
        sizes.setdefault(dataset, []).append((entry and entry.size) or 0)
    if not sizes:
        return ""
    number, total = sum(map(len, sizes.values())), sum(map(sum, sizes.values())) / 1e6
    named = ", ".join(f"{name} {sum(own) / 1e6:.1f} MB" for name, own in sorted(sizes.items()))
    return visible(
        f"Downloads: {number} files of {len(sizes)} data sets, {total:,.0f} MB as far as sizes are known, into"
        f" {w.data}: {named}. MIRROR=<folder or URL> takes them from there first: <mirror>/<data set>/<file>."
    )


def labelled_jobs(w: Workflow) -> Iterator[Job]:
    """Yield the jobs of labelled data: a job a set, or a job a split of sets that are read."""
    for task, kind in KINDS.items():
        for name, entry in w.sources.sets[task].items():
            if "derived_from" in entry:
                yield _derived_set(w, task, name)
                continue
            if entry["from"] == WORLD:
                told = {"language": w.sources.language(task, name), "variant": entry.get("variant")}
                sizes = {"split": list(SPLITS), "sentences": [entry[split] for split in SPLITS]}
                yield world_job(w, f"{task}/{name}", kind.world, told | sizes)
            if entry["from"] != WORLD or kind.told_as:
                yield from (_read_split(w, task, name, split) for split in SPLITS if split in entry)


def _read_split(w: Workflow, task: str, name: str, split: str) -> Job:
    entry = w.sources.sets[task][name]
    options: dict[str, Any] = {"task": task, "language": w.sources.language(task, name)}
    files = list[str]()
    if entry["from"] in (WORLD, "file"):
        told = entry["from"] == WORLD
        path = f"{w.corpora}/{world_path(task, name, split)}" if told else entry[split]
        options |= {"input": [In(path)], "format": entry.get("format", "conllu")}
    else:
        options |= {"dataset": entry["from"], "split": entry[split], "data_dir": w.data}
        options |= {"take": entry.get("take")} if split != "train" else {}
        tags = fetched(w, [TAG_MAPS])[0] if entry.get("universal") else None
        options |= {"seed": w.config.data.seed, "universal": tags, "slots_as": entry.get("slots_as")}
        files = [*fetched(w, published_inputs(entry, name, split)), code(TABLE_OF_SPLITS)]
    job, made = f"{task}/{name}.{split}", [f"{w.corpora}/{labelled_path(task, name, split)}"]
    return Job("prepare_labelled.py", f"prepare_labelled/{job}", options=options, reads=files, makes=made)


def _derived_set(w: Workflow, task: str, name: str) -> Job:
    """Return the job that derives a set. Sentences of the world are tokenised, published pairs are raw."""
    entry = w.sources.sets[task][name]
    told = w.sources.origin(task, w.sources.root(task, name)) == WORLD
    words = "whitespace" if told or KINDS[task].tagged else "punctuation"
    lines, no_trees = [], [None] * len(SPLITS)
    for split, tree in zip(SPLITS, trees(w, entry, task) or no_trees, strict=True):
        parent, made = (
            f"{w.corpora}/{labelled_path(task, one, split)}" for one in (entry["derived_from"], name)
        )
        lines.append({"input": In(parent), "out": made, "report": f"{made}.report.json", "trees": tree})
    options = {"kind": task, **derivation(w, entry, words)}
    return Job("derive_language.py", f"derive/{task}.{name}", lines, options)


def sets_from(w: Workflow, *origins: str, tasks: Iterable[str] = KINDS, ending: str = "[.]") -> str:
    """Return a constraint of the wildcard {task}: a slash, a set from one of `origins`, and the ending follow it."""
    names = {task: map(re.escape, w.sources.named_from(task, *origins)) for task in tasks}
    return either(f"{task}(?=/({either(found)}){ending})" for task, found in names.items())


def told_sets(w: Workflow) -> str:
    """Return the constraint for sets of the world, with the suffix that it gives them."""
    endings = {task: rf"[.][a-z]+[.]{kind.world_suffix}$" for task, kind in KINDS.items()}
    return either(sets_from(w, WORLD, tasks=[task], ending=ending) for task, ending in endings.items())


def read_sets(w: Workflow) -> str:
    """Return the constraint for sets that a reader makes."""
    told = {task: [WORLD] if kind.told_as else [] for task, kind in KINDS.items()}
    return either(sets_from(w, "file", "published", *more, tasks=[task]) for task, more in told.items())


def derivation(w: Workflow, entry: Entry, words: str = "whitespace") -> dict[str, Any]:
    """Return how a derived language is made of its parent. Text and tasks spell a word alike."""
    order = {"order": In(f"{w.corpora}/word_order/{entry['order_of']}.json")} if "order_of" in entry else {}
    made = {"transform": entry["transform"], "overlap": entry.get("overlap", 0.0), "words": words}
    return made | dict(w.config.derived) | order


def derivation_jobs(w: Workflow) -> Iterator[Job]:
    """Yield the jobs that derive texts, cased and lower-cased, and the jobs that learn word orders for these."""
    for language, entry in w.sources.languages.items():
        for cased in ("", "_cased") if "derived_from" in entry else ():
            folder = f"{w.corpora}/text{cased}"
            options = {
                "kind": "text",
                "input": In(f"{folder}/{w.sources.root('text', language)}.txt"),
                **derivation(w, entry),
                "trees": trees(w, entry),
                "lowercase_trees": "order_of" in entry
                and w.config.text.lowercase
                and not cased,  # as the text
            }
            name, made = f"derive_text{cased}/{language}", [f"{folder}/{language}"]
            yield Job("derive_language.py", name, options=options, makes=made)
        if treebank := entry.get("order_of"):
            options = {"input": [In(path, path.partition(SEPARATOR)[0]) for path in _trees_of(w, treebank)]}
            name, made = f"train_word_order/{treebank}", [f"{w.corpora}/word_order/{treebank}"]
            learnt = ["crosslingua.corpora.derived.order_training"]
            yield Job("train_word_order.py", name, options=options, members=learnt, makes=made)


def trees(w: Workflow, entry: Entry, task: str = "text") -> list[In]:
    """Return the trees that a transformation of syntax needs: of a text, or of a set's splits."""
    if "order_of" not in entry:
        return []
    parent, splits = entry["derived_from"], ("",) if task == "text" else SPLITS
    if "trees" in entry:
        return [In(entry["trees"])] * len(splits)
    return [In(f"{w.corpora}/{trees_path(task, parent, split)}") for split in splits]


def _trees_of(w: Workflow, name: str) -> list[str]:
    """Return the files of a treebank's first split; ARCHIVE::MEMBER if in one."""
    entry = w.sources.sets[TREEBANKS][name]
    split = next(split for split in SPLITS if split in entry)
    if entry["from"] == WORLD:
        return [f"{w.corpora}/{world_path(TREEBANKS, name, split)}"]
    if entry["from"] == "file":
        return [entry[split]]
    row, language = labelled_set(entry["from"]), w.sources.language(TREEBANKS, name)
    wanted = entry[split]
    rule = row.made.get(wanted)
    whole = rule.of if rule else row.parent(language, wanted) or wanted
    return sources(row.name, row.published(language, whole), w.data)


def parallel_sets(w: Workflow, task: str, *origins: str) -> str:
    """Return a constraint of the wildcard {source}: the file of a pair of `origins` follows it."""
    names = w.sources.named_from(task, *origins)
    return f"(?=({either(map(re.escape, names))}){ENDING})[a-z0-9_]+"


def parallel_jobs(w: Workflow) -> Iterator[Job]:
    """Yield the jobs of parallel text, generated or read, one a set."""
    for task, name in [(one, name) for one in PARALLEL for name in w.sources.sets[one]]:
        entry, languages = w.sources.sets[task][name], pair_languages(name)
        made = [f"{w.corpora}/{task}/{name}"]
        if entry["from"] == WORLD:
            told = {key: entry.get(key) for key in ("sentences", "split")}
            told |= dict(zip(("source", "target"), languages, strict=True))
            yield world_job(w, f"{task}/{name}", "crosslingua.corpora.world.bitext", told)
            continue
        mine = entry["from"] == "file"
        files = [In(path) for path in (entry["files"] if mine else fetched(w, data_files(entry)))]
        if task != "bitext":
            archive = {"archive": files, "pair": "-".join(languages)}
            yield Job(
                "prepare_gold_alignment.py", f"prepare_gold_alignment/{name}", options=archive, makes=made
            )
            continue
        read_as = entry.get("format", "parallel_lines") if mine else w.datasets[entry["from"]].format
        line = {"input": files}
        for side, language in zip(("source", "target"), languages, strict=True):
            # Training bitext leaves out the held-out sentences of both sides.
            others = held_out(w, language) if entry["use"] == "train" else []
            line[f"without_{side}"] = [In(path) for path in others]
        options = {
            "languages": list(languages),
            "format": read_as,
            "max_tokens": w.config.text.max_tokens,
            "take": entry.get("take"),
            "part": entry.get("part"),
        }
        reader = [BITEXT_READERS.module(read_as)]
        beside = fetched(w, files_beside(entry, w.datasets))
        yield Job("prepare_bitext.py", f"prepare_bitext/{name}", [line], options, reader, beside, makes=made)
