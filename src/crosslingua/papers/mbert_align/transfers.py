"""Which sets are transferred from and to, and the encoders that are aligned for it."""

from __future__ import annotations

from dataclasses import dataclass

from crosslingua.workflow import encoder_alignment
from crosslingua.workflow.encoder_alignment import WAYS, AlignedEncoder
from crosslingua.workflow.labelled import chosen, transferred
from crosslingua.workflow.sources import present
from crosslingua.workflow.workflow import Workflow

PAPER, UPPER = "mbert_align", "target_language"


@dataclass(frozen=True)
class Transfer:
    """A task, the set that taggers are trained on and one that they are tested on, and the languages of both."""

    task: str
    trained: str
    tested: str
    source: str
    target: str

    @property
    def job(self) -> str:
        """The job that trains the taggers: one for all targets of a source set."""
        return f"{self.task}.{self.trained}"


def transfers(w: Workflow) -> list[Transfer]:
    """Return the transfers of a scale, in the order of the configuration."""
    return [
        Transfer(task, trained, tested, w.sources.language(task, trained), w.sources.language(task, tested))
        for task, sets in present(w.config[PAPER]["transfer"]).items()
        for trained, targets in sets.items()
        for tested in chosen(targets, transferred(w, task, trained))
    ]


def aligned(w: Workflow, one: Transfer, system: str) -> AlignedEncoder:
    """Return the aligned encoder of a system."""
    return AlignedEncoder(w.config[PAPER]["encoder"], system, one.source, one.target)


def aligned_encoders(w: Workflow) -> list[AlignedEncoder]:
    """Return the aligned encoders that can be made; the languages of two sets may be the same."""
    found = [aligned(w, one, system) for one in transfers(w) for system in WAYS]
    return [one for one in dict.fromkeys(found) if encoder_alignment.can_align(w, one)]


def has_training(w: Workflow, one: Transfer) -> bool:
    """Whether the target has data of its own to train and select on."""
    return {"train", "valid"} <= set(w.sources.splits(one.task, one.tested))


def seeds(w: Workflow) -> list[int]:
    """Return the seeds of taggers."""
    return w.config[PAPER]["seeds"] or w.seeds
