"""What one process does with a batch of lines, or of parallel lines: normalise, tokenise, judge, hash."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from crosslingua.corpora.datasets.readers import EXPANDERS
from crosslingua.corpora.distinct import hashes
from crosslingua.corpora.held_out import sentence_key
from crosslingua.corpora.normalise import lowercase, normalise_line, punctuation_normaliser
from crosslingua.corpora.sentences import split_sentences
from crosslingua.corpora.tokenise import tokeniser

Record = tuple[str, ...]


@dataclass(frozen=True)
class TextSide:
    """How the text of one language is made: `tokeniser` by its name, `language` as ISO 639-1."""

    language: str
    tokeniser: str
    lowercase: bool = False
    punctuation: bool = False


@dataclass(frozen=True)
class Rules:
    """What happens to a record of one line a side, and when it is left out.

    `max_tokens` is the cap of every side, `max_ratio` that of the longer side over the shorter one; None is none.
    A side of fewer than `min_tokens` is too short, one of none empty.
    `held_out` are the keys of sentences that no side may be (`held_out.sentence_key`), a set a side, or no sets.
    `expander` names the member of EXPANDERS that makes lines of a record (text only).
    """

    sides: tuple[TextSide, ...]
    max_tokens: int | None = None
    max_ratio: float | None = None
    split_sentences: bool = False
    expander: str | None = None
    held_out: tuple[frozenset[str], ...] = ()
    min_tokens: int = 1


@dataclass
class WorkerBatch:
    """Records of a worker: `lines` are its results, `tokens` counts them, shape (records, sides)."""

    lines: list[Record]
    tokens: np.ndarray
    hashes: np.ndarray
    types: list[np.ndarray]
    counts: Counter[str]


class Worker:
    """Normalises, tokenises and judges records; made once a process, since tokenisers load dictionaries."""

    def __init__(self, rules: Rules, dedup: bool):
        self.rules = rules
        self.dedup = dedup
        self.expand = EXPANDERS[rules.expander] if rules.expander else None
        self.makers = [_maker(side) for side in rules.sides]

    def __call__(self, records: list[Record]) -> WorkerBatch:
        """Return what becomes of the records."""
        if self.expand:
            records = [(line,) for record in records for line in self.expand(record[0])]
        counts: Counter[str] = Counter(lines_in=len(records))
        lines: list[Record] = []
        lengths: list[list[int]] = []
        types: list[set[str]] = [set() for _ in self.makers]
        for record in records:
            made = [make(text, counts) for make, text in zip(self.makers, record, strict=True)]
            for sentence in self._sentences(made, counts):
                reason = self._why_not(sentence)
                if reason:
                    counts[reason] += 1
                    continue
                lines.append(tuple(map(" ".join, sentence)))
                lengths.append(list(map(len, sentence)))
                for seen, tokens in zip(types, sentence, strict=True):
                    seen.update(tokens)
        return WorkerBatch(
            lines,
            np.array(lengths, dtype=np.int64).reshape(len(lines), len(self.makers)),
            hashes(map("\n".join, lines)) if self.dedup else np.empty(0, dtype="<u8"),
            [hashes(seen) for seen in types],
            counts,
        )

    def _sentences(self, made: list[list[str]], counts: Counter[str]) -> Iterator[list[list[str]]]:
        if not self.rules.split_sentences or not made[0]:
            yield made
            return
        sentences = list(split_sentences(made[0]))
        counts["sentences_split"] += len(sentences) - 1
        for sentence in sentences:
            yield [sentence]

    def _why_not(self, sentence: list[list[str]]) -> str | None:
        shortest, longest = min(map(len, sentence)), max(map(len, sentence))
        if shortest == 0:
            return "empty"
        if shortest < self.rules.min_tokens:
            return "too_short"
        if self.rules.max_tokens is not None and longest > self.rules.max_tokens:
            return "too_long"
        if self.rules.max_ratio is not None and longest > self.rules.max_ratio * shortest:
            return "too_unequal"
        if any(
            self._is_held_out(side, keys) for side, keys in zip(sentence, self.rules.held_out, strict=False)
        ):
            return "held_out"
        return None

    @staticmethod
    def _is_held_out(tokens: list[str], keys: frozenset[str]) -> bool:
        return bool(keys) and sentence_key(" ".join(tokens)) in keys


def _maker(side: TextSide) -> Callable[[str, Counter[str]], list[str]]:
    """Return the function from a raw line of this side to its tokens."""
    tokenise = tokeniser(side.tokeniser, side.language)
    punctuation = punctuation_normaliser(side.language) if side.punctuation else None

    def make(text: str, counts: Counter[str]) -> list[str]:
        text, removed = normalise_line(text)
        if removed:
            counts["removed_characters"] += removed
        if punctuation:
            text = punctuation(text)
        tokens = tokenise(text)
        # Case goes last: abbreviations are recognised by it.
        return lowercase(" ".join(tokens), side.language).split(" ") if side.lowercase and tokens else tokens

    return make
