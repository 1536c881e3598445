"""What is wrong with a configuration, all at once: file, line, key, legal values, and the name that was meant."""

import copy
import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any

import yaml
from pydantic import ValidationError

from crosslingua.config import FORMS, MISSING, refuse, unknown_told, value_at
from crosslingua.errors import JSON_TYPES, did_you_mean, plain
from crosslingua.workflow import families
from crosslingua.workflow.sections import Section, inner_types, is_section, map_of

Config = Mapping[str, Any]
Mistake = dict[str, Any]  # as pydantic tells it, with `way`: the keys to its place
KEY = "[key]"  # pydantic's, behind a name that is wrong
# pydantic's types in the words of YAML.
A_MAP = "keys with values {a: b}"
TYPES = {
    "int": JSON_TYPES["integer"], "float": JSON_TYPES["number"], "string": JSON_TYPES["string"],
    "bool": JSON_TYPES["boolean"], "list": "a list [a, b]", "dict": A_MAP, "model": A_MAP,
}  # fmt: skip


def check(config: Config, kind: type[Section], files: Sequence[Any] = ()) -> None:
    """Raise ConfigError listing every unknown, missing, ill-typed or illegal key of `config`, which was merged of
    `files` and the command line, with file and line.
    """
    found = sorted(_mistakes(config, kind), key=itemgetter("way"))
    names = _names(config) | set(kind.model_fields)
    refuse([told for same in _by_place(found) for told in _told(same, names)], config, files)


def from_text(config: Config, kind: type[Section]) -> dict[str, Any]:
    """Return a copy with text, as from `--config seeds=[1]`, converted where the type is another."""
    copied = copy.deepcopy(dict(config))
    while [one for one in _mistakes(copied, kind) if _kind(one) and _spell(copied, one["way"])]:
        pass
    return copied


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
    found: Iterable[Mistake] = ()
    if settings:
        named = defaultdict(str, {**around, "key": way[-1], "above": "".join(way[-2:-1])})
        found = families.mistakes(settings.format_map(named), value)
    elif is_section(kind):
        found = families.unknown(value, kind.model_fields)
    yield from ({**one, "loc": (*way, *one["loc"])} for one in found)
    for name, own in ({} if settings else inner_types(kind, value)).items():
        yield from _unseen(own, value[name], (*way, str(name)), value)


def _placed(one: Mapping[str, Any], config: Any) -> Mistake:
    """Return a mistake with its way, without pydantic's names of alternatives."""
    way: list[str] = []
    for part in one["loc"]:
        if (inner := value_at(config, [str(part)])) is not MISSING:
            config = inner
            way.append(str(part))
    return {**one, "way": [*way, one["loc"][-1]] if one["type"] == "missing" else way}


def _by_place(found: Sequence[Mistake]) -> Iterator[list[Mistake]]:
    """Yield the mistakes of each place; of alternatives those that got furthest, which the user probably meant."""
    places = [(way, list(same)) for way, same in groupby(found, itemgetter("way"))]
    for (way, same), (following, _) in pairwise([*places, ([], [])]):
        further = following[: len(way)] == way  # a place in this one is told
        yield [one for one in same if not _kind(one)] or ([] if further else same)


def _kind(one: Mistake) -> str:
    """Return the type that a value should have; "" where the type is right."""
    kind, _, what = one["type"].rpartition("_")
    return TYPES.get(kind, "") if what == "type" else ""


def _told(same: Sequence[Mistake], names: Collection[str]) -> Iterator[tuple[list[str], str]]:
    """Yield (way to the key, explanation) of the mistakes of one place."""
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
                yield way, f"{at}: {value!r}: write {_form(context['pattern'], value, names)}"
            case "literal_error":
                hint = did_you_mean(value, re.findall("'(.*?)'", context["expected"]))
                yield way, f"{key}: {value!r} is not allowed; choose one of {context['expected']}{hint}"
            case "value_error":
                yield way, f"{key}: {context['error']}"
            case _ if _kind(one):
                legal = " or ".join(dict.fromkeys(map(_kind, same)))
                meant = isinstance(value, bool) and TYPES["string"] in legal
                quote = "; YAML reads no, off, yes and on as truth values; use quotes" if meant else ""
                yield way, f"{key}: {value!r} has the wrong type; allowed: {legal}{quote}"
            case _:
                limit = re.sub("^.* should", "must", one["msg"]).replace(" after validation", "")
                yield way, f"{key}: {value!r} {limit}"


def _form(pattern: str, text: str, names: Collection[str]) -> str:
    """Return what a text should be like, with the name that was meant, or the text repaired."""
    text = text.strip().lower()
    first, *more = re.split("[^a-z0-9.]+", text)
    *begin, last = re.split("[^a-z0-9_.]+", text)
    repairs = (text, plain(text), f"{'_'.join(begin)}-{last}", f"{first}-{'_'.join(more)}")
    if not (repaired := next((one for one in repairs if re.fullmatch(pattern, one)), "")):
        return FORMS[pattern]
    known = repaired in names
    return FORMS[pattern] + (did_you_mean(repaired, [repaired]) if known else f", for example {repaired}")


def _names(config: Any) -> set[str]:
    """Return all keys, at any depth."""
    if not isinstance(config, Mapping):
        return set()
    return set(map(str, config)).union(*map(_names, config.values()))
