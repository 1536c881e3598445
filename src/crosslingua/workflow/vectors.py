"""Jobs of word embeddings, systems of word vectors, and the files of vectors before and after mapping."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

from crosslingua.io.decode import base_language
from crosslingua.mappers import MAPPERS
from crosslingua.word_embeddings import GRIDS
from crosslingua.workflow.encoders import encoder_folder
from crosslingua.workflow.jobs import In, Job
from crosslingua.workflow.sections import SystemSection
from crosslingua.workflow.sources import present
from crosslingua.workflow.text import dictionary_folder, text_of
from crosslingua.workflow.workflow import LexiconPair, Workflow, once, settings_words

# The wildcards of a rule: a pair with its dictionary, and a system.
ANY_PAIR = LexiconPair("{source}", "{target}", "{dictionary}")
ANY_PAIR_OF_CURVE = LexiconPair("{source}", "{target}", "{dictionary}", curve=True)
ANY_SYSTEM = "{system}"
SIDES = ("source", "target")
# Of training with a dictionary: script, first part of jobs' names, folder, and the option that takes the dictionary.
TRAINED_BY = {
    "joint_replace": ("train_embeddings.py", "train_joint_replace", "replaced", "replace"),
    "duong": ("train_duong.py", "train_duong", "duong", "dictionary"),
}
MAPPED = {"source": "source.vec", "target": "target.vec", "details": "details.json"}

# Prefixes of files of vectors, under chosen settings and under published ones.
SELECTED, PUBLISHED = "", "published."
# What the embeddings of an encoder begin with, before its name.
OF_ENCODER = "encoder/"
# Joint training, and reallocation by a criterion without supervision.
WITHOUT_DICTIONARY = ("joint", "joint_vr_unsupervised")


class System:
    """Word embeddings and, if they are mapped, a mapper with its settings: the configuration's, then the system's."""

    def __init__(self, w: Workflow, name: str, section: SystemSection):
        self.w, self.name, self.embeddings, self.mapper = w, name, str(section.embeddings), section.mapper
        if section.encoder:
            self.embeddings = f"{OF_ENCODER}{section.encoder}"
        self.settings = (w.config.mappers.get(self.mapper or "") or {}) | (section.settings or {})
        self.is_trained = self.embeddings in GRIDS  # with a dictionary
        # Languages share words, which refinement does not move.
        self.shares_words = self.embeddings.startswith("joint")

    @property
    def modules(self) -> list[str]:
        """The modules of its mapper."""
        return MAPPERS.modules(self.mapper, self.settings) if self.mapper else []

    @cached_property
    def is_supervised(self) -> bool:
        """Whether its mapper needs a dictionary."""
        return self.mapper is not None and MAPPERS.needs_dictionary(self.mapper, self.settings)

    @cached_property
    def needs_dictionary(self) -> bool:
        """Whether it trains, chooses gamma, or maps with a dictionary."""
        reallocated = self.embeddings == "joint_vr" and chooses_gamma(self.w)
        return self.is_trained or reallocated or self.is_supervised

    @cached_property
    def grid(self) -> Mapping[str, Any]:
        """The grid of its mapper; none without a dictionary."""
        return grid_of(self.w, self.mapper) if self.mapper and self.is_supervised else {}

    @cached_property
    def is_chosen(self) -> bool:
        """Whether its settings, or its gamma, are chosen."""
        gamma = self.embeddings.startswith("joint_vr") and chooses_gamma(self.w)
        return gamma or bool(self.grid) or (self.is_trained and bool(grid_of(self.w, self.embeddings)))

    def variants(self, pair: LexiconPair | None = None) -> tuple[str, ...]:
        """Return its variants, on a pair: the chosen settings and, after a search, the published ones."""
        searched = bool(self.grid)
        if self.is_trained and not self.mapper:
            searched = bool(grid_of(self.w, self.embeddings)) and self.w.vectors.published_training
        return variants_of(searched, pair)

    def mapped(self, pair: LexiconPair, seed: int, name: str, variant: str = SELECTED) -> str:
        """Return an output file of its mapping of a pair."""
        path = mapped(self.w, self.name, pair, f"{variant}seed{seed}.{name}")
        return In(path, mapping_folder(self.w, pair)) if self.w.vectors.together else path

    def final(self, pair: LexiconPair, seed: int, name: str, variant: str = SELECTED) -> str:
        """Return the vectors that it is evaluated on."""
        if self.mapper is None:
            return space(self.w, self.embeddings, pair, seed, name, variant)
        return self.mapped(pair, seed, name, variant)


def variants_of(searched: bool, pair: LexiconPair | None) -> tuple[str, ...]:
    """Return the variants of what is searched or not; the dictionary curve has no published one."""
    return (SELECTED, PUBLISHED) if searched and not (pair and pair.curve) else (SELECTED,)


@once
def all_systems(w: Workflow) -> dict[str, System]:
    """Return the systems of word vectors, in the order of tables."""
    return {name: System(w, name, one) for name, one in present(w.vectors.systems).items()}


def systems_of(w: Workflow, pair: LexiconPair) -> dict[str, System]:
    """Return the systems that can run on a pair, by name."""
    return {name: one for name, one in all_systems(w).items() if pair.dictionary or not one.needs_dictionary}


def grid_of(w: Workflow, name: str) -> Mapping[str, Any]:
    """Return the grid of a mapper or of training with a dictionary, searched on held-out translations."""
    if name in w.vectors.search:
        return w.vectors.search[name] or {}
    return GRIDS[name] if name in GRIDS else MAPPERS.member(name).grid


def chooses_gamma(w: Workflow) -> bool:
    """Whether gamma has several candidates, among which a dictionary chooses."""
    return len(w.config.vocabulary_reallocation.gamma) > 1


def embeddings_folder(w: Workflow) -> str:
    """Return the folder of word embeddings before any mapping."""
    return f"{w.results}/word_embeddings"


def fasttext_settings(w: Workflow) -> dict[str, Any]:
    """Return the settings of fastText, without `words_read` where it adds no passes."""
    settings = w.config.word_embeddings
    return {name: value for name, value in settings.items() if name != "words_read" or value}


def space_folder(w: Workflow, embeddings: str, pair: LexiconPair) -> str:
    """Return the folder of a pair's embeddings before any mapping, if they are of both languages."""
    place = f"{pair.source}-{pair.target}" if embeddings in WITHOUT_DICTIONARY else pair.name
    return f"{embeddings_folder(w)}/{embeddings}/{place}"


