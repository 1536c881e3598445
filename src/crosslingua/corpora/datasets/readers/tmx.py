"""TMX, the exchange format of translation memories: units (`tu`) with a variant (`tuv`) in each language."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.decode import base_language, open_source

LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
MARKED = ("hi",)  # elements inside a segment that hold text; others hold codes of the program that wrote it


def read(
    sources: Sequence[str],
    languages: Sequence[str],
    errors: str = "strict",
    counts: Counter[str] | None = None,
) -> Iterator[tuple[str, str]]:
    """Yield the pairs of one file in the order of `languages`; of several variants in a language the first.

    No entity is expanded, and nothing is fetched. `counts["missing_sentences"]` are units without both languages.
    Raises ConfigError for several sources, InputError for broken XML and for a file without a pair.
    """
    from lxml import etree

    if len(sources) != 1:
        raise ConfigError(f"tmx takes one file or ARCHIVE::MEMBER; {len(sources)} given")
    wanted, found, told = [*map(base_language, languages)], 0, dict[str, None]()
    with open_source(sources[0]) as stream:
        # No option of `iterparse` makes it read more than the file: no DTD, no network, no huge tree.
        units = etree.iterparse(
            stream, tag="{*}tu", resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False
        )
        try:
            for _, unit in units:
                texts = dict[str, str]()
                for variant in unit.iterfind("{*}tuv"):
                    code = variant.get(LANGUAGE) or variant.get("lang") or ""
                    segment = variant.find("{*}seg")
                    if segment is not None:
                        texts.setdefault(base_language(code), " ".join(_text(segment).split()))
                    told[code] = None
                unit.clear()
                while unit.getprevious() is not None:  # memory stays flat
                    del unit.getparent()[0]
                if all(texts.get(language) for language in wanted):
                    found += 1
                    yield texts[wanted[0]], texts[wanted[1]]
                elif counts is not None:
                    counts["missing_sentences"] += 1
        except etree.XMLSyntaxError as error:
            raise InputError(
                sources[0], f"not whole XML: {error.msg}", line=error.lineno, remedy="fetch it again"
            ) from None
    if not found:
        raise InputError(
            sources[0],
            f"no unit has {' and '.join(languages)}: it has {', '.join(sorted(told)) or 'none'}",
            remedy="name languages as the file does",
        )


def _text(element: Any) -> str:
    """Return the text of an element, without codes, comments and entities."""
    parts = [element.text or ""]
    for child in element:
        if isinstance(child.tag, str) and child.tag.rpartition("}")[2] in MARKED:
            parts.append(_text(child))
        parts.append(child.tail or "")
    return "".join(parts)
