"""Jobs of taggers on frozen features: which words are embedded how, what is trained on them, and what is predicted.

A paper's `cells.py` returns its taggings by group, `taggings(w) -> {"main": [Tagging, ...]}`; encoders that are
fine-tuned whole are `fine_tunings(w)` (`workflow.fine_tuning`). The scores of both are written by one job a group:
`fine_tuning.scores_folder(w, paper, group)/Tagged.score`, and its folder is what the paper's `scores(w, group)` names.

Features are made by one job a `Tagging.job` of a paper, and so are predictions: taggings that share a job share the
start of two processes (2 to 5 s each), their data and their features.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from crosslingua.embedders import EMBEDDERS
from crosslingua.taggers import TAGGERS
from crosslingua.tasks.kinds import KINDS
from crosslingua.workflow.labelled import labelled_path
from crosslingua.workflow.workflow import Workflow, asked, asked_by_all, once, settings_words


@dataclass(frozen=True)
class Embedding:
    """How the words of a set are embedded: a member of EMBEDDERS and its settings.

    `name` tells it from others of its job, in file names (`ana.seed1`); `inputs` are the files and folders that the
    settings name. Two equal embeddings of a job are made once.
    """

    name: str
    embedder: str
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)
    inputs: tuple[str, ...] = ()


@dataclass(frozen=True)
class TaggedSet:
    """A labelled set of a task, by name, with the embedding of its words. `share`, 0 to 1: of what is trained on.

    `embeddings` has one for every seed of the tagging, or one for all.
    """

    name: str
    embeddings: tuple[Embedding, ...]
    share: float = 1.0

    def embedding(self, place: int) -> Embedding:
        """Return the embedding for the seed at `place` of the tagging's."""
        return self.embeddings[place] if len(self.embeddings) > 1 else self.embeddings[0]


@dataclass(frozen=True)
class Tagging:
    """A tagger, trained on the union of `train` and tested on each of `test`, once a seed.

    `name` is its folder, unique in the paper (`align/ana-ber`); `job`: which process trains it. `settings` are those
    of train_tagger.py (`learning_rate`, `tagger.hidden`, ...).
    """

    name: str
    job: str
    task: str
    tagger: str
    train: tuple[TaggedSet, ...]
    test: tuple[TaggedSet, ...]
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)
    seeds: tuple[int, ...] = (1,)

    def predicted(self) -> Iterator["Tagged"]:
        """Yield what it predicts."""
        for seed in self.seeds:
            for tested in self.test:
                yield Tagged(self, seed, tested.name)


@dataclass(frozen=True)
class Tagged:
    """What a tagging of a seed predicts for a test set."""

    tagging: Tagging
    seed: int
    tested: str

    @property
    def path(self) -> str:
        """Its file, below the folder of a paper's taggings."""
        own = self.tagging
        return f"{own.job}/{own.name}/seed{self.seed}/{self.tested}.{KINDS[own.task].prediction_suffix}"

    @property
    def score(self) -> str:
        """The file of its scores, below the folder of a group's scores."""
        own = self.tagging
        return f"{own.job}/{own.name}/seed{self.seed}/{own.task}.{self.tested}.json"


@once
def taggings(w: Workflow, paper: str) -> dict[str, list[Tagging]]:
    """Return the taggings of each group of a paper."""
    return asked(paper, "taggings", w)


def taggings_folder(w: Workflow, paper: str) -> str:
    """Return the folder of a paper's predictions by taggers, one below it a job."""
    return f"{w.results}/tagging/{paper}"


def of_job(w: Workflow, paper: str, job: str) -> list[Tagging]:
    """Return the taggings of a job."""
    return [one for group in taggings(w, paper).values() for one in group if one.job == job]


def data_file(w: Workflow, task: str, name: str, split: str) -> str:
    """Return the file of a split of a set."""
    return f"{w.corpora}/{labelled_path(task, name, split)}"


