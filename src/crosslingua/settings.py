"""Settings: one definition gives type, range, default, meaning, help, JSON schema and error text.

    @settings
    class Oven:
        \"\"\"How bread is baked (Baker 2000, section 3).\"\"\"

        heat: Annotated[Positive, "degrees of the oven"] = 220.0

What users write, `heat=2e2` or YAML's {heat: "2e2"}, is read by `read`. In Python values must be of their type.
ConfigError names every wrong setting and the legal values; NaN and infinity are never legal.
"""

import dataclasses
import inspect
import logging
import textwrap
from argparse import ArgumentParser
from collections.abc import Collection, Iterable, Mapping
from functools import cache, wraps
from typing import Annotated, Any, TypeVar, dataclass_transform, get_type_hints

from pydantic import ConfigDict, Field, SkipValidation, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from crosslingua.errors import JSON_TYPES, ConfigError, did_you_mean

log = logging.getLogger(__name__)
T = TypeVar("T")
ELSEWHERE = {"learning_rate": "lr"}  # names that other programs give to settings
WIDTH = 100  # columns of help
STRICT = ConfigDict(strict=True, allow_inf_nan=False, extra="forbid", arbitrary_types_allowed=True)
AS_TEXT = ConfigDict(allow_inf_nan=False)

LIMITS = {
    "minimum": "at least", "exclusiveMinimum": "above", "maximum": "at most", "exclusiveMaximum": "below",
}  # fmt: skip

MOST, LARGEST_SIZE = 2**31 - 1, 100_000
Count = Annotated[int, Field(ge=1, le=MOST)]
Whole = Annotated[int, Field(ge=0, le=MOST)]
Size = Annotated[int, Field(ge=1, le=LARGEST_SIZE)]  # dimensions, layers, heads, tokens of a model
SizeOrNone = Annotated[int, Field(ge=0, le=LARGEST_SIZE)]  # 0 has a meaning of its own
Threads = Annotated[int, Field(ge=1, le=256)]
Seed = Annotated[int, Field(ge=0, lt=2**32)]  # what numpy and torch take
Positive = Annotated[float, Field(gt=0)]
NotNegative = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
SomeShare = Annotated[float, Field(gt=0, le=1)]
Dropout = Annotated[float, Field(ge=0, lt=1)]


@dataclass_transform(frozen_default=True)
def settings(cls: type[T]) -> type[T]:
    """Make a class a frozen dataclass that raises ConfigError for values of a wrong type or out of range."""
    made = dataclass(frozen=True, config=STRICT)(cls)
    checked = made.__init__

    @wraps(checked)
    def checked_as_config(self: Any, *args: Any, **values: Any) -> None:
        try:
            checked(self, *args, **values)
        except ValidationError as error:
            raise ConfigError("; ".join(_told(made, each) for each in error.errors())) from None

    made.__init__ = checked_as_config
    return made


def read(kind: type[T], owner: str, given: Mapping[str, Any] | Iterable[str], **parts: Any) -> T:
    """Return settings of `kind` from `{"niter": "20"}` or `["niter=20"]`, and defaults for the rest.

    `parts` are fields that no user sets; `owner` names the settings in errors. Raises ConfigError that names every
    unknown, missing, ill-typed or illegal setting.
    """
    values = given if isinstance(given, Mapping) else parse_settings(given)
    known, made, wrong = definitions(kind), {}, []
    for name, value in values.items():
        try:
            made[name] = read_value(kind, owner, name, value)
        except ConfigError as error:
            wrong.append(str(error))
    lacking = [name for name, own in known.items() if "default" not in own and name not in {*values, *parts}]
    wrong += [f"{owner} needs the setting {name}=..." for name in lacking]
    if wrong:
        raise ConfigError("\n".join(wrong))
    try:
        return kind(**made, **parts)
    except ConfigError as error:
        raise ConfigError(f"{owner}: {error}") from None


def read_value(kind: type, owner: str, name: str, value: Any) -> Any:
    """Return the value, which may be text, of one setting of `kind` as its type; ConfigError as `read`."""
    if name not in definitions(kind):
        raise unknown_setting(owner, name, definitions(kind))
    if not isinstance(value, str | int | float):
        return value  # null, a list: for the class to judge
    try:
        return _adapter(kind, name).validate_strings(word(value) if isinstance(value, bool) else str(value))
    except ValidationError:
        raise ConfigError(f"{owner}: {name}={value}: must be {allowed(definitions(kind)[name])}") from None


