"""What jobs ask a cluster for: memory and time that follow the scale, and grow with each attempt.

A rule states what the largest scale needs. A job asks first for what its stage took in a finished run of this scale,
and a pre-training for what its settings imply. What was killed asks for what the rule states, and then for more.
"""

import csv
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, prod
from pathlib import Path

from crosslingua.encoders.settings import Settings, divided, from_mapping
from crosslingua.tasks.kinds import kind_of
from crosslingua.workflow.fine_tuning import Tuning, chosen_on, fine_tunings
from crosslingua.workflow.runs import MULTILINGUAL, Run, members, needs, runs, tokenisers
from crosslingua.workflow.tagging import set_size
from crosslingua.workflow.workflow import Workflow, once

REFERENCE = Path("results/reference")
OVERHEAD = 600  # megabytes of the two Snakemakes that a cluster's job starts, and of its scripts' imports
CPU, GPU = (
    25e9,
    50e12,
)  # operations a second of a thread and of a GPU: a half and a sixth of docs/performance.md's
# Of docs/performance.md, "One GPU": tokens a second of 12 layers of 768 with 30,000 subwords, and DWA against TLM.
TOKENS, DWA = 567_000, 1.34
# Of the same table: fine-tuning of the same encoder in fp32, subwords a second (800 sentences of 40).
TUNED = 32_000
# Words of an item of English data, counted: of CoNLL-2003, UD, SNIPS, XNLI, PAWS-X, and XQuAD with its paragraph.
WORDS = {"ner": 14, "pos": 18, "slots": 9, "nli": 28, "paraphrase": 43, "qa": 137}
SUBWORDS = 1.4  # of a word, with special ones: taken, not counted
# Layers and hidden size of published encoders. mT5 has a decoder as large as its encoder.
PUBLISHED = {
    "google-bert/bert-base-multilingual-cased": (12, 768), "FacebookAI/xlm-mlm-100-1280": (16, 1280),
    "FacebookAI/xlm-mlm-tlm-xnli15-1024": (12, 1024), "FacebookAI/xlm-roberta-base": (12, 768),
    "microsoft/xlm-align-base": (12, 768), "google/mt5-base": (24, 768),
}  # fmt: skip
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


def pretraining_hours(w: Workflow, encoder: str) -> tuple[float, str]:
    """Return the hours of training one seed of an encoder on an H200, at the speed of bf16, and its own precision."""
    run = runs(w)[encoder]
    timed = Settings(layers=12, hidden=768, heads=12)
    speed = TOKENS * Work(timed, timed, 12, 30_000, 1).of_step
    work = _work(w, run)
    hours = work.of_step * work.settings.steps * (DWA if "dwa" in run.objective else 1) / speed / 3600
    return hours, work.settings.precision


def tuning_hours(w: Workflow, paper: str, encoder: str, chooses: bool = False) -> float | None:
    """Return the hours on an H200 of fine-tuning an encoder of a paper with all seeds, or of choosing its settings.

    An item is read forward and backward in each epoch of training, and forward in validation after it, as far as the
    number of items is known. None where the sizes of the encoder or of training data are unknown.
    """
    found = [one for group in fine_tunings(w, paper).values() for one in group if one.encoder == encoder]
    works = [_tuning_work(w, one, chooses) for one in found]
    block = _weights_of_layers(w, encoder)
    if block is None or None in works:
        return None
    base = 12 * (4 * 768**2 + 2 * 768 * 3072)
    return sum(works) * block / (TUNED * base) / 3600


def _tuning_work(w: Workflow, tuning: Tuning, chooses: bool) -> float | None:
    """Return the subwords that are read forward and backward; to read forward alone is a third of both."""
    work = 0.0
    for task, name in chosen_on(tuning) if chooses else tuning.train:
        given = tuning.settings.get(task) or {}
        tried = {key: value if isinstance(value, list) else [value] for key, value in given.items()}
        epochs = tried.pop("epochs", [kind_of(task).epochs])
        points = prod(map(len, tried.values()))
        # The first seed's model of a search is kept. The mean of several epochs stands for the one that is chosen.
        seeds = len(tuning.encoders(w)) - (task in tuning.grids)
        passes = sum(epochs) * points if chooses else sum(epochs) / len(epochs) * seeds
        validated = [one for one in tuning.joint if one[0] == task] or [(task, name)]
        size = set_size(w, task, name, "train")
        if size is None:
            return None
        items = (
            max(tried.get("share", [1])) * size
            + sum(set_size(w, *one, "valid") or 0 for one in validated) / 3
        )
        work += passes * items * WORDS[kind_of(task).data_kind] * SUBWORDS
    return work


def _weights_of_layers(w: Workflow, encoder: str) -> int | None:
    """Return the weights of an encoder's layers; None of a published one that is not known here."""
    while encoder in runs(w) and runs(w)[encoder].init:
        encoder = runs(w)[encoder].init
    if encoder in runs(w):
        work = _work(w, runs(w)[encoder])
        return work.layers * work.block
    shape = PUBLISHED.get(members(w)[encoder].pretrained) if encoder in members(w) else None
    return shape and shape[0] * 12 * shape[1] ** 2
