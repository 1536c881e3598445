"""What mbert_align's table and figure say of a scale: shares, encoders, and why a cell is empty."""

from __future__ import annotations

from collections.abc import Iterator

from crosslingua.papers.mbert_align.transfers import (
    PAPER,
    UPPER,
    aligned,
    has_training,
    seeds,
    transfers,
)
from crosslingua.tasks.kinds import KINDS
from crosslingua.workflow import encoder_alignment
from crosslingua.workflow.encoder_alignment import WAYS
from crosslingua.workflow.origins import multilingual_origins
from crosslingua.workflow.results import MAIN, Drawing, TableRequest, rows_file, trained_on
from crosslingua.workflow.runs import languages, members
from crosslingua.workflow.workflow import Workflow

# The columns of the paper's table 3; a scale that has some of them says why it lacks the others.
PUBLISHED = {
    "ner": ("de", "nl", "es", "hy"),
    "slots": ("hi_atis", "tr_atis", "es_facebook", "th_facebook", "it_snips"),
}


def tables(w: Workflow) -> dict[str, TableRequest]:
    """Return table 3, with where its encoder comes from and why a cell is empty."""
    origin = multilingual_origins(w, [w.config[PAPER]["encoder"]])
    told = (origin, trained_on(w.config[PAPER]["share"]), *_reasons(w))
    return {"table3": TableRequest(note=" ".join(filter(None, told)))}


def _reasons(w: Workflow) -> list[str]:
    """Say what was not run, and why."""
    told: dict[str, list[str]] = {}
    for one in transfers(w):
        for system in WAYS:
            if reason := encoder_alignment.missing(w, aligned(w, one, system)):
                told.setdefault(f"{one.source}-{one.target}: {reason}", []).append(system)
    found = [
        f"Not run for {reason} ({', '.join(dict.fromkeys(systems))})." for reason, systems in told.items()
    ]
    return [*found, *_unread(w), *_without_upper_line(w), *_absent(w)]


def _unread(w: Workflow) -> Iterator[str]:
    """Say which targets are of a language that the encoder, pre-trained here, has read nothing of."""
    if "pretrained" in members(w)[w.config[PAPER]["encoder"]]:
        return
    found = [_column(one.task, one.tested) for one in transfers(w) if one.target not in languages(w)]
    if found:
        yield f"The encoder has read no text of the language of {', '.join(found)}."


def _column(task: str, name: str) -> str:
    return f"{KINDS[task].short} {name}"


def _without_upper_line(w: Workflow) -> Iterator[str]:
    """Say which targets have no training data, and so no upper line."""
    found = [_column(one.task, one.tested) for one in transfers(w) if not has_training(w, one)]
    if found:
        yield f"No {UPPER} for {', '.join(found)}: no data to train and select on."


def _absent(w: Workflow) -> Iterator[str]:
    """Say of the paper's columns that this scale has not why, where it has others of them."""
    had = {(one.task, one.tested) for one in transfers(w)}
    columns = [(task, name) for task, names in PUBLISHED.items() for name in names]
    told: dict[str, list[str]] = {}
    for task, name in columns if had & set(columns) else ():
        if (task, name) not in had:
            told.setdefault(_why_absent(w, task, name), []).append(_column(task, name))
    yield from (f"Empty columns: {', '.join(names)}: {reason}." for reason, names in told.items())


def _why_absent(w: Workflow, task: str, name: str) -> str:
    if name not in w.sources.sets[task]:
        return "the data are not at hand"
    is_read = w.sources.language(task, name) in languages(w)
    return "left out by the configuration" if is_read else "no text for the encoder to learn from"


def drawings(w: Workflow) -> dict[str, Drawing]:
    """Return figure 2, where two pairs have a distance."""
    if len({one.target for one in transfers(w) if encoder_alignment.bitext(w, one.source, one.target)}) < 2:
        return {}
    caption = f"Scale {w.config['scale']}; mean and deviation; number of seeds: {len(seeds(w))}."
    published = [f"reference/{PAPER}_{table}.csv" for table in ("table3", "fig2")]
    inputs = {"rows": [rows_file(w, PAPER, MAIN)], "published": published}
    return {"figure2": Drawing("figure2", inputs, {"caption": caption})}
