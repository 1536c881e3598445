"""What laser_taggers asks for: every system, trained in every setting, tested on every language, and compared.

A system is one of `embedder` (a member of EMBEDDERS, most on LASER), `vectors` (mapped word vectors: a system of
joint_align, one tagger a language pair) or `encoder` (fine-tuned whole); two controls, `random` vectors and the
`majority` tag, are run in the zero-shot setting.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from crosslingua.cells import Cell
from crosslingua.config import digest
from crosslingua.embedders import EMBEDDERS
from crosslingua.errors import ConfigError
from crosslingua.names import check_defined
from crosslingua.papers.laser_taggers.settings import (
    METRICS,
    MONOLINGUAL,
    RECIPES,
    SCENARIO_A,
    SCENARIO_B,
    TAGGER,
    TRANSFORMER,
    ZERO_SHOT,
    Setting,
    settings_of,
)
from crosslingua.workflow.comparisons import Compared, comparison_file, comparisons_folder
from crosslingua.workflow.encoders import encoder_folder, laser_encoders
from crosslingua.workflow.fine_tuning import Prediction, Tuning, scores_folder, tunings_folder
from crosslingua.workflow.laser import trained_laser
from crosslingua.workflow.lexicons import lexicon_folder
from crosslingua.workflow.lineage import encoder_lineage, set_lineage, vector_lineage
from crosslingua.workflow.mixtures import Mixture
from crosslingua.workflow.results import MAIN, Drawing, TableRequest, rows_file
from crosslingua.workflow.runs import check_encoders, members
from crosslingua.workflow.sources import present
from crosslingua.workflow.tagging import Embedding, Tagged, TaggedSet, Tagging, taggings_folder
from crosslingua.workflow.vectors import final
from crosslingua.workflow.workflow import LexiconPair, Workflow

PAPER = "laser_taggers"
COMPARED_WITH = "laser_top"  # by the sign test
STATIC = "muse"  # whose errors are listed
RANDOM, MAJORITY = "random", "majority"
LOWER = f"{PAPER}_"  # what the names of lower-case sets begin with


def section(w: Workflow) -> Mapping[str, Any]:
    """Return the paper's section of the configuration."""
    return w.config[PAPER]


def source(w: Workflow, task: str) -> str:
    """Return the set of a task that the zero-shot setting trains on."""
    return section(w)["tasks"][task]["source"]


def systems(w: Workflow, kind: str = "") -> dict[str, Any]:
    """Return the systems, or those that have the key `kind`, in the order of the tables."""
    return {name: one for name, one in present(section(w)["systems"]).items() if not kind or kind in one}


def tasks(w: Workflow) -> list[str]:
    """Return the tasks."""
    return list(present(section(w)["tasks"]))


def targets(w: Workflow, task: str) -> list[str]:
    """Return the sets of a task, a language each, that are trained on too."""
    return section(w)["tasks"][task]["targets"]


def distant(w: Workflow, task: str) -> list[str]:
    """Return the sets of a task that are only tested."""
    return section(w)["tasks"][task].get("distant", [])


def languages(w: Workflow, task: str, target: str) -> tuple[str, str]:
    """Return the language of training and that of a set."""
    return w.sources.language(task, source(w, task)), w.sources.language(task, target)


def tested(w: Workflow, task: str, setting: str) -> list[str]:
    """Return the sets that a setting is tested on."""
    if setting.startswith(MONOLINGUAL):
        return [setting.removeprefix(f"{MONOLINGUAL}_")]
    return [source(w, task), *targets(w, task), *distant(w, task)]


def trainings(w: Workflow, task: str) -> list[Setting]:
    """Return the training sets of a task."""
    own = [name for name in targets(w, task) if {"train", "valid"} <= set(w.sources.splits(task, name))]
    joint = task in section(w)["joint"] and len(own) > 0
    return settings_of(source(w, task), own, section(w)["share"], joint)


def groups(w: Workflow) -> list[str]:
    """Return the groups of cells."""
    return [MAIN]


