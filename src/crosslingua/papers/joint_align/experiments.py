"""The experiments of joint_align: every system on every language pair, tables 1 to 3, figures 1 and 2."""

from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar

from crosslingua.atlas.cards import ALIGNED, BOTH, JOINT, JOINT_MAPPED
from crosslingua.cells import Cell
from crosslingua.errors import ConfigError, check_defined, given
from crosslingua.papers.joint_align.atlas import Atlas
from crosslingua.papers.joint_align.section import JointAlignSection
from crosslingua.papers.joint_align.table3_experiments import NAME, NER, Entities
from crosslingua.papers.joint_align.tables import mappers as mappers_of_both
from crosslingua.papers.shared import sentences
from crosslingua.word_embeddings import GRIDS
from crosslingua.workflow import lexicon_induction, translation, vectors
from crosslingua.workflow.encoder_alignment import AlignedEncoder
from crosslingua.workflow.encoders import runs_read
from crosslingua.workflow.fine_tuning import Tuning
from crosslingua.workflow.jobs import In, Job
from crosslingua.workflow.paper import Paper
from crosslingua.workflow.results import ABLATIONS, MAIN, Drawing, TableRequest, rows_file
from crosslingua.workflow.runs import check_encoders
from crosslingua.workflow.sections import Figure1
from crosslingua.workflow.tagging import Mixture, TaggerRun
from crosslingua.workflow.text import dictionary_folder
from crosslingua.workflow.translation import Translation
from crosslingua.workflow.vectors import all_systems
from crosslingua.workflow.workflow import LexiconPair, Workflow

TRANSLATION = "translation"  # the group of figure 2
REALLOCATED = ("joint_vr", "joint_vr_unsupervised")
TABLES = {"table1": "identical=kept", "table2": "identical=dropped"}
METRICS = ("p_at_1", "p_at_5", "p_at_10", "coverage", "spelled_alike")
TRANSLATED = ("bleu", "chrf", "degenerate")
WITHOUT_GOLD = ("mean_cosine", "mutual")  # of a pair that has no dictionary, in table 1
STAGES = ("joint", "reallocated", "refined")  # of figure 1


