"""Words as pieces of a Hugging Face tokenizer, a word at a time: it is known which word each piece is part of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from crosslingua.errors import ConfigError


class Words:
    """A tokenizer that knows the words; each distinct word is divided once.

    Every word has at least one piece: the unknown one stands for the words of which the tokenizer drops every
    character (`dropped`).
    """

    def __init__(self, tokenizer: Any):
        self.tokenizer = tokenizer
        _give_words_a_space(tokenizer)
        self.dropped: list[str] = []
        self._known: dict[str, list[int]] = {}

    def pieces(self, words: Sequence[str]) -> list[list[int]]:
        """Return the ids of each word's pieces."""
        self._learn(dict.fromkeys(word for word in words if word not in self._known))
        return [self._known[word] for word in words]

    def _learn(self, words: Iterable[str]) -> None:
        words = list(words)
        if not words:
            return
        encoded = self.tokenizer(
            [[word] for word in words], is_split_into_words=True, add_special_tokens=False, verbose=False
        )["input_ids"]
        self._known.update(
            (word, ids or [self._unknown(word)]) for word, ids in zip(words, encoded, strict=True)
        )

    def _unknown(self, word: str) -> int:
        unknown = self.tokenizer.unk_token_id
        if unknown is None:
            raise ConfigError(
                f"the tokeniser makes nothing of {word!r} and has no unknown token to stand for it: remove the word"
            )
        self.dropped.append(word)
        return unknown


def special_tokens(tokenizer: Any, sentences: int) -> list[list[int]]:
    """Return the special tokens that a tokenizer puts before, between and after one sentence, or two."""
    texts = [["a"]] * sentences
    given = tokenizer(*texts, is_split_into_words=True, return_special_tokens_mask=True)
    parts: list[list[int]] = [[]]
    was_special = True
    for number, special in zip(given["input_ids"], given["special_tokens_mask"], strict=True):
        if special:
            parts[-1].append(number)
        elif was_special:
            parts.append([])
        was_special = bool(special)
    if len(parts) == sentences:  # nothing between two sentences
        parts.insert(1, [])
    return parts


def _give_words_a_space(tokenizer: Any) -> None:
    """Make a byte-level tokenizer (RoBERTa's) read a word as one within a sentence: with a space before it."""
    from tokenizers.pre_tokenizers import ByteLevel

    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is not None and isinstance(backend.pre_tokenizer, ByteLevel):
        backend.pre_tokenizer.add_prefix_space = True
