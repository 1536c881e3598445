"""Shares of tagged files, in lower case or not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from crosslingua.io.conll import Scheme, TaggedSentence, read_conll
from crosslingua.tasks.shares import shared_rows


def share_of(path: str | Path, scheme: Scheme, part: float, lowercase: bool) -> list[TaggedSentence]:
    """Return a share, 0 to 1, of a file's sentences, in their order. Raises InputError for a malformed file."""
    sentences = list(read_conll(path, scheme))
    chosen = [sentences[row] for row in shared_rows(len(sentences), part)]
    return [lowered(sentence) for sentence in chosen] if lowercase else chosen


def lowered(sentence: TaggedSentence) -> TaggedSentence:
    """Return a sentence with its words in lower case."""
    return replace(sentence, tokens=tuple(word.lower() for word in sentence.tokens))
