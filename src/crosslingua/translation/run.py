"""From two texts and two files of vectors to the folder of a trained system."""

import dataclasses
import hashlib
import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from crosslingua.checkpoint import Checkpoints
from crosslingua.errors import ConfigError
from crosslingua.io.atomic import atomic_folder
from crosslingua.io.decode import decoded_lines
from crosslingua.io.json import write_json
from crosslingua.io.vectors import WordVectors, read_vectors
from crosslingua.provenance import sha256
from crosslingua.translation.data import (
    SIDES,
    Texts,
    Vocabulary,
    build_vocabulary,
    encoded,
    frequent_words,
    read_texts,
)
from crosslingua.translation.folder import FILES, REPORT, save_config, save_weights, weights_name
from crosslingua.translation.model import TranslationModel
from crosslingua.translation.settings import TranslationSettings
from crosslingua.translation.training import CRITERIA, OBJECTIVES, TranslationTrainer, covered, initial_table

DATA = ("texts", "halves", "alternating", "pairs")


@dataclass(frozen=True)
class TranslationRun:
    """Data, initial vectors, settings and folder of a training run. `data` is as in `read_texts`; `pairs` are
    supervised. `shared` is a file of words, one a line, that are one parameter in both languages.
    """

    languages: tuple[str, str]
    text: Sequence[Path]
    data: str
    vectors: Sequence[Path]
    shared: Path | None
    settings: TranslationSettings
    out: Path
    seed: int = 1

    def __post_init__(self) -> None:
        if self.data not in DATA:
            raise ConfigError(f"data {self.data!r}: must be one of {', '.join(DATA)}")
        if self.languages[0] == self.languages[1]:
            raise ConfigError(f"languages: {self.languages[0]} twice: there is nothing to translate")

    @property
    def objective(self) -> str:
        """The name of the training objective."""
        return "supervised" if self.data == "pairs" else "unsupervised"


def train_translation(run: TranslationRun) -> None:
    """Train as `run` says and write its folder atomically. A killed run resumes from its last epoch, to the same
    weights to the bit.
    """
    torch.set_flush_denormal(True)
    s = run.settings
    texts = read_texts(
        run.text, data=run.data, validation=s.validation, max_length=s.max_length, seed=run.seed,
        languages=run.languages,
    )  # fmt: skip
    vectors = [read_vectors(path, drop_zero=True) for path in run.vectors]
    model = new_translator(run, texts, vectors)
    steps = OBJECTIVES[run.objective](encoded(model.vocabulary, texts.train), s, run.seed)
    held_out = encoded(model.vocabulary, texts.held_out)
    checkpoints = Checkpoints(run.out, fingerprint(run))
    trainer = TranslationTrainer(
        model, steps, run.seed, checkpoints,
        judge=lambda each: CRITERIA[run.objective](each, held_out),
        keep=lambda each, epoch: save_weights(each, checkpoints.folder, epoch),
    )  # fmt: skip
    trainer.train()
    with atomic_folder(run.out, FILES) as folder:
        save_config(model, folder)
        for each in trainer.epochs:
            name = weights_name(each.epoch)
            shutil.copyfile(checkpoints.folder / name, folder / name)
        write_json(folder / REPORT, report(run, texts, vectors, trainer))
    checkpoints.remove()


def new_translator(run: TranslationRun, texts: Texts, vectors: Sequence[WordVectors]) -> TranslationModel:
    """Return the untrained model, with the vocabulary of the training text and the given vectors."""
    s = run.settings
    words = [frequent_words(texts.train[side], s.min_count, s.max_vocabulary) for side in SIDES]
    shared = {line for line in decoded_lines(run.shared) if line} if run.shared else set()
    vocabulary = build_vocabulary(run.languages, words, shared)
    torch.manual_seed(run.seed)
    return TranslationModel(s, vocabulary, initial_table(vocabulary, vectors, run.seed, centre=s.centre))


def fingerprint(run: TranslationRun) -> str:
    """Return a digest of a run, equal only for equal weights."""
    paths = [*run.text, *run.vectors, *([run.shared] if run.shared else [])]
    what = [dataclasses.asdict(run.settings), run.languages, run.data, run.seed, bool(run.shared)]
    found = [*what, *map(sha256, paths), torch.__version__, torch.get_num_threads()]
    return hashlib.sha256(json.dumps(found).encode()).hexdigest()


def report(
    run: TranslationRun, texts: Texts, vectors: Sequence[WordVectors], trainer: TranslationTrainer
) -> dict[str, Any]:
    """Return the content of training.json; losses are in nats a word."""
    vocabulary: Vocabulary = trainer.model.vocabulary
    return {
        "languages": list(run.languages),
        "objective": run.objective,
        "data": run.data,
        "seed": run.seed,
        "settings": dataclasses.asdict(run.settings),
        "sentences": [len(side) for side in texts.train],
        "left_out": texts.left_out,
        "vocabulary": [len(rows) for rows in vocabulary.rows],
        "shared_words": len(vocabulary.shared),
        "covered_by_vectors": covered(vocabulary, vectors),
        "epochs": [dataclasses.asdict(each) for each in trainer.epochs],
        "chosen_epoch": trainer.best,
        "stopped_early": trainer.stopped_early,
        "words_per_second": round(trainer.words_per_second, 1),
        "seconds": round(trainer.seconds, 2),
        "torch": torch.__version__,
    }
