"""Jobs of word embeddings, and the files of vectors before and after mapping."""

from collections.abc import Iterator, Mapping
from typing import Any

from crosslingua.mappers import MAPPERS
from crosslingua.names import check_defined
from crosslingua.word_embeddings import GRIDS
from crosslingua.workflow.jobs import In, Job
from crosslingua.workflow.text import dictionary_folder, text_of
from crosslingua.workflow.workflow import SYSTEMS, VECTORS, LexiconPair, Workflow, settings_words

# Systems of word vectors: which settings they run under, what of these is chosen, what they need.


# Files of vectors under the settings that were chosen, and under those as published, begin with:
SELECTED, PUBLISHED = "", "published."
SUPERVISED, UNSUPERVISED = "supervised", "unsupervised"
# The wildcards of a rule: a pair with its dictionary.
ANY_PAIR = LexiconPair("{source}", "{target}", "{dictionary}")
ANY_PAIR_OF_CURVE = LexiconPair("{source}", "{target}", "{dictionary}", curve=True)


def systems_of(w: Workflow, pair: LexiconPair) -> dict[str, Mapping[str, Any]]:
    """Return the systems that can run on a pair, by name."""
    return {
        name: choice
        for name, choice in w.systems.items()
        if pair.dictionary or not needs_dictionary(w, choice)
    }


def is_trained(choice: Mapping[str, Any]) -> bool:
    """Whether a system's embeddings see a dictionary in training."""
    return choice["embeddings"] in GRIDS


def needs_dictionary(w: Workflow, choice: Mapping[str, Any]) -> bool:
    """Whether a system trains, chooses gamma, or maps by a dictionary; `choice` is its entry."""
    mapper = choice["mapper"]
    return (
        is_trained(choice)
        or (choice["embeddings"] == "joint_vr" and chooses_gamma(w))
        or (mapper is not None and MAPPERS.needs_dictionary(mapper, mapper_settings(w, choice)))
    )


def supervision(w: Workflow, choice: Mapping[str, Any]) -> str:
    """Return `supervised` for a system that needs a dictionary, else `unsupervised`."""
    return SUPERVISED if needs_dictionary(w, choice) else UNSUPERVISED


