"""The subwords of a Hugging Face tokeniser folder (scripts/train_tokenizer.py makes one)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tokenizers import Encoding, Tokenizer

from crosslingua.encoders.folder import copy_tokenizer
from crosslingua.encoders.laser.subwords import NO_WORD, Reading, special_ids
from crosslingua.errors import InputError

FILE = "tokenizer.json"


class TokenizerSubwords:
    """Subwords of the folder's `tokenizer.json`, which must know `<pad>`, `</s>` and `<unk>`."""

    def __init__(self, folder: str | Path):
        self._folder = Path(folder)
        path = self._folder / FILE
        if not path.is_file():
            raise InputError(folder, f"no {FILE} in it", remedy="scripts/train_tokenizer.py makes one")
        self._tokenizer = Tokenizer.from_file(str(path))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        vocabulary = self._tokenizer.get_vocab(with_added_tokens=True)
        self.padding, self._end, self._unknown = special_ids(path, vocabulary)

    def read(self, sentences: Sequence[Sequence[str]]) -> list[Reading]:
        """Return the subwords of sentences of words; a word that leaves none is `<unk>`."""
        encodings = self._tokenizer.encode_batch(
            [list(words) for words in sentences], is_pretokenized=True, add_special_tokens=False
        )
        return [
            self._reading(encoding, len(words)) for encoding, words in zip(encodings, sentences, strict=True)
        ]

    def _reading(self, encoding: Encoding, words: int) -> Reading:
        ids = np.array(encoding.ids, dtype=np.int64)
        numbers = np.array(encoding.word_ids, dtype=np.int64)
        lost = np.setdiff1d(np.arange(words), numbers)
        places = np.searchsorted(numbers, lost)
        ids, numbers = np.insert(ids, places, self._unknown), np.insert(numbers, places, lost)
        return Reading(np.append(ids, self._end), np.append(numbers, NO_WORD))

    def save(self, folder: Path) -> None:
        """Copy the tokeniser's files."""
        copy_tokenizer(self._folder, folder)
