"""A tokeniser for a language and its transliterated copy (align_mlm, appendices F and G.1).

The paper copies every token but the special ones. Here the copy of a token is its spelling in the derived script,
and merges are copied with their order, so that the copy of a text is segmented as the text is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from crosslingua.corpora.derived.transliteration import Transliteration
from crosslingua.encoders.specials import ROBERTA
from crosslingua.encoders.tokenizer_training import END_OF_WORD

Pair = tuple[str, str]


def copied(bpe: dict[str, Any], transliteration: Transliteration) -> tuple[dict[str, Any], list[Pair]]:
    """Return the encoding of both languages, and the (token, copy) pairs in the order of the vocabulary.

    Ids are those of the paper: token k of n becomes token k + n, special tokens aside. Characters beyond the
    script's size have no single letter for a copy; tokens with them are left out, and text with them has
    unknown pieces in both languages.
    """
    every_word = Transliteration(transliteration.seed, transliteration.script)
    spelled = {token: _copy(token, every_word) for token in bpe["vocab"] if token not in ROBERTA}
    pairs = [(token, copy) for token, copy in spelled.items() if copy is not None]
    pairs.sort(key=lambda pair: bpe["vocab"][pair[0]])
    copy_of = dict(pairs)
    names = [*ROBERTA, *copy_of, *copy_of.values()]
    merges = [(a, b) for a, b in bpe["merges"] if a in copy_of and b in copy_of]
    merges += [(copy_of[a], copy_of[b]) for a, b in merges]
    return {"vocab": {name: number for number, name in enumerate(names)}, "merges": merges}, pairs


def _copy(token: str, transliteration: Transliteration) -> str | None:
    letters = token.removesuffix(END_OF_WORD)
    spelled = [transliteration.word(letter) for letter in letters]
    if any(len(letter) != 1 for letter in spelled):
        return None
    return "".join(spelled) + token[len(letters) :]


def pairs_in_use(
    pairs: Sequence[Pair], words: Iterable[str], tokenizer: Any, transliteration: Transliteration
) -> list[Pair]:
    """Return the pairs that are told apart in text: with overlap, words that stay as they are use no copies.

    Which words stay is decided word by word (table 7); a token that occurs in such words only is shared by both
    languages, and its copy occurs nowhere.
    """
    changed = [word for word in words if not transliteration.keeps(word)]
    encoded = tokenizer.encode_batch_fast(changed, add_special_tokens=False)
    used = {piece for encoding in encoded for piece in encoding.ids}
    return [pair for pair in pairs if tokenizer.token_to_id(pair[0]) in used]
