"""What table 3 asks for: named entities, trained in a pair's source language and tested in its target (zero-shot).

Static vectors come from systems of table 1. Encoders of several languages stand in for mBERT and XLM. If `vector_rate`
is above 0, static vectors are tuned with the tagger, as in Lample et al. 2016. `frozen` also reads the vectors of these
systems without tuning. Controls stand beside the systems. `majority` is the most frequent label. `random_vectors`
differ by word and language; `same_spelling` has random vectors that a spelling has in both languages. `target_language`
is trained on data of the target language.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest

from crosslingua.cells import Cell
from crosslingua.errors import ConfigError, given
from crosslingua.evidence.participation import SOURCE, UPPER
from crosslingua.papers import shared
from crosslingua.papers.joint_align.section import Table3
from crosslingua.papers.joint_align.tables import FROZEN
from crosslingua.papers.shared import MAJORITY, RANDOM, WordReader, Words, grouped, sentences
from crosslingua.workflow import vectors
from crosslingua.workflow.encoder_alignment import AlignedEncoder
from crosslingua.workflow.fine_tuning import Prediction, Tuning, score_file
from crosslingua.workflow.jobs import In
from crosslingua.workflow.results import MAIN, TableRequest, trained_on
from crosslingua.workflow.runs import members, multilingual_origins
from crosslingua.workflow.sources import present
from crosslingua.workflow.tagging import EmbeddedSet, Embedding, Mixture, TaggerRun
from crosslingua.workflow.vectors import all_systems
from crosslingua.workflow.workflow import LexiconPair, Workflow, in_turn

NAME, TABLE, TASK = "joint_align", "table3", "ner"
NER = "ner"  # the group of the table
FEATURE, ALIGNED = "mbert_feature", "mbert_feature_align"
CONTROLS = {RANDOM: {}, "same_spelling": {"share_spellings": True}}
STATIC, CONTEXTUAL = "static", "contextual"  # jobs
Pairs = tuple[LexiconPair, ...]
METRICS = ("f1", "f1_conll", "precision", "recall", "shortcut_f1")


@dataclass(frozen=True)
class Labelled:
    """A system's tagger for pairs, all of one source."""

    system: str
    pairs: Pairs
    tagger: TaggerRun


