"""Jobs of word alignment: gold sets, which papers ask for by `alignments() -> [Alignment, ...]`, and bitext."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from crosslingua.word_aligners import ALIGNERS
from crosslingua.workflow.encoders import encoder_folder
from crosslingua.workflow.jobs import In, Job
from crosslingua.workflow.labelled import side_of
from crosslingua.workflow.sources import present
from crosslingua.workflow.vectors import SIDES, all_systems
from crosslingua.workflow.workflow import LexiconPair, Workflow, pair_languages, settings_words

GOLD = "gold_alignment"


@dataclass(frozen=True)
class Alignment:
    """One alignment of a gold set. `space`: the encoder or static vectors ("": an aligner on text); `layer` is an
    encoder's.

    `seed` is the training run of the space, or of a `seeded` aligner on text; `member` is the encoder that stands for
    the space. `vectors` is the language pair of static vectors, `training` the bitext that an aligner on text also
    trains on; both may be reversed.
    """

    pair: str
    aligner: str
    seed: int
    space: str = ""
    layer: int | None = None
    vectors: LexiconPair | None = None
    training: tuple[str, ...] = ()
    member: str = ""
    seeded: bool = False

    @property
    def system(self) -> str:
        """The system's name in tables."""
        return f"{self.aligner}+{self.space}" if self.space else self.aligner

    @property
    def stem(self) -> str:
        """The name of its scores, without a suffix."""
        layer = "" if self.layer is None else f".layer{self.layer}"
        return f"{self.system}{layer}.seed{self.seed}" if self.space or self.seeded else self.aligner


def bitext_links(w: Workflow, name: str) -> str:
    """Return the links of a bitext."""
    return f"{w.results}/word_alignment/bitext/{name}.links"


