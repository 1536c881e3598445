"""Training text of both languages: read, put in lower case, divided so that no line's translation is in the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.bitext import read_bitext
from crosslingua.io.decode import decoded_lines
from crosslingua.translation.vocabulary import SIDES, Vocabulary

Sentence = list[str]


@dataclass(frozen=True)
class Texts:
    """Sentences to train on and those held out, a list for each language; `left_out` counts what was too long or empty.

    Of `supervised` data, sentence i of one language translates sentence i of the other, in both parts.
    """

    train: tuple[list[Sentence], list[Sentence]]
    held_out: tuple[list[Sentence], list[Sentence]]
    left_out: int


def read_lines(path: str | Path, *, lowercase: bool = True) -> list[Sentence]:
    """Return the words of each line. Raises InputError for a file without lines."""
    lines = [(line.lower() if lowercase else line).split() for line in decoded_lines(path)]
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
    lowercase: bool = True,
) -> Texts:
    """Read two files and hold out `validation` sentences of each, drawn by `seed`.

    `data` says what they are: `texts`, two texts of their own; `halves`, parallel files, of which the source gives the
    first half of its lines and the target the second, so that no line has its translation among the others;
    `alternating`, parallel files whose source sentences go to the two languages in turn, each with all its
    translations, for files that are ordered or repeat a sentence; `pairs`, parallel files whose pairs are kept. Raises
    ConfigError where too little is left to train on.
    """
    lines = (
        _parallel(paths, lowercase)
        if data != "texts"
        else [read_lines(p, lowercase=lowercase) for p in paths]
    )
    if data == "halves":
        middle = len(lines[0]) // 2
        lines = [lines[0][:middle], lines[1][middle:]]
    if data == "alternating":
        lines = _alternating(lines)
    kept = _kept(lines, max_length, together=data == "pairs")
    left_out = sum(map(len, lines)) - sum(map(len, kept))
    rngs = [np.random.default_rng([seed, 5, 0 if data == "pairs" else side]) for side in SIDES]
    divided = [_hold_out(kept[side], validation, rngs[side], paths[side]) for side in SIDES]
    train, held_out = zip(*divided, strict=True)
    return Texts(train, held_out, left_out)


def _parallel(paths: Sequence[str | Path], lowercase: bool) -> list[list[Sentence]]:
    pairs = list(read_bitext(*paths))
    if not pairs:
        raise InputError(paths[0], "has no sentences")
    return [
        [(line.lower() if lowercase else line).split() for line in side] for side in zip(*pairs, strict=True)
    ]


def _alternating(lines: Sequence[list[Sentence]]) -> list[list[Sentence]]:
    """Return the lines of the first, third, ... distinct source sentence, and the translations of the others."""
    places: dict[tuple[str, ...], int] = {}
    sides = [places.setdefault(tuple(words), len(places)) % 2 for words in lines[0]]
    return [[s for s, at in zip(lines[side], sides, strict=True) if at == side] for side in SIDES]


def _kept(lines: Sequence[list[Sentence]], longest: int, *, together: bool) -> list[list[Sentence]]:
    """Return the sentences that are neither empty nor too long; of pairs, those of which both sides are so."""
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
    """Return the sentences of both languages as word rows."""
    return [[vocabulary.encode(side, words) for words in texts[side]] for side in SIDES]