# Embedders and taggers


def taggings(w: Workflow) -> dict[str, list[Tagging]]:
    """Return the taggers."""
    return {MAIN: [tagging for _, _, tagging in _taggings(w)]}


def _taggings(w: Workflow) -> Iterator[tuple[str, str, Tagging]]:
    """Yield each tagger with its system and setting; of mapped vectors there is one a language pair."""
    for task in tasks(w):
        for name, one in systems(w, "embedder").items():
            for setting in trainings(w, task):
                if _runs_in(name, setting.name):
                    yield name, setting.name, _on_features(w, task, name, one, setting)
        for name in systems(w, "vectors"):
            yield from ((name, *found) for found in _on_vectors(w, task, name))
        yield MAJORITY, ZERO_SHOT, _majority(w, task)


def _runs_in(system: str, setting: str) -> bool:
    """Whether a system is trained in a setting; the control only where it is compared with."""
    return system != RANDOM or setting == ZERO_SHOT


def _on_features(w: Workflow, task: str, name: str, one: Mapping[str, Any], setting: Setting) -> Tagging:
    embeddings = _embeddings(w, name, one)
    train = tuple(TaggedSet(language, embeddings, share) for language, share in setting.parts)
    test = tuple(TaggedSet(language, embeddings) for language in tested(w, task, setting.name))
    recipe = one.get("recipe", "baseline")
    own = f"{name}/{setting.name}.{task}"
    return Tagging(own, recipe, task, TAGGER, train, test, _recipe(w, recipe), tuple(w.seeds))


def _recipe(w: Workflow, name: str) -> dict[str, Any]:
    """Return how a tagger is trained: as published, but for what the configuration says."""
    return {**RECIPES[name], **(section(w)["tagger"] or {}), **(section(w)["recipes"].get(name) or {})}


def _embeddings(w: Workflow, name: str, one: Mapping[str, Any]) -> tuple[Embedding, ...]:
    """Return how words are embedded, one a seed: the runs of LASER are used in turn."""
    if "encoder" not in EMBEDDERS.needs(one["embedder"]):
        return tuple(Embedding(f"{name}.seed{seed}", one["embedder"], {"seed": seed}) for seed in w.seeds)
    folders = laser_encoders(w)
    found = []
    for place in range(len(w.seeds)):
        number = place % len(folders)
        own = f"{name}.seed{w.encoder_seeds[number]}"
        found.append(Embedding(own, one["embedder"], {"encoder": folders[number]}, (folders[number],)))
    return tuple(found)


def lexicon_pair(w: Workflow, task: str, target: str) -> LexiconPair | None:
    """Return the pair of the languages of the source and of a set, with its first dictionary; None without one."""
    pair = tuple(w.sources.language(task, name) for name in (source(w, task), target))
    return next((one for one in w.lexicon_pairs.values() if (one.source, one.target) == pair), None)


def _on_vectors(w: Workflow, task: str, name: str) -> Iterator[tuple[str, Tagging]]:
    """Yield the taggers on mapped vectors: of the source for each target, and of each target."""
    settings = {one.name: one for one in trainings(w, task)}
    share, first = section(w)["share"], True
    for target in (*targets(w, task), *distant(w, task)):
        pair = lexicon_pair(w, task, target)
        if pair is None:
            continue
        sides = [_mapped(w, name, pair, side) for side in ("source", "target")]
        train = (TaggedSet(source(w, task), sides[0], share),)
        test = (TaggedSet(target, sides[1]), *([TaggedSet(source(w, task), sides[0])] if first else []))
        yield ZERO_SHOT, _vector_tagging(w, task, f"{name}/{ZERO_SHOT}_{target}", train, test)
        first = False
        if f"{MONOLINGUAL}_{target}" in settings:
            own = (TaggedSet(target, sides[1], share),), (TaggedSet(target, sides[1]),)
            yield f"{MONOLINGUAL}_{target}", _vector_tagging(w, task, f"{name}/{MONOLINGUAL}_{target}", *own)


