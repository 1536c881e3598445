"""The experiments of mbert_align: an encoder, aligned in six ways for each pair, and taggers on its layers.

A tagger is trained on the source's words, mapped to the target's space, and tested on the target's (zero-shot).
Controls are `majority`, `random_vectors`, and `target_language`, trained on the target's data.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product

from crosslingua.cells import Cell
from crosslingua.errors import ConfigError
from crosslingua.evidence.participation import SOURCE, UPPER
from crosslingua.papers import shared
from crosslingua.papers.mbert_align.section import MbertAlignSection
from crosslingua.papers.mbert_align.tables import label
from crosslingua.papers.shared import MAJORITY, RANDOM, WordReader, Words, grouped, sentences
from crosslingua.places import suite
from crosslingua.tasks.kinds import KINDS, SPANS
from crosslingua.workflow.encoder_alignment import WAYS, AlignedEncoder
from crosslingua.workflow.encoders import runs_read
from crosslingua.workflow.fine_tuning import score_file
from crosslingua.workflow.labelled import by_name, check_sets, chosen, transferred
from crosslingua.workflow.paper import Paper
from crosslingua.workflow.results import MAIN, Drawing, TableRequest, rows_file, trained_on
from crosslingua.workflow.runs import check_encoders, languages, members, multilingual_origins
from crosslingua.workflow.sources import WORLD, present
from crosslingua.workflow.tagging import EmbeddedSet, TaggerRun
from crosslingua.workflow.workflow import Workflow, in_turn

NAME, BASELINE = "mbert_align", "mbert"


@dataclass(frozen=True)
class Transfer:
    """A task, the training set and a test set of taggers, and the languages of both."""

    task: str
    trained: str
    tested: str
    source: str
    target: str

    @property
    def job(self) -> str:
        """The job that trains the taggers, one for all targets of a source set."""
        return f"{self.task}.{self.trained}"

    @property
    def column(self) -> str:
        """The column of the table."""
        return label(self.task, self.tested)


# The columns of the paper's table 3; a scale with some of them explains why others are missing.
PUBLISHED = {
    "ner": ("de", "nl", "es", "hy"),
    "slots": ("hi_atis", "tr_atis", "es_facebook", "th_facebook", "it_snips"),
}


SEPARATED = "rotate_parallel"  # whose report tells how far apart the centroids of languages are


class MbertAlign(Paper[MbertAlignSection], WordReader):
    """Table 3 and figure 2."""

    name = NAME

    def __init__(self, w: Workflow):
        super().__init__(w)
        self.seeds = self.section.seeds or w.seeds  # of taggers

    @cached_property
    def transfers(self) -> list[Transfer]:
        """The transfers, in the order of the configuration."""
        return [
            Transfer(
                task, trained, tested, *(self.w.sources.language(task, name) for name in (trained, tested))
            )
            for task, trained, targets in self._named
            for tested in chosen(targets, transferred(self.w, task, trained))
        ]

    @cached_property
    def _named(self) -> list[tuple[str, str, list[str] | int | None]]:
        """(task, training set, test sets) as configured."""
        return [
            (task, self.w.of_source(name), targets)
            for task, sets in present(self.section.transfer).items()
            for name, targets in sets.items()
        ]

    def aligned(self, one: Transfer, system: str) -> AlignedEncoder:
        """Return the aligned encoder of a system."""
        return AlignedEncoder(self.section.encoder, system, one.source, one.target)

    @cached_property
    def ways(self) -> list[AlignedEncoder]:
        """The aligned encoder of every transfer and way."""
        return [self.aligned(one, system) for one in self.transfers for system in WAYS]

    def aligned_encoders(self) -> list[AlignedEncoder]:
        """Return the aligned encoders that can be made, without repeats."""
        return [way for way in dict.fromkeys(self.ways) if not self.alignment.missing(way)]

    def has_training(self, one: Transfer) -> bool:
        """Whether the target has data of its own to train and select on."""
        return {"train", "valid"} <= set(self.w.sources.splits(one.task, one.tested))

    def stages(self) -> tuple[Callable[[Workflow], None], ...]:
        """Return the check of encoders."""
        return (check_encoders,)

    def check(self) -> None:
        """Raise ConfigError when the section names an unknown or unusable set."""
        for task, trained, targets in self._named:
            if isinstance(targets, list):
                check_sets(self.w, f"{NAME}.transfer.{task}.{trained}", task, [trained, *by_name(targets)])
        for one in self.transfers:
            key = f"{NAME}.transfer.{one.task}.{one.trained}"
            if one.source == one.target:
                told = f"{one.tested} is of {one.source}, the language of training"
                raise ConfigError(f"{key}: {told}: name a set of another")
            for name, wanted in ((one.trained, ("train", "valid")), (one.tested, ("test",))):
                splits = self.w.sources.splits(one.task, name)
                if lacking := [split for split in wanted if split not in splits]:
                    raise ConfigError(f"{key}: the set {name!r} has no {' and no '.join(lacking)} data")
        if not self.transfers:
            raise ConfigError(
                f"{NAME}.transfer: names nothing that there are data of{self._unpaired()}; name sets of a data sheet,"
                f" as ner: {{en: [de]}}, or leave {NAME} out of `papers`"
            )

    def _unpaired(self) -> str:
        """Return the training languages that begin no pair, for which `pairs` give no target."""
        every = self._named
        named = [
            self.w.sources.language(task, one) for task, one, _ in every if one in self.w.sources.sets[task]
        ]
        lacking = dict.fromkeys(one for one in named if one not in {source for source, _ in self.w.pairs})
        return f" (no pair of `pairs` begins with {', '.join(lacking)})" if lacking else ""

    def tables(self) -> dict[str, TableRequest]:
        """Return table 3, with the origin of its encoder and the reasons for empty cells."""
        origin = multilingual_origins(self.w, [self.section.encoder])
        return {
            "table3": TableRequest(note=sentences(origin, trained_on(self.section.share), *self._reasons()))
        }

    def _reasons(self) -> Iterator[str]:
        """Yield the reasons for empty cells: no data to align by, a language that was not read, no upper line."""
        lacking = grouped(self.ways, lambda way: f"{way.pair}: {self.alignment.missing(way)}")
        for reason, without in lacking.items():
            if self.alignment.missing(without[0]):
                yield f"Not run for {reason} ({', '.join(dict.fromkeys(way.system for way in without))})."
        unread = [one.column for one in self.transfers if one.target not in languages(self.w)]
        if unread and not members(self.w)[self.section.encoder].pretrained:
            yield f"The encoder has read no text of the language of {', '.join(unread)}."
        if untrained := [one.column for one in self.transfers if not self.has_training(one)]:
            yield f"No {UPPER} for {', '.join(untrained)}: no data to train and select on."
        yield from self._absent()

    def _absent(self) -> Iterator[str]:
        """Yield the reasons for missing columns of the paper, where the scale has others."""
        had = {(one.task, one.tested) for one in self.transfers}
        columns = [(task, name) for task, names in PUBLISHED.items() for name in names]
        if had & set(columns):
            missing = grouped((column for column in columns if column not in had), self._reason_of)
            for reason, each in missing.items():
                yield f"Empty columns: {', '.join(label(*column) for column in each)}: {reason}."

    def _reason_of(self, column: tuple[str, str]) -> str:
        if column[1] not in self.w.sources.sets[column[0]]:
            return "the data are not at hand"
        is_read = self.w.sources.language(*column) in languages(self.w)
        return "left out by the configuration" if is_read else "no text for the encoder to learn from"

    def drawings(self) -> dict[str, Drawing]:
        """Return figure 2, where two pairs have a distance."""
        transfers, bitext = self.transfers, self.alignment.bitext
        if len({one.target for one in transfers if bitext(one.source, one.target)}) < 2:
            return {}
        caption = f"Scale {self.w.scale}; mean and deviation; number of seeds: {len(self.seeds)}."
        published = [suite(f"reference/{NAME}_{table}.csv") for table in ("table3", "fig2")]
        inputs = {"rows": [rows_file(self.w, NAME, MAIN)], "published": published}
        return {"figure2": Drawing("figure2", inputs, {"caption": caption})}

    def taggers(self) -> dict[str, list[TaggerRun]]:
        """Return the taggers."""
        return {MAIN: [tagger for _, tagger in self._taggers()]}

    def _taggers(self) -> Iterator[tuple[str, TaggerRun]]:
        """Yield each tagger with its system; a tagger on the unmoved source serves all targets."""
        encoder = self.section.encoder
        plain = self.layers(encoder)
        random = shared.embeddings(RANDOM, "random_vectors", self.seeds, seed=int)
        for every in grouped(self.transfers, lambda one: (one.job, repr(self._settings(one)))).values():
            for system, words in ((MAJORITY, plain), (RANDOM, random), (BASELINE, plain)):
                yield system, self._tagger_run(system, every, words, words)
            # A tagger on aligned words serves all sets of a language.
            for same in grouped(every, lambda one: one.target).values():
                for system in WAYS:
                    way = self.aligned(same[0], system)
                    if not self.alignment.missing(way):
                        yield system, self._tagger_run(system, same, *self._moved(way, plain))
            for one in every:
                if self.has_training(one):
                    yield UPPER, self._tagger_run(UPPER, [one], plain, plain)

    def _moved(self, way: AlignedEncoder, plain: Words) -> tuple[Words, Words]:
        """Return the words of source and target by an aligned encoder, which rotates the source or is tuned."""
        name = f"{way.system}.{way.pair}"
        if not way.way.direction:
            return self.layers(way.encoder, name, way), plain
        runs = in_turn(self.w.tagged_encoder_seeds, self.seeds)
        folder = partial(self.alignment.folder, way)
        tuned = self.states(name, runs, encoder=folder)
        return tuned, tuned

    def _tagger_run(self, system: str, every: list[Transfer], source: Words, target: Words) -> TaggerRun:
        """Return the tagger of transfers that have a training set and settings in common, on words of either side."""
        first = every[0]
        trained = first.tested if system == UPPER else first.trained
        name, member = (
            f"{system}/{first.tested}",
            MAJORITY if system == MAJORITY else "bilstm_crf",
        )  # section 4.2
        train = EmbeddedSet(trained, source, self.section.share)
        test = [EmbeddedSet(one.tested, target) for one in every]
        if system != UPPER and "test" in self.w.sources.splits(first.task, trained):
            test.append(EmbeddedSet(trained, source))  # where a system must beat its controls
        settings = self._settings(first)
        return shared.tagger_run(name, first.job, first.task, member, train, test, settings, self.seeds)

    def encoder_runs(self) -> dict[int, int]:
        """Return the encoder's training run for the run of each seed."""
        return runs_read(self.w, [self.section.encoder], self.w.tagged_encoder_seeds, self.seeds)

    def _settings(self, one: Transfer) -> dict[str, object]:
        """Return the settings of a tagger's training for a target language: with intents where both sets have them."""
        section = self.section
        found = dict(section.tagger or {}) | dict((section.tagger_of or {}).get(one.target) or {})
        if not all(self.w.sources.tells_intents(one.task, name) for name in (one.trained, one.tested)):
            found.pop("intents", None)
        return found

    def cells(self, group: str) -> list[Cell]:
        """Return a cell for every tagger, seed and target, then the distance and separation of each pair of a task."""
        by_target = {(one.job, one.tested): one for one in self.transfers}
        found = []
        for system, tagger in self._taggers():
            names = [tested.name for tested in tagger.test]
            for name, seed in product((n for n in names if (tagger.job, n) in by_target), tagger.seeds):
                one = by_target[tagger.job, name]
                found.append(self._cell(system, seed, tagger.score(seed, name), one))
                if one.trained in names:
                    found.append(self._cell(system, seed, tagger.score(seed, one.trained), one, SOURCE))
        order = (MAJORITY, RANDOM, BASELINE, *WAYS, UPPER)
        found.sort(key=lambda cell: order.index(cell.system))
        return found + self._distances() + self._separations()

    def _cell(self, system: str, seed: int, score: str, one: Transfer, table: str = "table3") -> Cell:
        """Return a cell of table 3, or of a tagger's score in the language of training, by its target."""
        if table == SOURCE:
            return Cell(
                NAME, SOURCE, system, one.task, one.trained, one.tested, seed,
                score_file(self.w, NAME, MAIN, score), ("f1", "shortcut_f1"),
            )  # fmt: skip
        own = ["f1_gold_types"] if one.task == "ner" else []
        of_spans = ["f1_conll", "precision", "recall"] if KINDS[one.task].form is SPANS else []
        metrics = ["f1", *of_spans, "shortcut_f1", *own]
        if self._settings(one).get("intents"):
            metrics.append("intent_accuracy" + ("=majority_intent_accuracy" if system == MAJORITY else ""))
        return Cell(
            NAME, "table3", system, one.task, one.trained, one.tested, seed,
            score_file(self.w, NAME, MAIN, score), tuple(metrics), conditions=self._conditions(one),
        )  # fmt: skip

    def _conditions(self, one: Transfer) -> dict[str, str]:
        """Return a mark for slots whose target data are not translations of the source's, unlike the paper's."""
        entry = self.w.sources.sets[one.task][one.tested]
        is_plain = one.task == "slots" and entry["from"] == WORLD and entry.get("variant") != "translated"
        return {"translated": "no"} if is_plain else {}

    def _distances(self) -> list[Cell]:
        return [
            Cell(
                NAME, "fig2", "distance", one.task, one.trained, one.tested, self.seeds[0],
                self.alignment.distance_file(one.source, one.target),
                ("distance", "lexical", "order"),
            )
            for one in self.transfers
            if self.alignment.bitext(one.source, one.target)
        ]  # fmt: skip

    def _separations(self) -> list[Cell]:
        """Return the distance of the centroids of each transfer's languages, before and after rotation."""
        return [
            Cell(
                NAME, "fig2", "separation", one.task, one.trained, one.tested, seed,
                self.alignment.report_file(way, seed), ("separation", "separation_after"),
            )
            for one in self.transfers
            if not self.alignment.missing(way := self.aligned(one, SEPARATED))
            for seed in self.alignment.rotated_runs(way.encoder)
        ]  # fmt: skip


PAPER = MbertAlign
