"""Tagging tasks (named entities, parts of speech, slots): an embedder, a tagger on it, and two-column files."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from crosslingua.embedders.encoder import Encoder, Windows, WordEncoder
from crosslingua.io.conll import TaggedSentence, read_conll, write_conll
from crosslingua.nn.ragged import Ragged, offsets_of
from crosslingua.taggers.linear import Linear
from crosslingua.taggers.settings import LinearSettings
from crosslingua.taggers.tagger import PADDING
from crosslingua.tasks.batches import reading_batches
from crosslingua.tasks.scores import labels_of, span_counts, tag_counts
from crosslingua.tasks.settings import FineTuning
from crosslingua.tasks.training import Task


@dataclass(frozen=True)
class TaggingData:
    """Sentences in windows, a label a word (PADDING if unknown), and `words`, where each sentence's begin among all."""

    pieces: Windows
    labels: Ragged
    words: np.ndarray
    language: str

    @property
    def ids(self) -> Ragged:
        """Pieces of each window."""
        return self.pieces.ids

    @property
    def lengths(self) -> np.ndarray:
        """How many pieces each window has."""
        return self.ids.lengths

    def report(self) -> dict[str, int]:
        """Counts: sentences, words, and words that did not fit."""
        return {
            "sentences": len(self.words) - 1,
            "words": int(self.words[-1]),
            "pieces": int(self.lengths.sum()),
            "divided_sentences": self.pieces.divided,
            "cut_words": self.pieces.cut_words,
        }


class TaggingModel(nn.Module):
    """An embedder with a tagger on its vectors; `labels` are the names of the tagger's scores."""

    def __init__(self, embedder: nn.Module, tagger: nn.Module, labels: Sequence[str]):
        super().__init__()
        self.embedder, self.tagger, self.labels = embedder, tagger, list(labels)

    def prepare(self, examples: Sequence[TaggedSentence], language: str) -> TaggingData:
        """Encode sentences once; a label that was not trained on becomes PADDING."""
        ids = {label: number for number, label in enumerate(self.labels)}
        pieces = self.embedder.encode([sentence.tokens for sentence in examples])
        labels = [ids.get(tag, PADDING) for tag in chain.from_iterable(s.labels for s in examples)]
        words = offsets_of([len(sentence.tokens) for sentence in examples])
        return TaggingData(pieces, Ragged(np.array(labels), pieces.starts.offsets), words, language)

    def loss(self, data: TaggingData, rows: np.ndarray) -> Tensor:
        """Return the mean loss over the words of some windows."""
        vectors = self.embedder(data.pieces, data.language, rows)
        labels = torch.from_numpy(data.labels.padded(rows, PADDING)).to(vectors.device)
        return self.tagger.loss(vectors, labels)

    @torch.inference_mode()
    def predict(self, data: TaggingData) -> list[list[str]]:
        """Return the labels of each sentence."""
        self.eval()
        found = np.empty(data.words[-1], dtype=np.int64)
        for rows in reading_batches(data.lengths):
            places, mask = data.pieces.starts.places(rows)
            vectors = self.embedder(data.pieces, data.language, rows)
            decoded = self.tagger.decode(vectors, torch.from_numpy(mask).to(vectors.device))
            found[places[mask]] = decoded.cpu().numpy()[mask]
        names = [self.labels[label] for label in found.tolist()]
        return [names[a:b] for a, b in zip(data.words, data.words[1:], strict=False)]


class TaggingTask(Task):
    """A kind of task whose labels are BIO2 (scored by the F1 of spans) or plain (scored by accuracy)."""

    def read(self, path: str | Path) -> list[TaggedSentence]:
        """Read a two-column file."""
        return list(read_conll(path, self.kind.scheme))

    def model(
        self, encoder: Encoder, examples: Sequence[TaggedSentence], settings: FineTuning | None = None
    ) -> TaggingModel:
        """Return the encoder with a linear tagger for the labels that occur in `examples`."""
        labels = sorted(labels_of(examples))
        embedder = WordEncoder(encoder)
        settings = LinearSettings(encoder.head_dropout, encoder.head_deviation)
        tagger = Linear(settings, embedder.dimension, labels)
        return TaggingModel(embedder, tagger.to(encoder.device), labels)

    def score(self, gold: Sequence[TaggedSentence], predicted: Sequence[Sequence[str]]) -> float:
        """Return F1 of BIO2 spans (strict, micro), or accuracy of plain tags; 0 to 100."""
        labels = [sentence.labels for sentence in gold]
        return (span_counts if self.kind.scheme == "bio2" else tag_counts)(labels, predicted).f1

    def write(
        self, path: str | Path, examples: Sequence[TaggedSentence], predicted: Sequence[Sequence[str]]
    ) -> None:
        """Write the words with their predicted labels, which need not be valid BIO2."""
        pairs = zip(examples, predicted, strict=True)
        write_conll(path, (TaggedSentence(sentence.tokens, tuple(tags)) for sentence, tags in pairs))
