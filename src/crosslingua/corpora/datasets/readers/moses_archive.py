"""An archive that holds a bitext as two parallel files: OPUS's `moses` zips, Europarl and IITB tar files."""

from collections import Counter
from collections.abc import Iterator, Sequence

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.bitext import read_bitext
from crosslingua.io.decode import SEPARATOR, members


def read(
    sources: Sequence[str],
    languages: Sequence[str],
    errors: str = "strict",
    counts: Counter[str] | None = None,
) -> Iterator[tuple[str, str]]:
    """Yield the pairs of one archive. InputError unless a single member ends in `.<language>` for each language."""
    if len(sources) != 1:
        raise ConfigError(f"moses_archive takes one archive; {len(sources)} given")
    archive, names, paths = sources[0], members(sources[0]), []
    for code in languages:
        matches = [name for name in names if name.endswith(f".{code}")]
        if len(matches) != 1:
            raise InputError(archive, f"{len(matches)} members end in .{code}; it holds {', '.join(names)}")
        paths.append(f"{archive}{SEPARATOR}{matches[0]}")
    return read_bitext(*paths, errors=errors, counts=counts, raw=True)
