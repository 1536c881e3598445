"""Jobs of word embeddings, and the files of vectors before and after mapping."""

from collections.abc import Iterator, Mapping
from typing import Any

from crosslingua.errors import check_defined
from crosslingua.mappers import MAPPERS
from crosslingua.word_embeddings import GRIDS
from crosslingua.workflow.jobs import In, Job
from crosslingua.workflow.sections import SystemSection
from crosslingua.workflow.text import dictionary_folder, text_of
from crosslingua.workflow.workflow import SYSTEMS, VECTORS, LexiconPair, Workflow, settings_words

# Prefixes of files of vectors, under chosen settings and under published ones.
SELECTED, PUBLISHED = "", "published."
# The wildcards of a rule: a pair with its dictionary.
ANY_PAIR = LexiconPair("{source}", "{target}", "{dictionary}")
ANY_PAIR_OF_CURVE = LexiconPair("{source}", "{target}", "{dictionary}", curve=True)


def systems_of(w: Workflow, pair: LexiconPair) -> dict[str, SystemSection]:
    """Return the systems that can run on a pair, by name."""
    systems = w.systems.items()
    return {name: one for name, one in systems if pair.dictionary or not needs_dictionary(w, one)}


def is_trained(choice: SystemSection) -> bool:
    """Whether a system's embeddings are trained with a dictionary."""
    return choice.embeddings in GRIDS


def needs_dictionary(w: Workflow, choice: SystemSection) -> bool:
    """Whether a system trains, chooses gamma, or maps with a dictionary; `choice` is its entry."""
    reallocated = choice.embeddings == "joint_vr" and chooses_gamma(w)
    return is_trained(choice) or reallocated or _is_supervised(w, choice)


def _is_supervised(w: Workflow, choice: SystemSection) -> bool:
    """Whether a system has a mapper that needs a dictionary."""
    mapper = choice.mapper
    return mapper is not None and MAPPERS.needs_dictionary(mapper, mapper_settings(w, choice))


def supervision(w: Workflow, choice: SystemSection) -> str:
    """Return `supervised` for a system that needs a dictionary, else `unsupervised`."""
    return "supervised" if needs_dictionary(w, choice) else "unsupervised"


def mapper_settings(w: Workflow, choice: SystemSection) -> dict[str, Any]:
    """Return a mapper's settings: the configuration's, overridden by a system's."""
    return (w.config.mappers.get(choice.mapper) or {}) | (choice.settings or {})


def grid_of(w: Workflow, name: str) -> Mapping[str, Any]:
    """Return the grid of a mapper or of training with a dictionary, searched on held-out translations."""
    configured = w.vectors.search
    if name in configured:
        return configured[name] or {}
    return GRIDS[name] if name in GRIDS else MAPPERS.member(name).grid


def search_words(grid: Mapping[str, Any]) -> list[str]:
    """Return a grid as options of `--search`: name=value|value."""
    return [f"{name}={'|'.join(map(str, values))}" for name, values in grid.items()]


def mapper_grid(w: Workflow, choice: SystemSection) -> Mapping[str, Any]:
    """Return the grid of a mapper; none without a dictionary."""
    return grid_of(w, choice.mapper) if _is_supervised(w, choice) else {}


def chooses_gamma(w: Workflow) -> bool:
    """Whether gamma has several candidates, among which a dictionary chooses."""
    return len(w.config.vocabulary_reallocation.gamma) > 1


def is_chosen(w: Workflow, choice: SystemSection) -> bool:
    """Whether a system's settings, or its gamma, are chosen."""
    name = choice.embeddings
    gamma = name.startswith("joint_vr") and chooses_gamma(w)
    return gamma or bool(mapper_grid(w, choice)) or (is_trained(choice) and bool(grid_of(w, name)))


def variants(w: Workflow, choice: SystemSection, pair: LexiconPair = ANY_PAIR) -> tuple[str, ...]:
    """Return the variants of a system: the chosen settings and, after a search, the published ones."""
    if choice.mapper or not is_trained(choice):
        return variants_of(bool(mapper_grid(w, choice)), pair)
    searched = bool(grid_of(w, choice.embeddings)) and w.vectors.published_training
    return variants_of(searched, pair)


def variants_of(searched: bool, pair: LexiconPair) -> tuple[str, ...]:
    """Return the variants of a system by whether it is searched; the dictionary curve has no published one."""
    return (SELECTED, PUBLISHED) if searched and not pair.curve else (SELECTED,)


