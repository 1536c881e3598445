"""The search that every supervised mapper gets: its grid, fitted on one dictionary, compared on held-out pairs."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction.choice import Choice, Pairs, Settings, apart, choose, right
from crosslingua.mappers.refinement import refine
from crosslingua.mappers.settings import build


@dataclass(frozen=True)
class UnmappedSpace:
    """Two languages' vectors before mapping, the words that they share or None, and the seed of the fit."""

    source: WordVectors
    target: WordVectors
    shared: Collection[str] | None = None
    seed: int = 0


def choose_mapper(
    name: str, tried: Sequence[Settings], spaces: Sequence[UnmappedSpace], fit: Pairs, validation: Pairs
) -> Choice:
    """Return the choice among settings of the mapper `name`, each fitted on `fit` and compared on `validation`.

    Raises ConfigError where the dictionaries have a source word in common: what trains cannot choose.
    """
    apart(fit, validation)

    def hits(settings: Settings, space: UnmappedSpace) -> Mapping[str, float]:
        aligned = refine(
            build(name, settings), space.source, space.target, fit, shared=space.shared, seed=space.seed
        )
        return right(aligned.source, aligned.target, validation)

    return choose(tried, spaces, hits)
