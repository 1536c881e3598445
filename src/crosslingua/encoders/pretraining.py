"""A pre-training run, from files to a Hugging Face folder."""

import dataclasses
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import torch
from torch import nn

from crosslingua.encoders.batches import Masker, Streams
from crosslingua.encoders.data import (
    Corpus,
    Files,
    Instances,
    Pieces,
    concatenate,
    entropies,
    token_dictionary,
)
from crosslingua.encoders.folder import COPIES, load_config
from crosslingua.encoders.objectives import OBJECTIVES
from crosslingua.encoders.objectives.objective import Objective, Setup
from crosslingua.encoders.on_gpu import ResidentStreams, suits
from crosslingua.encoders.settings import Settings, objective_settings
from crosslingua.encoders.trainer import UNSEEN, Loss, Processes, Trainer, processes
from crosslingua.errors import ConfigError, optional
from crosslingua.io.atomic import atomic_folder
from crosslingua.io.json import write_json
from crosslingua.io.tokenizer_files import TRAINED
from crosslingua.nn.checkpoint import Checkpoints, digest
from crosslingua.provenance import sha256

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Pretraining:
    """A pre-training: objectives, data and output. `text` is language -> file, `bitext` pair of languages -> two files.

    `init` is an encoder folder to go on from. Of `dictionary` the entries are tokens, or with `dictionary_words` words.
    `own` are settings of objectives, by name.
    """

    objectives: Sequence[str]
    settings: Settings
    tokenizer: str | Path
    text: Mapping[str, str]
    out: str | Path
    bitext: Mapping[str, Files] = field(default_factory=dict)
    dictionary: str | Path | None = None
    dictionary_words: bool = False
    init: str | Path | None = None
    own: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 1
    log_dir: str | Path | None = None

    def __post_init__(self) -> None:
        names = ", ".join(self.objectives)
        # Missing data, and data that no objective reads, since the user means the run to use them.
        for what in ("text", "bitext", "dictionary"):
            given = bool(getattr(self, what))
            if self.needs(what) and not given:
                raise ConfigError(f"{', '.join(self._who(what))}: needs --{what}")
            if given and not self.needs(what) and what != "text":  # text may be named for its languages alone
                readers = ", ".join(name for name in OBJECTIVES if what in OBJECTIVES.needs(name))
                raise ConfigError(
                    f"{names}: reads no --{what}, which is for {readers}: leave it out, or name one of them"
                )
        if len(set(self.objectives)) < len(self.objectives):
            raise ConfigError(f"{names}: name each objective once")
        if len(self._who("text")) > 1:
            raise ConfigError(f"{names}: name only one objective that reads text; each contains MLM")
        mixes = self.needs("text") and all(OBJECTIVES[name].mixes for name in self._who("bitext"))
        if self.mixed and not mixes:
            raise ConfigError(
                f"{names}: parallel=mixed draws rows of mlm and tlm alone from one pool; set parallel=summed"
            )
        for name in self.objectives:
            OBJECTIVES[name].check(self)
        self.architecture  # noqa: B018 (what does not fit is told now)
        if self.log_dir is not None:  # said now, not when all data are read
            optional("tensorboard", "tensorboard", "--log-dir")

    def _who(self, what: str) -> list[str]:
        return [name for name in self.objectives if what in OBJECTIVES.needs(name)]

    def needs(self, what: str) -> bool:
        """Whether an objective needs text, bitext or a dictionary."""
        return bool(self._who(what))

    @property
    def architecture(self) -> Any:
        """The kind of model that the objectives train. Raises ConfigError if they train different ones."""
        parts = objective_settings(self.objectives, self.own)
        (first, chosen), *others = ((name, OBJECTIVES[name].architecture(own)) for name, own in parts.items())
        for name, kind in others:
            if type(kind) is not type(chosen):
                raise ConfigError(f"{first} and {name} train different kinds of model: name one of them")
        return chosen

    @property
    def mixed(self) -> bool:
        """Whether bitext is drawn from one pool with text."""
        return self.settings.parallel == "mixed" and self.needs("bitext")

    @property
    def all_settings(self) -> dict[str, Any]:
        """The settings of the run and of its objectives, by name."""
        own = objective_settings(self.objectives, self.own).values()
        return dict(chain.from_iterable(dataclasses.asdict(part).items() for part in (self.settings, *own)))

    @property
    def languages(self) -> list[str]:
        """All languages in the order of their ids; without text, the languages of bitext."""
        pairs = (pair.partition("-")[::2] for pair in self.bitext)
        return list(self.text or dict.fromkeys(chain.from_iterable(pairs)))

    @property
    def language_ids(self) -> bool:
        """Whether tokens carry their language's embedding."""
        if self.settings.language_ids != "auto":
            return self.settings.language_ids == "true"
        if self.init is not None:
            return "lang2id" in load_config(self.init)
        return any(OBJECTIVES[name].language_ids for name in self.objectives)


