"""Train a tagger on features: random batches of like lengths, early stopping, the best epoch's weights in the end."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch import nn
from tqdm import tqdm

from crosslingua.errors import CrosslinguaError
from crosslingua.tasks.batches import training_batches
from crosslingua.tasks.kinds import kind_of
from crosslingua.tasks.l2_optimisers import OPTIMISERS
from crosslingua.tasks.scores import SentenceCounts, accuracy, span_counts, tag_counts
from crosslingua.tasks.tagged_features import TaggedFeatures
from crosslingua.tasks.tagger_settings import TaggerOptions, TaggerTraining
from crosslingua.tasks.word_tagger import HEAD, TaggerData, WordTagger


def train_tagger(
    options: TaggerOptions, task: str, train: TaggedFeatures, valid: TaggedFeatures, seed: int
) -> tuple[WordTagger, dict[str, Any]]:
    """Return a trained tagger, and what happened, epoch by epoch. Equal seeds give equal taggers.

    Raises CrosslinguaError when the loss is no longer finite.
    """
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    model = WordTagger(options, train)
    learnt, held_out = model.prepare(train), model.prepare(valid)
    started, cpu = time.perf_counter(), time.process_time()
    epochs = list(_epochs(model, learnt, held_out, task, options.training, rng))
    seconds = {"seconds": time.perf_counter() - started, "cpu_seconds": time.process_time() - cpu}
    best = max(epochs, key=lambda epoch: epoch["validation"])
    report = {"epochs": epochs, "selected": best["epoch"], **{k: round(v, 2) for k, v in seconds.items()}}
    if options.training.score_training:
        values = _counts(learnt, model.predict(learnt)[0], task).per_item()
        report["training_per_sentence"] = [round(value, 4) for value in values.tolist()]
    return model, report


def _epochs(
    model: WordTagger,
    learnt: TaggerData,
    held_out: TaggerData,
    task: str,
    settings: TaggerTraining,
    rng: np.random.Generator,
) -> Iterator[dict[str, float]]:
    """Train and yield what happened, until all epochs are over or scores decrease; leave the best epoch's weights.

    Over frozen features the weights of intents are those of their own best epoch.
    """
    weights = [each for each in model.parameters() if each.requires_grad]
    optimiser = OPTIMISERS[settings.optimiser](weights, settings.learning_rate, settings.l2)
    scores: list[float] = []
    rights: list[float] = []
    best: dict[str, torch.Tensor] = {}
    with tqdm(total=settings.epochs, unit="epoch", disable=None, leave=False) as bar:
        for number in range(settings.epochs):
            batches = training_batches(learnt.lengths, settings.batch_size, rng)
            loss = _pass(model, learnt, batches, optimiser, settings, number)
            score, right = validation(model, held_out, task)
            better = score > max(scores, default=-1.0), right > max(rights, default=-1.0)
            best |= _chosen(model, *better)
            scores.append(score)
            rights.append(right)
            bar.update()
            bar.set_postfix(loss=f"{loss:.3f}", validation=f"{score:.1f}")
            intents = {"intents": round(right, 4)} if model.intents else {}
            yield {"epoch": number + 1, "loss": round(loss, 5), "validation": round(score, 4), **intents}
            if settings.patience and decreases(scores) >= settings.patience:
                break
    model.load_state_dict(best)
    model.eval()


def _chosen(model: WordTagger, labels: bool, intents: bool) -> dict[str, torch.Tensor]:
    """Return copies of the weights that label words, those that tell intents, or both."""
    learnt = any(True for _ in model.layer.parameters())  # what both read is of one epoch
    wanted = {HEAD: labels if learnt else intents}
    return {
        name: weight.clone()
        for name, weight in model.state_dict().items()
        if wanted.get(name.partition(".")[0], labels)
    }


def decreases(scores: Sequence[float]) -> int:
    """Return in how many of the last rounds, one after the other, the score decreased (Prechelt 1998, UP)."""
    count = 0
    for before, after in zip(reversed(scores[:-1]), reversed(scores), strict=False):
        if after >= before:
            break
        count += 1
    return count


def _pass(
    model: WordTagger,
    data: TaggerData,
    batches: list[np.ndarray],
    optimiser: Any,
    settings: TaggerTraining,
    done: int,
) -> float:
    """Train on each batch once, after `done` epochs; return the mean loss of a batch."""
    model.train()
    weights, parts = list(model.parameters()), model.parts()
    total = 0.0
    for place, rows in enumerate(batches):
        loss = model.loss(data, rows)
        value = loss.item()
        if not np.isfinite(value):
            raise CrosslinguaError(
                f"the loss is {value} in epoch {done + 1}: lower learning_rate or clip_norm"
            )
        for weight in weights:
            weight.grad = None
        loss.backward()
        if settings.clip_norm:
            for part in parts:
                nn.utils.clip_grad_norm_(part, settings.clip_norm)
        optimiser.step((done + place / len(batches)) / settings.epochs)
        total += value
    return total / len(batches)


def validation(model: WordTagger, data: TaggerData, task: str) -> tuple[float, float]:
    """Return F1 of spans, or accuracy of plain tags, and the accuracy of intents, 0 without: 0 to 100."""
    found, meant = model.predict(data)
    told = [sentence.comments.get("intent", "") for sentence in data.examples.sentences]
    return _counts(data, found, task).f1, accuracy(told, meant) if meant else 0.0


def _counts(data: TaggerData, found: list[list[str]], task: str) -> SentenceCounts:
    """Count spans, or plain tags; their F1 is the score."""
    wanted = [sentence.labels for sentence in data.examples.sentences]
    return (span_counts if kind_of(task).scheme == "bio2" else tag_counts)(wanted, found)
