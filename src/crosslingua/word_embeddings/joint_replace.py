"""Joint-Replace (joint_align, section 4.2): translations replace words of the text at random before joint training.

The paper states neither how often nor by which translation. Here, as in Gouws and Søgaard (2015), each occurrence of a
word with translations is replaced with probability one half, in both languages. Translations are equally likely.
"""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.atomic import atomic_open
from crosslingua.io.decode import tokenised_lines

BLOCK = 20_000  # lines held at a time
log = logging.getLogger(__name__)


@dataclass
class Replaced:
    """Numbers of tokens read, tokens that have translations, and tokens replaced."""

    tokens: int = 0
    known: int = 0
    replaced: int = 0


def replace_texts(
    texts: Sequence[str | Path],
    pairs: Sequence[tuple[str, str]],
    folder: str | Path,
    *,
    seed: int,
    probability: float,
) -> list[Path]:
    """Write a source and a target text with words replaced into `folder`; return the files. See `replace_text`."""
    outs = [Path(folder, name) for name in ("source.txt", "target.txt")]
    for number, (text, out) in enumerate(zip(texts, outs, strict=True)):
        words = translations_of(pairs, reverse=bool(number))
        own = 2 * seed + number  # the texts' choices must not be the same
        counts = replace_text(text, out, words, seed=own, probability=probability)
        share = 100 * counts.replaced / counts.tokens
        log.info("%s: %d of %d words replaced (%.1f%%)", text, counts.replaced, counts.tokens, share)
    return outs


def translations_of(pairs: Iterable[tuple[str, str]], *, reverse: bool = False) -> dict[str, list[str]]:
    """Return word -> its translations, in the dictionary's order; with `reverse`, for the target words."""
    found: dict[str, dict[str, None]] = {}
    for word, translation in pairs:
        if reverse:
            word, translation = translation, word
        found.setdefault(word, {})[translation] = None
    return {word: list(translations) for word, translations in found.items()}


def replace_text(
    text: str | Path,
    out: str | Path,
    translations: dict[str, list[str]],
    *,
    seed: int,
    probability: float = 0.5,
) -> Replaced:
    """Copy `text`, words separated by spaces, to `out` with words replaced at random; return the counts.

    Streams; spacing and lines do not change. An occurrence is replaced with `probability` (ConfigError outside (0, 1]),
    by any translation with equal chance. Raises InputError when no word of the text has a translation.
    """
    if not 0 < probability <= 1:
        raise ConfigError(f"replacement probability {probability}: must be above 0 and at most 1")
    number_of = {word: number for number, word in enumerate(translations)}.get
    # The choices of word i begin at starts[i].
    choices = [choice for several in translations.values() for choice in several]
    sizes = np.array([len(several) for several in translations.values()], dtype=np.int64)
    starts = np.cumsum(sizes) - sizes
    rng, counts, lines = np.random.default_rng(seed), Replaced(), tokenised_lines(text)
    with atomic_open(out) as stream:
        while block := list(islice(lines, BLOCK)):
            tokens = " \n ".join([*block, ""]).split(" ")  # line ends become tokens, and are undone below
            numbers = np.array([number_of(token, -1) for token in tokens], dtype=np.int64)
            places = np.flatnonzero(numbers >= 0)
            # Two draws an occurrence: the stream does not depend on the block size.
            draws = rng.random((len(places), 2))
            taken = draws[:, 0] < probability
            words = numbers[places[taken]]
            chosen = starts[words] + (draws[taken, 1] * sizes[words]).astype(np.int64)
            for place, choice in zip(places[taken].tolist(), chosen.tolist(), strict=True):
                tokens[place] = choices[choice]
            counts.tokens += len(tokens) - tokens.count("") - tokens.count("\n")
            counts.known += len(places)
            counts.replaced += len(words)
            stream.write(" ".join(tokens).replace(" \n ", "\n").removesuffix(" \n"))
        if not counts.known:
            raise InputError(
                text, f"none of its {counts.tokens} words is in the dictionary ({len(translations)} words)",
                remedy="give texts and dictionary in the same order of languages, in the same casing",
            )  # fmt: skip
    return counts
