"""Tables, figures and the results page: they read files of results and nothing else."""

import re


def markdown_words(text: str) -> str:
    """Return words for Markdown, in which no HTML begins outside of code in backticks."""
    return re.sub(r"(`[^`]*`)|<(?=[A-Za-z/!?])", lambda match: match[1] or "&lt;", text)


def markdown_name(name: str) -> str:
    """Return a name as a cell of a Markdown table, in one line."""
    return re.sub(r"([\\|`*\[\]])", r"\\\1", " ".join(name.split())).replace("<", "&lt;")
