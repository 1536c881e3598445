"""Jobs of fine-tuning: what a paper's encoders are tuned on, what they predict, and the scores of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from crosslingua.tasks.kinds import kind_of
from crosslingua.workflow.encoders import device, encoder_folder
from crosslingua.workflow.runs import runs
from crosslingua.workflow.tagging import Tagged, data_file, taggings, taggings_folder
from crosslingua.workflow.workflow import Workflow, asked, settings_words


@dataclass(frozen=True)
class Tuning:
    """An encoder, tuned on each of `train` and tested on each of `test` of the same task: sets (task, name).

    `settings` are those of each task; they hold for all seeds. A list of values is a grid: one point of it is chosen on
    validation data (`selection`). `joint`: the sets on whose validation data models are selected, by the mean of each
    task's; without, each on that of its own language. `seeds`; none: `encoders.seeds`. `runs` of the encoder, one for
    each of the seeds; none: of the same number.
    """

    encoder: str
    train: tuple[tuple[str, str], ...]
    test: tuple[tuple[str, str], ...]
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    joint: tuple[tuple[str, str], ...] = ()
    seeds: tuple[int, ...] = ()
    runs: tuple[int, ...] = ()

    @property
    def grids(self) -> dict[str, dict[str, list]]:
        """The settings of each task that have several values."""
        found = {
            task: {key: value for key, value in (named or {}).items() if isinstance(value, list)}
            for task, named in self.settings.items()
        }
        return {task: several for task, several in found.items() if several}

    @property
    def validation(self) -> tuple[tuple[str, str], ...]:
        """The sets on whose validation data models are selected."""
        return self.joint or self.train

    def encoders(self, w: Workflow) -> dict[int, str]:
        """The folder of its encoder, by seed."""
        seeds = self.seeds or w.encoder_seeds
        return {
            s: encoder_folder(w, self.encoder, run) for s, run in zip(seeds, self.runs or seeds, strict=True)
        }


@dataclass(frozen=True)
class Prediction:
    """What an encoder, tuned in the language `trained`, predicts for `tested`; `gold` is the set that is tested."""

    encoder: str
    seed: int
    task: str
    trained: str
    tested: str
    gold: str = ""

    @property
    def path(self) -> str:
        """Its file, below the folder of a paper's fine-tunings."""
        suffix = kind_of(self.task).prediction_suffix
        return f"{self.encoder}/seed{self.seed}/{self.task}/{self.trained}/{self.tested}.{suffix}"

    @property
    def score(self) -> str:
        """The file of its scores, below the folder of a group's scores."""
        return f"{self.encoder}/seed{self.seed}/{self.task}.{self.trained}.{self.tested}.json"


def tunings_folder(w: Workflow, paper: str) -> str:
    """Return the folder of a paper's fine-tunings, one below it an encoder."""
    return f"{w.results}/fine_tuning/{paper}"


def models_folder(w: Workflow, paper: str, encoder: str, seed: int) -> str:
    """Return the folder of the finished models of a seed; those that a choice was made by are the first seed's."""
    return f"{tunings_folder(w, paper)}/{encoder}.seed{seed}.models"


def choices_folder(w: Workflow, paper: str, encoder: str) -> str:
    """Return the folder of the settings that were chosen for an encoder."""
    return f"{w.results}/chosen_settings/{paper}/{encoder}"


def scores_folder(w: Workflow, paper: str, group: str) -> str:
    """Return the folder of the scores of a paper's predictions."""
    return f"{w.results}/scores/{paper}.{group}"


def fine_tunings(w: Workflow, paper: str) -> dict[str, list[Tuning]]:
    """Return the fine-tunings of each group of a paper."""
    return asked(paper, "fine_tunings", w)


def tuning(w: Workflow, paper: str, encoder: str) -> Tuning:
    """Return the fine-tuning of an encoder."""
    return next(one for group in fine_tunings(w, paper).values() for one in group if one.encoder == encoder)


def data_files(w: Workflow, own: Tuning, sets: tuple[tuple[str, str], ...], split: str) -> dict[str, str]:
    """Return the files of a split of some sets, by `task/language` as the encoder knows it."""
    read = read_languages(w, own)
    return {f"{task}/{read[task, name]}": data_file(w, task, name, split) for task, name in sets}


