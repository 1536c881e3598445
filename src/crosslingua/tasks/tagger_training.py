"""Train a tagger with k seeds on features, and write its predictions for test sets.

Training has random batches of similar lengths and early stopping, and keeps the weights of the best epoch.
"""

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor, nn
from tqdm import tqdm

from crosslingua.embedders import EMBEDDERS, STATIC
from crosslingua.embedders.embedder import TunedVectors
from crosslingua.embedders.features import Device, FeatureBatch, Features, share_table
from crosslingua.errors import ConfigError, CrosslinguaError, InputError
from crosslingua.io.atomic import atomic_folder, check_output_folder
from crosslingua.io.conll import Scheme, TaggedSentence, read_conll, write_conll
from crosslingua.io.json import write_json
from crosslingua.nn.optimiser import Adam, OneCycle
from crosslingua.nn.ragged import Ragged, offsets_of
from crosslingua.taggers import TAGGERS
from crosslingua.taggers.tagger import PADDING
from crosslingua.tasks.batches import reading_batches, shared_rows, training_batches
from crosslingua.tasks.kinds import REPORT, kind_of, prediction_folder
from crosslingua.tasks.scores import (
    SentenceCounts,
    accuracy,
    check_labels,
    labels_of,
    span_counts,
    tag_counts,
)
from crosslingua.tasks.tagger_settings import TaggerFiles, TaggerOptions

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class TaggedFeatures:
    """Sentences of one set or several and the features of their words; `features.share` of the `total` of the set."""

    sentences: Sequence[TaggedSentence]
    features: Features
    total: int

    @classmethod
    def read(cls, task: str, data: str | Path, features: str | Path) -> Self:
        """Read both files: the share with features. Raises InputError if one is malformed or they do not match."""
        sentences, loaded = _sentences(data, kind_of(task).scheme), Features.load(features)
        total = len(sentences)
        if loaded.share != 1:
            sentences = [sentences[i] for i in shared_rows(total, loaded.share)]
        loaded.check(features, [sentence.tokens for sentence in sentences])
        return cls(sentences, loaded, total)

    def to(self, device: Device) -> Self:
        """Return them with the features on a device; see `Features.to`."""
        return replace(self, features=self.features.to(device))

    def share(self, part: float) -> Self:
        """Return a fixed random share of the whole set, 0 to 1, at least one sentence, in order. A larger share
        contains a smaller one. Raises ConfigError if fewer sentences have features.
        """
        if part == self.features.share:
            return self
        if part > self.features.share:
            raise ConfigError(
                f"a share of {part:g} of sentences, of which {self.features.share:g} have features"
            )
        chosen, here = (shared_rows(self.total, share) for share in (part, self.features.share))
        numbers = np.searchsorted(here, chosen)
        features = self.features.selected(numbers, part)
        return TaggedFeatures([self.sentences[i] for i in numbers], features, self.total)

    @property
    def labels(self) -> set[str]:
        """The labels that occur."""
        return labels_of(self.sentences)


@cache
def _sentences(path: str | Path, scheme: Scheme) -> list[TaggedSentence]:
    """Read a file once for all of its features."""
    return list(read_conll(path, scheme))


def union(parts: Sequence[TaggedFeatures]) -> TaggedFeatures:
    """Return the sentences of several sets as one. Raises ConfigError for different kinds of features."""
    if len(parts) == 1:
        return parts[0]
    every = [part.features for part in parts]
    if len({(one.embedder, one.shape, one.vocabulary) for one in every}) > 1:
        kinds = ", ".join(f"{one.embedder} {one.shape}" for one in every)
        raise ConfigError(f"features of different kinds cannot be trained on together: {kinds}")
    # Without a table, rows index a vocabulary that all share.
    is_shared = bool(every[0].vocabulary) and not len(every[0].table)
    shifts = [0] * len(every) if is_shared else offsets_of([len(one.table) for one in every])[:-1]
    rows = [one.pieces.values + shift for one, shift in zip(every, shifts, strict=True)]
    pieces = Ragged(np.concatenate(rows), offsets_of(np.concatenate([one.pieces.lengths for one in every])))
    joined = replace(
        every[0], language="+".join(one.language for one in every), table=torch.cat([one.table for one in every]),
        pieces=pieces, sentences=offsets_of(np.concatenate([one.lengths for one in every])), words_hash="",
        share=1.0,
    )  # fmt: skip
    sentences = [sentence for part in parts for sentence in part.sentences]
    return TaggedFeatures(sentences, joined, len(sentences))


