"""The decoder of LASER: it sees of the source sentence nothing but its embedding."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple, Self

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from crosslingua.encoders.data import Pieces, Specials
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.bitext import read_bitext
from crosslingua.laser.fastbpe import ended
from crosslingua.laser.laser import LaserEncoder, cut, real_positions, uniform_
from crosslingua.ragged import Ragged
from crosslingua.settings import Count, Dropout, Positive, settings


class LaserDecoder(nn.Module):
    """Predicts a translation from a sentence embedding and the language to translate into (section 3, figure 1).

    One LSTM without attention. The embedding makes its first state, by a linear map, and stands beside the
    previous subword and the language in the input of every step. One decoder serves both target languages.
    `output_size` is the width of the layer between state and vocabulary, which is the authors' program's.
    """

    def __init__(
        self,
        vocabulary_size: int,
        padding: int,
        sentence_size: int,
        languages: int,
        embedding_size: int = 320,
        language_size: int = 32,
        hidden_size: int = 2048,
        output_size: int = 512,
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary_size, embedding_size, padding_idx=padding)
        self.language = nn.Embedding(languages, language_size)
        self.initial = nn.Linear(sentence_size, 2 * hidden_size)
        self.lstm = nn.LSTM(embedding_size + sentence_size + language_size, hidden_size, batch_first=True)
        self.bottleneck = nn.Linear(hidden_size, output_size)
        self.output = nn.Linear(output_size, vocabulary_size)
        uniform_(self)

    def forward(self, previous: Tensor, lengths: Tensor, sentences: Tensor, language: int) -> Tensor:
        """Return the logits (real positions, vocabulary) of the subwords that follow those of `previous`.

        `previous` (batch, time) begins with `</s>` and is padded on the right; `lengths` (batch,) counts its real
        positions; `sentences` (batch, sentence_size); `language` is the number of the target language. The
        positions come sentence by sentence.
        """
        time = previous.shape[1]
        constant = torch.cat([sentences, self.language.weight[language].expand(len(sentences), -1)], dim=1)
        inputs = torch.cat([self.embedding(previous), constant[:, None].expand(-1, time, -1)], dim=2)
        hidden, cell = self.initial(sentences)[None].chunk(2, dim=2)
        states, _ = self.lstm(inputs, (hidden.contiguous(), cell.contiguous()))
        return self.output(self.bottleneck(states[real_positions(lengths, time).to(states.device)]))


# The bitext of a training run: every pair in each direction that ends in a pivot language.


log = logging.getLogger(__name__)

Files = Mapping[tuple[str, str], tuple[str, str]]


@dataclass(frozen=True)
class PivotDirection:
    """Sentences of one language and their translations into a pivot, as subwords that end in `</s>`."""

    source: str
    pivot: str
    language: int  # the pivot's number
    sources: Ragged
    targets: Ragged
    rows: np.ndarray  # (pairs,) int64: the pairs that are short enough

    @property
    def lengths(self) -> np.ndarray:
        """Subwords (pairs, 2) of either side."""
        return np.stack([self.sources.lengths, self.targets.lengths], axis=1)


def read_directions(
    files: Files, pivots: Sequence[str], pieces: Pieces, max_length: int
) -> list[PivotDirection]:
    """Return the directions of bitext files, given by pair of languages.

    A pair of both pivots gives two directions. Raises ConfigError for a pair without a pivot, a pivot that
    nothing is translated into, and bitext of which no pair is within `max_length` subwords.
    """
    _check(files, pivots)
    directions = []
    for languages, paths in files.items():
        sides = _encoded(languages, paths, pieces)
        rows = _short_enough("-".join(languages), list(sides.values()), max_length)
        for source, pivot in (languages, languages[::-1]):
            if pivot in pivots:
                number = list(pivots).index(pivot)
                directions.append(PivotDirection(source, pivot, number, sides[source], sides[pivot], rows))
    return directions


def _encoded(languages: tuple[str, str], paths: tuple[str, str], pieces: Pieces) -> dict[str, Ragged]:
    sentences = [pieces.encode(side) for side in zip(*read_bitext(*paths), strict=True)]
    if not sentences:
        raise InputError(paths[0], "has no sentences")
    end = pieces.specials.end
    return {
        name: ended(side.pieces, side.offsets, end) for name, side in zip(languages, sentences, strict=True)
    }


def _check(files: Files, pivots: Sequence[str]) -> None:
    for first, second in files:
        if first == second or not {first, second} & set(pivots):
            raise ConfigError(
                f"bitext {first}-{second}: one of two languages must be a pivot ({', '.join(pivots)})"
            )
    if len(set(pivots)) < len(pivots):
        raise ConfigError(f"pivots {', '.join(pivots)}: name each once")
    for pivot in pivots:
        if not any(pivot in pair for pair in files):
            raise ConfigError(f"pivot {pivot}: no bitext translates into it")


def _short_enough(name: str, sides: Sequence[Ragged], max_length: int) -> np.ndarray:
    """Return the numbers of the pairs of which neither side is empty or too long."""
    lengths = np.stack([side.lengths for side in sides])
    rows = np.flatnonzero((lengths.min(axis=0) > 1) & (lengths.max(axis=0) <= max_length))
    if not len(rows):
        raise ConfigError(f"bitext {name}: no pair of 1 to {max_length - 1} subwords a side")
    if left_out := lengths.shape[1] - len(rows):
        log.warning(
            "bitext %s: %d pairs are empty or longer than max_length and are left out", name, left_out
        )
    return rows


# Settings of a training run, by default the published ones.


@settings
class LaserSettings:
    """Defaults are those of Artetxe and Schwenk 2019 (section 3); where it is silent, the authors' program's (*)."""

    embedding_size: Annotated[Count, "dimensions of the encoder's embeddings"] = 320
    hidden_size: Annotated[Count, "units of a direction of the encoder"] = 512
    layers: Annotated[Count, "of the encoder"] = 5
    decoder_embedding_size: Annotated[Count, "*"] = 320
    decoder_hidden_size: Annotated[Count, "units of the decoder"] = 2048
    decoder_output_size: Annotated[Count, "* between the decoder's state and the vocabulary"] = 512
    language_size: Annotated[Count, "dimensions of the decoder's embedding of the language"] = 32
    dropout: Annotated[Dropout, "* after each layer of the encoder (the paper says only 0.1)"] = 0.1
    lr: Annotated[Positive, "of Adam, constant"] = 0.001
    clip_norm: Annotated[Positive, "* largest norm of the gradient"] = 5.0
    epochs: Annotated[Count, "passes over all bitext in all directions"] = 17
    batch_tokens: Annotated[Count, "subwords of a batch, the longer side's, with padding"] = 4000
    accumulate: Annotated[Count, "batches of a step; as published 128,000 subwords in all"] = 32
    max_length: Annotated[Count, "* subwords with `</s>`; longer pairs are left out and counted"] = 1024
    checkpoint_every: Annotated[Count, "steps between two checkpoints"] = 1000
    log_every: Annotated[Count, "steps between two points of the loss curve"] = 10
    device: Annotated[Literal["cpu", "cuda"], "where it is trained"] = "cpu"


# The steps of a training run: which sentence pairs are seen together, and when.


class TranslationBatch(NamedTuple):
    """Sentence pairs of one direction, padded on the right."""

    source: Tensor  # (batch, time) int64, ends in `</s>`
    lengths: Tensor  # (batch,) int64; stays on the CPU
    previous: Tensor  # (batch, target time) int64: `</s>`, then the target's subwords but the last
    target_lengths: Tensor  # (batch,) int64
    following: Tensor  # (target subwords,) int64: the targets, sentence by sentence, each with `</s>`
    language: int

    def to(self, device: str) -> Self:
        """Return the batch on a device, but for the lengths that packing wants on the CPU."""
        moved = ("source", "previous", "target_lengths", "following")
        return self._replace(**{name: getattr(self, name).to(device) for name in moved})


class Plan(NamedTuple):
    """A batch before it is made: which pairs of which direction."""

    direction: int
    rows: np.ndarray


@dataclass(frozen=True)
class Steps:
    """The steps of a run; they depend on nothing but the fields, so that a run can go on anywhere."""

    directions: Sequence[PivotDirection]
    specials: Specials
    settings: LaserSettings
    seed: int

    @property
    def number(self) -> int:
        """Steps of the whole run; every epoch has equally many."""
        return self.settings.epochs * len(self.epoch(0))

    def since(self, start: int) -> Iterator[list[TranslationBatch]]:
        """Yield the batches of every step but the first `start`."""
        done = 0
        for epoch in range(self.settings.epochs):
            planned = self.epoch(epoch)
            for step in planned[max(0, start - done) :]:
                yield [make_batch(self.directions[plan.direction], plan.rows, self.specials) for plan in step]
            done += len(planned)

    def epoch(self, epoch: int) -> list[list[Plan]]:
        """Return the steps of an epoch, each of up to `accumulate` batches; a batch is of one direction.

        As in the authors' program: within a direction pairs of like length go together, those of equal length
        in another order each epoch, and the batches of all directions are shuffled together.
        """
        rng = np.random.default_rng([self.seed, epoch])
        plans = [
            Plan(number, rows)
            for number, direction in enumerate(self.directions)
            for rows in self._cut(direction, rng)
        ]
        plans = [plans[i] for i in rng.permutation(len(plans))]
        size = self.settings.accumulate
        return [plans[start : start + size] for start in range(0, len(plans), size)]

    def _cut(self, direction: PivotDirection, rng: np.random.Generator) -> Iterator[np.ndarray]:
        rows, lengths = rng.permutation(direction.rows), direction.lengths
        order = rows[np.lexsort((lengths[rows, 1], lengths[rows, 0]))]
        return cut(order, lengths.max(axis=1), self.settings.batch_tokens)


def make_batch(direction: PivotDirection, rows: np.ndarray, specials: Specials) -> TranslationBatch:
    """Return the pairs `rows` of a direction side by side."""
    sources, targets = direction.sources, direction.targets
    first = np.full((len(rows), 1), specials.end)
    return TranslationBatch(
        source=torch.from_numpy(sources.padded(rows, specials.pad)),
        lengths=torch.from_numpy(sources.lengths[rows]),
        previous=torch.from_numpy(np.hstack([first, targets.padded(rows, specials.pad)[:, :-1]])),
        target_lengths=torch.from_numpy(targets.lengths[rows]),
        following=torch.from_numpy(targets.joined(rows)),
        language=direction.language,
    )


# Encoder and decoder together: the loss that LASER is trained on.


class Translator(nn.Module):
    """Translates a sentence through its embedding; which language it is in is not told."""

    def __init__(self, encoder: LaserEncoder, decoder: LaserDecoder):
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder

    def forward(self, batch: TranslationBatch) -> Tensor:
        """Return the sum of the cross-entropies, in nats, of a batch's target subwords."""
        sentences = self.encoder(batch.source, batch.lengths)
        logits = self.decoder(batch.previous, batch.target_lengths, sentences, batch.language)
        return functional.cross_entropy(logits, batch.following, reduction="sum")


def new_translator(
    settings: LaserSettings, vocabulary_size: int, padding: int, languages: int, seed: int
) -> Translator:
    """Return an untrained translator into `languages` languages; equal seeds give equal weights."""
    torch.manual_seed(seed)
    encoder = LaserEncoder(
        vocabulary_size,
        padding,
        settings.embedding_size,
        settings.hidden_size,
        settings.layers,
        settings.dropout,
    )
    decoder = LaserDecoder(
        vocabulary_size,
        padding,
        encoder.size,
        languages,
        settings.decoder_embedding_size,
        settings.language_size,
        settings.decoder_hidden_size,
        settings.decoder_output_size,
    )
    return Translator(encoder, decoder)
