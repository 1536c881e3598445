"""The bare text of tagged sentences, as a reader of text: tokens joined by a space."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from crosslingua.corpora.labelled.column_formats import COLUMN_FORMATS
from crosslingua.corpora.labelled.columns import read_columns
from crosslingua.corpora.labelled.source import Source


def read_wikineural(source: str, errors: str = "strict", counts: Counter[str] | None = None) -> Iterator[str]:
    """Yield the sentences of a WikiNEuRal file. InputError as `read_columns`; invalid UTF-8 always is one."""
    return _sentences(source, "wikineural")


def read_conll2003(source: str, errors: str = "strict", counts: Counter[str] | None = None) -> Iterator[str]:
    """Yield the sentences of a CoNLL-2003 file. InputError as `read_columns`; invalid UTF-8 always is one."""
    return _sentences(source, "conll2003")


def _sentences(source: str, layout: str) -> Iterator[str]:
    for sentence in read_columns(Source(source), COLUMN_FORMATS[layout], "ner", "", Counter()):
        yield " ".join(sentence.tokens)