def read_languages(w: Workflow, own: Tuning) -> dict[tuple[str, str], str]:
    """Return the languages of sets as the encoder knows them: a set's name where it read text of that name."""
    run = runs(w).get(own.encoder)
    known = run.languages if run else ()
    return {
        (task, name): name if name in known else set_language(w, task, name)
        for task, name in (*own.train, *own.test, *own.joint)
    }


def set_language(w: Workflow, task: str, name: str) -> str:
    """Return the language of a set; of a mixture its name."""
    return w.sources.language(kind_of(task).data_kind, name)


def tuning_inputs(w: Workflow, paper: str, encoder: str) -> dict[str, list[str]]:
    """Return the files that a fine-tuning reads: all seeds of the encoder, and its data."""
    own = tuning(w, paper, encoder)
    return {
        "encoders": list(dict.fromkeys(own.encoders(w).values())),
        "train": list(data_files(w, own, own.train, "train").values()),
        "valid": list(data_files(w, own, own.validation, "valid").values()),
        "test": list(data_files(w, own, own.test, "test").values()),
        "selected": [choices_folder(w, paper, encoder)] if own.grids else [],
    }


def tuning_plan(w: Workflow, paper: str, encoder: str) -> str:
    """Write the cells of a fine-tuning, one a seed; return the file."""
    own = tuning(w, paper, encoder)
    files = {
        split: [f"{name}={path}" for name, path in data_files(w, own, sets, split).items()]
        for split, sets in (("train", own.train), ("valid", own.validation), ("test", own.test))
    }
    settings = {
        f"{task}.{key}": value
        for task, named in own.settings.items()
        for key, value in named.items()
        if not isinstance(value, list)
    }
    folder = f"{tunings_folder(w, paper)}/{encoder}"
    cells = [
        {
            "encoder": trained,
            "seed": seed,
            "out": f"{folder}/seed{seed}",
            "checkpoints": f"{folder}.seed{seed}.checkpoint",  # not in the output, which a new attempt begins without
            "models": models_folder(w, paper, encoder, seed),
            "joint": bool(own.joint),
            "selected": choices_folder(w, paper, encoder) if own.grids else None,
        }
        | files
        | {"set": settings_words(settings)}
        for seed, trained in own.encoders(w).items()
    ]
    return w.plan(f"finetune/{paper}.{encoder}", cells)


def tuning_options(w: Workflow) -> dict[str, Any]:
    """Return the options that all cells of a fine-tuning share."""
    return {"threads": w.threads, "device": device(w)}


def tuning_modules(w: Workflow, paper: str, encoder: str) -> list[str]:
    """Return the modules of the models that are tuned: with heads, or of text."""
    kinds = [kind_of(task) for task, _ in tuning(w, paper, encoder).train]
    return sorted({module for kind in kinds for module in (kind.model, kind.text)})


def predictions(w: Workflow, own: Tuning) -> Iterator[Prediction]:
    """Yield what a fine-tuning predicts, every seed."""
    read = read_languages(w, own)
    for seed in own.seeds or w.encoder_seeds:
        for task, trained in own.train:
            for tested in (name for other, name in own.test if other == task):
                yield Prediction(own.encoder, seed, task, read[task, trained], read[task, tested], tested)


def tagged(w: Workflow, paper: str, group: str) -> list[Tagged]:
    """Return what the taggers of a group predict."""
    return [one for own in taggings(w, paper).get(group, ()) for one in own.predicted()]


def score_plan(w: Workflow, paper: str, group: str) -> str:
    """Write the cells that score a group's predictions, of encoders tuned whole and of taggers; return the file."""
    tuned = [
        (one.task, one.gold, f"{tunings_folder(w, paper)}/{one.path}", one.score)
        for own in fine_tunings(w, paper).get(group, ())
        for one in predictions(w, own)
    ]
    labelled = [
        (one.tagging.task, one.tested, f"{taggings_folder(w, paper)}/{one.path}", one.score)
        for one in tagged(w, paper, group)
    ]
    cells = [
        {
            "gold": data_file(w, task, gold, "test"),
            "hypothesis": hypothesis,
            "task": task,
            "language": set_language(w, task, gold),
            "out": f"{scores_folder(w, paper, group)}/{score}",
        }
        for task, gold, hypothesis, score in (*tuned, *labelled)
    ]
    return w.plan(f"score_predictions/{paper}.{group}", cells)


