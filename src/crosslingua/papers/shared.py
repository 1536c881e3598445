"""What the experiments of several papers have in common: word embeddings, taggers on them, and things in groups."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from crosslingua.workflow.encoder_alignment import AlignedEncoder, EncoderAlignment
from crosslingua.workflow.encoders import encoder_folder, run_of_each
from crosslingua.workflow.jobs import In
from crosslingua.workflow.tagging import EmbeddedSet, Embedding, TaggerRun
from crosslingua.workflow.vectors import all_systems
from crosslingua.workflow.workflow import LexiconPair, Workflow, in_turn

T = TypeVar("T")
Words = tuple[Embedding, ...]  # of a set: one for each seed of a tagger, or for all
MAJORITY, RANDOM = "majority", "random_vectors"
ONE_PASS = {"epochs": 1, "patience": 0}  # counts all labels


def grouped(items: Iterable[T], key: Callable[[T], Hashable]) -> dict[Any, list[T]]:
    """Return the items by key, both in the order of the first."""
    groups: dict[Any, list[T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def sentences(*texts: str) -> str:
    """Join the texts that are not empty."""
    return " ".join(filter(None, texts))


def embeddings(name: str, embedder: str, runs: Iterable[int], **read: Callable[[int], Any]) -> Words:
    """Return an embedding for each of `runs`, with the settings that `read` makes of a run."""
    return tuple(
        Embedding(f"{name}.seed{run}", embedder, {key: of(run) for key, of in read.items()}) for run in runs
    )


class WordReader:
    """What reads vectors of words, for each of the seeds of its taggers."""

    w: Workflow
    seeds: Sequence[int]

    @property
    def alignment(self) -> EncoderAlignment:
        """The encoders that are aligned for two languages."""
        return self.w.stage(EncoderAlignment)

    def mapped_vectors(self, name: str, system: str, pair: LexiconPair, side: str) -> Words:
        """Return a side of a system's vectors of a pair; `name` is the system's in the paper."""
        return embeddings(
            f"{name}.{pair.name}.{side}", "static_vectors", in_turn(self.w.seeds, self.seeds),
            vectors=lambda run: In(all_systems(self.w)[system].final(pair, run, f"{side}.vec")),
        )  # fmt: skip

    def layers(self, encoder: str, name: str = "", way: AlignedEncoder | None = None) -> Words:
        """Return sums of an encoder's last layers, rotated by `way` if that is given."""
        rotations = {"rotations": lambda run: self.alignment.folder(way, run)} if way else {}
        return self.states(
            name or encoder, run_of_each(self.w, encoder, self.seeds),
            encoder=lambda run: In(encoder_folder(self.w, encoder, run)), **rotations,
        )  # fmt: skip

    def states(self, name: str, runs: Iterable[int], **read: Callable[[int], Any]) -> Words:
        """Return sums of an encoder's last layers for each of `runs`, as `embeddings`."""
        precision = self.w.config.encoders.feature_precision
        told = {"precision": lambda run: precision} if precision != "fp32" else {}
        return embeddings(name, "encoder_layers", runs, **read, **told)


def tagger_run(
    name: str,
    job: str,
    task: str,
    member: str,
    train: EmbeddedSet,
    test: Iterable[EmbeddedSet],
    settings: Mapping[str, Any],
    seeds: Sequence[int],
) -> TaggerRun:
    """Return the tagger of one training set. The most frequent label is counted in one pass, with the first seed."""
    if member == MAJORITY:
        settings, seeds = ONE_PASS, seeds[:1]
    return TaggerRun(name, job, task, member, (train,), tuple(test), settings, tuple(seeds))
