"""Two files, line i of one being the translation of line i of the other."""

from collections import Counter
from collections.abc import Iterator, Sequence

from crosslingua.errors import ConfigError
from crosslingua.io.bitext import read_bitext


def read(
    sources: Sequence[str],
    languages: Sequence[str],
    errors: str = "strict",
    counts: Counter[str] | None = None,
) -> Iterator[tuple[str, str]]:
    """Yield the pairs of two files (in the order of `languages`). InputError if their lengths differ."""
    if len(sources) != 2:
        raise ConfigError(f"parallel_lines takes two files, one a language; {len(sources)} given")
    return read_bitext(*sources, errors=errors, counts=counts, raw=True)
