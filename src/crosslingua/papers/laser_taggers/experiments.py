"""The experiments of laser_taggers: every system, trained in every setting, tested on every language, and compared.

A system has an `embedder` (a member of EMBEDDERS, mostly on LASER), `vectors` (of a system of joint_align, one tagger a
pair) or an `encoder` (fine-tuned). Two controls, `random` vectors and the `majority` tag, run in every setting.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from crosslingua.cells import Cell
from crosslingua.embedders import EMBEDDERS
from crosslingua.errors import ConfigError, check_defined
from crosslingua.papers.laser_taggers.taggers import (
    COMPARED_WITH,
    FIGURES,
    METRICS,
    MONOLINGUAL,
    PAPER,
    SCENARIO_A,
    SCENARIO_B,
    STATIC,
    ZERO_SHOT,
    Place,
    comparison,
    comparisons,
    distant,
    every_tagger,
    fine_tunings,
    has_equal_recipe,
    joint_tasks,
    languages,
    lexicon_pair,
    mixtures,
    results,
    section,
    seeds,
    source,
    systems,
    targets,
    tasks,
    tested,
    trainings,
)
from crosslingua.papers.shared import MAJORITY, sentences
from crosslingua.workflow.encoders import encoder_folder, laser_encoders, runs_read
from crosslingua.workflow.jobs import In
from crosslingua.workflow.labelled import check_sets
from crosslingua.workflow.lexicons import score_file
from crosslingua.workflow.results import MAIN, Drawing, TableRequest, rows_file, trained_on
from crosslingua.workflow.runs import LASER, check_bitext, check_encoders, members
from crosslingua.workflow.tagging import TaggerRun, comparison_file, comparisons_folder, predictions_folder
from crosslingua.workflow.workflow import SYSTEMS, Workflow

__all__ = ("fine_tunings", "mixtures")  # asked for by name
Files = Mapping[Place, Mapping[int, tuple[In, In]]]  # of scores and of predictions, by seed


def check(w: Workflow) -> None:
    """Raise ConfigError when the section names an unknown language, task, system or encoder."""
    check_encoders(w)
    check_defined(f"{PAPER}.tasks", tasks(w), METRICS, "the kinds of task that are tagged")
    for task in tasks(w):
        _check_sets(w, task)
    check_defined(f"{PAPER}.joint", joint_tasks(w), tasks(w), f"{PAPER}.tasks")
    own = section(w)["systems"]
    for name, one in systems(w).items():
        _check_system(w, f"{PAPER}.systems.{name}", one)
    for name in section(w)["equal_recipe"] or ():
        key = f"{PAPER}.equal_recipe"
        check_defined(key, name, own, f"{PAPER}.systems")
        if own[name] and ("encoder" in own[name] or own[name].get("recipe", "baseline") != "baseline"):
            told = f"{name} is no baseline: only a tagger of the baselines' recipe has another"
            raise ConfigError(f"{key}: {told}")


def _check_sets(w: Workflow, task: str) -> None:
    key, first = f"{PAPER}.tasks.{task}", source(w, task)
    others = [*targets(w, task), *distant(w, task)]
    check_sets(w, key, task, [first, *others])
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
        told = f"two sets of one language ({', '.join(spoken)}); tables have one column a language"
        raise ConfigError(f"{key}: {told}")


def _check_system(w: Workflow, key: str, one: Mapping[str, Any]) -> None:
    if "embedder" in one:
        check_defined(f"{key}.embedder", one["embedder"], EMBEDDERS, "the embedders")
        if "encoder" in EMBEDDERS.needs(one["embedder"]) and not laser_encoders(w):
            raise ConfigError(f"{key}: {one['embedder']} reads LASER, but encoders.laser is null")
    elif "vectors" in one:
        check_defined(f"{key}.vectors", one["vectors"], w.systems, SYSTEMS)
    else:
        check_defined(f"{key}.encoder", one["encoder"], members(w), "encoders.multilingual.members")
        check_bitext(w, f"{key}.encoder", [one["encoder"]])
        for seed in w.tagged_encoder_seeds:
            encoder_folder(w, one["encoder"], seed)


def cells(w: Workflow, group: str) -> list[Cell]:
    """Return the cells of tables 2 and 3, figures 3 and 4, the sign tests, and lexicon induction of mapped vectors."""
    files, order = results(w), [*systems(w), MAJORITY]
    found = [cell for task in tasks(w) for system in order for cell in _cells(w, files, task, system)]
    return [*found, *_significance(w), *_mapping_cells(w)]


def _cells(w: Workflow, files: Files, task: str, system: str) -> Iterator[Cell]:
    """Yield a cell for each seed of a system in each setting that was run, less its score in another."""
    key = METRICS[task]
    for target, table, metric, setting, less in _scores(task, tested(w, task, ZERO_SHOT)):
        more = [f"{metric}_conll=f1_conll"] if key == "f1" else []  # as conlleval counts spans
        more += [f"shortcut_{metric}=shortcut_{key}"] if table == "table2" else []  # of one training set
        for seed, (score, _) in files.get((system, task, setting, target), {}).items():
            base = files[system, task, less, target][seed][0] if less else ""
            yield Cell(
                PAPER, table, system, task, *languages(w, task, target), seed, score, (f"{metric}={key}", *more),
                less=base, conditions={"distant": "yes"} if target in distant(w, task) else {},
            )  # fmt: skip


def _scores(task: str, every: Sequence[str]) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield of the sets of a task, the source first: set, table, metric, setting, and the setting to subtract."""
    for target in every:
        yield target, "table2", "source" if target == every[0] else "zero_shot", ZERO_SHOT, ""
        yield target, "table2", "monolingual", f"{MONOLINGUAL}_{target}", ""
    for target in every:
        yield target, "table3", "scenario_a", SCENARIO_A, ""
        yield target, "table3", "change", SCENARIO_B, SCENARIO_A
        if task in FIGURES:
            alone = ZERO_SHOT if target == every[0] else SCENARIO_A  # the source's own data alone
            yield target, FIGURES[task], "gain", SCENARIO_B, alone


