"""How far two languages are apart, measured in parallel text with links: how words are spelled, and how ordered.

    lexical   LDND, the Levenshtein distance of translations, normalised by the longer word's length and divided by that
              of words which do not translate each other (Bakker et al. 2009, Wichmann et al. 2010); about 100 percent
              for unrelated spellings or other scripts
    order     percent of the pairs of links in a sentence that cross (Kendall's tau distance); 50 for a random order,
              100 for the reverse one
    distance  the mean of both

Both are known for any two languages with parallel text, of the controlled world or not.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from statistics import mean
from typing import Any

import numpy as np

from crosslingua.errors import ConfigError

Sentence = Sequence[str]
WORDS = 1000  # most frequent source words whose translations are compared
OCCURRENCES = 3  # of a link between two words that counts as a translation
OTHERS = 20  # words of no translation that each is compared with


def measure(pairs: Iterable[tuple[Sentence, Sentence]], links: Iterable[np.ndarray]) -> dict[str, Any]:
    """Return `lexical`, `order`, `distance` (percent) of pairs and links (n, 2). ConfigError for too few."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    crossing = every = sentences = 0
    for (source, target), own in zip(pairs, links, strict=True):
        sentences += 1
        for i, j in own.tolist():
            counts[source[i]][target[j]] += 1
        found = crossings(own)
        crossing, every = crossing + found[0], every + found[1]
    words = translations(counts)
    if len(words) < 2 or not every:
        raise ConfigError(
            f"{sentences} sentence pairs with {len(words)} translations: too few for a distance"
        )
    both = {"lexical": ldnd(words), "order": 100 * crossing / every}
    sizes = {"sentences": sentences, "translations": len(words), "pairs_of_links": every}
    return both | {"distance": mean(both.values()), **sizes, "signature": "ldnd+crossing_links"}


def translations(counts: dict[str, Counter[str]]) -> list[tuple[str, str]]:
    """Return the most frequent words, each with the word it is linked to most often."""
    best = [(word, *found.most_common(1)[0]) for word, found in counts.items()]
    often = sorted((-number, word, other) for word, other, number in best if number >= OCCURRENCES)
    return [(word, other) for _, word, other in often[:WORDS]]


def ldnd(words: Sequence[tuple[str, str]]) -> float:
    """Return the divided distance of at least two pairs of words, in percent."""
    same = mean(normalised(source, target) for source, target in words)
    shifts = range(1, min(OTHERS, len(words) - 1) + 1)
    others = mean(
        normalised(source, words[(place + shift) % len(words)][1])
        for shift in shifts
        for place, (source, _) in enumerate(words)
    )
    return 100 * same / others if others else 0.0


def normalised(first: str, second: str) -> float:
    """Return the Levenshtein distance of two words by the length of the longer, 0 to 1."""
    return levenshtein(first, second) / max(len(first), len(second), 1)


def levenshtein(first: str, second: str) -> int:
    """Return how many letters must be added, removed or replaced to make one word of the other."""
    row = list(range(len(second) + 1))
    for i, letter in enumerate(first, 1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(second, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (letter != other))
    return row[-1]


def crossings(links: np.ndarray) -> tuple[int, int]:
    """Return how many pairs of links (n, 2) cross, and how many share no word, so could cross."""
    steps = np.sign(links[:, None] - links[None])
    product = np.triu(steps[..., 0] * steps[..., 1], 1)
    return int((product < 0).sum()), int((product != 0).sum())
