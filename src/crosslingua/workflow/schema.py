"""The schema of configurations and the page of all keys, from typed sections and settings. It imports every family."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from crosslingua import paper_folders
from crosslingua.registry import Registry
from crosslingua.settings import allowed, definitions, word
from crosslingua.workflow.sections import FORMS, SETTINGS, Configuration, Section

Schema = dict[str, Any]
NULL = {"type": "null"}
OF_TAGGER, INNER = "tagger.", "inner."  # what the settings of a tagger, or of a wrapped mapper, begin with
WORD_EMBEDDINGS = ("model", "dim", "epoch", "lr", "ws", "minCount", "minn", "maxn", "neg")
DUONG = ("window", "negative", "epoch", "lr", "sample", "alpha", "delta", "combine")


def whole_schema() -> Schema:
    """Return the schema of a configuration of all papers."""
    schema = section_schema(Configuration)
    for paper in paper_folders.names():
        if found := paper_folders.load(paper, "section"):
            schema["properties"][paper] = section_schema(found.SECTION)
    first = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Crosslingua configuration"}
    return {**first, **schema, "$defs": settings_schemas()}


def section_schema(section: type[Section]) -> Schema:
    """Return the schema of a section, with inner sections in place and settings by name."""
    schema = section.model_json_schema()
    return _plain(schema, schema.get("$defs", {}))


def _plain(schema: Any, inner: Mapping[str, Schema]) -> Any:
    """Return a schema with inner sections in their places, and `null` as one of the types."""
    if isinstance(schema, list):
        return [_plain(each, inner) for each in schema]
    if not isinstance(schema, dict):
        return schema
    name = str(schema.get("$ref", "")).removeprefix("#/$defs/")
    if name in inner:
        schema = inner[name] | {key: value for key, value in schema.items() if key != "$ref"}
    if SETTINGS in schema:
        schema = {**schema, "$ref": f"#/$defs/{schema[SETTINGS]}"}
    for pattern, value in schema.get("patternProperties", {}).items():  # names that users choose
        form = {"pattern": pattern, "description": FORMS[pattern]}
        names = {"propertyNames": form, "additionalProperties": value}
        schema = {key: own for key, own in schema.items() if key != "patternProperties"} | names
    if NULL in schema.get("anyOf", []):
        schema = _with_null(schema, inner)
    left_out = ("title", "default", "$defs", SETTINGS)
    plain = {}
    for key, value in schema.items():
        if key == "properties":  # whose keys are names
            plain[key] = {name: _plain(own, inner) for name, own in value.items()}
        elif key not in left_out:
            plain[key] = _plain(value, inner)
    return plain


def _with_null(schema: Schema, inner: Mapping[str, Schema]) -> Schema:
    """Return `anyOf: [X, null]` as X of two types; several types are one where they share no limit."""
    others = [_plain(each, inner) for each in schema["anyOf"] if each != NULL]
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    if any("$ref" in each or isinstance(each.get("type"), list) for each in others):
        return rest | {"anyOf": [*others, NULL]} if len(others) > 1 else rest | others[0]
    kinds = [each["type"] for each in others]
    if len(set(kinds)) < len(kinds):
        return rest | {"anyOf": [*others, NULL]}
    merged: Schema = {}
    for each in others:
        merged |= each
    if "enum" in merged:
        merged["enum"] = [*merged["enum"], None]
    return merged | rest | {"type": [*kinds, "null"]}


def settings_schemas() -> Schema:
    """Return the schemas of settings by the names that sections call them."""
    from crosslingua.encoder_alignment.settings import FineTuneSettings
    from crosslingua.encoders.objectives import OBJECTIVES
    from crosslingua.encoders.settings import Settings
    from crosslingua.laser.settings import LaserSettings
    from crosslingua.mappers import MAPPERS
    from crosslingua.taggers import TAGGERS
    from crosslingua.tasks.settings import FineTuning
    from crosslingua.tasks.tagger_settings import TaggerTraining
    from crosslingua.translation.settings import TranslationSettings
    from crosslingua.word_aligners import ALIGNERS
    from crosslingua.word_embeddings.duong import Duong
    from crosslingua.word_embeddings.fasttext import FastText

    objectives = _together({name: OBJECTIVES.settings(name) for name in OBJECTIVES})
    mappers = {name: _mapper(MAPPERS, name) for name in MAPPERS}
    duong, fasttext, tuning = definitions(Duong), definitions(FastText), definitions(FineTuning)
    found = {
        "pretraining": _values(definitions(Settings) | objectives),
        "laser": _values(definitions(LaserSettings)),
        "fine_tuning": _values(tuning),
        "fine_tuning.grid": _values(tuning, grid=True),
        "encoder_alignment": _values(
            {k: v for k, v in definitions(FineTuneSettings).items() if k != "direction"}
        ),
        "translation": _values(definitions(TranslationSettings)),
        "word_embeddings": _needed(fasttext, WORD_EMBEDDINGS, {"max_vocabulary": duong["max_vocabulary"]}),
        "duong": _needed(duong, DUONG, {}),
        "mappers": {
            "type": "object",
            "properties": {name: {"$ref": f"#/$defs/mapper.{name}"} for name in mappers},
            "additionalProperties": {"type": ["object", "null"]},
        },
    }
    found |= {f"mapper.{name}": _values(own) for name, own in mappers.items()}
    found |= {f"word_aligner.{name}": _values(definitions(ALIGNERS.settings(name))) for name in ALIGNERS}
    for name in TAGGERS:
        of_tagger = {f"{OF_TAGGER}{key}": own for key, own in definitions(TAGGERS.settings(name)).items()}
        found[f"tagger.{name}"] = _values(definitions(TaggerTraining) | of_tagger)
    chance = {"probability": {"type": "number", "exclusiveMinimum": 0, "maximum": 1}}
    searched = {**mappers, "duong": duong, "joint_replace": fasttext | chance}
    return found | {"search": _search(searched)}


def _together(kinds: Mapping[str, type]) -> Schema:
    return {
        key: own | {"description": f"objective {name}: {own['description']}"}
        for name, kind in kinds.items()
        for key, own in definitions(kind).items()
    }


def _mapper(mappers: Registry, name: str) -> Schema:
    """Return the settings of a mapper, with settings of a wrapped mapper as `inner.niter`."""
    own = definitions(mappers[name])
    wrapped = [other for other in mappers if mappers.member(name).inner and not mappers.member(other).inner]
    inner: dict[str, list[Schema]] = {}  # mappers may have settings of one name
    for key, value in (pair for other in wrapped for pair in definitions(mappers[other]).items()):
        bare = {part: told for part, told in value.items() if part not in ("description", "default")}
        kinds = inner.setdefault(f"{INNER}{key}", [])
        kinds += [bare] if bare not in kinds else []
    return own | {key: kinds[0] if len(kinds) == 1 else {"anyOf": kinds} for key, kinds in inner.items()}


def _values(settings: Schema, grid: bool = False) -> Schema:
    """Return the schema of a map of settings. Null removes a setting; with `grid` a list gives several values."""
    return {
        "type": ["object", "null"],
        "additionalProperties": False,
        "properties": {name: _value(own, grid) for name, own in settings.items()},
    }


def _value(own: Schema, grid: bool) -> Schema:
    """Return the schema of a setting's value in YAML, where words such as `true` are not text."""
    bare = {key: value for key, value in own.items() if key not in ("description", "default")}
    told = {key: own[key] for key in ("description", "default") if key in own}
    if "enum" in bare and "true" in bare["enum"]:
        bare = {"enum": [*bare["enum"], True, False]}
    several = {"type": "array", "minItems": 1, "items": bare}
    if "type" in bare and "enum" not in bare:
        kinds = [bare["type"]] if isinstance(bare["type"], str) else bare["type"]
        limits = {key: value for key, value in bare.items() if key != "type"}
        both = {"items": bare, "minItems": 1} if grid else {}
        return {"type": [*kinds, *(["array"] if grid else []), "null"], **limits, **both, **told}
    if "enum" in bare and not grid:
        return {"enum": [*bare["enum"], None], **told}
    return {"anyOf": [*bare.get("anyOf", [bare]), *([several] if grid else []), NULL], **told}


