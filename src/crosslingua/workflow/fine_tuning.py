"""Jobs of fine-tuning: encoders of a paper, their predictions, and scores."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from crosslingua.tasks.kinds import kind_of
from crosslingua.workflow.encoders import encoder_folder
from crosslingua.workflow.jobs import In, Job
from crosslingua.workflow.runs import runs
from crosslingua.workflow.tagging import TaggerRun, data_file, taggers
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
    def grids(self) -> dict[str, dict[str, list]]:
        """The settings of each task that have several values."""
        several: dict[str, dict[str, list]] = {}
        for task, named in self.settings.items():
            if lists := {key: value for key, value in (named or {}).items() if isinstance(value, list)}:
                several[task] = lists
        return several

    @property
    def validation(self) -> tuple[tuple[str, str], ...]:
        """The sets on whose validation data models are selected."""
        return self.joint or self.train

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


def models_folder(w: Workflow, paper: str, encoder: str, seed: int) -> str:
    """Return the folder of the trained models of a seed; the models of a search are the first seed's."""
    return f"{tunings_folder(w, paper, encoder)}.seed{seed}.models"


def choices_folder(w: Workflow, paper: str, encoder: str) -> str:
    """Return the folder of the settings that were chosen for an encoder."""
    return f"{w.results}/chosen_settings/{paper}/{encoder}"


def score_file(w: Workflow, paper: str, group: str, score: str) -> In:
    """Return the file of the `score` of a prediction."""
    folder = f"{w.results}/scores/{paper}.{group}"
    return In(f"{folder}/{score}", folder)


def fine_tunings(w: Workflow, paper: str) -> dict[str, list[Tuning]]:
    """Return the fine-tunings of each group of a paper."""
    return w.paper(paper).fine_tunings()


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
    for paper in w.papers:
        for tuning in (tuning for group in fine_tunings(w, paper).values() for tuning in group):
            name = f"{paper}.{tuning.encoder}"
            if tuning.grids:
                yield _tuning_job(w, tuning, f"select_settings/{name}", _choice(w, paper, tuning))
            yield _tuning_job(w, tuning, f"finetune/{name}", _tuned(w, paper, tuning))
        for group in dict.fromkeys((*fine_tunings(w, paper), *taggers(w, paper))):
            yield _scoring_job(w, paper, group)
        for group in w.paper(paper).groups():
            probes = w.paper(paper).probes(group)
            yield Job("score_embedding_alignment.py", f"probe_embeddings/{paper}.{group}", probes)
    laid_out = [line for paper in w.papers for lines in w.paper(paper).exports().values() for line in lines]
    yield Job("export_xtreme.py", "export_xtreme", laid_out)


def _tuning_job(w: Workflow, tuning: Tuning, name: str, lines: list[dict[str, Any]]) -> Job:
    """Return a job that fine-tunes. Its models have heads, or generate text."""
    members = sorted({module for task, _ in tuning.train for module in kind_of(task).models})
    script = f"{name.partition('/')[0]}.py"
    return Job(script, name, lines, {"threads": w.threads, "device": w.device}, members)


def _tuned(w: Workflow, paper: str, tuning: Tuning) -> list[dict[str, Any]]:
    settings = {
        f"{task}.{key}": value
        for task, named in tuning.settings.items()
        for key, value in named.items()
        if not isinstance(value, list)
    }
    folder, read = tunings_folder(w, paper, tuning.encoder), read_languages(w, tuning)
    alone = [
        f"{task}/{read[task, name]}={read[task, tested]}" for (task, name), tested in tuning.only.items()
    ]
    only = {"only": alone} if alone else {}
    return [
        {
            "encoder": In(trained),
            "seed": seed,
            "out": f"{folder}/seed{seed}",
            "checkpoints": f"{folder}.seed{seed}.checkpoint",  # not in the output, which a new attempt begins without
            "models": models_folder(w, paper, tuning.encoder, seed),
            "joint": bool(tuning.joint),
            "selected": In(choices_folder(w, paper, tuning.encoder)) if tuning.grids else None,
            "train": data(w, tuning, tuning.train, "train"),
            "valid": data(w, tuning, tuning.validation, "valid"),
            "test": data(w, tuning, tuning.test, "test"),
            "set": settings_words(settings),
            **only,
        }
        for seed, trained in tuning.encoders(w).items()
    ]


