"""Train a tagger with k seeds on features, and write its predictions for test sets."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Self

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.atomic import atomic_folder, check_output_folder, file_name
from crosslingua.io.conll import TaggedSentence, write_conll
from crosslingua.io.json import write_json
from crosslingua.tasks.kinds import REPORT, kind_of
from crosslingua.tasks.scores import check_labels
from crosslingua.tasks.tagger_settings import TaggerOptions
from crosslingua.tasks.tagger_training import TaggedFeatures, WordTagger, read_tagged, train_tagger, union

log = logging.getLogger(__name__)
MOST_AT_RANDOM = 10  # optuna's own number, whatever that of trials
# Ranges, which the paper does not state: (lowest, highest, whether the scale is logarithmic).
SPACE = {"dropout": (0.0, 0.6, False), "tagger.dropout": (0.0, 0.6, False), "l2": (1e-6, 1e-2, True)}


def at_random(trials: int) -> int:
    """Return the number of random trials before those of the Gaussian process: half at most. optuna's default is ten,
    so that a short search would have no others.
    """
    return min(MOST_AT_RANDOM, trials // 2)


def search(
    options: TaggerOptions, task: str, train: TaggedFeatures, valid: TaggedFeatures, seed: int
) -> tuple[TaggerOptions, list[dict[str, Any]]]:
    """Return the options with the best settings on `valid`, and all trials in order.

    Regularisation is found by Bayesian optimisation (laser_taggers, 'Training'; Snoek, Larochelle and Adams 2012):
    optuna's Gaussian process over three settings, with the best validation score of a training as value.
    """
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    found: list[dict[str, Any]] = []

    def value(trial: Any) -> float:
        chosen = {
            name: trial.suggest_float(name, low, high, log=logarithmic)
            for name, (low, high, logarithmic) in SPACE.items()
        }
        _, report = train_tagger(options.changed(chosen), task, train, valid, seed)
        score = max(epoch["validation"] for epoch in report["epochs"])
        found.append({**chosen, "validation": score})
        log.info("trial %d: %s", len(found), found[-1])
        return score

    trials = options.training.trials
    sampler = optuna.samplers.GPSampler(seed=seed, n_startup_trials=at_random(trials))
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.optimize(value, n_trials=trials)
    return options.changed(study.best_params), found


log = logging.getLogger(__name__)


@dataclass(frozen=True)
class TaggerFiles:
    """(data, features) by name of the set, all of one task; `share` of training sets is 1 by default."""

    task: str
    train: Mapping[str, tuple[str, str]]
    valid: Mapping[str, tuple[str, str]]
    test: Mapping[str, tuple[str, str]]
    share: Mapping[str, float]

    @classmethod
    def parse(
        cls, train: Iterable[str], valid: Iterable[str], test: Iterable[str], share: Iterable[str]
    ) -> Self:
        """Read `TASK/NAME=DATA,FEATURES` and `TASK/NAME=SHARE`. Raises ConfigError for contradictory options."""
        splits = [_parse(options) for options in (train, valid, test)]
        shares = _parse_pairs(share, "TASK/NAME=SHARE, e.g. ner/de=0.25")
        tasks = {task for split in splits for task, _ in split}
        if len(tasks) != 1:
            raise ConfigError(f"files of several tasks ({', '.join(sorted(tasks))}): a tagger learns one")
        named = [{name: files for (_, name), files in split.items()} for split in splits]
        if missing := [name for name in named[0] if name not in named[1]]:
            raise ConfigError(f"--valid has no {', '.join(missing)}: the model is selected on it")
        parts = {name: _number(value) for (_, name), value in shares.items()}
        if unknown := parts.keys() - named[0].keys():
            raise ConfigError(f"--share {', '.join(sorted(unknown))}: not among the training sets")
        return cls(tasks.pop(), *named, parts)

    def together(self, split: str) -> TaggedFeatures:
        """Return the union of the sets of `train` or `valid`, each with its share."""
        files: Mapping[str, tuple[str, str]] = getattr(self, split)
        return union([_share(self.task, *files[name], self.share.get(name, 1.0)) for name in self.train])


def _parse(options: Iterable[str]) -> dict[tuple[str, str], tuple[str, str]]:
    found = {}
    for key, text in _parse_pairs(
        options, "TASK/NAME=DATA,FEATURES, e.g. ner/en=train.conll,train.safetensors"
    ).items():
        data, comma, features = text.partition(",")
        if not comma or not features:
            raise ConfigError(
                f"{text!r}: write the data and, after a comma, the features that embed_words.py made"
            )
        found[key] = data, features
    return found


def _parse_pairs(options: Iterable[str], form: str) -> dict[tuple[str, str], str]:
    found: dict[tuple[str, str], str] = {}
    for option in options:
        key, equals, value = option.partition("=")
        task, slash, name = key.partition("/")
        if not (equals and slash and name and value):
            raise ConfigError(f"{option!r}: write {form}")
        if not kind_of(task).tagged:
            raise ConfigError(f"{option!r}: {task} is no task of tagging")
        file_name(name, option)
        if (task, name) in found:
            raise ConfigError(f"{key} is given twice")
        found[task, name] = value
    return found


def _number(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = 0.0
    if not 0 < share <= 1:
        raise ConfigError(f"share {text!r}: must be a number, above 0 and at most 1")
    return share


def _share(task: str, data: str, features: str, share: float = 1.0) -> TaggedFeatures:
    """Return a share of a set. Raises InputError where fewer sentences have features."""
    found = _read(task, data, features)
    if found.features.share < share <= 1:
        raise InputError(
            features, f"features of a share of {found.features.share:g} of {data}, where {share:g} is needed",
            remedy="make them again with embed_words.py and a larger --share",
        )  # fmt: skip
    return found.share(share)


@cache
def _read(task: str, data: str, features: str) -> TaggedFeatures:
    """Read a set once for all taggers."""
    return TaggedFeatures.of(_sentences(task, data), features)


@cache
def _sentences(task: str, data: str) -> list[TaggedSentence]:
    """Read a file once for all of its features."""
    return read_tagged(task, data)


def check_folders(files: TaggerFiles, out: str | Path, seeds: Sequence[int]) -> None:
    """Raise ConfigError unless the folder of every seed can be written."""
    for seed in seeds:
        check_output_folder(_folder(out, seed), _names(files, _folder(out, seed)))


def _folder(out: str | Path, seed: int) -> Path:
    return Path(out, f"seed{seed}")


def _names(files: TaggerFiles, folder: Path) -> list[str]:
    suffix = kind_of(files.task).prediction_suffix
    earlier = [f"*.{suffix}"] if (folder / REPORT).is_file() else []
    return [REPORT, *(f"{name}.{suffix}" for name in files.test), *earlier]


Searched = tuple[TaggerOptions, list[dict[str, Any]]]  # the options that were found, and every trial


def run_tagger(
    options: TaggerOptions,
    files: TaggerFiles,
    seeds: Sequence[int],
    out: str | Path,
    searched: dict[tuple[Path, TaggerOptions], Searched] | None = None,
) -> None:
    """Train a tagger a seed and write `out/seedN/` atomically: `TEST.conll` and training.json.

    With trials, settings are searched once, with the first seed, and used for all; `searched` keeps them for later
    calls with the same folder, whose seeds read other features.
    """
    train, valid = files.together("train"), files.together("valid")
    tests = {name: _share(files.task, *paths) for name, paths in files.test.items()}
    labels = {
        name: check_labels(files.test[name][0], train.labels, test.labels) for name, test in tests.items()
    }
    trials: list[dict[str, Any]] = []
    if options.training.trials:
        known, key = {} if searched is None else searched, (Path(out), options)
        if key not in known:
            known[key] = search(options, files.task, train, valid, seeds[0])
        options, trials = known[key]
    for seed in seeds:
        model, report = train_tagger(options, files.task, train, valid, seed)
        with atomic_folder(_folder(out, seed), _names(files, _folder(out, seed))) as folder:
            for name, test in tests.items():
                _write(folder / f"{name}.{kind_of(files.task).prediction_suffix}", model, test)
            about = _about(options, files, train, valid, seed) | {"labels": model.labels, "test": labels}
            write_json(folder / REPORT, about | {"trials": trials} | report)
        log.info("%s seed %d: validation %.1f", out, seed, max(one["validation"] for one in report["epochs"]))


def _about(
    options: TaggerOptions, files: TaggerFiles, train: TaggedFeatures, valid: TaggedFeatures, seed: int
) -> dict[str, Any]:
    return {
        "task": files.task, "tagger": options.tagger, "embedder": train.features.embedder, "seed": seed,
        "settings": asdict(options.training), "tagger_settings": list(options.own), "trained_on": list(files.train),
        "shares": dict(files.share), "train_sentences": len(train.sentences), "valid_sentences": len(valid.sentences),
        "features": dict(train.features.report),
    }  # fmt: skip


def _write(path: Path, model: WordTagger, test: TaggedFeatures) -> None:
    tags, intents = model.predict(model.prepare(test))
    comments = [{"intent": intent} for intent in intents] or [{}] * len(tags)
    rows = zip(test.sentences, tags, comments, strict=True)
    write_conll(path, (TaggedSentence(one.tokens, tuple(found), about) for one, found, about in rows))
