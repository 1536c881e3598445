"""A Hugging Face encoder: contextual vectors of pieces, and of words.

Any folder that `AutoModel` and `AutoTokenizer` load. An encoder pre-trained with language ids says so in its
config.json (`lang2id`: language -> id); the id of a text's language is then given with every piece, as token type.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from crosslingua.embedders.pieces import Pieces, WordPieces
from crosslingua.errors import ConfigError, InputError


class Encoder(nn.Module):
    """An encoder and its tokenizer. `max_length`: pieces that it reads at once, special tokens included."""

    def __init__(self, model: nn.Module, tokenizer: Any, folder: str | Path):
        super().__init__()
        self.model, self.tokenizer, self.folder = model, tokenizer, str(folder)
        self.config = model.config
        self.max_length = positions(model.config)
        self.dimension: int = model.config.hidden_size

    def limit(self, max_length: int) -> None:
        """Read at most `max_length` pieces at once, fewer where the model has fewer positions."""
        self.max_length = min(max_length, positions(self.config))

    @classmethod
    def load(cls, folder: str | Path) -> Encoder:
        """Load a folder, in float32. Raises InputError if it holds no encoder or lacks some of its weights."""
        from transformers import AutoModel, AutoTokenizer, logging

        if not (Path(folder) / "config.json").is_file():
            raise InputError(
                folder, "no encoder: there is no config.json", remedy="give a Hugging Face folder"
            )
        logging.set_verbosity_error()  # it warns of the unused heads of pre-training
        logging.disable_progress_bar()
        model, report = AutoModel.from_pretrained(folder, dtype=torch.float32, output_loading_info=True)
        missing = [name for name in report["missing_keys"] if "pooler" not in name]
        if missing:
            raise InputError(
                folder, f"the weights of {len(missing)} tensors are missing, {min(missing)} among them"
            )
        if getattr(model, "pooler", None) is not None:
            model.pooler = None  # of next-sentence prediction; unused here
        return cls(model, AutoTokenizer.from_pretrained(folder), folder)

    def token_type(self, language: str) -> int | None:
        """Return the id of `language`, None for an encoder without language ids. Raises ConfigError if unknown."""
        ids = getattr(self.config, "lang2id", None)
        if not ids:
            return None
        if language not in ids:
            raise ConfigError(f"{self.folder} has no language {language!r}: it knows {', '.join(ids)}")
        return ids[language]

    @property
    def head_dropout(self) -> float:
        """Dropout before a classifier, as the model's own heads have it."""
        own = getattr(self.config, "classifier_dropout", None)
        return getattr(self.config, "hidden_dropout_prob", 0.1) if own is None else own

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        return next(self.model.parameters()).device

    def forward(self, ids: np.ndarray, lengths: np.ndarray, types: int | np.ndarray | None = None) -> Tensor:
        """Return the last layer, (rows, longest, d), of padded piece ids (rows, longest).

        `types`: the token type of all pieces or of each; None for what the model takes by default.
        """
        pieces = torch.from_numpy(ids).to(self.device)
        inputs = {
            "attention_mask": torch.from_numpy(np.arange(ids.shape[1]) < lengths[:, None]).to(self.device)
        }
        if isinstance(types, np.ndarray):
            inputs["token_type_ids"] = torch.from_numpy(types).to(self.device)
        elif types is not None:
            inputs["token_type_ids"] = torch.full_like(pieces, types)
        return self.model(input_ids=pieces, **inputs).last_hidden_state


class WordEncoder(nn.Module):
    """One vector a word: that of its first piece in the encoder's last layer (BERT, section 5.3)."""

    def __init__(self, encoder: Encoder):
        super().__init__()
        self.encoder = encoder
        self.dimension = encoder.dimension

    def encode(self, sentences: Sequence[Sequence[str]]) -> Pieces:
        """Return what `forward` reads of sentences of words."""
        return WordPieces(self.encoder.tokenizer, self.encoder.max_length).encode(sentences)

    def forward(self, pieces: Pieces, language: str, rows: np.ndarray) -> Tensor:
        """Return the words' vectors, (rows, most words, d), of the windows `rows`.

        What stands behind shorter windows is no word: mask it.
        """
        ids = pieces.ids.padded(rows, self.encoder.tokenizer.pad_token_id)
        hidden = self.encoder(ids, pieces.ids.lengths[rows], self.encoder.token_type(language))
        starts = torch.from_numpy(pieces.starts.padded(rows, 0)).to(hidden.device)
        return hidden.gather(1, starts.unsqueeze(-1).expand(-1, -1, self.dimension))


def positions(config: Any) -> int:
    """Return how many pieces a model has positions for; RoBERTa and its kin count them from the padding id + 1."""
    used = config.pad_token_id + 1 if "roberta" in config.model_type else 0
    return getattr(config, "max_position_embeddings", 512) - used