def in_one_table(parts: Sequence[TaggedFeatures]) -> list[TaggedFeatures]:
    """Return sets whose features have one table (`features.share_table`), of which vectors can be tuned. Raises
    ConfigError for features whose words do not have one vector in all sentences, or of several dimensions.
    """
    for name in {part.features.embedder for part in parts}.difference(STATIC):
        raise ConfigError(f"vector_rate: only vectors of {', '.join(STATIC)} can be tuned, not of {name}")
    if len({part.features.shape for part in parts}) > 1:
        raise ConfigError("features of several dimensions cannot share a table of vectors")
    made = share_table([part.features for part in parts])
    return [replace(part, features=features) for part, features in zip(parts, made, strict=True)]


HEAD = "intent"  # the module that tells intents


@dataclass(frozen=True)
class TaggerData:
    """Features, with label numbers of each word and the intent number of each sentence, or PADDING."""

    examples: TaggedFeatures
    labels: Ragged
    intents: np.ndarray

    @property
    def lengths(self) -> np.ndarray:
        """Words of each sentence."""
        return self.labels.lengths


class WordTagger(nn.Module):
    """An embedder's trainable half, dropout, a tagger, and a classifier of intents if there are `intents`."""

    def __init__(self, options: TaggerOptions, examples: TaggedFeatures):
        super().__init__()
        self.training_settings = options.training
        self.labels = sorted(examples.labels)
        told = {one.comments["intent"] for one in examples.sentences if "intent" in one.comments}
        self.intents = sorted(told) if options.training.intents else []
        made = TunedVectors if options.training.vector_rate else EMBEDDERS[examples.features.embedder].layer
        self.layer = made(examples.features)
        self.dropout = nn.Dropout(options.training.dropout)
        self.tagger = TAGGERS[options.tagger].of(options.own, self.layer.dimension, self.labels)
        with torch.random.fork_rng(devices=[]):  # the tagger's random numbers are the same with and without
            self.intent = nn.Linear(self.layer.dimension, len(self.intents)) if self.intents else None

    def prepare(self, examples: TaggedFeatures) -> TaggerData:
        """Return examples with numbers in place of labels; labels that training lacks are PADDING."""
        labels = {name: number for number, name in enumerate(self.labels)}
        intents = {name: number for number, name in enumerate(self.intents)}
        numbers = [
            labels.get(label, PADDING) for label in chain.from_iterable(s.labels for s in examples.sentences)
        ]
        meant = [intents.get(s.comments.get("intent", ""), PADDING) for s in examples.sentences]
        return TaggerData(examples, Ragged(np.array(numbers), examples.features.sentences), np.array(meant))

    def loss(self, data: TaggerData, rows: np.ndarray) -> Tensor:
        """Return the mean loss over some sentences: the tagger's, plus the loss of annotated intents."""
        batch = data.examples.features.batch(rows)
        vectors = self.dropout(self.layer(batch))
        labels = torch.from_numpy(data.labels.padded(rows, PADDING))
        loss = self.tagger.loss(vectors, labels.to(vectors.device))
        if self.intent is None:
            return loss
        meant = torch.from_numpy(data.intents[rows])
        found = self._meant(vectors, batch)
        every = nn.functional.cross_entropy(
            found, meant.to(found.device), ignore_index=PADDING, reduction="sum"
        )
        return loss + every / max(1, int((meant != PADDING).sum()))

    def _meant(self, vectors: Tensor, batch: FeatureBatch) -> Tensor:
        """Return scores of intents (rows, intents), from the mean of a sentence's word vectors."""
        words = batch.mask[..., None].to(vectors)
        return self.intent((vectors * words).sum(dim=1) / words.sum(dim=1))

    @torch.inference_mode()
    def predict(self, data: TaggerData) -> tuple[list[list[str]], list[str]]:
        """Return the labels of each sentence, and its intent (nothing without intents)."""
        self.eval()
        bounds = data.labels.offsets
        found, meant = np.empty(bounds[-1], dtype=np.int64), np.empty(len(data.labels), dtype=np.int64)
        for rows in reading_batches(data.lengths):
            batch = data.examples.features.batch(rows)
            vectors = self.layer(batch)
            places, mask = data.labels.places(rows)
            found[places[mask]] = self.tagger.decode(vectors, batch.mask).cpu().numpy()[mask]
            if self.intent is not None:
                meant[rows] = self._meant(vectors, batch).argmax(dim=1).cpu().numpy()
        every = [self.labels[number] for number in found.tolist()]
        labels = [every[start:end] for start, end in pairwise(bounds)]
        return labels, [self.intents[i] for i in meant] if self.intents else []