@dataclass(frozen=True)
class Embedded:
    """A split of a set whose words are embedded; `share`, 0 to 1, of its sentences."""

    embedding: Embedding
    task: str
    name: str
    split: str
    share: float = 1.0

    def data(self, w: Workflow) -> str:
        """Return the file of the split."""
        return data_file(w, self.task, self.name, self.split)

    def file(self, w: Workflow, paper: str, job: str) -> str:
        """Return the file of its features."""
        name = f"{self.embedding.name}/{self.task}.{self.name}.{self.split}.safetensors"
        return f"{w.results}/features/{paper}/{job}/{name}"


def _embedded(w: Workflow, paper: str, job: str) -> dict[str, Embedded]:
    """Return what a job's taggers read, by the file of its features: the largest share that one of them learns from."""
    found: dict[str, Embedded] = {}
    for own in of_job(w, paper, job):
        for one in _read_by(own):
            path = one.file(w, paper, job)
            if path not in found or found[path].share < one.share:
                found[path] = one
    return found


def _read_by(own: Tagging) -> Iterator[Embedded]:
    for place in range(len(own.seeds)):
        for one in own.train:
            for split in ("train", "valid"):
                yield Embedded(one.embedding(place), own.task, one.name, split, one.share)
        for one in own.test:
            yield Embedded(one.embedding(place), own.task, one.name, "test")


def embedding_inputs(w: Workflow, paper: str, job: str) -> dict[str, list[str]]:
    """Return what embedding a job's words reads."""
    sources = {path for one in _embedded(w, paper, job).values() for path in one.embedding.inputs}
    return {"data": tagging_inputs(w, paper, job), "sources": sorted(sources)}


def embedding_plan(w: Workflow, paper: str, job: str) -> str:
    """Write the cells that embed a job's words, one a split of a set and embedding; return the file.

    Those of an encoder, or of a file of vectors, stand together, and of them those of a file: neither is read twice in
    a row.
    """
    found = sorted(_embedded(w, paper, job).items(), key=lambda item: _order(item[1]))
    cells = [
        {
            "embedder": one.embedding.embedder,
            "set": settings_words(one.embedding.settings),
            "language": w.sources.language(one.task, one.name),
            "task": one.task,
            "data": one.data(w),
            "share": one.share,
            "out": path,
        }
        for path, one in found
    ]
    return w.plan(f"embed_words/{paper}.{job}", cells)


def _order(one: Embedded) -> tuple[str, str, str, str]:
    told = one.embedding.settings
    return str(told.get("encoder") or told.get("vectors") or ""), one.task, one.name, one.split


def embedding_modules(w: Workflow, paper: str, job: str) -> list[str]:
    """Return the modules of a job's embedders."""
    return sorted({EMBEDDERS.module(one.embedding.embedder) for one in _embedded(w, paper, job).values()})


def tagging_inputs(w: Workflow, paper: str, job: str) -> list[str]:
    """Return the data that a job's taggers read."""
    return sorted({one.data(w) for one in _embedded(w, paper, job).values()})


def tagging_plan(w: Workflow, paper: str, job: str) -> str:
    """Write the cells that train a job's taggers; return the file. Seeds of one embedding are one cell."""
    cells = [
        {
            "tagger": own.tagger,
            **_files(w, paper, own, place),
            "share": [f"{own.task}/{one.name}={one.share}" for one in own.train if one.share != 1],
            "set": settings_words(own.settings),
            "seed": seeds,
            "out": f"{taggings_folder(w, paper)}/{job}/{own.name}",
        }
        for own in of_job(w, paper, job)
        for place, seeds in _together(own)
    ]
    return w.plan(f"train_tagger/{paper}.{job}", cells)


def _together(own: Tagging) -> list[tuple[int, list[int]]]:
    """Return the seeds that share all features, each group with the place of its first."""
    groups: dict[tuple[Embedding, ...], tuple[int, list[int]]] = {}
    for place, seed in enumerate(own.seeds):
        key = tuple(one.embedding(place) for one in (*own.train, *own.test))
        groups.setdefault(key, (place, []))[1].append(seed)
    return list(groups.values())


def _files(w: Workflow, paper: str, own: Tagging, place: int) -> dict[str, list[str]]:
    """Return the data and features of each split, as options of train_tagger.py."""

    def named(sets: tuple[TaggedSet, ...], split: str) -> list[str]:
        every = [Embedded(one.embedding(place), own.task, one.name, split) for one in sets]
        return [f"{one.task}/{one.name}={one.data(w)},{one.file(w, paper, own.job)}" for one in every]

    return {
        "train": named(own.train, "train"),
        "valid": named(own.train, "valid"),
        "test": named(own.test, "test"),
    }