def _needed(settings: Schema, names: tuple[str, ...], more: Schema) -> Schema:
    own = {name: settings[name] for name in names} | more
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(own),
        "properties": {name: _without_null(value) for name, value in own.items()},
    }


def _without_null(own: Schema) -> Schema:
    if "anyOf" not in own:
        return own
    (one,) = [each for each in own["anyOf"] if each != NULL]
    return one | {key: value for key, value in own.items() if key != "anyOf"}


def _search(families: Mapping[str, Schema]) -> Schema:
    found = {}
    for family, settings in families.items():
        lists = {
            name: {"type": "array", "minItems": 1, "items": _without_null(own)}
            for name, own in settings.items()
        }
        found[family] = {"type": ["object", "null"], "additionalProperties": False, "properties": lists}
    maps = {"type": ["object", "null"]}
    return {"type": "object", "properties": found, "additionalProperties": maps}


def page(schema: Schema) -> str:
    """Return the page of all keys: type and range, default, meaning."""
    top = schema["properties"]
    sections = {name: own for name, own in top.items() if "properties" in own}
    plain = [row for name, own in top.items() if name not in sections for row in _rows(name, own)]
    papers = [name for name in paper_folders.names() if name in sections]
    parts = [HEAD, _table("## What is made", "", plain)]
    parts += [
        _table(f"## {name}", sections[name].get("description", ""), _rows(name, sections[name]))
        for name in [*(key for key in sections if key not in papers), *papers]
    ]
    parts.append(
        "# Settings\n\nWhat is not named is as published; `null` takes out what a file before named.\n"
    )
    for name, own in schema["$defs"].items():
        if name not in ("mappers", "search", "fine_tuning.grid"):
            rows = [(key, _type(value), value) for key, value in own["properties"].items()]
            rows = [row for row in rows if not row[0].startswith(INNER)]
            parts.append(_table(f"## {name}", OF_WHOM.get(name.partition(".")[0], ""), rows))
    return "\n".join(parts)


