"""English and its translation on a line, separated by a tab, an attribution after them or not (manythings.org)."""

from collections import Counter
from collections.abc import Iterator, Sequence

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.decode import SEPARATOR, decoded_lines, members


def read(
    sources: Sequence[str],
    languages: Sequence[str],
    errors: str = "strict",
    counts: Counter[str] | None = None,
) -> Iterator[tuple[str, str]]:
    """Yield the pairs of one file or archive in the order of `languages`, one of which is `en`.

    Raises ConfigError on other languages or more sources, InputError with the line on other than 2 or 3 columns.
    """
    if len(sources) != 1:
        raise ConfigError(f"tab_pairs takes one file or archive; {len(sources)} given")
    if "en" not in languages or len(languages) != 2:
        raise ConfigError(f"these pairs are of en and another language, not of {' and '.join(languages)}")
    swapped = languages[0] != "en"
    source = _pairs_file(sources[0])
    for number, line in enumerate(decoded_lines(source, errors, counts, records=True), 1):
        cells = line.split("\t")
        if len(cells) not in (2, 3):
            raise InputError(source, f"{len(cells)} columns where 2 or 3 are expected", line=number)
        yield (cells[1], cells[0]) if swapped else (cells[0], cells[1])


def _pairs_file(source: str) -> str:
    """Return the member of an archive that holds the pairs. A file or a named member stays as it is."""
    if SEPARATOR in source or not source.endswith(".zip"):
        return source
    held = members(source)
    names = [name for name in held if name.endswith(".txt") and not name.startswith("__MACOSX/")]
    names = [name for name in names if not name.rpartition("/")[2].startswith(("_", "."))]
    if len(names) != 1:
        raise InputError(source, f"{len(names)} members may hold the pairs; it holds {', '.join(held)}")
    return f"{source}{SEPARATOR}{names[0]}"
