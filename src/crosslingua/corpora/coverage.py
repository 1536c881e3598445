"""How much of a dictionary a text covers, before any vector is trained: from counts of words alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from crosslingua.io.dictionaries import Pair


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
    """Return what is left of a dictionary of vocabularies of words that occur `min_count` times or more.

    A source word is covered if it and one of its translations are in vocabulary. ValueError without pairs.
    """
    translations: dict[str, list[str]] = {}
    for source, target in pairs:
        translations.setdefault(source, []).append(target)
    if not translations:
        raise ValueError("a dictionary without pairs has no coverage")
    known = [source for source in translations if source_counts.get(source, 0) >= min_count]
    covered = [s for s in known if any(target_counts.get(t, 0) >= min_count for t in translations[s])]
    sizes = [sum(n >= min_count for n in counts.values()) for counts in (source_counts, target_counts)]
    return Coverage(len(translations), len(known), len(covered), *sizes)
