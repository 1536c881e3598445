"""Jobs of taggers on frozen features: embedding of words, training and prediction.

A paper's `experiments.py` returns its taggers by group, `taggers(w) -> {"main": [TaggerRun, ...]}`. One job a group
writes their scores and the scores of fine-tuned encoders, at `fine_tuning.score_file(w, paper, group,
TaggerRun.score(...))`. Taggers with the same `TaggerRun.job` share two processes, data and features.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from crosslingua.embedders import EMBEDDERS, STATIC
from crosslingua.errors import ConfigError
from crosslingua.taggers import TAGGERS
from crosslingua.tasks.kinds import KINDS
from crosslingua.workflow.jobs import In, Job
from crosslingua.workflow.labelled import labelled_path
from crosslingua.workflow.workflow import Workflow, once, settings_words


@dataclass(frozen=True)
class Embedding:
    """An embedding of words: a member of EMBEDDERS and its settings, in which files and folders are `In`. `name`
    identifies it among its job's in file names (`ana.seed1`). Equal embeddings of a job are computed once.
    """

    name: str
    embedder: str
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class EmbeddedSet:
    """A labelled set with the embedding of its words, for each seed or all; `share`, 0 to 1, is trained on."""

    name: str
    embeddings: tuple[Embedding, ...]
    share: float = 1.0

    def embedding(self, place: int) -> Embedding:
        """Return the embedding for the seed at `place` of the tagger's."""
        return self.embeddings[place] if len(self.embeddings) > 1 else self.embeddings[0]


@dataclass(frozen=True)
class TaggerRun:
    """A tagger of TAGGERS (`member`), trained on the union of `train` and tested on each of `test`, once a seed.

    `name` is its folder, unique in the paper (`align/ana-ber`); `job` names the process that trains it. `settings`
    belong to train_tagger.py (`lr`, `tagger.hidden`, ...). `lowercase`: its words are in lower case.
    """

    name: str
    job: str
    task: str
    member: str
    train: tuple[EmbeddedSet, ...]
    test: tuple[EmbeddedSet, ...]
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)
    seeds: tuple[int, ...] = (1,)
    lowercase: bool = False

    def reads(self, place: int) -> dict[str, list["EmbeddedSplit"]]:
        """Return the features of the seed at `place`, by split."""
        sets = {"train": self.train, "valid": self.train, "test": self.test}
        return {
            split: [EmbeddedSplit(p.embedding(place), self.task, p.name, split, p.share) for p in parts]
            for split, parts in sets.items()
        }

    def features(self, place: int) -> tuple["EmbeddedSplit", ...]:
        """Return the features of the seed at `place`, of all splits."""
        return tuple(chain(*self.reads(place).values()))

    def seeds_together(self) -> list[tuple[int, list[int]]]:
        """Return the seeds that share all features, each group with the place of its first."""
        groups: dict[tuple[EmbeddedSplit, ...], tuple[int, list[int]]] = {}
        for place, seed in enumerate(self.seeds):
            groups.setdefault(self.features(place), (place, []))[1].append(seed)
        return list(groups.values())

    def prediction(self, w: Workflow, paper: str, seed: int, tested: str) -> In:
        """Return the file of predictions of a seed for a test set."""
        folder = f"{predictions_folder(w, paper)}/{self.job}"
        return In(f"{folder}/{self.name}/seed{seed}/{tested}.{KINDS[self.task].form.predictions}", folder)

    def score(self, seed: int, tested: str) -> str:
        """Return the file of a prediction's scores, below the folder of a group's scores."""
        return f"{self.job}/{self.name}/seed{seed}/{self.task}.{tested}.json"


@dataclass(frozen=True)
class EmbeddedSplit:
    """A split of a set with embedded words; `share`, 0 to 1, of its sentences."""

    embedding: Embedding
    task: str
    name: str
    split: str
    share: float = 1.0

    @property
    def order(self) -> tuple[str, str, str, str]:
        """What to sort by: the encoder or the vectors, then the data."""
        read = self.embedding.settings.get("encoder") or self.embedding.settings.get("vectors") or ""
        return str(read), self.task, self.name, self.split

    def data(self, w: Workflow) -> str:
        """Return the file of the split."""
        return data_file(w, self.task, self.name, self.split)

    def file(self, w: Workflow, paper: str, job: str) -> In:
        """Return the file of the features."""
        folder = f"{w.results}/features/{paper}/{job}"
        return In(f"{folder}/{self.embedding.name}/{self.task}.{self.name}.{self.split}.safetensors", folder)

    def option(self, w: Workflow, paper: str, job: str) -> In:
        """Return the data and the features as an option of train_tagger.py."""
        data, file = self.data(w), self.file(w, paper, job)
        return In(f"{self.task}/{self.name}={data},{file}", (data, *file.made_by))


