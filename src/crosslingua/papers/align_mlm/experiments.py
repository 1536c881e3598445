"""The experiments of align_mlm: encoders of a natural and a derived language, fine-tuned on tasks in each, and scored.

A system is an objective of pre-training, trained on each transformation. An ablation changes one thing, which is added
to the system's name with the value, shares in percent: `xlm_parallel_100`, `dict_mlm_dictionary_50`, `xlm_overlap_25`,
`mlm_steps_12000`, `align_mlm_alpha_100`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from crosslingua.cells import Cell
from crosslingua.encoders.objectives import OBJECTIVES
from crosslingua.errors import ConfigError, check_defined
from crosslingua.papers.align_mlm.tables import NAME as LENGTH
from crosslingua.papers.align_mlm.tables import TARGETS as SHOWN
from crosslingua.tasks.kinds import KINDS
from crosslingua.workflow.encoders import encoder_folder
from crosslingua.workflow.fine_tuning import Prediction, Tuning, score_file
from crosslingua.workflow.jobs import In
from crosslingua.workflow.labelled import check_sets
from crosslingua.workflow.results import ABLATIONS, MAIN, Drawing, TableRequest, rows_file
from crosslingua.workflow.runs import Run, Tokeniser, members, merged_settings, needs, told_apart
from crosslingua.workflow.sources import present
from crosslingua.workflow.workflow import Workflow

PAPER = "align_mlm"
TARGETS = {"ablations_align_mlm": ABLATIONS}
OTHER = {"ner": ("conll", "f1_conll"), "pos": ("accuracy", "accuracy")}  # other scores: suffix, and key
VARIED = ("system", "transformation")  # an ablation names one of each, or several: `systems`
CONTROL = "untrained"  # the system without pre-training, the floor of zero-shot scores


@dataclass(frozen=True)
class Variant:
    """A system on a transformation, of the main table or of an ablation."""

    system: str
    transformation: str
    language: str
    objective: tuple[str, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    table: str = "table3"
    changed: str = ""  # parallel_100, steps_12000: the ablation's factor and value, shares in percent

    @property
    def name(self) -> str:
        """The system with its ablation: `xlm`, `xlm_parallel_100`."""
        return f"{self.system}_{self.changed}" if self.changed else self.system

    @property
    def encoder(self) -> str:
        """The name of its encoder."""
        return f"{self.name}.{self.transformation}"


def seeds(w: Workflow, one: Variant) -> list[int]:
    """Return the seeds of a variant's encoders: of its transformation, of the paper, or of all encoders."""
    own = w.config[PAPER]["seeds"]
    return (own.get(one.transformation) if isinstance(own, Mapping) else own) or w.encoder_seeds


def groups(w: Workflow) -> list[str]:
    """Return the groups of cells: the main table, and the ablations."""
    return [MAIN, *([ABLATIONS] if present(w.config[PAPER]["ablations"]) else [])]


def natural_of(w: Workflow) -> str:
    """Return the natural language."""
    return w.of_source(w.config[PAPER]["natural"])


def transformations(w: Workflow) -> dict[str, str]:
    """Return the derived language of each transformation that a scale has."""
    return {name: w.of_source(own) for name, own in present(w.config[PAPER]["transformations"]).items()}


def variants(w: Workflow, group: str) -> list[Variant]:
    """Return the variants of table 3, or of the ablations in tables 1, 2, 5, 7 and the curve."""
    section = w.config[PAPER]
    main = [
        Variant(system, transformation, language, tuple(choice["objective"]), choice.get("settings") or {})
        for system, choice in present(section["systems"]).items()
        for transformation, language in transformations(w).items()
    ]
    if group == MAIN:
        return main
    known = {(one.system, one.transformation): one for one in main}
    return [
        replace(known[place], **changes)
        for name, ablation in present(section["ablations"]).items()
        for place in product(*(ablation.get(f"{key}s", [ablation.get(key)]) for key in VARIED))
        for changes in _changes(w, name, ablation, known[place])
    ]


def _changes(w: Workflow, name: str, ablation: Mapping[str, Any], base: Variant) -> Iterator[dict[str, Any]]:
    """Yield what an ablation changes of a variant of table 3."""
    if name == "overlap":
        for language in ablation["languages"]:
            changed = f"overlap_{percent(overlap(w, language))}"
            yield {"language": language, "table": "table7", "changed": changed}
        return
    if name == "length":
        values = [(LENGTH, "steps", steps, f"steps_{steps}") for steps in ablation["steps"]]
    elif name == "alpha":
        values = [(name, "align_alpha", weight, f"alpha_{weight:g}") for weight in ablation["alphas"]]
    else:
        of_dictionary = "table5" if base.transformation == "trans_syn" else "table2"
        table = "table1" if name == "parallel" else of_dictionary
        shares = ablation["shares"]
        values = [(table, f"{name}_share", share, f"{name}_{percent(share)}") for share in shares]
    for table, setting, value, changed in values:
        yield {"settings": {**base.settings, setting: value}, "table": table, "changed": changed}


