"""Novels in TEI XML (ELTeC): the paragraphs, verse lines and headings of the body, line breaks inside them joined."""

from collections import Counter
from collections.abc import Iterator
from xml.etree import ElementTree

from crosslingua.errors import InputError
from crosslingua.io.decode import open_source

TEI = "{http://www.tei-c.org/ns/1.0}"
PARAGRAPHS = {f"{TEI}{name}" for name in ("p", "l", "head")}


def read(source: str, errors: str = "strict", counts: Counter[str] | None = None) -> Iterator[str]:
    """Yield the text of each `p`, `l` and `head` of `text/body`. InputError on broken XML and on files without body."""
    with open_source(source) as stream:
        try:
            root = ElementTree.parse(stream).getroot()
        except ElementTree.ParseError as error:
            raise InputError(
                source, f"not whole XML: {error}", line=error.position[0], remedy="fetch it again"
            ) from None
    body = root.find(f"{TEI}text/{TEI}body")
    if body is None:
        raise InputError(source, f"no text/body in the namespace {TEI[1:-1]}", remedy="is it TEI?")
    for element in body.iter():
        if element.tag in PARAGRAPHS:
            text = " ".join("".join(element.itertext()).split())
            if text:
                yield text
