"""The subwords of a Hugging Face tokeniser folder (scripts/train_tokenizer.py makes one)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tokenizers import Tokenizer

from crosslingua.errors import InputError
from crosslingua.io.tokenizer_files import copy_tokenizer
from crosslingua.laser.subwords import special_ids

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
        self.padding, self.end, self._unknown = special_ids(path, vocabulary)

    def split(self, words: Sequence[str]) -> list[list[int]]:
        """Return the ids of each word's subwords; a word that leaves none is `<unk>`."""
        encodings = self._tokenizer.encode_batch_fast(list(words), add_special_tokens=False)
        return [encoding.ids or [self._unknown] for encoding in encodings]

    def save(self, folder: Path) -> None:
        """Copy the tokeniser's files."""
        copy_tokenizer(self._folder, folder)