def space(
    w: Workflow, embeddings: str, pair: LexiconPair, seed: int, name: str, variant: str = SELECTED
) -> str:
    """Return a file of a pair's embeddings before any mapping: `source.vec`, `target.vec` or `shared.txt`."""
    if embeddings == "independent":
        return f"{embeddings_folder(w)}/independent/{pair.language(name)}/seed{seed}.vec"
    if embeddings.startswith(OF_ENCODER):
        return f"{embeddings_folder(w)}/{embeddings}/{pair.language(name)}.vec"
    return f"{space_folder(w, embeddings, pair)}/{variant if embeddings in GRIDS else ''}seed{seed}.{name}"


def mapping_folder(w: Workflow, pair: LexiconPair) -> str:
    """Return the folder of all mappings of a pair."""
    return f"{w.results}/embedding_alignment/{pair.name}"


def mapped(w: Workflow, system: str, pair: LexiconPair, name: str) -> str:
    """Return a file of a system's mapping of a pair."""
    return f"{mapping_folder(w, pair)}/{system}/{name}"


def chosen_settings(w: Workflow, kind: str, pair: LexiconPair, variant: str = SELECTED) -> list[str]:
    """Return the file of chosen training settings; none as published, or where nothing is chosen."""
    is_chosen = grid_of(w, kind) and variant == SELECTED
    return [f"{embeddings_folder(w)}/{kind}/{pair.name}/choice.json"] if is_chosen else []


def dictionary_part(w: Workflow, pair: LexiconPair, part: str) -> In:
    """Return a part of a pair's dictionary as an input: train (fit and validation), fit, validation, test."""
    return In(f"{dictionary_folder(w, pair.name)}/{part}.txt")


def every_pair(w: Workflow) -> list[LexiconPair]:
    """Return the language pairs with each of their dictionaries, those of the curve too."""
    return [*w.lexicon_pairs.values(), *w.curve_pairs.values()]