def pretrain(run: Pretraining) -> None:
    """Train as `run` says and write its folder, which appears whole or not at all.

    Killed, it goes on from its last checkpoint when called again, to the same weights (on CPUs, to the bit).
    """
    torch.set_flush_denormal(True)
    with processes(run.settings.device) as group:
        trainer, config, counts = prepare(run, group)
        trainer.train()
        if group.first:
            report = {
                "objectives": list(run.objectives),
                "seed": run.seed,
                "settings": run.all_settings,
                "language_ids": config.get("lang2id"),
                "init": str(run.init) if run.init else None,
                "data": counts,
                "tokens": trainer.tokens,
                "tokens_per_second": round(trainer.tokens_per_second, 1),
                "seconds": round(trainer.seconds, 3),
                "loss_curve": trainer.curve,
                "sha256": _files(run),
                "torch": torch.__version__,
            }
            with atomic_folder(run.out, TRAINED) as folder:
                run.architecture.save(folder, trainer.loss.model, config, run.tokenizer)
                write_json(folder / "training.json", report)
            trainer.checkpoints.remove()
        group.wait()


def prepare(run: Pretraining, group: Processes) -> tuple[Trainer, dict[str, Any], dict[str, float]]:
    """Return the trainer of a run, the config.json of its encoder, and what was counted in its data."""
    pieces, settings = Pieces(run.tokenizer), run.settings
    model, config = run.architecture.build(run, pieces)
    corpus = Corpus(pieces, settings, run.languages)
    rows = _rows(run, corpus)
    counts: dict[str, float] = dict(corpus.counts) | {
        f"rows.{name}": len(part) for name, part in rows.items()
    }
    for name, part in rows.items():  # what a loss has to be compared with
        counts |= {f"entropy.{of}.{name}": value for of, value in entropies(part).items()}
    log.info("data: %s", counts)
    objectives = _objectives(run, pieces, model)
    loss = Loss(model, objectives)
    resident = suits(objectives, group.device, settings.precision, model.shape)
    streams = (ResidentStreams if resident else Streams)(
        rows=rows,
        objectives={name: list(members.values()) for name, members in objectives.items()},
        masker=Masker(settings.mask_probability, pieces.specials, pieces.size),
        settings=settings,
        seed=run.seed,
        pad=pieces.specials.pad,
        language_ids=run.language_ids,
        parts=group.size * settings.accumulate,
    )
    if resident:
        streams.place(group.device)
    seen = {k: v for k, v in run.all_settings.items() if k not in UNSEEN}
    what = [list(run.objectives), seen, run.seed, run.dictionary_words, _files(run), torch.__version__]
    checkpoints = Checkpoints(run.out, digest(what))
    trainer = Trainer(loss, streams, settings, group, checkpoints, run.log_dir, _faster(run, config))
    return trainer, config, counts


def _faster(run: Pretraining, config: Mapping[str, Any]) -> int:
    """Return how many of the last pieces learn at `copies_rate`. Raises ConfigError where no pieces are copies."""
    if run.settings.copies_rate == 1:
        return 0
    if not config.get(COPIES):
        raise ConfigError(
            "copies_rate is set, but --init is no encoder with copied pieces: leave copies_rate out"
        )
    return config[COPIES]


def _rows(run: Pretraining, corpus: Corpus) -> dict[str, Instances]:
    """Return the rows of each stream; with `mixed`, all rows are in the stream of text."""
    rows = {"text": corpus.text(run.text)} if run.needs("text") else {}
    if not run.needs("bitext"):
        return rows
    packs = all(OBJECTIVES[name].packs for name in run.objectives)
    pack = run.settings.pack and run.settings.pack_bitext and packs
    pairs = corpus.bitext(run.bitext, pack, run.settings.parallel_share if run.mixed else None)
    return {"text": concatenate([rows["text"], pairs])} if run.mixed else rows | {"bitext": pairs}


def _objectives(run: Pretraining, pieces: Pieces, model: nn.Module) -> dict[str, dict[str, Objective]]:
    """Return the objectives of each stream by name; with `mixed`, TLM is MLM on the rows of bitext."""
    torch.manual_seed(run.seed)
    dictionary, shape = None, model.shape
    if run.needs("dictionary"):
        share = run.settings.dictionary_share
        dictionary = token_dictionary(run.dictionary, pieces, share, run.seed, run.dictionary_words)
    streams: dict[str, dict[str, Objective]] = {}
    for name, own in objective_settings(run.objectives, run.own).items():
        stream = "bitext" if "bitext" in OBJECTIVES.needs(name) else "text"
        if not (run.mixed and stream == "bitext"):
            setup = Setup(own, shape.layers, shape.hidden, shape.vocabulary, pieces.specials, dictionary)
            streams.setdefault(stream, {})[name] = OBJECTIVES[name](setup)
    return streams


def _files(run: Pretraining) -> dict[str, str]:
    """Return the SHA-256 of every file that the run reads, by its role."""
    paths = {f"text.{language}": path for language, path in run.text.items()}
    paths |= {f"bitext.{pair}.{i}": path for pair, both in run.bitext.items() for i, path in enumerate(both)}
    paths["tokenizer"] = Path(run.tokenizer) / "tokenizer.json"
    if run.dictionary:
        paths["dictionary"] = run.dictionary
    if run.init:
        paths["init"] = Path(run.init) / "model.safetensors"
    return {role: sha256(path) for role, path in paths.items()}
