"""A tiny encoder and parallel text with links."""

from pathlib import Path

import numpy as np
import pytest

from crosslingua.encoder_alignment.signal import AlignedText, Signal
from tiny_encoder import write_encoder

SOURCE = [f"s{letter}" for letter in "abcdefghijklmnop"]
TARGET = [f"t{letter}" for letter in "abcdefghijklmnop"]


def parallel_text(pairs: int, seed: int = 0, longest: int = 7) -> AlignedText:
    """Sentences of random words; the target has the same words in reverse order."""
    rng = np.random.default_rng(seed)
    numbers = [rng.integers(len(SOURCE), size=rng.integers(1, longest)) for _ in range(pairs)]
    source = [[SOURCE[i] for i in sentence] for sentence in numbers]
    target = [[TARGET[i] for i in sentence[::-1]] for sentence in numbers]
    links = [np.array([(i, len(sentence) - 1 - i) for i in range(len(sentence))]) for sentence in numbers]
    return AlignedText(source, target, links)


@pytest.fixture(scope="session")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_encoder(tmp_path_factory.mktemp("encoder"), (*SOURCE, *TARGET))


@pytest.fixture
def signal(encoder: Path) -> Signal:
    dictionary = list(zip(SOURCE, TARGET, strict=True))
    return Signal(encoder, parallel_text(60), ("src", "tgt"), dictionary)
