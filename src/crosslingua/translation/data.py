"""Training text of both languages: vocabulary, batches, and a split that separates translations."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.bitext import read_bitext
from crosslingua.io.decode import lowercase, tokenised_lines, tokens_of

PAD, UNKNOWN, BLANK, BEGIN = 0, 1, 2, 3  # BEGIN + language: what its sentences begin with
FIRST = 5
SIDES = (0, 1)


@dataclass(frozen=True)
class Vocabulary:
    """The words of two languages as rows of one table; a shared word is one row, and one parameter.

    Rows are padding, unknown, blank, two begin marks, words of the first language alone, the end mark, shared words,
    words of the second alone. The outputs of a language are thus one range of rows.
    """

    languages: tuple[str, str]
    own: tuple[tuple[str, ...], tuple[str, ...]]
    shared: tuple[str, ...]

    @property
    def end(self) -> int:
        """The row of the end mark."""
        return FIRST + len(self.own[0])

    @property
    def size(self) -> int:
        """Rows of the table."""
        return self.end + 1 + len(self.shared) + len(self.own[1])

    def outputs(self, side: int) -> slice:
        """The rows that language `side` (0 or 1) can generate."""
        return slice(FIRST, self.end + 1 + len(self.shared)) if side == 0 else slice(self.end, self.size)

    @cached_property
    def rows(self) -> tuple[dict[str, int], dict[str, int]]:
        """Word -> row, for each language."""
        shared = {word: self.end + 1 + i for i, word in enumerate(self.shared)}
        first = {word: FIRST + i for i, word in enumerate(self.own[0])}
        start = self.end + 1 + len(self.shared)
        return shared | first, shared | {word: start + i for i, word in enumerate(self.own[1])}

    @cached_property
    def words(self) -> list[str]:
        """Row -> word; marks are empty, and the unknown word is <unk>."""
        marks = ["", "<unk>", "<blank>", "", ""]
        return [*marks, *self.own[0], "", *self.shared, *self.own[1]]

    def encode(self, side: int, words: Iterable[str]) -> np.ndarray:
        """Return the rows (n,) int64 of a sentence's words; unknown ones are UNKNOWN."""
        rows = self.rows[side]
        return np.array([rows.get(word, UNKNOWN) for word in words], dtype=np.int64)

    def decode(self, ids: Iterable[int]) -> list[str]:
        """Return the words of rows."""
        return [self.words[row] for row in ids]

    def language(self, name: str) -> int:
        """Return 0 or 1. Raises ConfigError for an unknown language."""
        if name not in self.languages:
            raise ConfigError(f"language {name!r}: this system translates {' and '.join(self.languages)}")
        return self.languages.index(name)


def build_vocabulary(
    languages: tuple[str, str], words: Sequence[Sequence[str]], shared: Collection[str]
) -> Vocabulary:
    """Return the vocabulary of the `words` of each language; a word of `shared` in both is one row."""
    both = set(words[0]) & set(words[1]) & set(shared)
    own = tuple(tuple(w for w in words[side] if w not in both) for side in SIDES)
    return Vocabulary(languages, own, tuple(w for w in words[0] if w in both))


def frequent_words(sentences: Iterable[Sequence[str]], min_count: int, most: int) -> list[str]:
    """Return the `most` most frequent words with `min_count` occurrences, most frequent first."""
    counts = Counter(word for sentence in sentences for word in sentence)
    found = sorted((w for w, n in counts.items() if n >= min_count), key=lambda word: (-counts[word], word))
    return found[:most]


Sentence = list[str]


@dataclass(frozen=True)
class Texts:
    """Training and held-out sentences of each language. In `pairs`, sentence i of one translates i of the other."""

    train: tuple[list[Sentence], list[Sentence]]
    held_out: tuple[list[Sentence], list[Sentence]]
    left_out: int  # long and empty sentences


def read_lines(path: str | Path, language: str = "") -> list[Sentence]:
    """Return the words of each line, in lower case. Raises InputError for a file without lines."""
    lines = [tokens_of(lowercase(line, language)) for line in tokenised_lines(path, records=True)]
    if not lines:
        raise InputError(path, "has no sentences")
    return lines


