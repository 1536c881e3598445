"""Jobs of encoder alignment: encoders of several languages, aligned for a pair in one of six ways.

A paper's `experiments.py` returns `aligned_encoders(w) -> [AlignedEncoder, ...]`. `aligned_folder(w, aligned, seed)`
holds each. A tuned one is an encoder for both languages. Of the others the embedder `encoder_layers` takes
`rotations.safetensors`, for the words of the source:

    aligned = AlignedEncoder("mbert", "rotate_parallel", "en", "de")
    Embedding("en-de", "encoder_layers", {"encoder": In(encoder), "rotations": aligned_folder(w, aligned, seed)})
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from crosslingua.encoder_alignment import DICTIONARY, ENCODER_ALIGNMENTS, PARALLEL
from crosslingua.workflow.encoders import encoder_folder, run_of_each
from crosslingua.workflow.jobs import In, Job
from crosslingua.workflow.labelled import side_of, training_bitext
from crosslingua.workflow.sources import dictionaries_of
from crosslingua.workflow.text import dictionary_folder
from crosslingua.workflow.vectors import SIDES
from crosslingua.workflow.word_alignment import bitext_links
from crosslingua.workflow.workflow import Workflow, pair_languages, settings_words

# The section whose settings hold for all papers that ask for aligned encoders.
SECTION = "mbert_align"


@dataclass(frozen=True)
class Way:
    """A way to align: a member of ENCODER_ALIGNMENTS, what supervises it, and the direction in which it tunes."""

    method: str
    supervision: str = PARALLEL
    direction: str = ""


WAYS = {
    "rotate_dict": Way("rotate", DICTIONARY),
    "norm_rotate_dict": Way("norm_rotate", DICTIONARY),
    "rotate_parallel": Way("rotate"),
    "norm_rotate_parallel": Way("norm_rotate"),
    "finetune_tgt_to_src": Way("finetune", direction="tgt_to_src"),
    "finetune_src_to_tgt": Way("finetune", direction="src_to_tgt"),
}
TUNED = tuple(name for name, way in WAYS.items() if way.direction)


@dataclass(frozen=True)
class AlignedEncoder:
    """An encoder, aligned for two languages in one of WAYS."""

    encoder: str
    system: str
    source: str
    target: str

    @property
    def pair(self) -> str:
        """The languages in paths."""
        return f"{self.source}-{self.target}"

    @property
    def way(self) -> Way:
        """How it is aligned."""
        return WAYS[self.system]


def folder(w: Workflow) -> str:
    """Return the folder of aligned encoders."""
    return f"{w.results}/encoder_alignment"


def aligned_folder(w: Workflow, aligned: AlignedEncoder, seed: object) -> In:
    """Return the folder of an aligned encoder, of the encoder's training run `seed`. One job makes all rotations."""
    of_run, name = f"{folder(w)}/{aligned.encoder}/seed{seed}", f"{aligned.pair}.{aligned.system}"
    if aligned.way.direction:
        return In(f"{of_run}/{name}")
    return In(f"{of_run}/rotations/{name}", f"{of_run}/rotations")


def report_file(w: Workflow, aligned: AlignedEncoder, seed: object) -> In:
    """Return the report of an alignment, with the distance between the centroids of the languages."""
    folder = aligned_folder(w, aligned, seed)
    return In(f"{folder}/alignment.json", folder.made_by)


def bitext(w: Workflow, source: str, target: str) -> str:
    """Return the training bitext of two languages, in either order; "" where there is none."""
    return next(iter(training_bitext(w, (source, target))), "")


def dictionary(w: Workflow, source: str, target: str) -> str:
    """Return the dictionary of two languages; "" where there is none."""
    return next(iter(dictionaries_of(w.sources, (source, target), w.datasets)), "")


def missing(w: Workflow, aligned: AlignedEncoder) -> str:
    """Name the data that are missing to align two languages; "" if none are."""
    if not bitext(w, aligned.source, aligned.target):
        return "no parallel text"
    lacks = aligned.way.supervision == DICTIONARY and not dictionary(w, aligned.source, aligned.target)
    return "no dictionary" if lacks else ""


def can_align(w: Workflow, aligned: AlignedEncoder) -> bool:
    """Whether the pair has the data that the alignment learns from."""
    return not missing(w, aligned)


def every_aligned(w: Workflow) -> list[AlignedEncoder]:
    """Return the aligned encoders of all papers."""
    return w.of_papers(lambda paper: paper.aligned_encoders())


