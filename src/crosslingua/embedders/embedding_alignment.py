"""Alignment of an encoder's word embeddings in two languages (align_mlm, section 5, table 8 and figure 3).

The vocabularies of a natural language and its derived one correspond one to one. A token is aligned if, of all tokens
of the derived language, its counterpart's embedding has the highest cosine; the score is the share of aligned tokens.
With language ids, the embedding of the language is added to the token's, as in the authors' code.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from crosslingua.errors import ConfigError, InputError, check_finite
from crosslingua.io.decode import decoded_lines
from crosslingua.io.json import read_json

BLOCK = 1024  # natural tokens compared at a time


def alignment_score(source: np.ndarray, target: np.ndarray, counterparts: np.ndarray) -> float:
    """Return the percentage of rows of `source` (n, d) whose counterpart is nearest among `target` (m, d) by cosine.
    `counterparts` (n,) are rows of `target`.
    """
    source, target = (matrix / np.linalg.norm(matrix, axis=1, keepdims=True) for matrix in (source, target))
    aligned = 0
    for start in range(0, len(source), BLOCK):
        nearest = (source[start : start + BLOCK] @ target.T).argmax(axis=1)
        aligned += int((nearest == counterparts[start : start + BLOCK]).sum())
    return 100 * aligned / len(source)


def score_folder(folder: str | Path, pairs: str | Path, languages: Sequence[str] = ()) -> dict[str, Any]:
    """Return the score of an encoder's folder for the token pairs of a file (`token<TAB>counterpart`). `languages`,
    natural and derived, are needed with language ids. Raises InputError for an unknown token, ConfigError for an
    unknown language.
    """
    embeddings, types = _read(Path(folder))
    natural, derived = (np.array(ids) for ids in zip(*read_token_pairs(pairs, Path(folder)), strict=True))
    vocabulary, counterparts = np.unique(derived, return_inverse=True)
    shifts = _language_embeddings(Path(folder), types, languages)
    score = alignment_score(embeddings[natural] + shifts[0], embeddings[vocabulary] + shifts[1], counterparts)
    with_ids = bool(np.any(shifts))
    return {
        "alignment": score,
        "tokens": len(natural),
        "derived_vocabulary": len(vocabulary),
        "signature": f"cosine|language_ids={'added' if with_ids else 'none'}",
    }


def read_token_pairs(path: str | Path, folder: Path) -> list[tuple[int, int]]:
    """Return the ids of the tokens of each pair. Raises InputError with the line of a malformed pair."""
    from tokenizers import Tokenizer

    vocabulary = Tokenizer.from_file(str(folder / "tokenizer.json")).get_vocab()
    found = []
    for number, line in enumerate(decoded_lines(path), 1):
        tokens = line.split("\t")
        if len(tokens) != 2:
            raise InputError(
                path, f"{len(tokens)} columns where token<TAB>counterpart is expected", line=number
            )
        for token in tokens:
            if token not in vocabulary:
                raise InputError(path, f"{folder} has no token {token!r}", line=number)
        found.append((vocabulary[tokens[0]], vocabulary[tokens[1]]))
    if not found:
        raise InputError(path, "no token pairs")
    return found


def _read(folder: Path) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the embeddings of tokens (vocabulary, d) and of token types (types, d)."""
    from safetensors import safe_open

    path = folder / "model.safetensors"
    if not path.is_file():
        raise InputError(path, "no such file", remedy="give an encoder's folder with safetensors weights")
    with safe_open(path, framework="numpy") as stored:

        def read(name: str) -> np.ndarray | None:
            found = [key for key in stored.keys() if key.endswith(f"embeddings.{name}.weight")]  # noqa: SIM118
            values = {one: stored.get_tensor(one).astype(np.float32) for one in found[:1]}
            check_finite(path, values)
            return values[found[0]] if found else None

        words = read("word_embeddings")
        if words is None:
            raise InputError(path, "no tensor is called word_embeddings.weight")
        return words, read("token_type_embeddings")


def _language_embeddings(
    folder: Path, types: np.ndarray | None, languages: Sequence[str]
) -> tuple[np.ndarray | float, np.ndarray | float]:
    """Return the embeddings of the two languages that are added to a token's; 0 for an encoder without language ids."""
    known = read_json(folder / "config.json", dict).get("lang2id")
    if not known or types is None:
        return 0.0, 0.0
    if len(languages) != 2 or not set(languages) <= set(known):
        raise ConfigError(
            f"{folder} has language ids: name the natural and the derived language of {', '.join(known)}"
        )
    natural, derived = (types[known[language]] for language in languages)
    return natural, derived
