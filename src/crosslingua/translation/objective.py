"""The loss of a step: rows of what is read and what is to be said, in groups of one language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from crosslingua.translation.batches import padded
from crosslingua.translation.model import Group, TranslationModel
from crosslingua.translation.vocabulary import BEGIN, PAD, UNKNOWN


class LossPart(NamedTuple):
    """Sentences to read, of language `source`, and what is to be said of them in `target`; `term` names the loss."""

    term: str
    source: int
    target: int
    read: Sequence[np.ndarray]
    said: Sequence[np.ndarray]


def losses(model: TranslationModel, parts: Sequence[LossPart]) -> dict[str, Tensor]:
    """Return the mean loss, in nats a word, of each part's words, summed over the parts of a term.

    All parts are one batch. Unknown words are read, but not learnt to be said.
    """
    end = model.vocabulary.end
    read = padded([words for part in parts for words in part.read], end)
    said = padded([words for part in parts for words in part.said], end)
    sizes = [len(part.read) for part in parts]
    begins = torch.tensor([BEGIN + part.target for part in parts]).repeat_interleave(torch.tensor(sizes))
    before = torch.cat([begins[:, None], said[:, :-1]], 1)
    encoded, mask = model.encode(read, _groups([part.source for part in parts], sizes))
    groups = _groups([part.target for part in parts], sizes)
    vectors = model.decode(before, encoded, mask, groups)
    found: dict[str, Tensor] = {}
    for part, group in zip(parts, groups, strict=True):
        rows = slice(group.start, group.stop)
        loss = _cross_entropy(model, vectors[rows], said[rows], part.target)
        found[part.term] = found.get(part.term, 0.0) + loss
    return found


def _groups(languages: Sequence[int], sizes: Sequence[int]) -> list[Group]:
    stops = np.cumsum(sizes).tolist()
    return [Group(v, stop - n, stop) for v, n, stop in zip(languages, sizes, stops, strict=True)]


def _cross_entropy(model: TranslationModel, vectors: Tensor, said: Tensor, language: int) -> Tensor:
    known = (said != PAD) & (said != UNKNOWN)
    wanted = said[known] - model.vocabulary.outputs(language).start
    return F.cross_entropy(model.scores(vectors[known], language), wanted)
