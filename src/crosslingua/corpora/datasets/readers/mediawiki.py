"""Wikipedia dumps (`<language>wiki-latest-pages-articles.xml.bz2`): the text of articles, a paragraph a line.

The papers do not say how they took the text out of the markup. This reader drops templates, tables, references,
files, categories, headings and list marks, and keeps the shown text of links; it does not expand templates.
"""

import html
import re
from collections import Counter
from collections.abc import Iterator
from xml.etree import ElementTree

from crosslingua.errors import InputError
from crosslingua.io.decode import open_source

DROPPED = re.compile(
    r"<!--.*?-->"
    r"|<(ref|math|gallery|syntaxhighlight|source|timeline|score|chem|imagemap|hiero)\b[^<>]*?(?<!/)>.*?</\1\s*>"
    r"|<[a-zA-Z/][^<>]*>"
    r"|__[A-Z]+__",
    re.DOTALL | re.IGNORECASE,
)
BREAK = re.compile(r"<(?:br|/?p|/?li|/?div)\b[^<>]*>", re.IGNORECASE)
NESTED = re.compile(r"\{\{[^{}]*\}\}|\{\|(?:(?!\{\||\|\}).)*\|\}", re.DOTALL)
INNER_LINK = re.compile(r"\[\[([^\[\]]*)\]\]")
OUTER_LINK = re.compile(r"\[(?:https?:|ftp:|//)[^\s\[\]]*\s*([^\[\]]*)\]")
EMPHASIS = re.compile(r"'{2,5}")
HEADING = re.compile(r"^=+.*=+\s*$")
LIST_MARK = re.compile(r"^[*#:;]+\s*")
MAGIC = re.compile(r"^#[^\W\d]+\s*:?\s*\[\[", re.IGNORECASE)  # redirects, in every language


def read(source: str, errors: str = "strict", counts: Counter[str] | None = None) -> Iterator[str]:
    """Yield the markup of each article (namespace 0, no redirects), one in memory at a time; count `pages`.

    Raises InputError if the dump is truncated or is not XML, which is Unicode whatever `errors` says.
    """
    with open_source(source) as stream:
        parser = ElementTree.iterparse(stream, events=("start", "end"))
        try:
            _, root = next(parser)
            for event, element in parser:
                if event == "end" and _name(element) == "page":
                    text = _article(element)
                    root.clear()
                    if text is not None:
                        if counts is not None:
                            counts["pages"] += 1
                        yield text
        except ElementTree.ParseError as error:
            raise InputError(
                source, f"not whole XML: {error}", line=error.position[0], remedy="fetch the dump again"
            ) from None


def _name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _article(page: ElementTree.Element) -> str | None:
    """Return the markup of a page if it is an article."""
    fields = {_name(element): element.text or "" for element in page.iter()}
    if fields.get("ns") != "0" or "redirect" in fields or MAGIC.match(fields.get("text", "")):
        return None
    return fields.get("text", "")


def paragraphs(markup: str) -> Iterator[str]:
    """Yield the paragraphs of wiki markup as plain text."""
    for line in plain(markup).split("\n"):
        if HEADING.match(line):
            continue
        line = " ".join(LIST_MARK.sub("", line).split())
        if any(character.isalnum() for character in line):
            yield line


def plain(markup: str) -> str:
    """Return the running text of wiki markup; line ends stay."""
    text = _until_stable(NESTED, "", DROPPED.sub("", BREAK.sub("\n", markup)))
    text = _until_stable(INNER_LINK, _shown, text)
    text = EMPHASIS.sub("", OUTER_LINK.sub(r"\1", text))
    return html.unescape(html.unescape(text))  # `&amp;nbsp;` is written often


def _until_stable(pattern: re.Pattern[str], replacement, text: str) -> str:
    """Substitute the innermost matches until none is left: brackets nest."""
    changed = 1
    while changed:
        text, changed = pattern.subn(replacement, text)
    return text


def _shown(match: re.Match[str]) -> str:
    """Return what a link shows: nothing for files and categories, else its last part."""
    target, bar, shown = match[1].partition("|")
    if ":" in target.strip(": ") and not target.startswith(":"):
        return ""
    return shown.rpartition("|")[2] if bar else target.lstrip(":")
