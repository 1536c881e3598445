"""Which epoch is kept: without parallel text, that of the best round trip (Lample et al. 2018a, section 3.5)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crosslingua.translation.decoding import translate
from crosslingua.translation.model import TranslationModel
from crosslingua.translation.scores import word_bleu
from crosslingua.translation.vocabulary import SIDES


def round_trip(model: TranslationModel, texts: Sequence[Sequence[np.ndarray]]) -> dict[str, float]:
    """Return the BLEU of held-out sentences of each language with what comes back of them, and the mean of both.

    BLEU of words, by the languages' names (`ana-ber-ana`). Decoding is greedy.
    """
    names, found = model.vocabulary.languages, {}
    for side in SIDES:
        there = translate(model, texts[side], side, 1 - side)
        back = translate(model, there, 1 - side, side)
        decode = model.vocabulary.decode
        key = f"{names[side]}-{names[1 - side]}-{names[side]}"
        found[key] = word_bleu([decode(s) for s in back], [decode(s) for s in texts[side]])
    return found | {"mean": sum(found.values()) / len(SIDES)}


def held_out_pairs(model: TranslationModel, texts: Sequence[Sequence[np.ndarray]]) -> dict[str, float]:
    """Return the BLEU of held-out pairs in both directions (`ana-ber`), and the mean: it chooses a supervised epoch."""
    names, found = model.vocabulary.languages, {}
    decode = model.vocabulary.decode
    for side in SIDES:
        said = translate(model, texts[side], side, 1 - side)
        key = f"{names[side]}-{names[1 - side]}"
        found[key] = word_bleu([decode(s) for s in said], [decode(s) for s in texts[1 - side]])
    return found | {"mean": sum(found.values()) / len(SIDES)}


CRITERIA = {"unsupervised": round_trip, "supervised": held_out_pairs}