def parse_settings(options: Iterable[str]) -> dict[str, str]:
    """Return `{"niter": "20"}` for `["niter=20"]`; raises ConfigError for an option without "="."""
    parsed = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            raise ConfigError(f"setting {option!r}: write name=value, e.g. niter=20")
        parsed[today(name)] = value
    return parsed


def today(name: str) -> str:
    """Return the name of a setting, of a task or a part too (`ner.lr`), with a hint where it has another elsewhere."""
    owner, dot, last = name.rpartition(".")
    if last not in ELSEWHERE:
        return name
    log.warning("%s is read as %s", name, found := f"{owner}{dot}{ELSEWHERE[last]}")
    return found


def unknown_setting(owner: str, key: str, known: Iterable[str]) -> ConfigError:
    """Return the error for a `key` that is not a setting of `owner`."""
    known = list(known)
    hint = did_you_mean(key, known)
    return ConfigError(f"{owner} has no setting {key!r}: it has {', '.join(known) or 'none'}{hint}")


@cache
def definitions(kind: type) -> dict[str, dict[str, Any]]:
    """Return the JSON schema of each setting, with its `description` and, if any, its `default`."""
    found = {}
    for name, (hint, default) in fields_of(kind).items():
        schema = TypeAdapter(hint).json_schema()
        if meant := [part for part in getattr(hint, "__metadata__", ()) if isinstance(part, str)]:
            schema["description"] = meant[-1]
        found[name] = schema if default is dataclasses.MISSING else schema | {"default": default}
    return found


def allowed(schema: Mapping[str, Any]) -> str:
    """Return the legal values of a JSON schema in words: `a whole number, at least 1`."""
    if "anyOf" in schema:
        return " or ".join(allowed(one) for one in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(word(value) for value in schema["enum"])
    kind = JSON_TYPES.get(schema.get("type", ""), "anything")
    if "minimum" in schema and "maximum" in schema:
        return f"{kind} from {word(schema['minimum'])} to {word(schema['maximum'])}"
    ends = " and ".join(f"{told} {word(schema[key])}" for key, told in LIMITS.items() if key in schema)
    return f"{kind}, {ends}" if ends else kind


def settings_help(kind: type) -> str:
    """Return a class's docstring, then each setting as `name=default` with its meaning and legal values."""
    lines = [*textwrap.wrap(" ".join(inspect.cleandoc(kind.__doc__ or "").split()), WIDTH), ""]
    for name, own in definitions(kind).items():
        limits = any(key in own for key in ("enum", *LIMITS))
        text = own.get("description", "") + (f" [{allowed(own)}]" if limits else "")
        lines.append(f"  {name}={word(own['default'])}" if "default" in own else f"  {name}")
        lines += textwrap.wrap(text, WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 6)
    return "\n".join(lines).strip()


def add_options(parser: ArgumentParser, kind: type, but: Collection[str] = ()) -> None:
    """Add an option for each setting, whose value `read` parses later."""
    for name, own in definitions(kind).items():
        if name not in but:
            parser.add_argument(
                f"--{name.replace('_', '-')}",
                default=own["default"],
                choices=own.get("enum"),
                metavar=None if "enum" in own else name.upper(),
                help=f"{own['description']} [{allowed(own)}]".replace("%", "%%"),
            )


def word(value: Any) -> str:
    """Return a value as on a command line."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


@cache
def fields_of(kind: type) -> dict[str, tuple[Any, Any]]:
    """Return (annotated type, default) of the fields that users set, without `parts` and maps."""
    hints = get_type_hints(kind, include_extras=True)
    own = (each for each in dataclasses.fields(kind) if each.default_factory is dataclasses.MISSING)
    parts = {
        name for name, hint in hints.items() if SkipValidation in map(type, getattr(hint, "__metadata__", ()))
    }
    return {each.name: (hints[each.name], each.default) for each in own if each.name not in parts}


@cache
def _adapter(kind: type, name: str) -> TypeAdapter:
    return TypeAdapter(fields_of(kind)[name][0], config=AS_TEXT)


def _told(kind: type, error: Mapping[str, Any]) -> str:
    """Return the message for an error of pydantic about a setting."""
    name = str(error["loc"][0]) if error["loc"] else ""
    if name not in definitions(kind):
        return f"{name}: {error['msg']}"
    return f"{name}={error['input']}: must be {allowed(definitions(kind)[name])}"
