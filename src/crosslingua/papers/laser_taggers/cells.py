"""What laser_taggers asks for: every system, trained in every setting, tested on every language, and compared.

A system is one of `embedder` (a member of EMBEDDERS, most on LASER), `vectors` (mapped word vectors: a system of
joint_align, one tagger a language pair) or `encoder` (fine-tuned whole); two controls, `random` vectors and the
`majority` tag, are run in the zero-shot setting.
"""

from __future__ import annotations

from crosslingua.papers.laser_taggers.checks import check
from crosslingua.papers.laser_taggers.compared import comparisons
from crosslingua.papers.laser_taggers.encoders import fine_tunings, mixtures
from crosslingua.papers.laser_taggers.rows import cells, lexicons
from crosslingua.papers.laser_taggers.scale import PAPER, seeds, systems
from crosslingua.papers.laser_taggers.shown import drawings, tables
from crosslingua.papers.laser_taggers.taggers import every_tagging
from crosslingua.workflow.comparisons import comparisons_folder
from crosslingua.workflow.encoders import runs_read
from crosslingua.workflow.fine_tuning import scores_folder
from crosslingua.workflow.laser import LASER
from crosslingua.workflow.lexicons import lexicon_jobs
from crosslingua.workflow.results import MAIN
from crosslingua.workflow.tagging import Tagging, taggings_folder
from crosslingua.workflow.workflow import Workflow

__all__ = (
    "cells", "check", "comparisons", "drawings", "encoder_runs", "evidence", "fine_tunings", "groups", "mixtures",
    "scores", "tables", "taggings",
)  # fmt: skip


def groups(w: Workflow) -> list[str]:
    """Return the groups of cells."""
    return [MAIN]


def taggings(w: Workflow) -> dict[str, list[Tagging]]:
    """Return the taggers."""
    return {MAIN: [tagging for _, _, tagging in every_tagging(w)]}


def evidence(w: Workflow, group: str) -> dict[str, list[str]]:
    """Return what claims are tested on besides: taggers whose reports tell their scores on sentences of training."""
    jobs = {one.job for _, _, one in every_tagging(w) if one.settings.get("score_training")}
    return {"taggers": [f"{taggings_folder(w, PAPER)}/{job}" for job in sorted(jobs)]}


def encoder_runs(w: Workflow) -> dict[int, int]:
    """Return which training of the encoders the run of each seed reads."""
    named = [one["encoder"] for one in systems(w, "encoder").values()]
    return runs_read(w, [LASER, *named], w.tagged_encoder_seeds, seeds(w))


def scores(w: Workflow, group: str) -> list[str]:
    """Return the folders of scores."""
    found = [scores_folder(w, PAPER, MAIN)]
    found += [comparisons_folder(w, PAPER)] if comparisons(w) else []
    return found + lexicon_jobs(w, (path for _, path in lexicons(w)))