def search_words(grid: Mapping[str, Any]) -> list[str]:
    """Return a grid as options of `--search`: name=value|value."""
    return [f"{name}={'|'.join(map(str, values))}" for name, values in grid.items()]


def training_jobs(w: Workflow) -> Iterator[Job]:
    """Yield the jobs that train vectors, one a seed, and jobs that choose settings of training with a dictionary."""
    separate = fasttext_settings(w)
    joint = separate | {"max_vocabulary": 2 * separate["max_vocabulary"]}
    for seed in w.seeds:
        for language in w.sources.languages:
            for half in ("", "even.", "odd."):  # on all the text of a language, or on a half of its lines
                options = {"seed": seed, **separate, "lines": half.removesuffix(".") or None}
                path = f"independent/{language}/{half}seed{seed}"
                yield _training(w, "train_independent", path, [language], options)
        for source, target in w.pairs:
            path = concatenated(w, source, target, seed).removeprefix(f"{embeddings_folder(w)}/")
            yield _training(w, "train_joint", path, sorted([source, target]), {"seed": seed, **joint})
    for pair in every_pair(w):
        for kind, variants in trained_kinds(w, pair).items():
            if grid_of(w, kind):
                yield _choosing(w, kind, pair)
            script, name, folder, dictionary = TRAINED_BY[kind]
            for variant in variants:
                choice = [In(path) for path in chosen_settings(w, kind, pair, variant)]
                own = _duong(w, variant) if kind == "duong" else joint | dict(w.config.joint_replace)
                for seed in w.seeds:
                    path = f"{folder}/{pair.name}/{variant}seed{seed}"
                    options = {
                        dictionary: dictionary_part(w, pair, "train"),
                        "seed": seed,
                        **own,
                        "choice": choice,
                    }
                    yield _training(w, name, path, (pair.source, pair.target), options, script)


def encoder_jobs(w: Workflow) -> Iterator[Job]:
    """Yield the jobs that write an encoder's vectors of the words of each language."""
    size = {"min_count": w.config.word_embeddings["minCount"]}
    size |= {"max_vocabulary": w.config.word_embeddings["max_vocabulary"]}
    read = [
        system.embeddings for system in all_systems(w).values() if system.embeddings.startswith(OF_ENCODER)
    ]
    for embeddings in dict.fromkeys(read):
        encoder = embeddings.removeprefix(OF_ENCODER)
        for language in dict.fromkeys(chain(*w.pairs)):
            options = {
                "encoder": In(encoder_folder(w, encoder, w.encoder_seeds[0])),
                "counts": In(f"{w.corpora}/counts/{language}.tsv"),
                "language": base_language(language),
                "precision": w.config.encoders.feature_precision,
                **size,
                **w.on_gpu,
            }
            made = [f"{embeddings_folder(w)}/{embeddings}/{language}"]
            yield Job(
                "embed_vocabulary.py", f"embed_vocabulary/{encoder}/{language}", options=options, makes=made
            )


def _training(
    w: Workflow, name: str, path: str, languages: Sequence[str], options: Mapping[str, Any],
    script: str = "train_embeddings.py",
) -> Job:  # fmt: skip
    """Return the job that trains the vectors of languages, at a path below the folder of embeddings."""
    options = {"text": [In(text_of(w, language)) for language in languages], **options}
    name = f"{name}/{path.partition('/')[2].removesuffix('.vec')}"
    return Job(script, name, options=options, makes=[f"{embeddings_folder(w)}/{path}"])


def trained_kinds(w: Workflow, pair: LexiconPair) -> dict[str, list[str]]:
    """Return the embeddings of a pair that are trained with its dictionary, each with its variants."""
    kinds: dict[str, list[str]] = {}
    for system in systems_of(w, pair).values():
        if system.is_trained:
            trained = kinds.setdefault(system.embeddings, [])
            asked = (SELECTED,) if system.mapper else system.variants(pair)
            trained += [variant for variant in asked if variant not in trained]
    return kinds


