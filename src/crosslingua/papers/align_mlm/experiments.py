"""The experiments of align_mlm: encoders of a natural and a derived language, fine-tuned on tasks in each, and scored.

A system is an objective of pre-training, trained on each transformation. An ablation changes one thing, which is added
to the system's name with the value, shares in percent: `xlm_parallel_100`, `dict_mlm_dictionary_50`, `xlm_overlap_25`,
`mlm_steps_12000`, `align_mlm_alpha_100`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any, ClassVar

from crosslingua.cells import Cell
from crosslingua.errors import ConfigError, check_defined
from crosslingua.papers.align_mlm import section
from crosslingua.papers.align_mlm.tables import NAME as LENGTH
from crosslingua.papers.align_mlm.tables import TARGETS
from crosslingua.places import suite
from crosslingua.tasks.kinds import KINDS
from crosslingua.workflow.encoders import encoder_folder
from crosslingua.workflow.fine_tuning import Prediction, Tuning, score_file
from crosslingua.workflow.jobs import In
from crosslingua.workflow.labelled import check_sets
from crosslingua.workflow.paper import Paper
from crosslingua.workflow.results import ABLATIONS, MAIN, Drawing, TableRequest, rows_file
from crosslingua.workflow.runs import Run, Tokeniser, merged_settings, needs, told_apart
from crosslingua.workflow.sources import present
from crosslingua.workflow.workflow import once

NAME = "align_mlm"
OTHER = {"ner": ("conll", "f1_conll"), "pos": ("accuracy", "accuracy")}  # other scores: suffix, and key
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

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that give the settings of its encoder, the most general first."""
        ablation = [f"{NAME}.ablations"] if self.changed else []
        return "encoders.settings", f"{NAME}.settings", f"{NAME}.systems.{self.system}.settings", *ablation


def percent(share: float) -> int:
    """Return a share as whole percent."""
    return round(100 * share)


