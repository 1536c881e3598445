"""The protocol of a mapper, its input checks, normalisation of vectors, and the map that it returns."""

import logging
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any, Self, TypeVar

import numpy as np
from pydantic import AfterValidator, WithJsonSchema
from threadpoolctl import threadpool_limits

from crosslingua.errors import ConfigError
from crosslingua.mappers import INNER, MAPPERS, Settings
from crosslingua.settings import read

Array = np.ndarray


# Row normalisation in steps, e.g. "unit,centre,unit" (Artetxe et al. 2018, section 3.1): `unit` scales each vector to
# length 1. `centre` subtracts the mean of the vectors of the fit.
def parse_recipe(recipe: str) -> tuple[str, ...]:
    """Return the steps that `recipe` names ("none": no step); raises ConfigError for an unknown one."""
    steps = () if recipe in ("", "none") else tuple(recipe.split(","))
    for step in steps:
        if step not in ("unit", "centre"):
            raise ConfigError(
                f"normalisation {recipe!r}: steps are unit and centre, as in unit,centre,unit, or none"
            )
    return steps


def _checked(recipe: str) -> str:
    parse_recipe(recipe)
    return recipe


STEP = "(unit|centre)"
Recipe = Annotated[  # a setting: see `parse_recipe`
    str,
    AfterValidator(_checked),
    WithJsonSchema({"type": "string", "pattern": f"^(none|{STEP}(,{STEP})*)?$"}),
    "steps on both languages' vectors: unit (length 1), centre (mean 0), as in unit,centre,unit, or none",
]


@dataclass(frozen=True)
class Normalisation:
    """Steps in order: a vector (d,) float64 is a mean to subtract, None scales each row to length 1."""

    steps: tuple[Array | None, ...] = ()

    @classmethod
    def fit(cls, matrix: Array, recipe: Sequence[str]) -> tuple[Self, Array]:
        """Fit the steps of `recipe` on `matrix` (n, d); return them and the normalised matrix, float32."""
        steps: list[Array | None] = []
        for step in recipe:
            steps.append(matrix.mean(axis=0, dtype=np.float64) if step == "centre" else None)
            matrix = cls(tuple(steps[-1:])).apply(matrix)
        return cls(tuple(steps)), np.asarray(matrix, dtype=np.float32)

    def apply(self, matrix: Array) -> Array:
        """Return the normalised rows (n, d) float32; ConfigError where a zero row cannot be scaled."""
        return self.forward(matrix)[0]

    def forward(self, matrix: Array) -> tuple[Array, list[Array]]:
        """Return the normalised rows, and the lengths (n, 1) float64 that each `unit` step divided by."""
        lengths: list[Array] = []
        for mean in self.steps:
            if mean is None:
                lengths.append(_lengths(matrix))
            moved = np.divide(matrix, lengths[-1]) if mean is None else np.subtract(matrix, mean)
            matrix = moved.astype(np.float32)
        return np.asarray(matrix, dtype=np.float32), lengths

    def backward(self, matrix: Array, lengths: Sequence[Array]) -> Array:
        """Undo the steps, last first, scaling back by the `lengths` of `forward`: (n, d) float32."""
        remaining = list(lengths)
        for mean in reversed(self.steps):
            matrix = np.multiply(matrix, remaining.pop()) if mean is None else np.add(matrix, mean)
        return np.asarray(matrix, dtype=np.float32)


def fit_both(source: Array, target: Array, recipe: str) -> tuple[tuple[Normalisation, Array], ...]:
    """Return `Normalisation.fit` of either language, by the steps that `recipe` names."""
    steps = parse_recipe(recipe)
    return Normalisation.fit(source, steps), Normalisation.fit(target, steps)


def _lengths(matrix: Array) -> Array:
    lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix, dtype=np.float64))[:, None]
    if not lengths.all():
        row = int(np.flatnonzero(lengths == 0)[0])
        raise ConfigError(
            f"the vector in row {row} is zero and cannot be scaled to length 1: leave its word out"
        )
    return lengths


T = TypeVar("T")
_limits: list[int] = []  # those in force, the innermost last


