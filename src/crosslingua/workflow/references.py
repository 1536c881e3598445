"""Whether the names that sections refer to are defined; the types of sections mark these names by `Refers`."""

from collections.abc import Collection, Iterator, Mapping
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from crosslingua.config import value_at
from crosslingua.errors import check_defined
from crosslingua.workflow.sections import (
    BITEXT,
    GOLD_ALIGNMENTS,
    TEXT,
    TEXT_OR_DERIVED,
    Refers,
    inner_types,
    is_section,
)
from crosslingua.workflow.sources import present
from crosslingua.workflow.workflow import Workflow

Reference = tuple[str, str, Refers]  # key, name, what it refers to


def check_references(w: Workflow, kind: Any, values: Any, key: str) -> list[Reference]:
    """Return the references in `values`, of type `kind` and at `key` of the configuration. Raise ConfigError for the
    first that is not defined.
    """
    found = list(_references(kind, values, key))
    for place, name, mark in found:
        check_defined(place, w.of_source(name), _defined(w, mark), mark.where)
    return found


def _references(kind: Any, value: Any, key: str) -> Iterator[Reference]:
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        marks = [mark for mark in parts[1:] if isinstance(mark, Refers)]
        named = {f"{key}.{name}": name for name in value} if isinstance(value, Mapping) else {key: value}
        yield from ((place, str(name), mark) for mark in marks for place, name in named.items())
    if origin in (Annotated, Union, UnionType):
        for part in parts[:1] if origin is Annotated else parts:
            yield from _references(part, value, key)
    elif origin is list and isinstance(value, list):
        for one in value:
            yield from _references(parts[0], one, key)
    elif isinstance(value, Mapping) and (origin is dict or is_section(kind)):
        named = present(value)
        for name in named if origin is dict else ():
            yield from _references(parts[0], name, key)
        for name, inner in inner_types(kind, named).items():
            yield from _references(inner, named[name], f"{key}.{name}".lstrip("."))


def _defined(w: Workflow, mark: Refers) -> Collection[str]:
    """Return the names that a reference may have."""
    if mark.names is not None:
        return mark.names
    texts, sets = w.sources.languages, w.sources.sets
    data = {
        TEXT: texts,
        TEXT_OR_DERIVED: texts,
        BITEXT: sets["bitext"],
        GOLD_ALIGNMENTS: sets["gold_alignment"],
    }
    if mark.where in data:
        return data[mark.where]
    defined = value_at(w.written, mark.where.split("."))
    if isinstance(defined, Mapping):
        return defined if mark.taken_out else present(defined)
    return [str(one) for one in defined]
