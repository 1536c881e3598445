"""A pre-training run, from files to a Hugging Face folder."""

import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

from crosslingua.encoders.batches import Masker, Streams
from crosslingua.encoders.data import (
    Corpus,
    Instances,
    Pieces,
    concatenate,
    entropies,
    token_dictionary,
)
from crosslingua.encoders.folder import COPIES
from crosslingua.encoders.objectives import OBJECTIVES
from crosslingua.encoders.objectives.objective import Objective, Setup
from crosslingua.encoders.on_gpu import ResidentStreams, suits
from crosslingua.encoders.settings import Pretraining, objective_settings
from crosslingua.encoders.trainer import UNSEEN, Loss, Processes, Trainer, processes
from crosslingua.errors import ConfigError
from crosslingua.io.atomic import atomic_folder
from crosslingua.io.json import write_json
from crosslingua.io.tokenizer_files import TRAINED
from crosslingua.nn.checkpoint import Checkpoints, digest
from crosslingua.provenance import sha256

log = logging.getLogger(__name__)


def pretrain(run: Pretraining) -> None:
    """Train as `run` says and write its folder, which appears whole or not at all.

    Killed, it goes on from its last checkpoint when called again, to the same weights (on CPUs, to the bit).
    """
    torch.set_flush_denormal(True)
    with processes(run.settings.device) as group:
        trainer, config, counts = prepare(run, group)
        trainer.train()
        if group.first:
            for level, line in learnt(trainer.curve, counts):
                log.log(level, line)
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


def learnt(curve: Mapping[str, list[float]], counts: Mapping[str, float]) -> Iterator[tuple[int, str]]:
    """Yield a line on each of MLM and TLM, with its level: the last loss beside the entropies of the data, in nats.

    A loss that is not below the entropy of pieces, or of pieces given the one before, has learnt less than a table of
    frequencies tells. The first is a warning.
    """
    for term, stream in (("mlm", "text"), ("tlm", "bitext")):
        bounds = [counts.get(f"entropy.{of}.{stream}") for of in ("pieces", "bigrams")]
        if not curve.get(term) or None in bounds:
            continue
        loss, (pieces, bigrams) = curve[term][-1], bounds
        told = f"{term} ends at {loss:.2f} nats a piece; a table of pieces gives {pieces:.2f}, of pairs {bigrams:.2f}"
        if loss >= pieces:
            yield logging.WARNING, f"{told}: it has learnt less than the frequencies of pieces. Train longer"
        else:
            yield logging.INFO, told


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
    what = [list(run.objectives), seen, run.seed, _files(run), torch.__version__]
    checkpoints = Checkpoints(run.out, digest(what))
    trainer = Trainer(loss, streams, settings, group, checkpoints, _faster(run, config))
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
        dictionary = token_dictionary(run.dictionary, pieces, share, run.seed)
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
