"""Alignment of an encoder's word embeddings in two languages (align_mlm, section 5, table 8 and figure 3).

The vocabularies of a natural language and its derived one correspond one to one. A token is aligned if its counterpart
has the highest cosine of all tokens of the derived language. The score is the share of aligned tokens. With language
ids, the embedding of the language is added to the token's, as in the authors' code.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from crosslingua.errors import ConfigError, InputError, check_finite
from crosslingua.io.decode import decoded_lines
from crosslingua.io.json import read_json
from crosslingua.io.tokenizer_files import read_tokenizer, readable_weights

BLOCK = 1024  # natural tokens compared at a time


def alignment_score(source: np.ndarray, target: np.ndarray, counterparts: np.ndarray) -> float:
    """Return in percent how often row `counterparts[i]` of `target` (m, d) has the highest cosine to `source[i]`."""
    source, target = (matrix / np.linalg.norm(matrix, axis=1, keepdims=True) for matrix in (source, target))
    aligned = 0
    for start in range(0, len(source), BLOCK):
        nearest = (source[start : start + BLOCK] @ target.T).argmax(axis=1)
        aligned += int((nearest == counterparts[start : start + BLOCK]).sum())
    return 100 * aligned / len(source)


def score_folder(folder: str | Path, pairs: str | Path, languages: Sequence[str] = ()) -> dict[str, Any]:
    """Return the score of an encoder's folder for the token pairs of a file (`token<TAB>counterpart`). `languages`
    (natural, derived) are needed with language ids. InputError on unknown tokens, ConfigError on languages.
    """
    embeddings, shifts = _read(Path(folder), languages)
    natural, derived = (np.array(ids) for ids in zip(*read_token_pairs(pairs, Path(folder)), strict=True))
    vocabulary, counterparts = np.unique(derived, return_inverse=True)
    score = alignment_score(embeddings[natural] + shifts[0], embeddings[vocabulary] + shifts[1], counterparts)
    return {
        "alignment": score,
        "tokens": len(natural),
        "derived_vocabulary": len(vocabulary),
        "signature": f"cosine|language_ids={'added' if np.any(shifts) else 'none'}",
    }


def read_token_pairs(path: str | Path, folder: Path) -> list[tuple[int, int]]:
    """Return the ids of the tokens of each pair. Raises InputError with the line of a malformed pair."""
    vocabulary = read_tokenizer(folder).get_vocab()
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


def _read(folder: Path, languages: Sequence[str]) -> tuple[np.ndarray, Sequence[np.ndarray | float]]:
    """Return the embeddings of tokens (vocabulary, d), and of the two languages, (d,), or 0 without language ids."""
    from safetensors import safe_open

    path = folder / "model.safetensors"
    with readable_weights(path), safe_open(path, framework="numpy") as stored:

        def read(name: str) -> np.ndarray | None:
            keys = [key for key in stored.keys() if key.endswith(f"embeddings.{name}.weight")]  # noqa: SIM118
            values = {key: stored.get_tensor(key).astype(np.float32) for key in keys[:1]}
            check_finite(path, values)
            return values[keys[0]] if keys else None

        words, types = read("word_embeddings"), read("token_type_embeddings")
    if words is None:
        raise InputError(path, "no tensor is called word_embeddings.weight")
    ids = read_json(folder / "config.json", dict).get("lang2id")
    if not ids or types is None:
        return words, (0.0, 0.0)
    if len(languages) != 2 or not set(languages) <= set(ids):
        raise ConfigError(
            f"{folder} has language ids: name the natural and the derived language of {', '.join(ids)}"
        )
    return words, [types[ids[language]] for language in languages]
