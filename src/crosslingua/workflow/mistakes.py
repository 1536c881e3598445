"""What is wrong with a configuration, all at once: file, line, key, legal values, and the name that was meant."""

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import yaml
from pydantic import ValidationError

from crosslingua.config import form_told, names_of, refuse, type_told, unknown_told
from crosslingua.errors import did_you_mean
from crosslingua.workflow import families
from crosslingua.workflow.sections import Section, inner_types, is_section, map_of

Config = Mapping[str, Any]
Mistake = dict[str, Any]  # as pydantic tells it, with `way`: the keys to its place
KEY = "[key]"  # pydantic's, behind a name that is wrong
# pydantic's types in JSON schema's words.
KINDS = {
    "int": "integer", "float": "number", "string": "string", "bool": "boolean", "list": "array", "dict": "object",
    "model": "object",
}  # fmt: skip


def check(config: Config, kind: type[Section], files: Sequence[Any] = ()) -> None:
    """Raise ConfigError listing every unknown, missing, ill-typed or illegal key of `config`, which was merged of
    `files` and the command line, with file and line.
    """
    found = sorted(_mistakes(config, kind), key=lambda one: one["way"])
    names = sorted(names_of(config) | set(kind.model_fields))
    refuse([told for same in _by_place(found) for told in _told(same, names)], config, files)


def from_text(config: Config, kind: type[Section]) -> dict[str, Any]:
    """Return a copy with text, as from `--config seeds=[1]`, converted where the type is another."""
    copied: Any = _copied(config)
    while [one for one in _mistakes(copied, kind) if _kind(one) and _spell(copied, one["way"])]:
        pass
    return copied


def _copied(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copied(own) for key, own in value.items()}
    return list(map(_copied, value)) if isinstance(value, list) else value


def _spell(config: Any, way: Sequence[str]) -> bool:
    """Put what a text spells in its place; False where it is no text, or spells nothing but itself."""
    *outer, last = (int(name) if name.isdecimal() else name for name in way)
    try:
        for key in outer:
            config = config[key]
        value = yaml.safe_load(config[last])
        value = float(value) if isinstance(value, str) else value  # YAML takes 1e-3 for text
    except (yaml.YAMLError, ValueError, AttributeError, KeyError, TypeError):
        return False
    config[last] = value
    return True


def _mistakes(config: Config, kind: type[Section]) -> Iterator[Mistake]:
    """Yield what pydantic finds, and unknown keys and settings, which it does not see."""
    try:
        kind.model_validate_json(json.dumps(config), strict=True)
    except ValidationError as error:
        yield from (_placed(one, config) for one in error.errors())
    yield from (_placed(one, config) for one in _unseen(kind, config, (), {}))


def _unseen(kind: Any, value: Any, way: tuple[str, ...], around: Config) -> Iterator[Mistake]:
    kind, settings = map_of(kind)
    if not isinstance(value, Mapping):
        return
    if settings:
        named = defaultdict(str, {**around, "key": way[-1], "above": "".join(way[-2:-1])})
        found = families.mistakes(settings.format_map(named), value)
        yield from ({**one, "loc": (*way, *one["loc"])} for one in found)
        return
    known = inner_types(kind, value)
    if is_section(kind):
        told = (families.unknown(name, value, kind.model_fields) for name in value if name not in known)
        yield from ({**one, "loc": (*way, *one["loc"])} for one in told)
    for name, own in known.items():
        yield from _unseen(own, value[name], (*way, str(name)), value)


def _placed(one: Mistake, config: Any) -> Mistake:
    """Return a mistake with its way, without pydantic's names of alternatives."""
    way: list[str] = []
    for part in one["loc"]:
        if isinstance(config, Mapping):
            inner = {str(key): own for key, own in config.items()}
        else:
            inner = dict(enumerate(config)) if isinstance(config, list) else {}
        if part in inner:
            config = inner[part]
            way.append(str(part))
    return {**one, "way": [*way, one["loc"][-1]] if one["type"] == "missing" else way}


def _by_place(found: Sequence[Mistake]) -> Iterator[list[Mistake]]:
    """Yield the mistakes of each place; of alternatives those that got furthest, which the user probably meant."""
    ways = [one["way"] for one in found]
    places: dict[tuple[str, ...], list[Mistake]] = defaultdict(list)
    for one in found:
        way = one["way"]
        if not (_kind(one) and any(len(other) > len(way) and other[: len(way)] == way for other in ways)):
            places[*way].append(one)
    for same in places.values():
        yield [one for one in same if not _kind(one)] or same


def _kind(one: Mistake) -> str:
    """Return the type that a value should have, in JSON schema's words; "" where the type is right."""
    kind, _, what = one["type"].rpartition("_")
    return KINDS.get(kind, "") if what == "type" else "integer" if one["type"] == "int_from_float" else ""


def _told(same: Sequence[Mistake], names: Collection[str]) -> Iterator[tuple[list[str], str]]:
    """Yield (way to the key, explanation) of the mistakes of one place."""
    if _kind(same[0]):
        way, value = same[0]["way"], same[0]["input"]
        kinds = list(dict.fromkeys(map(_kind, same)))
        yield way, type_told(".".join(way), value, kinds)
        return
    for one in same:
        way, value, context = one["way"], one["input"], one.get("ctx", {})
        key = ".".join(way)
        match one["type"]:
            case "extra_forbidden":
                yield way, unknown_told(way, context["legal"])
            case "missing":
                yield way[:-1], f"{'.'.join(way[:-1]) or '(top level)'}: the key {way[-1]!r} is missing"
            case "string_pattern_mismatch":
                at = ".".join(way[:-1]) if KEY in one["loc"] else key
                yield way, f"{at}: {value!r}: {form_told(context['pattern'], value, names)}"
            case "literal_error":
                hint = did_you_mean(value, re.findall("'(.*?)'", context["expected"]))
                yield way, f"{key}: {value!r} is not allowed; choose one of {context['expected']}{hint}"
            case "value_error":
                yield way, f"{key}: {context['error']}"
            case _:
                limit = one["msg"].partition(" should")[2].replace(" after validation", "")
                yield way, f"{key}: {value!r} must{limit}"
