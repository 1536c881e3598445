"""The subwords that a LASER reads: byte-pair encoding as fastBPE applies it, or a Hugging Face tokeniser.

Reconstructed from the program's documented behaviour and file formats: `codes` has a merge a line, `a b count`,
most frequent first, where the last character of a word carries `</w>`; a subword is written with `@@` after it
unless it ends its word. With a vocabulary (`subword count` a line), subwords that are not in it are taken apart
again along the merges that made them.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Protocol, Self

import numpy as np
from tokenizers import Tokenizer

from crosslingua.errors import InputError
from crosslingua.io.decode import decoded_lines
from crosslingua.io.json import read_json, write_json
from crosslingua.io.tokenizer_files import copy_tokenizer
from crosslingua.ragged import Ragged

PADDING, END, UNKNOWN = "<pad>", "</s>", "<unk>"


class Subwords(Protocol):
    """Splits words into subwords that the encoder has embeddings of. `padding` and `end` are ids."""

    padding: int
    end: int

    def split(self, words: Sequence[str]) -> list[list[int]]:
        """Return the ids of each word's subwords, at least one."""

    def save(self, folder: Path) -> None:
        """Write what makes these subwords again into an encoder's folder."""


def ended(values: np.ndarray, offsets: np.ndarray, end: int) -> Ragged:
    """Return the rows `values[offsets[i]:offsets[i + 1]]` with `end` after each."""
    return Ragged(np.insert(values, offsets[1:], end).astype(np.int64), offsets + np.arange(len(offsets)))


def special_ids(path: str | Path, vocabulary: dict[str, int]) -> tuple[int, int, int]:
    """Return the ids of padding, end and unknown. Raises InputError, naming `path`, if one is missing."""
    missing = [name for name in (PADDING, END, UNKNOWN) if name not in vocabulary]
    if missing:
        raise InputError(path, f"has no subword {missing[0]}", remedy="<pad>, </s> and <unk> are needed")
    return vocabulary[PADDING], vocabulary[END], vocabulary[UNKNOWN]


FILE = "fastbpe.json"
END_OF_WORD, CONTINUES = "</w>", "@@"
Merges = Sequence[tuple[str, str]]


class FastBPE:
    """Splits a word by `merges`, best first, then what is not in `known` (None: all is) back into parts."""

    def __init__(self, merges: Merges, known: Collection[str] | None = None):
        self.merges = [tuple(pair) for pair in merges]
        self.known = None if known is None else frozenset(known)
        self._rank = {pair: rank for rank, pair in reversed(list(enumerate(self.merges)))}
        self._parts = {left + right: (left, right) for left, right in self.merges}
        self.split = lru_cache(maxsize=1_000_000)(self._split)

    def _split(self, word: str) -> tuple[str, ...]:
        """Return the subwords of a word, as fastBPE writes them: `("lo@@", "wer")`."""
        symbols = [*word[:-1], word[-1] + END_OF_WORD] if word else []
        while pair := self._best(symbols):
            symbols = _merge(symbols, pair)
        written = [part for symbol in symbols for part in self._known_parts(symbol)]
        return tuple(_write(symbol) for symbol in written)

    def _best(self, symbols: list[str]) -> tuple[str, str] | None:
        pairs = [pair for pair in pairwise(symbols) if pair in self._rank]
        return min(pairs, key=self._rank.__getitem__, default=None)

    def _known_parts(self, symbol: str) -> list[str]:
        if self.known is None or _write(symbol) in self.known or symbol not in self._parts:
            return [symbol]
        return [part for half in self._parts[symbol] for part in self._known_parts(half)]


def _merge(symbols: list[str], pair: tuple[str, str]) -> list[str]:
    """Merge every occurrence of `pair`, from the left."""
    merged: list[str] = []
    rest = iter(range(len(symbols)))
    for i in rest:
        if tuple(symbols[i : i + 2]) == pair:
            merged.append(symbols[i] + symbols[i + 1])
            next(rest)
        else:
            merged.append(symbols[i])
    return merged


