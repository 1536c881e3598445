"""Architectures: what each needs, and the one that masked language modelling trains (RoBERTa's)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from crosslingua.bert import Shape
from crosslingua.encoders import folder as folders
from crosslingua.encoders.data import Pieces
from crosslingua.encoders.folder import check_same_tokenizer
from crosslingua.encoders.model import MaskedLanguageModel
from crosslingua.errors import ConfigError
from crosslingua.io.tokenizer_files import copy_tokenizer

if TYPE_CHECKING:
    from crosslingua.encoders.pretraining import Pretraining
from typing import TYPE_CHECKING, Protocol

from torch import nn

log = logging.getLogger(__name__)


class MaskedArchitecture:
    """An `Architecture`: RoBERTa from scratch, or what `init` is."""

    def build(self, run: Pretraining, pieces: Pieces) -> tuple[MaskedLanguageModel, dict[str, Any]]:
        """Return the model and its config.json, with the ids of languages where it has them."""
        settings, types = run.settings, len(run.languages) if run.language_ids else 1
        generator = torch.Generator().manual_seed(run.seed)
        if run.init is None:
            offset = pieces.specials.pad + 1
            shape = Shape(
                pieces.size, settings.hidden, settings.layers, settings.heads, settings.feed_forward_size,
                settings.max_positions + offset, offset, types, settings.dropout, 1e-5, pieces.specials.pad,
                pre_norm=settings.norm == "pre",
            )  # fmt: skip
            config = folders.new_config(shape, pieces.specials)
            model = MaskedLanguageModel(shape)
            model.initialise(generator)
        else:
            config = folders.load_config(run.init)
            shape = folders.shape_of(config, Path(run.init), settings.dropout)
            _check_fits(run, shape, pieces, types)
            model = MaskedLanguageModel(shape)
            model.initialise(generator)
            missing = folders.load_weights(run.init, model, config["model_type"])
            if missing:
                log.warning("%s has no language-model head: it starts from random weights", run.init)
        if run.needs("bitext"):  # for those who encode pairs later
            config = config | {"restart_positions": run.settings.restart_positions}
        return model, config | ({"lang2id": _language_numbers(run, config)} if run.language_ids else {})

    def save(
        self, folder: Path, model: MaskedLanguageModel, config: dict[str, Any], tokenizer: str | Path
    ) -> None:
        """Write the encoder with its language-model head, and the tokeniser as it is."""
        folders.save_weights(folder, model, config)
        copy_tokenizer(tokenizer, folder)


def _language_numbers(run: Pretraining, config: Mapping[str, Any]) -> dict[str, int]:
    numbers = {name: number for number, name in enumerate(run.languages)}
    before = config.get("lang2id", numbers)
    if before != numbers:
        raise ConfigError(
            f"{run.init} was trained on the languages {', '.join(before)}: name the same, in that order"
        )
    return numbers


def _check_fits(run: Pretraining, shape: Shape, pieces: Pieces, types: int) -> None:
    check_same_tokenizer(run.tokenizer, run.init)
    if pieces.size > shape.vocabulary:
        raise ConfigError(
            f"the tokeniser {run.tokenizer} has {pieces.size} ids, the encoder {run.init} only {shape.vocabulary}"
        )
    if types > shape.types:
        raise ConfigError(
            f"{run.init} has {shape.types} type embeddings, too few for language_ids of {types}"
        )
    room = shape.positions - shape.position_offset
    if run.settings.max_length > room:
        raise ConfigError(
            f"max_length {run.settings.max_length} is longer than {run.init} reads ({room} tokens)"
        )


# What a pre-training run asks of the kind of model that its objectives train.


class Architecture(Protocol):
    """Makes the model of a run and writes it as a Hugging Face folder.

    A model has a `shape` that tells its `vocabulary`, `hidden` dimensions and `layers`, and the modules `layers`.
    """

    def build(self, run: Pretraining, pieces: Pieces) -> tuple[nn.Module, dict[str, Any]]:
        """Return the model before training and its config.json. Raises ConfigError for settings that it has not."""

    def save(self, folder: Path, model: Any, config: dict[str, Any], tokenizer: str | Path) -> None:
        """Write weights, config.json and the tokeniser's files."""
