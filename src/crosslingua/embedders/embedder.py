"""The base of embedders: settings as the fields of a frozen dataclass, and the two halves (see the package)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from crosslingua.embedders.features import Features
from crosslingua.embedders.word_layer import OneVector, WordLayer
from crosslingua.settings import from_options


@dataclass(frozen=True)
class Embedder(ABC):
    """Makes features of sentences; a member's docstring says what its settings are."""

    @classmethod
    def of(cls, options: Iterable[str]) -> Self:
        """Return the embedder with settings `name=value`. Raises ConfigError for an unknown or ill-typed one."""
        return from_options(cls, options, f"embedder {cls.__name__}")

    @abstractmethod
    def embed(self, sentences: Sequence[Sequence[str]], language: str) -> Features:
        """Return the features of sentences of at least one word each.

        Raises InputError where what it reads is missing or damaged, ConfigError for an unknown language.
        """

    @classmethod
    def layer(cls, features: Features) -> WordLayer:
        """Return a new trainable half for features of this kind; here: one vector a word, as it is."""
        return OneVector(features)
