"""Where the scores and predictions of every system, setting and language are."""

from __future__ import annotations

from crosslingua.papers.laser_taggers.encoders import lower
from crosslingua.papers.laser_taggers.scale import PAPER, seeds, systems, tested, trainings
from crosslingua.papers.laser_taggers.taggers import every_tagging
from crosslingua.workflow.fine_tuning import Prediction, scores_folder, tunings_folder
from crosslingua.workflow.results import MAIN
from crosslingua.workflow.tagging import Tagged, Tagging, taggings_folder
from crosslingua.workflow.workflow import Workflow


class Results:
    """Where the scores and predictions of every system, setting and language are; (task, setting, target) -> seeds."""

    def __init__(self, w: Workflow):
        self.w = w
        self._taggers: dict[tuple[str, str, str, str], Tagging] = {}
        for system, setting, tagging in every_tagging(w):
            for one in tagging.test:
                self._taggers.setdefault((system, tagging.task, setting, one.name), tagging)

    def has(self, system: str, task: str, setting: str, target: str) -> bool:
        """Whether a system is tested so."""
        if system in systems(self.w, "encoder"):
            known = any(one.name == setting for one in trainings(self.w, task))
            return known and target in tested(self.w, task, setting)
        return (system, task, setting, target) in self._taggers

    def seeds(self, system: str, task: str, setting: str, target: str) -> tuple[int, ...]:
        """Return the seeds of a system."""
        if system in systems(self.w, "encoder"):
            return tuple(seeds(self.w))
        return self._taggers[system, task, setting, target].seeds

    def score(self, system: str, task: str, setting: str, target: str, seed: int) -> str:
        """Return the file of scores."""
        return f"{scores_folder(self.w, PAPER, MAIN)}/{self._one(system, task, setting, target, seed).score}"

    def prediction(self, system: str, task: str, setting: str, target: str, seed: int) -> tuple[str, str]:
        """Return the file of predictions, and the folder of the job that makes it."""
        one = self._one(system, task, setting, target, seed)
        if isinstance(one, Tagged):
            folder = taggings_folder(self.w, PAPER)
            return f"{folder}/{one.path}", f"{folder}/{one.tagging.job}"
        folder = tunings_folder(self.w, PAPER)
        return f"{folder}/{one.path}", f"{folder}/{one.encoder}"

    def _one(self, system: str, task: str, setting: str, target: str, seed: int) -> Tagged | Prediction:
        if system in systems(self.w, "encoder"):
            encoder = systems(self.w)[system]["encoder"]
            return Prediction(encoder, seed, task, lower(setting), lower(target))
        return Tagged(self._taggers[system, task, setting, target], seed, target)
