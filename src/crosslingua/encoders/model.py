"""The masked language model of pre-training: an encoder (`bert`) and its head, computed where it is asked for."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from crosslingua.encoders.data import Pieces
from crosslingua.encoders.folder import (
    check_same_tokenizer,
    load_config,
    load_weights,
    new_config,
    save_weights,
    shape_of,
)
from crosslingua.errors import ConfigError
from crosslingua.io.tokenizer_files import copy_tokenizer
from crosslingua.nn.bert import Bert, Mask, Shape, keys

if TYPE_CHECKING:
    from crosslingua.encoders.settings import Pretraining

log = logging.getLogger(__name__)


class MaskedLanguageModel(nn.Module):
    """An encoder with a tied language-model head; equal to `RobertaForMaskedLM`.

    The head stands apart from transformers' names, which differ between RoBERTa and BERT: see `folder.HEADS`.
    """

    def __init__(self, shape: Shape):
        super().__init__()
        self.shape, d = shape, shape.hidden
        self.bert = Bert(shape, pretraining=True)
        self.head, self.head_norm = nn.Linear(d, d), nn.LayerNorm(d, shape.norm_epsilon)
        self.head_bias = nn.Parameter(torch.zeros(shape.vocabulary))

    @property
    def layers(self) -> nn.ModuleList:
        """The layers of the Transformer."""
        return self.bert.layers

    @property
    def words(self) -> nn.Embedding:
        """The embeddings of pieces."""
        return self.bert.get_input_embeddings()

    def initialise(self, generator: torch.Generator) -> None:
        """Draw new weights as BERT does: normal with deviation 0.02, biases zero, scales one."""
        with torch.no_grad():
            for module in self.modules():
                if isinstance(module, nn.Linear | nn.Embedding):
                    module.weight.normal_(0, 0.02, generator=generator)
                if isinstance(module, nn.Linear):
                    module.bias.zero_()
            self.words.weight[self.shape.pad].zero_()

    def hidden_states(
        self,
        ids: Tensor,
        languages: Tensor | None,
        mask: Mask,
        last: int | None = None,
        positions: Tensor | None = None,
    ) -> list[Tensor]:
        """Return the states (b, t, d) after the embeddings and each of the first `last` layers.

        `mask` (b, t) is true where there is a token; None if there is one everywhere. `positions` (b, t) count from 0;
        None: each row's are 0, 1, 2, ...
        """
        if positions is None:
            positions = torch.arange(ids.shape[1], device=ids.device)
        embedded = self.bert.embeddings(ids, languages, positions + self.shape.position_offset)
        return self.bert.states(embedded, keys(mask), last)

    def states_at(
        self,
        ids: Tensor,
        languages: Tensor | None,
        mask: Mask,
        columns: Tensor,
        positions: Tensor | None = None,
    ) -> Tensor:
        """Return the last layer's states (b, m, d) at `columns` (b, m), computing nothing else of that layer."""
        x = self.hidden_states(ids, languages, mask, -1, positions)[-1]
        return self.bert.last_state(x, keys(mask), columns)

    def logits(self, states: Tensor) -> Tensor:
        """Return the scores of every piece (..., vocabulary) for states (..., d)."""
        x = self.head_norm(F.gelu(self.head(states)))
        return F.linear(x, self.words.weight, self.head_bias)