def percent(share: float) -> int:
    """Return a share as whole percent."""
    return round(100 * share)


def overlap(w: Workflow, language: str) -> float:
    """Return the share of the vocabulary that a derived language shares with its parent."""
    return w.sources.languages[language].get("overlap", 0.0)


def _settings_keys(one: Variant) -> tuple[str, ...]:
    ablation = [f"{PAPER}.ablations"] if one.changed else []
    return "encoders.settings", f"{PAPER}.settings", f"{PAPER}.systems.{one.system}.settings", *ablation


def encoders(w: Workflow) -> dict[str, Run]:
    """Return the encoders by name, `system.transformation`, also of the ablations."""
    section, natural = w.config[PAPER], natural_of(w)
    return {
        one.encoder: Run(
            objective=one.objective,
            # Of a derived language: a copy of its parent's, one for each overlap.
            tokeniser=f"{natural}_copied_{percent(overlap(w, one.language))}",
            languages=(natural, one.language),
            bitext=(f"{natural}-{one.language}",) if needs(one.objective, "bitext") else (),
            derived=True,
            init=section["init"] or "",
            settings=merged_settings(w.config["encoders"], section, {"settings": one.settings}),
            seeds=tuple(seeds(w, one)),
            keys=_settings_keys(one),
        )
        for group in groups(w)
        for one in variants(w, group)
    }


def tokenisers(w: Workflow) -> dict[str, Tokeniser]:
    """Return the tokenisers by name."""
    section, derived = w.config[PAPER], w.config["derived"]
    pieces: dict[str, Any] = {"vocabulary_size": section["vocabulary_size"]}
    if section["init"]:
        pieces["encoder"] = In(encoder_folder(w, section["init"], w.encoder_seeds[0]))
    return {
        run.tokeniser: Tokeniser(
            (natural_of(w),),
            {**pieces, "transliterate": True, **derived, "overlap": overlap(w, run.languages[1])},
        )
        for run in encoders(w).values()
    }  # fmt: skip


def fine_tunings(w: Workflow) -> dict[str, list[Tuning]]:
    """Return the fine-tunings: both languages train, the derived one is tested."""
    tasks, natural = present(w.config[PAPER]["tasks"]), natural_of(w)

    def tuning(one: Variant) -> Tuning:
        train = tuple((task, name) for task in tasks for name in (natural, one.language))
        test = tuple((task, one.language) for task in tasks)
        return Tuning(one.encoder, train, test, tasks, seeds=tuple(seeds(w, one)))

    return {group: [tuning(one) for one in variants(w, group)] for group in groups(w)}


def probes(w: Workflow, group: str) -> list[dict[str, Any]]:
    """Return the lines that score the alignment of word embeddings, one an encoder and seed."""
    return [
        {
            "encoder": In(folder := encoder_folder(w, one.encoder, seed)),
            "pairs": In(f"{folder}/token_pairs.tsv", folder),
            "languages": [natural_of(w), one.language],
            "out": str(_probe_file(w, group, one, seed)),
        }
        for one in variants(w, group)
        for seed in seeds(w, one)
    ]


def _probe_file(w: Workflow, group: str, one: Variant, seed: int) -> In:
    folder = f"{w.results}/probes/{PAPER}.{group}"
    return In(f"{folder}/{one.encoder}.seed{seed}.json", folder)


def cells(w: Workflow, group: str) -> list[Cell]:
    """Return the cells of a group: supervised and zero-shot scores, their difference, and the alignment."""
    tasks, natural = present(w.config[PAPER]["tasks"]), natural_of(w)
    trained = [(one, seed) for one in variants(w, group) for seed in seeds(w, one)]
    transfer = [
        cell for one, seed in trained for task in tasks for cell in _transfer(w, group, one, seed, task)
    ]
    return transfer + [
        Cell(
            PAPER, "table8", one.name, "embedding_alignment", natural, one.transformation, seed,
            _probe_file(w, group, one, seed), ("alignment",),
        )
        for one, seed in trained
    ]  # fmt: skip


