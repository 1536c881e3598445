"""Fine-tune copies of an encoder on cells, each from files to a model and a report.

A task (`Kind.task()`) has `published` settings, `read(path)`, `write(path, examples, predicted)`, `score(gold,
predicted)`, 0 to 100, which selects the model, and `model(encoder, examples, settings)`: a torch module with `labels`,

    prepare(examples, language)   examples of one language as arrays, cut to the model's input length, with `lengths`,
                                  the pieces of each row, and `report()`, counts for the training report
    loss(data, rows)              the mean loss over some rows of prepared data
    predict(data)                 a prediction for each example: its labels, its label or its answer
"""

import copy
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from math import inf
from pathlib import Path
from statistics import mean
from typing import Any

import torch

from crosslingua.embedders.encoder import Encoder
from crosslingua.embedders.loading import is_encoder_decoder
from crosslingua.embedders.text_to_text import TextToText
from crosslingua.errors import ConfigError, InputError
from crosslingua.imports import digest_of_code
from crosslingua.io.atomic import file_name
from crosslingua.nn.checkpoint import Checkpoints, digest
from crosslingua.nn.half import in_half
from crosslingua.provenance import sha256
from crosslingua.tasks.batches import shared_rows
from crosslingua.tasks.kinds import kind_of, named_options
from crosslingua.tasks.settings import FineTuning
from crosslingua.tasks.text_to_text import text_model
from crosslingua.tasks.training import fine_tune, halve

Key = tuple[str, str]  # task, language


