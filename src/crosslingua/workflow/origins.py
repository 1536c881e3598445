"""Where the encoders of a scale come from, in a sentence for its tables: published, or trained here and how large."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from crosslingua.encoders.settings import divided, from_mapping
from crosslingua.errors import ConfigError
from crosslingua.workflow.runs import Run, members, runs
from crosslingua.workflow.workflow import Workflow


def multilingual_origins(w: Workflow, names: Iterable[str]) -> str:
    """Say what the named encoders of several languages are: `xlmr: FacebookAI/xlm-roberta-base.`"""
    trained, known = runs(w), members(w)
    told = {name: origin(trained[name]) if name in trained else _published(known[name]) for name in names}
    return " ".join(f"{name}: {text}." for name, text in told.items())


def told_apart(found: Mapping[str, Run]) -> str:
    """Say how encoders were trained, by the names of their systems; those that differ are told apart."""
    told: dict[str, list[str]] = {}
    for name, run in found.items():
        told.setdefault(origin(run), []).append(name)
    if len(told) == 1:
        return f"Encoders: {next(iter(told))}."
    return " ".join(f"{', '.join(names)}: {text}." for text, names in told.items())


def origin(run: Run) -> str:
    """Say how a run trains: from which encoder or of which size, and how long."""
    s = from_mapping(divided(run.settings)[0])
    begin = f"continued from {run.init}" if run.init else f"{s.layers} layers of {s.hidden} dimensions"
    return f"trained here ({begin}, {s.steps:,} steps of {s.batch_size:,} {s.batch_unit})"


def check_settings(w: Workflow) -> None:
    """Raise ConfigError for an encoder whose settings contradict each other, before tables tell of them."""
    for name, run in runs(w).items():
        try:
            from_mapping(divided(run.settings)[0])
        except ConfigError as error:
            raise ConfigError(
                f"settings of the encoder {name} (encoders.settings and its own): {error}"
            ) from None


def _published(member: Mapping[str, Any]) -> str:
    return "@".join(filter(None, (member["pretrained"], member.get("revision"))))
