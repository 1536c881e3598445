"""The files in the folders of tokenisers and encoders: their names, and readers that name the file that is wrong."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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


UNKNOWN = "\ue000"  # a character that no tokeniser knows: only then some miss their piece for unknown ones


def read_tokenizer(folder: str | Path) -> Any:
    """Return the tokeniser of a folder, of the library tokenizers. Raises InputError for none and for a damaged one."""
    from tokenizers import Tokenizer

    path = Path(folder) / "tokenizer.json"
    if not path.is_file():
        raise InputError(folder, "no tokenizer.json in it", remedy="crosslingua train-tokenizer makes one")
    try:
        tokenizer = Tokenizer.from_file(str(path))
        tokenizer.encode(UNKNOWN)
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
