"""Beam search: the translation of the highest mean log-probability a word that a beam of hypotheses finds."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from crosslingua.translation.cache import Cache, first_output, groups_of, next_scores, until
from crosslingua.translation.model import Groups, TranslationModel
from crosslingua.translation.vocabulary import BEGIN

NEVER = float("-inf")


class Finished:
    """The best finished translation of each sentence, and how many there are."""

    def __init__(self, scores: Tensor, limit: int, end: int, exponent: float):
        self.scores = scores  # (sentences,), NEVER where none is finished
        self.number = torch.zeros(len(scores), dtype=torch.int64)
        self.words = torch.full((len(scores), limit), end)
        self._exponent, self._end = exponent, end

    def add(self, place: Tensor, words: Tensor, totals: Tensor, ended: Tensor, length: int) -> None:
        """Note hypotheses that end: `words` (rows, k, places), their `totals` (rows, k), where `ended` (rows, k).

        A score is the log-probability with that of the end mark, divided by length (with the mark) ** exponent.
        """
        scores, chosen = torch.where(ended, totals / length**self._exponent, NEVER).max(1)
        self.number[place] += ended.sum(1)
        better = scores > self.scores[place]
        rows = place[better]
        self.scores[rows] = scores[better]
        self.words[rows, : length - 1] = words[better, chosen[better], : length - 1]
        self.words[rows, length - 1 :] = self._end


@torch.no_grad()
def beam_search(
    model: TranslationModel,
    ids: Tensor,
    source: Groups,
    languages: Tensor,
    limit: int,
    beams: int,
    exponent: float,
) -> list[np.ndarray]:
    """Return the best translation that a beam finds, for each sentence; arguments as of `greedy`.

    Of each sentence's hypotheses the `beams` best go on; one whose next word is the end mark, among the best `beams`,
    is finished. The search of a sentence is over when `beams` hypotheses are; after `limit` words all are made to end.
    """
    end = model.vocabulary.end
    encoded, mask = model.encode(ids, source)
    cache = Cache.of(model, encoded, mask, languages, beams, limit + 1)
    finished = Finished(encoded.new_full((len(ids),), NEVER), limit + 1, end, exponent)
    place = torch.arange(len(ids))
    totals = encoded.new_full((len(ids), beams), NEVER)
    totals[:, 0] = 0.0  # all hypotheses begin alike: one of them is enough
    words = torch.zeros(len(ids), beams, 0, dtype=torch.int64)
    last = (BEGIN + languages[:, None]).expand(-1, beams)
    for at in range(limit + 1):
        parents, chosen, scores = _candidates(model, last, cache, at, totals, last_place=at == limit)
        taken = words.gather(1, parents[:, :, None].expand(-1, -1, at))
        words = torch.cat([taken, chosen[:, :, None]], 2)
        ended = (chosen == end) & (scores > NEVER)
        finished.add(place, words[:, :beams], scores[:, :beams], ended[:, :beams], at + 1)
        open_ = (finished.number[place] < beams).nonzero()[:, 0]
        if at == limit or not len(open_):
            break
        # The best hypotheses that do not end go on: those that do are sorted behind them.
        scores = torch.where(chosen == end, NEVER, scores)
        totals, kept = scores.topk(beams, dim=1)
        parents, words, last = parents.gather(1, kept), _take(words, kept), chosen.gather(1, kept)
        cache.reorder((torch.arange(len(place))[:, None] * beams + parents).flatten(), at + 1)
        if len(open_) < len(place):
            cache.keep(open_, at + 1)
            place, totals, words, last = place[open_], totals[open_], words[open_], last[open_]
    return [until(row, end) for row in finished.words.numpy()]


def _take(words: Tensor, kept: Tensor) -> Tensor:
    return words.gather(1, kept[:, :, None].expand(-1, -1, words.shape[2]))


def _candidates(
    model: TranslationModel, last: Tensor, cache: Cache, at: int, totals: Tensor, *, last_place: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the best 2 x beams ways to go on: their hypotheses, words and scores, each (sentences, 2 x beams)."""
    groups, beams = groups_of(cache.languages), last.shape[1]
    parts = []
    for g, found in zip(groups, next_scores(model, last, cache, at, groups), strict=True):
        start = first_output(model, g)
        logs = torch.log_softmax(found, -1)
        if last_place:
            only = torch.full_like(logs, NEVER)
            only[..., model.vocabulary.end - start] = logs[..., model.vocabulary.end - start]
            logs = only
        rows = (totals[g.start : g.stop, :, None] + logs).flatten(1)
        scores, flat = rows.topk(2 * beams, dim=1)
        parts.append((flat // logs.shape[-1], flat % logs.shape[-1] + start, scores))
    return tuple(torch.cat(part) for part in zip(*parts, strict=True))
