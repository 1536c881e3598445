"""Two toy languages that spell the same sentences with different words, and a tokenizer that knows both."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tokenizers import Tokenizer, models, pre_tokenizers

from crosslingua.encoders.laser.settings import LaserSettings

SPECIALS = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
LANGUAGES = ("a", "b", "c")
SMALL = LaserSettings(
    embedding_size=16, hidden_size=16, layers=2, decoder_embedding_size=16, decoder_hidden_size=32,
    decoder_output_size=16, language_size=4, dropout=0.0, lr=0.01, batch_tokens=200, accumulate=1, epochs=3,
)  # fmt: skip


def write_tokenizer(folder: Path, words: int = 12) -> Path:
    """Write a tokenizer folder whose subwords are the words of all languages."""
    known = [f"{language}{i}" for language in LANGUAGES for i in range(words)]
    vocabulary = {word: i for i, word in enumerate(SPECIALS + known)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def write_bitext(folder: Path, pair: str, sentences: int, seed: int, words: int = 12) -> tuple[str, str]:
    """Write files of random sentences of a pair of languages; the second reverses the first's order."""
    rng = np.random.default_rng(seed)
    drawn = [rng.integers(words, size=rng.integers(2, 6)) for _ in range(sentences)]
    first, second = pair.split("-")
    paths = [folder / f"{pair}.{seed}.{language}" for language in (first, second)]
    lines = [" ".join(f"{first}{i}" for i in sentence) for sentence in drawn]
    turned = [" ".join(f"{second}{i}" for i in sentence[::-1]) for sentence in drawn]
    for path, text in zip(paths, (lines, turned), strict=True):
        path.write_text("\n".join(text) + "\n", encoding="utf-8")
    return str(paths[0]), str(paths[1])
