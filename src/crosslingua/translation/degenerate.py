"""Translations that are none: copies of the source, one output for everything, words over and over, or nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

COPIED, SAME, REPEATING, EMPTY = 0.5, 0.2, 0.2, 0.2  # shares of the lines from which a system is marked
RUN = 4  # times a word, or a pair of words, comes one after another


def diagnose(hypotheses: Sequence[str], references: Sequence[str], sources: Sequence[str]) -> dict[str, Any]:
    """Return the shares (0-100) of suspicious lines, and `degenerate`: 100 where one of them is too high, else 0.

    A line is copied if it is its source; what the references copy as well is taken off. `same` is the share of the most
    frequent output, less that in the references.
    """
    n = max(1, len(hypotheses))
    shares = {
        "copied": (copies(hypotheses, sources) - copies(references, sources)) / n,
        "same": (most_frequent(hypotheses) - most_frequent(references)) / n,
        "repeating": sum(map(repeats, hypotheses)) / n,
        "empty": sum(not line.strip() for line in hypotheses) / n,
    }
    limits = {"copied": COPIED, "same": SAME, "repeating": REPEATING, "empty": EMPTY}
    marked = any(share >= limits[name] for name, share in shares.items())
    return {name: 100 * share for name, share in shares.items()} | {"degenerate": 100 * marked}


def copies(lines: Sequence[str], sources: Sequence[str]) -> int:
    """Return how many lines are their source."""
    return sum(line.split() == source.split() for line, source in zip(lines, sources, strict=True))


def most_frequent(lines: Sequence[str]) -> int:
    """Return how often the most frequent line comes."""
    return max(Counter(lines).values(), default=0)


def repeats(line: str) -> bool:
    """Whether a word, or a pair of words, comes RUN times in a row."""
    words = line.split()
    return any(_longest_run(words, step) >= RUN for step in (1, 2))


def _longest_run(words: Sequence[str], step: int) -> int:
    """Return how many times some run of `step` words comes one after another."""
    longest = same = 0
    for a, b in zip(words, words[step:], strict=False):
        same = same + 1 if a == b else 0
        longest = max(longest, same)
    return longest // step + 1 if longest else 1
