"""Special tokens, as RoBERTa and BERT name them."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple


class Specials(NamedTuple):
    """Tokens with a function of their own, or their ids."""

    start: str | int
    pad: str | int
    end: str | int
    unknown: str | int
    mask: str | int


ROBERTA = Specials("<s>", "<pad>", "</s>", "<unk>", "<mask>")
BERT = Specials("[CLS]", "[PAD]", "[SEP]", "[UNK]", "[MASK]")


def specials_of(vocabulary: Collection[str]) -> Specials | None:
    """Return the set of special tokens that a vocabulary holds, or None."""
    return next((names for names in (ROBERTA, BERT) if all(name in vocabulary for name in names)), None)
