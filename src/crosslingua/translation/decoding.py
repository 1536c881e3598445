"""Translation of many sentences, those of like length together; and the greedy search."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from crosslingua.translation.batches import padded
from crosslingua.translation.beam import beam_search
from crosslingua.translation.cache import Cache, first_output, groups_of, next_scores, until
from crosslingua.translation.model import LONGEST, Group, Groups, TranslationModel
from crosslingua.translation.vocabulary import BEGIN

BATCH_WORDS = 4000  # source words of a batch, with padding
WORTH_LEAVING = 0.75  # share of a batch that still goes on, below which the others are taken out of the cache


def longest_output(source: int, limit: int) -> int:
    """Return how many words a translation may have: 1.5 times the source's and ten (Lample et al.'s program)."""
    return min(int(1.5 * source) + 10, limit)


@torch.no_grad()
def greedy(
    model: TranslationModel, ids: Tensor, source: Groups, languages: Tensor, limits: Tensor
) -> list[np.ndarray]:
    """Return the most probable next word after the next, for each sentence of ids (sentences, time).

    `source` groups the sentences by their language, `languages` (sentences,) are those to be spoken, and `limits`
    (sentences,) how many words each may have, without the end mark, which is left out.
    """
    limit = int(limits.max())
    cache = Cache.of(model, *model.encode(ids, source), languages, 1, limit)
    said = torch.full((len(ids), limit), model.vocabulary.end)
    place = torch.arange(len(ids))  # which sentence a row of the cache is of
    going = torch.ones(len(ids), dtype=torch.bool)
    last = BEGIN + languages[:, None]
    for at in range(limit):
        groups = groups_of(cache.languages)
        scores = next_scores(model, last, cache, at, groups)
        last = torch.cat([s.argmax(-1) + first_output(model, g) for s, g in zip(scores, groups, strict=True)])
        said[place, at] = last[:, 0]
        going &= (last[:, 0] != model.vocabulary.end) & (at + 1 < limits[place])
        if not going.any():
            break
        if going.sum() <= WORTH_LEAVING * len(place):
            rows = going.nonzero()[:, 0]
            cache.keep(rows, at + 1)
            place, last, going = place[rows], last[rows], going[rows]
    found = zip(said.numpy(), limits.tolist(), strict=True)
    return [until(words[:n], model.vocabulary.end) for words, n in found]


def translate(
    model: TranslationModel,
    sentences: Sequence[np.ndarray],
    source: int,
    target: int,
    *,
    beam: int = 1,
    length_penalty: float = 1.0,
    batch_words: int = BATCH_WORDS,
) -> list[np.ndarray]:
    """Return translations, word rows without end marks, of sentences (word rows without them) of language `source`.

    Sentences of like length are translated together. `beam` 1 is greedy; an empty sentence stays empty.
    """
    model.eval()
    order = sorted((i for i, s in enumerate(sentences) if len(s)), key=lambda i: len(sentences[i]))
    found: list[np.ndarray] = [np.zeros(0, np.int64)] * len(sentences)
    for batch in length_batches([len(sentences[i]) for i in order], batch_words // beam):
        chosen = [order[i] for i in batch]
        ids = padded([sentences[i][: LONGEST - 1] for i in chosen], model.vocabulary.end)
        groups = [Group(source, 0, len(chosen))]
        limits = [longest_output(len(sentences[i]), model.settings.max_length) for i in chosen]
        languages = torch.full((len(chosen),), target)
        if beam == 1:
            said = greedy(model, ids, groups, languages, torch.tensor(limits))
        else:
            said = beam_search(model, ids, groups, languages, max(limits), beam, length_penalty)
        for i, words in zip(chosen, said, strict=True):
            found[i] = words
    return found


def length_batches(lengths: Sequence[int], words: int) -> list[range]:
    """Cut sentences, sorted by length, into runs of at most `words` words with padding, of at least one sentence."""
    batches, start = [], 0
    for i, n in enumerate(lengths):
        if i > start and (i + 1 - start) * (n + 1) > words:
            batches.append(range(start, i))
            start = i
    return [*batches, range(start, len(lengths))] if lengths else []
