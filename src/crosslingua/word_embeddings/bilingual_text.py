"""Two texts as one array of word numbers, for joint training."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from crosslingua.errors import InputError
from crosslingua.io.decode import decoded_lines


@dataclass(frozen=True)
class BilingualText:
    """Sentences of two languages, with word numbers that count the source vocabulary first.

    `tokens` (t,) int32 are all sentences, the source's first; sentence i is `tokens[sentences[i]:sentences[i + 1]]`;
    `counts` (n,) int64 are the words' occurrences.
    """

    source_words: list[str]
    target_words: list[str]
    counts: np.ndarray
    tokens: np.ndarray
    sentences: np.ndarray


def read_bilingual(
    source: str | Path, target: str | Path, min_count: int, max_vocabulary: int | None
) -> BilingualText:
    """Read two texts (words separated by spaces) and number their words, most frequent first.

    Words below `min_count`, or beyond the `max_vocabulary` most frequent of their language, are dropped, and then
    sentences of fewer than two words. Raises InputError when a text has no sentence left.
    """
    parts = [_read(path, min_count, max_vocabulary) for path in (source, target)]
    offset = len(parts[0][0])
    lengths = np.concatenate([part[3] for part in parts])
    return BilingualText(
        source_words=parts[0][0],
        target_words=parts[1][0],
        counts=np.concatenate([part[1] for part in parts]),
        tokens=np.concatenate([parts[0][2], parts[1][2] + offset]).astype(np.int32),
        sentences=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
    )


def _read(
    path: str | Path, min_count: int, max_vocabulary: int | None
) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
    """Return words, their counts, the numbers of all kept tokens, and the sentences' lengths."""
    counter: Counter[str] = Counter()
    for line in decoded_lines(path):
        counter.update(line.split(" "))
    del counter[""]
    ranked = sorted(counter.items(), key=lambda item: (-item[1], item[0]))[:max_vocabulary]
    ranked = [(word, count) for word, count in ranked if count >= min_count]
    if not ranked:
        raise InputError(path, f"no word occurs {min_count} times or more", remedy="lower min_count")
    number = {word: place for place, (word, _) in enumerate(ranked)}.get
    tokens, lengths = [], []
    for line in decoded_lines(path):
        numbers = [place for word in line.split(" ") if (place := number(word)) is not None]
        if len(numbers) > 1:
            tokens.append(np.array(numbers, dtype=np.int32))
            lengths.append(len(numbers))
    if not tokens:
        raise InputError(path, "no sentence has two frequent words", remedy="lower min_count")
    words, counts = zip(*ranked, strict=True)
    return (
        list(words),
        np.array(counts, dtype=np.int64),
        np.concatenate(tokens),
        np.array(lengths, dtype=np.int64),
    )