def concatenated(w: Workflow, source: str, target: str, seed: int) -> str:
    """Return the vectors of joint training, which is symmetric in source and target."""
    return f"{embeddings_folder(w)}/concatenated/{'+'.join(sorted([source, target]))}/seed{seed}.vec"


def _duong(w: Workflow, variant: str = SELECTED) -> dict[str, Any]:
    """Return the settings of duong: of its section and of vectors in general, or the published settings."""
    names = {"dim": "dim", "min_count": "minCount", "max_vocabulary": "max_vocabulary"}
    sizes = {name: w.config.word_embeddings[key] for name, key in names.items()}
    return (w.config.duong if variant == SELECTED else {}) | sizes


def _choosing(w: Workflow, kind: str, pair: LexiconPair) -> Job:
    settings = _duong(w) if kind == "duong" else fasttext_settings(w) | dict(w.config.joint_replace)
    options = {
        "kind": kind,
        "set": settings_words({**settings, "max_vocabulary": None}),
        "search": search_words(grid_of(w, kind)),
        "max_vocabulary": settings["max_vocabulary"],
        "seed": w.seeds[0],
        "text": [In(text_of(w, language)) for language in (pair.source, pair.target)],
        **{part: dictionary_part(w, pair, part) for part in ("fit", "validation")},
    }
    name, made = f"choose_training/{kind}/{pair.name}", chosen_settings(w, kind, pair)
    return Job("choose_training.py", name, options=options, makes=made)


def mapped_systems(w: Workflow, *, searched: bool) -> list[str]:
    """Return the systems that have a mapper, with a search on held-out pairs or without."""
    return [name for name, one in all_systems(w).items() if one.mapper and bool(one.grid) == searched]


def dictionary_names(pairs: Mapping[str, LexiconPair]) -> list[str]:
    """Return the dictionaries in the names of pairs: `none` where there is none."""
    return list(dict.fromkeys(name.rpartition(".")[2] for name in pairs))


def mapping_outputs(
    w: Workflow, pair: LexiconPair = ANY_PAIR, *, searched: bool = False
) -> dict[str, list[str]]:
    """Return the outputs of mapping a pair, with wildcards: vectors and reports. `searched` adds the chosen settings
    and, except on the curve, the outputs under the published ones.
    """
    runs = [f"{variant}seed{seed}" for variant in variants_of(searched, pair) for seed in w.seeds]
    files = {
        name: [mapped(w, ANY_SYSTEM, pair, f"{run}.{file}") for run in runs] for name, file in MAPPED.items()
    }
    return files | ({"choice": [mapper_choice_file(w, ANY_SYSTEM, pair)]} if searched else {})


def mapper_choice_file(w: Workflow, system: str, pair: LexiconPair) -> str:
    """Return the settings that were chosen for a system's mapper."""
    return mapped(w, system, pair, "choice.json")


def mapping_jobs(w: Workflow) -> Iterator[Job]:
    """Yield the jobs of mappers, with all seeds: one a system and pair, or one a pair where systems are together."""
    for pair in every_pair(w):
        jobs = [
            _mapping_job(w, system, pair)
            for system in systems_of(w, pair).values()
            if system.mapper and (system.needs_dictionary or not pair.curve)
        ]
        yield from [_together(pair, jobs)] if w.vectors.together and jobs else jobs


def _together(pair: LexiconPair, jobs: Sequence[Job]) -> Job:
    """Return one job of several that map a pair."""
    lines = [{**job.options, **line} for job in jobs for line in job.lines]
    members = dict.fromkeys(member for job in jobs for member in job.members)
    return Job("align_vectors.py", f"align_vectors/{pair.name}", lines, members=[*members])