def tagging_modules(w: Workflow, paper: str, job: str) -> list[str]:
    """Return the modules of a job's taggers, and of the embedders' trainable halves."""
    taggers = {TAGGERS.module(own.tagger) for own in of_job(w, paper, job)}
    return sorted(taggers | set(embedding_modules(w, paper, job)))


# Jobs that put tagged sets together, or parts of them, for encoders that are fine-tuned on one file.
#
# A paper's `cells.py` returns them as `mixtures(w)`; their files stand beside the sets' own, under their names.


@dataclass(frozen=True)
class Mixture:
    """A set `name` of a task: shares, 0 to 1, of each of the `splits` of other sets, in lower case or as they are."""

    task: str
    name: str
    parts: tuple[tuple[str, float], ...]
    splits: tuple[str, ...] = ("train", "valid")
    lowercase: bool = True


def mixtures(w: Workflow) -> list[Mixture]:
    """Return the mixtures of all papers."""
    return asked_by_all(w, "mixtures")


def _splits(w: Workflow) -> Iterator[tuple[Mixture, str]]:
    return ((one, split) for one in mixtures(w) for split in one.splits)


def mixture_files(w: Workflow) -> list[str]:
    """Return the files of all mixtures."""
    return [f"{w.corpora}/{labelled_path(one.task, one.name, split)}" for one, split in _splits(w)]


def mixture_inputs(w: Workflow) -> list[str]:
    """Return the files that they are made of."""
    return sorted({path for one, split in _splits(w) for path in _data(w, one, split)})


def _data(w: Workflow, one: Mixture, split: str) -> list[str]:
    return [f"{w.corpora}/{labelled_path(one.task, name, split)}" for name, _ in one.parts]


def mixture_plan(w: Workflow) -> str:
    """Write the cells that make them, one a split; return the file."""
    cells = [
        {
            "data": _data(w, one, split),
            "share": [share for _, share in one.parts],
            "task": one.task,
            "lowercase": one.lowercase,
            "out": f"{w.corpora}/{labelled_path(one.task, one.name, split)}",
        }
        for one, split in _splits(w)
    ]
    return w.plan("mix_tagged", cells)


# Jobs that compare systems' tags of the same sentences (scripts/compare_tags.py), one a paper.
#
# A paper's `cells.py` returns them as `comparisons(w)`.


@dataclass(frozen=True)
class Compared:
    """Two predictions for the test data of a set. `made` are the folders, outputs of jobs, that hold them.

    `name` is its file, below the paper's folder, without `.json`.
    """

    name: str
    task: str
    tested: str
    first: str
    second: str
    made: tuple[str, str]


def comparisons(w: Workflow, paper: str) -> list[Compared]:
    """Return the comparisons of a paper."""
    return list(asked(paper, "comparisons", w))


def comparisons_folder(w: Workflow, paper: str) -> str:
    """Return the folder of a paper's comparisons."""
    return f"{w.results}/comparisons/{paper}"


def comparison_file(w: Workflow, paper: str, name: str) -> str:
    """Return the file of a comparison."""
    return f"{comparisons_folder(w, paper)}/{name}.json"


def comparison_inputs(w: Workflow, paper: str) -> dict[str, list[str]]:
    """Return what a paper's comparisons read."""
    found = comparisons(w, paper)
    return {
        "predictions": sorted({folder for one in found for folder in one.made}),
        "gold": sorted({data_file(w, one.task, one.tested, "test") for one in found}),
    }


def comparison_plan(w: Workflow, paper: str) -> str:
    """Write the cells that compare; return the file."""
    cells = [
        {
            "gold": data_file(w, one.task, one.tested, "test"),
            "first": one.first,
            "second": one.second,
            "task": one.task,
            "out": comparison_file(w, paper, one.name),
        }
        for one in comparisons(w, paper)
    ]
    return w.plan(f"compare_tags/{paper}", cells)
