"""The base of taggers; see the package for the protocol."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Self

from torch import Tensor, nn

from crosslingua.settings import read

PADDING = -100  # the label of what is no word, or is not known


class Tagger(nn.Module, ABC):
    """A tagger, made of its `Settings` (`crosslingua.settings`), the dimension and the labels' names."""

    Settings: ClassVar[type]

    @classmethod
    def of(cls, options: Iterable[str], dimension: int, labels: Sequence[str]) -> Self:
        """Return a new tagger with settings `name=value`. Raises ConfigError for an unknown or ill-typed one."""
        return cls(cls.settings(options), dimension, labels)

    @classmethod
    def settings(cls, options: Iterable[str]) -> Any:
        """Return the settings of options `name=value`."""
        return read(cls.Settings, f"tagger {cls.__name__}", options)

    @abstractmethod
    def loss(self, vectors: Tensor, labels: Tensor) -> Tensor:
        """Return the mean loss of labels (rows, words), PADDING behind the words, given vectors (rows, words, d)."""

    @abstractmethod
    def decode(self, vectors: Tensor, mask: Tensor) -> Tensor:
        """Return the best label of each word, (rows, words); `mask` (rows, words) is true at words."""
