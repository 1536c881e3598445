"""A derived language: an order of words, then a spelling of each. T_trans o T_inv inverts first (section 4)."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from crosslingua.corpora.derived.syntax import Inverted, Order, Unchanged, WordRange
from crosslingua.corpora.derived.transliteration import Speller, Transliteration


class Derived(NamedTuple):
    """Words of the derived language, and which word of the original each of them is."""

    words: list[str]
    origin: list[int]


class Derivation:
    """Turns words into those of the derived language. `counts` collects the original words' frequencies."""

    def __init__(self, order: Order | None = None, transliteration: Transliteration | None = None):
        self.order: Order = order or Unchanged()
        self.transliteration = transliteration
        self._spell = Speller(transliteration) if transliteration else None
        self.counts: Counter[str] = Counter()

    def __call__(self, words: Sequence[str], together: Collection[WordRange] = ()) -> Derived:
        """Return the derived words and their origins; spans in `together` are not cut by sentence boundaries."""
        order = self.order(words, together)
        return Derived(self.spelled([words[index] for index in order]), order)

    def spelled(self, words: Sequence[str]) -> list[str]:
        """Return the words in their derived spelling."""
        self.counts.update(words)
        return list(words) if self._spell is None else list(map(self._spell.__getitem__, words))

    @property
    def by_inversion(self) -> frozenset[str] | None:
        """The sentence ends if words are inverted, else None: text without labels has a faster way."""
        return self.order.ends if isinstance(self.order, Inverted) else None

    @property
    def keeps_order(self) -> bool:
        """Whether words stay where they are."""
        return isinstance(self.order, Unchanged)


# Of each transformation of align_mlm: an order of words, and whether the script changes.
TRANSFORMS: dict[str, tuple[str | None, bool]] = {
    "trans": (None, True),
    "inv": ("inversion", False),
    "syn": ("syntax", False),
    "trans_inv": ("inversion", True),
    "trans_syn": ("syntax", True),
}
