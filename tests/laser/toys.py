"""Two toy languages that spell the same sentences with different words, and a tokenizer that knows both."""

from itertools import combinations
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer, models, pre_tokenizers

from crosslingua.laser.settings import LaserSettings

SPECIALS = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
LANGUAGES = ("a", "b", "c")
SMALL = LaserSettings(
    embedding_size=16, hidden_size=16, layers=2, decoder_embedding_size=16, decoder_hidden_size=32,
    decoder_output_size=16, language_size=4, dropout=0.0, lr=0.01, batch_tokens=200, accumulate=1, epochs=3,
)  # fmt: skip


WORDS, NAMES = 16, 4


def write_tokenizer(folder: Path) -> Path:
    """Write a tokenizer folder whose subwords are the words of all languages."""
    known = {spell(language, word): None for language in LANGUAGES for word in range(WORDS)}
    vocabulary = {word: i for i, word in enumerate([*SPECIALS, *known])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def spell(language: str, word: int) -> str:
    """Return a word; names are spelled alike in all languages."""
    return f"name{word}" if word < NAMES else f"{language}{word}"


def sentences() -> list[tuple[int, ...]]:
    """Return every choice of two to four words, in a fixed random order."""
    every = [choice for size in (2, 3, 4) for choice in combinations(range(WORDS), size)]
    return [every[i] for i in np.random.default_rng(0).permutation(len(every))]


def write_bitext(folder: Path, pair: str, part: slice) -> tuple[str, str]:
    """Write files of a part of the sentences in a pair of languages; `c` reverses the order of words."""
    names = pair.split("-")
    paths = [folder / f"{pair}.{part.start}.{name}" for name in names]
    for path, name in zip(paths, names, strict=True):
        turn = -1 if name == "c" else 1
        lines = [" ".join(spell(name, word) for word in sentence[::turn]) for sentence in sentences()[part]]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(paths[0]), str(paths[1])
