"""Words, sentences, numbers, tables, links and anchors of a page in Markdown."""

import re

Table = list[list[str]]  # the header and the rows, cell by cell
LINK = re.compile(r"(!?)\[([^]]*)\]\(<?([^)\s>]*)>?(?: \"[^\"]*\")?\)")
ITEM = re.compile(r"^\s*(?:[-*+]|\d+\.)\s+")


def words(text: str) -> list[str]:
    """Return the words outside code blocks and tables; a piece of code in a line is one word."""
    return _counted("\n".join(line for line in text_lines(text) if not _is_row(line)))


def sentences(text: str) -> list[str]:
    """Return the sentences outside code blocks, tables and headings; an item of a list begins a new one."""
    lines = ["\n" if _is_row(line) or line.startswith("#") else line for line in text_lines(text)]
    lines = [ITEM.sub("\n\n", line.removeprefix("> ")) for line in lines]
    paragraphs = re.split(r"\n\s*\n", "\n".join(lines))
    found = (one for text in paragraphs for one in re.split(r"(?<=[.!?])(?<!al\.)[*\")]*\s+(?=[^a-z])", text))
    return [" ".join(one.split()) for one in found if _counted(one)]


def length(sentence: str) -> int:
    return len(_counted(sentence))


def numbers(text: str) -> list[str]:
    """Return the numbers outside code, without signs."""
    plain = re.sub(r"`[^`]*`", "", "\n".join(text_lines(text)))
    return re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?![\w]|\.\d)", plain)


def tables(text: str) -> list[Table]:
    """Return the tables outside code blocks, their links by the words alone."""
    plain = "\n".join(text_lines(text)) + "\n"
    found = re.findall(r"^\|.*\n\|[-:| ]+\|\s*\n(?:\|.*\n?)+", plain, re.MULTILINE)
    rows = ([row for row in one.splitlines() if not re.fullmatch(r"[-:| ]+", row)] for one in found)
    return [list(map(cells, one)) for one in rows]


def text_lines(text: str) -> list[str]:
    """Return the lines outside code blocks, comments and mkdocstrings' blocks, links by their words alone."""
    return LINK.sub(r"\2", _without_blocks(text)).splitlines()


def links(text: str) -> list[str]:
    """Return the addresses of links and pictures outside code."""
    return [address for _, _, address in LINK.findall(re.sub(r"`[^`\n]*`", "code", _without_blocks(text)))]


def anchors(text: str) -> set[str]:
    """Return what a link may name after `#`: the headings, as GitHub writes them."""
    titles = re.findall(r"^#+ +(.+?)\s*$", _without_blocks(text), re.MULTILINE)
    found: list[str] = []
    for title in titles:
        plain = re.sub(r"[^\w\s-]", "", LINK.sub(r"\2", title).lower()).replace(" ", "-")
        again = sum(re.fullmatch(rf"{re.escape(plain)}(-\d+)?", one) is not None for one in found)
        found.append(f"{plain}-{again}" if again else plain)
    return {*found, *re.findall(r'(?:id|name)="([^"]+)"', text)}


def _without_blocks(text: str) -> str:
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"^( *)```.*?^\1```[ ]*\n?", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"^::: .*\n(?:    .*\n)*", "", text, flags=re.MULTILINE)


def _is_row(line: str) -> bool:
    return line.lstrip().startswith("|")


def cells(line: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def _counted(text: str) -> list[str]:
    text = re.sub(r"<[^>]+>", "", re.sub(r"`[^`]*`", "code", text))
    return [word for word in text.split() if re.search(r"\w", word)]
