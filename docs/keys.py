"""The page of all keys of a configuration, from typed sections and settings."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import MISSING
from typing import Any, get_args, get_origin

from pydantic import TypeAdapter

from crosslingua import paper_folders
from crosslingua.mappers import INNER
from crosslingua.settings import allowed, word
from crosslingua.workflow import families
from crosslingua.workflow.configuration import whole_type
from crosslingua.workflow.sections import SETTINGS, inner_types, is_section, map_of

Row = tuple[str, str, str, str]
HEAD = """# Configuration

Every key of a configuration, by section, then the settings that sections take. `config.yaml` holds all keys with the
values of scale demo. `make docs` makes this page.
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


def page() -> str:
    """Return the page of all keys: type and range, default, meaning."""
    top = inner_types(whole_type(), whole_type().model_fields)
    sections = {name: kind for name, kind in top.items() if is_section(map_of(kind)[0])}
    plain = [row for name, kind in top.items() if name not in sections for row in _rows(name, kind)]
    papers = [name for name in paper_folders.names() if name in sections]
    parts = [HEAD, _table("## What is made", "", plain)]
    parts += [
        _table(f"## {name}", _meaning(sections[name]), list(_rows(name, sections[name]))[1:])
        for name in [*(key for key in sections if key not in papers), *papers]
    ]
    parts.append(
        "# Settings\n\nWhat is not named is as published; `null` takes out what a file before named.\n"
    )
    for name in families.NAMES:
        rows = [
            (key, _type(kind), "" if default is MISSING else f"`{word(default)}`", _meaning(kind))
            for key, (kind, default) in (families.settings(name) or {}).items()
            if not key.startswith(INNER)
        ]
        parts.append(_table(f"## {name}", OF_WHOM[name.partition(".")[0]], rows))
    return "\n".join(parts)


def _rows(way: str, kind: Any) -> Iterator[Row]:
    """Yield the row of a key, then those below it; `<name>` stands for names that users choose."""
    yield way, _type(kind), "", _meaning(kind)
    inner, _ = map_of(kind)
    if get_origin(inner) is dict:
        way, (inner, _) = f"{way}.<name>", map_of(get_args(inner)[1])
    for name, own in inner_types(inner, inner.model_fields).items() if is_section(inner) else ():
        yield from _rows(f"{way}.{name}", own)


def _meaning(kind: Any) -> str:
    """Return what a key means, last of its texts, or what its section is."""
    told = [part for part in getattr(kind, "__metadata__", ()) if isinstance(part, str) and part]
    inner, _ = map_of(kind)
    return told[-1] if told else inner.__doc__ if is_section(inner) else ""


def _table(title: str, told: str, rows: Iterable[Row]) -> str:
    lines = ["| key | type and range | default | meaning |", "|---|---|---|---|"]
    for key, *cells in rows:
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in (f"`{key}`", *cells)) + " |")
    return "\n".join([title, "", *([told, ""] if told else []), *lines, ""])


def _type(kind: Any) -> str:
    return _told(TypeAdapter(kind).json_schema())


def _told(schema: dict[str, Any]) -> str:
    """Return the legal values of a JSON schema in words."""
    if SETTINGS in schema:
        return f"settings: {re.sub('{.*}', '<name>', schema[SETTINGS])}"
    if "anyOf" in schema:
        return " or ".join(map(_told, schema["anyOf"]))
    kind = schema.get("type", "object")  # of a section there is a reference
    if kind == "array":
        return "a list" if "description" in schema["items"] else f"a list of {_told(schema['items'])}"
    return "keys with values" if kind == "object" and "enum" not in schema else allowed(schema)
