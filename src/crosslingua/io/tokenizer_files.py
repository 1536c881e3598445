"""The files in the folders of tokenisers and encoders, and text in which a special token is written."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

TOKENIZER_FILES = (
    "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "vocab.txt",
    "sentencepiece.bpe.model", "token_pairs.tsv",
)  # fmt: skip

# The files that training puts into a folder, and may therefore replace.
TRAINED = ("config.json", "model.safetensors", "training.json", *TOKENIZER_FILES)
TRAINED_LASER = (*TRAINED, "fastbpe.json")


def copy_tokenizer(source: str | Path, out: Path) -> None:
    """Copy the tokeniser's files."""
    for name in TOKENIZER_FILES:
        if (Path(source) / name).is_file():
            shutil.copyfile(Path(source) / name, out / name)


# Special tokens that are written in text (`<mask>`, `</s>`) are text: their ids would hide a word or end a sentence.
# Only the unknown token stays, since corpora such as WikiText write it for words that they leave out.
UNKNOWN = ("<unk>", "[UNK]")
ALIKE = str.maketrans("<>[]|", "‹›()¦")  # where a vocabulary holds the name of a special token as a piece
Encoded = TypeVar("Encoded")


def special_ids_of(tokenizer: Any) -> frozenset[int]:
    """Return the ids of a tokenizer's special tokens but the unknown one; of the library `tokenizers`, or of
    `transformers`.
    """
    added = getattr(tokenizer, "get_added_tokens_decoder", None)
    tokens = added() if added else tokenizer.added_tokens_decoder
    return frozenset(
        number for number, token in tokens.items() if token.special and token.content not in UNKNOWN
    )


def encode_as_text(
    encode: Callable[[Sequence[str], bool], Sequence[Encoded]],
    texts: Sequence[str],
    specials: frozenset[int],
    ids: Callable[[Encoded], Sequence[int]],
) -> list[Encoded]:
    """Return `encode(texts, split)`, without the ids of `specials`: texts that would have them are encoded with `split`
    true, by which names of special tokens are text, or spelled ALIKE. `ids` gives the ids of what `encode` returns.
    """
    made = list(encode(texts, False))
    odd = [row for row, one in enumerate(made) if not specials.isdisjoint(ids(one))]
    for row, one in zip(odd, encode([texts[row] for row in odd], True) if odd else (), strict=True):
        spelled = specials.isdisjoint(ids(one))
        made[row] = one if spelled else encode([texts[row].translate(ALIKE)], True)[0]
    return made


def encode_words(tokenizer: Any, words: Sequence[str], specials: frozenset[int]) -> list[Any]:
    """Return the encodings of words by a `tokenizers.Tokenizer`, as `encode_as_text`."""

    def encode(texts: Sequence[str], split: bool) -> Sequence[Any]:
        tokenizer.encode_special_tokens = split
        try:
            return tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        finally:
            tokenizer.encode_special_tokens = False

    return encode_as_text(encode, words, specials, lambda encoding: encoding.ids)