def train_tagger(
    options: TaggerOptions, task: str, train: TaggedFeatures, valid: TaggedFeatures, seed: int
) -> tuple[WordTagger, dict[str, Any]]:
    """Return a tagger, equal for equal seeds, and a report by epoch. CrosslinguaError when the loss is not finite.

    Vectors are tuned only of sets `in_one_table`. The tagger is trained where the features are, which is one device;
    its weights are drawn on the CPU, and dropout where it is trained. On a GPU, last bits may differ between runs.
    """
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    model = WordTagger(options, train).to(train.features.device)
    learnt, held_out = model.prepare(train), model.prepare(valid)
    started, cpu = time.perf_counter(), time.process_time()
    epochs = list(_epochs(model, learnt, held_out, task, rng))
    seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu
    best = max(epochs, key=lambda epoch: epoch["validation"])
    report = {"epochs": epochs, "selected": best["epoch"]}
    report |= {"seconds": round(seconds, 2), "cpu_seconds": round(cpu_seconds, 2)}
    if options.training.score_training:
        values = _counts(learnt, model.predict(learnt)[0], task).per_item()
        report["training_per_sentence"] = [round(value, 4) for value in values.tolist()]
    return model, report


def _epochs(
    model: WordTagger, learnt: TaggerData, held_out: TaggerData, task: str, rng: np.random.Generator
) -> Iterator[dict[str, float]]:
    """Train and yield a report of each epoch, until the last or early stopping; load the best epoch's weights. Over
    frozen features, intents take the weights of their best epoch.
    """
    settings = model.training_settings
    weights = [each for each in model.parameters() if each.requires_grad and each is not _tuned(model)]
    kinds = {"adam": Adam, "one_cycle": OneCycle}
    optimiser = kinds[settings.optimiser](weights, settings.lr, settings.l2)
    scores: list[float] = []
    rights: list[float] = []
    best: dict[str, torch.Tensor] = {}
    with tqdm(total=settings.epochs, unit="epoch", disable=None, leave=False) as bar:
        for number in range(settings.epochs):
            batches = training_batches(learnt.lengths, settings.batch_size, rng)
            loss = _pass(model, learnt, batches, optimiser, number)
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


def _tuned(model: WordTagger) -> nn.Parameter | None:
    """Return the static vectors that are trained, if they are."""
    return model.layer.table if isinstance(model.layer, TunedVectors) else None


def _chosen(model: WordTagger, labels: bool, intents: bool) -> dict[str, torch.Tensor]:
    """Return copies of the weights for labels, for intents, or both."""
    learnt = any(True for _ in model.layer.parameters())  # what both read is of one epoch
    wanted = {HEAD: labels if learnt else intents}
    state = model.state_dict().items()
    return {name: weight.clone() for name, weight in state if wanted.get(name.partition(".")[0], labels)}


def decreases(scores: Sequence[float]) -> int:
    """Return the number of successive decreases at the end of `scores` (Prechelt 1998, UP)."""
    count = 0
    for before, after in zip(reversed(scores[:-1]), reversed(scores), strict=False):
        if after >= before:
            break
        count += 1
    return count