class WordAlignment:
    """The alignments of gold sets and bitext, with their files. Open it with `Workflow.stage`."""

    def __init__(self, w: Workflow):
        self.w, self.section = w, w.config.word_alignment
        self.aligners = present(self.section.aligners)

    @cached_property
    def alignments(self) -> list[Alignment]:
        """All alignments that papers ask for, in the order of their tables."""
        return self.w.of_papers(lambda paper: paper.alignments())

    @cached_property
    def gold_sets(self) -> list[str]:
        """The gold sets that are aligned."""
        return list(dict.fromkeys(one.pair for one in self.alignments))

    def links_file(self, one: Alignment) -> In:
        """Return the links of an alignment. One job has all that read the same vectors, or the same encoder."""
        folder = f"{self.w.results}/word_alignment/links/{one.system if one.space else one.stem}"
        if not one.space:
            return In(f"{folder}/{one.pair}.links")
        if one.layer is None:
            return In(f"{folder}/{one.pair}.seed{one.seed}.links", folder)
        folder = f"{folder}/seed{self._run(one)}"
        return In(f"{folder}/{one.pair}.layer{one.layer}.links", folder)

    def score_file(self, one: Alignment) -> In:
        """Return the scores of an alignment."""
        of_pair = f"{self.w.results}/word_alignment/scores/{one.pair}"
        return In(f"{of_pair}/{one.stem}.json", of_pair)

    def gold_text(self, pair: str) -> dict[str, In]:
        """Return the texts and links of a gold set."""
        return self._sides(GOLD, pair) | {"gold": In(f"{self.w.corpora}/{GOLD}/{pair}.links")}

    def trained(self, encoder: str, seed: int | str) -> str:
        """Return the folder of a training run of what stands for an encoder."""
        return encoder_folder(self.w, self._members[encoder], seed)

    @cached_property
    def _members(self) -> dict[str, str]:
        """The member that stands for each encoder."""
        return {one.space: one.member for one in self.alignments if one.member}

    def _run(self, one: Alignment) -> int:
        """Return the first seed with the encoder of an alignment: a published encoder is the same for all seeds."""
        own = self.trained(one.space, one.seed)
        return next(seed for seed in self.w.encoder_seeds if self.trained(one.space, seed) == own)

    def jobs(self) -> Iterator[Job]:
        """Yield the jobs of gold sets on text, on vectors and on encoders, of their scores, and of bitext."""
        together: dict[str, list[Alignment]] = {}
        for one in self.alignments:
            if one.space:
                if one.layer is not None and self._run(one) != one.seed:
                    continue
                run = "" if one.layer is None else f".seed{one.seed}"
                together.setdefault(f"{one.system}{run}", []).append(one)
            else:
                yield self._by_text(one)
        for name, alignments in together.items():
            job = self._by_vectors if alignments[0].layer is None else self._by_encoder
            yield job(f"word_align/{name}", alignments)
        yield from map(self._scoring, self.gold_sets)
        for name in self.w.sources.sets["bitext"]:
            chosen = self.section.bitext
            options = self._aligner(chosen.aligner, chosen.settings) | self._sides("bitext", name)
            options["languages"] = list(pair_languages(name))
            yield self._job(f"align_bitext/{name}", options, (), bitext_links(self.w, name))

    def _job(
        self, name: str, options: Mapping[str, Any], lines: Sequence[Mapping[str, Any]] = (), *made: str
    ) -> Job:
        return Job("word_align.py", name, lines, options, [ALIGNERS.module(options["aligner"])], makes=made)

    def _aligner(
        self, aligner: str, settings: Mapping[str, Any] | None, *, lowercase: bool = True
    ) -> dict[str, Any]:
        """Return the options of an aligner. Encoders read words as they are, other aligners as vectors' text."""
        lowercase = lowercase and self.w.config.text.lowercase
        return {"aligner": aligner, "set": settings_words(settings), "lowercase": lowercase}

    def _sides(self, task: str, pair: str) -> dict[str, Any]:
        return {name: In(side_of(self.w, task, pair, side)) for side, name in enumerate(SIDES)}

    def _by_text(self, one: Alignment) -> Job:
        settings = dict(self.aligners[one.aligner].settings or {})
        options = self._sides(GOLD, one.pair)
        options |= self._aligner(one.aligner, settings | ({"seed": one.seed} if one.seeded else {}))
        options["languages"] = list(pair_languages(one.pair))
        for side, name in enumerate(SIDES):
            places = [(text, _of_side(pair_languages(text), one.pair, side)) for text in one.training]
            options[f"training_{name}"] = [
                In(side_of(self.w, "bitext", text, place)) for text, place in places
            ]
        return self._job(f"word_align/{one.stem}/{one.pair}", options, (), str(self.links_file(one)))

    def _by_vectors(self, name: str, alignments: Sequence[Alignment]) -> Job:
        aligner, lines = alignments[0].aligner, []
        for one, pair in [(one, one.vectors) for one in alignments if one.vectors]:
            line = self._sides(GOLD, one.pair) | {"languages": list(pair_languages(one.pair))}
            for place, side in enumerate(SIDES):
                there = SIDES[_of_side((pair.source, pair.target), one.pair, place)]
                vectors = all_systems(self.w)[one.space].final(pair, one.seed, f"{there}.vec")
                line[f"{side}_vectors"] = In(vectors)
            lines.append({**line, "out": str(self.links_file(one))})
        return self._job(name, self._aligner(aligner, self.aligners[aligner].settings), lines)

    def _by_encoder(self, name: str, alignments: Sequence[Alignment]) -> Job:
        aligner, lines = alignments[0].aligner, []
        encoder = In(self.trained(alignments[0].space, alignments[0].seed))
        for pair in self.gold_sets:
            layers = {one.layer: str(self.links_file(one)) for one in alignments if one.pair == pair}
            read = {"encoder": encoder, "languages": list(pair_languages(pair))}
            files = {"layer": list(layers), "out": list(layers.values())}
            lines.append(self._sides(GOLD, pair) | read | files)
        options = self._aligner(aligner, self.aligners[aligner].settings, lowercase=False)
        return self._job(name, options | self.w.on_gpu, lines)

    def _scoring(self, pair: str) -> Job:
        lines = [
            {**self.gold_text(pair), "hypothesis": self.links_file(one), "out": str(self.score_file(one))}
            for one in self.alignments
            if one.pair == pair
        ]
        options = {"bootstrap_samples": self.section.bootstrap_samples}
        return Job("score_alignment.py", f"score_alignment/{pair}", lines, options)


def _of_side(languages: tuple[str, str], pair: str, side: int) -> int:
    """Return where a side of a gold set stands in a pair of the same languages, which may run the other way."""
    return side if languages == pair_languages(pair) else 1 - side
