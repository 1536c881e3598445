"""The base of embedders: settings as the fields of a frozen dataclass, and the two halves (see the package)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Self, get_type_hints

from crosslingua.embedders.features import Features
from crosslingua.embedders.word_layer import OneVector, WordLayer
from crosslingua.errors import ConfigError
from crosslingua.settings import parse_settings, read_setting, unknown_setting


@dataclass(frozen=True)
class Embedder(ABC):
    """Makes features of sentences; a member's docstring says what its settings are."""

    @classmethod
    def of(cls, options: Iterable[str]) -> Self:
        """Return the embedder with settings `name=value`. Raises ConfigError for an unknown or ill-typed one."""
        given, types = parse_settings(options), get_type_hints(cls)
        known = [each.name for each in fields(cls)]
        for name in given:
            if name not in known:
                raise unknown_setting(f"embedder {cls.__name__}", name, known)
        for each in fields(cls):
            if each.name not in given and each.default is each.default_factory:  # both MISSING
                raise ConfigError(f"embedder {cls.__name__} needs --set {each.name}=...")
        return cls(**{name: read_setting(name, value, types[name]) for name, value in given.items()})

    @abstractmethod
    def embed(self, sentences: Sequence[Sequence[str]], language: str) -> Features:
        """Return the features of sentences of at least one word each.

        Raises InputError where what it reads is missing or damaged, ConfigError for an unknown language.
        """

    @classmethod
    def layer(cls, features: Features) -> WordLayer:
        """Return a new trainable half for features of this kind; here: one vector a word, as it is."""
        return OneVector(features)