def _mapping_job(w: Workflow, system: System, pair: LexiconPair) -> Job:
    def made(seed: int, file: str, variant: str = SELECTED) -> str:
        return mapped(w, system.name, pair, f"{variant}seed{seed}.{file}")

    parts = {"dictionary": "train" if system.is_supervised else ""}
    parts |= {part: part if system.grid else "" for part in ("fit", "validation")}
    read = {name: dictionary_part(w, pair, part) if part else None for name, part in parts.items()}
    published = PUBLISHED in variants_of(bool(system.grid), pair)
    lines = []
    for seed in w.seeds:
        files = {side: space(w, system.embeddings, pair, seed, f"{side}.vec") for side in SIDES}
        files["shared"] = space(w, system.embeddings, pair, seed, "shared.txt") if system.shares_words else ""
        lines.append({
            **{name: In(path) if path else "" for name, path in files.items()},
            "seed": seed,
            "set": settings_words(system.settings),
            "details": made(seed, "details.json"),
            **{f"out_{side}": made(seed, f"{side}.vec") for side in SIDES},
            "search": search_words(system.grid),
            "choice": mapper_choice_file(w, system.name, pair) if system.grid else "",
            "choosing": bool(system.grid) and seed == w.seeds[0],
            **{
                f"published_{name}": made(seed, file, PUBLISHED) if published else ""
                for name, file in MAPPED.items()
            },
        })  # fmt: skip
    options = {"mapper": system.mapper} | w.on_gpu | read
    return Job("align_vectors.py", f"align_vectors/{pair.name}.{system.name}", lines, options, system.modules)


def division_jobs(w: Workflow) -> Iterator[Job]:
    """Yield the jobs that divide joint vocabularies, one a pair with all seeds. Shared words occur in both corpora;
    after joint_vr they are about as frequent in both.
    """
    size = {"max_vocabulary": w.config.word_embeddings["max_vocabulary"]}
    for source, target in w.pairs:
        yield _division(w, "joint", LexiconPair(source, target, ""), size)
    for pair in every_pair(w):
        drawn = w.vectors.figure1 and pair.dictionary and not pair.curve  # figure 1 of joint_align
        if drawn or any(system.embeddings == "joint_vr" for system in systems_of(w, pair).values()):
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
        {
            **{f"counts_{side}": In(f"{w.corpora}/counts/{language}.tsv") for side, language in counts},
            **options,
        },
        MAPPERS.modules(mapper, w.config.mappers.get(mapper)) if mapper else [],
    )


def division_outputs(w: Workflow, kind: str, variant: str = SELECTED) -> dict[str, list[str]]:
    """Return the outputs of dividing a pair's joint vocabulary, with wildcards."""
    lines = _division_lines(w, kind, ANY_PAIR, variant)
    names = {"source": "out_source", "target": "out_target", "shared": "out_shared", "report": "report"}
    return {name: list(dict.fromkeys(line[column] for line in lines)) for name, column in names.items()}


def _division_lines(w: Workflow, kind: str, pair: LexiconPair, variant: str) -> list[dict[str, Any]]:
    """Return a line for each seed; joint training adds lines for reallocation without a dictionary."""
    unsupervised = {"joint_vr_unsupervised": _reallocation_without_dictionary(w)} if kind == "joint" else {}
    asked = {system.embeddings for system in all_systems(w).values()}
    kinds: dict[str, dict[str, Any]] = {kind: {}}
    kinds |= {name: own for name, own in unsupervised.items() if name in asked}
    return [
        {
            "vectors": In(
                f"{embeddings_folder(w)}/replaced/{pair.name}/{variant}seed{seed}.vec"
                if kind == "joint_replace"
                else concatenated(w, pair.source, pair.target, seed)
            ),
            "seed": seed,
            "report": report_file(w, name, pair, variant),
            **{f"out_{side}": space(w, name, pair, seed, f"{side}.vec", variant) for side in SIDES},
            "out_shared": space(w, name, pair, seed, "shared.txt", variant),
            **own,
        }
        for name, own in kinds.items()
        for seed in w.seeds
    ]


def _reallocation_without_dictionary(w: Workflow) -> dict[str, Any]:
    """Return how MUSE's refinement from the joint space chooses gamma."""
    muse = w.config.mappers.get("muse") or {}
    cutoff = {key: value for key, value in muse.items() if key == "vocabulary_cutoff"}
    settings = settings_words({"initialisation": "identity", **cutoff})
    return {"gamma": w.config.vocabulary_reallocation.gamma, "selection_mapper": "muse", "set": settings}


def report_file(w: Workflow, kind: str, pair: LexiconPair, variant: str = SELECTED) -> str:
    """Return the report of a division of a pair's joint vocabulary."""
    return f"{space_folder(w, kind, pair)}/{variant}division.json"


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
