"""Errors for the user, with the place and the remedy; records and names that a user writes, checked."""

import difflib
import logging
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from importlib import import_module
from os import PathLike
from types import ModuleType
from typing import Any, TypeVar

# A terminal obeys these, or shows what follows in another order: all but tabs and line ends.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]")


def visible(text: str) -> str:
    """Return a text for a terminal, with control characters as escapes such as `\\x1b`."""
    return CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


class CrosslinguaError(Exception):
    """Base of every error that the user can correct."""


class ConfigError(CrosslinguaError):
    """A configuration key or command-line value is unknown, ill-typed or out of range."""


class InputError(CrosslinguaError):
    """A malformed file: `path` and `line` (1-based) are the place, `message` the fault, `remedy` the correction."""

    def __init__(
        self, path: str | PathLike[str], message: str, *, line: int | None = None, remedy: str | None = None
    ):
        place = f"{path}:{line}" if line is not None else f"{path}"
        super().__init__(f"{place}: {message}" + (f" ({remedy})" if remedy else ""))
        self.path, self.line = str(path), line
        self.made_of = path, message, line, remedy

    def __reduce__(self) -> tuple:
        """Return what another process makes the error of."""
        path, message, line, remedy = self.made_of
        return partial(type(self), line=line, remedy=remedy), (path, message)


log = logging.getLogger(__name__)

MOST_LOST = 0.2  # share of the records of a file that may be dropped
Raw = TypeVar("Raw")
Made = TypeVar("Made")


def usable(
    records: Iterable[Raw],
    make: Callable[[Raw, Counter[str]], Made | None],
    counts: Counter[str] | None,
    what: str,
) -> Iterator[Made]:
    """Yield what `make` makes of each record of a file, except None, which is no record; `make` counts its repairs.

    A record on which `make` raises InputError is dropped and counted (`counts["dropped_<what>"]`), and the first error
    is logged. It is raised where more than MOST_LOST are dropped. Without `counts`, every error is raised.
    """
    kept = lost = 0
    first: InputError | None = None
    for record in records:
        repairs: Counter[str] = Counter()
        try:
            made = make(record, repairs)
        except InputError as error:
            if counts is None:
                raise
            first, lost = first or error, lost + 1
            continue
        if counts is not None:
            counts.update(repairs)
        if made is not None:
            kept += 1
            yield made
    if first is None:
        return
    path, message, line, remedy = first.made_of
    if lost > MOST_LOST * (kept + lost):
        told = f"{message}; {lost} of {kept + lost} {what} cannot be used"
        raise InputError(
            path, told, line=line, remedy=remedy or f"correct them: only {MOST_LOST:.0%} may be wrong"
        )
    counts[f"dropped_{what}"] += lost
    log.warning("%s; dropped %d of %d %s", first, lost, kept + lost, what)


def check_finite(path: str | PathLike[str], weights: Mapping[str, Any]) -> None:
    """Raise InputError for weights, arrays or tensors by name, that hold NaN or infinity."""
    for name, values in weights.items():
        if not math.isfinite(values.sum()) and not bool((values - values == 0).all()):  # a sum may overflow
            raise InputError(
                path, f"{name} holds values that are no numbers", remedy="train it, or fetch it, again"
            )


# JSON schema's types in words.
JSON_TYPES = {
    "integer": "a whole number",
    "number": "a number",
    "string": "text",
    "boolean": "true or false",
    "null": "null",
}

# Checked names of users: an error says where the name stands, the legal names, and the closest one.


def did_you_mean(name: object, legal: Iterable[str]) -> str:
    """Return `; did you mean 'x'?` with the legal name closest to `name`; "" where none is close."""
    legal = list(legal)
    alike = [one for one in legal if plain(one) == plain(str(name))]
    close = alike or difflib.get_close_matches(str(name), legal, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def plain(name: str) -> str:
    """Return a name in lower case, with `_` for other characters than letters and digits."""
    return re.sub("[^a-z0-9]+", "_", name.strip().lower())


def check_defined(key: str, names: str | Iterable[str], legal: Collection[str], where: str) -> None:
    """Raise ConfigError for the first of `names`, at configuration key `key`, that `where` does not define."""
    for name in [names] if isinstance(names, str) else names:
        if name not in legal:
            listed = ", ".join(legal) or "nothing is"
            hint = did_you_mean(name, legal)
            raise ConfigError(f"{key}: {name!r} is not defined under {where} ({listed}){hint}")


def given(value: Raw | None) -> Raw:
    """Return a value that there is, as the caller has made sure."""
    if value is None:
        raise AssertionError("a value is None")
    return value


def check_given(key: str, entry: Mapping[str, Any], name: str, why: str) -> None:
    """Raise ConfigError where the entry at `key` lacks the key `name`; `why` gives the reason."""
    if name not in entry:
        raise ConfigError(f"{key}: the key {name!r} is missing ({why})")


def optional(module: str, extra: str, what: str) -> ModuleType:
    """Return `module` for `what`; ConfigError names the extra to install where it is missing."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise ConfigError(f"{what}: {not_installed(error.name, extra)}") from None


# Modules of the extras `encoders` and `workflow`.
OF_EXTRAS = (
    "altair", "conllu", "huggingface_hub", "itables", "jinja2", "lxml", "markdown", "matplotlib", "optuna",
    "requests", "sacrebleu", "sacremoses", "safetensors", "sentencepiece", "seqeval", "sklearn", "snakemake",
    "tokenizers", "torch", "transformers", "vl_convert",
)  # fmt: skip


def not_installed(package: str | None, extra: str = "all") -> str:
    """Return what to say of a package that one of this package's extras has."""
    return f"the package {package} is not installed: pip install 'crosslingua[{extra}]'"
