"""Span corruption (T5: Raffel et al. 2020, section 3.1.4; mT5: Xue et al. 2021): a decoder writes the left-out spans.

`Thank you for inviting me` may become `Thank <0> inviting me`, of which the decoder writes `<0> you for`. Which tokens
are left out is drawn as the authors' program draws it (t5.data.preprocessors, random_spans_noise_mask). Encoder and
decoder are mT5's, built of transformers' classes.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from crosslingua.encoders.batches import Batch
from crosslingua.encoders.data import Pieces, specials_of
from crosslingua.encoders.objectives.objective import IGNORED, Encoded, Objective, Setup
from crosslingua.encoders.objectives.settings import SpanCorruptionSettings
from crosslingua.errors import ConfigError
from crosslingua.io.json import write_json
from crosslingua.io.tokenizer_files import copy_tokenizer, read_tokenizer

if TYPE_CHECKING:
    from crosslingua.encoders.settings import Pretraining


class SpanCorruption(Objective):
    """The mean cross-entropy of what the decoder is to write, its end included."""

    settings: SpanCorruptionSettings
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
        """Fill in `ids` (input of the encoder), `targets` (output of the decoder), and the number of targets."""
        lengths = batch.present.sum(1)
        inner = np.arange(batch.clean.shape[1])
        tokens = batch.present & (inner > 0) & (inner < lengths[:, None] - 1)  # but the row's first and last
        noise = np.zeros_like(tokens)
        for row, length in enumerate((lengths - 2).tolist()):
            noise[row, 1 : length + 1] = noise_mask(length, self.settings, rng)
        starts = noise & ~np.roll(noise, 1, axis=1)
        sentinels = self._first_sentinel - (np.cumsum(starts, axis=1) - 1)
        if (spans := int(starts.sum(1).max())) > self.settings.span_sentinels:
            raise ConfigError(
                f"a row has {spans} spans and only {self.settings.span_sentinels} sentinels: raise span_sentinels or "
                "lower max_length"
            )
        read = np.where(starts, sentinels, batch.clean)
        batch.ids = self._rows(read, tokens & (~noise | starts))
        # A place for a sentinel before each token, and the targets.
        pairs = (sentinels, batch.clean), (starts, noise)
        batch.targets = self._rows(*(np.stack(pair, axis=2).reshape(len(noise), -1) for pair in pairs))
        batch.total = int((batch.targets != self._pad).sum())

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


def noise_mask(length: int, settings: SpanCorruptionSettings, rng: np.random.Generator) -> np.ndarray:
    """Return whether each of `length` tokens is left out (length,): random_spans_noise_mask of T5's program.

    Their number is density times tokens, rounded, at least one and not all. The number of spans is this number over the
    mean length, rounded, at least one. Left-out and kept tokens are cut into as many random parts, which alternate.
    Then the pattern is rolled by a random offset. A row of one token has none left out.
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


class EncoderDecoder(nn.Module):
    """A `MT5ForConditionalGeneration` with the loss of its targets."""

    def __init__(self, network: nn.Module):
        super().__init__()
        self.network = network
        config = network.config
        self.pad = config.pad_token_id
        sizes = {"vocabulary": config.vocab_size, "hidden": config.d_model, "layers": config.num_layers}
        self.shape = SimpleNamespace(**sizes)

    @property
    def layers(self) -> list[nn.Module]:
        """The layers of the encoder, then of the decoder."""
        return [*self.network.encoder.block, *self.network.decoder.block]

    def summed_loss(self, ids: Tensor, targets: Tensor) -> Tensor:
        """Return the summed cross-entropy of `targets` (b, s), read from `ids` (b, t); both padded."""
        ids, targets = _cut(ids, self.pad), _cut(targets, self.pad)
        present = ids != self.pad
        logits = self.network(
            input_ids=ids,
            attention_mask=None if present.all() else present.long(),
            decoder_input_ids=F.pad(targets[:, :-1], (1, 0), value=self.pad),  # padding first, as T5 begins
            use_cache=False,
        ).logits
        labels = targets.masked_fill(targets == self.pad, IGNORED)
        return F.cross_entropy(
            logits.flatten(0, 1).float(), labels.flatten(), ignore_index=IGNORED, reduction="sum"
        )


def _cut(rows: Tensor, pad: int) -> Tensor:
    """Return rows without the columns that hold nothing but padding."""
    return rows[:, : int((rows != pad).sum(1).max())]


class EncoderDecoderArchitecture:
    """As `MaskedArchitecture`: a new mT5 whose tokeniser has `sentinels` pieces more."""

    def __init__(self, sentinels: int):
        self.sentinels = sentinels

    def build(self, run: Pretraining, pieces: Pieces) -> tuple[EncoderDecoder, dict[str, Any]]:
        """Return the model and its config.json. Raises ConfigError for a run with `init` or language ids."""
        from transformers import MT5Config, MT5ForConditionalGeneration

        if run.init is not None:
            raise ConfigError("span_corruption trains from scratch: leave --init out")
        if run.language_ids:
            raise ConfigError("span_corruption has no language ids: say language_ids=false")
        settings, specials = run.settings, pieces.specials
        config = MT5Config(
            vocab_size=pieces.size + self.sentinels, d_model=settings.hidden, d_ff=settings.feed_forward_size,
            d_kv=settings.hidden // settings.heads, num_heads=settings.heads, num_layers=settings.layers,
            dropout_rate=settings.dropout, pad_token_id=specials.pad, eos_token_id=specials.end,
            decoder_start_token_id=specials.pad, architectures=["MT5ForConditionalGeneration"], dtype="float32",
        )  # fmt: skip
        torch.manual_seed(run.seed)
        network = MT5ForConditionalGeneration(config)
        # transformers draws them with deviation 1, for Adafactor's rates; the output's are the same, and AdamW would
        # first have to unlearn logits of deviation sqrt(d_model).
        nn.init.normal_(network.shared.weight, std=config.d_model**-0.5)
        return EncoderDecoder(network), config.to_dict()

    def save(
        self, folder: Path, model: EncoderDecoder, config: dict[str, Any], tokenizer: str | Path
    ) -> None:
        """Write weights and config.json, and the tokeniser with the sentinels, which writes `A </s>` as T5's does."""
        from safetensors.torch import save_file

        named = model.network.named_parameters()  # what is tied is named once
        weights = {name: value.detach().float().cpu().contiguous() for name, value in named}
        save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
        write_json(folder / "config.json", json.loads(json.dumps(config)))
        copy_tokenizer(tokenizer, folder)
        _add_sentinels(folder / "tokenizer.json", self.sentinels)


def _add_sentinels(path: Path, number: int) -> None:
    from tokenizers import AddedToken, processors

    tokenizer = read_tokenizer(path.parent)
    end = specials_of(tokenizer.get_vocab()).end
    names = [f"<extra_id_{span}>" for span in reversed(range(number))]
    tokenizer.add_special_tokens([AddedToken(name, special=True, normalized=False) for name in names])
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"$A {end}", pair=f"$A {end} $B {end}", special_tokens=[(end, tokenizer.token_to_id(end))]
    )
    tokenizer.save(str(path))
