"""Count the words of a prepared text, and how much of a dictionary the text covers."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from crosslingua.errors import InputError
from crosslingua.io.bitext import Pair
from crosslingua.io.decode import CONTROLS, tokenised_lines, tokens_of


def count_words(path: str | Path) -> Counter[str]:
    """Return how often each word of a text occurs. InputError for invalid UTF-8, for CONTROLS in a word, with the line,
    and without words.
    """
    total = Counter(word for line in tokenised_lines(path) for word in tokens_of(line))
    if not total:
        raise InputError(path, "the corpus has no words")
    if any(map(CONTROLS.search, total)):
        _refuse_controls(path)
    return total


def _refuse_controls(path: str | Path) -> None:
    for number, line in enumerate(tokenised_lines(path), 1):
        if divided := next(filter(CONTROLS.search, tokens_of(line)), None):
            raise InputError(
                path, f"the word {divided!r} holds a control character or a line separator", line=number,
                remedy="prepare the text: crosslingua prepare-text, with --tokeniser none if it is tokenised",
            )  # fmt: skip


class Coverage(NamedTuple):
    """Of the distinct source words of a dictionary, how many there are and how many a text has; words in vocabulary."""

    sources: int
    with_source: int
    covered: int
    source_words: int
    target_words: int

    @property
    def percent(self) -> float:
        """Source words that are in vocabulary with a translation, 0 to 100: what precision is a mean over in MUSE."""
        return 100 * self.covered / self.sources


def coverage(
    pairs: Iterable[Pair], source_counts: Mapping[str, int], target_counts: Mapping[str, int], min_count: int
) -> Coverage:
    """Return how much of a dictionary is covered: source words that, like a translation, occur `min_count` times."""
    translations: dict[str, list[str]] = {}
    for source, target in pairs:
        translations.setdefault(source, []).append(target)
    if not translations:
        raise ValueError("a dictionary without pairs has no coverage")
    present = [source for source in translations if source_counts.get(source, 0) >= min_count]
    covered = [s for s in present if any(target_counts.get(t, 0) >= min_count for t in translations[s])]
    sizes = [sum(n >= min_count for n in counts.values()) for counts in (source_counts, target_counts)]
    return Coverage(len(translations), len(present), len(covered), *sizes)
