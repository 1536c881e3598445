"""A tagger on features: the embedder's trainable half, dropout, a tagger, and intents where they are learnt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np
import torch
from torch import Tensor, nn

from crosslingua.embedders import EMBEDDERS
from crosslingua.embedders.features import FeatureBatch
from crosslingua.ragged import Ragged
from crosslingua.taggers import TAGGERS
from crosslingua.taggers.tagger import PADDING
from crosslingua.tasks.batches import reading_batches
from crosslingua.tasks.tagged_features import TaggedFeatures
from crosslingua.tasks.tagger_settings import TaggerOptions

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
