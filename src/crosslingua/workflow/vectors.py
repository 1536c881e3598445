"""Jobs of word embeddings, mappers and lexicon induction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from crosslingua.mappers import MAPPERS
from crosslingua.names import check_defined
from crosslingua.word_embeddings.grids import GRIDS
from crosslingua.workflow.shell import settings_words
from crosslingua.workflow.text import dictionary_folder
from crosslingua.workflow.workflow import LexiconPair, Workflow

SIDES = ("source", "target")
# Files of vectors under the settings that were chosen, and under those as published, begin with:
SELECTED, PUBLISHED = "", "published."
SUPERVISED, UNSUPERVISED = "supervised", "unsupervised"
# Wildcards of a rule: a pair with the dictionary that systems are compared by, or with another of the curve.
ANY_PAIR = LexiconPair("{source}", "{target}", "{dictionary}")
ANY_OF_CURVE = LexiconPair("{source}", "{target}", "{dictionary}", curve=True)


def embeddings_folder(w: Workflow) -> str:
    """Return the folder of word embeddings before any mapping."""
    return f"{w.results}/word_embeddings"


def fasttext_options(w: Workflow, *, joint: bool = False) -> dict[str, Any]:
    """Return the options of fastText; a joint vocabulary may hold the words of both languages."""
    own = w.config["word_embeddings"]
    return own | ({"max_vocabulary": 2 * own["max_vocabulary"]} if joint else {})


def duong_options(w: Workflow, variant: str = SELECTED) -> dict[str, Any]:
    """Return the options of train_duong.py: those of its section, and of vectors in general; or as published."""
    own = w.config["word_embeddings"]
    return (w.config["duong"] if variant == SELECTED else {}) | {
        "dim": own["dim"],
        "min_count": own["minCount"],
        "max_vocabulary": own["max_vocabulary"],
    }


def grid_of(w: Workflow, name: str) -> Mapping[str, Any]:
    """Return the values that held-out translations choose among, of a mapper or of training with a dictionary."""
    own = w.config["joint_align"]["search"]
    if name in own:
        return own[name] or {}
    return GRIDS[name] if name in GRIDS else MAPPERS.member(name).grid


def search_words(grid: Mapping[str, Any]) -> list[str]:
    """Return a grid as options of `--search`: name=value|value."""
    return [f"{name}={'|'.join(map(str, values))}" for name, values in grid.items()]


def is_trained(choice: Mapping[str, Any]) -> bool:
    """Whether a system's embeddings see a dictionary in training."""
    return choice["embeddings"] in GRIDS


def variants(w: Workflow, choice: Mapping[str, Any], pair: LexiconPair = ANY_PAIR) -> tuple[str, ...]:
    """Return under which settings a system runs: those chosen, and, where there was a choice, those published.

    Training as published is a matter of the scale; the dictionary curve has none.
    """
    if pair.curve:
        both = False
    elif is_trained(choice):
        both = bool(grid_of(w, choice["embeddings"])) and w.config["joint_align"]["published_training"]
    else:
        both = bool(_mapper_grid(w, choice))
    return (SELECTED, PUBLISHED) if both else (SELECTED,)


def is_chosen(w: Workflow, choice: Mapping[str, Any]) -> bool:
    """Whether settings of a system, or its gamma, are chosen."""
    name = choice["embeddings"]
    gamma = name.startswith("joint_vr") and chooses_gamma(w)
    return gamma or bool(_mapper_grid(w, choice)) or (is_trained(choice) and bool(grid_of(w, name)))


def _mapper_grid(w: Workflow, choice: Mapping[str, Any]) -> Mapping[str, Any]:
    mapper = choice["mapper"]
    if mapper is None or not MAPPERS.needs_dictionary(mapper, mapper_settings(w, choice)):
        return {}
    return grid_of(w, mapper)


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


# Joint training, and reallocation by the criterion that needs none.
WITHOUT_DICTIONARY = ("joint", "joint_vr_unsupervised")


def mapped(w: Workflow, system: str, pair: LexiconPair, seed: int, name: str, variant: str = SELECTED) -> str:
    """Return a file that a system's mapping of a pair writes."""
    return f"{w.results}/embedding_alignment/{pair.name}/{system}/{variant}seed{seed}.{name}"