def encoders(w: Workflow) -> list[str]:
    """Return the encoders that are aligned."""
    return list(dict.fromkeys(aligned.encoder for aligned in every_aligned(w)))


def rotated_runs(w: Workflow, encoder: str) -> list[int]:
    """Return the training runs of an encoder that are rotated. Rotations draw nothing, so a published one has one."""
    return list(dict.fromkeys(run_of_each(w, encoder, w.tagged_encoder_seeds)))


def encoder_alignment_jobs(w: Workflow) -> Iterator[Job]:
    """Yield the jobs that align encoders, one a training run, and the job that measures distances of languages."""
    every = every_aligned(w)
    for encoder, seed in product(encoders(w), w.tagged_encoder_seeds):
        name = f"align_encoder/{encoder}.seed{seed}"
        rotated = [one for one in every if one.encoder == encoder and not one.way.direction]
        # The encoders of a pair stand together, since they read the same text.
        rotated.sort(key=lambda aligned: (aligned.pair, list(WAYS).index(aligned.system)))
        if seed in rotated_runs(w, encoder):
            yield _alignment_job(w, f"{name}.rotations", rotated, seed)
        tuned = [one for one in every if one.encoder == encoder and one.way.direction]
        for source, target in dict.fromkeys((one.source, one.target) for one in tuned):
            both = [AlignedEncoder(encoder, system, source, target) for system in TUNED]
            yield _alignment_job(w, f"{name}.{source}-{target}", both, seed)
    of_pairs = {aligned.pair: aligned for aligned in every}
    lines = [
        {
            **text_of_pair(w, one),
            "reversed": is_reversed(w, one),
            "lowercase": w.config.text.lowercase,
            "languages": [one.source, one.target],
            "out": str(distance_file(w, one.source, one.target)),
        }
        for one in of_pairs.values()
    ]
    yield Job("measure_distance.py", "measure_distance", lines)


def _alignment_job(w: Workflow, name: str, every: list[AlignedEncoder], seed: int) -> Job:
    members = sorted({ENCODER_ALIGNMENTS.module(aligned.way.method) for aligned in every})
    lines = [_line(w, aligned, seed) for aligned in every]
    return Job("align_encoder.py", name, lines, {"threads": w.threads} | w.on_gpu, members)


def text_of_pair(w: Workflow, aligned: AlignedEncoder) -> dict[str, In]:
    """Return the two texts that an alignment reads, and their links."""
    name = bitext(w, aligned.source, aligned.target)
    first = is_reversed(w, aligned)
    sides = {side: In(side_of(w, "bitext", name, place ^ first)) for place, side in enumerate(SIDES)}
    return sides | {"links": In(bitext_links(w, name))}


def is_reversed(w: Workflow, aligned: AlignedEncoder) -> bool:
    """Whether the parallel text, and so its links, goes from target to source."""
    return pair_languages(bitext(w, aligned.source, aligned.target))[0] != aligned.source


def _line(w: Workflow, aligned: AlignedEncoder, seed: int) -> dict[str, Any]:
    """Return the line of an alignment. Only tuning has settings, and only rotations read a dictionary."""
    way, settings, reads = aligned.way, {}, {}
    if way.direction:
        settings = {"direction": way.direction, **(w.section(SECTION).finetune or {})}
    elif name := dictionary(w, aligned.source, aligned.target):
        reads = {"dictionary": In(f"{dictionary_folder(w, f'{aligned.pair}.{name}')}/train.txt")}
    return {
        "method": way.method,
        "supervision": way.supervision,
        "encoder": In(encoder_folder(w, aligned.encoder, seed)),
        "languages": [aligned.source, aligned.target],
        **text_of_pair(w, aligned),
        **reads,
        "reversed": is_reversed(w, aligned),
        "lowercase": w.config.text.lowercase,
        "sentences": w.section(SECTION).sentences,
        "set": settings_words(settings),
        "seed": seed,
        "out": str(aligned_folder(w, aligned, seed)),
    }


def distances_folder(w: Workflow) -> str:
    """Return the folder of the distances between languages, which are measured on one parallel text."""
    return f"{w.results}/language_distance"


def distance_file(w: Workflow, source: str, target: str) -> In:
    """Return the distance of two languages."""
    return In(f"{distances_folder(w)}/{source}-{target}.json", distances_folder(w))