@contextmanager
def blas_threads(number: int | None = None) -> Iterator[None]:
    """Run the body with so many BLAS threads, or `workers`: one, where the number would change products' last bits."""
    number = number or workers()
    if _limits and _limits[-1] == number:  # looking for the libraries again would take milliseconds
        yield
        return
    _limits.append(number)
    try:
        with threadpool_limits(limits=number, user_api="blas"):
            yield
    finally:
        _limits.pop()


def workers() -> int:
    """Return the number of parallel blocks: OMP_NUM_THREADS if set, else the available cores."""
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return int(asked) if asked.isdigit() and int(asked) > 0 else len(os.sched_getaffinity(0))


def over_blocks(function: Callable[[slice], T], rows: int, size: int) -> list[T]:
    """Return `function(block)` for blocks of `size` rows, in order: the same on any number of `workers`."""
    blocks = [slice(start, min(start + size, rows)) for start in range(0, rows, size)]
    with blas_threads(1):
        if len(blocks) == 1 or workers() == 1:
            return [function(block) for block in blocks]
        with ThreadPoolExecutor(workers()) as pool:
            return list(pool.map(function, blocks))


BLOCK = 8192  # rows multiplied at a time


@dataclass(frozen=True)
class MappedSide:
    """One language's map into the common space: normalisation, then times `matrix` (d, d; None is the identity)."""

    normalisation: Normalisation = field(default_factory=Normalisation)
    matrix: Array | None = None

    def apply(self, vectors: Array) -> Array:
        """Return `vectors` (n, d) in the common space, (n, d) float32."""
        return product(self.normalisation.apply(vectors), self.matrix)

    def after(self, first: Normalisation) -> Self:
        """Return the map that normalises by `first` before."""
        return MappedSide(Normalisation(first.steps + self.normalisation.steps), self.matrix)


@dataclass(frozen=True)
class Mapping:
    """Maps of both languages into the common space; `details` are JSON values of the fit."""

    source: MappedSide
    target: MappedSide
    details: dict[str, Any] = field(default_factory=dict)

    def map_source(self, vectors: Array) -> Array:
        """Return source vectors (n, d) in the common space, (n, d) float32."""
        return self.source.apply(vectors)

    def map_target(self, vectors: Array) -> Array:
        """Return target vectors (n, d) in the common space, (n, d) float32."""
        return self.target.apply(vectors)

    def into_target(self, vectors: Array) -> Array:
        """Return source vectors (n, d) in the target's own coordinates: `map_source`, then the inverse of the target's
        map, scaled back to the vectors' lengths. Raises ConfigError where the target's map has no inverse.
        """
        if len(self.source.normalisation.steps) != len(self.target.normalisation.steps):
            raise ConfigError(
                "the languages were normalised differently, so vectors cannot be mapped into the target space"
            )
        normalised, lengths = self.source.normalisation.forward(vectors)
        across = self.source.matrix
        if self.target.matrix is not None:
            target = np.asarray(self.target.matrix, dtype=np.float64)
            if np.linalg.cond(target) > 1e6:  # float32 vectors would keep no digit
                raise ConfigError(
                    "the target's map is singular to working precision, so source vectors cannot be brought into "
                    "the target's own space: map both languages into the common one, or use another mapper"
                )
            inverse = np.linalg.inv(target)
            across = inverse if across is None else across @ inverse
        return self.target.normalisation.backward(product(normalised, across), lengths)


def product(vectors: Array, matrix: Array | None) -> Array:
    """Return `vectors` (n, d) float32 times `matrix` (d, d); the same bytes on any number of cores."""
    if matrix is None:
        return vectors
    matrix = matrix.astype(np.float32)
    out = np.empty((len(vectors), matrix.shape[1]), dtype=np.float32)

    def multiply(block: slice) -> None:
        np.matmul(vectors[block], matrix, out=out[block])

    over_blocks(multiply, len(vectors), BLOCK)
    return out


log = logging.getLogger(__name__)