def _significance(w: Workflow) -> Iterator[Cell]:
    for one in comparisons(w):
        system, run, _ = one.name.split("/")
        made = comparison_file(w, PAPER, one.name)
        yield Cell(
            PAPER, "table2", system, one.task, *languages(w, one.task, one.tested), int(run.removeprefix("seed")), made,
            ("p_value",), conditions={"against": COMPARED_WITH},
        )  # fmt: skip


def _mapping_cells(w: Workflow) -> list[Cell]:
    """Return the scores of lexicon induction of mapped vectors."""
    wanted = [(task, name) for task in tasks(w) for name in (*targets(w, task), *distant(w, task))]
    return [
        Cell(
            PAPER, "table2", name, "bli", pair.source, pair.target, seed, score_file(w, one["vectors"], pair, seed),
            ("p_at_1",), where="identical=kept",
        )
        for name, one in systems(w, "vectors").items()
        for pair in dict.fromkeys(lexicon_pair(w, name, *of) for of in wanted)
        if pair and pair.dictionary
        for seed in w.seeds
    ]  # fmt: skip


ONLY_TESTED = ("eu", "hu")
PUBLISHED = {"ner": ("nl", "de", "es", *ONLY_TESTED), "pos": ("nl", "de", "es")}  # the targets of table 2


