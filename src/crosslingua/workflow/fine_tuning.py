"""Jobs of fine-tuning: encoders of a paper, their predictions, and scores."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, product
from typing import Any

from crosslingua.tasks.kinds import kind_of
from crosslingua.workflow.encoders import encoder_folder
from crosslingua.workflow.jobs import In, Job
from crosslingua.workflow.runs import runs
from crosslingua.workflow.tagging import data_file, taggers
from crosslingua.workflow.workflow import Workflow, settings_words


@dataclass(frozen=True)
class Tuning:
    """An encoder, fine-tuned on each of `train` and tested on each of `test` of the same task: sets (task, name).
    `only` gives the one test set of a training set that is tested on no other.

    `settings` are by task; a list of values is a grid, of which validation data choose a point (`selection`). Models
    are selected on the validation data of `joint`, by each task's mean, or else on their language's validation data.
    Empty `seeds` are `encoders.seeds`; `runs` is the encoder's run of each seed, by default the same number.
    """

    encoder: str
    train: tuple[tuple[str, str], ...]
    test: tuple[tuple[str, str], ...]
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    joint: tuple[tuple[str, str], ...] = ()
    only: Mapping[tuple[str, str], str] = field(default_factory=dict)
    seeds: tuple[int, ...] = ()
    runs: tuple[int, ...] = ()

    @property
    def grids(self) -> dict[str, dict[str, list[Any]]]:
        """The settings of each task that have several values."""
        several: dict[str, dict[str, list[Any]]] = {}
        for task, named in self.settings.items():
            if lists := {key: value for key, value in (named or {}).items() if isinstance(value, list)}:
                several[task] = lists
        return several

    @property
    def chosen_on(self) -> tuple[tuple[str, str], ...]:
        """The sets that settings are chosen on: the first training set of each task with a grid."""
        first = {task: (task, name) for task, name in reversed(self.train)}
        return tuple(first[task] for task in self.grids if task in first)

    @property
    def validated_on(self) -> tuple[tuple[str, str], ...]:
        """The sets whose validation data decide on settings."""
        tasks = {task for task, _ in self.chosen_on}
        return tuple(one for one in self.joint if one[0] in tasks) if self.joint else self.chosen_on

    def encoders(self, w: Workflow) -> dict[int, str]:
        """The folder of its encoder, by seed."""
        seeds = self.seeds or w.encoder_seeds
        runs_read = zip(seeds, self.runs or seeds, strict=True)
        return {seed: encoder_folder(w, self.encoder, run) for seed, run in runs_read}


@dataclass(frozen=True)
class Prediction:
    """The predictions for `tested` of an encoder fine-tuned in the language `trained`; `gold` is the test set.

    `learnt` is the training set.
    """

    encoder: str
    seed: int
    task: str
    trained: str
    tested: str
    gold: str = ""
    learnt: str = ""

    def file(self, w: Workflow, paper: str) -> In:
        """Return its file."""
        folder, suffix = tunings_folder(w, paper, self.encoder), kind_of(self.task).form.predictions
        return In(f"{folder}/seed{self.seed}/{self.task}/{self.trained}/{self.tested}.{suffix}", folder)

    @property
    def score(self) -> str:
        """The file of its scores, below the folder of a group's scores."""
        return f"{self.encoder}/seed{self.seed}/{self.task}.{self.trained}.{self.tested}.json"


def tunings_folder(w: Workflow, paper: str, encoder: str) -> str:
    """Return the folder of the predictions of a paper's fine-tuned encoder."""
    return f"{w.results}/fine_tuning/{paper}/{encoder}"


def score_file(w: Workflow, paper: str, group: str, score: str) -> In:
    """Return the file of the `score` of a prediction."""
    folder = f"{w.results}/scores/{paper}.{group}"
    return In(f"{folder}/{score}", folder)


def read_languages(w: Workflow, tuning: Tuning) -> dict[tuple[str, str], str]:
    """Return the language that the encoder knows each set by: the set's name, if the encoder read text of this name."""
    run = runs(w).get(tuning.encoder)
    languages = run.languages if run else ()
    return {
        (task, name): name if name in languages else set_language(w, task, name)
        for task, name in (*tuning.train, *tuning.test, *tuning.joint)
    }


def set_language(w: Workflow, task: str, name: str) -> str:
    """Return the language of a set; of a mixture its name."""
    return w.sources.language(kind_of(task).data_kind, name)


def fine_tuning_jobs(w: Workflow) -> Iterator[Job]:
    """Yield the jobs of fine-tuning, of scores and probes of each group, and of exports."""
    papers = {name: w.paper(name) for name in w.papers}
    for name, paper in papers.items():
        for tuning in chain(*paper.fine_tunings().values()):
            yield from _tuning_jobs(w, name, tuning)
        for group in dict.fromkeys((*paper.fine_tunings(), *taggers(w, name))):
            yield _scoring_job(w, name, group)
        for group in paper.groups():
            yield Job("score_embedding_alignment.py", f"probe_embeddings/{name}.{group}", paper.probes(group))
    laid_out = [line for paper in papers.values() for lines in paper.exports().values() for line in lines]
    yield Job("export_xtreme.py", "export_xtreme", laid_out)


