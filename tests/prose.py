"""Words, sentences and numbers of a page in Markdown, without its code and the addresses of its links."""

import re


def words(text: str) -> list[str]:
    """Return the words outside code blocks, those of tables included; a piece of code in a line is one word."""
    return _counted(_without_code(text))


def sentences(text: str) -> list[str]:
    """Return the sentences outside code blocks, tables and headings."""
    lines = [
        "" if re.match(r"[|#]", line) else re.sub(r"^([-*]|\d+\.) ", "\n", line) for line in text_lines(text)
    ]
    paragraphs = re.split(r"\n\s*\n", "\n".join(lines))
    found = (one for text in paragraphs for one in re.split(r"(?<=[.!?])(?<!al\.)[*\")]*\s+(?=[^a-z])", text))
    return [" ".join(one.split()) for one in found if _counted(one)]


def numbers(text: str) -> list[str]:
    """Return the numbers outside code, without signs."""
    plain = re.sub(r"`[^`]*`", "", _without_code(text))
    return re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?![\w]|\.\d)", plain)


def text_lines(text: str) -> list[str]:
    """Return the lines outside code blocks, links by their words alone."""
    return _without_code(text).splitlines()


def length(sentence: str) -> int:
    """Return how many words a sentence has."""
    return len(_counted(sentence))


def _without_code(text: str) -> str:
    text = re.sub(r"^```.*?^```\n?", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", text)


def _counted(text: str) -> list[str]:
    text = re.sub(r"`[^`]*`", "code", text)
    return [word for word in text.split() if re.search(r"\w", word)]