class MaskedArchitecture:
    """How the model of a run is made, and written as a Hugging Face folder: RoBERTa from scratch, or what `init` is.

    Another architecture has the same methods. A model has a `shape` with `vocabulary`, `hidden` dimensions and
    `layers`, and the modules `layers`.
    """

    def build(self, run: Pretraining, pieces: Pieces) -> tuple[MaskedLanguageModel, dict[str, Any]]:
        """Return the model before training and its config.json, with language ids. Raises ConfigError for a misfit."""
        settings, types = run.settings, len(run.languages) if run.language_ids else 1
        if run.init is None:
            offset = pieces.specials.pad + 1
            shape = Shape(
                pieces.size, settings.hidden, settings.layers, settings.heads, settings.feed_forward_size,
                settings.max_positions + offset, offset, types, settings.dropout, 1e-5, pieces.specials.pad,
                pre_norm=settings.norm == "pre",
            )  # fmt: skip
            config = new_config(shape, pieces.specials)
        else:
            config = load_config(run.init)
            whole = shape_of(config, run.init, settings.dropout)
            config = _cut(run, config)
            shape = whole._replace(layers=config["num_hidden_layers"])
            _check_fits(run, shape, pieces, types)
        model = MaskedLanguageModel(shape)
        model.initialise(torch.Generator().manual_seed(run.seed))
        if run.init is not None:
            fresh = _fresh_layers(run, model)
            if load_weights(run.init, model, config["model_type"]):
                log.warning("%s has no language-model head: it starts from random weights", run.init)
            model.load_state_dict(fresh, strict=False)
        if settings.trained == "head":
            model.bert.requires_grad_(False)
        if run.needs("bitext"):  # for those who encode pairs later
            config = config | {"restart_positions": run.settings.restart_positions}
        if run.language_ids:
            numbers = {name: number for number, name in enumerate(run.languages)}
            before = config.get("lang2id", numbers)
            if before != numbers:
                known = ", ".join(before) if isinstance(before, dict) else f"{before!r:.40}"
                raise ConfigError(
                    f"{run.init}/config.json: lang2id has the languages {known}: name the same, in that order"
                )
            config = config | {"lang2id": numbers}
        return model, config

    def save(
        self, folder: Path, model: MaskedLanguageModel, config: dict[str, Any], tokenizer: str | Path
    ) -> None:
        """Write the encoder with its language-model head, and the tokeniser as it is."""
        save_weights(folder, model, config)
        copy_tokenizer(tokenizer, folder)


def _cut(run: Pretraining, config: dict[str, Any]) -> dict[str, Any]:
    """Return the config.json of the first `kept_layers` layers. Raises ConfigError for too many."""
    kept, layers = run.settings.kept_layers, config["num_hidden_layers"]
    if kept > layers:
        raise ConfigError(f"kept_layers is {kept}: {run.init} has {layers} layers")
    return config | ({"num_hidden_layers": kept} if kept else {})


def _fresh_layers(run: Pretraining, model: MaskedLanguageModel) -> dict[str, Tensor]:
    """Return a copy of the newly drawn weights of the last `fresh_layers` layers. Raises ConfigError for too many."""
    fresh, layers = run.settings.fresh_layers, len(model.layers)
    if fresh > layers:
        raise ConfigError(f"fresh_layers is {fresh}: {run.init} has {layers} layers")
    kept = tuple(f"bert.encoder.layer.{number}." for number in range(layers - fresh, layers))
    drawn = model.state_dict().items()
    return {name: value.clone() for name, value in drawn if kept and name.startswith(kept)}


def _check_fits(run: Pretraining, shape: Shape, pieces: Pieces, types: int) -> None:
    check_same_tokenizer(run.tokenizer, run.init)
    config = f"{run.init}/config.json"
    if pieces.size > shape.vocabulary:
        raise ConfigError(
            f"{run.tokenizer}/tokenizer.json has ids up to {pieces.size - 1}, and vocab_size of {config} is "
            f"{shape.vocabulary}: both must be of one encoder"
        )
    if pieces.specials.pad != shape.pad:
        raise ConfigError(
            f"{run.tokenizer}/tokenizer.json pads with {pieces.specials.pad}, and pad_token_id of {config} is "
            f"{shape.pad}: both must be of one encoder"
        )
    if types > shape.types:
        raise ConfigError(
            f"{config} has {shape.types} type embeddings, too few for language_ids of {types}: say language_ids=false"
        )
    room = shape.positions - shape.position_offset
    if run.settings.max_length > room:
        raise ConfigError(
            f"max_length {run.settings.max_length} is longer than {run.init} reads: set at most {room}"
        )