def needs_dictionary(w: Workflow, choice: Mapping[str, Any]) -> bool:
    """Whether a system trains, chooses gamma, or maps by a dictionary; `choice` is its entry."""
    mapper = choice["mapper"]
    return (
        is_trained(choice)
        or (choice["embeddings"] == "joint_vr" and chooses_gamma(w))
        or (mapper is not None and MAPPERS.needs_dictionary(mapper, mapper_settings(w, choice)))
    )


def systems_of(w: Workflow, pair: LexiconPair) -> dict[str, Mapping[str, Any]]:
    """Return the systems that can run on a pair, by name."""
    return {
        name: choice
        for name, choice in w.systems.items()
        if pair.dictionary or not needs_dictionary(w, choice)
    }


def final(w: Workflow, system: str, pair: LexiconPair, seed: int, name: str, variant: str = SELECTED) -> str:
    """Return the vectors that a system is judged by."""
    choice = w.systems[system]
    if choice["mapper"] is None:
        return space(w, choice["embeddings"], pair, seed, name, variant)
    return mapped(w, system, pair, seed, name, variant)


def has_shared_words(embeddings: str) -> bool:
    """Whether the languages of a space have words in common, which refinement leaves where they are."""
    return embeddings.startswith("joint")


def division_plan(w: Workflow, kind: str, place: Any) -> str:
    """Write the cells that divide a pair's joint vocabulary, one a seed; return the file.

    `kind` is joint, joint_vr or joint_replace; `place` has source, target and, but for joint, dictionary.
    """
    pair = LexiconPair(place.source, place.target, getattr(place, "dictionary", ""))
    pair = w.curve_pairs.get(pair.name, pair)
    cells = [
        cell
        for name in (kind, *(["joint_vr_unsupervised"] if kind == "joint" and unsupervised_gamma(w) else []))
        for cell in _divisions(w, name, pair)
    ]
    return w.plan(f"divide_vocabulary/{kind}.{cells[0]['report'].split('/')[-2]}", cells)


def division_outputs(w: Workflow, kind: str, pair: LexiconPair = ANY_PAIR) -> dict[str, list[str]]:
    """Return what dividing a pair's joint vocabulary writes."""
    kinds = (kind, *(["joint_vr_unsupervised"] if kind == "joint" and unsupervised_gamma(w) else []))
    cells = [cell for name in kinds for cell in _divisions(w, name, pair)]
    names = {"source": "out_source", "target": "out_target", "shared": "out_shared", "report": "report"}
    return {name: list(dict.fromkeys(cell[column] for cell in cells)) for name, column in names.items()}


def _divisions(w: Workflow, kind: str, pair: LexiconPair) -> list[dict[str, Any]]:
    folder = space(w, kind, pair, w.seeds[0], "").rpartition("/")[0]
    own = reallocation_options(w, pair, supervised=False) if kind == "joint_vr_unsupervised" else {}
    return [
        {"vectors": _joint_vectors(w, kind, pair, seed, variant), "seed": seed}
        | {"report": f"{folder}/{variant}division.json"}
        | {f"out_{side}": space(w, kind, pair, seed, f"{side}.vec", variant) for side in SIDES}
        | {"out_shared": space(w, kind, pair, seed, "shared.txt", variant)}
        | {name: own.get(name, "") for name in ("gamma", "selection_mapper", "set") if own}
        for variant in (replaced_variants(w, pair) if kind == "joint_replace" else (SELECTED,))
        for seed in w.seeds
    ]


def replaced_variants(w: Workflow, pair: LexiconPair) -> tuple[str, ...]:
    """Return under which settings text with words replaced is trained on."""
    return variants(w, {"embeddings": "joint_replace", "mapper": None}, pair)


def any_pairs(w: Workflow) -> dict[str, tuple[LexiconPair, list[str]]]:
    """Return what rules are made for, by the end of their names: wildcards, and the dictionaries that they match."""
    every = {"": (ANY_PAIR, w.lexicon_pairs), "_of_curve": (ANY_OF_CURVE, w.curve_pairs)}
    found = {
        name: (pair, list(dict.fromkeys(one.dictionary or "none" for one in pairs.values())))
        for name, (pair, pairs) in every.items()
    }
    return {name: (pair, names) for name, (pair, names) in found.items() if names or not pair.curve}


def unsupervised_gamma(w: Workflow) -> bool:
    """Whether a system's gamma is chosen without a dictionary."""
    return any(choice["embeddings"] == "joint_vr_unsupervised" for choice in w.systems.values())


