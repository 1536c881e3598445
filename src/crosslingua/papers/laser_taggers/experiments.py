"""The experiments of laser_taggers: every system, trained in every setting, tested on every language, and compared.

A system has an `embedder` (a member of EMBEDDERS, mostly on LASER), `vectors` (of a system of joint_align, one tagger a
pair) or an `encoder` (fine-tuned). Two controls, `random` vectors and the `majority` tag, run in every setting.
"""

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import chain

from crosslingua.cells import Cell
from crosslingua.embedders import EMBEDDERS
from crosslingua.errors import ConfigError
from crosslingua.papers.laser_taggers.section import LaserTaggersSection, TaggedSystem
from crosslingua.papers.laser_taggers.taggers import (
    FIGURES,
    METRICS,
    MONOLINGUAL,
    NAME,
    SCENARIO_A,
    SCENARIO_B,
    TRANSFORMER,
    ZERO_SHOT,
    Tagging,
    has_equal_recipe,
    lower,
)
from crosslingua.papers.shared import MAJORITY, sentences
from crosslingua.workflow.encoders import laser_encoders, runs_read
from crosslingua.workflow.fine_tuning import Tuning
from crosslingua.workflow.labelled import check_sets
from crosslingua.workflow.lexicon_induction import score_file
from crosslingua.workflow.paper import Paper
from crosslingua.workflow.results import MAIN, Drawing, TableRequest, rows_file, trained_on
from crosslingua.workflow.runs import LASER, check_encoders
from crosslingua.workflow.tagging import (
    Compared,
    Mixture,
    TaggerRun,
    comparison_file,
    predictions_folder,
)
from crosslingua.workflow.workflow import Workflow, in_turn

COMPARED_WITH = "laser_top"  # by the sign test
STATIC = "muse"  # whose errors are listed
ONLY_TESTED = ("eu", "hu")
PUBLISHED = {"ner": ("nl", "de", "es", *ONLY_TESTED), "pos": ("nl", "de", "es")}  # the targets of table 2


def comparison(system: str, task: str, target: str, seed: int) -> str:
    """Return the name of a comparison with LASER-top."""
    return f"{system}/seed{seed}/{task}.{target}"