def _write(symbol: str) -> str:
    """Return a symbol as it stands in text and vocabulary: `lo` -> `lo@@`, `wer</w>` -> `wer`."""
    return symbol.removesuffix(END_OF_WORD) if symbol.endswith(END_OF_WORD) else symbol + CONTINUES


class FastBPESubwords:
    """fastBPE's subwords of lower-cased words, as ids of a dictionary; those it lacks are `<unk>`."""

    def __init__(self, bpe: FastBPE, dictionary: Mapping[str, int], path: str | Path = FILE):
        self._bpe, self._dictionary = bpe, dict(dictionary)
        self.padding, self.end, self._unknown = special_ids(path, self._dictionary)

    def split(self, words: Sequence[str]) -> list[list[int]]:
        """Return the ids of each word's subwords; an empty word is `<unk>`."""
        known, unknown = self._dictionary, self._unknown
        return [[known.get(s, unknown) for s in self._bpe.split(word.lower())] or [unknown] for word in words]

    def save(self, folder: Path) -> None:
        """Write fastbpe.json: merges, known subwords and dictionary."""
        known = None if self._bpe.known is None else sorted(self._bpe.known)
        write_json(
            folder / FILE, {"merges": self._bpe.merges, "known": known, "dictionary": self._dictionary}
        )

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Read fastbpe.json."""
        path = Path(folder) / FILE
        value = read_json(path)
        if not isinstance(value, dict) or not {"merges", "known", "dictionary"} <= value.keys():
            raise InputError(
                path, "lacks merges, known or dictionary", remedy="run scripts/import_laser.py again"
            )
        return cls(FastBPE(value["merges"], value["known"]), value["dictionary"], path)


def read_codes(path: str | Path) -> list[tuple[str, str]]:
    """Read a file of merges, `a b count` a line. Raises InputError with the line of another form."""
    merges = []
    for number, line in enumerate(decoded_lines(path), 1):
        fields = line.split(" ")
        if len(fields) != 3 or not fields[2].isdigit():
            raise InputError(
                path, f"expected `a b count`, got {line!r}", line=number, remedy="fastBPE's codes"
            )
        merges.append((fields[0], fields[1]))
    return merges


def read_vocabulary(path: str | Path) -> set[str]:
    """Read a vocabulary, `subword count` a line. Raises InputError with the line of another form."""
    known = set()
    for number, line in enumerate(decoded_lines(path), 1):
        subword, _, count = line.rpartition(" ")
        if not subword or not count.isdigit():
            raise InputError(
                path, f"expected `subword count`, got {line!r}", line=number, remedy="fastBPE's vocabulary"
            )
        known.add(subword)
    return known


TOKENIZER_FILE = "tokenizer.json"


class TokenizerSubwords:
    """Subwords of the folder's `tokenizer.json`, which must know `<pad>`, `</s>` and `<unk>`."""

    def __init__(self, folder: str | Path):
        self._folder = Path(folder)
        path = self._folder / TOKENIZER_FILE
        if not path.is_file():
            raise InputError(
                folder, f"no {TOKENIZER_FILE} in it", remedy="scripts/train_tokenizer.py makes one"
            )
        self._tokenizer = Tokenizer.from_file(str(path))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        vocabulary = self._tokenizer.get_vocab(with_added_tokens=True)
        self.padding, self.end, self._unknown = special_ids(path, vocabulary)

    def split(self, words: Sequence[str]) -> list[list[int]]:
        """Return the ids of each word's subwords; a word that leaves none is `<unk>`."""
        encodings = self._tokenizer.encode_batch_fast(list(words), add_special_tokens=False)
        return [encoding.ids or [self._unknown] for encoding in encodings]

    def save(self, folder: Path) -> None:
        """Copy the tokeniser's files."""
        copy_tokenizer(self._folder, folder)