class AlignMlm(Paper[section.AlignMlmSection]):
    """Table 3, figures 2 and 3, table 8, and the ablations."""

    name = NAME
    targets: ClassVar = {"ablations_align_mlm": ABLATIONS}

    @cached_property
    def natural(self) -> str:
        """The natural language."""
        return self.w.of_source(self.section.natural)

    @cached_property
    def transformations(self) -> dict[str, str]:
        """The derived language of each transformation that a scale has."""
        named = present(self.section.transformations)
        return {name: self.w.of_source(own) for name, own in named.items()}

    @cached_property
    def systems(self) -> dict[str, section.PretrainedSystem]:
        """The systems that a scale has."""
        return present(self.section.systems)

    @cached_property
    def tasks(self) -> dict[str, dict[str, Any]]:
        """The settings of the tasks that a scale has."""
        return present(self.section.tasks)

    @cached_property
    def ablations(self) -> dict[str, section.Ablation]:
        """The ablations that a scale has."""
        return present(vars(self.section.ablations))

    def groups(self) -> list[str]:
        """Return the groups of cells: the main table, and the ablations."""
        return [MAIN, *([ABLATIONS] if self.ablations else [])]

    def check(self) -> None:
        """Raise ConfigError for a language that is not derived from `natural`, or of which a task has no data."""
        check_defined(f"{NAME}.transformations", self.transformations, TARGETS, "those that tables show")
        overlap = self.section.ablations.overlap
        languages = [*self.transformations.values(), *(overlap.languages if overlap else [])]
        for language in languages:
            if self.w.sources.languages[language].get("derived_from") != self.natural:
                raise ConfigError(f"{NAME}: {language!r} is not derived from {self.natural!r}")
        for task in self.tasks:
            check_sets(self.w, f"{NAME}.tasks.{task}", task, [self.natural, *languages])

    def seeds(self, one: Variant) -> list[int]:
        """Return the seeds of a variant's encoders: of its transformation, of the paper, or of all encoders."""
        own = self.section.seeds
        return (own.get(one.transformation) if isinstance(own, dict) else own) or self.w.encoder_seeds

    @once
    def variants(self, group: str) -> list[Variant]:
        """Return the variants of table 3, or of the ablations in tables 1, 2, 5, 7 and the curve."""
        main = [
            Variant(system, transformation, language, tuple(choice.objective), choice.settings or {})
            for system, choice in self.systems.items()
            for transformation, language in self.transformations.items()
        ]
        if group == MAIN:
            return main
        known = {(one.system, one.transformation): one for one in main}
        return [
            replace(known[place], **changes)
            for ablation in self.ablations.values()
            for place in product(*ablation.places)
            for changes in self._changes(ablation, known[place])
        ]

    def _changes(self, ablation: section.Ablation, base: Variant) -> Iterator[dict[str, Any]]:
        """Yield what an ablation changes of a variant of table 3."""
        values: Mapping[str, float]
        match ablation:
            case section.Overlap():
                for language in ablation.languages:
                    changed = f"overlap_{percent(self._overlap(language))}"
                    yield {"language": language, "table": "table7", "changed": changed}
                return
            case section.Length():
                table, setting, values = LENGTH, "steps", {f"steps_{x}": x for x in ablation.steps}
            case section.Alpha():
                table, setting, values = "alpha", "align_alpha", {f"alpha_{x:g}": x for x in ablation.alphas}
            case section.Parallel():
                table, setting = "table1", "parallel_share"
                values = {f"parallel_{percent(x)}": x for x in ablation.shares}
            case section.DictionaryShares():
                table = "table5" if base.transformation == "trans_syn" else "table2"
                setting = "dictionary_share"
                values = {f"dictionary_{percent(x)}": x for x in ablation.shares}
        for changed, value in values.items():
            yield {"settings": {**base.settings, setting: value}, "table": table, "changed": changed}

    def _overlap(self, language: str) -> float:
        """Return the share of the vocabulary that a derived language shares with its parent."""
        share: float = self.w.sources.languages[language].get("overlap", 0.0)
        return share

    @once
    def encoders(self) -> dict[str, Run]:
        """Return the encoders by name, `system.transformation`, also of the ablations."""
        return {
            one.encoder: Run(
                objective=one.objective,
                # Of a derived language: a copy of its parent's, one for each overlap.
                tokeniser=f"{self.natural}_copied_{percent(self._overlap(one.language))}",
                languages=(self.natural, one.language),
                bitext=(f"{self.natural}-{one.language}",) if needs(one.objective, "bitext") else (),
                derived=True,
                init=self.section.init or "",
                settings=merged_settings(
                    self.w.config.encoders.settings, self.section.settings, one.settings
                ),
                seeds=tuple(self.seeds(one)),
                keys=one.keys,
            )
            for group in self.groups()
            for one in self.variants(group)
        }

    def tokenisers(self) -> dict[str, Tokeniser]:
        """Return the tokenisers by name."""
        pieces: dict[str, Any] = {"vocabulary_size": self.section.vocabulary_size}
        if self.section.init:
            pieces["encoder"] = In(encoder_folder(self.w, self.section.init, self.w.encoder_seeds[0]))
        pieces |= {"transliterate": True, **dict(self.w.config.derived)}
        return {
            run.tokeniser: Tokeniser((self.natural,), pieces | {"overlap": self._overlap(run.languages[1])})
            for run in self.encoders().values()
        }

    def fine_tunings(self) -> dict[str, list[Tuning]]:
        """Return the fine-tunings: both languages train, the derived one is tested."""
        return {group: [self._tuning(one) for one in self.variants(group)] for group in self.groups()}

    def _tuning(self, one: Variant) -> Tuning:
        train = tuple((task, name) for task in self.tasks for name in (self.natural, one.language))
        test = tuple((task, one.language) for task in self.tasks)
        return Tuning(one.encoder, train, test, self.tasks, seeds=tuple(self.seeds(one)))

    def probes(self, group: str) -> list[dict[str, Any]]:
        """Return the lines that score the alignment of word embeddings, one an encoder and seed."""
        return [
            {
                "encoder": In(folder := encoder_folder(self.w, one.encoder, seed)),
                "pairs": In(f"{folder}/token_pairs.tsv", folder),
                "languages": [self.natural, one.language],
                "out": str(self._probe_file(group, one, seed)),
            }
            for one, seed in self._trained(group)
        ]

    def _probe_file(self, group: str, one: Variant, seed: int) -> In:
        folder = f"{self.w.results}/probes/{NAME}.{group}"
        return In(f"{folder}/{one.encoder}.seed{seed}.json", folder)

    def _trained(self, group: str) -> list[tuple[Variant, int]]:
        return [(one, seed) for one in self.variants(group) for seed in self.seeds(one)]

    def cells(self, group: str) -> list[Cell]:
        """Return the cells of a group: supervised and zero-shot scores, their difference, and the alignment."""
        trained = self._trained(group)
        transfer = [self._transfer(group, *own, task) for own in trained for task in self.tasks]
        return [cell for own in transfer for cell in own] + [
            Cell(
                NAME, "table8", one.name, "embedding_alignment", self.natural, one.transformation, seed,
                self._probe_file(group, one, seed), ("alignment",),
            )
            for one, seed in trained
        ]  # fmt: skip

    def _transfer(self, group: str, one: Variant, seed: int, task: str) -> list[Cell]:
        metric = KINDS[task].metric
        supervised, zero_shot = (
            score_file(self.w, NAME, group, Prediction(one.encoder, seed, task, trained, one.language).score)
            for trained in (one.language, self.natural)
        )

        def cell(name: str, score: str, *more: str, less: str = "") -> Cell:
            metrics = [f"{name}={metric}", *more, *([] if less else [f"shortcut_{name}=shortcut_{metric}"])]
            if task in OTHER:
                suffix, key = OTHER[task]
                metrics.append(f"{name}_{suffix}={key}")
            return Cell(
                NAME, one.table, one.name, task, self.natural, one.transformation, seed, score, tuple(metrics),
                less=less,
            )  # fmt: skip

        return [
            cell("supervised", supervised, "majority", *(["majority_accuracy"] if task == "pos" else [])),
            cell("zero_shot", zero_shot),
            cell("delta", supervised, less=zero_shot),
        ]

    @cached_property
    def _pre_trained(self) -> list[Variant]:
        return [one for one in self.variants(MAIN) if one.system != CONTROL]

    def tables(self) -> dict[str, TableRequest]:
        """Return the tables; ablations show the changes beside table 3."""
        note = told_apart({one.system: self.encoders()[one.encoder] for one in self._pre_trained})
        changed = dict.fromkeys(one.table for group in self.groups()[1:] for one in self.variants(group))
        return {name: TableRequest(note=note) for name in ("table3", "table8")} | {
            name: TableRequest((MAIN, ABLATIONS), note) for name in changed
        }

    def drawings(self) -> dict[str, Drawing]:
        """Return figures 2 and 3, the latter for at least three encoders, and the loss of the first seed's."""
        numbers = sorted({len(self.seeds(one)) for one in self.variants(MAIN)})
        told = f"Scale {self.w.scale}; number of seeds: {' or '.join(map(str, numbers))}."
        inputs = {
            "rows": [rows_file(self.w, NAME, MAIN)],
            "published": [suite(f"reference/{NAME}_table3.csv")],
        }
        trained = self._pre_trained
        figures = ("figure2", "figure3") if len(trained) > 2 else ("figure2",)
        found = {name: Drawing(name, inputs, {"caption": told}) for name in figures}
        runs = {"runs": [encoder_folder(self.w, one.encoder, self.seeds(one)[0]) for one in trained]}
        found["loss"] = Drawing("loss", runs, {"names": [one.encoder for one in trained], "caption": told})
        if "length" in self.ablations:
            steps = {one.system: self.encoders()[one.encoder].settings["steps"] for one in trained}
            rows = {"rows": [rows_file(self.w, NAME, group) for group in (MAIN, ABLATIONS)]}
            found[LENGTH] = Drawing(LENGTH, rows, {"caption": told, "steps": steps}, (MAIN, ABLATIONS))
        return found


PAPER = AlignMlm
