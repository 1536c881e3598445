"""Tiny languages, tokenisers and settings for the tests of pre-training."""

import random
from pathlib import Path

import numpy as np
import torch

from crosslingua.corpora.derived.transliteration import Transliteration
from crosslingua.encoders import tokenizer_training as training
from crosslingua.encoders.batches import Batch
from crosslingua.encoders.data import Specials
from crosslingua.encoders.model import MaskedLanguageModel
from crosslingua.encoders.settings import Settings, from_mapping
from crosslingua.nn.bert import Shape

SPECIALS = Specials(start=0, pad=1, end=2, unknown=3, mask=4)
SEED = 7
TINY = {
    "layers": 2, "hidden": 16, "heads": 2, "max_positions": 64, "max_length": 32, "dropout": 0.0,
    "batch_size": 8, "steps": 6, "warmup": 2, "lr": 1e-3, "device": "cpu", "log_every": 1,
}  # fmt: skip


def settings(**values: object) -> Settings:
    merged = {**TINY, **values}
    if "warmup" not in values:
        merged["warmup"] = min(merged["warmup"], merged["steps"] - 1)
    return from_mapping(merged)


def sentences(number: int = 120, words: int = 40) -> list[str]:
    """Sentences of 3 to 8 made-up words."""
    draw = random.Random(1)
    vocabulary = ["".join(draw.choices("abcdefgh", k=draw.randint(1, 6))) for _ in range(words)]
    return [" ".join([*draw.choices(vocabulary, k=draw.randint(2, 7)), "."]) for _ in range(number)]


def world(folder: Path) -> Path:
    """Write a.txt, its transliterated copy b.txt, and the tokeniser of both, tok."""
    lines, spell = sentences(), Transliteration(SEED)
    (folder / "a.txt").write_text("\n".join(lines) + "\n")
    copies = [" ".join(spell.word(word) for word in line.split()) for line in lines]
    (folder / "b.txt").write_text("\n".join(copies) + "\n")
    bpe, pairs = training.copied(training.train_bpe(training.count_words([folder / "a.txt"]), 60), spell)
    training.save_tokenizer(folder / "tok", training.make_tokenizer(bpe["vocab"], bpe["merges"]), pairs)
    return folder


def model(vocabulary=30, types=1, layers=2, dropout=0.0, pre_norm=False) -> MaskedLanguageModel:
    shape = Shape(vocabulary, 16, layers, 2, 32, 34, 2, types, dropout, 1e-5, SPECIALS.pad, pre_norm=pre_norm)
    made = MaskedLanguageModel(shape)
    made.initialise(torch.Generator().manual_seed(3))
    with torch.no_grad():  # larger weights, so that positions and layers matter
        for parameter in made.parameters():
            parameter.add_(0.2 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(5)))
    return made


def pair_batch(lengths: list[tuple[int, int]], vocabulary: int = 30, masked: int = 2) -> Batch:
    """A masked batch of sentence pairs `<s> A </s></s> B </s>` of the given lengths."""
    rng = np.random.default_rng(2)
    width = max(n + m for n, m in lengths) + 4
    clean = np.full((len(lengths), width), SPECIALS.pad)
    second = np.array([n + 2 for n, _ in lengths])
    columns = np.empty((len(lengths), masked), dtype=np.int64)
    for row, (n, m) in enumerate(lengths):
        body = [rng.integers(5, vocabulary, size=k) for k in (n, m)]
        clean[row, : n + m + 4] = [0, *body[0], 2, 2, *body[1], 2]
        places = [*range(1, n + 1), *range(n + 3, n + m + 3)]
        columns[row] = rng.choice(places, size=masked, replace=False)
    filled = np.ones_like(columns, dtype=bool)
    filled[0, -1] = False
    labels = np.take_along_axis(clean, columns, axis=1)
    ids = clean.copy()
    ids[np.nonzero(filled)[0], columns[filled]] = SPECIALS.mask
    batch = Batch(clean, clean != SPECIALS.pad, None, second, ids, columns, filled, labels)
    batch.total = int(filled.sum())
    batch.draws = rng.random(clean.shape, dtype=np.float32)
    return batch