def _vector_tagging(w: Workflow, task: str, name: str, train: tuple, test: tuple) -> Tagging:
    recipe = _recipe(w, "baseline")
    return Tagging(f"{name}.{task}", "baseline", task, TAGGER, train, test, recipe, tuple(w.seeds))


def _mapped(w: Workflow, name: str, pair: LexiconPair, side: str) -> tuple[Embedding, ...]:
    """Return the mapped vectors of one side of a pair, one a seed."""
    system = systems(w)[name]["vectors"]
    files = {seed: final(w, system, pair, seed, f"{side}.vec") for seed in w.seeds}
    return tuple(
        Embedding(f"{name}.{pair.name}.{side}.seed{seed}", "static_vectors", {"vectors": path}, (path,))
        for seed, path in files.items()
    )


def _majority(w: Workflow, task: str) -> Tagging:
    """Return the tagger that gives every word the most frequent tag; it reads no vector."""
    words = (Embedding(f"{RANDOM}.seed{w.seeds[0]}", "random_vectors", {"seed": w.seeds[0]}),)
    train = (TaggedSet(source(w, task), words, section(w)["share"]),)
    test = tuple(TaggedSet(language, words) for language in tested(w, task, ZERO_SHOT))
    settings = {"epochs": 1, "patience": 0}
    return Tagging(f"{MAJORITY}.{task}", "baseline", task, MAJORITY, train, test, settings, (w.seeds[0],))


# Encoders that are fine-tuned whole: they read words in lower case, as all systems of the paper do


def lower(name: str) -> str:
    """Return the name of a set in lower case."""
    return f"{LOWER}{name}"


def mixtures(w: Workflow) -> list[Mixture]:
    """Return the data of fine-tuned encoders: every training set, and what is only tested."""
    if not systems(w, "encoder"):
        return []
    return [one for task in tasks(w) for one in _mixtures(w, task)]


def _mixtures(w: Workflow, task: str) -> Iterator[Mixture]:
    for one in trainings(w, task):
        yield Mixture(task, lower(one.name), one.parts)
    for language in tested(w, task, ZERO_SHOT):
        yield Mixture(task, lower(language), ((language, 1.0),), ("test",))


def fine_tunings(w: Workflow) -> dict[str, list[Tuning]]:
    """Return the fine-tunings, one an encoder: in every setting, tested on all languages."""
    return {MAIN: [_tuning(w, one["encoder"]) for one in systems(w, "encoder").values()]}


def _tuning(w: Workflow, encoder: str) -> Tuning:
    train = tuple((task, lower(one.name)) for task in tasks(w) for one in trainings(w, task))
    test = tuple((task, lower(name)) for task in tasks(w) for name in tested(w, task, ZERO_SHOT))
    settings = {**TRANSFORMER, **(section(w)["recipes"].get("transformer") or {})}
    return Tuning(encoder, train, test, dict.fromkeys(tasks(w), settings))


# Results


class Results:
    """Where the scores and predictions of every system, setting and language are; (task, setting, target) -> seeds."""

    def __init__(self, w: Workflow):
        self.w = w
        self._taggers: dict[tuple[str, str, str, str], Tagging] = {}
        for system, setting, tagging in _taggings(w):
            for one in tagging.test:
                self._taggers.setdefault((system, tagging.task, setting, one.name), tagging)

    def has(self, system: str, task: str, setting: str, target: str) -> bool:
        """Whether a system is tested so."""
        if system in systems(self.w, "encoder"):
            known = any(one.name == setting for one in trainings(self.w, task))
            return known and target in tested(self.w, task, setting)
        return (system, task, setting, target) in self._taggers

    def seeds(self, system: str, task: str, setting: str, target: str) -> tuple[int, ...]:
        """Return the seeds of a system."""
        if system in systems(self.w, "encoder"):
            return tuple(self.w.encoder_seeds)
        return self._taggers[system, task, setting, target].seeds

    def score(self, system: str, task: str, setting: str, target: str, seed: int) -> str:
        """Return the file of scores."""
        return f"{scores_folder(self.w, PAPER, MAIN)}/{self._one(system, task, setting, target, seed).score}"

    def prediction(self, system: str, task: str, setting: str, target: str, seed: int) -> tuple[str, str]:
        """Return the file of predictions, and the folder of the job that makes it."""
        one = self._one(system, task, setting, target, seed)
        if isinstance(one, Tagged):
            folder = taggings_folder(self.w, PAPER)
            return f"{folder}/{one.path}", f"{folder}/{one.tagging.job}"
        folder = tunings_folder(self.w, PAPER)
        return f"{folder}/{one.path}", f"{folder}/{one.encoder}"

    def _one(self, system: str, task: str, setting: str, target: str, seed: int) -> Tagged | Prediction:
        if system in systems(self.w, "encoder"):
            encoder = systems(self.w)[system]["encoder"]
            return Prediction(encoder, seed, task, lower(setting), lower(target))
        return Tagged(self._taggers[system, task, setting, target], seed, target)