@once
def taggers(w: Workflow, paper: str) -> dict[str, list[TaggerRun]]:
    """Return the taggers of each group of a paper. Raises ConfigError where vectors are tuned that are not static."""
    found = w.paper(paper).taggers()
    for one in chain(*found.values()):
        for part in (*one.train, *one.test) if one.settings.get("vector_rate") else ():
            if part.embeddings[0].embedder not in STATIC:
                raise ConfigError(f"{paper}: vector_rate tunes static vectors; {one.name} reads no such")
    return found


def predictions_folder(w: Workflow, paper: str) -> str:
    """Return the folder of a paper's tagger predictions, with a folder for each job."""
    return f"{w.results}/tagging/{paper}"


def data_file(w: Workflow, task: str, name: str, split: str) -> str:
    """Return the file of a split of a set."""
    return f"{w.corpora}/{labelled_path(task, name, split)}"


def tagging_jobs(w: Workflow) -> Iterator[Job]:
    """Yield the jobs of tagging: two for taggers that share a job, one comparison a paper, and the mixtures."""
    for paper in w.papers:
        together: dict[str, list[TaggerRun]] = {}
        for tagger in chain(*taggers(w, paper).values()):
            together.setdefault(tagger.job, []).append(tagger)
        for job, sharing in together.items():
            yield from _tagger_jobs(w, paper, job, sharing)
        lines = [
            {
                "gold": In(data_file(w, one.task, one.tested, "test")),
                "first": one.first,
                "second": one.second,
                "task": one.task,
                "out": str(comparison_file(w, paper, one.name)),
            }
            for one in w.paper(paper).comparisons()
        ]
        yield Job("compare_tags.py", f"compare_tags/{paper}", lines)
    mixed = [
        {
            "data": [In(data_file(w, mixture.task, name, split)) for name, _ in mixture.parts],
            "share": [share for _, share in mixture.parts],
            "task": mixture.task,
            "lowercase": mixture.lowercase,
            "languages": [w.sources.language(mixture.task, name) for name, _ in mixture.parts],
            "out": data_file(w, mixture.task, mixture.name, split),
        }
        for mixture in w.of_papers(lambda paper: paper.mixtures())
        for split in mixture.splits
    ]
    yield Job("mix_tagged.py", "mix_tagged", mixed)


def _tagger_jobs(w: Workflow, paper: str, job: str, sharing: list[TaggerRun]) -> Iterator[Job]:
    """Yield the job that embeds words, with a line for each split and embedding, and the job that trains taggers. Lines
    of an encoder or vector file stand together, and within them lines of a data file: each is read once.
    """
    largest: dict[str, EmbeddedSplit] = {}
    for tagger in sharing:
        for features in chain(*(tagger.features(place) for place in range(len(tagger.seeds)))):
            path = features.file(w, paper, job)
            if path not in largest or largest[path].share < features.share:
                largest[path] = features
    settings = [value for features in largest.values() for value in features.embedding.settings.values()]
    reads = [path for value in settings if isinstance(value, In) for path in value.made_by]
    lines = [
        {
            "embedder": features.embedding.embedder,
            "set": settings_words(features.embedding.settings),
            "language": w.sources.language(features.task, features.name),
            "task": features.task,
            "data": In(features.data(w)),
            "share": features.share,
            "out": str(path),
        }
        for path, features in sorted(largest.items(), key=lambda item: item[1].order)
    ]
    embedders = sorted({EMBEDDERS.module(features.embedding.embedder) for features in largest.values()})
    options = {"threads": w.threads} | w.on_gpu
    yield Job("embed_words.py", f"embed_words/{paper}.{job}", lines, options, embedders, reads)
    lines = [
        {
            "tagger": tagger.member,
            **{
                split: [features.option(w, paper, job) for features in read]
                for split, read in tagger.reads(place).items()
            },
            "share": [f"{tagger.task}/{part.name}={part.share}" for part in tagger.train if part.share != 1],
            "set": settings_words(tagger.settings),
            "seed": seeds,
            "out": f"{predictions_folder(w, paper)}/{job}/{tagger.name}",
        }
        for tagger in sharing
        for place, seeds in tagger.seeds_together()
    ]
    members = sorted({*(TAGGERS.module(tagger.member) for tagger in sharing), *embedders})
    yield Job("train_tagger.py", f"train_tagger/{paper}.{job}", lines, options, members)


@dataclass(frozen=True)
class Mixture:
    """A set `name` of a task, made of shares, 0 to 1, of the `splits` of other sets, for fine-tuning on one file. A
    paper's `experiments.py` returns them as `mixtures(w)`; their files stand beside the sets' own.
    """

    task: str
    name: str
    parts: tuple[tuple[str, float], ...]
    splits: tuple[str, ...] = ("train", "valid")
    lowercase: bool = True


@dataclass(frozen=True)
class Compared:
    """Two predictions for one test set (`comparisons(w)` of a paper); `name` is the result's, without `.json`."""

    name: str
    task: str
    tested: str
    first: In
    second: In


def comparison_file(w: Workflow, paper: str, name: str) -> In:
    """Return the file of a comparison."""
    folder = f"{w.results}/comparisons/{paper}"
    return In(f"{folder}/{name}.json", folder)
