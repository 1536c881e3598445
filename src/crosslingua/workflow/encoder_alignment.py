"""Jobs of encoder alignment: encoders of several languages, aligned for a pair in one of six ways.

A paper returns its `aligned_encoders() -> [AlignedEncoder, ...]`, and `EncoderAlignment.folder(aligned, seed)` holds
each. A tuned one is an encoder for both languages. Of the others the embedder `encoder_layers` takes
`rotations.safetensors`, for the words of the source:

    aligned = AlignedEncoder("mbert", "rotate_parallel", "en", "de")
    rotations = w.stage(EncoderAlignment).folder(aligned, seed)
    Embedding("en-de", "encoder_layers", {"encoder": In(encoder), "rotations": rotations})
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

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


class EncoderAlignment:
    """The aligned encoders of all papers, their data and files. Open it with `Workflow.stage`."""

    def __init__(self, w: Workflow):
        self.w = w

    def folder(self, aligned: AlignedEncoder, seed: object) -> In:
        """Return the folder of an aligned encoder, of a training run of the encoder. One job makes all rotations."""
        of_run = f"{self.w.results}/encoder_alignment/{aligned.encoder}/seed{seed}"
        name = f"{aligned.pair}.{aligned.system}"
        if aligned.way.direction:
            return In(f"{of_run}/{name}")
        return In(f"{of_run}/rotations/{name}", f"{of_run}/rotations")

    def report_file(self, aligned: AlignedEncoder, seed: object) -> In:
        """Return the report of an alignment, with the distance between the centroids of the languages."""
        folder = self.folder(aligned, seed)
        return In(f"{folder}/alignment.json", folder.made_by)

    def distance_file(self, source: str, target: str) -> In:
        """Return the distance of two languages, which is measured on one parallel text."""
        folder = f"{self.w.results}/language_distance"
        return In(f"{folder}/{source}-{target}.json", folder)

    def bitext(self, source: str, target: str) -> str:
        """Return the training bitext of two languages, in either order; "" where there is none."""
        return next(iter(training_bitext(self.w, (source, target))), "")

    def dictionary(self, source: str, target: str) -> str:
        """Return the dictionary of two languages; "" where there is none."""
        return next(iter(dictionaries_of(self.w.sources, (source, target), self.w.datasets)), "")

    def missing(self, aligned: AlignedEncoder) -> str:
        """Name the data that are missing to align two languages; "" if none are."""
        if not self.bitext(aligned.source, aligned.target):
            return "no parallel text"
        lacks = aligned.way.supervision == DICTIONARY and not self.dictionary(aligned.source, aligned.target)
        return "no dictionary" if lacks else ""

    @cached_property
    def aligned(self) -> list[AlignedEncoder]:
        """The aligned encoders of all papers."""
        return self.w.of_papers(lambda paper: paper.aligned_encoders())

    def rotated_runs(self, encoder: str) -> list[int]:
        """Return the training runs of an encoder that are rotated; of a published one the first: nothing is drawn."""
        return list(dict.fromkeys(run_of_each(self.w, encoder, self.w.tagged_encoder_seeds)))

    def jobs(self) -> Iterator[Job]:
        """Yield the jobs that align encoders, one a training run, and the job that measures distances of languages."""
        encoders = dict.fromkeys(one.encoder for one in self.aligned)
        for encoder, seed in product(encoders, self.w.tagged_encoder_seeds):
            name = f"align_encoder/{encoder}.seed{seed}"
            own = [one for one in self.aligned if one.encoder == encoder]
            rotated, tuned = (
                [one for one in own if bool(one.way.direction) == is_tuned] for is_tuned in (False, True)
            )
            # The encoders of a pair stand together, since they read the same text.
            rotated.sort(key=lambda aligned: (aligned.pair, list(WAYS).index(aligned.system)))
            if seed in self.rotated_runs(encoder):
                yield self._job(f"{name}.rotations", rotated, seed)
            for source, target in dict.fromkeys((one.source, one.target) for one in tuned):
                both = [AlignedEncoder(encoder, system, source, target) for system in TUNED]
                yield self._job(f"{name}.{source}-{target}", both, seed)
        of_pairs = {aligned.pair: aligned for aligned in self.aligned}
        lines = [
            {
                **self.text_of_pair(one),
                **self._reading(one),
                "languages": [one.source, one.target],
                "out": str(self.distance_file(one.source, one.target)),
            }
            for one in of_pairs.values()
        ]
        yield Job("measure_distance.py", "measure_distance", lines)

    def text_of_pair(self, aligned: AlignedEncoder) -> dict[str, In]:
        """Return the two texts that an alignment reads, and their links."""
        name, is_reversed = self.bitext(aligned.source, aligned.target), self._reading(aligned)["reversed"]
        sides = {
            side: In(side_of(self.w, "bitext", name, place ^ is_reversed)) for place, side in enumerate(SIDES)
        }
        return sides | {"links": In(bitext_links(self.w, name))}

    def _reading(self, aligned: AlignedEncoder) -> dict[str, bool]:
        """Return how the text is read: whether it, and so its links, goes from target to source, and in what case."""
        first = pair_languages(self.bitext(aligned.source, aligned.target))[0]
        return {"reversed": first != aligned.source, "lowercase": self.w.config.text.lowercase}

    def _job(self, name: str, every: list[AlignedEncoder], seed: int) -> Job:
        """Return the job of a training run. Only tuning has settings, and only rotations read a dictionary."""
        w, lines = self.w, []
        for aligned in every:
            way, settings, reads = aligned.way, {}, {}
            if way.direction:
                settings = {"direction": way.direction, **(w.section(SECTION).finetune or {})}
            elif dictionary := self.dictionary(aligned.source, aligned.target):
                reads = {
                    "dictionary": In(f"{dictionary_folder(w, f'{aligned.pair}.{dictionary}')}/train.txt")
                }
            lines.append({
                "method": way.method,
                "supervision": way.supervision,
                "encoder": In(encoder_folder(w, aligned.encoder, seed)),
                "languages": [aligned.source, aligned.target],
                **self.text_of_pair(aligned),
                **reads,
                **self._reading(aligned),
                "sentences": w.section(SECTION).sentences,
                "set": settings_words(settings),
                "seed": seed,
                "out": str(self.folder(aligned, seed)),
            })  # fmt: skip
        members = sorted({ENCODER_ALIGNMENTS.module(aligned.way.method) for aligned in every})
        return Job("align_encoder.py", name, lines, {"threads": w.threads} | w.on_gpu, members)
