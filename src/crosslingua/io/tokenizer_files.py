"""The files in the folders of tokenisers and encoders: their names, readers that name the file that is wrong, and text
in which a special token is written.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from crosslingua.errors import InputError

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


UNSEEN = "\ue000"  # a character that no tokeniser knows: only then some miss their piece for unknown ones


def read_tokenizer(folder: str | Path) -> Any:
    """Return the tokeniser of a folder, of the library tokenizers. Raises InputError for none and for a damaged one."""
    from tokenizers import Tokenizer

    path = Path(folder) / "tokenizer.json"
    if not path.is_file():
        raise InputError(folder, "no tokenizer.json in it", remedy="crosslingua train-tokenizer makes one")
    try:
        tokenizer = Tokenizer.from_file(str(path))
        tokenizer.encode(UNSEEN)
    except Exception as error:  # the library raises nothing more special
        raise InputError(
            path, f"no tokeniser can be read from it ({error})", remedy="copy, fetch or train it again"
        ) from None
    return tokenizer


@contextmanager
def readable_weights(path: Path) -> Iterator[None]:
    """Turn the error of a damaged safetensors file into an InputError. FileNotFoundError becomes one too."""
    from safetensors import SafetensorError

    try:
        yield
    except FileNotFoundError:
        raise InputError(
            path, "no such file", remedy="give an encoder's folder with safetensors weights"
        ) from None
    except SafetensorError as error:
        raise InputError(
            path, f"truncated or damaged ({error})", remedy="fetch it, or train it, again"
        ) from None


def check_floats(path: str | Path, weights: Mapping[str, Any]) -> None:
    """Raise InputError for weights, tensors by name, that are whole numbers: their scale is unknown."""
    if whole := [name for name, value in weights.items() if not value.is_floating_point()]:
        raise InputError(
            path,
            f"{len(whole)} weights are whole numbers, {min(whole)} among them",
            remedy="give the encoder as it was before it was quantised",
        )


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