def score_inputs(w: Workflow, paper: str, group: str) -> dict[str, list[str]]:
    """Return what scoring a group's predictions reads."""
    tunings = fine_tunings(w, paper).get(group, ())
    found = tagged(w, paper, group)
    jobs = dict.fromkeys(one.tagging.job for one in found)
    gold = {file for own in tunings for file in data_files(w, own, own.test, "test").values()}
    gold |= {data_file(w, one.tagging.task, one.tested, "test") for one in found}
    return {
        "predictions": [
            *(f"{tunings_folder(w, paper)}/{own.encoder}" for own in tunings),
            *(f"{taggings_folder(w, paper)}/{job}" for job in jobs),
        ],
        "gold": sorted(gold),
    }


def score_modules(w: Workflow, paper: str, group: str) -> list[str]:
    """Return the modules of the scores."""
    tasks = {task for own in fine_tunings(w, paper).get(group, ()) for task, _ in own.test}
    return sorted(
        {kind_of(task).scorer for task in tasks | {one.tagging.task for one in tagged(w, paper, group)}}
    )


def probe_plan(w: Workflow, paper: str, group: str) -> str:
    """Write the cells that probe a group's encoders; return the file."""
    return w.plan(f"probe_embeddings/{paper}.{group}", _probes(w, paper, group))


def probe_inputs(w: Workflow, paper: str, group: str) -> list[str]:
    """Return the encoders that are probed."""
    return [cell["encoder"] for cell in _probes(w, paper, group)]


def _probes(w: Workflow, paper: str, group: str) -> list[dict[str, Any]]:
    return asked(paper, "probes", w, group)


# Jobs that choose settings of fine-tuning on validation data. None of them is given a test file.


def chosen_on(own: Tuning) -> tuple[tuple[str, str], ...]:
    """Return the sets that settings are chosen on: of each task with a grid, the first that it is tuned on."""
    first = {task: (task, name) for task, name in reversed(own.train)}
    return tuple(first[task] for task in own.grids if task in first)


def validated_on(own: Tuning) -> tuple[tuple[str, str], ...]:
    """Return the sets whose validation data decide."""
    tasks = {task for task, _ in chosen_on(own)}
    return tuple(one for one in own.joint if one[0] in tasks) if own.joint else chosen_on(own)


def selection_inputs(w: Workflow, paper: str, encoder: str) -> dict[str, Any]:
    """Return the files that a choice reads: the encoder of the first seed, training and validation data."""
    own = tuning(w, paper, encoder)
    return {
        "encoder": _first(w, own)[1],
        "train": list(data_files(w, own, chosen_on(own), "train").values()),
        "valid": list(data_files(w, own, validated_on(own), "valid").values()),
    }


def _first(w: Workflow, own: Tuning) -> tuple[int, str]:
    """Return the first seed and its encoder: what is chosen with it holds for all."""
    return next(iter(own.encoders(w).items()))


def selection_plan(w: Workflow, paper: str, encoder: str) -> str:
    """Write the cell of a choice; return the file."""
    own, folder = tuning(w, paper, encoder), choices_folder(w, paper, encoder)
    settings: Mapping[str, Any] = {
        f"{task}.{key}": value for task, _ in chosen_on(own) for key, value in own.settings[task].items()
    }
    seed, trained = _first(w, own)
    cell = {
        "encoder": trained,
        "seed": seed,
        "out": folder,
        "models": models_folder(w, paper, encoder, seed),
        "joint": bool(own.joint),
        "set": settings_words(settings),
    }
    for split, sets in (("train", chosen_on(own)), ("valid", validated_on(own))):
        cell[split] = [f"{name}={path}" for name, path in data_files(w, own, sets, split).items()]
    return w.plan(f"select_settings/{paper}.{encoder}", [cell])


# Jobs that lay predictions out as somebody else's evaluation reads them (scripts/export_xtreme.py).
#
# A paper's `cells.py` returns the cells of each of its groups as `exports(w)`, {group: cells}.


def export_folder(w: Workflow) -> str:
    """Return the folder of what is laid out."""
    return f"{w.results}/xtreme"


def export_inputs(w: Workflow) -> list[str]:
    """Return the predictions and gold data of the groups that are laid out."""
    read = [
        path
        for paper in w.config["papers"]
        for group in asked(paper, "exports", w)
        for files in score_inputs(w, paper, group).values()
        for path in files
    ]
    return list(dict.fromkeys(read))


def export_plan(w: Workflow) -> str:
    """Write the cells; return the file."""
    found = [asked(paper, "exports", w) for paper in w.config["papers"]]
    return w.plan("export_xtreme", [cell for groups in found for cells in groups.values() for cell in cells])