def scores(w: Workflow, group: str) -> list[str]:
    """Return the folders of scores."""
    found = [scores_folder(w, PAPER, MAIN)]
    found += [comparisons_folder(w, PAPER)] if comparisons(w) else []
    return found + [path for _, path in _lexicons(w)]


def comparisons(w: Workflow) -> list[Compared]:
    """Return the comparison of every system with LASER-top in the zero-shot setting, seed by seed."""
    if COMPARED_WITH not in systems(w):
        return []
    where = Results(w)
    return [one for system in systems(w) if system != COMPARED_WITH for one in _compared(w, where, system)]


def _compared(w: Workflow, where: Results, system: str) -> Iterator[Compared]:
    for task in tasks(w):
        for target in tested(w, task, ZERO_SHOT):
            place = (task, ZERO_SHOT, target)
            if not where.has(system, *place):
                continue
            for seed in sorted(set(where.seeds(system, *place)) & set(w.seeds)):
                first, own = where.prediction(system, *place, seed)
                second, other = where.prediction(COMPARED_WITH, *place, seed)
                name = _comparison(system, task, target, seed)
                yield Compared(name, task, target, first, second, (own, other))


def _comparison(system: str, task: str, target: str, seed: int) -> str:
    return f"{system}/seed{seed}/{task}.{target}"


def cells(w: Workflow, group: str) -> list[Cell]:
    """Return the cells of tables 2 and 3, figures 3 and 4, the sign tests, and whether mapped vectors are any good."""
    where = Results(w)
    order = [*systems(w), MAJORITY]
    found = [cell for task in tasks(w) for system in order for cell in _cells(w, where, task, system)]
    return [*found, *_significance(w), *_mapping_cells(w)]


def _cells(w: Workflow, where: Results, task: str, system: str) -> Iterator[Cell]:
    every = [source(w, task), *targets(w, task), *distant(w, task)]
    for target in every:
        zero = "source" if target == source(w, task) else "zero_shot"
        yield from _scored(w, where, "table2", system, task, target, zero, ZERO_SHOT)
        mono = f"{MONOLINGUAL}_{target}"
        yield from _scored(w, where, "table2", system, task, target, "monolingual", mono)
    figure = {"ner": "fig3", "pos": "fig4"}[task]
    for target in every:
        yield from _scored(w, where, "table3", system, task, target, "scenario_a", SCENARIO_A)
        yield from _scored(w, where, "table3", system, task, target, "change", SCENARIO_B, SCENARIO_A)
        base = ZERO_SHOT if target == source(w, task) else SCENARIO_A  # the source's own data alone
        yield from _scored(w, where, figure, system, task, target, "gain", SCENARIO_B, base)