def _pass(
    model: WordTagger, data: TaggerData, batches: list[np.ndarray], optimiser: Adam | OneCycle, done: int
) -> float:
    """Train on each batch once, after `done` epochs; return the mean loss of a batch."""
    model.train()
    settings = model.training_settings
    weights, parts = list(model.parameters()), [[*model.layer.parameters(), *model.tagger.parameters()]]
    if model.intent is not None:
        parts.append(list(model.intent.parameters()))  # clipped alone
    total = 0.0
    for place, rows in enumerate(batches):
        loss = model.loss(data, rows)
        value = loss.item()
        if not np.isfinite(value):
            raise CrosslinguaError(f"the loss is {value} in epoch {done + 1}: lower lr or clip_norm")
        for weight in weights:
            weight.grad = None
        loss.backward()
        if settings.clip_norm:
            for part in parts:
                nn.utils.clip_grad_norm_(part, settings.clip_norm)
        optimiser.step((done + place / len(batches)) / settings.epochs)
        if (vectors := _tuned(model)) is not None and vectors.grad is not None:
            with torch.no_grad():  # the loss is a mean over sentences
                vectors.sub_(vectors.grad, alpha=settings.vector_rate * len(rows))
        total += value
    return total / len(batches)


def validation(model: WordTagger, data: TaggerData, task: str) -> tuple[float, float]:
    """Return F1 of spans, or accuracy of plain tags, and the accuracy of intents or 0: 0 to 100."""
    found, meant = model.predict(data)
    told = [sentence.comments.get("intent", "") for sentence in data.examples.sentences]
    return _counts(data, found, task).f1, accuracy(told, meant) if meant else 0.0


def _counts(data: TaggerData, found: list[list[str]], task: str) -> SentenceCounts:
    """Count spans, or plain tags, for their F1."""
    wanted = [sentence.labels for sentence in data.examples.sentences]
    return (span_counts if kind_of(task).scheme == "bio2" else tag_counts)(wanted, found)


# Search of settings, and what train_tagger.py does.
# Ranges, which the paper does not state: (lowest, highest, whether the scale is logarithmic).
SPACE = {"dropout": (0.0, 0.6, False), "tagger.dropout": (0.0, 0.6, False), "l2": (1e-6, 1e-2, True)}


