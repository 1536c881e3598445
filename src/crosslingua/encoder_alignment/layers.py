"""Which layers of an encoder are aligned: the last four (mbert_align, section 4.1)."""

from __future__ import annotations

from crosslingua.errors import ConfigError

LAST = 4


def last_layers(total: int, number: int = LAST) -> list[int]:
    """Return the numbers of the last `number` of `total` layers (0 would be the embeddings); all of a smaller encoder.

    Raises ConfigError unless `number` is at least 1.
    """
    if number < 1:
        raise ConfigError(f"{number} layers to align: at least 1")
    return list(range(max(1, total - number + 1), total + 1))
