"""What competes beside the systems of the workflow: the asker's own vectors, an encoder's, and the lexicon of aligned
words.

They answer the held-out words by the rules of the workflow's systems, in one run, which stands beside each of theirs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from crosslingua.atlas.cards import ALIGNED, BOTH, JOINT, JOINT_MAPPED
from crosslingua.cells import read_cells, read_plan
from crosslingua.errors import ConfigError
from crosslingua.io.bitext import read_dictionary
from crosslingua.io.decode import lowercase
from crosslingua.io.vectors import WordVectors, read_vectors, write_vectors
from crosslingua.lexicon_induction import bli
from crosslingua.lexicon_induction.bli import Predictions, gold_translations
from crosslingua.mappers.mapper import build
from crosslingua.mappers.refinement import refine
from crosslingua.papers.joint_align.answer import UNLIKE, answer
from crosslingua.papers.joint_align.claims import TABLES, leading_rule, precision
from crosslingua.two_texts.parallel import AlignedText
from crosslingua.two_texts.question import PairToAsk

OWN, ENCODER, LINKED = "own vectors", "encoder", "word alignment"  # strategies
DESCRIBED = {
    ALIGNED: "Aligned: vectors trained apart, then mapped.",
    JOINT: "Joint: trained on both texts together.",
    JOINT_MAPPED: "Joint then mapped: trained together, then mapped.",
    BOTH: "Both: trained together, shared words divided again, then mapped.",
    OWN: "Own vectors: yours, mapped by the dictionary.",
    ENCODER: "Encoder: its vectors of single words, as they are or mapped by the dictionary.",
    LINKED: "Word alignment: the words that are linked in parallel text most often, which has no vectors.",
}
PREFIXES = {OWN: "own", ENCODER: "encoder"}  # of systems and folders
GIBBS = "gibbs"  # the system of word alignment
MAPPERS = ("procrustes", "rcsls", "geomm")  # those of "aligned"
UNMAPPED = "unmapped"  # vectors of one space as they are
MOST_WORDS = 200_000  # of a file of vectors
PLAN = ("cells", "inputs", "runs", "planned", "strategies", "stand_ins", "settings")


@dataclass(frozen=True)
class Competitor:
    """A system with its strategy: its answers to the words of a dictionary, and its mapped vectors, if it has any."""

    system: str
    strategy: str
    predict: Callable[[dict[str, set[str]]], Predictions]
    write_vectors: Callable[[], tuple[Path, Path]] | None = None


@dataclass(frozen=True)
class MappedVectors:
    """Word vectors of both languages, mapped by the training part of the dictionary, if `mapper` is not UNMAPPED."""

    question: PairToAsk
    strategy: str
    mapper: str
    source: WordVectors
    target: WordVectors

    @cached_property
    def space(self) -> tuple[WordVectors, WordVectors]:
        """Both languages' vectors in one space. Raises ConfigError where the dictionary knows none of their words."""
        if self.mapper == UNMAPPED:
            return self.source, self.target
        pairs = read_dictionary(self.question.given[0])
        mapped = refine(build(self.mapper), self.source, self.target, pairs, seed=0)
        return mapped.source, mapped.target

    def predict(self, gold: dict[str, set[str]]) -> Predictions:
        """Return the first candidate of each word by CSLS."""
        pairs = [(word, other) for word, others in gold.items() for other in sorted(others)]
        return bli.predict(*self.space, pairs, top=1)

    def write(self) -> tuple[Path, Path]:
        """Write the mapped vectors, and return the files."""
        folder = self.question.folder / f"{PREFIXES[self.strategy]}_vectors"
        first, second = (folder / f"{self.mapper}.{side}.vec" for side in ("source", "target"))
        write_vectors(first, self.space[0])
        write_vectors(second, self.space[1])
        return first, second

    def competitor(self) -> Competitor:
        """Return the vectors as a competitor."""
        name = f"{PREFIXES[self.strategy]}_{self.mapper}"
        return Competitor(name, self.strategy, self.predict, self.write)


def with_vectors(question: PairToAsk) -> list[Competitor]:
    """Return the competitors of the asker's vectors, and of an encoder's, where there are such. An encoder has one
    space for all languages, so its vectors compete unmapped, too.
    """
    given = {OWN: (question.vectors, MAPPERS)}
    given[ENCODER] = (question.encoder_words if question.encoder else None, (UNMAPPED, *MAPPERS))
    found = []
    for strategy, (paths, mappers) in given.items():
        if paths:
            sides = [
                lowered(read_vectors(path, MOST_WORDS, drop_zero=True), language)
                for path, language in zip(paths, question.languages, strict=True)
            ]
            found += [MappedVectors(question, strategy, name, *sides).competitor() for name in mappers]
    return found


def lowered(vectors: WordVectors, language: str) -> WordVectors:
    """Return vectors of words in lower case, as texts and dictionaries are; of words that become one the first."""
    rows: dict[str, int] = {}
    for row, word in enumerate(vectors.words):
        rows.setdefault(lowercase(word, language), row)
    return WordVectors([*rows], vectors.matrix[[*rows.values()]])


def linked_words(text: AlignedText) -> Competitor:
    """Return the lexicon of aligned words as a competitor."""
    return Competitor(GIBBS, LINKED, text.predictions)


def answer_with(question: PairToAsk, competitors: Sequence[Competitor]) -> tuple[dict[str, Any], list[str]]:
    """Return the answer of a finished run (`joint_align.answer`) in which competitors take part, and a sentence on each
    that knows no word of the dictionary.
    """
    plan = read_plan(question.folder / "plans/claims/joint_align.json", PLAN)
    cells = [cell for path in plan["cells"] for cell in read_cells(path)]
    pairs, evidence = read_dictionary(question.prepared), {}
    found, left_out = dict[str, Predictions](), list[str]()
    for one in competitors:
        try:
            found[one.system] = one.predict(gold_translations(pairs))
            bli.score(found[one.system], pairs, samples=1)
        except ConfigError as error:
            found.pop(one.system, None)
            left_out.append(f"“{one.strategy}” ({one.system}) does not compete: {error}.")
    for words, table in TABLES.items():
        own = [cell for cell in cells if cell.table == table]
        of, rule = precision(own), leading_rule(own)
        for pair, systems in list(of.values.items()):
            seeds = {seed for runs in systems.values() for seed in runs}
            for name, predicted in found.items():
                scored = bli.score(predicted, pairs, rule, drop_identical=words == UNLIKE, samples=1)
                ranks = scored["ranks"].items()
                values = {(question.languages[0], word): 100.0 * (rank == 1) for word, rank in ranks}
                for seed in seeds:
                    of.add(pair, name, seed, values)
        evidence["precision", words] = of
    unsupervised = sorted({cell.system for cell in cells if cell.conditions.get("supervision") == "none"})
    strategies = {**plan["strategies"], **{one.system: one.strategy for one in competitors}}
    return answer(evidence, unsupervised, strategies), left_out