class LaserTaggers(Paper[LaserTaggersSection]):
    """Tables 2 and 3, figures 3 to 5."""

    name = NAME

    @cached_property
    def tagging(self) -> Tagging:
        """The systems, tasks and taggers."""
        return Tagging(self.w, self.section)

    def stages(self) -> tuple[Callable[[Workflow], None], ...]:
        """Return the check of encoders."""
        return (check_encoders,)

    def check(self) -> None:
        """Raise ConfigError when the section names an unusable set, system or encoder."""
        for task in self.tagging.tasks:
            self._check_sets(f"{NAME}.tasks.{task}", task)
        for name, one in self.tagging.systems.items():
            self._check_system(f"{NAME}.systems.{name}", one)
        self._check_equal_recipe(f"{NAME}.equal_recipe")

    def _check_sets(self, key: str, task: str) -> None:
        every, sources = self.tagging.sets(task), self.w.sources
        check_sets(self.w, key, task, every)
        for name in every:
            wanted = ("train", "valid", "test") if name == every[0] else ("test",)
            if missing := [split for split in wanted if split not in sources.splits(task, name)]:
                raise ConfigError(f"{key}: {name} has no {', '.join(missing)} data")
        others = [name for name in every if not sources.sets[task][name].get("universal")]
        if 0 < len(others) < len(every):
            told = "are not the universal ones of the others; add universal=true to the data sheet"
            raise ConfigError(f"{key}: tags of {', '.join(others)} {told}")
        spoken = [sources.language(task, name) for name in every]
        if len(set(spoken)) < len(spoken):
            told = f"two sets of one language ({', '.join(spoken)}); tables have one column a language"
            raise ConfigError(f"{key}: {told}")

    def _check_system(self, key: str, one: TaggedSystem) -> None:
        if one.embedder and "encoder" in EMBEDDERS.needs(one.embedder) and not laser_encoders(self.w):
            raise ConfigError(f"{key}: {one.embedder} reads LASER, but encoders.laser is null")

    def _check_equal_recipe(self, key: str) -> None:
        for name in self.section.equal_recipe:
            one = self.section.systems[name]
            if one and (one.encoder or one.recipe != "baseline"):
                told = f"{name} is no baseline: only a tagger of the baselines' recipe has another"
                raise ConfigError(f"{key}: {told}")

    def cells(self, group: str) -> list[Cell]:
        """Return the cells of tables 2 and 3, figures 3 and 4, sign tests, and lexicon induction of mapped vectors."""
        order = [*self.tagging.systems, MAJORITY]
        own = (self._cells(task, system) for task in self.tagging.tasks for system in order)
        return [*chain(*own), *self._significance(), *self._mapping_cells()]

    def _cells(self, task: str, system: str) -> Iterator[Cell]:
        """Yield a cell for each seed of a system in each setting that was run, less its score in another."""
        key, tagging = METRICS[task], self.tagging
        for target, table, metric, setting, less in self._scores(task):
            more = [f"{metric}_conll=f1_conll"] if key == "f1" else []  # as conlleval counts spans
            more += [f"shortcut_{metric}=shortcut_{key}"] if table == "table2" else []  # of one training set
            for seed, (score, _) in tagging.results.get((system, task, setting, target), {}).items():
                base = tagging.results[system, task, less, target][seed][0] if less else ""
                yield Cell(
                    NAME, table, system, task, *tagging.languages(task, target), seed, score,
                    (f"{metric}={key}", *more), less=base,
                    conditions={"distant": "yes"} if target in tagging.distant(task) else {},
                )  # fmt: skip

    def _scores(self, task: str) -> Iterator[tuple[str, str, str, str, str]]:
        """Yield of the sets of a task, the source first: set, table, metric, setting, and the setting to subtract."""
        every = self.tagging.sets(task)
        for target in every:
            yield target, "table2", "source" if target == every[0] else "zero_shot", ZERO_SHOT, ""
            yield target, "table2", "monolingual", f"{MONOLINGUAL}_{target}", ""
        for target in every:
            yield target, "table3", "scenario_a", SCENARIO_A, ""
            yield target, "table3", "change", SCENARIO_B, SCENARIO_A
            if task in FIGURES:
                alone = ZERO_SHOT if target == every[0] else SCENARIO_A  # the source's own data alone
                yield target, FIGURES[task], "gain", SCENARIO_B, alone

    def _significance(self) -> Iterator[Cell]:
        for one in self.comparisons():
            system, run, _ = one.name.split("/")
            yield Cell(
                NAME, "table2", system, one.task, *self.tagging.languages(one.task, one.tested),
                int(run.removeprefix("seed")), comparison_file(self.w, NAME, one.name), ("p_value",),
                conditions={"against": COMPARED_WITH},
            )  # fmt: skip

    def _mapping_cells(self) -> list[Cell]:
        """Return the scores of lexicon induction of mapped vectors."""
        wanted = [(task, name) for task in self.tagging.tasks for name in self.tagging.sets(task)[1:]]
        return [
            Cell(
                NAME, "table2", name, "bli", pair.source, pair.target, seed,
                score_file(self.w, system, pair, seed), ("p_at_1",), where="identical=kept",
            )
            for name, system in self.tagging.mapped.items()
            for pair in dict.fromkeys(self.tagging.lexicon_pair(name, *of) for of in wanted)
            if pair and pair.dictionary
            for seed in self.w.seeds
        ]  # fmt: skip

    def tables(self) -> dict[str, TableRequest]:
        """Return the tables; table 3 where there is joint training."""
        tasks, mapped = self.tagging.tasks, self._mapped_once
        read = [f"{name}: {system}'s vectors." for name, system in mapped.items()]
        read += [f"{name}: {encoder}, fine-tuned." for name, encoder in self.tagging.tuned.items()]
        note = sentences(*read, trained_on(self.section.share))
        lacking = [task for task in tasks if (task, SCENARIO_A) not in self.tagging.trained]
        apart = f"Not trained jointly at this scale ({NAME}.joint): {', '.join(lacking).upper()}."
        apart, jointly = apart if lacking else "", len(lacking) < len(tasks)
        found = {"table2": TableRequest(note=sentences(note, *self._absent(), "" if jointly else apart))}
        return found | ({"table3": TableRequest(note=sentences(note, apart))} if jointly else {})

    @property
    def _mapped_once(self) -> dict[str, str]:
        """The systems on mapped vectors without the copies of an equal recipe."""
        return {name: one for name, one in self.tagging.mapped.items() if not has_equal_recipe(name)}

    def _absent(self) -> Iterator[str]:
        """Yield the reasons for empty cells of table 2, in tasks with a language of the paper."""
        tagging = self.tagging
        for task in tagging.tasks:
            sets = {tagging.languages(task, name)[1]: name for name in tagging.sets(task)[1:]}
            if not sets.keys() & set(PUBLISHED.get(task, ())):
                continue
            for language in PUBLISHED[task]:
                if language not in sets:
                    yield f"{task.upper()} → {language}: no data of the paper's kind at hand."
                    continue
                alone = task, f"{MONOLINGUAL}_{sets[language]}"
                if language not in ONLY_TESTED and alone not in tagging.trained:
                    yield f"{task.upper()} {language} alone: no training data at hand."
            for name in self._mapped_once:
                lacking = [one for one, of in sets.items() if tagging.lexicon_pair(name, task, of) is None]
                if lacking:
                    yield f"{task.upper()}: no mapped vectors ({name}) of {', '.join(lacking)}."

    def drawings(self) -> dict[str, Drawing]:
        """Return figures 3 and 4, joint training of both tasks, and 5, the confusion of B, I and O in a language."""
        tagging, rows, scale = self.tagging, [rows_file(self.w, NAME, MAIN)], f"Scale {self.w.scale}"
        return {
            figure: Drawing(figure, {"rows": rows}, {"caption": scale})
            for task, figure in (("ner", "figure3"), ("pos", "figure4"))
            if (task, SCENARIO_A) in tagging.trained
        } | self._confusion(scale)

    def _confusion(self, scale: str) -> dict[str, Drawing]:
        """Return figure 5, of the first target of NER with static vectors; {} without one."""
        made = {one.name for one in self.comparisons()}
        for target in self.tagging.targets("ner") if "ner" in self.tagging.tasks else ():
            names = [comparison(STATIC, "ner", target, seed) for seed in self.tagging.seeds]
            if names := [name for name in names if name in made]:
                spoken = " to ".join(self.tagging.languages("ner", target))
                settings = {
                    "files": [f"{name}.json" for name in names],
                    "names": [f"{STATIC} ({self.tagging.mapped[STATIC]})", COMPARED_WITH],
                    "caption": f"{scale}; {spoken}, sums over all seeds ({len(names)})",
                }
                inputs = {"folder": [f"{self.w.results}/comparisons/{NAME}"]}
                return {"figure5": Drawing("figure5", inputs, settings)}
        return {}

    def taggers(self) -> dict[str, list[TaggerRun]]:
        """Return the taggers."""
        return {MAIN: [tagger for _, _, tagger in self.tagging.taggers]}

    def fine_tunings(self) -> dict[str, list[Tuning]]:
        """Return the fine-tunings, one an encoder, in every setting, tested where the tables show a score."""
        tagging = self.tagging
        train, test = (
            tuple((task, lower(name)) for task, name in every)
            for every in (tagging.trained, tagging.tested_on)
        )
        settings = {**TRANSFORMER, **(self.section.recipes.transformer or {})}
        only = {
            (task, lower(setting)): lower(*tagging.tested(task, setting))
            for task, setting in tagging.trained
            if len(tagging.tested(task, setting)) == 1
        }
        of_tasks = dict.fromkeys(tagging.tasks, settings)
        runs = tuple(in_turn(self.w.tagged_encoder_seeds, tagging.seeds))
        return {
            MAIN: [
                Tuning(encoder, train, test, of_tasks, only=only, seeds=tuple(tagging.seeds), runs=runs)
                for encoder in tagging.tuned.values()
            ]
        }

    def mixtures(self) -> list[Mixture]:
        """Return the data of fine-tuned encoders: every training set, and the test-only sets."""
        found = []
        for task in self.tagging.tasks if self.tagging.tuned else ():
            found += [Mixture(task, lower(one.name), one.parts) for one in self.tagging.trainings(task)]
            every = self.tagging.sets(task)
            found += [Mixture(task, lower(name), ((name, 1.0),), ("test",)) for name in every]
        return found

    def comparisons(self) -> list[Compared]:
        """Return the comparison of every system with LASER-top in the zero-shot setting, seed by seed."""
        files, found = self.tagging.results, []
        for system in self.tagging.systems:
            for task, target in self.tagging.tested_on if system != COMPARED_WITH else ():
                first, second = (
                    files.get((name, task, ZERO_SHOT, target), {}) for name in (system, COMPARED_WITH)
                )
                for seed in sorted(first.keys() & second.keys()):
                    name = comparison(system, task, target, seed)
                    found.append(Compared(name, task, target, first[seed][1], second[seed][1]))
        return found

    def evidence(self, group: str) -> dict[str, list[str]]:
        """Return the further evidence for claims: taggers whose reports have scores on training sentences."""
        jobs = {one.job for _, _, one in self.tagging.taggers if one.settings.get("score_training")}
        return {"taggers": [f"{predictions_folder(self.w, NAME)}/{job}" for job in sorted(jobs)]}

    def encoder_runs(self) -> dict[int, int]:
        """Return the encoder's training run for the run of each seed."""
        named = [LASER, *self.tagging.tuned.values()]
        return runs_read(self.w, named, self.w.tagged_encoder_seeds, self.tagging.seeds)


PAPER = LaserTaggers
