"""Table 1, the appendix and tables 3 to 7: encoders tuned in one language, and tested in all languages with data.

Plan side, as `cells`. A fine-tuning reads one language's training data. Validation data of all languages choose the
settings with several values (appendix C); no test file is read.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from crosslingua.cells import Cell
from crosslingua.errors import ConfigError, check_defined
from crosslingua.papers.shared import sentences
from crosslingua.papers.xlm_align.section import XtremeSection, XtremeTaskSection
from crosslingua.papers.xlm_align.tasks import ABLATED, TASKS, XtremeTask, compared_in
from crosslingua.tasks.kinds import kind_of
from crosslingua.workflow import runs
from crosslingua.workflow.encoders import runs_read
from crosslingua.workflow.fine_tuning import Prediction, Tuning, predictions, score_file, set_language
from crosslingua.workflow.jobs import In
from crosslingua.workflow.labelled import chosen, labelled_path
from crosslingua.workflow.results import ABLATIONS, Drawing, TableRequest, rows_file
from crosslingua.workflow.runs import multilingual_origins
from crosslingua.workflow.workflow import Workflow, in_turn

NAME, XTREME = "xlm_align", "xtreme"
KEY = f"{NAME}.xtreme"


@dataclass(frozen=True)
class Xtreme:
    """What XTREME's tasks ask for."""

    w: Workflow
    section: XtremeSection

    @cached_property
    def tasks(self) -> dict[str, XtremeTask]:
        """The tasks that the scale names, tunes an encoder on and has data of."""
        sets = self.w.sources.sets
        named = {name: task for name, task in TASKS.items() if name in self._sections}
        return {name: task for name, task in named.items() if sets[kind_of(task.kind).data_kind]}

    @cached_property
    def _sections(self) -> dict[str, XtremeTaskSection]:
        return {name: task for name, task in self.section.tasks.items() if task and task.only != []}

    def groups(self) -> list[str]:
        """Return the groups of cells."""
        return [XTREME, *([ABLATIONS] if self.ablations else [])]

    @property
    def ablations(self) -> list[str]:
        """The tables of ablations: none where a scale lacks one of their tasks."""
        return [*self.section.ablations] if set(ABLATED) <= set(self.tasks) else []

    @cached_property
    def languages(self) -> list[str]:
        """The test languages: a list, in which `pairs` stands for the languages of `pairs`, or the encoders'."""
        return chosen(self.section.languages or None, runs.languages(self.w))

    @property
    def seeds(self) -> list[int]:
        """The seeds of fine-tunings; the encoders that they begin with take turns."""
        return self.section.seeds or self.w.encoder_seeds

    def encoder_runs(self) -> dict[int, int]:
        """Return which training of the encoders the run of each seed reads."""
        return runs_read(self.w, self.models(XTREME), self.w.encoder_seeds, self.seeds)

    def models(self, group: str) -> list[str]:
        """Return the encoders of a group, in the order of its tables."""
        named = self.section.models
        if group == XTREME:
            return named
        compared = {name for table in self.ablations for name in self.ablated(table)}
        return [name for name in runs.members(self.w) if name in compared and name not in named]

    def ablated(self, table: str) -> list[str]:
        """Return the encoders that an ablation compares, in its order; `base` is XLM-Align as they vary it."""
        return compared_in(table, runs.members(self.w), self.section.base)

    def trained(self, task: str) -> str:
        """Return the set that a task is trained on."""
        return self.w.of_source(self._sections[task].train)

    def set_name(self, task: str, language: str) -> str:
        """Return the name of a task's set in a language."""
        return self._sections[task].sets.replace("{language}", language)

    def has(self, task: str, name: str, split: str) -> bool:
        """Whether a set has a split."""
        kind = kind_of(TASKS[task].kind).data_kind
        return name in self.w.sources.sets[kind] and split in self.w.sources.splits(kind, name)

    def tested(self, task: str) -> list[str]:
        """Return the languages in which a task has test data."""
        return [one for one in self.languages if self.has(task, self.set_name(task, one), "test")]

    def untested(self) -> dict[str, list[str]]:
        """Return by task the other languages with test data, without generated data."""
        found: dict[str, list[str]] = {}
        for task, one in self.tasks.items():
            kind = kind_of(one.kind).data_kind
            for name in self.w.sources.named_from(kind, "published", "file"):
                language = self.w.sources.language(kind, name)
                is_of_task = name == self.set_name(task, language) and self.has(task, name, "test")
                if is_of_task and language not in self.languages:
                    found.setdefault(task, []).append(language)
        return found

    @cached_property
    def fine_tunings(self) -> dict[str, list[Tuning]]:
        """The fine-tunings of each group."""
        every = {group: [self.tuning(name, group) for name in self.models(group)] for group in self.groups()}
        return {group: [one for one in own if one.train] for group, own in every.items()}

    def tuning(self, encoder: str, group: str) -> Tuning:
        """Return the fine-tuning of an encoder on all tasks of a group."""
        named = {
            name: task
            for name, task in self.tasks.items()
            if (encoder in self.tuned(name) if group == XTREME else name in ABLATED)
        }
        train = tuple((task.kind, self.trained(name)) for name, task in named.items())
        test = tuple(
            (task.kind, self.set_name(name, of)) for name, task in named.items() for of in self.tested(name)
        )
        settings = {task.kind: self.settings_of(name, encoder) for name, task in named.items()}
        joint = tuple(one for name in named for one in self._validation(name, encoder))
        read = tuple(in_turn(self.w.encoder_seeds, self.seeds))
        return Tuning(encoder, train, test, settings, joint, seeds=tuple(self.seeds), runs=read)

    def tuned(self, task: str) -> list[str]:
        """Return the encoders of table 1 that are tuned on a task."""
        only = self._sections[task].only
        return self.models(XTREME) if only is None else only

    def settings_of(self, task: str, encoder: str) -> dict[str, Any]:
        """Return the settings of a task, overridden by an encoder's."""
        own = self._sections[task]
        return {**(own.settings or {}), **((own.models or {}).get(encoder) or {})}

    def _validation(self, task: str, encoder: str) -> list[tuple[str, str]]:
        """Return the sets on whose validation data a task is selected.

        Of all languages if a grid is searched, else of the training language.
        """
        first, kind = self.trained(task), TASKS[task].kind
        names = [first]
        if any(isinstance(value, list) for value in self.settings_of(task, encoder).values()):
            every = [self.set_name(task, language) for language in self.languages]
            found = [name for name in every if self.has(task, name, "valid")]
            language = set_language(self.w, kind, first)
            names = found if language in (set_language(self.w, kind, n) for n in found) else [first, *found]
        return [(kind, name) for name in names]

    def _predictions(self, group: str) -> Iterator[Prediction]:
        for own in self.fine_tunings[group]:
            yield from predictions(self.w, own)

    def cells(self, group: str) -> list[Cell]:
        """Return a cell for each task and language of every encoder and seed of a group."""
        table, base = ("table1", NAME) if group == XTREME else ("table3", self.section.base)
        return [
            Cell(
                NAME, table, NAME if one.encoder == base else one.encoder, task_of(one).name, one.trained, one.tested,
                one.seed, score_file(self.w, NAME, group, one.score), task_of(one).rows,
            )
            for one in self._predictions(group)
        ]  # fmt: skip

    def tables(self) -> dict[str, TableRequest]:
        """Return table 1, a table a task, the loss in transfer, the chosen settings, and tables 3 to 7."""
        origins = multilingual_origins(self.w, self.models(XTREME))
        note = sentences(origins, self._sets(), self._shares(), self._lacking(), self._left_out())
        per_task = [task.table for task in self.tasks.values()]
        found = {name: TableRequest((XTREME,), note) for name in ("table1", *per_task, "transfer_gap")}
        base = self.section.base
        longer = f"{base} is XLM-Align, trained as long as its variants." if base != NAME else ""
        for table in self.ablations:
            note = sentences(longer, multilingual_origins(self.w, self.ablated(table)))
            found[table] = TableRequest((XTREME, ABLATIONS), note)
        return found

    def _lacking(self) -> str:
        """Say which cells are empty."""
        found = {task: [n for n in self.languages if n not in self.tested(task)] for task in self.tasks}
        return f"Empty cells have no test data: {lacking}." if (lacking := _by_task(found)) else ""

    def _left_out(self) -> str:
        """Say which languages with test data are not tested, and why."""
        named = self.section.languages
        reason = (
            "the configuration names other languages" if named else "no encoder trained here has read them"
        )
        return f"Not tested, since {reason}: {others}." if (others := _by_task(self.untested())) else ""

    def _sets(self) -> str:
        """Say which sets train and test, unless sets are named by their language alone."""
        told = "; ".join(
            f"{task.title}: trained on {self.trained(name)}, tested on {self.set_name(name, '…')}"
            for name, task in self.tasks.items()
            if self._sections[name].sets != "{language}"
        )
        return f"{told} ({self.section.stand_ins})." if told else ""

    def _shares(self) -> str:
        """Say which share of training sets is used, unless all; encoders may have different shares."""
        common, *own = (
            {task.title: self.settings_of(name, encoder).get("share", 1) for name, task in self.tasks.items()}
            for encoder in ("", *self.models(XTREME))
        )
        parts = [_percent({title: share for title, share in common.items() if share != 1})]
        for encoder, shares in zip(self.models(XTREME), own, strict=True):
            different = _percent({title: share for title, share in shares.items() if share != common[title]})
            parts += [f"{encoder}: {different}"] if different else []
        told = "; ".join(filter(None, parts))
        return f"Share of the training set in use: {told}." if told else ""

    def drawings(self) -> dict[str, Drawing]:
        """Return the heat map of languages and tasks."""
        rows = {"rows": [rows_file(self.w, NAME, XTREME)]}
        caption = f"Scale {self.w.scale}; number of seeds: {len(self.seeds)}."
        return {"xtreme": Drawing("xtreme", rows, {"caption": caption}, (XTREME,))}

    def exported(self) -> list[dict[str, str]]:
        """Return the lines that lay predictions and gold labels out as XTREME's evaluation reads them."""
        lines = {}
        for one in self._predictions(XTREME):
            suffix = "json" if kind_of(one.task).form.suffix == "json" else "tsv"
            for what, folder, path in (
                ("gold", "labels", In(f"{self.w.corpora}/{labelled_path(one.task, one.gold, 'test')}")),
                ("predicted", f"{one.encoder}/seed{one.seed}", one.file(self.w, NAME)),
            ):
                out = f"{self.w.results}/xtreme/{folder}/{task_of(one).folder}/test-{one.tested}.{suffix}"
                lines[out] = {"task": one.task, "input": path, "what": what, "out": out}
        return list(lines.values())

    def check(self) -> None:
        """Raise ConfigError when the section names a language or data that is not there."""
        kinds = [kind_of(task.kind).data_kind for task in self.tasks.values()]
        spoken = (self.w.sources.language(kind, name) for kind in kinds for name in self.w.sources.sets[kind])
        known = list(dict.fromkeys([*runs.languages(self.w), *spoken]))
        check_defined(f"{KEY}.languages", self.languages, known, "the languages of encoders and data")
        for name in self.tasks:
            self._check_task(name, f"{KEY}.tasks.{name}")

    def _check_task(self, name: str, key: str) -> None:
        train = self.trained(name)
        for split in ("train", "valid"):
            if not self.has(name, train, split):
                raise ConfigError(
                    f"{key}.train: there is no {split} data {train}: name a set that has training and"
                    f" validation data, or leave the task out by null; `{KEY}: null` leaves all out"
                )
        if not self.tested(name):
            raise ConfigError(
                f"{key}.sets: none of {', '.join(self.languages)} has test data; null leaves the task out"
            )


def task_of(one: Prediction) -> XtremeTask:
    """Return the task that a prediction is of."""
    return next(each for each in TASKS.values() if each.kind == one.task)


def _percent(shares: Mapping[str, float]) -> str:
    return ", ".join(f"{title} {100 * share:g} %" for title, share in shares.items())


def _by_task(found: Mapping[str, list[str]]) -> str:
    return "; ".join(f"{TASKS[task].title} {', '.join(names)}" for task, names in found.items() if names)