@dataclass(frozen=True)
class Files:
    """Data files by (task, language). Every cell of `train` has a `valid` file, and is tested on all of `test` of its
    task, if any, or on the one language that `only` names for it. `joint`: the mean over all valid files of the task
    selects the model, not the language's file.
    """

    train: Mapping[Key, Path]
    valid: Mapping[Key, Path]
    test: Mapping[Key, Path] = field(default_factory=dict)
    joint: bool = False
    only: Mapping[Key, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for key in self.train:
            if not self.validation(key):
                raise ConfigError(f"--valid has no {'/'.join(key)}, which selects the model")
            if self.test and not self.tests(key):
                wanted = f"{key[0]}/{self.only[key]}" if key in self.only else f"file of {key[0]}"
                raise ConfigError(f"--test has no {wanted}: nothing to predict")
        if lost := next((key for key in self.only if key not in self.train), None):
            raise ConfigError(f"--only names {'/'.join(lost)}, which --train does not")

    def validation(self, key: Key) -> dict[str, Path]:
        """The files that select a cell's model, by language."""
        if self.joint:
            return _of(key[0], self.valid)
        return {key[1]: self.valid[key]} if key in self.valid else {}

    def tests(self, key: Key) -> dict[str, Path]:
        """The test files of a cell, by language."""
        every = _of(key[0], self.test)
        return {name: path for name, path in every.items() if self.only.get(key, name) == name}


def _of(task: str, files: Mapping[Key, Path]) -> dict[str, Path]:
    return {language: path for (name, language), path in files.items() if name == task}


def parse_files(options: Iterable[str]) -> dict[Key, Path]:
    """Read `TASK/LANGUAGE=FILE` options. Raises ConfigError on another form, an unknown task, or a repeated key."""
    files: dict[Key, Path] = {}
    for option, task, language, path in named_options(options, "TASK/LANGUAGE=FILE, e.g. ner/en=train.conll"):
        kind_of(task)
        file_name(language, option)
        if (task, language) in files:
            raise ConfigError(f"{task}/{language} is given twice: {files[task, language]} and {path}")
        files[task, language] = Path(path)
    return files


def parse_only(options: Iterable[str]) -> dict[Key, str]:
    """Read `TASK/TRAINED=LANGUAGE` options. Raises ConfigError on another form or an unknown task."""
    form = "TASK/TRAINED=LANGUAGE, e.g. ner/de=de"
    return {(task, trained): language for _, task, trained, language in named_options(options, form)}


@cache
def read(task: str, path: Path) -> list[Any]:
    """Read a file once for all encoders."""
    return kind_of(task).task().read(path)


def read_all(files: Files) -> None:
    """Read every file. Raises InputError for the first that is malformed."""
    for part in (files.train, files.valid, files.test):
        for (task, _), path in part.items():
            read(task, path)


def load(folder: str | Path) -> Encoder | TextToText:
    """Load an encoder or, by its config.json, a text-to-text model. Raises InputError as `Encoder.load`."""
    is_text = (Path(folder) / "config.json").is_file() and is_encoder_decoder(str(folder))
    encoder = (TextToText if is_text else Encoder).load(folder)
    if encoder.tokenizer.pad_token_id is None:
        raise InputError(
            f"{folder}/tokenizer_config.json", "pad_token is missing, and batches of fine-tuning are padded",
            remedy="name the tokeniser's padding token",
        )  # fmt: skip
    return encoder


class Tuner:
    """Fine-tunes copies of `encoder` with one seed. `checkpoints` and `models` are folders or None. A finished model of
    the same data, settings, encoder and code is reused, so that another test file needs no training.
    """

    def __init__(
        self,
        encoder: Encoder | TextToText,
        files: Files,
        seed: int,
        checkpoints: str | Path | None = None,
        models: str | Path | None = None,
    ):
        self.encoder, self.files, self.seed = encoder, files, seed
        self._folder = Path(checkpoints) if checkpoints else None
        self.models = Path(models) if models else None
        self._views: dict[tuple, tuple[Any, dict[str, Any]]] = {}

    def tune(
        self, key: Key, settings: FineTuning, point: int = 0, above: float = -inf
    ) -> tuple[Any, dict[str, Any]]:
        """Return the fine-tuned model of a cell, and its report; `point` numbers the settings of a grid.

        The model is kept if its validation score exceeds `above`, so that a grid keeps the best. Tasks that are views
        of one kind of data share a model if trained alike.
        """
        paths = self.files.train[key], *self.files.validation(key).values()
        alike = kind_of(key[0]).data_kind, key[1], settings, paths
        if alike not in self._views:
            tuned = self._tuned(key, settings, point, above)
            if not kind_of(key[0]).data:
                return tuned
            self._views = {alike: tuned}  # the last is enough: views stand together
        model, report = self._views[alike]
        return model, report | {"task": key[0]}

    def _tuned(self, key: Key, settings: FineTuning, point: int, above: float) -> tuple[Any, dict[str, Any]]:
        (name, language), task = key, kind_of(key[0]).task()
        encoder = copy.deepcopy(self.encoder)
        encoder.limit(settings.max_length)
        if not settings.language_ids and isinstance(encoder, Encoder):  # the other kind has none
            encoder.forget_languages()
        if settings.freeze_embeddings:
            encoder.model.get_input_embeddings().requires_grad_(False)
        every = read(name, self.files.train[key])
        train = [every[row] for row in shared_rows(len(every), settings.share)]
        torch.manual_seed(self.seed)
        if isinstance(encoder, TextToText):
            model = text_model(kind_of(name), encoder, train, settings)
        else:
            model = task.model(encoder, train, settings)
        finished = None
        if self.models:
            made_by = self.fingerprint(key, settings) + digest_of_code(__name__, *kind_of(name).models)
            finished = Checkpoints(self.models / "-".join(key), made_by, shared=True)
        if kept := finished and finished.load():
            if in_half(settings.precision, next(model.parameters()).device):
                halve(model)
            model.load_state_dict(kept["weights"])
            model.eval()
            return model, kept["report"]
        learnt = model.prepare(train, language)
        valid = {other: read(name, path) for other, path in self.files.validation(key).items()}
        held_out = {other: model.prepare(examples, other) for other, examples in valid.items()}

        def validate() -> float:
            return mean(task.score(valid[other], model.predict(data)) for other, data in held_out.items())

        checkpoints = None
        if self._folder:
            place = self._folder / "-".join(key) / str(point)
            checkpoints = Checkpoints(place, self.fingerprint(key, settings))
        happened = fine_tune(model, learnt, validate, settings, self.seed, checkpoints)
        counts = {other: data.report() for other, data in held_out.items()}
        report = {
            "encoder": encoder.folder,
            "seed": self.seed,
            "task": name,
            "language": language,
            "settings": asdict(settings),
            "max_length": encoder.max_length,
            "labels": model.labels,
            "train": learnt.report(),
            "valid": counts if self.files.joint else next(iter(counts.values())),
            **happened,
        }
        if finished and best_score(report) > above:
            finished.save({"weights": model.state_dict(), "report": report})
        return model, report

    def forget(self) -> None:
        """Remove the checkpoints after their result is written."""
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)

    def fingerprint(self, key: Key, settings: FineTuning) -> str:
        """Return a digest of all inputs of a model except code."""
        what = [key, asdict(settings), self.seed, self.files.joint]
        what += [torch.__version__, torch.get_num_threads(), self.encoder.device.type]
        what += [_files(self.encoder.folder), checksum(self.files.train[key])]
        what += [(other, checksum(path)) for other, path in self.files.validation(key).items()]
        return digest(what)


def best_score(report: Mapping[str, Any]) -> float:
    """Return the validation score of the best epoch, 0 to 100."""
    return max(epoch["validation"] for epoch in report["epochs"])


checksum = cache(sha256)  # of a file's bytes


@cache
def _files(folder: str) -> list[tuple[str, str]]:
    """Return the checksums of an encoder's weights, config and tokenizer, without its training report."""
    files = sorted(path for path in Path(folder).glob("[!.]*") if path.is_file())
    return [(path.name, checksum(path)) for path in files if path.name != "training.json"]
