"""Plain text, one sentence or paragraph a line; `.gz`, `.bz2`, `.xz` and archive members as they are."""

from collections import Counter
from collections.abc import Iterator

from crosslingua.io.decode import decoded_lines


def read(source: str, errors: str = "strict", counts: Counter[str] | None = None) -> Iterator[str]:
    """Yield the lines; see `decoded_lines` for line ends and invalid UTF-8."""
    return decoded_lines(source, errors, counts)