class Mapper(ABC):
    """Finds maps between two vector spaces; subclasses are `settings`, whose fields are hyperparameters."""

    uses_pairs: bool = True  # whether `fit` needs a dictionary, which may depend on the settings
    normalise: str = "none"  # the recipe of both languages' vectors, on which the maps are fitted

    def fit(
        self, source: Array, target: Array, pairs: Array | None = None, *, seed: int = 0, device: str = "cpu"
    ) -> Mapping:
        """Return fitted maps. Equal seeds give equal bytes, on any number of cores.

        `source` (n_s, d) and `target` (n_t, d) are float32 vectors, most frequent words first. `pairs` (k, 2) are row
        numbers of translations, which some members ignore. `device` is cpu or cuda; members that gain nothing by a GPU
        ignore it, and maps from a GPU differ in last digits. Raises ConfigError for unequal dimensions, zero or
        non-finite vectors, numbers beyond LARGEST, vectors so alike that they determine no map, and a missing or empty
        dictionary where one is needed.
        """
        pairs = check_pairs(self, pairs, source, target) if self.uses_pairs else None
        check_vectors(source, target)
        with blas_threads(1):
            (source_steps, source), (target_steps, target) = fit_both(source, target, self.normalise)
            try:
                fitted = self._fit(source, target, pairs, seed, device)
            except np.linalg.LinAlgError as error:
                raise ConfigError(
                    f"{type(self).__name__}: no map can be computed ({error}): the vectors of the dictionary's words "
                    "are too much alike; use other vectors, or a larger dictionary"
                ) from None
        return Mapping(fitted.source.after(source_steps), fitted.target.after(target_steps), fitted.details)

    @abstractmethod
    def _fit(self, source: Array, target: Array, pairs: Array | None, seed: int, device: str) -> Mapping:
        """Fit on checked, normalised input; return maps of normalised vectors."""


def build(name: str, settings: Settings | None = None) -> Mapper:
    """Return the mapper `name` with `settings` (`inner.lr`: of a wrapped mapper). ConfigError for a wrong name or
    value.
    """
    given, inner = dict(settings or {}), {}
    if MAPPERS.member(name).inner:
        inner = {key.removeprefix(INNER): given.pop(key) for key in list(given) if key.startswith(INNER)}
    return read(MAPPERS[name], f"mapper {name}", given, **({"inner_settings": inner} if inner else {}))


LARGEST = 1e15  # float32 holds sums of squares of larger numbers no more


def check_vectors(source: Array, target: Array) -> None:
    """Raise ConfigError unless both are matrices of equal width with finite rows that are not zero, up to LARGEST."""
    for name, matrix in (("source", source), ("target", target)):
        if matrix.ndim != 2 or not matrix.size:
            raise ConfigError(
                f"{name} vectors have shape {matrix.shape}: need at least one vector of one dimension"
            )
        bad = np.flatnonzero(~(np.isfinite(matrix).all(axis=1) & matrix.any(axis=1)))
        if len(bad):
            raise ConfigError(
                f"{len(bad)} {name} vectors are zero or not finite, the first in row {bad[0]}: "
                "leave these words out"
            )
        if (most := float(np.abs(matrix).max())) > LARGEST:
            raise ConfigError(
                f"{name} vectors have numbers up to {most:.3g}, and {LARGEST:g} is the most: scale them, for example "
                "to length 1"
            )
    if source.shape[1] != target.shape[1]:
        raise ConfigError(
            f"source vectors have {source.shape[1]} dimensions and target vectors {target.shape[1]}: "
            "train both with the same number"
        )


def check_pairs(mapper: Mapper, pairs: Array | None, source: Array, target: Array) -> Array:
    """Return `pairs` as (k, 2) int64; ConfigError if they are missing, empty or out of range."""
    name = type(mapper).__name__
    if pairs is None:
        raise ConfigError(f"{name} is supervised and needs a dictionary")
    pairs = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    if not len(pairs):
        raise ConfigError(
            f"{name} needs at least one dictionary pair with both words in the vocabularies, got none"
        )
    if pairs.min() < 0 or (pairs.max(axis=0) >= (len(source), len(target))).any():
        raise ConfigError(
            f"a dictionary pair points outside the {len(source)} source and {len(target)} target vectors"
        )
    if len(pairs) < source.shape[1]:
        log.warning(
            "%d dictionary pairs for %d dimensions do not determine the map in every direction",
            len(pairs),
            source.shape[1],
        )
    return pairs
