"""Jobs of word embeddings, and the files of vectors before and after mapping."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from crosslingua.mappers import MAPPERS
from crosslingua.names import check_defined
from crosslingua.word_embeddings.grids import GRIDS
from crosslingua.workflow.jobs import In, Job
from crosslingua.workflow.text import dictionary_folder
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
    own = w.vectors["search"]
    if name in own:
        return own[name] or {}
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


SIDES = ("source", "target")
# Joint training, and reallocation by the criterion that needs none.
WITHOUT_DICTIONARY = ("joint", "joint_vr_unsupervised")


def embeddings_folder(w: Workflow) -> str:
    """Return the folder of word embeddings before any mapping."""
    return f"{w.results}/word_embeddings"


def fasttext_options(w: Workflow, *, joint: bool = False) -> dict[str, Any]:
    """Return the options of fastText; a joint vocabulary may hold the words of both languages."""
    own = w.config["word_embeddings"]
    return own | ({"max_vocabulary": 2 * own["max_vocabulary"]} if joint else {})


def replaced_options(w: Workflow) -> dict[str, Any]:
    """Return the options of joint training on texts in which words were replaced."""
    return fasttext_options(w, joint=True) | w.config["joint_replace"]


def independent_options(w: Workflow, half: str) -> dict[str, Any]:
    """Return the options of vectors of one language, of all its text or of a half (`even.`, `odd.`) of its lines."""
    return fasttext_options(w) | {"lines": half.removesuffix(".") or None}


def duong_options(w: Workflow, variant: str = SELECTED) -> dict[str, Any]:
    """Return the options of train_duong.py: those of its section, and of vectors in general; or as published."""
    own = w.config["word_embeddings"]
    return (w.config["duong"] if variant == SELECTED else {}) | {
        "dim": own["dim"],
        "min_count": own["minCount"],
        "max_vocabulary": own["max_vocabulary"],
    }


def choice_file(w: Workflow, kind: str, pair: LexiconPair) -> str:
    """Return the settings that were chosen for training with a dictionary: duong, joint_replace."""
    return f"{embeddings_folder(w)}/{kind}/{pair.name}/choice.json"


def choosing_options(w: Workflow, kind: str) -> dict[str, Any]:
    """Return the options of choose_training.py: settings as they are otherwise, and the values to choose among."""
    own = duong_options(w) if kind == "duong" else fasttext_options(w) | w.config[kind]
    size = own.pop("max_vocabulary")
    return {
        "kind": kind,
        "set": settings_words(own),
        "search": search_words(grid_of(w, kind)),
        "max_vocabulary": size,
        "seed": w.seeds[0],
    }


def chosen_settings(w: Workflow, kind: str, pair: LexiconPair, variant: str) -> list[str]:
    """Return the file of settings that a training follows; none as published, or where nothing is chosen."""
    return [choice_file(w, kind, pair)] if grid_of(w, kind) and variant == SELECTED else []


def concatenated(w: Workflow, source: str, target: str, seed: object) -> str:
    """Return the vectors of joint training, which does not know source from target."""
    return f"{embeddings_folder(w)}/concatenated/{'+'.join(sorted([source, target]))}/seed{seed}.vec"


def joint_vectors(w: Workflow, source: str, target: str) -> list[str]:
    """Return the vectors of joint training, one file a seed."""
    return [concatenated(w, source, target, seed) for seed in w.seeds]


def space(
    w: Workflow, embeddings: str, pair: LexiconPair, seed: int, name: str, variant: str = SELECTED
) -> str:
    """Return a file of a pair's embeddings before any mapping: `source.vec`, `target.vec` or `shared.txt`."""
    folder = embeddings_folder(w)
    if embeddings == "independent":
        language = {"source.vec": pair.source, "target.vec": pair.target}[name]
        return f"{folder}/independent/{language}/seed{seed}.vec"
    place = f"{pair.source}-{pair.target}" if embeddings in WITHOUT_DICTIONARY else pair.name
    own = variant if embeddings in GRIDS else ""
    return f"{folder}/{embeddings}/{place}/{own}seed{seed}.{name}"


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
    folder, settings, grid = (
        dictionary_folder(w, pair.name),
        mapper_settings(w, choice),
        mapper_grid(w, choice),
    )
    return Job(
        "align_vectors.py",
        f"align_vectors/{pair.name}.{system}",
        [_mapping_line(w, system, pair, seed) for seed in w.seeds],
        {
            "mapper": choice["mapper"],
            "dictionary": In(f"{folder}/train.txt")
            if MAPPERS.needs_dictionary(choice["mapper"], settings)
            else None,
            "fit": In(f"{folder}/fit.txt") if grid else None,
            "validation": In(f"{folder}/validation.txt") if grid else None,
        },
        system_modules(w, system),
    )


