"""Mappers: maps of two vector spaces into one, with a dictionary or without (docs/methods/mappers.md)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from crosslingua.registry import Member, Registry, at

Settings = Mapping[str, Any]
INNER = "inner."  # what the settings of a wrapped mapper begin with


@dataclass(frozen=True)
class MapperMember(Member):
    """A mapper. Held-out translations choose among its defaults and `grid` (lexicon_induction/choice.py)."""

    dictionary_if: tuple[str, ...] = ()  # settings under which it needs one, if `needs` does not say always
    inner: str = ""  # the mapper that it wraps
    grid: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)


class Mappers(Registry):
    """The mappers, with their code and need of a dictionary, which are known without an import."""

    def member(self, name: str) -> MapperMember:
        """Return the record of a mapper, as `Registry.member` does."""
        return cast(MapperMember, super().member(name))  # no other is given

    def _outside(self, target: str) -> MapperMember:
        """Return the record of another package's mapper, whose class says `uses_pairs` and may have a `grid`."""
        found = at(target)
        needs = ("dictionary",) if found.uses_pairs else ()
        return MapperMember(target, needs=needs, grid=getattr(found, "grid", {}))

    def modules(self, name: str, settings: Settings | None = None) -> list[str]:
        """Return the dotted names of the modules of a mapper and of wrapped mappers."""
        return [self.module(mapper) for mapper, _ in self._wrapped(name, settings or {})]

    def needs_dictionary(self, name: str, settings: Settings | None = None) -> bool:
        """Whether a mapper requires a dictionary."""
        for mapper, own in self._wrapped(name, settings or {}):
            given = {f"{key}={value}" for key, value in own.items()}
            if "dictionary" in self.needs(mapper) or given & {*self.member(mapper).dictionary_if}:
                return True
        return False

    def _wrapped(self, name: str, settings: Settings) -> Iterator[tuple[str, Settings]]:
        """Yield a mapper and the mappers that it wraps, outermost first, each with its own settings."""
        yield name, settings
        if default := self.member(name).inner:
            own = {key.removeprefix(INNER): v for key, v in settings.items() if key.startswith(INNER)}
            yield from self._wrapped(settings.get("inner", default), own)


CENTRED = "unit,centre,unit"
MAPPERS = Mappers(
    "mapper",
    {
        "procrustes": MapperMember(
            "crosslingua.mappers.procrustes:Procrustes",
            needs=("dictionary",),
            grid={"normalise": ("none", "unit", CENTRED)},  # Xing et al. 2015; Artetxe et al. 2016
        ),
        "iterative_norm": MapperMember(
            "crosslingua.mappers.iterative_norm:IterativeNorm",
            inner="procrustes",
            grid={"rounds": (1, 5, 20)},  # Zhang et al. 2019, section 4: five
        ),
        "rcsls": MapperMember(
            "crosslingua.mappers.rcsls:RCSLS",
            needs=("dictionary",),
            # Joulin et al. 2018, section 4; centring is an option of the authors' program.
            grid={"lr": (1, 10, 25, 50), "niter": (10, 20), "normalise": ("unit", CENTRED)},
        ),
        "geomm": MapperMember(
            "crosslingua.mappers.geomm:GeoMM",
            needs=("dictionary",),
            grid={"l2_reg": (10, 100, 1000, 10_000)},  # Jawanpuria et al. 2019, section 5
        ),
        "muse": MapperMember("crosslingua.mappers.muse:Muse", dictionary_if=("initialisation=dictionary",)),
        "vecmap": MapperMember(
            "crosslingua.mappers.vecmap:VecMap", dictionary_if=("mode=supervised", "mode=semi_supervised")
        ),
        "contrastive": MapperMember("crosslingua.mappers.contrastive:Contrastive", needs=("dictionary",)),
        "mini_vec2vec": MapperMember("crosslingua.mappers.mini_vec2vec:MiniVec2Vec"),
    },
    group="crosslingua.mappers",
)
