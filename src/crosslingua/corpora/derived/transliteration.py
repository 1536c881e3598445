"""Transliteration: every word of a language, or a share of its vocabulary, in a script of its own.

align_mlm (appendix F, table 9) copies each token of the vocabulary. Here each *character* has one counterpart in
another script. The map is one-to-one on words, subwords and vocabularies, and needs no vocabulary. A subword tokeniser
segments both languages alike.
"""

import hashlib
from collections.abc import Mapping

import numpy as np

from crosslingua.errors import ConfigError, InputError

# Blocks of letters without case and without decompositions that a tokeniser might split or merge: first code
# point and number of letters.
SCRIPTS = {"hangul": (0xAC00, 11172), "yi": (0xA000, 1165), "vai": (0xA500, 268)}
UNKNOWN = "<unk>"  # how WikiText and others write rare words: a special token, of which there is no copy
CACHED = 1 << 20  # words remembered by a Speller


class Transliteration:
    """A seeded one-to-one map of words to words in another script; `overlap` is the share that stays as it is.

    A seeded permutation gives a letter to each character below the size of the script less one. Other characters become
    three or more letters after an escape letter. Which words stay is decided by a hash of seed and word; `<unk>` always
    does. Raises ConfigError on an unknown script or an overlap outside 0 to 1.
    """

    def __init__(self, seed: int, script: str = "hangul", overlap: float = 0.0):
        if script not in SCRIPTS:
            raise ConfigError(f"unknown script {script!r}: there are {', '.join(SCRIPTS)}")
        if not 0 <= overlap <= 1:
            raise ConfigError(f"overlap {overlap} is not between 0 and 1")
        self.seed, self.script, self.overlap = seed, script, overlap
        self._first, self._size = SCRIPTS[script]
        self._escape = self._size - 1
        self._width = 1  # letters after the escape that any code point needs
        while self._escape**self._width < 0x110000:
            self._width += 1
        self._prefix = f"{seed}\0".encode()
        # A permutation of the codes that have a letter each.
        self._to = np.random.default_rng([seed, 0x7472616E]).permutation(self._size - 1)
        self._table: dict[int, str] = {}  # how characters are spelled that have been met

    def word(self, word: str) -> str:
        """Return the derived word. Raises InputError if the word has letters of the derived script already."""
        if not self.keeps(word):
            return self._spell(word)
        if any(self._first <= ord(letter) < self._first + self._size for letter in word):
            raise self._own_script(word)
        return word

    def keeps(self, word: str) -> bool:
        """Whether the word is shared by both languages, spelled alike."""
        if word == UNKNOWN:
            return True
        if self.overlap in (0.0, 1.0):
            return self.overlap == 1.0
        digest = hashlib.blake2b(self._prefix + word.encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") < self.overlap * 2**64

    def _spell(self, word: str) -> str:
        table = self._table
        return "".join([table[c] if (c := ord(letter)) in table else self._add(c, word) for letter in word])

    def _add(self, code: int, word: str) -> str:
        """Spell a character for the first time and remember it."""
        if self._first <= code < self._first + self._size:
            raise self._own_script(word)
        if code < self._escape:
            numbers = [int(self._to[code])]
        else:
            digits = (code // self._escape**place % self._escape for place in range(self._width))
            numbers = [self._escape, *digits]
        self._table[code] = "".join(chr(self._first + number) for number in numbers)
        return self._table[code]

    def _own_script(self, word: str) -> InputError:
        return InputError(
            repr(word), f"the text is written in {self.script} itself",
            remedy=f"choose another script: {', '.join(SCRIPTS)}",
        )  # fmt: skip


class Speller(dict[str, str]):
    """A dictionary word -> derived word that fills itself: what has been spelled once is only looked up."""

    def __init__(self, transliteration: Transliteration):
        super().__init__()
        self._word = transliteration.word

    def __missing__(self, word: str) -> str:
        derived = self._word(word)
        if len(self) < CACHED:
            self[word] = derived
        return derived


def gold_dictionary(counts: Mapping[str, int], transliteration: Transliteration) -> list[tuple[str, str]]:
    """Return (word, derived word) of every counted word that changes, most frequent first, ties by spelling."""
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    return [(word, transliteration.word(word)) for word in ranked if not transliteration.keeps(word)]


def sample_dictionary(pairs: list[tuple[str, str]], share: float, seed: int) -> list[tuple[str, str]]:
    """Return a seeded share of a dictionary in its order: align_mlm's 25 % and 50 % of the vocabulary (table 2)."""
    if not 0 < share <= 1:
        raise ConfigError(f"share {share} of the dictionary is not above 0 and at most 1")
    chosen = np.random.default_rng([seed, 0x64696374]).permutation(len(pairs))[: round(share * len(pairs))]
    return [pairs[index] for index in sorted(chosen)]
