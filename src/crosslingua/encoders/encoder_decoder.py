"""An encoder and a decoder as mT5 has them (Xue et al. 2021), built of transformers' classes."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from crosslingua.encoders.data import Pieces
from crosslingua.errors import ConfigError
from crosslingua.io.json import write_json
from crosslingua.io.tokenizer_files import copy_tokenizer

if TYPE_CHECKING:
    from crosslingua.encoders.pretraining import Pretraining

IGNORED = -100


class EncoderDecoder(nn.Module):
    """A `MT5ForConditionalGeneration` with the loss of what it is to write."""

    def __init__(self, network: nn.Module):
        super().__init__()
        self.network = network
        config = network.config
        self.pad = config.pad_token_id
        self.shape = SimpleNamespace(
            vocabulary=config.vocab_size, hidden=config.d_model, layers=config.num_layers
        )

    @property
    def layers(self) -> list[nn.Module]:
        """Those of the encoder, then those of the decoder."""
        return [*self.network.encoder.block, *self.network.decoder.block]

    def summed_loss(self, ids: Tensor, targets: Tensor) -> Tensor:
        """Return the summed cross-entropy of `targets` (b, s), read from `ids` (b, t); both padded."""
        ids, targets = _cut(ids, self.pad), _cut(targets, self.pad)
        present = ids != self.pad
        logits = self.network(
            input_ids=ids,
            attention_mask=None if present.all() else present.long(),
            decoder_input_ids=self._shifted(targets),
            use_cache=False,
        ).logits
        labels = targets.masked_fill(targets == self.pad, IGNORED)
        return F.cross_entropy(
            logits.flatten(0, 1).float(), labels.flatten(), ignore_index=IGNORED, reduction="sum"
        )

    def _shifted(self, targets: Tensor) -> Tensor:
        """Return what the decoder has read when it writes each target: padding first, as T5 begins."""
        return F.pad(targets[:, :-1], (1, 0), value=self.pad)


def _cut(rows: Tensor, pad: int) -> Tensor:
    """Return rows without the columns that hold nothing but padding."""
    return rows[:, : int((rows != pad).sum(1).max())]


class EncoderDecoderArchitecture:
    """An `Architecture`: a new mT5 whose tokeniser has `sentinels` pieces more."""

    def __init__(self, sentinels: int):
        self.sentinels = sentinels

    def build(self, run: Pretraining, pieces: Pieces) -> tuple[EncoderDecoder, dict[str, Any]]:
        """Return the model and its config.json.

        Raises ConfigError for a run that goes on from an encoder, or that asks for language ids.
        """
        from transformers import MT5Config, MT5ForConditionalGeneration

        self._check(run)
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

    def _check(self, run: Pretraining) -> None:
        if run.init is not None:
            raise ConfigError("span_corruption trains from scratch: leave --init out")
        if run.language_ids:
            raise ConfigError("span_corruption has no language ids: say language_ids=false")

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


def sentinel(number: int) -> str:
    """Return the name of a piece that stands for a span."""
    return f"<extra_id_{number}>"


def _add_sentinels(path: Path, number: int) -> None:
    from tokenizers import AddedToken, Tokenizer, processors

    from crosslingua.encoders.data import specials_of

    tokenizer = Tokenizer.from_file(str(path))
    end = specials_of(tokenizer.get_vocab()).end
    names = [sentinel(one) for one in reversed(range(number))]
    tokenizer.add_special_tokens([AddedToken(name, special=True, normalized=False) for name in names])
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"$A {end}", pair=f"$A {end} $B {end}", special_tokens=[(end, tokenizer.token_to_id(end))]
    )
    tokenizer.save(str(path))