def check_systems(w: Workflow) -> None:
    """Raise ConfigError when a system, or the choice of gamma, names an unknown mapper."""
    used = {f"{SYSTEMS}.{name}.mapper": system.mapper for name, system in w.systems.items()}
    used["vocabulary_reallocation.selection_mapper"] = w.config.vocabulary_reallocation.selection_mapper
    used |= {f"mappers.{name}": name for name in w.config.mappers}
    for key, mapper in used.items():
        check_defined(key, mapper or (), MAPPERS, "the mappers")
    searched = list(w.vectors.search)
    check_defined(f"{VECTORS}.search", searched, [*MAPPERS, *GRIDS], "what has settings to choose")


SIDES = ("source", "target")
# Joint training, and reallocation by a criterion without supervision.
WITHOUT_DICTIONARY = ("joint", "joint_vr_unsupervised")


def embeddings_folder(w: Workflow) -> str:
    """Return the folder of word embeddings before any mapping."""
    return f"{w.results}/word_embeddings"


def chosen_settings(w: Workflow, kind: str, pair: LexiconPair, variant: str) -> list[str]:
    """Return the file of chosen training settings; none as published, or where nothing is chosen."""
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
    """Whether the languages of a space share words, which refinement does not move."""
    return embeddings.startswith("joint")


def mapped(w: Workflow, system: str, pair: LexiconPair, seed: int, name: str, variant: str = SELECTED) -> str:
    """Return an output file of a system's mapping of a pair."""
    return f"{w.results}/embedding_alignment/{pair.name}/{system}/{variant}seed{seed}.{name}"


def final(w: Workflow, system: str, pair: LexiconPair, seed: int, name: str, variant: str = SELECTED) -> str:
    """Return the vectors that a system is evaluated on."""
    choice = w.systems[system]
    if choice.mapper is None:
        return space(w, choice.embeddings, pair, seed, name, variant)
    return mapped(w, system, pair, seed, name, variant)


def training_jobs(w: Workflow) -> Iterator[Job]:
    """Yield the jobs that train vectors, one a seed, and jobs that choose settings of training with a dictionary."""
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
    """Return the embeddings of a pair that are trained with its dictionary, each with its variants."""
    kinds: dict[str, list[str]] = {}
    for choice in systems_of(w, pair).values():
        if is_trained(choice):
            asked = (SELECTED,) if choice.mapper else variants(w, choice, pair)
            trained = kinds.setdefault(choice.embeddings, [])
            trained += [variant for variant in asked if variant not in trained]
    return kinds


def dictionary_part(w: Workflow, pair: LexiconPair, part: str) -> In:
    """Return a part of a pair's dictionary as an input: train (fit and validation), fit, validation, test."""
    return In(f"{dictionary_folder(w, pair.name)}/{part}.txt")


def _texts(w: Workflow, *languages: str) -> list[In]:
    return [In(text_of(w, language)) for language in languages]


def _fasttext(w: Workflow, *, joint: bool = False) -> dict[str, Any]:
    settings = w.config.word_embeddings
    return settings | ({"max_vocabulary": 2 * settings["max_vocabulary"]} if joint else {})


def _independent(w: Workflow, language: str, half: str, seed: int) -> Job:
    """Return the job of vectors of one language, on all its text or on a half (`even.`, `odd.`) of its lines."""
    lines = half.removesuffix(".") or None
    options = {"text": _texts(w, language), "seed": seed, **_fasttext(w), "lines": lines}
    name = f"{language}/{half}seed{seed}"
    made = [f"{embeddings_folder(w)}/independent/{name}"]
    return Job("train_embeddings.py", f"train_independent/{name}", options=options, makes=made)


def concatenated(w: Workflow, source: str, target: str, seed: int) -> str:
    """Return the vectors of joint training, which is symmetric in source and target."""
    return f"{embeddings_folder(w)}/concatenated/{'+'.join(sorted([source, target]))}/seed{seed}.vec"


def _joint(w: Workflow, first: str, second: str, seed: int) -> Job:
    options = {"text": _texts(w, first, second), "seed": seed, **_fasttext(w, joint=True)}
    name, made = f"train_joint/{first}+{second}/seed{seed}", [concatenated(w, first, second, seed)]
    return Job("train_embeddings.py", name, options=options, makes=made)


# Of training with a dictionary: script, first part of jobs' names, folder, and the option that takes the dictionary.
TRAINED_BY = {
    "joint_replace": ("train_embeddings.py", "train_joint_replace", "replaced", "replace"),
    "duong": ("train_duong.py", "train_duong", "duong", "dictionary"),
}


