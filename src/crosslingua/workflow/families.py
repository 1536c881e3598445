"""The types of the settings that sections name (`settings_of`); a family is imported where its settings are needed."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import Field, TypeAdapter, ValidationError

from crosslingua.encoders.objectives import OBJECTIVES
from crosslingua.errors import ConfigError
from crosslingua.mappers import INNER, MAPPERS
from crosslingua.settings import SomeShare, fields_of
from crosslingua.taggers import TAGGERS
from crosslingua.word_aligners import ALIGNERS

Fields = dict[str, tuple[Any, Any]]  # of settings: type and default
OF_TAGGER = "tagger."  # what the settings of a tagger begin with
WORD_EMBEDDINGS = ("model", "dim", "epoch", "lr", "ws", "minCount", "minn", "maxn", "neg")
DUONG = ("window", "negative", "epoch", "lr", "sample", "alpha", "delta", "combine")
NAMES = (
    "pretraining", "laser", "fine_tuning", "encoder_alignment", "translation", "word_embeddings", "duong",
    *(f"mapper.{name}" for name in MAPPERS), *(f"word_aligner.{name}" for name in ALIGNERS),
    *(f"tagger.{name}" for name in TAGGERS),
)  # fmt: skip
REQUIRED = ("word_embeddings", "duong")  # maps with all their settings


@cache
def types_of(name: str) -> dict[str, Any] | None:
    """Return the type of each setting's value; None where no family has that name, which another check tells."""
    if (fields := settings(name)) is None:
        return None
    own = {key: _in_yaml(kind) for key, (kind, _) in fields.items()}
    if name.startswith("search."):
        return {key: _several(_not_null(kind)) for key, kind in own.items()}
    if name in REQUIRED:
        return {key: _not_null(kind) for key, kind in own.items()}
    return {
        key: (kind | _several(kind) if name.endswith(".grid") else kind) | None for key, kind in own.items()
    }


def settings(name: str) -> Fields | None:
    """Return the settings that sections call `name`; None where no family has that name."""
    family, _, member = name.partition(".")
    if family == "search":
        return _mapper(member) if member in MAPPERS else _searched(member)
    if family in ("mapper", "word_aligner", "tagger") and name not in NAMES:
        return None
    return _family(family, member)


def _family(family: str, member: str) -> Fields:
    match family:
        case "pretraining":
            from crosslingua.encoders.settings import Settings

            return fields_of(Settings) | _of_objectives()
        case "laser":
            from crosslingua.laser.settings import LaserSettings

            return fields_of(LaserSettings)
        case "fine_tuning":
            from crosslingua.tasks.settings import FineTuning

            return fields_of(FineTuning)
        case "encoder_alignment":
            from crosslingua.encoder_alignment.settings import FineTuneSettings

            return {key: kind for key, kind in fields_of(FineTuneSettings).items() if key != "direction"}
        case "translation":
            from crosslingua.translation.settings import TranslationSettings

            return fields_of(TranslationSettings)
        case "word_embeddings":
            from crosslingua.word_embeddings.duong import Duong
            from crosslingua.word_embeddings.fasttext import FastText

            own = fields_of(FastText)
            return {key: own[key] for key in WORD_EMBEDDINGS} | {
                "max_vocabulary": fields_of(Duong)["max_vocabulary"]
            }
        case "duong":
            from crosslingua.word_embeddings.duong import Duong

            return {key: fields_of(Duong)[key] for key in DUONG}
        case "mapper":
            return _mapper(member)
        case "word_aligner":
            return fields_of(ALIGNERS.settings(member))
    from crosslingua.tasks.tagger_settings import TaggerTraining

    own = fields_of(TAGGERS.settings(member))
    return fields_of(TaggerTraining) | {f"{OF_TAGGER}{key}": kind for key, kind in own.items()}


def _of_objectives() -> Fields:
    """Return the settings of all objectives, each with the name of its objective before the meaning."""
    return {
        key: (Annotated[kind, f"objective {name}: {kind.__metadata__[-1]}"], default)
        for name in OBJECTIVES
        for key, (kind, default) in fields_of(OBJECTIVES.settings(name)).items()
    }


def _mapper(name: str) -> Fields:
    """Return the settings of a mapper, with settings of mappers that it may wrap as `inner.niter`."""
    own = dict(fields_of(MAPPERS.settings(name)))
    if MAPPERS.member(name).inner:
        for other in (other for other in MAPPERS if not MAPPERS.member(other).inner):
            for key, (kind, default) in fields_of(MAPPERS.settings(other)).items():
                first, _ = own.get(f"{INNER}{key}", (kind, default))  # mappers may have settings of one name
                own[f"{INNER}{key}"] = Annotated[first | kind, ""], default
    return own


def _searched(family: str) -> Fields | None:
    from crosslingua.word_embeddings.duong import Duong
    from crosslingua.word_embeddings.fasttext import FastText

    of_replacing = fields_of(FastText) | {"probability": (Annotated[SomeShare, ""], None)}
    return {"duong": fields_of(Duong), "joint_replace": of_replacing}.get(family)


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


def mistakes(name: str, values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the mistakes of a map of settings, as pydantic tells them."""
    known = types_of(name)
    if known is None:
        return
    for key, value in values.items():
        if key not in known:
            yield unknown(key, values, known)
            continue
        try:
            TypeAdapter(known[key]).validate_python(value, strict=True)
        except ValidationError as error:
            yield from ({**each, "loc": (key, *each["loc"])} for each in error.errors())
        except ConfigError as error:
            yield {"type": "value_error", "loc": (key,), "input": value, "ctx": {"error": error}}
    for key in known if name in REQUIRED else ():
        if key not in values:
            yield {"type": "missing", "loc": (key,), "input": values}


def unknown(key: str, values: Mapping[str, Any], legal: Iterable[str]) -> dict[str, Any]:
    """Return the mistake of a key that is none of the `legal` ones."""
    return {
        "type": "extra_forbidden",
        "loc": (str(key),),
        "input": values[key],
        "ctx": {"legal": list(legal)},
    }
