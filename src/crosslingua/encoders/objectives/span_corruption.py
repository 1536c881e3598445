"""Span corruption (T5: Raffel et al. 2020, section 3.1.4; mT5: Xue et al. 2021): a decoder writes what is left out.

`Thank you for inviting me` may become `Thank <0> inviting me`, of which the decoder writes `<0> you for`. Which tokens
are left out is drawn as the authors' program draws it (t5.data.preprocessors, random_spans_noise_mask).
"""

from typing import Annotated, Any

import numpy as np
from torch import Tensor

from crosslingua.encoders.batches import Batch
from crosslingua.encoders.encoder_decoder import EncoderDecoderArchitecture
from crosslingua.encoders.objectives.objective import Encoded, Objective, Setup
from crosslingua.errors import ConfigError
from crosslingua.settings import Count, Positive, SomeShare, settings


@settings
class SpanCorruptionSettings:
    """An encoder and a decoder of `layers` each (mT5: Xue et al. 2021)."""

    span_density: Annotated[SomeShare, "share of the tokens that are left out"] = 0.15
    span_length: Annotated[Positive, "tokens of a span, in the mean"] = 3.0
    span_sentinels: Annotated[Count, "pieces `<extra_id_0>`, ... for spans, added to the tokeniser's"] = 100
    span_roll: Annotated[
        bool,
        "begin the row's pattern of spans at a random place, an option of the authors' program; without, each row ends "
        "in a span, and where there is but one, as in a single sentence, it is always the end that is left out",
    ] = True


class SpanCorruption(Objective):
    """The mean cross-entropy of what the decoder is to write, its end included."""

    Settings = SpanCorruptionSettings
    masks = False

    def __init__(self, setup: Setup):
        super().__init__(setup)
        self._pad, self._end = setup.specials.pad, setup.specials.end
        self._first_sentinel = setup.vocabulary - 1  # they count down, as T5's

    @classmethod
    def architecture(cls, settings: SpanCorruptionSettings) -> EncoderDecoderArchitecture:
        """Return T5's, with pieces for the sentinels."""
        return EncoderDecoderArchitecture(settings.span_sentinels)

    def prepare(self, batch: Batch, rng: np.random.Generator) -> None:
        """Fill in `ids`, what the encoder reads, `targets`, what the decoder writes, and how many these are."""
        lengths = batch.present.sum(1)
        inner = np.arange(batch.clean.shape[1])
        tokens = batch.present & (inner > 0) & (inner < lengths[:, None] - 1)  # but the row's first and last
        noise = np.zeros_like(tokens)
        for row, length in enumerate((lengths - 2).tolist()):
            noise[row, 1 : length + 1] = noise_mask(length, self.settings, rng)
        starts = noise & ~np.roll(noise, 1, axis=1)
        sentinels = self._first_sentinel - (np.cumsum(starts, axis=1) - 1)
        self._check(int(starts.sum(1).max()))
        read = np.where(starts, sentinels, batch.clean)
        batch.ids = self._rows(read, tokens & (~noise | starts))
        batch.targets = self._rows(*_with_sentinels(batch.clean, noise, starts, sentinels))
        batch.total = int((batch.targets != self._pad).sum())

    def _check(self, spans: int) -> None:
        if spans > self.settings.span_sentinels:
            raise ConfigError(
                f"a row has {spans} spans and only {self.settings.span_sentinels} sentinels: raise span_sentinels or "
                "lower max_length"
            )

    def _rows(self, values: np.ndarray, kept: np.ndarray) -> np.ndarray:
        """Return the kept values of each row, its end behind them, padded to the longest."""
        lengths = kept.sum(1)
        rows = np.full((len(values), lengths.max() + 1), self._pad)
        rows[np.arange(rows.shape[1]) < lengths[:, None]] = values[kept]
        rows[np.arange(len(rows)), lengths] = self._end
        return rows

    def forward(self, encoded: Encoded) -> Tensor:
        """Return the share of the mean over all that the step's decoders write."""
        batch: Any = encoded.batch
        return encoded.model.summed_loss(batch.ids, batch.targets) / max(1, batch.total)


def _with_sentinels(
    tokens: np.ndarray, noise: np.ndarray, starts: np.ndarray, sentinels: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return (values, kept), both (b, 2 t): a place for a sentinel before each token, and those that are written."""
    values = np.stack([sentinels, tokens], axis=2).reshape(len(tokens), -1)
    return values, np.stack([starts, noise], axis=2).reshape(len(tokens), -1)


def noise_mask(length: int, settings: SpanCorruptionSettings, rng: np.random.Generator) -> np.ndarray:
    """Return which of `length` tokens are left out (length,): random_spans_noise_mask of T5's program.

    Their number is the density's, rounded, at least one and not all; the number of spans is theirs over the mean
    length, rounded, at least one. Both the tokens left out and those kept are cut into as many parts at random, which
    take turns; then the pattern is rolled by a random offset. A row of one token has none left out.
    """
    out = min(max(round(length * settings.span_density), 1), length - 1)
    if out < 1:
        return np.zeros(length, dtype=bool)
    spans = min(max(round(out / settings.span_length), 1), length - out)
    parts = np.stack([_parts(length - out, spans, rng), _parts(out, spans, rng)], axis=1).ravel()
    mask = np.repeat(np.arange(2 * spans) % 2 == 1, parts)
    return np.roll(mask, rng.integers(length)) if settings.span_roll else mask


def _parts(number: int, parts: int, rng: np.random.Generator) -> np.ndarray:
    """Return the sizes of `parts` parts of `number` things, none empty, each division as likely."""
    cuts = np.sort(rng.choice(number - 1, parts - 1, replace=False)) + 1 if parts > 1 else np.empty(0, int)
    return np.diff(np.concatenate([[0], cuts, [number]]))
