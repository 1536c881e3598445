"""Outputs that are no translations: copies of the source, one output for all, words over and over, or nothing."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from crosslingua.io.decode import tokens_of

MARKED = {"copied": 0.5, "same": 0.2, "repeating": 0.2, "empty": 0.2}  # shares of lines that mark a system
RUN = 4  # times a word, or a pair of words, comes one after another


def diagnose(hypotheses: Sequence[str], references: Sequence[str], sources: Sequence[str]) -> dict[str, Any]:
    """Return the shares (0-100) of suspicious lines, and `degenerate`: 100 where one of them is too high, else 0.

    A line is copied if it is its source; what the references copy as well is taken off. `same` is the share of the most
    frequent output, less that in the references.
    """
    n = max(1, len(hypotheses))
    same, usual = (max(Counter(lines).values(), default=0) for lines in (hypotheses, references))
    shares = {
        "copied": (copies(hypotheses, sources) - copies(references, sources)) / n,
        "same": (same - usual) / n,
        "repeating": sum(map(repeats, hypotheses)) / n,
        "empty": sum(not line.strip() for line in hypotheses) / n,
    }
    marked = any(share >= MARKED[name] for name, share in shares.items())
    return {name: 100 * share for name, share in shares.items()} | {"degenerate": 100 * marked}


def copies(lines: Sequence[str], sources: Sequence[str]) -> int:
    """Return how many lines are their source."""
    return sum(tokens_of(line) == tokens_of(source) for line, source in zip(lines, sources, strict=True))


def repeats(line: str) -> bool:
    """Whether a word, or a pair of words, comes RUN times in a row."""
    words = tokens_of(line)
    for step in (1, 2):
        same = 0  # words in a row that are as the word `step` places on
        for a, b in zip(words, words[step:], strict=False):
            same = same + 1 if a == b else 0
            if same >= (RUN - 1) * step:
                return True
    return False
