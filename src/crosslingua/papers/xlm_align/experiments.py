"""The experiments of xlm_align: table 2 and figure 2 (word alignment), and XTREME in the group `xtreme`.

Table 2 and figure 2 have every aligner on every gold alignment. Aligners on vectors run on each of the section's
`vectors` (systems of word vectors, where they have the language pair) and `encoders`.
"""

from collections.abc import Callable, Collection
from functools import cached_property
from typing import ClassVar

from crosslingua.cells import Cell
from crosslingua.errors import ConfigError, check_defined
from crosslingua.papers.xlm_align.section import EncoderLayersShown, XlmAlignSection
from crosslingua.papers.xlm_align.xtreme import NAME, XTREME, Xtreme
from crosslingua.word_aligners import DIAGONAL
from crosslingua.workflow import runs
from crosslingua.workflow.fine_tuning import Tuning
from crosslingua.workflow.labelled import training_bitext
from crosslingua.workflow.paper import Paper
from crosslingua.workflow.results import ABLATIONS, MAIN, Drawing, TableRequest, rows_file
from crosslingua.workflow.sections import WordAlignerSection
from crosslingua.workflow.sources import WORLD, present
from crosslingua.workflow.word_alignment import GOLD, Alignment, WordAlignment
from crosslingua.workflow.workflow import LexiconPair, Workflow, pair_languages

METRICS = ("aer", "precision", "recall", "f1")