def mapper_settings(w: Workflow, choice: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapper's settings: those of the configuration, and over them a system's own."""
    return (w.config["mappers"].get(choice["mapper"]) or {}) | (choice.get("settings") or {})


def grid_of(w: Workflow, name: str) -> Mapping[str, Any]:
    """Return the values that held-out translations choose among, of a mapper or of training with a dictionary."""
    configured = w.vectors["search"]
    if name in configured:
        return configured[name] or {}
    return GRIDS[name] if name in GRIDS else MAPPERS.member(name).grid


def search_words(grid: Mapping[str, Any]) -> list[str]:
    """Return a grid as options of `--search`: name=value|value."""
    return [f"{name}={'|'.join(map(str, values))}" for name, values in grid.items()]


def mapper_grid(w: Workflow, choice: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the values that a mapper's settings are chosen from; none without a dictionary."""
    mapper = choice["mapper"]
    if mapper is None or not MAPPERS.needs_dictionary(mapper, mapper_settings(w, choice)):
        return {}
    return grid_of(w, mapper)


def chooses_gamma(w: Workflow) -> bool:
    """Whether gamma has several candidates, of which one is chosen by a dictionary."""
    return len(w.config["vocabulary_reallocation"]["gamma"]) > 1


def is_chosen(w: Workflow, choice: Mapping[str, Any]) -> bool:
    """Whether settings of a system, or its gamma, are chosen."""
    name = choice["embeddings"]
    gamma = name.startswith("joint_vr") and chooses_gamma(w)
    return gamma or bool(mapper_grid(w, choice)) or (is_trained(choice) and bool(grid_of(w, name)))


def variants(w: Workflow, choice: Mapping[str, Any], pair: LexiconPair = ANY_PAIR) -> tuple[str, ...]:
    """Return under which settings a system runs: those chosen, and, where there was a choice, those published.

    The choice is the mapper's where there is one. Training as published is a matter of the scale.
    """
    if choice["mapper"] or not is_trained(choice):
        return variants_of(bool(mapper_grid(w, choice)), pair)
    searched = bool(grid_of(w, choice["embeddings"])) and w.vectors["published_training"]
    return variants_of(searched, pair)


def variants_of(searched: bool, pair: LexiconPair) -> tuple[str, ...]:
    """Return the settings of a system by whether they are searched for; the dictionary curve has none published."""
    return (SELECTED, PUBLISHED) if searched and not pair.curve else (SELECTED,)


def check_systems(w: Workflow) -> None:
    """Raise ConfigError when a system, or the choice of gamma, names a mapper that is not there."""
    used = {f"{SYSTEMS}.{name}.mapper": system["mapper"] for name, system in w.systems.items()}
    used["vocabulary_reallocation.selection_mapper"] = w.config["vocabulary_reallocation"]["selection_mapper"]
    used |= {f"mappers.{name}": name for name in w.config["mappers"]}
    for key, mapper in used.items():
        check_defined(key, mapper or (), MAPPERS, "the mappers")
    searched = list(w.vectors["search"])
    check_defined(f"{VECTORS}.search", searched, [*MAPPERS, *GRIDS], "what has settings to choose")


# Files of vectors, before mapping and after.


SIDES = ("source", "target")
# Joint training, and reallocation by the criterion that needs none.
WITHOUT_DICTIONARY = ("joint", "joint_vr_unsupervised")


def embeddings_folder(w: Workflow) -> str:
    """Return the folder of word embeddings before any mapping."""
    return f"{w.results}/word_embeddings"


def chosen_settings(w: Workflow, kind: str, pair: LexiconPair, variant: str) -> list[str]:
    """Return the file of settings that a training follows; none as published, or where nothing is chosen."""
    chosen = bool(grid_of(w, kind)) and variant == SELECTED
    return [f"{embeddings_folder(w)}/{kind}/{pair.name}/choice.json"] if chosen else []


def space(
    w: Workflow, embeddings: str, pair: LexiconPair, seed: int, name: str, variant: str = SELECTED
) -> str:
    """Return a file of a pair's embeddings before any mapping: `source.vec`, `target.vec` or `shared.txt`."""
    folder = embeddings_folder(w)
    if embeddings == "independent":
        language = {"source.vec": pair.source, "target.vec": pair.target}[name]
        return f"{folder}/independent/{language}/seed{seed}.vec"
    place = f"{pair.source}-{pair.target}" if embeddings in WITHOUT_DICTIONARY else pair.name
    trained_as = variant if embeddings in GRIDS else ""
    return f"{folder}/{embeddings}/{place}/{trained_as}seed{seed}.{name}"


def has_shared_words(embeddings: str) -> bool:
    """Whether the languages of a space have words in common, which refinement leaves where they are."""
    return embeddings.startswith("joint")


def mapped(w: Workflow, system: str, pair: LexiconPair, seed: int, name: str, variant: str = SELECTED) -> str:
    """Return a file that a system's mapping of a pair writes."""
    return f"{w.results}/embedding_alignment/{pair.name}/{system}/{variant}seed{seed}.{name}"


def final(w: Workflow, system: str, pair: LexiconPair, seed: int, name: str, variant: str = SELECTED) -> str:
    """Return the vectors that a system is judged by."""
    choice = w.systems[system]
    if choice["mapper"] is None:
        return space(w, choice["embeddings"], pair, seed, name, variant)
    return mapped(w, system, pair, seed, name, variant)


# Jobs of training: vectors of a language, or of two in one space.


def training_jobs(w: Workflow) -> Iterator[Job]:
    """Yield the jobs that train vectors, a seed each, and those that choose how to train with a dictionary."""
    for seed in w.seeds:
        for language in w.sources.languages:
            yield from (_independent(w, language, half, seed) for half in ("", "even.", "odd."))
        for source, target in w.pairs:
            yield _joint(w, *sorted([source, target]), seed)
    for pair in (*w.lexicon_pairs.values(), *w.curve_pairs.values()):
        for kind, kinds in trained_kinds(w, pair).items():
            if grid_of(w, kind):
                yield _choosing(w, kind, pair)
            for variant in kinds:
                yield from (_under_dictionary(w, kind, pair, variant, seed) for seed in w.seeds)


def trained_kinds(w: Workflow, pair: LexiconPair) -> dict[str, list[str]]:
    """Return the embeddings of a pair's systems that see its dictionary in training, each with its variants."""
    kinds: dict[str, list[str]] = {}
    for choice in systems_of(w, pair).values():
        if is_trained(choice):
            asked = (SELECTED,) if choice["mapper"] else variants(w, choice, pair)
            trained = kinds.setdefault(choice["embeddings"], [])
            trained += [variant for variant in asked if variant not in trained]
    return kinds


def dictionary_part(w: Workflow, pair: LexiconPair, part: str) -> In:
    """Return a part of a pair's dictionary as an input: train (fit and validation), fit, validation, test."""
    return In(f"{dictionary_folder(w, pair.name)}/{part}.txt")


def _texts(w: Workflow, *languages: str) -> list[In]:
    return [In(text_of(w, language)) for language in languages]


def _fasttext(w: Workflow, *, joint: bool = False) -> dict[str, Any]:
    """Return the options of fastText; a joint vocabulary may hold the words of both languages."""
    settings = w.config["word_embeddings"]
    return settings | ({"max_vocabulary": 2 * settings["max_vocabulary"]} if joint else {})


def _independent(w: Workflow, language: str, half: str, seed: int) -> Job:
    """Return the job of vectors of one language, of all its text or of a half (`even.`, `odd.`) of its lines."""
    options = {
        "text": _texts(w, language),
        "seed": seed,
        **_fasttext(w),
        "lines": half.removesuffix(".") or None,
    }
    return Job("train_embeddings.py", f"train_independent/{language}/{half}seed{seed}", options=options)


def concatenated(w: Workflow, source: str, target: str, seed: int) -> str:
    """Return the vectors of joint training, which does not know source from target."""
    return f"{embeddings_folder(w)}/concatenated/{'+'.join(sorted([source, target]))}/seed{seed}.vec"


def _joint(w: Workflow, first: str, second: str, seed: int) -> Job:
    options = {"text": _texts(w, first, second), "seed": seed, **_fasttext(w, joint=True)}
    return Job("train_embeddings.py", f"train_joint/{first}+{second}/seed{seed}", options=options)


# Of what sees a dictionary in training: script, first part of jobs' names, and the option that takes the dictionary.
TRAINED_BY = {
    "joint_replace": ("train_embeddings.py", "train_joint_replace", "replace"),
    "duong": ("train_duong.py", "train_duong", "dictionary"),
}


def _under_dictionary(w: Workflow, kind: str, pair: LexiconPair, variant: str, seed: int) -> Job:
    """Return the job of training under a dictionary, or on texts in which words were replaced by it."""
    script, name, dictionary = TRAINED_BY[kind]
    options = {
        "text": _texts(w, pair.source, pair.target),
        dictionary: dictionary_part(w, pair, "train"),
        "seed": seed,
        **(_duong(w, variant) if kind == "duong" else _fasttext(w, joint=True) | w.config[kind]),
        "choice": [In(path) for path in chosen_settings(w, kind, pair, variant)],
    }
    return Job(script, f"{name}/{pair.name}/{variant}seed{seed}", options=options)


def _duong(w: Workflow, variant: str = SELECTED) -> dict[str, Any]:
    """Return the settings of duong: those of its section, and of vectors in general; or as published."""
    general = w.config["word_embeddings"]
    names = {"dim": "dim", "min_count": "minCount", "max_vocabulary": "max_vocabulary"}
    sizes = {name: general[key] for name, key in names.items()}
    return (w.config["duong"] if variant == SELECTED else {}) | sizes


def _choosing(w: Workflow, kind: str, pair: LexiconPair) -> Job:
    """Return the job that chooses settings of training: those given, and the values to choose among."""
    settings = _duong(w) if kind == "duong" else _fasttext(w) | w.config[kind]
    size = settings.pop("max_vocabulary")
    options = {
        "kind": kind,
        "set": settings_words(settings),
        "search": search_words(grid_of(w, kind)),
        "max_vocabulary": size,
        "seed": w.seeds[0],
        "text": _texts(w, pair.source, pair.target),
        **{part: dictionary_part(w, pair, part) for part in ("fit", "validation")},
    }
    return Job("choose_training.py", f"choose_training/{kind}/{pair.name}", options=options)


# Jobs of mappers: one a system and pair, for all seeds.


_MAPPED = {"source": "source.vec", "target": "target.vec", "details": "details.json"}
ANY_SYSTEM = "{system}"  # the wildcard of a rule


def mapped_systems(w: Workflow, *, searched: bool) -> list[str]:
    """Return the systems that have a mapper: those whose settings are searched for on held-out pairs, or the others."""
    return [
        name
        for name, choice in w.systems.items()
        if choice["mapper"] and bool(mapper_grid(w, choice)) == searched
    ]


def dictionary_names(pairs: Mapping[str, LexiconPair]) -> list[str]:
    """Return what stands for the dictionary in the names of pairs: `none` where there is none."""
    return list(dict.fromkeys(name.rpartition(".")[2] for name in pairs))


def mapping_outputs(
    w: Workflow, pair: LexiconPair = ANY_PAIR, *, searched: bool = False
) -> dict[str, list[str]]:
    """Return what mapping a pair for a system writes, in wildcards: vectors and reports.

    Where settings are `searched` for also those that were chosen, and, but on the curve, what the published ones give.
    """
    kinds = variants_of(searched, pair)
    files = {
        name: [mapped(w, ANY_SYSTEM, pair, seed, file, kind) for kind in kinds for seed in w.seeds]
        for name, file in _MAPPED.items()
    }
    return files | ({"choice": [mapper_choice_file(w, ANY_SYSTEM, pair)]} if searched else {})


def mapper_choice_file(w: Workflow, system: str, pair: LexiconPair) -> str:
    """Return the settings that were chosen for a system's mapper."""
    return mapped(w, system, pair, 0, "").rpartition("/")[0] + "/choice.json"


def mapping_jobs(w: Workflow) -> Iterator[Job]:
    """Yield the jobs of mappers: one a system and pair, for all seeds."""
    for pair in (*w.lexicon_pairs.values(), *w.curve_pairs.values()):
        for system, choice in systems_of(w, pair).items():
            if choice["mapper"] and not (pair.curve and not mapper_grid(w, choice)):
                yield _mapping_job(w, system, pair)


def _mapping_job(w: Workflow, system: str, pair: LexiconPair) -> Job:
    choice = w.systems[system]
    supervised = MAPPERS.needs_dictionary(choice["mapper"], mapper_settings(w, choice))
    searched = bool(mapper_grid(w, choice))
    reads = {
        "dictionary": ("train", supervised),
        "fit": ("fit", searched),
        "validation": ("validation", searched),
    }
    return Job(
        "align_vectors.py",
        f"align_vectors/{pair.name}.{system}",
        [_mapping_line(w, system, pair, seed) for seed in w.seeds],
        {"mapper": choice["mapper"]}
        | {
            name: dictionary_part(w, pair, part) if needed else None for name, (part, needed) in reads.items()
        },
        system_modules(w, system),
    )


def _mapping_line(w: Workflow, system: str, pair: LexiconPair, seed: int) -> dict[str, Any]:
    """Return the line of a seed; the first seed chooses the settings."""
    choice = w.systems[system]
    embeddings, grid = choice["embeddings"], mapper_grid(w, choice)
    published = PUBLISHED in variants_of(bool(grid), pair)
    return {
        **{side: In(space(w, embeddings, pair, seed, f"{side}.vec")) for side in SIDES},
        "shared": In(space(w, embeddings, pair, seed, "shared.txt")) if has_shared_words(embeddings) else "",
        "seed": seed,
        "set": settings_words(mapper_settings(w, choice)),
        "details": mapped(w, system, pair, seed, "details.json"),
        **{f"out_{side}": mapped(w, system, pair, seed, f"{side}.vec") for side in SIDES},
        "search": search_words(grid),
        "choice": mapper_choice_file(w, system, pair) if grid else "",
        "choosing": bool(grid) and seed == w.seeds[0],
        **{
            f"published_{name}": mapped(w, system, pair, seed, file, PUBLISHED) if published else ""
            for name, file in _MAPPED.items()
        },
    }


def system_modules(w: Workflow, system: str) -> list[str]:
    """Return the modules of a system's mapper."""
    choice = w.systems[system]
    return mapper_modules(w, choice["mapper"], mapper_settings(w, choice))


def mapper_modules(w: Workflow, mapper: str | None, settings: Mapping[str, Any] | None = None) -> list[str]:
    """Return the modules of a mapper, and of the one that it wraps."""
    configured = w.config["mappers"].get(mapper) or {}
    return MAPPERS.modules(mapper, configured if settings is None else settings) if mapper else []


# Jobs that divide a joint vocabulary, and reallocate its words.


def division_jobs(w: Workflow) -> Iterator[Job]:
    """Yield the jobs that divide joint vocabularies, one a pair for all seeds.

    Shared is what occurs in both corpora; after joint_vr what is about as frequent in either.
    """
    size = {"max_vocabulary": _fasttext(w)["max_vocabulary"]}
    for source, target in w.pairs:
        pair = LexiconPair(source, target, "")
        yield _division(w, "joint", pair, size)
    for pair in (*w.lexicon_pairs.values(), *w.curve_pairs.values()):
        if reads_joint_vr(w, pair):
            yield _division(w, "joint_vr", pair, reallocation(w, pair))
        for variant in trained_kinds(w, pair).get("joint_replace", ()):
            yield _division(w, "joint_replace", pair, size, variant)


def reads_joint_vr(w: Workflow, pair: LexiconPair) -> bool:
    """Whether a system of a pair reads vectors after reallocation; figure 1 of joint_align draws them."""
    drawn = bool(w.vectors["figure1"]) and bool(pair.dictionary) and not pair.curve
    return drawn or any(choice["embeddings"] == "joint_vr" for choice in systems_of(w, pair).values())


def _division(
    w: Workflow, kind: str, pair: LexiconPair, options: Mapping[str, Any], variant: str = SELECTED
) -> Job:
    """Return the job of a pair; a language looks up the words of its own text, as it was before replacement."""
    counts = zip(SIDES, (pair.source, pair.target), strict=True)
    place = f"{pair.source}-{pair.target}" if kind in WITHOUT_DICTIONARY else pair.name
    mapper = {"joint": "muse", "joint_vr": w.config["vocabulary_reallocation"]["selection_mapper"]}.get(kind)
    return Job(
        "divide_vocabulary.py",
        f"divide_vocabulary/{kind}.{variant}{place}",
        _division_lines(w, kind, pair, variant),
        {f"counts_{side}": In(f"{w.corpora}/counts/{language}.tsv") for side, language in counts} | options,
        mapper_modules(w, mapper),
    )


def division_outputs(w: Workflow, kind: str, variant: str = SELECTED) -> dict[str, list[str]]:
    """Return what dividing a pair's joint vocabulary writes, with wildcards."""
    lines = _division_lines(w, kind, ANY_PAIR, variant)
    names = {"source": "out_source", "target": "out_target", "shared": "out_shared", "report": "report"}
    return {name: list(dict.fromkeys(line[column] for line in lines)) for name, column in names.items()}


def _division_lines(w: Workflow, kind: str, pair: LexiconPair, variant: str) -> list[dict[str, Any]]:
    """Return a line for each seed; of joint also those that are reallocated without a dictionary."""
    unsupervised = "joint_vr_unsupervised"
    asked = any(choice["embeddings"] == unsupervised for choice in w.systems.values())
    kinds = [kind, unsupervised] if kind == "joint" and asked else [kind]
    return [_division_line(w, name, pair, variant, seed) for name in kinds for seed in w.seeds]


def _division_line(w: Workflow, kind: str, pair: LexiconPair, variant: str, seed: int) -> dict[str, Any]:
    trained_on = concatenated(w, pair.source, pair.target, seed)
    if kind == "joint_replace":
        trained_on = f"{embeddings_folder(w)}/replaced/{pair.name}/{variant}seed{seed}.vec"
    return {
        "vectors": In(trained_on),
        "seed": seed,
        "report": report_file(w, kind, pair, variant),
        **{f"out_{side}": space(w, kind, pair, seed, f"{side}.vec", variant) for side in SIDES},
        "out_shared": space(w, kind, pair, seed, "shared.txt", variant),
        **(_unsupervised_reallocation(w) if kind == "joint_vr_unsupervised" else {}),
    }


def report_file(w: Workflow, kind: str, pair: LexiconPair, variant: str = SELECTED) -> str:
    """Return the report on what dividing a pair's joint vocabulary moved."""
    return f"{space(w, kind, pair, w.seeds[0], '').rpartition('/')[0]}/{variant}division.json"


def _unsupervised_reallocation(w: Workflow) -> dict[str, Any]:
    """Return how a joint space is refined without a dictionary: from where it is, by MUSE's rounds."""
    muse = w.config["mappers"].get("muse") or {}
    cutoff = {key: value for key, value in muse.items() if key == "vocabulary_cutoff"}
    settings = settings_words({"initialisation": "identity", **cutoff})
    return {
        "gamma": w.config["vocabulary_reallocation"]["gamma"],
        "selection_mapper": "muse",
        "set": settings,
    }


def reallocation(w: Workflow, pair: LexiconPair) -> dict[str, Any]:
    """Return the options of reallocation: candidates of gamma, and how they are compared, unless there is one."""
    section = w.config["vocabulary_reallocation"]
    mapper, parts = section["selection_mapper"], ("fit", "validation") if chooses_gamma(w) else ()
    return {
        "gamma": section["gamma"],
        "max_vocabulary": w.config["word_embeddings"]["max_vocabulary"],
        "selection_mapper": mapper,
        "set": settings_words(w.config["mappers"].get(mapper)),
        **{part: dictionary_part(w, pair, part) for part in parts},
    }