def _transfer(w: Workflow, group: str, one: Variant, seed: int, task: str) -> list[Cell]:
    natural, metric = natural_of(w), KINDS[task].metric
    supervised, zero_shot = (
        score_file(w, PAPER, group, Prediction(one.encoder, seed, task, trained, one.language).score)
        for trained in (one.language, natural)
    )

    def cell(name: str, score: str, *more: str, less: str = "") -> Cell:
        metrics = [f"{name}={metric}", *more, *([] if less else [f"shortcut_{name}=shortcut_{metric}"])]
        if task in OTHER:
            suffix, key = OTHER[task]
            metrics.append(f"{name}_{suffix}={key}")
        return Cell(
            PAPER, one.table, one.name, task, natural, one.transformation, seed, score, tuple(metrics), less=less,
        )  # fmt: skip

    return [
        cell("supervised", supervised, "majority", *(["majority_accuracy"] if task == "pos" else [])),
        cell("zero_shot", zero_shot),
        cell("delta", supervised, less=zero_shot),
    ]


def _pre_trained(w: Workflow) -> list[Variant]:
    return [one for one in variants(w, MAIN) if one.system != CONTROL]


def tables(w: Workflow) -> dict[str, TableRequest]:
    """Return the tables; ablations show the changes beside table 3."""
    note = told_apart({one.system: encoders(w)[one.encoder] for one in _pre_trained(w)})
    changed = dict.fromkeys(one.table for group in groups(w)[1:] for one in variants(w, group))
    return {name: TableRequest(note=note) for name in ("table3", "table8")} | {
        name: TableRequest((MAIN, ABLATIONS), note) for name in changed
    }


def drawings(w: Workflow) -> dict[str, Drawing]:
    """Return figures 2 and 3, the latter for at least three encoders, and the loss of the first seed's."""
    numbers = sorted({len(seeds(w, one)) for one in variants(w, MAIN)})
    told = f"Scale {w.config['scale']}; number of seeds: {' or '.join(map(str, numbers))}."
    inputs = {"rows": [rows_file(w, PAPER, MAIN)], "published": [f"reference/{PAPER}_table3.csv"]}
    trained = _pre_trained(w)
    figures = ("figure2", "figure3") if len(trained) > 2 else ("figure2",)
    found = {name: Drawing(name, inputs, {"caption": told}) for name in figures}
    runs = {"runs": [encoder_folder(w, one.encoder, seeds(w, one)[0]) for one in trained]}
    found["loss"] = Drawing("loss", runs, {"names": [one.encoder for one in trained], "caption": told})
    if present(w.config[PAPER]["ablations"]).get("length"):
        steps = {one.system: encoders(w)[one.encoder].settings["steps"] for one in trained}
        rows = {"rows": [rows_file(w, PAPER, group) for group in (MAIN, ABLATIONS)]}
        found[LENGTH] = Drawing(LENGTH, rows, {"caption": told, "steps": steps}, (MAIN, ABLATIONS))
    return found


def check(w: Workflow) -> None:
    """Raise ConfigError when the section names an unknown language, task, system or transformation."""
    section, natural = w.config[PAPER], natural_of(w)
    systems, derived = present(section["systems"]), transformations(w)
    ablations = present(section["ablations"])
    if isinstance(of_transformations := section["seeds"], Mapping):
        legal = section["transformations"]
        check_defined("align_mlm.seeds", of_transformations, legal, "align_mlm.transformations")
    languages = [*derived.values(), *ablations.get("overlap", {"languages": []})["languages"]]
    known, lines = w.sources.languages, "the text of languages and the `derived` lines of data.sheets"
    check_defined("align_mlm.natural", natural, known, "the text of languages")
    for name, language in derived.items():
        check_defined(f"align_mlm.transformations.{name}", language, known, lines)
    check_defined("align_mlm.ablations.overlap.languages", languages, known, lines)
    for language in languages:
        if known[language].get("derived_from") != natural:
            raise ConfigError(f"align_mlm: {language!r} is not derived from {natural!r}")
    if section["init"]:
        check_defined("align_mlm.init", section["init"], members(w), "encoders.multilingual.members")
    for name, system in systems.items():
        key = f"align_mlm.systems.{name}.objective"
        check_defined(key, system["objective"], OBJECTIVES, "the objectives")
    check_defined("align_mlm.transformations", derived, SHOWN, "those that tables show")
    check_defined("align_mlm.tasks", present(section["tasks"]), KINDS, "the kinds of task")
    for task in present(section["tasks"]):
        check_sets(w, f"align_mlm.tasks.{task}", task, [natural, *languages])
    for kind, legal in (("system", systems), ("transformation", derived)):
        for name, ablation in ablations.items():
            named = ablation.get(f"{kind}s", [ablation.get(kind)])
            check_defined(f"align_mlm.ablations.{name}.{kind}", named, legal, f"align_mlm.{kind}s")
