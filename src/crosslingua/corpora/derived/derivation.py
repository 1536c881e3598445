"""A derived language: an order of words, then a spelling of each. T_trans o T_inv inverts first (section 4)."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from crosslingua.corpora.derived.syntax import Order, WordRange
from crosslingua.corpora.derived.transliteration import Speller, Transliteration


class Derived(NamedTuple):
    """Words of the derived language, and which word of the original each of them is."""

    words: list[str]
    origin: list[int]


class Derivation:
    """Turns words into those of the derived language. `counts` collects the original words' frequencies."""

    def __init__(self, order: Order | None = None, transliteration: Transliteration | None = None):
        self.order = order
        self._spell = Speller(transliteration) if transliteration else None
        self.counts: Counter[str] = Counter()

    def __call__(self, words: Sequence[str], together: Collection[WordRange] = ()) -> Derived:
        """Return the derived words and their origins; spans in `together` are not cut by sentence boundaries."""
        order = self.reordered(words, together)
        return Derived(self.spelled([words[index] for index in order]), order)

    def reordered(self, words: Sequence[str], together: Collection[WordRange] = ()) -> list[int]:
        """Return the new order as indices of `words`."""
        return self.order(words, together) if self.order else list(range(len(words)))

    def spelled(self, words: Sequence[str]) -> list[str]:
        """Return the words in their derived spelling."""
        self.counts.update(words)
        return list(words) if self._spell is None else list(map(self._spell.__getitem__, words))


# Of each transformation of align_mlm: an order of words, and whether the script changes.
TRANSFORMS: dict[str, tuple[str | None, bool]] = {
    "trans": (None, True),
    "inv": ("inversion", False),
    "syn": ("syntax", False),
    "trans_inv": ("inversion", True),
    "trans_syn": ("syntax", True),
}