def _under_dictionary(w: Workflow, kind: str, pair: LexiconPair, variant: str, seed: int) -> Job:
    """Return the job that trains with a dictionary, or on texts with words replaced by translations."""
    script, job, folder, dictionary = TRAINED_BY[kind]
    name = f"{pair.name}/{variant}seed{seed}"
    options = {
        "text": _texts(w, pair.source, pair.target),
        dictionary: dictionary_part(w, pair, "train"),
        "seed": seed,
        **(
            _duong(w, variant) if kind == "duong" else _fasttext(w, joint=True) | dict(w.config.joint_replace)
        ),
        "choice": [In(path) for path in chosen_settings(w, kind, pair, variant)],
    }
    return Job(script, f"{job}/{name}", options=options, makes=[f"{embeddings_folder(w)}/{folder}/{name}"])


def _duong(w: Workflow, variant: str = SELECTED) -> dict[str, Any]:
    """Return the settings of duong: of its section and of vectors in general, or the published settings."""
    general = w.config.word_embeddings
    names = {"dim": "dim", "min_count": "minCount", "max_vocabulary": "max_vocabulary"}
    sizes = {name: general[key] for name, key in names.items()}
    return (w.config.duong if variant == SELECTED else {}) | sizes


def _choosing(w: Workflow, kind: str, pair: LexiconPair) -> Job:
    settings = _duong(w) if kind == "duong" else _fasttext(w) | dict(w.config.joint_replace)
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
    name, made = f"choose_training/{kind}/{pair.name}", chosen_settings(w, kind, pair, SELECTED)
    return Job("choose_training.py", name, options=options, makes=made)


_MAPPED = {"source": "source.vec", "target": "target.vec", "details": "details.json"}
ANY_SYSTEM = "{system}"  # the wildcard of a rule


def mapped_systems(w: Workflow, *, searched: bool) -> list[str]:
    """Return the systems that have a mapper, with a search on held-out pairs or without."""
    have_mapper = {name: choice for name, choice in w.systems.items() if choice.mapper}
    return [name for name, choice in have_mapper.items() if bool(mapper_grid(w, choice)) == searched]


def dictionary_names(pairs: Mapping[str, LexiconPair]) -> list[str]:
    """Return the dictionaries in the names of pairs: `none` where there is none."""
    return list(dict.fromkeys(name.rpartition(".")[2] for name in pairs))


def mapping_outputs(
    w: Workflow, pair: LexiconPair = ANY_PAIR, *, searched: bool = False
) -> dict[str, list[str]]:
    """Return the outputs of mapping a pair, with wildcards: vectors and reports. `searched` adds the chosen settings
    and, except on the curve, the outputs under the published ones.
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
    """Yield the jobs of mappers: one a system and pair, with all seeds."""
    for pair in (*w.lexicon_pairs.values(), *w.curve_pairs.values()):
        for system, choice in systems_of(w, pair).items():
            if choice.mapper and (needs_dictionary(w, choice) or not pair.curve):
                yield _mapping_job(w, system, pair)


def _mapping_job(w: Workflow, system: str, pair: LexiconPair) -> Job:
    choice = w.systems[system]
    options = {"mapper": choice.mapper} | w.on_gpu
    searched = bool(mapper_grid(w, choice))
    parts = {"dictionary": "train" if _is_supervised(w, choice) else ""}
    parts |= {part: part if searched else "" for part in ("fit", "validation")}
    options |= {name: dictionary_part(w, pair, part) if part else None for name, part in parts.items()}
    members = MAPPERS.modules(choice.mapper, mapper_settings(w, choice))
    lines = [_mapping_line(w, system, pair, seed) for seed in w.seeds]
    return Job("align_vectors.py", f"align_vectors/{pair.name}.{system}", lines, options, members)


def _mapping_line(w: Workflow, system: str, pair: LexiconPair, seed: int) -> dict[str, Any]:
    choice = w.systems[system]
    embeddings, grid = choice.embeddings, mapper_grid(w, choice)
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


def division_jobs(w: Workflow) -> Iterator[Job]:
    """Yield the jobs that divide joint vocabularies, one a pair with all seeds. Shared words occur in both corpora;
    after joint_vr they are about as frequent in both.
    """
    size = {"max_vocabulary": _fasttext(w)["max_vocabulary"]}
    for source, target in w.pairs:
        pair = LexiconPair(source, target, "")
        yield _division(w, "joint", pair, size)
    for pair in (*w.lexicon_pairs.values(), *w.curve_pairs.values()):
        drawn = w.vectors.figure1 and pair.dictionary and not pair.curve  # figure 1 of joint_align
        if drawn or any(choice.embeddings == "joint_vr" for choice in systems_of(w, pair).values()):
            yield _division(w, "joint_vr", pair, reallocation(w, pair))
        for variant in trained_kinds(w, pair).get("joint_replace", ()):
            yield _division(w, "joint_replace", pair, size, variant)


def _division(
    w: Workflow, kind: str, pair: LexiconPair, options: Mapping[str, Any], variant: str = SELECTED
) -> Job:
    """Return the job of a pair. A language looks up the words of its text before replacement."""
    counts = zip(SIDES, (pair.source, pair.target), strict=True)
    place = f"{pair.source}-{pair.target}" if kind in WITHOUT_DICTIONARY else pair.name
    mapper = {"joint": "muse", "joint_vr": w.config.vocabulary_reallocation.selection_mapper}.get(kind)
    return Job(
        "divide_vocabulary.py",
        f"divide_vocabulary/{kind}.{variant}{place}",
        _division_lines(w, kind, pair, variant),
        {f"counts_{side}": In(f"{w.corpora}/counts/{language}.tsv") for side, language in counts} | options,
        MAPPERS.modules(mapper, w.config.mappers.get(mapper)) if mapper else [],
    )


def division_outputs(w: Workflow, kind: str, variant: str = SELECTED) -> dict[str, list[str]]:
    """Return the outputs of dividing a pair's joint vocabulary, with wildcards."""
    lines = _division_lines(w, kind, ANY_PAIR, variant)
    names = {"source": "out_source", "target": "out_target", "shared": "out_shared", "report": "report"}
    return {name: list(dict.fromkeys(line[column] for line in lines)) for name, column in names.items()}