def read_texts(
    paths: Sequence[str | Path],
    *,
    data: str,
    validation: int,
    max_length: int,
    seed: int,
    languages: tuple[str, str] = ("", ""),
) -> Texts:
    """Read two files and hold out `validation` sentences of each by `seed`; ConfigError where too little is left.

    `data` is `texts`: two independent texts; `halves`: the first half of the source and the second of the target of
    parallel files, so no line has its translation; `alternating`: distinct source sentences of parallel files go to
    both languages in turn, with all translations; `pairs`: parallel files.
    """
    if data == "texts":
        lines = [read_lines(*side) for side in zip(paths, languages, strict=True)]
    else:
        pairs = list(read_bitext(*paths))
        if not pairs:
            raise InputError(paths[0], "has no sentences")
        sides = zip(zip(*pairs, strict=True), languages, strict=True)
        lines = [[tokens_of(lowercase(line, language)) for line in side] for side, language in sides]
    if data == "halves":
        middle = len(lines[0]) // 2
        lines = [lines[0][:middle], lines[1][middle:]]
    if data == "alternating":
        places: dict[tuple[str, ...], int] = {}
        sides = [places.setdefault(tuple(words), len(places)) % 2 for words in lines[0]]
        lines = [[s for s, at in zip(lines[side], sides, strict=True) if at == side] for side in SIDES]
    kept = _kept(lines, max_length, together=data == "pairs")
    left_out = sum(map(len, lines)) - sum(map(len, kept))
    rngs = [np.random.default_rng([seed, 5, 0 if data == "pairs" else side]) for side in SIDES]
    divided = [_hold_out(kept[side], validation, rngs[side], paths[side]) for side in SIDES]
    train, held_out = zip(*divided, strict=True)
    return Texts(train, held_out, left_out)


def _kept(lines: Sequence[list[Sentence]], longest: int, *, together: bool) -> list[list[Sentence]]:
    """Return the sentences that are neither empty nor too long; with `together`, on both sides of a pair."""
    fits = [[0 < len(words) <= longest for words in side] for side in lines]
    if together:
        fits = [[a and b for a, b in zip(*fits, strict=True)]] * 2
    return [
        [s for s, fit in zip(side, good, strict=True) if fit] for side, good in zip(lines, fits, strict=True)
    ]


def _hold_out(
    sentences: list[Sentence], number: int, rng: np.random.Generator, path: str | Path
) -> tuple[list[Sentence], list[Sentence]]:
    if len(sentences) < 2 * number:
        raise ConfigError(
            f"{path}: {len(sentences)} sentences can be trained on, of which validation={number} are to be held out:"
            " give more text, or hold out fewer"
        )
    order = rng.permutation(len(sentences))
    held = set(order[:number].tolist())
    return [s for i, s in enumerate(sentences) if i not in held], [sentences[i] for i in sorted(held)]


def encoded(vocabulary: Vocabulary, texts: Sequence[Iterable[Sentence]]) -> list[list[np.ndarray]]:
    """Return the sentences of both languages as rows of the vocabulary."""
    return [[vocabulary.encode(side, words) for words in texts[side]] for side in SIDES]


POOL = 50  # batches whose sentences are sorted by length together


class Sampler:
    """The sentences of each step: every pass is a new permutation, cut into batches of similar length."""

    def __init__(self, lengths: Sequence[int], batch_size: int, seed: Sequence[int]):
        self._lengths, self._size, self._seed = np.asarray(lengths), batch_size, list(seed)
        self._pool: tuple[int, np.ndarray] = (-1, np.zeros(0, np.int64))

    def batch(self, step: int, order: int) -> np.ndarray:
        """Return the sentences (batch_size,) of step 0, 1, ...; `order` is its batch in the pool, 0 the shortest."""
        number = step // POOL
        if self._pool[0] != number:
            n, size = len(self._lengths), POOL * self._size
            first = number * size
            passes = range(first // n, (first + size - 1) // n + 1)
            orders = [np.random.default_rng([*self._seed, p]).permutation(n) for p in passes]
            drawn = np.concatenate(orders)[first - passes[0] * n :][:size]
            self._pool = (number, drawn[np.argsort(self._lengths[drawn], kind="stable")])
        return self._pool[1][order * self._size : (order + 1) * self._size]


def batch_order(step: int, seed: int) -> int:
    """Return the number of a step's batch in its pool; the same for all texts, so that lengths match."""
    return int(np.random.default_rng([seed, 7, step // POOL]).permutation(POOL)[step % POOL])


def padded(sentences: Sequence[np.ndarray], end: int) -> Tensor:
    """Return sentences (n, longest + 1) int64, each with the end mark, padded on the right."""
    ids = np.full((len(sentences), max(map(len, sentences)) + 1), PAD, np.int64)
    for row, words in zip(ids, sentences, strict=True):
        row[: len(words)] = words
        row[len(words)] = end
    return torch.from_numpy(ids)
