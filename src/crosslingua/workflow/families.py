"""The types of the settings that sections name (`settings_of`); a family is imported where its settings are needed."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING
from functools import cache
from importlib import import_module
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import Field, TypeAdapter, ValidationError

from crosslingua.encoders.objectives import OBJECTIVES
from crosslingua.errors import ConfigError
from crosslingua.mappers import INNER, MAPPERS
from crosslingua.registry import Registry
from crosslingua.settings import SomeShare, fields_of
from crosslingua.taggers import TAGGERS
from crosslingua.word_aligners import ALIGNERS

Fields = dict[str, tuple[Any, Any]]  # of settings: type and default
OF_TAGGER = "tagger."  # what the settings of a tagger begin with
REQUIRED = {  # maps with all these settings
    "word_embeddings": [
        "program",
        "model",
        "dim",
        "epoch",
        "words_read",
        "lr",
        "ws",
        "minCount",
        "minn",
        "maxn",
        "neg",
        "max_vocabulary",
    ],
    "duong": ["window", "negative", "epoch", "lr", "sample", "alpha", "delta", "combine"],
}
OWN = Registry(
    "settings",
    {
        "pretraining": "crosslingua.encoders.settings:Settings",
        "laser": "crosslingua.laser.settings:LaserSettings",
        "fine_tuning": "crosslingua.tasks.settings:FineTuning",
        "encoder_alignment": "crosslingua.encoder_alignment.settings:FineTuneSettings",
        "translation": "crosslingua.translation.settings:TranslationSettings",
        "word_embeddings": "crosslingua.word_embeddings.fasttext:FastText",
        "duong": "crosslingua.word_embeddings.settings:Duong",
    },
)
OF_MEMBERS = {"mapper": MAPPERS, "word_aligner": ALIGNERS, "tagger": TAGGERS}
NAMES = (*OWN, *(f"{family}.{name}" for family, members in OF_MEMBERS.items() for name in members))


@cache
def types_of(name: str) -> dict[str, Any] | None:
    """Return the type of each setting's value; None where no family has that name, which another check tells."""
    if (fields := settings(name)) is None:
        return None
    own = {key: _in_yaml(kind) for key, (kind, _) in fields.items()}
    if name in REQUIRED:
        return {key: _not_null(kind) for key, kind in own.items()}
    if name.startswith("search."):
        return {key: _several(_not_null(kind)) for key, kind in own.items()}
    grid = name.endswith(".grid")
    return {key: kind | _several(kind) | None if grid else kind | None for key, kind in own.items()}


def settings(name: str) -> Fields | None:
    """Return the settings that sections call `name`; None where no family has that name."""
    family, _, member = name.partition(".")
    if family in OWN:
        return _own(family)
    if member not in (members := OF_MEMBERS.get(family, MAPPERS)):  # `search`: of a mapper, or of these two
        if name == "search.joint_replace":
            return fields_of(OWN["word_embeddings"]) | {"probability": (Annotated[SomeShare, ""], MISSING)}
        return fields_of(OWN["duong"]) if name == "search.duong" else None
    if members is MAPPERS:
        return _mapper(member)
    own = fields_of(members.settings(member))
    if family == "word_aligner":
        return own
    training = fields_of(import_module("crosslingua.tasks.tagger_settings").TaggerTraining)
    return training | {f"{OF_TAGGER}{key}": field for key, field in own.items()}


def _own(family: str) -> Fields:
    own = dict(fields_of(OWN[family]))
    if (
        family == "pretraining"
    ):  # settings of all objectives too, with the name of the objective before the meaning
        for name in OBJECTIVES:
            for key, (kind, default) in fields_of(OBJECTIVES.settings(name)).items():
                own[key] = Annotated[kind, f"objective {name}: {kind.__metadata__[-1]}"], default
    if family == "word_embeddings":
        own = fields_of(OWN["duong"]) | own  # which gives max_vocabulary
    left_out = ("direction",) if family == "encoder_alignment" else ()  # which the workflow sets
    return {key: own[key] for key in REQUIRED.get(family, own) if key not in left_out}


def _mapper(name: str) -> Fields:
    """Return the settings of a mapper, with settings of mappers that it may wrap as `inner.niter`."""
    own = dict(fields_of(MAPPERS.settings(name)))
    if MAPPERS.member(name).inner:
        for other in (other for other in MAPPERS if not MAPPERS.member(other).inner):
            for key, (kind, default) in fields_of(MAPPERS.settings(other)).items():
                first, _ = own.get(f"{INNER}{key}", (kind, default))  # mappers may have settings of one name
                own[f"{INNER}{key}"] = Annotated[first | kind, ""], default
    return own


def _in_yaml(kind: Any) -> Any:
    """Return the type of a setting's value in YAML, where the words `true` and `false` are no text."""
    bare = get_args(kind)[0]
    worded = get_origin(bare) is Literal and "true" in get_args(bare)
    return Annotated[bare | bool, *kind.__metadata__] if worded else kind


def _several(kind: Any) -> Any:
    return Annotated[list[kind], Field(min_length=1)]


def _not_null(kind: Any) -> Any:
    bare, *told = get_args(kind)
    if type(None) not in get_args(bare):
        return kind
    return Annotated[next(one for one in get_args(bare) if one is not type(None)), *told]


@cache
def _adapter(name: str, key: str) -> TypeAdapter[Any]:
    return TypeAdapter((types_of(name) or {})[key])


def mistakes(name: str, values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the mistakes of a map of settings, as pydantic tells them."""
    if (known := types_of(name)) is None:
        return
    yield from unknown(values, known)
    for key in known:
        try:
            if key in values:
                _adapter(name, key).validate_python(values[key], strict=True)
            elif name in REQUIRED:
                yield {"type": "missing", "loc": (key,), "input": values}
        except ValidationError as error:
            yield from ({**each, "loc": (key, *each["loc"])} for each in error.errors())
        except ConfigError as error:
            yield {"type": "value_error", "loc": (key,), "input": values[key], "ctx": {"error": error}}


def unknown(values: Mapping[str, Any], legal: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield the keys that are none of the `legal` ones as mistakes."""
    for key in (key for key in values if key not in legal):
        yield {"type": "extra_forbidden", "loc": (str(key),), "input": values[key], "ctx": {"legal": legal}}