def tables(w: Workflow) -> dict[str, TableRequest]:
    """Return the tables; table 3 where there is joint training."""
    mapped = {name: one for name, one in systems(w, "vectors").items() if not has_equal_recipe(name)}
    read = [f"{name}: {one['vectors']}'s vectors." for name, one in mapped.items()]
    read += [f"{name}: {one['encoder']}, fine-tuned." for name, one in systems(w, "encoder").items()]
    note = sentences(*read, trained_on(section(w)["share"]))
    lacking = [task for task in tasks(w) if not _is_joint(w, task)]
    apart = f"Not trained jointly at this scale (laser_taggers.joint): {', '.join(lacking).upper()}."
    apart = apart if lacking else ""
    jointly = len(lacking) < len(tasks(w))
    found = {"table2": TableRequest(note=sentences(note, *_absent(w), "" if jointly else apart))}
    return found | ({"table3": TableRequest(note=sentences(note, apart))} if jointly else {})


def _is_joint(w: Workflow, task: str) -> bool:
    return any(setting.name == SCENARIO_A for setting in trainings(w, task))


def _absent(w: Workflow) -> Iterator[str]:
    """Yield the reasons for empty cells of table 2, in tasks with a language of the paper."""
    for task in tasks(w):
        sets = {languages(w, task, name)[1]: name for name in (*targets(w, task), *distant(w, task))}
        if not sets.keys() & set(PUBLISHED.get(task, ())):
            continue
        trained = {setting.name for setting in trainings(w, task)}
        for language in PUBLISHED[task]:
            if language not in sets:
                yield f"{task.upper()} → {language}: no data of the paper's kind at hand."
            elif language not in ONLY_TESTED and f"{MONOLINGUAL}_{sets[language]}" not in trained:
                yield f"{task.upper()} {language} alone: no training data at hand."
        for name in (name for name in systems(w, "vectors") if not has_equal_recipe(name)):
            lacking = [spoken for spoken, of in sets.items() if lexicon_pair(w, name, task, of) is None]
            if lacking:
                yield f"{task.upper()}: no mapped vectors ({name}) of {', '.join(lacking)}."


def drawings(w: Workflow) -> dict[str, Drawing]:
    """Return figures 3 and 4, joint training of both tasks, and 5, the confusion of B, I and O in a language."""
    rows, scale = [rows_file(w, PAPER, MAIN)], f"Scale {w.config['scale']}"
    found = {}
    for task, figure in (("ner", "figure3"), ("pos", "figure4")):
        if task in tasks(w) and _is_joint(w, task):
            found[figure] = Drawing(figure, {"rows": rows}, {"caption": scale})
    # Of the first target of NER with static vectors.
    made = {one.name for one in comparisons(w)}
    for target in targets(w, "ner") if "ner" in tasks(w) else ():
        names = [comparison(STATIC, "ner", target, seed) for seed in seeds(w)]
        if names := [name for name in names if name in made]:
            spoken = " to ".join(languages(w, "ner", target))
            settings = {
                "files": [f"{name}.json" for name in names],
                "names": [f"{STATIC} ({systems(w)[STATIC]['vectors']})", COMPARED_WITH],
                "caption": f"{scale}; {spoken}, sums over all seeds ({len(names)})",
            }
            inputs = {"folder": [comparisons_folder(w, PAPER)]}
            return found | {"figure5": Drawing("figure5", inputs, settings)}
    return found


def groups(w: Workflow) -> list[str]:
    """Return the groups of cells."""
    return [MAIN]


def taggers(w: Workflow) -> dict[str, list[TaggerRun]]:
    """Return the taggers."""
    return {MAIN: [tagger for _, _, tagger in every_tagger(w)]}


def evidence(w: Workflow, group: str) -> dict[str, list[str]]:
    """Return the further evidence for claims: taggers whose reports have scores on training sentences."""
    jobs = {one.job for _, _, one in every_tagger(w) if one.settings.get("score_training")}
    return {"taggers": [f"{predictions_folder(w, PAPER)}/{job}" for job in sorted(jobs)]}


def encoder_runs(w: Workflow) -> dict[int, int]:
    """Return the encoder's training run for the run of each seed."""
    named = [one["encoder"] for one in systems(w, "encoder").values()]
    return runs_read(w, [LASER, *named], w.tagged_encoder_seeds, seeds(w))
