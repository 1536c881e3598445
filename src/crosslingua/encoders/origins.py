"""Where the encoders of a scale come from, in a sentence for its tables: published, or trained here and how large."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from crosslingua.encoders.runs import Run, align_mlm_runs, main_cells, multilingual_runs
from crosslingua.encoders.settings import divided, from_mapping

Config = Mapping[str, Any]


def multilingual_origins(config: Config, names: Iterable[str]) -> str:
    """Say what the named encoders of several languages are: `xlmr: FacebookAI/xlm-roberta-base.`"""
    members, runs = config["encoders"]["multilingual"]["members"], multilingual_runs(config)
    return " ".join(
        f"{name}: {_trained(runs[name]) if name in runs else _published(members[name])}." for name in names
    )


def align_mlm_origins(config: Config) -> str:
    """Say how the encoders of align_mlm's main table were trained; those that differ are told apart."""
    runs = align_mlm_runs(config)
    told: dict[str, list[str]] = {}
    for cell in main_cells(config["align_mlm"]):
        told.setdefault(_trained(runs[cell.encoder]), []).append(cell.system)
    if len(told) == 1:
        return f"Encoders: {next(iter(told))}."
    return " ".join(f"{', '.join(dict.fromkeys(systems))}: {text}." for text, systems in told.items())


def _published(member: Config) -> str:
    return "@".join(filter(None, (member["pretrained"], member.get("revision"))))


def _trained(run: Run) -> str:
    """Say how a run trains: from which encoder or of which size, how long, on how many languages."""
    s = from_mapping(divided(run.settings)[0])
    begin = f"continued from {run.init}" if run.init else f"{s.layers} layers of {s.hidden} dimensions"
    return f"trained here ({begin}, {s.steps:,} steps of {s.batch_size:,} {s.batch_unit})"
