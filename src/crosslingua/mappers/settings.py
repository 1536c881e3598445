"""A mapper from its name and settings given as text, as on a command line: `{"niter": "20", "inner.lr": "25"}`."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction.choice import Choice, Pairs, Settings, apart, choose, right
from crosslingua.mappers import MAPPERS
from crosslingua.mappers.mapper import Mapper
from crosslingua.mappers.refinement import refine
from crosslingua.settings import parse_settings, read

__all__ = ["build", "parse_settings"]
INNER = "inner."  # what the settings of a wrapped mapper begin with


def build(name: str, settings: Mapping[str, Any] | None = None) -> Mapper:
    """Return the mapper `name` with `settings` in place of its defaults; `inner.lr` is a wrapped mapper's.

    Raises ConfigError for an unknown mapper, and as `crosslingua.settings.read`.
    """
    given = dict(settings or {})
    inner = {
        key: given.pop(key) for key in list(given) if key.startswith(INNER) and MAPPERS.member(name).inner
    }
    parts = (
        {"inner_settings": {key.removeprefix(INNER): value for key, value in inner.items()}} if inner else {}
    )
    return read(MAPPERS[name], f"mapper {name}", given, **parts)


# The search that every supervised mapper gets: its grid, fitted on one dictionary, compared on held-out pairs.


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
