"""Where labelled data are read from (a file or `ARCHIVE::MEMBER`, in one of several encodings), and clean tokens."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from crosslingua.errors import InputError
from crosslingua.io.decode import decode_entities, open_source, split_records, tokens_of


@dataclass(frozen=True)
class Source:
    """A file, compressed file or `ARCHIVE::MEMBER`; `encodings` are tried in this order on the whole of it.

    Latin text is hardly ever valid UTF-8, so trying UTF-8 first separates original and copy.
    """

    name: str
    encodings: tuple[str, ...] = ("utf-8",)

    def __str__(self) -> str:
        return self.name

    def text(self) -> str:
        """Return the whole content without a BOM: labelled sets are small. InputError with the line of bad bytes."""
        with open_source(self.name) as stream:
            raw = stream.read()
        for encoding in self.encodings:
            try:
                return raw.decode("utf-8-sig" if encoding == "utf-8" else encoding)
            except UnicodeDecodeError as error:
                failure = error
        end = b"\n" if b"\n" in raw.rstrip(b"\r\n") else b"\r"
        line = raw.count(end, 0, failure.start) + 1
        raise InputError(
            self.name, f"invalid {failure.encoding} ({failure.reason})", line=line,
            remedy="convert the file to UTF-8, e.g. iconv -f LATIN1 -t UTF-8",
        )  # fmt: skip

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield (number, line), numbers from 1; lines end as in `split_records`."""
        yield from enumerate(split_records(self.text()), 1)


Record = TypeVar("Record")


class Grouped(NamedTuple, Generic[Record]):
    """A record, and what must not be torn apart by a division: the premise, the prompt, the article."""

    record: Record
    group: str


# White space at which some program ends a line or a column.
_ENDS = re.compile("[\t-\r\x1c-\x1f\x85\u2028\u2029]")
# Zero-width space, word joiner, zero-width no-break space (a stray BOM). Soft hyphens and joiners stay: they
# belong to the spelling.
_INVISIBLE = re.compile("[\u200b\u2060\ufeff]+")


def clean(text: str, counts: Counter[str] | None = None) -> str:
    """Return text in NFC, without entities of HTML (`decoded_entities` of `counts`) and invisible characters
    (`removed_characters`), every run of white space (U+00A0 too) as one space.
    """
    return " ".join(_visible(text, counts).split())


def clean_token(text: str, counts: Counter[str] | None = None) -> str:
    """Return a token as `clean` does, but with U+00A0 and the like inside it: only ASCII spaces separate tokens."""
    spaced = _ENDS.sub(" ", _visible(text, counts))
    return " ".join(tokens_of(spaced.strip()))


def _visible(text: str, counts: Counter[str] | None) -> str:
    text = unicodedata.normalize("NFC", decode_entities(text, counts))
    shown = _INVISIBLE.sub("", text)
    if counts is not None and shown != text:
        counts["removed_characters"] += len(text) - len(shown)
    return shown