class XlmAlign(Paper[XlmAlignSection]):
    """Tables 1 to 7 and 13 to 19, figure 2."""

    name = NAME
    targets: ClassVar = {"aer": MAIN, "xtreme": XTREME, "ablations_xlm_align": ABLATIONS}

    @cached_property
    def xtreme(self) -> Xtreme | None:
        """The tasks of XTREME; None where a scale has none, or no data of any."""
        made = self.section.xtreme and Xtreme(self.w, self.section.xtreme)
        return made if made and made.tasks else None

    @cached_property
    def gold(self) -> list[str]:
        """The gold alignments: named ones, or else all of the data sheets and of the language pairs."""
        found, pairs = self.w.sources.sets[GOLD], self.w.config.pairs
        return self.section.gold or [n for n, e in found.items() if e["from"] != WORLD or n in pairs]

    @cached_property
    def compared(self) -> dict[str, EncoderLayersShown]:
        """The encoders of this scale."""
        return present(self.section.encoders)

    @cached_property
    def members(self) -> dict[str, str]:
        """The member of `encoders.multilingual` that stands for each encoder."""
        return {name: one.member or name for name, one in self.compared.items()}

    @property
    def stage(self) -> WordAlignment:
        """The stage of all papers' alignments."""
        return self.w.stage(WordAlignment)

    def alignments(self) -> list[Alignment]:
        """Return all alignments of the gold sets, in the order of the tables."""
        return [one for pair in self.gold for one in self.alignments_of(pair)]

    def aligners_of(self, what: str) -> dict[str, WordAlignerSection]:
        """Return the aligners that read `text`, or `vectors`."""
        return {name: one for name, one in self.stage.aligners.items() if one.reads == what}

    def alignments_of(self, pair: str) -> list[Alignment]:
        """Return the alignments of a gold set; an aligner on text that does not draw has the first seed."""
        seeds, on_vectors = self.w.seeds, self.aligners_of("vectors")
        vectors, trained = self.lexicon_pair(pair), self.training(pair)
        found = [
            Alignment(pair, name, seed, training=() if name == DIAGONAL else trained, seeded=aligner.seeded)
            for name, aligner in self.aligners_of("text").items()
            for seed in (seeds if aligner.seeded else seeds[:1])
        ]
        for space in self.section.vectors if vectors else ():
            found += [Alignment(pair, a, seed, space, vectors=vectors) for a in on_vectors for seed in seeds]
        for encoder, member in self.members.items():
            found += [
                Alignment(pair, aligner, seed, encoder, layer, member=member)
                for aligner in on_vectors
                for layer in sorted({self.compared[encoder].layer, *self._drawn(aligner, encoder)})
                for seed in self.w.encoder_seeds
            ]
        return found

    def _drawn(self, aligner: str, encoder: str) -> list[int]:
        """Return the layers of an encoder that figure 2 draws: with its own aligner all, with others none."""
        return self.compared[encoder].layers if aligner == self.section.figure2 else []

    def tables_of(self, one: Alignment) -> list[str]:
        """Return the tables that an alignment belongs to."""
        if one.layer is None:
            return ["table2"]
        shown = self.compared[one.space].layer == one.layer
        return ["table2"] * shown + ["fig2"] * (one.layer in self._drawn(one.aligner, one.space))

    def lexicon_pair(self, pair: str) -> LexiconPair | None:
        """Return the pair, in either direction, with its first dictionary, whose vectors serve a gold set, or None."""
        source, target = pair_languages(pair)
        for languages in ((source, target), (target, source)):
            for entry in self.w.lexicon_pairs.values():
                if entry.dictionary and (entry.source, entry.target) == languages:
                    return entry
        return None

    def training(self, pair: str) -> tuple[str, ...]:
        """Return the bitext that aligners on text train on beside a gold set."""
        named = self.section.training.get(pair)
        return tuple(training_bitext(self.w, pair_languages(pair)) if named is None else named)

    def cells(self, group: str) -> list[Cell]:
        """Return the cells of a group; of alignments one for each table."""
        if self.xtreme and group != MAIN:
            return self.xtreme.cells(group)
        return [
            Cell(
                NAME, table, one.system, "word_alignment", *pair_languages(one.pair), one.seed,
                self.stage.score_file(one), METRICS, conditions=_conditions(one),
            )
            for one in self.alignments()
            for table in self.tables_of(one)
        ]  # fmt: skip

    def stages(self) -> tuple[Callable[[Workflow], None], ...]:
        """Return the check of encoders."""
        return (runs.check_encoders,)

    def check(self) -> None:
        """Raise ConfigError when the section names unusable data, an unusable encoder or task."""
        self._check_gold()
        if self.compared:
            self._check_compared()
        if self.xtreme:
            self.xtreme.check()

    def _check_gold(self) -> None:
        if not self.gold:
            raise ConfigError(
                f"{NAME}.gold: neither a data sheet nor `pairs` gives a gold alignment; add one, or leave {NAME} out"
                " of `papers`"
            )
        if len({pair_languages(pair) for pair in self.gold}) < len(self.gold):
            raise ConfigError(
                f"{NAME}.gold: two gold sets of one language pair; tables have one column a pair"
            )
        for pair, names in self.section.training.items():
            key = f"{NAME}.training.{pair}"
            for name in names:
                if set(pair_languages(name)) != set(pair_languages(pair)):
                    raise ConfigError(f"{key}: {name!r} has other languages")

    def _check_compared(self) -> None:
        key, members = f"{NAME}.encoders", self.members
        check_defined(key, members.values(), runs.members(self.w), "encoders.multilingual.members")
        for name, one in self.compared.items():
            runs.check_layers(self.w, f"{key}.{name}.layer", members[name], [one.layer])
            runs.check_layers(self.w, f"{key}.{name}.layers", members[name], one.layers)
        on_vectors = self.aligners_of("vectors")
        check_defined(f"{NAME}.figure2", self.section.figure2, on_vectors, "the aligners that read vectors")
        runs.check_bitext(self.w, key, members.values())

    def unread(self) -> Collection[str]:
        """Return `xtreme` where a scale has no data of its tasks."""
        return () if self.xtreme else ("xtreme",)

    def groups(self) -> list[str]:
        """Return the groups of cells."""
        return [MAIN, *(self.xtreme.groups() if self.xtreme else [])]

    def encoder_runs(self) -> dict[int, int]:
        """Return which training of the encoders the run of each seed of XTREME reads."""
        return self.xtreme.encoder_runs() if self.xtreme else {}

    def fine_tunings(self) -> dict[str, list[Tuning]]:
        """Return the fine-tunings of XTREME."""
        return self.xtreme.fine_tunings if self.xtreme else {}

    def exports(self) -> dict[str, list[dict[str, str]]]:
        """Return the exports for XTREME's own evaluation, in the group of its name."""
        return {XTREME: self.xtreme.exported()} if self.xtreme else {}

    def tables(self) -> dict[str, TableRequest]:
        """Return the tables."""
        others = [f"{name}: {member}." for name, member in self.members.items() if name != member]
        note = " ".join([*others, runs.multilingual_origins(self.w, self.members.values())])
        return {"table2": TableRequest(note=note)} | (self.xtreme.tables() if self.xtreme else {})

    def drawings(self) -> dict[str, Drawing]:
        """Return figure 2, which needs an encoder, a sentence pair of every gold alignment, and XTREME's heat map."""
        found = {}
        if self.compared:
            told = f"Scale {self.w.scale}, {self.section.figure2}; band: deviation over seeds."
            rows = {"rows": [rows_file(self.w, NAME, MAIN)]}
            found["figure2"] = Drawing("figure2", rows, {"caption": told})
        if self.compared or self.aligners_of("text"):
            found |= {f"grid_{pair}": self._grid(pair) for pair in self.gold}
        return found | (self.xtreme.drawings() if self.xtreme else {})

    def _grid(self, pair: str) -> Drawing:
        """Return a sentence pair, aligned by XLM-Align or the last encoder, or else by the first aligner on text."""
        aligner, line = self.section.figure2, self.section.example
        inputs: dict[str, list[str]] = {side: [path] for side, path in self.stage.gold_text(pair).items()}
        settings = {"line": line, "languages": list(pair_languages(pair))}
        if self.compared:
            name = NAME if NAME in self.compared else list(self.compared)[-1]
            inputs["encoder"] = [self.stage.trained(name, self.w.encoder_seeds[0])]
            settings |= {"aligner": aligner, "layer": self.compared[name].layer}
            settings["aligner_settings"] = self.stage.aligners[aligner].settings or {}
            system = f"{aligner}+{name}"
        else:
            first = self.alignments_of(pair)[0]
            inputs["links"], system = [self.stage.links_file(first)], first.system
        caption = f"Scale {self.w.scale}, {pair}, line {line}: {system}"
        return Drawing("grid", inputs, settings | {"caption": caption})


def _conditions(one: Alignment) -> dict[str, str]:
    if one.layer is not None:
        return {"layer": str(one.layer)}
    return {} if one.space or one.seeded else {"reads": "text"}


PAPER = XlmAlign
