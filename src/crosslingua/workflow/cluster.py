"""What jobs ask a cluster for: memory and time that follow the scale, and grow with each attempt.

A rule states what the largest scale needs. A job asks first for what its stage took in a finished run of this scale,
and a pre-training for what its settings imply. What was killed asks for what the rule states, and then for more.
"""

import csv
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from crosslingua.encoders.settings import Settings, divided, from_mapping
from crosslingua.workflow.runs import MULTILINGUAL, Run, needs, runs, tokenisers
from crosslingua.workflow.workflow import Workflow, once

REFERENCE = Path("results/reference")
OVERHEAD = 600  # megabytes of the two Snakemakes that a cluster's job starts, and of its scripts' imports
CPU, GPU = (
    25e9,
    50e12,
)  # operations a second of a thread and of a GPU: a half and a sixth of docs/performance.md's
# Of docs/performance.md, "One GPU": tokens a second of 12 layers of 768 with 30,000 subwords, and DWA against TLM.
TOKENS, DWA = 574_000, 1.37
LONGEST = 10_000  # minutes: the week that most clusters allow


@dataclass(frozen=True)
class Need:
    """Memory in megabytes and time in minutes."""

    mem_mb: int
    runtime: int


@once
def measured(w: Workflow) -> dict[str, Need]:
    """Return what each stage's largest job took at most in finished runs of this scale: half as much memory again, and
    twice the time of all its jobs. {} where the scale has not been run.
    """
    memory: dict[str, float] = {}
    minutes: dict[str, float] = {}
    for path in (REFERENCE / w.scale / "costs.csv", Path(w.results, "costs.csv")):
        if not path.is_file():
            continue
        with path.open(encoding="utf-8", newline="") as stream:
            rows = [row for row in csv.DictReader(stream) if row["memory_mb"]]
        for stage in {row["stage"] for row in rows}:
            of_stage = [row for row in rows if row["stage"] == stage]
            memory[stage] = max(memory.get(stage, 0), *(float(row["memory_mb"]) for row in of_stage))
            minutes[stage] = max(minutes.get(stage, 0), sum(float(row["wall_minutes"]) for row in of_stage))
    return {
        stage: Need(OVERHEAD + ceil(1.5 * memory[stage]), 5 + ceil(2 * minutes[stage])) for stage in memory
    }


def grown(stated: int, first: int | None) -> Callable[..., int]:
    """Return a resource as a function of the attempt: `first`, then what the rule states, then its multiples."""
    begin = stated if first is None else min(first, stated)

    def asked(wildcards: object, attempt: int) -> int:
        return begin if attempt == 1 else max(begin * attempt, stated * (attempt - 1))

    return asked


def of_stage(w: Workflow, benchmark: str, stated: Mapping[str, int]) -> dict[str, Callable[..., int]]:
    """Return the resources of a rule by the attempt. The stage, perhaps with wildcards, names `benchmark`; `stated` are
    the rule's own.
    """
    stage = re.sub(r"\{[^{}]*\}", r"\\w*", benchmark.partition("/")[0].removesuffix(".tsv"))
    known = [need for name, need in measured(w).items() if re.fullmatch(stage, name)]
    first = {name: max((getattr(need, name) for need in known), default=None) for name in stated}
    return {name: grown(value, first[name]) for name, value in stated.items()}


def pretraining(w: Workflow, encoder: str, attempt: int, text_mb: float = 0) -> Need:
    """Return what the training of an encoder asks for at an attempt: twice as much at each."""
    need = _by_settings(w, runs(w)[encoder], text_mb)
    factor = 2 ** (attempt - 1)
    return Need((w.mem_mb or need.mem_mb) * factor, min(LONGEST, need.runtime * factor))


def _first(w: Workflow, run: Run) -> Run:
    """Return the run that a run starts from, over all runs between; itself where it starts from none."""
    while run.init in runs(w):
        run = runs(w)[run.init]
    return run


def _by_settings(w: Workflow, run: Run, text_mb: float) -> Need:
    """Return the memory of weights, of a batch and of the text, and the time of all steps."""
    if _first(w, run).init:  # a published encoder: its size is known when it has been fetched
        return Need(16_000, LONGEST)
    work = _work(w, run)
    shape, s, layers, vocabulary = work.shape, work.settings, work.layers, work.vocabulary
    weights = layers * work.block + (vocabulary + shape.max_positions) * shape.hidden
    # Peaks of trainings on a processor: 450 MB without model, batch and text; 16 bytes a weight; of a token of a batch
    # 4 * (17 * hidden + 4000) bytes a layer, and 8 a logit of those predicted; 4 bytes a byte of text.
    token = 4 * layers * (20 * shape.hidden + 5000) + 8 * s.mask_probability * vocabulary
    memory = OVERHEAD + 500 + (16 * weights + token * work.tokens / s.accumulate) / 2**20 + 5 * text_mb
    speed = GPU * w.gpus if w.gpus else CPU * w.threads
    return Need(ceil(memory), ceil(10 + 2 * work.of_step * s.steps / speed / 60))


@dataclass(frozen=True)
class Work:
    """What a training computes: the model's shape, the run's settings, layers that count, subwords, tokens a step."""

    shape: Settings
    settings: Settings
    layers: int
    vocabulary: int
    tokens: int

    @property
    def block(self) -> int:
        """The weights of a layer."""
        return 4 * self.shape.hidden**2 + 2 * self.shape.hidden * self.shape.feed_forward_size

    @property
    def of_step(self) -> float:
        """The operations of a step, forward and backward, where all rows are full."""
        logits = self.settings.mask_probability * self.vocabulary * self.shape.hidden
        return 6 * self.tokens * (self.layers * self.block + logits)


def _work(w: Workflow, run: Run) -> Work:
    """Return the work of a run. Its first run makes the weights; of a published encoder, the run's settings count."""
    begin = _first(w, run)
    shape, s = (from_mapping(divided(one.settings)[0]) for one in (begin, run))
    tokens = s.batch_size * (1 if s.batch_unit == "tokens" else s.max_length)
    tokens *= 2 if s.parallel == "summed" and needs(run.objective, "bitext") else 1
    layers = shape.layers * (3 if "span_corruption" in run.objective else 1)  # a decoder reads twice
    vocabulary = tokenisers(w)[begin.tokeniser or MULTILINGUAL].options["vocabulary_size"]
    return Work(shape, s, layers, vocabulary, tokens)


def gpu_hours(w: Workflow, encoder: str) -> tuple[float, str]:
    """Return the hours of training one seed of an encoder on an H200, at the speed of bf16, and its own precision."""
    run = runs(w)[encoder]
    timed = Settings(layers=12, hidden=768, heads=12)
    speed = TOKENS * Work(timed, timed, 12, 30_000, 1).of_step
    work = _work(w, run)
    hours = work.of_step * work.settings.steps * (DWA if "dwa" in run.objective else 1) / speed / 3600
    return hours, work.settings.precision