def _mapping_line(w: Workflow, system: str, pair: LexiconPair, seed: int) -> dict[str, Any]:
    """Return the line of a seed; the first seed chooses the settings."""
    choice = w.systems[system]
    own, grid = choice["embeddings"], mapper_grid(w, choice)
    published = PUBLISHED in variants_of(bool(grid), pair)
    return {
        **{side: In(space(w, own, pair, seed, f"{side}.vec")) for side in SIDES},
        "shared": In(space(w, own, pair, seed, "shared.txt")) if has_shared_words(own) else "",
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


def mapping_modules(w: Workflow, systems: Iterable[str]) -> list[str]:
    """Return the modules of the mappers of some systems."""
    return list(dict.fromkeys(module for system in systems for module in system_modules(w, system)))


def system_modules(w: Workflow, system: str) -> list[str]:
    """Return the modules of a system's mapper."""
    choice = w.systems[system]
    return mapper_modules(w, choice["mapper"], mapper_settings(w, choice))


def mapper_modules(w: Workflow, mapper: str | None, settings: Mapping[str, Any] | None = None) -> list[str]:
    """Return the modules of a mapper, and of the one that it wraps."""
    if mapper is None:
        return []
    return MAPPERS.modules(
        mapper, settings if settings is not None else w.config["mappers"].get(mapper) or {}
    )


# Jobs that divide a joint vocabulary, and reallocate its words.


def division_plan(w: Workflow, kind: str, place: Any) -> str:
    """Write the cells that divide a pair's joint vocabulary, one a seed; return the file.

    `kind` is joint, joint_vr or joint_replace; `place` has source, target and, but for joint, dictionary; of
    joint_replace also variant.
    """
    pair = LexiconPair(place.source, place.target, getattr(place, "dictionary", ""))
    variant = getattr(place, "variant", SELECTED)
    cells = _divisions(w, kind, pair, variant)
    return w.plan(f"divide_vocabulary/{kind}.{variant}{cells[0]['report'].split('/')[-2]}", cells)


def division_outputs(w: Workflow, kind: str, variant: str = SELECTED) -> dict[str, list[str]]:
    """Return what dividing a pair's joint vocabulary writes, with wildcards."""
    cells = _divisions(w, kind, ANY_PAIR, variant)
    names = {"source": "out_source", "target": "out_target", "shared": "out_shared", "report": "report"}
    return {name: list(dict.fromkeys(cell[column] for cell in cells)) for name, column in names.items()}


def _divisions(w: Workflow, kind: str, pair: LexiconPair, variant: str) -> list[dict[str, Any]]:
    """Return a cell for each seed; of joint also those that are reallocated without a dictionary."""
    more = ["joint_vr_unsupervised"] if kind == "joint" and unsupervised_gamma(w) else []
    return [cell for name in (kind, *more) for cell in _divisions_of(w, name, pair, variant)]


def report_file(w: Workflow, kind: str, pair: LexiconPair, variant: str = SELECTED) -> str:
    """Return the report on what dividing a pair's joint vocabulary moved."""
    return f"{space(w, kind, pair, w.seeds[0], '').rpartition('/')[0]}/{variant}division.json"


def _divisions_of(w: Workflow, kind: str, pair: LexiconPair, variant: str) -> list[dict[str, Any]]:
    own = reallocation_options(w, pair, supervised=False) if kind == "joint_vr_unsupervised" else {}
    return [
        {"vectors": _joint_vectors(w, kind, pair, seed, variant), "seed": seed}
        | {"report": report_file(w, kind, pair, variant)}
        | {f"out_{side}": space(w, kind, pair, seed, f"{side}.vec", variant) for side in SIDES}
        | {"out_shared": space(w, kind, pair, seed, "shared.txt", variant)}
        | {name: own.get(name, "") for name in ("gamma", "selection_mapper", "set") if own}
        for seed in w.seeds
    ]


def unsupervised_gamma(w: Workflow) -> bool:
    """Whether a system's gamma is chosen without a dictionary."""
    return any(choice["embeddings"] == "joint_vr_unsupervised" for choice in w.systems.values())


def _joint_vectors(w: Workflow, kind: str, pair: LexiconPair, seed: int, variant: str) -> str:
    if kind == "joint_replace":
        return f"{embeddings_folder(w)}/replaced/{pair.name}/{variant}seed{seed}.vec"
    return concatenated(w, pair.source, pair.target, seed)


def choosing_dictionaries(w: Workflow, pair: LexiconPair) -> dict[str, str]:
    """Return the files that gamma is chosen by, as options of divide_vocabulary.py; none where it is given."""
    folder = dictionary_folder(w, pair.name)
    return {name: f"{folder}/{name}.txt" for name in ("fit", "validation")} if chooses_gamma(w) else {}


def reallocation_options(w: Workflow, pair: LexiconPair, *, supervised: bool = True) -> dict[str, Any]:
    """Return the options of reallocation: candidates of gamma, and how they are compared."""
    own = w.config["vocabulary_reallocation"]
    size = w.config["word_embeddings"]["max_vocabulary"]
    shared = {"gamma": own["gamma"], "max_vocabulary": size}
    if not supervised:  # a joint space is refined from where it is, by MUSE's rounds
        cut = {k: v for k, v in (w.config["mappers"].get("muse") or {}).items() if k == "vocabulary_cutoff"}
        return shared | {
            "selection_mapper": "muse",
            "set": settings_words({"initialisation": "identity", **cut}),
        }
    mapper = own["selection_mapper"]
    settings = settings_words(w.config["mappers"].get(mapper))
    return shared | {"selection_mapper": mapper, "set": settings, **choosing_dictionaries(w, pair)}