def _tuning_jobs(w: Workflow, paper: str, tuning: Tuning) -> Iterator[Job]:
    """Yield the job that fine-tunes and, where there is a grid, the job that chooses settings on validation data with
    the first seed, which names no test file. Models have heads, or generate text.
    """
    read, folder = read_languages(w, tuning), tunings_folder(w, paper, tuning.encoder)
    chosen = f"{w.results}/chosen_settings/{paper}/{tuning.encoder}"
    members = sorted({module for task, _ in tuning.train for module in kind_of(task).models})
    options, name = {"threads": w.threads, "device": w.device}, f"{paper}.{tuning.encoder}"

    def data(sets: Iterable[tuple[str, str]], split: str) -> list[In]:
        """Return a split of some sets as options `task/language=file`, with the language that the encoder knows."""
        files = {f"{task}/{read[task, one]}": data_file(w, task, one, split) for task, one in sets}
        return [In(f"{key}={path}", path) for key, path in files.items()]

    def models(seed: int) -> str:  # those of a search are the first seed's
        return f"{folder}.seed{seed}.models"

    if tuning.grids:
        tasks = [task for task, _ in tuning.chosen_on]
        settings = {f"{task}.{key}": value for task in tasks for key, value in tuning.settings[task].items()}
        seed, encoder = next(iter(tuning.encoders(w).items()))
        line = {
            "encoder": In(encoder),
            "seed": seed,
            "out": chosen,
            "models": models(seed),
            "joint": bool(tuning.joint),
            "set": settings_words(settings),
            "train": data(tuning.chosen_on, "train"),
            "valid": data(tuning.validated_on, "valid"),
        }
        yield Job("select_settings.py", f"select_settings/{name}", [line], options, members)
    settings = {
        f"{task}.{key}": value
        for task, named in tuning.settings.items()
        for key, value in named.items()
        if not isinstance(value, list)
    }
    alone = [f"{task}/{read[task, one]}={read[task, tested]}" for (task, one), tested in tuning.only.items()]
    only = {"only": alone} if alone else {}
    lines = [
        {
            "encoder": In(encoder),
            "seed": seed,
            "out": f"{folder}/seed{seed}",
            "checkpoints": f"{folder}.seed{seed}.checkpoint",  # not in the output, which a new attempt begins without
            "models": models(seed),
            "joint": bool(tuning.joint),
            "selected": In(chosen) if tuning.grids else None,
            "train": data(tuning.train, "train"),
            "valid": data(tuning.joint or tuning.train, "valid"),
            "test": data(tuning.test, "test"),
            "set": settings_words(settings),
            **only,
        }
        for seed, encoder in tuning.encoders(w).items()
    ]
    yield Job("finetune.py", f"finetune/{name}", lines, options, members)


def predictions(w: Workflow, tuning: Tuning) -> Iterator[Prediction]:
    """Yield the predictions of a fine-tuning, for every seed."""
    read = read_languages(w, tuning)
    for seed in tuning.seeds or w.encoder_seeds:
        for task, trained in tuning.train:
            for tested in (name for other, name in tuning.test if other == task):
                if tuning.only.get((task, trained), tested) != tested:
                    continue
                languages = read[task, trained], read[task, tested]
                yield Prediction(tuning.encoder, seed, task, *languages, tested, trained)


def _scoring_job(w: Workflow, paper: str, group: str) -> Job:
    """Return the job of a group's scores. Shortcuts learn from the one training set, and the share, that is read."""
    tunings, predicted = w.paper(paper).fine_tunings().get(group, ()), []
    for one in (one for tuning in tunings for one in predictions(w, tuning)):
        largest = _largest_share(tunings, one.task)
        read = {"share": largest} if largest < 1 else {}
        predicted.append((one.task, one.gold, one.file(w, paper), one.score, one.learnt, read))
    for tagger in taggers(w, paper).get(group, ()):
        first, *others = tagger.train
        read = {"share": first.share, "lowercase": tagger.lowercase}
        for seed, name in product(tagger.seeds, (test.name for test in tagger.test)):
            file, score = tagger.prediction(w, paper, seed, name), tagger.score(seed, name)
            predicted.append((tagger.task, name, file, score, "" if others else first.name, read))
    lines = [
        {
            "gold": In(data_file(w, task, gold, "test")),
            "hypothesis": prediction,
            "task": task,
            "language": set_language(w, task, gold),
            "train": In(data_file(w, task, learnt, "train")) if learnt else "",
            "share": read.get("share", ""),
            "lowercase": read.get("lowercase", ""),
            "out": str(score_file(w, paper, group, score)),
        }
        for task, gold, prediction, score, learnt, read in predicted
    ]
    members = sorted({kind_of(task).scorer for task, *_ in predicted})
    return Job("score_predictions.py", f"score_predictions/{paper}.{group}", lines, members=members)


def _largest_share(tunings: Sequence[Tuning], task: str) -> float:
    """Return the share of training data that the encoder learns from which learns from most."""
    learning = [tuning for tuning in tunings if task in dict(tuning.train)]
    told: list[float | list[float]] = [
        (tuning.settings.get(task) or {}).get("share", 1.0) for tuning in learning
    ]
    return max(max(share) if isinstance(share, list) else share for share in told)


def export_folder(w: Workflow) -> str:
    """Return the folder of exports for other evaluation programs (scripts/export_xtreme.py)."""
    return f"{w.results}/xtreme"
