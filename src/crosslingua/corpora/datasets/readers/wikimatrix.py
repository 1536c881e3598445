"""WikiMatrix: `margin<TAB>first<TAB>second`, best pairs first, languages in alphabetical order."""

from collections import Counter
from collections.abc import Iterator, Sequence

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.decode import decoded_lines

MARGIN = 1.04  # advised by its authors (Schwenk et al. 2021, §4.3)


def read(
    sources: Sequence[str],
    languages: Sequence[str],
    errors: str = "strict",
    counts: Counter[str] | None = None,
    margin: float = MARGIN,
) -> Iterator[tuple[str, str]]:
    """Yield the pairs of at least `margin`; `counts["low_margin"]` are the others. InputError on other columns."""
    if len(sources) != 1:
        raise ConfigError(f"wikimatrix takes one file; {len(sources)} given")
    swap = list(languages) != sorted(languages)
    for number, line in enumerate(decoded_lines(sources[0], errors, counts, records=True), 1):
        try:
            score, first, second = line.split("\t")
            enough = float(score) >= margin
        except ValueError:
            raise InputError(
                sources[0], f"expected margin<TAB>text<TAB>text, found {line[:80]!r}", line=number
            ) from None
        if enough:
            yield (second, first) if swap else (first, second)
        elif counts is not None:
            counts["low_margin"] += 1
