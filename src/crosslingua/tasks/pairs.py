"""Tasks on pairs of sentences (inference, paraphrase): an encoder with RoBERTa's classification head."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from crosslingua.embedders.encoder import Encoder
from crosslingua.io.atomic import atomic_open
from crosslingua.io.pairs import SentencePair, read_pairs
from crosslingua.nn.ragged import Ragged
from crosslingua.tasks.batches import reading_batches
from crosslingua.tasks.scores import accuracy
from crosslingua.tasks.settings import FineTuning
from crosslingua.tasks.training import Task

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PairData:
    """Pairs of one language: their pieces, their labels (n,), and the token types of the pieces (see Encoder).

    `cut`: pairs that are longer than the model, of which the longer sentence lost its last pieces. `second` (n,): the
    piece from where positions begin at 0 again, None if they go on. `groups` (n,): the number of each pair's first
    sentence; None if such pairs need not share a batch.
    """

    ids: Ragged
    labels: np.ndarray
    types: Ragged | int | None
    cut: int
    second: np.ndarray | None = None
    groups: np.ndarray | None = None

    @property
    def lengths(self) -> np.ndarray:
        """Pieces of each pair."""
        return self.ids.lengths

    def report(self) -> dict[str, int]:
        """Counts: pairs, pieces, and the pairs that did not fit."""
        return {"pairs": len(self.ids), "pieces": int(self.lengths.sum()), "cut_pairs": self.cut}


class ClassificationHead(nn.Module):
    """RoBERTa's: dropout, a dense layer with tanh, dropout, a linear layer to the scores of the classes."""

    def __init__(self, dimension: int, classes: int, dropout: float, deviation: float):
        super().__init__()
        self.dense = nn.Linear(dimension, dimension)
        self.scores = nn.Linear(dimension, classes)
        self.dropout = nn.Dropout(dropout)
        for layer in (self.dense, self.scores):
            nn.init.normal_(layer.weight, std=deviation)
            nn.init.zeros_(layer.bias)

    def forward(self, vectors: Tensor) -> Tensor:
        """Return scores (n, classes) of vectors (n, d)."""
        return self.scores(self.dropout(torch.tanh(self.dense(self.dropout(vectors)))))


class PairModel(nn.Module):
    """An encoder with a classification head on its first vector (`<s>`); `labels` are the classes."""

    def __init__(self, encoder: Encoder, labels: Sequence[str], settings: FineTuning | None = None):
        super().__init__()
        self.encoder, self.labels = encoder, list(labels)
        self.settings = settings or FineTuning()
        sizes, start = (encoder.dimension, len(self.labels)), (encoder.head_dropout, encoder.head_deviation)
        self.head = ClassificationHead(*sizes, *start).to(encoder.device)

    def prepare(self, examples: Sequence[SentencePair], language: str) -> PairData:
        """Encode pairs once. Pairs that are too long are cut, longer sentence first, counted and warned of."""
        encode, limit = self.encoder.tokenizer, self.encoder.max_length
        encoded = encode(
            [pair.first for pair in examples], [pair.second for pair in examples], verbose=False,
            truncation="longest_first", max_length=limit, return_overflowing_tokens=False,
        )  # fmt: skip
        full = np.array([len(ids) for ids in encoded["input_ids"]]) == limit
        whole = (encode(examples[i].first, examples[i].second, verbose=False) for i in np.flatnonzero(full))
        cut = sum(len(pair["input_ids"]) > limit for pair in whole)
        if cut:
            log.warning("%d of %d pairs are longer than %d pieces and were cut", cut, len(examples), limit)
        types: Ragged | int | None = self.encoder.language_id(language)
        if types is None and "token_type_ids" in encoded:
            types = Ragged.of(encoded["token_type_ids"])
        labels = np.array([self.labels.index(pair.label) for pair in examples])
        second = groups = None
        if self.settings.restart_positions:  # behind the first `</s>`, as in pre-training
            second = np.array([row.index(encode.sep_token_id, 1) + 1 for row in encoded["input_ids"]])
        if self.settings.twins:
            numbers: dict[str, int] = {}
            groups = np.array([numbers.setdefault(pair.first, len(numbers)) for pair in examples])
        return PairData(Ragged.of(encoded["input_ids"]), labels, types, cut, second, groups)

    def forward(self, data: PairData, rows: np.ndarray) -> Tensor:
        """Return scores (rows, classes)."""
        ids = data.ids.padded(rows, self.encoder.tokenizer.pad_token_id)
        types = data.types.padded(rows, 0) if isinstance(data.types, Ragged) else data.types
        positions = None
        if data.second is not None:  # from 0 in either sentence
            places, second = np.arange(ids.shape[1]), data.second[rows][:, None]
            positions = np.where(places < second, places, places - second)
        return self.head(self.encoder.first(ids, data.lengths[rows], types, positions))

    def loss(self, data: PairData, rows: np.ndarray) -> Tensor:
        """Return the mean cross entropy over some pairs."""
        scores = self(data, rows)
        return nn.functional.cross_entropy(scores, torch.from_numpy(data.labels[rows]).to(scores.device))

    @torch.inference_mode()
    def predict(self, data: PairData) -> list[str]:
        """Return the label of each pair."""
        self.eval()
        found = np.empty(len(data.ids), dtype=np.int64)
        for rows in reading_batches(data.lengths):
            found[rows] = self(data, rows).argmax(dim=1).cpu().numpy()
        return [self.labels[label] for label in found.tolist()]


class PairTask(Task):
    """A kind of task on pairs of sentences, scored by accuracy."""

    def read(self, path: str | Path) -> list[SentencePair]:
        """Read a file of pairs."""
        return list(read_pairs(path, self.kind.pairs))

    def model(
        self, encoder: Encoder, examples: Sequence[SentencePair], settings: FineTuning | None = None
    ) -> PairModel:
        """Return the encoder with a classification head for the task's classes."""
        return PairModel(encoder, self.kind.pairs.labels, settings)

    def score(self, gold: Sequence[SentencePair], predicted: Sequence[str]) -> float:
        """Return accuracy, 0 to 100."""
        return accuracy([pair.label for pair in gold], predicted)

    def write(self, path: str | Path, examples: Sequence[SentencePair], predicted: Sequence[str]) -> None:
        """Write one label a line, in the order of the pairs."""
        with atomic_open(path) as stream:
            stream.writelines(f"{label}\n" for label in predicted)
