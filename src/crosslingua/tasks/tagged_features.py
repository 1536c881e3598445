"""Tagged sentences with the features of their words: of one set, or of the union of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch

from crosslingua.embedders.features import Features
from crosslingua.errors import ConfigError
from crosslingua.io.conll import TaggedSentence, read_conll
from crosslingua.ragged import Ragged, offsets_of
from crosslingua.tasks.kinds import kind_of
from crosslingua.tasks.known_labels import labels_of
from crosslingua.tasks.shares import shared_rows


@dataclass(frozen=True)
class TaggedFeatures:
    """Sentences and the features of their words, in the same order: `features.share` of the `total` that a set has."""

    sentences: Sequence[TaggedSentence]
    features: Features
    total: int

    @classmethod
    def read(cls, task: str, data: str | Path, features: str | Path) -> TaggedFeatures:
        """Read both files: the share of the data that has features.

        Raises InputError if one is malformed, or they are not of the same sentences.
        """
        return cls.of(read_tagged(task, data), features)

    @classmethod
    def of(cls, sentences: Sequence[TaggedSentence], features: str | Path) -> TaggedFeatures:
        """Read the features of sentences, a whole set. Raises InputError as `read`."""
        found, total = Features.load(features), len(sentences)
        if found.share != 1:
            sentences = [sentences[i] for i in shared_rows(total, found.share)]
        found.check(features, [sentence.tokens for sentence in sentences])
        return cls(sentences, found, total)

    def share(self, part: float) -> TaggedFeatures:
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
