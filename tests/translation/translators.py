"""Small translation systems for tests."""

import numpy as np
import torch

from crosslingua.translation.data import Vocabulary, build_vocabulary
from crosslingua.translation.model import TranslationModel
from crosslingua.translation.settings import TranslationSettings

SMALL = {
    "layers": 2, "heads": 2, "feed_forward": 16, "shared_layers": 1, "batch_size": 4, "epoch_size": 8, "epochs": 2,
    "max_length": 20, "validation": 4, "lr": 1e-2,
}  # fmt: skip


def settings(**changes: object) -> TranslationSettings:
    return TranslationSettings(**SMALL | changes)


def vocabulary(own: int = 5, shared: int = 2) -> Vocabulary:
    words = [[*(f"{side}{i}" for i in range(own)), *(f"s{i}" for i in range(shared))] for side in "ab"]
    return build_vocabulary(("aa", "bb"), words, {f"s{i}" for i in range(shared)})


def translator(seed=1, words: Vocabulary | None = None, dimension=8, **changes: object) -> TranslationModel:
    """Return an untrained system whose scores are far apart, so that ties and rounding decide nothing."""
    words = words or vocabulary()
    torch.manual_seed(seed)
    table = np.random.default_rng(seed).normal(size=(words.size, dimension)).astype(np.float32)
    return TranslationModel(settings(**changes), words, table).eval()


def sentences(words: Vocabulary, side: int, lengths: list[int], seed: int = 1) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    rows = np.array(sorted(words.rows[side].values()))
    return [rng.choice(rows, n) for n in lengths]