def _joint_vectors(w: Workflow, kind: str, pair: LexiconPair, seed: int, variant: str) -> str:
    if kind == "joint_replace":
        return f"{embeddings_folder(w)}/replaced/{pair.name}/{variant}seed{seed}.vec"
    return concatenated(w, pair.source, pair.target, seed)


def chooses_gamma(w: Workflow) -> bool:
    """Whether gamma has several candidates, of which one is chosen by a dictionary."""
    return len(w.config["vocabulary_reallocation"]["gamma"]) > 1


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
        return shared | {"selection_mapper": "muse", "set": ["initialisation=identity"]}
    mapper = own["selection_mapper"]
    settings = settings_words(w.config["mappers"].get(mapper))
    return shared | {"selection_mapper": mapper, "set": settings, **choosing_dictionaries(w, pair)}


def mappings(w: Workflow) -> dict[str, list[str]]:
    """Return the systems that a job maps together: those of one mapper that need a dictionary, or that need none."""
    found: dict[str, list[str]] = {}
    for system, choice in w.systems.items():
        if choice["mapper"]:
            found.setdefault(f"{choice['mapper']}_{supervision(w, choice)}", []).append(system)
    return found


def supervision(w: Workflow, choice: Mapping[str, Any]) -> str:
    """Return `supervised` for a system that needs a dictionary, else `unsupervised`."""
    return SUPERVISED if needs_dictionary(w, choice) else UNSUPERVISED


def mapping_outputs(w: Workflow, systems: Iterable[str], pair: LexiconPair) -> dict[str, list[str]]:
    """Return what mapping a pair for some systems writes: vectors, reports, and the settings that were chosen."""
    found: dict[str, list[str]] = {"source": [], "target": [], "details": [], "choice": []}
    for system in systems:
        choice = w.systems[system]
        for variant in variants(w, choice, pair):
            for seed in w.seeds:
                for name, file in _MAPPED.items():
                    found[name].append(mapped(w, system, pair, seed, file, variant))
        found["choice"] += [_choice(w, system, pair)] if _mapper_grid(w, choice) else []
    return {name: files for name, files in found.items() if files}


_MAPPED = {"source": "source.vec", "target": "target.vec", "details": "details.json"}


def _choice(w: Workflow, system: str, pair: LexiconPair) -> str:
    return mapped(w, system, pair, 0, "").rpartition("/")[0] + "/choice.json"


def mapping_inputs(w: Workflow, systems: Iterable[str], pair: LexiconPair) -> list[str]:
    """Return the files that mapping for some systems reads: vectors, shared words, dictionaries if they need any."""
    files: list[str] = []
    for system in systems:
        own = w.systems[system]["embeddings"]
        names = [f"{side}.vec" for side in SIDES] + (["shared.txt"] if has_shared_words(own) else [])
        files += [space(w, own, pair, seed, name) for seed in w.seeds for name in names]
    told = mapping_options(w, systems, pair)
    return list(dict.fromkeys([*files, *(told[name] for name in DICTIONARIES if told.get(name))]))


DICTIONARIES = ("dictionary", "fit", "validation")


def mapping_plan(w: Workflow, mapping: str, systems: Iterable[str], pair: LexiconPair) -> str:
    """Write the cells that map a pair's vectors for some systems, one a system and seed; return the file."""
    cells = [_mapping(w, system, pair, seed) for system in systems for seed in w.seeds]
    return w.plan(f"align_vectors/{pair.name}.{mapping}", cells)


def _mapping(w: Workflow, system: str, pair: LexiconPair, seed: int) -> dict[str, Any]:
    choice = w.systems[system]
    own, grid = choice["embeddings"], _mapper_grid(w, choice)
    cell: dict[str, Any] = {side: space(w, own, pair, seed, f"{side}.vec") for side in SIDES}
    cell["shared"] = space(w, own, pair, seed, "shared.txt") if has_shared_words(own) else ""
    cell |= {"seed": seed, "set": settings_words(mapper_settings(w, choice))}
    cell |= {"details": mapped(w, system, pair, seed, "details.json")}
    cell |= {f"out_{side}": mapped(w, system, pair, seed, f"{side}.vec") for side in SIDES}
    cell |= {
        "search": search_words(grid),
        "choice": _choice(w, system, pair) if grid else "",
        "choosing": bool(grid) and seed == w.seeds[0],
    }
    published = PUBLISHED in variants(w, choice, pair)
    for name, file in _MAPPED.items():
        cell[f"published_{name}"] = mapped(w, system, pair, seed, file, PUBLISHED) if published else ""
    return cell