def _scored(
    w: Workflow, where: Results, table: str, system: str, task: str, target: str, metric: str, setting: str,
    less: str = "",
) -> Iterator[Cell]:  # fmt: skip
    """Yield a cell for each seed of a system in a setting, less its score in another; none where it was not run."""
    if not where.has(system, task, setting, target):
        return
    key, config_hash = METRICS[task], system_hash(w, system, task)
    conll = {"f1": (f"{metric}_conll=f1_conll",)}.get(key, ())  # as conlleval counts spans
    for seed in where.seeds(system, task, setting, target):
        score = where.score(system, task, setting, target, seed)
        base = where.score(system, task, less, target, seed) if less else ""
        metrics = (f"{metric}={key}", *conll)
        yield Cell(
            PAPER, table, system, task, *languages(w, task, target), seed, score, metrics, config_hash, less=base,
            conditions={"distant": "yes"} if target in distant(w, task) else {},
        )  # fmt: skip


def _significance(w: Workflow) -> Iterator[Cell]:
    for one in comparisons(w):
        system, run, _ = one.name.split("/")
        made, config_hash = comparison_file(w, PAPER, one.name), system_hash(w, system, one.task)
        yield Cell(
            PAPER, "table2", system, one.task, *languages(w, one.task, one.tested), int(run.removeprefix("seed")), made,
            ("p_value",), config_hash, conditions={"against": COMPARED_WITH},
        )  # fmt: skip


def _lexicons(w: Workflow) -> list[tuple[tuple[str, LexiconPair, int], str]]:
    """Return the scores of lexicon induction of mapped vectors, by system, pair and seed."""
    wanted = [(task, name) for task in tasks(w) for name in (*targets(w, task), *distant(w, task))]
    found = dict.fromkeys(lexicon_pair(w, *one) for one in wanted)
    pairs = [pair for pair in found if pair and pair.dictionary]
    return [
        ((name, pair, seed), f"{lexicon_folder(w, pair.name, one['vectors'])}/seed{seed}.json")
        for name, one in systems(w, "vectors").items()
        for pair in pairs
        for seed in w.seeds
    ]


def _mapping_cells(w: Workflow) -> Iterator[Cell]:
    for (name, pair, seed), path in _lexicons(w):
        config_hash = digest(*vector_lineage(w, pair, w.systems[systems(w)[name]["vectors"]]))
        yield Cell(
            PAPER, "table2", name, "bli", pair.source, pair.target, seed, path, ("p_at_1",), config_hash,
            "identical=kept",
        )  # fmt: skip


def system_hash(w: Workflow, system: str, task: str) -> str:
    """Return the hash for the scores of a system in a task."""
    sets = tested(w, task, ZERO_SHOT)
    one = systems(w).get(system, {})
    parts: list[Any] = [one, section(w)["share"], section(w)["joint"], set_lineage(w, task, sets)]
    if "encoder" in one:
        parts += [section(w)["recipes"].get("transformer"), encoder_lineage(w, one["encoder"])]
    elif "vectors" in one:
        pairs = [pair for name in sets if (pair := lexicon_pair(w, task, name))]
        parts += [vector_lineage(w, pair, w.systems[one["vectors"]]) for pair in pairs]
    elif one:
        parts.append(laser_lineage(w))
    return digest(*parts, _recipe(w, one.get("recipe", "baseline")))


def laser_lineage(w: Workflow) -> list[Any]:
    """Return what LASER depends on."""
    laser = trained_laser(w)
    return [w.config["encoders"]["laser"], set_lineage(w, "bitext", laser["bitext"]) if laser else []]


def tables(w: Workflow) -> dict[str, TableRequest]:
    """Return the tables; table 3 where there is joint training."""
    note = _note(w)
    joint = any(one.name == SCENARIO_A for task in tasks(w) for one in trainings(w, task))
    return {"table2": TableRequest(note=note)} | ({"table3": TableRequest(note=note)} if joint else {})


def _note(w: Workflow) -> str:
    parts = [f"{name}: {one['vectors']}'s vectors." for name, one in systems(w, "vectors").items()]
    parts += [f"{name}: {one['encoder']}, fine-tuned." for name, one in systems(w, "encoder").items()]
    share = section(w)["share"]
    parts += [f"Trained on {100 * share:g} % of each training set."] if share != 1 else []
    return " ".join(one for one in parts)


