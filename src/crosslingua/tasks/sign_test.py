"""The sign test: is one of two systems better on more items than the other, beyond chance (Dixon and Mood 1946)?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb


@dataclass(frozen=True)
class SignTest:
    """Items on which the first system is better (`wins`), worse (`losses`), or equal (`ties`, which do not count)."""

    wins: int
    losses: int
    ties: int

    @property
    def p_value(self) -> float:
        """Two-sided, exact: of as uneven a division of the items that are no ties, were both sides equally likely."""
        n, most = self.wins + self.losses, max(self.wins, self.losses)
        tail = sum(comb(n, k) for k in range(most, n + 1))
        return min(1.0, 2 * tail / 2**n)


def sign_test(first: Sequence[float], second: Sequence[float]) -> SignTest:
    """Compare two systems' scores of the same items; higher is better."""
    pairs = list(zip(first, second, strict=True))
    wins, losses = sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)
    return SignTest(wins, losses, len(pairs) - wins - losses)
