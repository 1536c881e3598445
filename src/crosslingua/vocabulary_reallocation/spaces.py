"""A joint space as the two languages see it, the owner of each shared word, and the choice of gamma (section 3.1)."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

import numpy as np

from crosslingua.arrays import check_whole, real_array
from crosslingua.errors import ConfigError
from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction import bli, retrieval
from crosslingua.lexicon_induction.choice import ComparedAnswers, Pairs, answered, apart, compare
from crosslingua.mappers.mapper import Mapper
from crosslingua.mappers.refinement import UnmappedSpace, refine


@dataclass(frozen=True)
class Division:
    """Source, target and shared row indices into a joint vocabulary; a language reads its own and the shared rows."""

    source: np.ndarray
    target: np.ndarray
    shared: np.ndarray


def by_occurrence(counts_source: np.ndarray, counts_target: np.ndarray) -> Division:
    """Divide by the counts (n,) of words in each corpus (section 2.2): words of both corpora are shared. Raises
    ConfigError for what is no counts, or counts of other words.
    """
    counts_source, counts_target = _counts(counts_source, counts_target)
    in_source, in_target = counts_source > 0, counts_target > 0
    return Division(
        source=np.flatnonzero(in_source & ~in_target),
        target=np.flatnonzero(in_target & ~in_source),
        shared=np.flatnonzero(in_source & in_target),
    )


def by_ratio(
    counts_source: np.ndarray, counts_target: np.ndarray, tokens_source: int, tokens_target: int, gamma: float
) -> Division:
    """Reallocate: a word stays shared if (1 - gamma) / gamma <= r <= gamma / (1 - gamma) (joint_align, Eq. 6).

    r = (T_target / T_source) * (C_source(w) / C_target(w)) (Eq. 5), T the corpora's totals, C the (n,) counts. Other
    words go to the language where they are relatively more frequent. ConfigError unless 0.5 <= gamma < 1, and as
    `by_occurrence`.
    """
    counts_source, counts_target = _counts(counts_source, counts_target)
    for total in (tokens_source, tokens_target):
        check_whole(total, "the number of tokens")
    if not 0.5 <= gamma < 1:
        raise ConfigError(
            f"gamma {gamma}: must be at least 0.5 and below 1 (Eq. 6 leaves no interval otherwise)"
        )
    # Eq. 6 in whole numbers, so rounding moves no word at the limit. With gamma = p / q,
    # r < (q - p) / p  <=>  C_source T_target p < C_target T_source (q - p), and above in the same way.
    p, q = Fraction(repr(gamma)).as_integer_ratio()
    source = counts_source.astype(object) * tokens_target
    target = counts_target.astype(object) * tokens_source
    seen = (counts_source > 0) | (counts_target > 0)
    too_low = (source * p < target * (q - p)).astype(bool)
    too_high = (source * (q - p) > target * p).astype(bool)
    return Division(
        source=np.flatnonzero(seen & too_high),
        target=np.flatnonzero(seen & too_low),
        shared=np.flatnonzero(seen & ~too_low & ~too_high),
    )


def _counts(*sides: np.ndarray) -> list[np.ndarray]:
    """Return the counts of both corpora. Raises ConfigError unless they are as many, of 0 or more."""
    counts = [real_array(side, "counts", 1, finite=True) for side in sides]
    if len({len(side) for side in counts}) > 1 or any((side < 0).any() for side in counts):
        raise ConfigError("counts: give two arrays with a number of 0 or more for each word")
    return counts


@dataclass(frozen=True)
class JointVocabulary:
    """A joint embedding with the counts of its words in each corpus, and the token totals of the corpora."""

    vectors: WordVectors
    counts_source: np.ndarray
    counts_target: np.ndarray
    tokens_source: int
    tokens_target: int

    @classmethod
    def of(cls, vectors: WordVectors, counts_source: dict[str, int], counts_target: dict[str, int]) -> Self:
        """Look up the counts of the words of `vectors`; a word that is not counted has 0."""
        sides = (counts_source, counts_target)
        counts = (np.array([side.get(word, 0) for word in vectors.words], dtype=np.int64) for side in sides)
        return cls(vectors, *counts, *(sum(side.values()) for side in sides))

    def divide(self, gamma: float | None) -> Division:
        """Divide by occurrence, or with `gamma` by the ratio of Eq. 5 and 6."""
        if gamma is None:
            return by_occurrence(self.counts_source, self.counts_target)
        return by_ratio(self.counts_source, self.counts_target, self.tokens_source, self.tokens_target, gamma)

    def space(self, division: Division, max_vocabulary: int | None = None) -> UnmappedSpace:
        """Give each language its own and the shared words, by frequency in that language, at most `max_vocabulary`."""
        source = self._side(division.source, division.shared, self.counts_source, max_vocabulary)
        target = self._side(division.target, division.shared, self.counts_target, max_vocabulary)
        if not len(source) or not len(target):
            raise ConfigError(
                "a language has no word of the joint vectors: give the counts of the texts that they read"
            )
        both = np.intersect1d(source, target)
        shared = [self.vectors.words[row] for row in both]
        return UnmappedSpace(self.vectors.select(source), self.vectors.select(target), shared)

    @staticmethod
    def _side(own: np.ndarray, shared: np.ndarray, counts: np.ndarray, most: int | None) -> np.ndarray:
        rows = np.sort(np.concatenate([own, shared]))
        return rows[np.argsort(-counts[rows], kind="stable")][:most]


EXAMPLES = 12


def describe(joint: JointVocabulary, division: Division) -> dict[str, Any]:
    """Return the sizes of the three sets, and the most frequent words that left the shared set, by new owner."""
    before = joint.divide(None)
    total = joint.counts_source + joint.counts_target

    def examples(owner: np.ndarray) -> list[str]:
        moved = np.intersect1d(before.shared, owner)
        frequent = moved[np.argsort(-total[moved], kind="stable")][:EXAMPLES]
        return [joint.vectors.words[row] for row in frequent]

    return {
        "sizes": {name: len(rows) for name, rows in vars(division).items()},
        "sizes_before": {name: len(rows) for name, rows in vars(before).items()},
        "moved_to_source": examples(division.source),
        "moved_to_target": examples(division.target),
    }


# Choose gamma: by held-out translations, or without any (section 4.2: "selected on validation sets", not by what).
#
# By translations: P@1 with CSLS after refinement on the others, under the rule for unknown words of
# `lexicon_induction.choice`. Without a dictionary: the mean CSLS of mutual neighbours after unsupervised refinement,
# among the most frequent words of each language. Only source words that no candidate shares count, since a shared word
# finds itself. Either way the gamma that reallocates least is kept, unless another is better by more than one standard
# error over the queries.


CRITERION_WORDS = 10_000  # of either language, as of MUSE's criterion (Lample et al. 2018a, section 3.5)
log = logging.getLogger(__name__)


def validation_values(
    joint: JointVocabulary,
    candidates: Sequence[float],
    mapper: Mapper,
    fit: Pairs,
    validation: Pairs,
    *,
    seed: int,
    max_vocabulary: int | None,
) -> ComparedAnswers:
    """Return whether each `validation` query is answered (100 or 0), a candidate, refined on `fit`, which is apart.

    The candidates stand in the order of preference, the largest gamma first.
    """
    apart(fit, validation)
    answers = {}
    for gamma in sorted(candidates, reverse=True):
        space = joint.space(joint.divide(gamma), max_vocabulary)
        aligned = refine(mapper, space.source, space.target, fit, shared=space.shared, seed=seed)
        answers[gamma] = [answered(aligned.source, aligned.target, validation)]
    compared = compare(answers)
    values = {gamma: 100 * np.array(hits) for gamma, hits in compared.values.items()}
    for gamma, each in values.items():
        log.info("gamma %g: P@1 %.1f on %d validation queries", gamma, each.mean(), len(each))
    return replace(compared, values=values)


def unsupervised_values(
    joint: JointVocabulary,
    candidates: Sequence[float],
    mapper: Mapper,
    *,
    seed: int,
    max_vocabulary: int | None,
) -> ComparedAnswers:
    """Return the CSLS of source words with their best candidate, a gamma, refined by `mapper`.

    The words are mutual neighbours that no gamma shares. ConfigError for a mapper with a dictionary, or no word left.
    """
    if mapper.uses_pairs:
        raise ConfigError(
            f"{type(mapper).__name__} needs a dictionary, but gamma is chosen without a dictionary here"
        )
    found = {}
    for gamma in sorted(candidates, reverse=True):
        space = joint.space(joint.divide(gamma), max_vocabulary)
        aligned = refine(mapper, space.source, space.target, shared=space.shared, seed=seed)
        shared = set(space.shared)
        source, target = bli.cut(aligned.source, CRITERION_WORDS), bli.cut(aligned.target, CRITERION_WORDS)
        own = [word for word in source.words if word not in shared]
        found[gamma] = _mutual(source, target, own)
    common = set.intersection(*(set(values) for values in found.values()))
    if not common:
        raise ConfigError("no source word has a mutual neighbour under every gamma: name a single one")
    words = sorted(common)
    values = {gamma: np.array([of[word] for word in words]) for gamma, of in found.items()}
    for gamma, each in values.items():
        log.info("gamma %g: mean CSLS of %d mutual neighbours %.4f", gamma, len(words), each.mean())
    return ComparedAnswers(values)


def _mutual(source: WordVectors, target: WordVectors, words: Sequence[str]) -> dict[str, float]:
    """Return the CSLS of mutual neighbours: `words` that their best target word retrieves back."""
    rows = np.array([source.index[word] for word in words])
    best, scores = retrieval.csls(source.matrix, target.matrix, rows, k=1)
    mutual = retrieval.retrieve_back(source.matrix, target.matrix, best[:, 0]) == rows
    return {word: float(score) for word, score, kept in zip(words, scores[:, 0], mutual, strict=True) if kept}
