"""Train a tagger on features: random batches of like lengths, early stopping, the best epoch's weights in the end."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor, nn
from tqdm import tqdm

from crosslingua.embedders import EMBEDDERS
from crosslingua.embedders.features import FeatureBatch, Features
from crosslingua.errors import ConfigError, CrosslinguaError
from crosslingua.io.conll import TaggedSentence, read_conll
from crosslingua.optimiser import Adam, OneCycle
from crosslingua.ragged import Ragged, offsets_of
from crosslingua.taggers import TAGGERS
from crosslingua.taggers.tagger import PADDING
from crosslingua.tasks.batches import reading_batches, shared_rows, training_batches
from crosslingua.tasks.kinds import kind_of
from crosslingua.tasks.scores import SentenceCounts, accuracy, labels_of, span_counts, tag_counts
from crosslingua.tasks.tagger_settings import TaggerOptions, TaggerTraining

# Tagged sentences with the features of their words: of one set, or of the union of several.


@dataclass(frozen=True)
class TaggedFeatures:
    """Sentences and the features of their words, in the same order: `features.share` of the `total` that a set has."""

    sentences: Sequence[TaggedSentence]
    features: Features
    total: int

    @classmethod
    def read(cls, task: str, data: str | Path, features: str | Path) -> Self:
        """Read both files: the share of the data that has features.

        Raises InputError if one is malformed, or they are not of the same sentences.
        """
        return cls.of(read_tagged(task, data), features)

    @classmethod
    def of(cls, sentences: Sequence[TaggedSentence], features: str | Path) -> Self:
        """Read the features of sentences, a whole set. Raises InputError as `read`."""
        found, total = Features.load(features), len(sentences)
        if found.share != 1:
            sentences = [sentences[i] for i in shared_rows(total, found.share)]
        found.check(features, [sentence.tokens for sentence in sentences])
        return cls(sentences, found, total)

    def share(self, part: float) -> Self:
        """Return a random share of the whole set, 0 to 1, at least one sentence, in their order: always the same ones.

        A share is part of every larger one. Raises ConfigError if there are features of less.
        """
        if part == self.features.share:
            return self
        chosen = shared_rows(self.total, part)
        here = shared_rows(self.total, self.features.share)
        if part > self.features.share:
            raise ConfigError(
                f"a share of {part:g} of sentences, of which {self.features.share:g} have features"
            )
        numbers = np.searchsorted(here, chosen)
        found = replace(selected(self.features, numbers), share=part)
        return TaggedFeatures([self.sentences[i] for i in numbers], found, self.total)

    @property
    def labels(self) -> set[str]:
        """The labels that occur."""
        return labels_of(self.sentences)

    @property
    def intents(self) -> set[str]:
        """The intents that occur."""
        return {sentence.comments["intent"] for sentence in self.sentences if "intent" in sentence.comments}


def read_tagged(task: str, path: str | Path) -> list[TaggedSentence]:
    """Read a two-column file of a task. Raises InputError if it is malformed."""
    return list(read_conll(path, kind_of(task).scheme))


def selected(features: Features, numbers: np.ndarray) -> Features:
    """Return the features of some sentences; the table is shared."""
    words = Ragged(np.arange(features.sentences[-1]), features.sentences).joined(numbers)
    pieces = Ragged(features.pieces.joined(words), offsets_of(features.pieces.lengths[words]))
    bounds = offsets_of(features.lengths[numbers])
    return replace(features, pieces=pieces, sentences=bounds, words_hash="")


def union(parts: Sequence[TaggedFeatures]) -> TaggedFeatures:
    """Return the sentences of several sets as one. Raises ConfigError if their features are of different kinds."""
    if len(parts) == 1:
        return parts[0]
    every = [part.features for part in parts]
    if len({(one.embedder, one.shape, one.vocabulary) for one in every}) > 1:
        kinds = ", ".join(f"{one.embedder} {one.shape}" for one in every)
        raise ConfigError(f"features of different kinds cannot be trained on together: {kinds}")
    own = bool(every[0].vocabulary) and not len(
        every[0].table
    )  # rows are those of a vocabulary that all share
    shifts = [0] * len(every) if own else offsets_of([len(one.table) for one in every])[:-1]
    rows = [one.pieces.values + shift for one, shift in zip(every, shifts, strict=True)]
    pieces = Ragged(np.concatenate(rows), offsets_of(np.concatenate([one.pieces.lengths for one in every])))
    joined = replace(
        every[0], language="+".join(one.language for one in every), table=torch.cat([one.table for one in every]),
        pieces=pieces, sentences=offsets_of(np.concatenate([one.lengths for one in every])), words_hash="",
        share=1.0,
    )  # fmt: skip
    sentences = [sentence for part in parts for sentence in part.sentences]
    return TaggedFeatures(sentences, joined, len(sentences))


# A tagger on features: the embedder's trainable half, dropout, a tagger, and intents where they are learnt.


HEAD = "intent"  # the module that tells intents


@dataclass(frozen=True)
class TaggerData:
    """Features, and what is learnt of each word: numbers of labels; and of each sentence: of its intent, or PADDING."""

    examples: TaggedFeatures
    labels: Ragged
    intents: np.ndarray

    @property
    def lengths(self) -> np.ndarray:
        """Words of each sentence."""
        return self.labels.lengths


class WordTagger(nn.Module):
    """`labels` and `intents` are the names of what is predicted; without intents none are learnt."""

    def __init__(self, options: TaggerOptions, examples: TaggedFeatures):
        super().__init__()
        self.labels = sorted(examples.labels)
        self.intents = sorted(examples.intents) if options.training.intents else []
        self.layer = EMBEDDERS[examples.features.embedder].layer(examples.features)
        self.dropout = nn.Dropout(options.training.dropout)
        self.tagger = TAGGERS[options.tagger].of(options.own, self.layer.dimension, self.labels)
        with torch.random.fork_rng(devices=[]):  # the tagger's random numbers are the same with and without
            self.intent = nn.Linear(self.layer.dimension, len(self.intents)) if self.intents else None

    def parts(self) -> list[list[nn.Parameter]]:
        """Return the weights whose gradients are clipped together: those of tagging, and those of intents alone."""
        tagging = [*self.layer.parameters(), *self.tagger.parameters()]
        return [tagging, list(self.intent.parameters())] if self.intent is not None else [tagging]

    def prepare(self, examples: TaggedFeatures) -> TaggerData:
        """Return examples with numbers in place of labels; what was not trained on is PADDING."""
        labels = {name: number for number, name in enumerate(self.labels)}
        intents = {name: number for number, name in enumerate(self.intents)}
        numbers = [
            labels.get(label, PADDING) for label in chain.from_iterable(s.labels for s in examples.sentences)
        ]
        meant = [intents.get(s.comments.get("intent", ""), PADDING) for s in examples.sentences]
        return TaggerData(examples, Ragged(np.array(numbers), examples.features.sentences), np.array(meant))

    def loss(self, data: TaggerData, rows: np.ndarray) -> Tensor:
        """Return the mean loss over some sentences: the tagger's, and of intents, of the sentences that tell one."""
        batch = data.examples.features.batch(rows)
        vectors = self.dropout(self.layer(batch))
        loss = self.tagger.loss(vectors, torch.from_numpy(data.labels.padded(rows, PADDING)))
        if self.intent is None:
            return loss
        meant = torch.from_numpy(data.intents[rows])
        found = self._meant(vectors, batch)
        every = nn.functional.cross_entropy(found, meant, ignore_index=PADDING, reduction="sum")
        return loss + every / max(1, int((meant != PADDING).sum()))

    def _meant(self, vectors: Tensor, batch: FeatureBatch) -> Tensor:
        """Return scores of intents (rows, intents): of the mean of a sentence's word vectors."""
        words = batch.mask[..., None].to(vectors)
        return self.intent((vectors * words).sum(dim=1) / words.sum(dim=1))

    @torch.inference_mode()
    def predict(self, data: TaggerData) -> tuple[list[list[str]], list[str]]:
        """Return the labels of each sentence, and its intent (nothing where none are learnt)."""
        self.eval()
        bounds = data.labels.offsets
        found, meant = np.empty(bounds[-1], dtype=np.int64), np.empty(len(data.labels), dtype=np.int64)
        for rows in reading_batches(data.lengths):
            batch = data.examples.features.batch(rows)
            vectors = self.layer(batch)
            places, mask = data.labels.places(rows)
            found[places[mask]] = self.tagger.decode(vectors, batch.mask).numpy()[mask]
            if self.intent is not None:
                meant[rows] = self._meant(vectors, batch).argmax(dim=1).numpy()
        return _named(self.labels, found, bounds), [self.intents[i] for i in meant] if self.intents else []


def _named(names: Sequence[str], numbers: np.ndarray, bounds: np.ndarray) -> list[list[str]]:
    every = [names[number] for number in numbers.tolist()]
    return [every[start:end] for start, end in pairwise(bounds)]


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
    optimiser = {"adam": Adam, "one_cycle": OneCycle}[settings.optimiser](
        weights, settings.learning_rate, settings.l2
    )
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
    optimiser: Adam | OneCycle,
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