def _division_lines(w: Workflow, kind: str, pair: LexiconPair, variant: str) -> list[dict[str, Any]]:
    """Return a line for each seed; joint training adds lines for reallocation without a dictionary."""
    unsupervised = "joint_vr_unsupervised"
    asked = any(choice.embeddings == unsupervised for choice in w.systems.values())
    kinds = [kind, unsupervised] if kind == "joint" and asked else [kind]
    return [_division_line(w, name, pair, variant, seed) for name in kinds for seed in w.seeds]


def _division_line(w: Workflow, kind: str, pair: LexiconPair, variant: str, seed: int) -> dict[str, Any]:
    trained_on = concatenated(w, pair.source, pair.target, seed)
    if kind == "joint_replace":
        trained_on = f"{embeddings_folder(w)}/replaced/{pair.name}/{variant}seed{seed}.vec"
    line = {
        "vectors": In(trained_on),
        "seed": seed,
        "report": report_file(w, kind, pair, variant),
        **{f"out_{side}": space(w, kind, pair, seed, f"{side}.vec", variant) for side in SIDES},
        "out_shared": space(w, kind, pair, seed, "shared.txt", variant),
    }
    if kind != "joint_vr_unsupervised":
        return line
    # MUSE's refinement from the joint space chooses gamma without a dictionary.
    muse = w.config.mappers.get("muse") or {}
    cutoff = {key: value for key, value in muse.items() if key == "vocabulary_cutoff"}
    settings = settings_words({"initialisation": "identity", **cutoff})
    gamma = w.config.vocabulary_reallocation.gamma
    return line | {"gamma": gamma, "selection_mapper": "muse", "set": settings}


def report_file(w: Workflow, kind: str, pair: LexiconPair, variant: str = SELECTED) -> str:
    """Return the report of a division of a pair's joint vocabulary."""
    return f"{space(w, kind, pair, w.seeds[0], '').rpartition('/')[0]}/{variant}division.json"


def reallocation(w: Workflow, pair: LexiconPair) -> dict[str, Any]:
    """Return the options of reallocation: candidates of gamma and, for several, how they are compared."""
    section = w.config.vocabulary_reallocation
    mapper, parts = section.selection_mapper, ("fit", "validation") if chooses_gamma(w) else ()
    return {
        "gamma": section.gamma,
        "max_vocabulary": w.config.word_embeddings["max_vocabulary"],
        "selection_mapper": mapper,
        "set": settings_words(w.config.mappers.get(mapper)),
        **{part: dictionary_part(w, pair, part) for part in parts},
    }