class JointAlign(Paper[JointAlignSection]):
    """Tables 1 to 3, figures 1 and 2, the dictionary curve."""

    name = NAME
    targets: ClassVar = {"bli": MAIN, "translation": TRANSLATION, "ablations_joint_align": ABLATIONS}
    early = MAIN  # lexicon induction is done long before taggers and translation

    @cached_property
    def controls(self) -> lexicon_induction.Controls:
        """The controls of unsupervised mappers."""
        return self.w.stage(lexicon_induction.Controls)

    @cached_property
    def translation(self) -> Translation:
        """The systems of figure 2."""
        return self.w.stage(Translation)

    @cached_property
    def entities(self) -> Entities | None:
        """Table 3, where the scale has it."""
        return Entities(self.w, self.section.table3) if self.section.table3 else None

    @cached_property
    def atlas(self) -> Atlas | None:
        """The cards of pairs and their page, where the scale has them."""
        return Atlas(self.w, self.section.atlas, self.strategies()) if self.section.atlas else None

    def jobs(self) -> list[Job]:
        """Return the jobs of the atlas."""
        if not self.atlas:
            return []
        return list(self.atlas.jobs({pair: self._induced([pair]) for pair in self.atlas.pairs}))

    def further(self) -> dict[str, list[str]]:
        """Return the targets of the atlas."""
        return self.atlas.targets() if self.atlas else {}

    def stages(self) -> tuple[Callable[[Workflow], None], ...]:
        """Return the check of encoders; where nothing is tagged, those of the demo need not fit."""
        return (check_encoders,) if self.entities and self.entities.pairs else ()

    def unread(self) -> tuple[str, ...]:
        """Return `table3` where a scale has no data of it."""
        return () if self.entities and self.entities.pairs else ("table3",)

    def check(self) -> None:
        """Raise ConfigError when no system can run on any pair, or the section names what cannot be used."""
        self._check_pairs()
        self.translation.check()
        if self.entities:
            self.entities.check()
        if self.section.figure1:
            self._check_figure1(self.section.figure1)
        if self.atlas:
            self.atlas.check()

    def _check_pairs(self) -> None:
        pairs = self.w.lexicon_pairs.values()
        if not pairs:
            raise ConfigError(
                f"pairs: no pair is given, and {NAME} compares pairs of languages: name one, as [source-target]"
            )
        if not any(vectors.systems_of(self.w, pair) for pair in pairs):
            raise ConfigError(
                f"{NAME}.systems: all systems need a dictionary, and no pair has one: name files under dictionaries, or"
                " add a system without a dictionary (embeddings: joint, mapper: null)"
            )

    def _check_figure1(self, figure: Figure1) -> None:
        key, systems = f"{NAME}.figure1", all_systems(self.w)
        if figure.pair:
            named = [pair.name for pair in self.with_dictionary]
            check_defined(f"{key}.pair", figure.pair, named, "the pairs with their dictionaries")
        mapped = [name for name, choice in systems.items() if choice.mapper]
        check_defined(f"{key}.refined_by", figure.refined_by, mapped, f"{NAME}.systems that have a mapper")

    @cached_property
    def induced(self) -> list[LexiconPair]:
        """The pairs of tables 1 and 2, without points of learning curves; table 3 may have others."""
        named, atlas = self.section.induced, self.atlas
        return [
            pair
            for pair in self.w.lexicon_pairs.values()
            if (named is None or f"{pair.source}-{pair.target}" in named)
            and not (atlas and atlas.point_of(pair))
        ]

    @cached_property
    def with_dictionary(self) -> list[LexiconPair]:
        """The pairs of tables 1 and 2 that have a dictionary."""
        return [pair for pair in self.induced if pair.dictionary]

    def groups(self) -> list[str]:
        """Return the groups of cells: the ablations are the dictionary curve."""
        found = {
            MAIN: [*self.induced, *self.controls.systems],
            NER: self.entities and self.entities.pairs,
            TRANSLATION: self.translation.pairs,
            ABLATIONS: self.w.curve_pairs,
        }
        return [group for group, of in found.items() if of]

    def cells(self, group: str) -> list[Cell]:
        """Return the cells of a group; a pair without a dictionary is in table 1 only."""
        if group == TRANSLATION:
            return self._translated()
        if group == ABLATIONS:
            return self._curve()
        return (
            given(self.entities).cells()
            if group == NER
            else [*self._induced(self.induced), *self._controls()]
        )

    def _induced(self, pairs: list[LexiconPair]) -> list[Cell]:
        return [
            Cell(
                NAME, table, system, "bli", pair.source, pair.target, seed,
                lexicon_induction.score_file(self.w, system, pair, seed, variant),
                METRICS if pair.dictionary else WITHOUT_GOLD, where=where,
                conditions=self._conditions(pair, choice, variant),
            )
            for pair in pairs
            for table, where in (TABLES if pair.dictionary else {"table1": ""}).items()
            for system, choice in vectors.systems_of(self.w, pair).items()
            for variant in choice.variants()
            for seed in self.w.seeds
        ]  # fmt: skip

    def _controls(self) -> list[Cell]:
        if not self.controls.systems:
            return []
        language, upper = self.controls.language, lexicon_induction.UPPER_LINE
        return [
            Cell(
                NAME, "controls", system, "bli", language, language, seed,
                self.controls.score(system, kind, seed), ("p_at_1",),
                conditions={"control": kind, "supervision": "dictionary" if system == upper else "none"},
            )
            for system in (*self.controls.systems, upper)
            for kind in self.controls.kinds
            for seed in self.controls.seeds
        ]  # fmt: skip

    def _translated(self) -> list[Cell]:
        """Return a cell for each system, baseline, seed and direction; its scores are of every epoch."""
        return [
            Cell(
                NAME, "fig2", name, "translation", *one.languages, seed,
                self.translation.score_file(one, name, seed), TRANSLATED,
            )
            for pair in self.translation.pairs
            for one in translation.directions(pair)
            for name, seeds in self.translation.seeds.items()
            for seed in seeds
        ]  # fmt: skip

    def _curve(self) -> list[Cell]:
        """Return a cell for each supervised system, seed, and dictionary of the controlled world, small ones first."""
        w = self.w
        shares = {name: entry["share"] for name, entry in w.sources.dictionaries.items() if "share" in entry}
        return [
            Cell(
                NAME, "curve", system, "bli", pair.source, pair.target, seed,
                lexicon_induction.score_file(w, system, pair, seed), ("p_at_1",), where="identical=kept",
                conditions=self._conditions(pair, choice, vectors.SELECTED) | {"share": str(shares[pair.dictionary])},
            )
            for pair in (*w.lexicon_pairs.values(), *w.curve_pairs.values())
            if pair.dictionary in shares
            for system, choice in vectors.systems_of(w, pair).items()
            if choice.needs_dictionary
            for seed in w.seeds
        ]  # fmt: skip

    def _conditions(self, pair: LexiconPair, choice: vectors.System, variant: str) -> dict[str, str]:
        """Return the conditions of a system: its dictionary, its supervision, and the origin of its settings."""
        chosen = variant == vectors.SELECTED and choice.is_chosen
        return {
            "dictionary": pair.dictionary or "none",
            "supervision": "dictionary" if choice.needs_dictionary else "none",
            "settings": "selected" if chosen else "published",
        }

    def taggers(self) -> dict[str, list[TaggerRun]]:
        """Return the taggers of table 3."""
        return {MAIN: self.entities.taggers() if self.entities else []}

    def fine_tunings(self) -> dict[str, list[Tuning]]:
        """Return the encoders that are fine-tuned for table 3."""
        return {MAIN: list(self.entities.tuned.values()) if self.entities else []}

    def aligned_encoders(self) -> list[AlignedEncoder]:
        """Return the rotations that table 3 needs."""
        return list(self.entities.rotations.values()) if self.entities else []

    def encoder_runs(self) -> dict[int, int]:
        """Return which training of the encoders of table 3 the run of each seed reads."""
        if not (own := self.entities):
            return {}
        return runs_read(self.w, own.encoders, self.w.tagged_encoder_seeds, own.seeds)

    def mixtures(self) -> list[Mixture]:
        """Return the sets of a share that table 3 needs."""
        return self.entities.mixtures() if self.entities else []

    def tables(self) -> dict[str, TableRequest]:
        """Return the tables; pairs without a dictionary have only the first, with a note on missing systems."""
        compared = self.with_dictionary and mappers_of_both(list(all_systems(self.w)))
        found = {"answer": TableRequest()} if compared else {}
        if self.induced:
            found["table1"] = TableRequest(note=sentences(self._left_out(), self._unsearched()))
        if self.with_dictionary:
            found["table2"] = TableRequest()
        if self.entities and self.entities.pairs:
            found["table3"] = self.entities.request()
        if self.translation.pairs:
            found["fig2"] = TableRequest((TRANSLATION,), self._begun_with())
        if self.controls.systems:
            found["controls"] = TableRequest()
        if self.w.curve_pairs:
            found["curve"] = TableRequest((ABLATIONS,))
        return found

    def _left_out(self) -> str:
        pairs = [f"{pair.source}-{pair.target}" for pair in self.induced if not pair.dictionary]
        systems = all_systems(self.w).items()
        needing = [name for name, choice in systems if choice.needs_dictionary]
        told = f"Without a dictionary: {', '.join(pairs)}; left out there, because they need one: {', '.join(needing)}."
        return told if pairs and needing else ""

    def _unsearched(self) -> str:
        """Return a note on systems, trained with a dictionary, whose settings a scale does not search."""
        names = [
            name
            for name, choice in all_systems(self.w).items()
            if choice.embeddings in GRIDS and not vectors.grid_of(self.w, choice.embeddings)
        ]
        told = f"Not searched at this scale, settings as in the configuration: {', '.join(names)}."
        return told if names else ""

    def _begun_with(self) -> str:
        """Say which vectors the systems of figure 2 begin with, and what they are trained on."""
        begin = ", ".join(f"{name}: {of}" for name, of in self.translation.trained.items())
        halves = "halves of parallel text without a pair in common"
        text = {"halves": halves, "alternating": halves, "texts": "the languages' texts"}
        tested = ", ".join(self.translation.test_set(pair)[1] for pair in self.translation.pairs)
        trained = text[self.translation.asked.text]
        return f"Begins with the vectors of: {begin}. Trained on {trained}; tested on {tested}."

    def evidence(self, group: str) -> dict[str, list[str]]:
        """Return the further evidence for claims: reports of reallocation, and similarity of translations."""
        if group != MAIN:
            return {}
        systems = {pair: vectors.systems_of(self.w, pair).values() for pair in self.induced}
        kinds = {pair.name: {one.embeddings for one in own} for pair, own in systems.items()}
        divided = [name for name, own in kinds.items() if "joint_vr" in own]
        folder, measured = (
            f"{vectors.embeddings_folder(self.w)}/joint_vr",
            self.with_dictionary if self.section.figure1 else [],
        )
        return {
            "divisions": [f"{folder}/{name}/division.json" for name in divided],
            "similarities": [f"{self.w.results}/similarity/{pair.name}.json" for pair in measured],
        }

    def strategies(self) -> dict[str, str]:
        """Return the strategy of each system of lexicon induction; one trained jointly without a mapper is joint. A
        published encoder, which has read other text, stands for none.
        """
        mapped = {"independent": ALIGNED, **dict.fromkeys(REALLOCATED, BOTH)}
        return {
            name: mapped.get(choice.embeddings, JOINT_MAPPED) if choice.mapper else JOINT
            for name, choice in all_systems(self.w).items()
            if not choice.embeddings.startswith(vectors.OF_ENCODER)
        }

    def shown(self) -> dict[str, list[str]]:
        """Return the further files on the page: chosen settings, reports of reallocation."""
        w, choices = self.w, list[str]()
        divisions: dict[str, list[str]] = {kind: [] for kind in REALLOCATED}
        for pair in (*w.lexicon_pairs.values(), *w.curve_pairs.values()):
            own = vectors.systems_of(w, pair)
            mapped = (name for name in own if own[name].grid)
            choices += [vectors.mapper_choice_file(w, name, pair) for name in mapped]
            trained = dict.fromkeys(one.embeddings for one in own.values() if one.is_trained)
            choices += [path for kind in trained for path in vectors.chosen_settings(w, kind, pair)]
            # Figure 1 draws the vectors of `joint_vr`, whether a system reads them or not.
            drawn = ["joint_vr"] if self.section.figure1 and pair.dictionary else []
            for kind in {*drawn, *(one.embeddings for one in own.values())}.intersection(REALLOCATED):
                divisions[kind].append(vectors.report_file(w, kind, pair))
        return {
            "choices": list(dict.fromkeys(choices)),
            "divisions": list(dict.fromkeys(path for kind in REALLOCATED for path in divisions[kind])),
        }

    def explored(self) -> dict[str, Any]:
        """Return the files and settings of figure 1, whose words the page lets a reader search; {} without it."""
        if not (drawing := self.drawings().get("figure1")):
            return {}
        return {"inputs": drawing.inputs, "settings": {"languages": drawing.settings["languages"]}}

    def drawings(self) -> dict[str, Drawing]:
        """Return figure 1 and its companions, if requested and a pair has a dictionary, and figure 2."""
        figure = self.section.figure1
        found = self._spaces(figure) if figure and self.with_dictionary else {}
        return found | (self._translations() if self.translation.pairs else {})

    def _spaces(self, figure: Figure1) -> dict[str, Drawing]:
        pair, scale = self.figure_pair, f"Scale {self.w.scale}"
        found = {}
        if self.w.curve_pairs:
            rows = {"rows": [rows_file(self.w, NAME, ABLATIONS)]}
            found["curve"] = Drawing("curve", rows, {"caption": scale}, (ABLATIONS,))
        found["figure1"] = self._figure1(figure, pair, f"{scale}, {pair.name}")
        for name, text in (
            ("similarity", "test dictionary without pairs of one surface form, all seeds; dashed: means."),
            ("hubness", "neighbours by cosine among the 20,000 most frequent words of either language."),
        ):
            measured = {"measured": [f"{self.w.results}/{name}/{pair.name}.json"]}
            found[name] = Drawing(name, measured, {"caption": f"{scale}, {pair.name}; {text}"})
        return found

    def _translations(self) -> dict[str, Drawing]:
        systems = [name for name in self.translation.trained if name != translation.SUPERVISED]
        seeds = ", ".join(map(str, self.translation.every_seed))
        settings = {
            "systems": systems,
            "start": {name: f"{translation.WORDS}+{name}" for name in systems},
            "compared": {"supervised": translation.SUPERVISED},
            "caption": f"Scale {self.w.scale}; seeds {seeds}",
        }
        rows = {"rows": [rows_file(self.w, NAME, TRANSLATION)]}
        return {"figure2": Drawing("figure2", rows, settings, (TRANSLATION,))}

    @cached_property
    def figure_pair(self) -> LexiconPair:
        """The pair of the figures."""
        named = given(self.section.figure1).pair
        return self.w.lexicon_pairs[named] if named else self.with_dictionary[0]

    def _stage_file(self, stage: str, pair: LexiconPair, seed: int, name: str) -> str:
        """Return a file of a pair's vectors in a stage of figure 1."""
        if stage == "refined":
            return all_systems(self.w)[given(self.section.figure1).refined_by].mapped(pair, seed, name)
        return vectors.space(self.w, {"joint": "joint", "reallocated": "joint_vr"}[stage], pair, seed, name)

    def _figure1(self, figure: Figure1, pair: LexiconPair, scale: str) -> Drawing:
        seed = self.w.seeds[0]
        inputs = {
            side: [self._stage_file(stage, pair, seed, f"{side}.vec") for stage in STAGES]
            for side in vectors.SIDES
        }
        shared = ("joint", "reallocated", "reallocated")
        inputs["shared"] = [self._stage_file(stage, pair, seed, "shared.txt") for stage in shared]
        inputs["dictionary"] = [f"{dictionary_folder(self.w, pair.name)}/test.txt"]
        settings = {
            "languages": [pair.source, pair.target],
            "words": figure.words_shown,
            "pairs": figure.labelled_pairs,
            "caption": f"{scale}, seed {seed}; first two principal components of (a).",
        }
        return Drawing("figure1", inputs, settings)

    def similarity(self, pair: LexiconPair) -> list[dict[str, Any]]:
        """Return the lines that measure the similarity of translations, one a stage of figure 1 and seed."""
        if not (self.section.figure1 and pair in self.with_dictionary):
            return []
        tested = vectors.dictionary_part(self.w, pair, "test")
        return [
            {"pair": pair.name, "dictionary": tested, "stage": stage, "seed": seed}
            | {side: In(self._stage_file(stage, pair, seed, f"{side}.vec")) for side in vectors.SIDES}
            | {"shared": In(self._stage_file("joint", pair, seed, "shared.txt"))}
            for seed in self.w.seeds
            for stage in STAGES
        ]

    def hubness(self, pair: LexiconPair) -> list[dict[str, Any]]:
        """Return the lines that measure hubness of the figures' pair, one a system and seed."""
        if not (self.section.figure1 and self.with_dictionary) or pair != self.figure_pair:
            return []
        w = self.w
        return [
            {"system": system, "seed": seed}
            | {side: In(choice.final(pair, seed, f"{side}.vec")) for side in vectors.SIDES}
            | {"mapping": In(choice.mapped(pair, seed, "details.json")) if choice.mapper else ""}
            for system, choice in all_systems(w).items()
            for seed in w.seeds
        ]


PAPER = JointAlign