def mapping_options(w: Workflow, systems: Iterable[str], pair: LexiconPair) -> dict[str, Any]:
    """Return the options that all cells of a mapper share: its name, and the dictionaries if it needs any."""
    choices = [w.systems[system] for system in systems]
    mapper, folder = choices[0]["mapper"], dictionary_folder(w, pair.name)
    supervised = any(MAPPERS.needs_dictionary(mapper, mapper_settings(w, choice)) for choice in choices)
    chosen = any(_mapper_grid(w, choice) for choice in choices)
    return {
        "mapper": mapper,
        "dictionary": f"{folder}/train.txt" if supervised else None,
        "fit": f"{folder}/fit.txt" if chosen else None,
        "validation": f"{folder}/validation.txt" if chosen else None,
    }


def mapping_modules(w: Workflow, systems: Iterable[str]) -> list[str]:
    """Return the modules of the mapper of some systems."""
    return list(dict.fromkeys(module for system in systems for module in system_modules(w, system)))


def system_modules(w: Workflow, system: str) -> list[str]:
    """Return the modules of a system's mapper."""
    choice = w.systems[system]
    return mapper_modules(w, choice["mapper"], mapper_settings(w, choice))


def mapper_settings(w: Workflow, choice: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapper's settings: those of the configuration, and over them a system's own."""
    return (w.config["mappers"].get(choice["mapper"]) or {}) | (choice.get("settings") or {})


def mapper_modules(w: Workflow, mapper: str | None, settings: Mapping[str, Any] | None = None) -> list[str]:
    """Return the modules of a mapper, and of the one that it wraps."""
    if mapper is None:
        return []
    return MAPPERS.modules(
        mapper, settings if settings is not None else w.config["mappers"].get(mapper) or {}
    )


def lexicon_folder(w: Workflow, pair: str, system: str) -> str:
    """Return the folder of a system's answers and scores on a pair."""
    return f"{w.results}/lexicon_induction/{pair}/{system}"


def final_vectors(w: Workflow, system: str, pair: LexiconPair) -> list[str]:
    """Return the vectors that a system is judged by, both sides, all seeds."""
    return [final(w, system, pair, seed, f"{side}.vec") for seed in w.seeds for side in SIDES]


def judged(w: Workflow) -> dict[str, list[str]]:
    """Return the systems that a job judges together: the supervised, which need a pair with a dictionary, others."""
    found: dict[str, list[str]] = {}
    for system, choice in w.systems.items():
        found.setdefault(supervision(w, choice), []).append(system)
    return found


def score_file(w: Workflow, system: str, pair: LexiconPair, seed: int, variant: str = SELECTED) -> str:
    """Return the scores of a system's lexicon induction on a pair."""
    return f"{lexicon_folder(w, pair.name, system)}/{variant}seed{seed}.json"


def lexicon_outputs(w: Workflow, systems: Iterable[str], pair: LexiconPair) -> list[str]:
    """Return the scores and predictions of some systems on a pair."""
    cells = _inductions(w, systems, pair)
    return [cell[name] for cell in cells for name in ("out", "predictions")]


def lexicon_inputs(w: Workflow, systems: Iterable[str], pair: LexiconPair) -> list[str]:
    """Return the vectors, and the reports of mapping, that inducing lexicons of some systems reads."""
    cells = _inductions(w, systems, pair)
    return list(dict.fromkeys(c[name] for c in cells for name in (*SIDES, "mapping") if c[name]))


def lexicon_plan(w: Workflow, kind: str, systems: Iterable[str], pair: LexiconPair) -> str:
    """Write the cells that induce lexicons, one a system, variant and seed; return the file."""
    return w.plan(f"induce_lexicon/{pair.name}.{kind}", _inductions(w, systems, pair))


def _inductions(w: Workflow, systems: Iterable[str], pair: LexiconPair) -> list[dict[str, str]]:
    found = []
    for system in systems:
        choice = w.systems[system]
        for variant in variants(w, choice, pair):
            for seed in w.seeds:
                out = score_file(w, system, pair, seed, variant)
                cell = {side: final(w, system, pair, seed, f"{side}.vec", variant) for side in SIDES}
                report = mapped(w, system, pair, seed, "details.json", variant) if choice["mapper"] else ""
                cell |= {"mapping": report, "out": out}
                found.append(cell | {"predictions": out.removesuffix(".json") + ".predictions.tsv"})
    return found


def gold_dictionary(w: Workflow, pair: LexiconPair) -> list[str]:
    """Return the file of the dictionary that tests; none where a pair has none."""
    return [f"{dictionary_folder(w, pair.name)}/test.txt"] if pair.dictionary else []


def lexicon_options(w: Workflow, pair: LexiconPair) -> dict[str, Any]:
    """Return the options that all cells of a pair's lexicon induction share; without gold nothing is said of it."""
    own, size = w.config["lexicon_induction"], w.config["word_embeddings"]["max_vocabulary"]
    retrieval = {name: own[name] for name in ("retrieval", "neighbours")} | {"max_vocabulary": size}
    gold = {"identical": ["kept", "dropped"], **own, "dictionary": gold_dictionary(w, pair)}
    return gold | retrieval if pair.dictionary else retrieval


# What the vectors of one language differ in, by which unsupervised mappers are controlled.
CONTROLS = ("other_seed", "other_half")


def controlled(w: Workflow) -> list[str]:
    """Return the systems that map independent vectors without a dictionary; none where no control is asked for."""
    if not w.config["joint_align"]["controls"] or not w.pairs:
        return []
    return [
        name
        for name, choice in w.systems.items()
        if choice["mapper"] and choice["embeddings"] == "independent" and not needs_dictionary(w, choice)
    ]


def control_kinds(w: Workflow) -> tuple[str, ...]:
    """Return the kinds of controls: with one seed there are no vectors of another."""
    return CONTROLS if len(w.seeds) > 1 else ("other_half",)


def control_language(w: Workflow) -> str:
    """Return the language that is mapped onto itself: the first pair's source."""
    return w.pairs[0][0]


def control_score(w: Workflow, system: str, kind: str, seed: int) -> str:
    """Return the scores of a control."""
    return f"{w.results}/embedding_alignment/control/{kind}/{system}/seed{seed}.json"


def control_seeds(w: Workflow) -> range:
    """Return the seeds of a mapper's controls."""
    return range(1, (w.config["joint_align"]["controls"] or 0) + 1)


def control_scores(w: Workflow) -> list[str]:
    """Return the scores of all controls."""
    return [cell["out"] for cell in _controls(w)]


def control_inputs(w: Workflow) -> list[str]:
    """Return the vectors that controls read."""
    return list(dict.fromkeys(cell[side] for cell in _controls(w) for side in SIDES))


def control_plan(w: Workflow) -> str:
    """Write the cells of the controls, one a system, kind and seed; return the file."""
    return w.plan("control_mappers", _controls(w))


def _controls(w: Workflow) -> list[dict[str, Any]]:
    folder = f"{embeddings_folder(w)}/independent/{control_language(w)}" if w.pairs else ""
    found = []
    for system in controlled(w):
        choice = w.systems[system]
        for kind in control_kinds(w):
            for seed in control_seeds(w):
                one, other = (w.seeds[(seed - 1 + i) % len(w.seeds)] for i in (0, 1))
                names = (f"even.seed{w.seeds[0]}", f"odd.seed{w.seeds[0]}")
                names = names if kind == "other_half" else (f"seed{one}", f"seed{other}")
                cell = {side: f"{folder}/{name}.vec" for side, name in zip(SIDES, names, strict=True)}
                cell |= {"mapper": choice["mapper"], "set": settings_words(mapper_settings(w, choice))}
                found.append(cell | {"seed": seed, "out": control_score(w, system, kind, seed)})
    return found


def check_systems(w: Workflow) -> None:
    """Raise ConfigError when a system, or the choice of gamma, names a mapper that is not there."""
    used = {f"joint_align.systems.{name}.mapper": system["mapper"] for name, system in w.systems.items()}
    used["vocabulary_reallocation.selection_mapper"] = w.config["vocabulary_reallocation"]["selection_mapper"]
    used |= {f"mappers.{name}": name for name in w.config["mappers"]}
    for key, mapper in used.items():
        check_defined(key, mapper or (), MAPPERS, "the mappers")
    searched = list(w.config["joint_align"]["search"])
    check_defined("joint_align.search", searched, [*MAPPERS, *GRIDS], "what has settings to choose")