class Entities(WordReader):
    """Table 3."""

    def __init__(self, w: Workflow, section: Table3):
        self.w, self.section = w, section
        # Of taggers and of fine-tuned encoders; the vectors and encoders that they read take turns.
        self.seeds = section.seeds or w.seeds
        # A system of table 1 may be taken out; one that never was there is an error (`check`).
        taken_out = w.vectors.systems.keys() - all_systems(w).keys()
        read = present(section.vectors).items()
        self.vectors = {name: system for name, system in read if system not in taken_out}
        self.fine_tuned = present(section.fine_tuned or {})
        # The encoders of features and of fine-tuning.
        self.encoders = [name for name in (section.features, *self.fine_tuned.values()) if name]

    def check(self) -> None:
        """Raise ConfigError when the section gives two systems one name."""
        key = f"{NAME}.table3"
        self._check_vectors(f"{key}.vectors")
        whole = list(self.fine_tuned.values())
        if twice := sorted({name for name in whole if whole.count(name) > 1}):
            raise ConfigError(f"{key}.fine_tuned: {', '.join(twice)} under two names")

    def _check_vectors(self, key: str) -> None:
        if taken := sorted(self.vectors.keys() & {UPPER, MAJORITY}):
            raise ConfigError(f"{key}: {taken[0]} is the name of a control: give the system another")
        if twice := sorted(name for name in self.vectors if name + FROZEN in self.vectors):
            raise ConfigError(f"{key}: {twice[0]}{FROZEN} is the name of the frozen vectors of {twice[0]}")

    @cached_property
    def pairs(self) -> list[LexiconPair]:
        """The pairs whose languages have named entities to train and select on, and to test on.

        A pair with several dictionaries is there once, with the first.
        """
        every = grouped(self.w.lexicon_pairs.values(), lambda pair: (pair.source, pair.target))
        return [
            pair
            for (source, target), (pair, *_) in every.items()
            if self._has(source, "train", "valid") and self._has(target, "test")
        ]

    def _has(self, name: str, *splits: str) -> bool:
        sources = self.w.sources
        return name in sources.sets[TASK] and set(splits) <= set(sources.splits(TASK, name))

    @cached_property
    def labelled(self) -> list[Labelled]:
        """The taggers of table 3, in its order of systems."""
        every = self.pairs
        by_source = [tuple(same) for same in grouped(every, lambda pair: pair.source).values()]
        found = [self._control(name, same) for same in by_source for name in (MAJORITY, *CONTROLS)]
        found += [
            self._static(name, system, pair, frozen)
            for frozen in ((False, True) if self.section.frozen else (False,))
            for name, system in self.vectors.items()
            for pair in every
            if system in vectors.systems_of(self.w, pair)
        ]
        if self.section.features:
            found += [self._features(same) for same in by_source]
            found += [self._rotated(pair, way) for pair, way in self.rotations.items()]
        return found + [self._upper(pair) for pair in every if self._has(pair.target, "train", "valid")]

    def _tagged(
        self, system: str, of: Pairs, place: str, job: str, sides: Sequence[Words], frozen: bool = False
    ) -> Labelled:
        """Return a system's tagger for pairs of one source; over static vectors it has other settings (section 4.2)."""
        section, first = self.section, of[0]
        settings = dict(section.tagger or {}) | dict((section.static_tagger or {}) if job == STATIC else {})
        settings |= {"vector_rate": 0} if frozen else {}
        source, target = sides
        train = EmbeddedSet(first.target if system == UPPER else first.source, source, section.share)
        test = [EmbeddedSet(pair.target, target) for pair in of]
        if system != UPPER and self._has(first.source, "test"):
            test.append(EmbeddedSet(first.source, source))  # where a system must beat its controls
        member, name = MAJORITY if system == MAJORITY else "bilstm_crf", f"{system}/{place}"
        tagger = shared.tagger_run(name, job, TASK, member, train, test, settings, self.seeds)
        return Labelled(system, of, tagger)

    def _control(self, name: str, of_source: Pairs) -> Labelled:
        own, dimension = CONTROLS.get(name, {}), self.w.config.word_embeddings["dim"]
        read = RANDOM if name == MAJORITY else name  # it reads no vector: those of another control will do
        words = tuple(
            Embedding(f"{read}.seed{seed}", RANDOM, {"dimension": dimension, "seed": seed, **own})
            for seed in self.seeds
        )
        return self._tagged(name, of_source, of_source[0].source, STATIC, (words, words))

    def _static(self, name: str, system: str, pair: LexiconPair, frozen: bool) -> Labelled:
        sides = [self.mapped_vectors(system, system, pair, one) for one in vectors.SIDES]
        return self._tagged(name + FROZEN * frozen, (pair,), pair.name, STATIC, sides, frozen)

    def _features(self, of_source: Pairs) -> Labelled:
        plain = self.layers(given(self.section.features))
        return self._tagged(FEATURE, of_source, of_source[0].source, CONTEXTUAL, (plain, plain))

    def _aligned(self, pair: LexiconPair) -> AlignedEncoder:
        """Return the rotation of section 3.2: one for each layer, by words that are linked in parallel text."""
        return AlignedEncoder(given(self.section.features), "rotate_parallel", pair.source, pair.target)

    @cached_property
    def rotations(self) -> dict[LexiconPair, AlignedEncoder]:
        """The rotations that can be made, by pair."""
        every = {pair: self._aligned(pair) for pair in self.pairs if self.section.features}
        return {pair: one for pair, one in every.items() if not self.alignment.missing(one)}

    def _rotated(self, pair: LexiconPair, way: AlignedEncoder) -> Labelled:
        """Return the tagger on the source's words, brought to the target's space as mbert_align does."""
        rotated = self.layers(way.encoder, f"{way.encoder}.{way.pair}", way)
        plain = self.layers(way.encoder)
        return self._tagged(ALIGNED, (pair,), pair.target, CONTEXTUAL, (rotated, plain))

    def _upper(self, pair: LexiconPair) -> Labelled:
        """Return the upper line: independent vectors of the target language, and its own training data."""
        folder = vectors.embeddings_folder(self.w)
        words = shared.embeddings(
            f"independent.{pair.target}", "static_vectors", in_turn(self.w.seeds, self.seeds),
            vectors=lambda run: In(f"{folder}/independent/{pair.target}/seed{run}.vec"),
        )  # fmt: skip
        return self._tagged(UPPER, (pair,), pair.target, STATIC, (words, words))

    def taggers(self) -> list[TaggerRun]:
        """Return the taggers on frozen features; an upper line that two pairs have in common is one."""
        return list({one.tagger.name: one.tagger for one in self.labelled}.values())

    @cached_property
    def tuned(self) -> dict[str, Tuning]:
        """The encoders that are tuned whole, by system: on every source, tested on every target."""
        found = {}
        for name, encoder in self.fine_tuned.items():
            if every := self._tuned_pairs(encoder):
                train = tuple(dict.fromkeys((TASK, self._learnt(pair)) for pair in every))
                home = (pair.source for pair in every if self._has(pair.source, "test"))
                test = tuple(
                    dict.fromkeys((TASK, name) for name in (*(pair.target for pair in every), *home))
                )
                settings = {TASK: self.section.fine_tuning or {}}
                runs = tuple(in_turn(self.w.tagged_encoder_seeds, self.seeds))
                found[name] = Tuning(encoder, train, test, settings, seeds=tuple(self.seeds), runs=runs)
        return found

    def _tuned_pairs(self, encoder: str) -> list[LexiconPair]:
        """Return the pairs whose languages an encoder knows; language ids limit an encoder's languages."""
        known = members(self.w)[encoder].languages
        return [pair for pair in self.pairs if known is None or {pair.source, pair.target} <= set(known)]

    def _learnt(self, pair: LexiconPair) -> str:
        """Return the training set of encoders: the source's set, or the share of it that taggers learn from."""
        return pair.source if self.section.share == 1 else f"{NAME}_{pair.source}"

    def mixtures(self) -> list[Mixture]:
        """Return the sets of a share."""
        share, names = self.section.share, {pair.source: self._learnt(pair) for pair in self.pairs}
        if not self.tuned or share == 1:
            return []
        return [Mixture(TASK, name, ((source, share),), lowercase=False) for source, name in names.items()]

    def cells(self) -> list[Cell]:
        """Return a cell for every system, seed and pair."""
        found = [
            self._cell(one.system, pair, seed, one.tagger.score(trained, tested), table)
            for one in self.labelled
            for pair in one.pairs
            for table, tested in self._tested(pair)
            if tested in {part.name for part in one.tagger.test}
            # Controls without a seed belong to the first seed.
            for seed, trained in zip_longest(self.seeds, one.tagger.seeds, fillvalue=one.tagger.seeds[0])
        ]
        found += [
            self._cell(name, pair, seed, Prediction(encoder, seed, TASK, self._learnt(pair), tested).score, table)
            for name, encoder in self.fine_tuned.items()
            for pair in self._tuned_pairs(encoder)
            for table, tested in self._tested(pair)
            for seed in self.seeds
        ]  # fmt: skip
        # The lower line and controls, the paper's systems, the upper line.
        named = (*self.vectors, *(name + FROZEN for name in self.vectors), *self.fine_tuned)
        order = [MAJORITY, *CONTROLS, *named, FEATURE, ALIGNED, UPPER]
        return sorted(found, key=lambda cell: order.index(cell.system))

    def _tested(self, pair: LexiconPair) -> list[tuple[str, str]]:
        """Return the table and test set of a tagger's scores: in the target language, and in that of training."""
        return [(TABLE, pair.target), *([(SOURCE, pair.source)] if self._has(pair.source, "test") else [])]

    def _cell(self, system: str, pair: LexiconPair, seed: int, score: str, table: str) -> Cell:
        path = score_file(self.w, NAME, MAIN, score)
        return Cell(NAME, table, system, TASK, pair.source, pair.target, seed, path, METRICS)

    def request(self) -> TableRequest:
        """Return table 3's note on this scale: the encoders' training, and missing systems."""
        section, origin = self.section, multilingual_origins(self.w, dict.fromkeys(self.encoders))
        rate = ((section.tagger or {}) | (section.static_tagger or {})).get("vector_rate", 0)
        tuned = f"are tuned with the tagger (rate {rate:g})" if rate else "stay frozen"
        way = f"Static vectors {tuned}."
        return TableRequest((NER,), sentences(way, origin, trained_on(section.share), *self._reasons()))

    def _reasons(self) -> Iterator[str]:
        for pair in self.pairs:
            if not self._has(pair.target, "train", "valid"):
                page = "docs/papers/joint_align.md"
                yield f"No {UPPER} for {pair.target}: its set has no data to train and select on ({page})."
            known, between = vectors.systems_of(self.w, pair), f"{pair.source}-{pair.target}"
            if lacking := [name for name, system in self.vectors.items() if system not in known]:
                yield f"No {', '.join(lacking)} for {between}: no dictionary."
            if self.section.features and (reason := self.alignment.missing(self._aligned(pair))):
                yield f"No {ALIGNED} for {between}: {reason}."
            for name, encoder in self.fine_tuned.items():
                if pair not in self._tuned_pairs(encoder):
                    yield f"No {name} for {between}: {encoder} has not been trained on both languages."
