"""The Brown corpus as NLTK has it: an archive of 500 texts, `word/tag` separated by spaces, a sentence a line."""

import re
from collections import Counter
from collections.abc import Iterator

from crosslingua.errors import InputError
from crosslingua.io.decode import SEPARATOR, decoded_lines, members

TEXT = re.compile(r"(?:^|/)c[a-r]\d\d$")
QUOTES = {"``": '"', "''": '"'}


def read(source: str, errors: str = "strict", counts: Counter[str] | None = None) -> Iterator[str]:
    """Yield the sentences of all texts, words joined by a space, without their tags.

    Raises InputError if the archive holds no text of the corpus, and with the line on a word without a tag.
    """
    names = sorted(filter(TEXT.search, members(source)))
    if not names:
        raise InputError(source, "no member is called ca01 to cr09", remedy="is it the Brown corpus?")
    for name in names:
        member = f"{source}{SEPARATOR}{name}"
        for number, line in enumerate(decoded_lines(member, errors, counts), 1):
            if line.strip():
                yield " ".join(_word(member, number, token) for token in line.split())


def _word(member: str, number: int, token: str) -> str:
    word, slash, _ = token.rpartition("/")  # the last: `1/2/cd`
    if not slash or not word:
        raise InputError(member, f"{token!r} is no word/tag", line=number)
    return QUOTES.get(word, word)
