"""Alignment of two languages' word vectors: plain mapping, or joint_align's refinement (section 3.1), which moves only
source words that the languages do not share. And the choice of a mapper's settings.
"""

import logging
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crosslingua.errors import ConfigError
from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction.choice import Answers, Choice, Pairs, Settings, answered, apart, choose
from crosslingua.mappers.mapper import Mapper, build

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Aligned:
    """Both languages' vectors in one space, in the given order; `details` are JSON values."""

    source: WordVectors
    target: WordVectors
    details: dict[str, Any]


def refine(
    mapper: Mapper,
    source: WordVectors,
    target: WordVectors,
    pairs: Iterable[tuple[str, str]] | None = None,
    *,
    shared: Collection[str] | None = None,
    seed: int = 0,
    device: str = "cpu",
) -> Aligned:
    """Fit `mapper` and return both languages' vectors in one space. Raises ConfigError if no pair is in vocabulary or a
    shared word is not in both, and as `Mapper.fit`.

    With `shared`, the map is fitted on the other words and moves only source words; all other vectors keep their bits.
    `pairs` with a shared or unknown word are skipped and counted. If all pairs in vocabulary are shared, no vector
    moves, and `details` calls the map degenerate. `device` is as of `Mapper.fit`.
    """
    rows = _own(source, shared, "source"), _own(target, shared, "target")
    details: dict[str, Any] = {"source_words": len(rows[0]), "target_words": len(rows[1]), "seed": seed}
    indices = None
    if mapper.uses_pairs:
        if pairs is None:
            raise ConfigError(f"{type(mapper).__name__} is supervised: give a dictionary (--dictionary)")
        own = [
            {side.words[row]: i for i, row in enumerate(some)}
            for side, some in zip((source, target), rows, strict=True)
        ]
        pairs = list(pairs)
        in_vocabulary = any(s in source and t in target for s, t in pairs)
        if shared is not None and in_vocabulary and not any(s in own[0] and t in own[1] for s, t in pairs):
            log.warning(
                "all %d dictionary pairs have a shared word: no pair is left to learn a map from", len(pairs)
            )
            details |= {"dictionary": {"pairs": len(pairs), "used": 0}, "mapper": {"degenerate": True}}
            return Aligned(source, target, details | {"shared_words": len(shared)})
        indices, counts = index_pairs(pairs, *own)
        details["dictionary"] = counts
    x, y = source.matrix[rows[0]], target.matrix[rows[1]]
    mapping = mapper.fit(x, y, indices, seed=seed, device=device)
    details["mapper"] = mapping.details
    if shared is None:
        mapped = mapping.map_source(source.matrix), mapping.map_target(target.matrix)
        return Aligned(WordVectors(source.words, mapped[0]), WordVectors(target.words, mapped[1]), details)
    matrix = source.matrix.copy()
    matrix[rows[0]] = mapping.into_target(x)
    return Aligned(WordVectors(source.words, matrix), target, details | {"shared_words": len(shared)})


def index_pairs(
    pairs: Sequence[tuple[str, str]], source: dict[str, int], target: dict[str, int]
) -> tuple[np.ndarray, dict[str, int]]:
    """Return the rows (k, 2) int64 of the pairs in vocabulary, and counts of others. Raises ConfigError where no pair
    is left, or where many more would be left in reverse.
    """
    found = [(source[s], target[t]) for s, t in pairs if s in source and t in target]
    turned = sum(t in source and s in target for s, t in pairs)
    if found and turned > max(2 * len(found), len(found) + 10):
        raise ConfigError(
            f"the dictionary is the wrong way round: {len(found)} of its {len(pairs)} pairs have both words in the "
            f"vocabularies, but {turned} with target and source exchanged (write `source target` a line)"
        )
    counts = {
        "pairs": len(pairs),
        "used": len(found),
        "source_out_of_vocabulary": sum(s not in source for s, _ in pairs),
        "target_out_of_vocabulary": sum(t not in target for _, t in pairs),
    }
    if not found:
        raise ConfigError(
            f"none of the {len(pairs)} dictionary pairs has both words in the vocabularies to be aligned "
            f"({len(source)} source and {len(target)} target words; "
            f"{counts['source_out_of_vocabulary']} source and {counts['target_out_of_vocabulary']} target sides are "
            "missing): check the direction and the case of the dictionary, and whether most of its words are shared"
        )
    log.info("dictionary: %d of %d pairs used", len(found), len(pairs))
    return np.array(found, dtype=np.int64), counts


def _own(vectors: WordVectors, shared: Collection[str] | None, name: str) -> np.ndarray:
    if shared is None:
        return np.arange(len(vectors))
    shared = set(shared)
    missing = shared.difference(vectors.index)
    if missing:
        raise ConfigError(
            f"{len(missing)} shared words have no {name} vector, e.g. {min(missing)!r}: give the list "
            "that belongs to these vectors"
        )
    rows = np.array([row for row, word in enumerate(vectors.words) if word not in shared], dtype=np.int64)
    if not len(rows):
        raise ConfigError(f"every {name} word is shared: there is nothing to align")
    return rows


@dataclass(frozen=True)
class UnmappedSpace:
    """Two languages' vectors before mapping, their shared words or None, and the seed of the fit."""

    source: WordVectors
    target: WordVectors
    shared: Collection[str] | None = None
    seed: int = 0


def choose_mapper(
    name: str,
    tried: Sequence[Settings],
    spaces: Sequence[UnmappedSpace],
    fit: Pairs,
    validation: Pairs,
    device: str = "cpu",
) -> Choice:
    """Return the choice among settings of the mapper `name`; ConfigError where `fit` and `validation` share a word."""
    apart(fit, validation)

    def answers(settings: Settings, space: UnmappedSpace) -> Answers:
        how = {"shared": space.shared, "seed": space.seed, "device": device}
        aligned = refine(build(name, settings), space.source, space.target, fit, **how)
        return answered(aligned.source, aligned.target, validation, device)

    return choose(tried, spaces, answers)