def drawings(w: Workflow) -> dict[str, Drawing]:
    """Return figures 3 and 4, joint training of either task, and 5, the confusion of B, I and O in a language."""
    rows, scale = [rows_file(w, PAPER, MAIN)], f"Scale {w.config['scale']}"
    found = {}
    for task, figure in (("ner", "figure3"), ("pos", "figure4")):
        if task in tasks(w) and any(one.name == SCENARIO_A for one in trainings(w, task)):
            found[figure] = Drawing(figure, {"rows": rows}, {"caption": scale})
    return found | _figure5(w)


def _confused(w: Workflow) -> tuple[str, list[str]]:
    """Return the first target of NER with static vectors, and their comparisons there, a seed each; "" without any."""
    known = {one.name for one in comparisons(w)}
    for target in targets(w, "ner") if "ner" in tasks(w) else ():
        names = [_comparison(STATIC, "ner", target, seed) for seed in w.seeds]
        if found := [name for name in names if name in known]:
            return target, found
    return "", []


def _figure5(w: Workflow) -> dict[str, Drawing]:
    target, names = _confused(w)
    if not names:
        return {}
    spoken = " to ".join(languages(w, "ner", target))
    settings = {
        "files": [f"{name}.json" for name in names],
        "names": [STATIC, COMPARED_WITH],
        "caption": f"Scale {w.config['scale']}; {spoken}, sums over {len(names)} seeds",
    }
    return {"figure5": Drawing("figure5", {"folder": [comparisons_folder(w, PAPER)]}, settings)}


def check(w: Workflow) -> None:
    """Raise ConfigError when the section names a language, task, system or encoder that is not there."""
    check_encoders(w)
    own = section(w)
    for task in tasks(w):
        _check_sets(w, task)
    check_defined(f"{PAPER}.joint", own["joint"], tasks(w), f"{PAPER}.tasks")
    for name, one in systems(w).items():
        _check_system(w, f"{PAPER}.systems.{name}", one)


def _check_sets(w: Workflow, task: str) -> None:
    key, first = f"{PAPER}.tasks.{task}", source(w, task)
    others = [*targets(w, task), *distant(w, task)]
    check_defined(key, [first, *others], w.sources.sets[task], f"data of {task}")
    for name, wanted in ((first, ("train", "valid", "test")), *((other, ("test",)) for other in others)):
        if missing := [split for split in wanted if split not in w.sources.splits(task, name)]:
            raise ConfigError(f"{key}: {name} has no {', '.join(missing)} data")
    universal = {name: bool(w.sources.sets[task][name].get("universal")) for name in (first, *others)}
    if len(set(universal.values())) > 1:
        other = ", ".join(name for name, value in universal.items() if not value)
        raise ConfigError(
            f"{key}: tags of {other} are not the universal ones of the others; add universal=true to the data sheet"
        )
    spoken = [w.sources.language(task, name) for name in (first, *others)]
    if len(set(spoken)) < len(spoken):
        raise ConfigError(
            f"{key}: two sets of one language ({', '.join(spoken)}); tables have one column a language"
        )


def _check_system(w: Workflow, key: str, one: Mapping[str, Any]) -> None:
    if "embedder" in one:
        check_defined(f"{key}.embedder", one["embedder"], EMBEDDERS, "the embedders")
        if "encoder" in EMBEDDERS.needs(one["embedder"]) and not laser_encoders(w):
            raise ConfigError(f"{key}: {one['embedder']} reads LASER, but encoders.laser is null")
        check_defined(f"{key}.recipe", one.get("recipe", "baseline"), RECIPES, "the recipes")
    elif "vectors" in one:
        check_defined(f"{key}.vectors", one["vectors"], w.systems, "joint_align.systems")
    else:
        check_defined(f"{key}.encoder", one["encoder"], members(w), "encoders.multilingual.members")
        for seed in w.encoder_seeds:
            encoder_folder(w, one["encoder"], seed)
