"""The bilingual dictionary of DICT-MLM and ALIGN-MLM: pairs of single tokens."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np

from crosslingua.corpora.derived.transliteration import sample_dictionary
from crosslingua.encoders.pieces import Pieces
from crosslingua.errors import InputError
from crosslingua.io.dictionaries import read_dictionary

log = logging.getLogger(__name__)


def token_dictionary(path: str | Path, pieces: Pieces, share: float, seed: int, words: bool) -> np.ndarray:
    """Return a seeded share of a dictionary as ids (pairs, 2).

    The entries are tokens of the vocabulary, as in `token_pairs.tsv`, or with `words` words, of which those count
    that are one piece. Raises InputError if no pair is of single tokens.
    """
    lookup = pieces.one_piece if words else pieces.vocabulary.get
    pairs = read_dictionary(path)
    found = [ids for pair in pairs if None not in (ids := tuple(map(lookup, pair)))]
    if not found:
        kind = "words that are one piece each" if words else "tokens of the vocabulary"
        raise InputError(
            path, f"none of its {len(pairs)} pairs are {kind}", remedy="is --dictionary-of right?"
        )
    if len(found) < len(pairs):
        log.info("%s: %d of %d pairs are of single tokens", path, len(found), len(pairs))
    chosen = sample_dictionary(found, share, seed)
    if not chosen:
        raise InputError(
            path, f"a share of {share} of {len(found)} pairs is none", remedy="raise dictionary_share"
        )
    return np.array(chosen, dtype=np.int64)


def translations(dictionary: np.ndarray, vocabulary: int) -> np.ndarray:
    """Return each id's translation in either direction (vocabulary,), -1 where there is none; the first one counts."""
    table = np.full(vocabulary, -1, dtype=np.int64)
    both = np.concatenate([dictionary, dictionary[:, ::-1]])[::-1]
    table[both[:, 0]] = both[:, 1]
    return table
