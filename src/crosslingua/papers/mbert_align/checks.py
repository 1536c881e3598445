"""What is refused in mbert_align's section of the configuration."""

from __future__ import annotations

from crosslingua.errors import ConfigError
from crosslingua.names import check_defined
from crosslingua.papers.mbert_align.transfers import PAPER, transfers
from crosslingua.tasks.kinds import KINDS
from crosslingua.workflow.labelled import by_name
from crosslingua.workflow.runs import check_encoders, members
from crosslingua.workflow.sources import present
from crosslingua.workflow.workflow import Workflow


def check(w: Workflow) -> None:
    """Raise ConfigError when the section names an encoder, task or set that is not there, or cannot be used."""
    section = w.config[PAPER]
    check_encoders(w)
    check_defined(f"{PAPER}.encoder", section["encoder"], members(w), "encoders.multilingual.members")
    tagged = [name for name, kind in KINDS.items() if kind.tagged]
    check_defined(f"{PAPER}.transfer", present(section["transfer"]), tagged, "the tasks of tags")
    for task, sets in present(section["transfer"]).items():
        for trained, targets in present(sets).items():
            named = [trained, *by_name(targets)] if isinstance(targets, list) else []
            check_defined(
                f"{PAPER}.transfer.{task}.{trained}", named, w.sources.sets[task], f"data of {task}"
            )
    for one in transfers(w):
        key = f"{PAPER}.transfer.{one.task}.{one.trained}"
        if one.source == one.target:
            raise ConfigError(
                f"{key}: {one.tested} is of {one.source}, the language of training: name a set of another"
            )
        _check_splits(w, key, one.task, one.trained, ("train", "valid"))
        _check_splits(w, key, one.task, one.tested, ("test",))
    if not transfers(w):
        raise ConfigError(
            f"{PAPER}.transfer: names nothing that there are data of{_unpaired(w)}; name sets of a data sheet,"
            f" as ner: {{en: [de]}}, or leave {PAPER} out of `papers`"
        )


def _unpaired(w: Workflow) -> str:
    """Say which languages of training begin no pair, from which `pairs` give no target."""
    named = [
        w.sources.language(task, trained)
        for task, sets in present(w.config[PAPER]["transfer"]).items()
        for trained in sets
        if trained in w.sources.sets[task]
    ]
    lacking = dict.fromkeys(one for one in named if one not in {source for source, _ in w.pairs})
    return f" (no pair of `pairs` begins with {', '.join(lacking)})" if lacking else ""


def _check_splits(w: Workflow, key: str, task: str, name: str, wanted: tuple[str, ...]) -> None:
    lacking = [split for split in wanted if split not in w.sources.splits(task, name)]
    if lacking:
        raise ConfigError(f"{key}: the set {name!r} has no {' and no '.join(lacking)} data")
