"""Wikipedia dumps (`<language>wiki-latest-pages-articles.xml.bz2`): the text of articles, a paragraph a line.

The papers do not say how they took the text out of the markup. This reader drops templates, tables, references,
files, categories, headings and list marks, and keeps the shown text of links; it does not expand templates.
"""

import html
import re
from collections import Counter
from collections.abc import Callable, Iterator
from xml.etree import ElementTree

from crosslingua.errors import InputError
from crosslingua.io.decode import open_source

# Each pattern takes time in proportion to the text, whatever is in it: what repeats gives nothing back (`*+`), or ends
# where the next match may begin.
WITH_CONTENT = "ref|math|gallery|syntaxhighlight|source|timeline|score|chem|imagemap|hiero"
TAG = re.compile(
    rf"(<!--)|<({WITH_CONTENT})\b[^<>]*+(?<!/)>|<[a-zA-Z/][^<>]*+>|__[A-Z]++__", re.DOTALL | re.IGNORECASE
)
ENDS = {name: re.compile(rf"</{name}\s*+>", re.IGNORECASE) for name in WITH_CONTENT.split("|")}
ENDS["<!--"] = re.compile("-->")
BREAK = re.compile(r"<(?:br|/?p|/?li|/?div)\b[^<>]*+>", re.IGNORECASE)
NESTED = re.compile(r"\{\{[^{}]*+\}\}|\{\|(?:(?!\{\||\|\}).)*+\|\}", re.DOTALL)
INNER_LINK = re.compile(r"\[\[([^\[\]]*+)\]\]")
OUTER_LINK = re.compile(r"\[(?:https?:|ftp:|//)[^\s\[\]]*+\s*+([^\[\]]*+)\]")
EMPHASIS = re.compile(r"'{2,5}")
LIST_MARK = re.compile(r"^[*#:;]+\s*")
MAGIC = re.compile(r"^#[^\W\d]++\s*+:?+\s*+\[\[", re.IGNORECASE)  # redirects, in every language
TOO_LONG = re.compile(
    r"&#[0-9]{4001,}+;?"
)  # more digits than Python reads as a number; no character has them
DEPTH = 50  # of templates, tables or links in each other; the markup of deeper ones stays


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
        if _is_heading(line.rstrip()):
            continue
        line = " ".join(LIST_MARK.sub("", line).split())
        if any(character.isalnum() for character in line):
            yield line


def _is_heading(line: str) -> bool:
    return len(line) > 1 and line.startswith("=") and line.endswith("=")


def plain(markup: str) -> str:
    """Return the running text of wiki markup; line ends stay."""
    text = _innermost_first(NESTED, "", _without_tags(BREAK.sub("\n", markup)))
    text = _innermost_first(INNER_LINK, _shown, text)
    text = TOO_LONG.sub("\ufffd", EMPHASIS.sub("", OUTER_LINK.sub(r"\1", text)))
    return html.unescape(html.unescape(text))  # `&amp;nbsp;` is written often


def _without_tags(text: str) -> str:
    """Drop comments, tags, and the content of those that hold no text. What never ends stays, without its tag."""
    kept, at = [], 0
    ends: dict[
        str, re.Match[str] | None
    ] = {}  # the next end of each kind: looked for once, not from each beginning
    while tag := TAG.search(text, at):
        kept.append(text[at : tag.start()])
        at = tag.end()
        kind = (tag[1] or tag[2] or "").lower()
        if kind not in ENDS:
            continue
        if kind not in ends or ((known := ends[kind]) and known.start() < at):
            ends[kind] = ENDS[kind].search(text, at)
        if end := ends[kind]:
            at = end.end()
        elif tag[1]:
            kept.append(tag[1])
    return "".join([*kept, text[at:]])


def _innermost_first(
    pattern: re.Pattern[str], replacement: str | Callable[[re.Match[str]], str], text: str
) -> str:
    """Substitute the innermost matches until none is left: brackets nest, up to DEPTH."""
    for _ in range(DEPTH):
        text, changed = pattern.subn(replacement, text)
        if not changed:
            break
    return text


def _shown(match: re.Match[str]) -> str:
    """Return what a link shows: nothing for files and categories, else its last part."""
    target, bar, shown = match[1].partition("|")
    if ":" in target.strip(": ") and not target.startswith(":"):
        return ""
    return shown.rpartition("|")[2] if bar else target.lstrip(":")