def at_random(trials: int) -> int:
    """Return the number of random trials before the Gaussian process: optuna's ten, half at most."""
    return min(10, trials // 2)


def search(
    options: TaggerOptions, task: str, train: TaggedFeatures, valid: TaggedFeatures, seed: int
) -> tuple[TaggerOptions, list[dict[str, Any]]]:
    """Return the options with the best settings on `valid`, and all trials in order.

    Regularisation is found by Bayesian optimisation (laser_taggers, 'Training'; Snoek, Larochelle and Adams 2012).
    optuna's Gaussian process over three settings maximises the best validation score of a training.
    """
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    trials: list[dict[str, Any]] = []

    def value(trial: Any) -> float:
        chosen = {
            name: trial.suggest_float(name, low, high, log=logarithmic)
            for name, (low, high, logarithmic) in SPACE.items()
        }
        _, report = train_tagger(options.changed(chosen), task, train, valid, seed)
        score = max(epoch["validation"] for epoch in report["epochs"])
        trials.append({**chosen, "validation": score})
        log.info("trial %d: %s", len(trials), trials[-1])
        return score

    number = options.training.trials
    sampler = optuna.samplers.GPSampler(seed=seed, n_startup_trials=at_random(number))
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.optimize(value, n_trials=number)
    return options.changed(study.best_params), trials


def together(files: TaggerFiles, split: str) -> TaggedFeatures:
    """Return the union of the sets of `train` or `valid`, each with its share."""
    paths: Mapping[str, tuple[str, str]] = getattr(files, split)
    return union([_share(files.task, *paths[name], files.share.get(name, 1.0)) for name in files.train])


def _share(task: str, data: str, features: str, share: float = 1.0) -> TaggedFeatures:
    """Return a share of a set. Raises InputError where fewer sentences have features."""
    whole = _read(task, data, features)
    if whole.features.share < share <= 1:
        raise InputError(
            features, f"features of a share of {whole.features.share:g} of {data}, where {share:g} is needed",
            remedy="make them again with crosslingua embed-words and a larger --share",
        )  # fmt: skip
    return whole.share(share)


_read = cache(TaggedFeatures.read)  # once for all taggers


def check_folders(files: TaggerFiles, out: str | Path, seeds: Sequence[int]) -> None:
    """Raise ConfigError unless the folder of every seed can be written."""
    for seed in seeds:
        check_output_folder(*prediction_folder(Path(out, f"seed{seed}"), files.task, files.test))


Searched = tuple[TaggerOptions, list[dict[str, Any]]]  # the options that were found, and every trial


def run_tagger(
    options: TaggerOptions,
    files: TaggerFiles,
    seeds: Sequence[int],
    out: str | Path,
    searched: dict[tuple[Path, TaggerOptions], Searched] | None = None,
    device: Device = "cpu",
) -> None:
    """Train a tagger a seed and write `out/seedN/` atomically: `TEST.conll` and training.json.

    With trials, settings are searched once, with the first seed, for all seeds. `searched` keeps the result for later
    calls with the same folder, whose seeds read other features. On another `device` than the CPU, features of training
    and validation stay there, and those of a test set are sent when it is labelled.
    """
    train, valid = together(files, "train"), together(files, "valid")
    tests = {name: _share(files.task, *paths) for name, paths in files.test.items()}
    tuned: dict[str, dict[str, float]] = {}
    if options.training.vector_rate:
        train, valid, *others = in_one_table([train, valid, *tests.values()])
        tests = dict(zip(tests, others, strict=True))
        tuned = {"tuned_words": {name: _seen(train, test) for name, test in tests.items()}}
    labels = {
        name: check_labels(files.test[name][0], train.labels, test.labels) for name, test in tests.items()
    }
    train, valid = train.to(device), valid.to(device)
    trials: list[dict[str, Any]] = []
    if options.training.trials:
        searched, key = {} if searched is None else searched, (Path(out), options)
        if key not in searched:
            searched[key] = search(options, files.task, train, valid, seeds[0])
        options, trials = searched[key]
    for seed in seeds:
        model, report = train_tagger(options, files.task, train, valid, seed)
        about = {
            "task": files.task, "tagger": options.tagger, "embedder": train.features.embedder, "seed": seed,
            "settings": asdict(options.training), "tagger_settings": list(options.own),
            "trained_on": list(files.train), "shares": dict(files.share), "train_sentences": len(train.sentences),
            "valid_sentences": len(valid.sentences), "features": dict(train.features.report),
            "labels": model.labels, "test": labels, "trials": trials, **tuned,
        }  # fmt: skip
        with atomic_folder(*prediction_folder(Path(out, f"seed{seed}"), files.task, files.test)) as folder:
            for name, test in tests.items():
                _write(folder / f"{name}.{kind_of(files.task).form.predictions}", model, test.to(device))
            write_json(folder / REPORT, about | report)
        log.info("%s seed %d: validation %.1f", out, seed, max(one["validation"] for one in report["epochs"]))


def _seen(train: TaggedFeatures, test: TaggedFeatures) -> float:
    """Return the percentage of the words of a test set whose vector training can move."""
    known = train.features.table.flatten(1).any(dim=1).numpy()  # zeros stand for words without a vector
    rows = test.features.pieces.values
    return round(100 * float((np.isin(rows, train.features.pieces.values) & known[rows]).mean()), 2)


def _write(path: Path, model: WordTagger, test: TaggedFeatures) -> None:
    tags, intents = model.predict(model.prepare(test))
    comments = [{"intent": intent} for intent in intents] or [{}] * len(tags)
    rows = zip(test.sentences, tags, comments, strict=True)
    write_conll(path, (TaggedSentence(gold.tokens, tuple(labels), about) for gold, labels, about in rows))
