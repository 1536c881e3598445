"""Rows of unequal length: `crosslingua.ragged`, which encoders use too."""

from crosslingua.ragged import Ragged, offsets_of

__all__ = ["Ragged", "offsets_of"]
