"""The control of word aligners: links along the diagonal of a sentence pair, which read no word."""

from collections.abc import Iterable, Iterator, Sequence

from crosslingua.arrays import token_pairs
from crosslingua.io.pharaoh import Link
from crosslingua.settings import settings

Pair = tuple[Sequence[str], Sequence[str]]


@settings
class Diagonal:
    """A control: each target word is linked to the source word at the same share of its sentence."""

    def align(self, pairs: Iterable[Pair], training: Iterable[Pair] = ()) -> Iterator[frozenset[Link]]:
        """Yield the (source, target) links of each tokenised pair, 0-based; `training` is not read."""
        return (diagonal_links(len(source), len(target)) for source, target in token_pairs(pairs))


def diagonal_links(rows: int, columns: int) -> frozenset[Link]:
    """Return the links of a pair of `rows` source words and `columns` target words; none if a side is empty."""
    return frozenset(((2 * j + 1) * rows // (2 * columns), j) for j in range(columns) if rows)
