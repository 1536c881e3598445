"""Choose gamma: by held-out translations, or without any (section 4.2: "selected on validation sets", not by what).

By translations: P@1 with CSLS after refinement on the others, under the rule for unknown words of the paper's program.
Without: the mean CSLS of mutual neighbours after refinement without a dictionary, over the source words that no
candidate shares (a shared word finds itself), among the most frequent of either language. Either way the gamma that
reallocates least is kept, unless another is better by more than one standard error over the queries.
"""

import logging
from collections.abc import Mapping, Sequence

import numpy as np

from crosslingua.errors import ConfigError
from crosslingua.lexicon_induction import bli, retrieval
from crosslingua.lexicon_induction.choice import Pairs, apart, right
from crosslingua.mappers.mapper import Mapper
from crosslingua.mappers.refinement import refine
from crosslingua.selection import one_standard_error
from crosslingua.vocabulary_reallocation.spaces import JointVocabulary, Space

CRITERION_WORDS = 10_000  # of either language, as of MUSE's criterion (Lample et al. 2018a, section 3.5)
log = logging.getLogger(__name__)
Values = Mapping[float, np.ndarray]  # of each candidate on the same queries, from the largest gamma on


def validation_values(
    joint: JointVocabulary,
    candidates: Sequence[float],
    mapper: Mapper,
    fit: Pairs,
    validation: Pairs,
    *,
    seed: int,
    max_vocabulary: int | None,
) -> Values:
    """Return whether each `validation` query is answered (100 or 0), a candidate, refined on `fit`, which is apart."""
    apart(fit, validation)
    values = {}
    for gamma in sorted(candidates, reverse=True):
        space = joint.space(joint.divide(gamma), max_vocabulary)
        aligned = refine(mapper, space.source, space.target, fit, shared=space.shared, seed=seed)
        found = right(aligned.source, aligned.target, validation)
        values[gamma] = 100 * np.array(list(found.values()))
        log.info("gamma %g: P@1 %.1f on %d validation queries", gamma, values[gamma].mean(), len(found))
    return values


def unsupervised_values(
    joint: JointVocabulary,
    candidates: Sequence[float],
    mapper: Mapper,
    *,
    seed: int,
    max_vocabulary: int | None,
) -> Values:
    """Return the CSLS of source words with their best candidate, a gamma, refined by `mapper`.

    The words are mutual neighbours that no gamma shares. ConfigError for a mapper with a dictionary, or no word left.
    """
    if mapper.uses_pairs:
        raise ConfigError(f"{type(mapper).__name__} needs a dictionary: gamma is chosen here without one")
    found = {}
    for gamma in sorted(candidates, reverse=True):
        space = joint.space(joint.divide(gamma), max_vocabulary)
        aligned = refine(mapper, space.source, space.target, shared=space.shared, seed=seed)
        shared = set(space.shared)
        source, target = bli.cut(aligned.source, CRITERION_WORDS), bli.cut(aligned.target, CRITERION_WORDS)
        own = [word for word in source.words if word not in shared]
        found[gamma] = _mutual(Space(source, target, space.shared), own)
    common = set.intersection(*(set(values) for values in found.values()))
    if not common:
        raise ConfigError("no source word has a mutual neighbour under every gamma: name a single one")
    words = sorted(common)
    values = {gamma: np.array([of[word] for word in words]) for gamma, of in found.items()}
    for gamma, each in values.items():
        log.info("gamma %g: mean CSLS of %d mutual neighbours %.4f", gamma, len(words), each.mean())
    return values


def _mutual(space: Space, words: Sequence[str]) -> dict[str, float]:
    """Return the CSLS of those of `words` whose best target word has them as its best source word."""
    source, target = space.source, space.target
    rows = np.array([source.index[word] for word in words])
    best, scores = retrieval.csls(source.matrix, target.matrix, rows, k=1)
    asked, place = np.unique(best[:, 0], return_inverse=True)
    back, _ = retrieval.csls(target.matrix, source.matrix, asked, k=1)
    mutual = back[place, 0] == rows
    return {word: float(score) for word, score, kept in zip(words, scores[:, 0], mutual, strict=True) if kept}


def best_gamma(values: Values) -> float:
    """Return the largest candidate, which reallocates least, within one standard error of the best."""
    return one_standard_error(dict(sorted(values.items(), reverse=True)))