HEAD = """# Configuration

Every key of a configuration, by section, then the settings that sections take. `config.yaml` holds all keys with the
values of scale demo. `make docs` makes this page from `schemas/config.schema.json`.
"""
OF_WHOM = {
    "pretraining": "Of `pretrain.py`: `encoders.settings` and what stands over it.",
    "laser": "Of `train_laser.py`: `encoders.laser.settings`.",
    "fine_tuning": "Of `finetune.py`; where the key says so, a list is a grid.",
    "encoder_alignment": "Of `align_encoder.py --method finetune`: `mbert_align.finetune`.",
    "translation": "Of `train_translation.py`: `joint_align.translation.settings`.",
    "word_embeddings": "fastText, under its own names.",
    "duong": "Duong et al. 2016.",
    "mapper": "Under `mappers`, and of a system of `joint_align.systems`.",
    "word_aligner": "Of an aligner of `word_alignment.aligners`.",
    "tagger": "Of `train_tagger.py`.",
}


def _rows(way: str, schema: Schema) -> Iterator[tuple[str, str, Schema]]:
    """Yield (key, type, schema) of a section; `<name>` stands for names that users choose."""
    if "properties" not in schema or "." in way:
        yield way, _type(schema), schema
    for name, inner in schema.get("properties", {}).items():
        if "type" in inner or "$ref" in inner or "anyOf" in inner or "enum" in inner:
            yield from _rows(f"{way}.{name}", inner)
    more = schema.get("additionalProperties")
    if isinstance(more, dict) and "properties" in more:
        for name, inner in more["properties"].items():
            yield from _rows(f"{way}.<name>.{name}", inner)


def _table(title: str, told: str, rows: Iterable[tuple[str, str, Schema]]) -> str:
    lines = ["| key | type and range | default | meaning |", "|---|---|---|---|"]
    for key, kind, own in rows:
        default = f"`{word(own['default'])}`" if "default" in own else ""
        cells = (f"`{key}`", kind, default, own.get("description", ""))
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join([title, "", *([told, ""] if told else []), *lines, ""])


def _type(schema: Schema) -> str:
    if "$ref" in schema:
        return f"settings: {schema['$ref'].removeprefix('#/$defs/')}"
    if "anyOf" in schema:
        return " or ".join(map(_type, schema["anyOf"]))
    if "enum" in schema:
        return allowed({"enum": [value for value in schema["enum"] if value is not None]})
    kinds = schema.get("type", "anything")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    names = {"object": "keys with values", "array": "a list", "null": "null"}
    told = [names.get(kind) or allowed({**schema, "type": kind}) for kind in kinds]
    if "array" in kinds and "items" in schema and "description" not in schema["items"]:
        told[kinds.index("array")] = f"a list of {_type(schema['items'])}"
    return " or ".join(told)