def _choice(w: Workflow, paper: str, tuning: Tuning) -> list[dict[str, Any]]:
    """Return the line that chooses settings on validation data, with the first seed. It names no test file."""
    settings = {
        f"{task}.{key}": value
        for task, _ in chosen_on(tuning)
        for key, value in tuning.settings[task].items()
    }
    seed, trained = next(iter(tuning.encoders(w).items()))
    return [
        {
            "encoder": In(trained),
            "seed": seed,
            "out": choices_folder(w, paper, tuning.encoder),
            "models": models_folder(w, paper, tuning.encoder, seed),
            "joint": bool(tuning.joint),
            "set": settings_words(settings),
            "train": data(w, tuning, chosen_on(tuning), "train"),
            "valid": data(w, tuning, validated_on(tuning), "valid"),
        }
    ]


def data(w: Workflow, tuning: Tuning, sets: tuple[tuple[str, str], ...], split: str) -> list[In]:
    """Return a split of some sets as options `task/language=file`, with the language that the encoder knows."""
    read = read_languages(w, tuning)
    files = {f"{task}/{read[task, name]}": data_file(w, task, name, split) for task, name in sets}
    return [In(f"{name}={path}", path) for name, path in files.items()]


def chosen_on(tuning: Tuning) -> tuple[tuple[str, str], ...]:
    """Return the sets that settings are chosen on: the first training set of each task with a grid."""
    first = {task: (task, name) for task, name in reversed(tuning.train)}
    return tuple(first[task] for task in tuning.grids if task in first)


def validated_on(tuning: Tuning) -> tuple[tuple[str, str], ...]:
    """Return the sets whose validation data decide."""
    tasks = {task for task, _ in chosen_on(tuning)}
    return tuple(one for one in tuning.joint if one[0] in tasks) if tuning.joint else chosen_on(tuning)


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
    tunings = fine_tunings(w, paper).get(group, ())
    predicted = [
        (one.task, one.gold, one.file(w, paper), one.score, one.learnt, _largest_share(tunings, one.task))
        for tuning in tunings
        for one in predictions(w, tuning)
    ]
    predicted += [
        (
            tagger.task,
            name,
            tagger.prediction(w, paper, seed, name),
            tagger.score(seed, name),
            *_learnt(tagger),
        )
        for tagger in taggers(w, paper).get(group, ())
        for seed in tagger.seeds
        for name in (test.name for test in tagger.test)
    ]
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


def _largest_share(tunings: Sequence[Tuning], task: str) -> dict[str, Any]:
    """Return the share of training data from which shortcuts learn: that of the encoder which learns from most."""
    learning = [tuning for tuning in tunings if task in dict(tuning.train)]
    told = [(tuning.settings.get(task) or {}).get("share", 1.0) for tuning in learning]
    largest = max(max(share) if isinstance(share, list) else share for share in told)
    return {"share": largest} if largest < 1 else {}


def _learnt(tagger: TaggerRun) -> tuple[str, dict[str, Any]]:
    """Return the one training set of a tagger, and what it reads of it; "" of several sets, which have no shortcut."""
    first, *others = tagger.train
    return "" if others else first.name, {"share": first.share, "lowercase": tagger.lowercase}


def export_folder(w: Workflow) -> str:
    """Return the folder of exports for other evaluation programs (scripts/export_xtreme.py). A paper's `experiments.py`
    returns the lines of each of its groups as `exports(w)`, {group: lines}.
    """
    return f"{w.results}/xtreme"
