"""LibreOffice's help pages in Debian packages, one a language: text, and parallel text by the names of paragraphs.

A paragraph has the same page and `id` in every language. One that equals the English paragraph is not translated.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from zlib import crc32

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.debian import contents
from crosslingua.io.decode import SEPARATOR, decoded, readable, split_lines

ENGLISH = "en-us"  # in names of packages; in their folders `en-US`
TAGS = ("p", "h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "li", "dt", "dd")
FOLDER, PAGES = "./usr/share/libreoffice/help/", "/text/"
Paragraphs = dict[tuple[str, str], str]  # by page and id


def paragraphs(package: str | Path, errors: str = "strict", counts: Counter[str] | None = None) -> Paragraphs:
    """Return the paragraphs of a package in their order, spaces joined, without empty ones.

    A package may hold a regional variant too (`ca-valencia`), which is left out. `errors` and `counts` are as of
    `decoded_lines`. Raises InputError where the file is no package of help pages.
    """
    from lxml import html

    language, found = _language(package), {}
    start = f"{FOLDER}{'en-US' if language == ENGLISH else language}{PAGES}"
    with readable(package), contents(package) as bundle:
        for entry in bundle:
            if entry.isfile() and entry.name.startswith(start) and entry.name.endswith(".html"):
                lines, place = (
                    split_lines(bundle.extractfile(entry).read()),
                    f"{package}{SEPARATOR}{entry.name}",
                )
                root = html.fromstring("\n".join(decoded(lines, place, errors, counts)))
                for element in root.iter(*TAGS):
                    text = " ".join(element.text_content().split())
                    if text and element.get("id"):
                        found.setdefault((entry.name.removeprefix(start), element.get("id")), text)
    if not found:
        raise InputError(package, f"holds no help pages in {start.removeprefix('.')}")
    return found


def _language(package: str | Path) -> str:
    name = Path(package).name
    start = "libreoffice-help-"
    if not name.startswith(start) or "_" not in name:
        raise InputError(
            package, f"no package of help pages: its name is not {start}LANGUAGE_VERSION_all.deb"
        )
    return name.removeprefix(start).partition("_")[0]


def translated(package: str | Path, errors: str = "strict", counts: Counter[str] | None = None) -> Paragraphs:
    """Return the paragraphs of a package that differ from the English ones, whose package lies beside it. English has
    all of its own. `counts["untranslated"]` are the others.
    """
    found = paragraphs(package, errors, counts)
    if _language(package) == ENGLISH:
        return found
    english = paragraphs(_beside(package), errors)
    own = {place: text for place, text in found.items() if english.get(place) != text}
    if counts is not None:
        counts["untranslated"] += len(found) - len(own)
    return own


def _beside(package: str | Path) -> Path:
    every = sorted(Path(package).parent.glob(f"libreoffice-help-{ENGLISH}_*.deb"))
    if not every:
        raise InputError(
            package, f"no libreoffice-help-{ENGLISH}_*.deb beside it, which tells what is translated"
        )
    return every[0]


def read(
    source: str, errors: str = "strict", counts: Counter[str] | None = None, half: int | None = None
) -> Iterator[str]:
    """Yield the paragraphs of a language; with `half` 0 or 1 those of half of the pages, the same in all languages."""
    for (page, _), text in translated(source, errors, counts).items():
        if half is None or crc32(page.encode()) % 2 == half:
            yield text


read_first_half, read_second_half = partial(read, half=0), partial(read, half=1)


def read_pairs(
    sources: Sequence[str],
    languages: Sequence[str],
    errors: str = "strict",
    counts: Counter[str] | None = None,
) -> Iterator[tuple[str, str]]:
    """Yield the paragraphs that two packages, in the order of `languages`, both have: distinct pairs of texts."""
    if len(sources) != 2:
        raise ConfigError(f"help_pages takes two packages; {len(sources)} given")
    first, second = (translated(source, errors, counts) for source in sources)
    pairs = ((text, second[place]) for place, text in first.items() if place in second)
    yield from dict.fromkeys(pairs)
