"""Translation of many sentences: greedy and beam search with a cache."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import torch
from torch import Tensor

from crosslingua.nn.ragged import cut
from crosslingua.translation.data import BEGIN, padded
from crosslingua.translation.model import LONGEST, Group, Groups, TranslationModel, grouped


@dataclass
class Cache:
    """The cache of earlier words: a step computes the last word only, and finished sentences leave.

    `past[i]` are keys and values (sentences x beams, heads, places, size) of layer i. `source[i]` are keys and values
    of the encoder (sentences, heads, time, size) and the mask. `languages` (sentences,) are output languages, grouped.
    """

    past: list[tuple[Tensor, Tensor]]
    source: list[tuple[Tensor, Tensor, Tensor]]
    languages: Tensor
    beams: int

    @classmethod
    def of(
        cls,
        model: TranslationModel,
        encoded: Tensor,
        mask: Tensor,
        languages: Tensor,
        beams: int,
        places: int,
    ) -> Self:
        """Return an empty cache for sentences whose encoder states are `encoded`."""
        groups, n = groups_of(languages), len(languages)
        size = model.width // model.settings.heads
        shape = (n * beams, model.settings.heads, places, size)
        past, source = [], []
        for members in model.decoder.layers:
            parts = _by_language(
                members, groups, lambda layer, g: layer.cross.remember(encoded[g.start : g.stop])
            )
            source.append((*(torch.cat(part) for part in zip(*parts, strict=True)), mask))
            past.append((encoded.new_empty(shape), encoded.new_empty(shape)))
        return cls(past, source, languages, beams)

    def keep(self, sentences: Tensor, places: int) -> None:
        """Keep some sentences, of whose words `places` have been said."""
        self.languages = self.languages[sentences.cpu()]
        self.source = [tuple(part[sentences] for part in parts) for parts in self.source]
        rows = (sentences[:, None] * self.beams + torch.arange(self.beams, device=sentences.device)).flatten()
        self.reorder(rows, places)

    def reorder(self, rows: Tensor, places: int) -> None:
        """Take hypotheses (rows of the past) in another order."""
        for i, stores in enumerate(self.past):
            fresh = tuple(store.new_empty((len(rows), *store.shape[1:])) for store in stores)
            for new, old in zip(fresh, stores, strict=True):
                new[:, :, :places] = old[rows, :, :places]
            self.past[i] = fresh


def groups_of(languages: Tensor) -> list[Group]:
    """Return the runs of rows of one language."""
    values, counts = torch.unique_consecutive(languages, return_counts=True)
    return grouped(values.tolist(), counts.tolist())


def _by_language(members: Sequence, groups: Groups, use) -> list:
    """Return what `use` finds of each group with its language's layer; once for all rows where there is one layer."""
    if len(members) == 1:
        return [use(members[0], Group(0, 0, groups[-1].stop))]
    return [use(members[g.language], g) for g in groups]


def next_scores(model: TranslationModel, ids: Tensor, cache: Cache, at: int, groups: Groups) -> list[Tensor]:
    """Return the scores of the next words, (sentences, beams, rows) for each group; `ids` (sentences, beams) came last.

    Writes keys and values of `ids`, at place `at`, into the cache.
    """
    states = model.embed(ids.reshape(-1, 1), at).view(*ids.shape, -1)
    k = cache.beams
    for members, past, source in zip(model.decoder.layers, cache.past, cache.source, strict=True):

        def run(layer, g: Group, states=states, past=past, source=source) -> Tensor:
            mine = tuple(store[g.start * k : g.stop * k] for store in past)
            return layer.step(states[g.start : g.stop], mine, tuple(x[g.start : g.stop] for x in source), at)

        states = torch.cat(_by_language(members, groups, run))
    vectors = model.back(model.decoder_end(states))
    return [model.scores(vectors[g.start : g.stop], g.language) for g in groups]


def until(words: np.ndarray, end: int) -> np.ndarray:
    """Return what stands before the first end mark."""
    return words[: int((words == end).argmax())] if (words == end).any() else words


# Beam search: the translation of the highest mean log-probability a word that a beam of hypotheses finds.

NEVER = float("-inf")


class Finished:
    """The best finished translation of each sentence, and how many there are."""

    def __init__(self, scores: Tensor, limit: int, end: int):
        self.scores = scores  # (sentences,), NEVER where none is finished
        self.number = torch.zeros(len(scores), dtype=torch.int64, device=scores.device)
        self.words = torch.full((len(scores), limit), end, device=scores.device)
        self._end = end

    def add(self, place: Tensor, words: Tensor, totals: Tensor, ended: Tensor, length: int) -> None:
        """Note hypotheses that end: `words` (rows, k, places), their `totals` (rows, k), where `ended` (rows, k).

        A score is the log-probability, with the end mark's, divided by length (with the mark).
        """
        scores, chosen = torch.where(ended, totals / length, NEVER).max(1)
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
) -> list[np.ndarray]:
    """Return the best translation that a beam finds, for each sentence; arguments as of `greedy`.

    Of each sentence's hypotheses the `beams` best go on; one whose next word is the end mark, among the best `beams`,
    is finished. The search of a sentence is over when `beams` hypotheses are; after `limit` words all are made to end.
    """
    end = model.vocabulary.end
    encoded, mask = model.encode(ids, source)
    cache = Cache.of(model, encoded, mask, languages, beams, limit + 1)
    finished = Finished(encoded.new_full((len(ids),), NEVER), limit + 1, end)
    place = torch.arange(len(ids), device=ids.device)
    totals = encoded.new_full((len(ids), beams), NEVER)
    totals[:, 0] = 0.0  # all hypotheses begin alike: one of them is enough
    words = torch.zeros(len(ids), beams, 0, dtype=torch.int64, device=ids.device)
    last = (BEGIN + languages[:, None]).to(ids.device).expand(-1, beams)
    for at in range(limit + 1):
        parents, chosen, scores = _candidates(model, last, cache, at, totals, last_place=at == limit)
        words = torch.cat([words.take_along_dim(parents[:, :, None], 1), chosen[:, :, None]], 2)
        ended = (chosen == end) & (scores > NEVER)
        finished.add(place, words[:, :beams], scores[:, :beams], ended[:, :beams], at + 1)
        open_ = (finished.number[place] < beams).nonzero()[:, 0]
        if at == limit or not len(open_):
            break
        # The best hypotheses without an end continue; ended hypotheses are sorted behind.
        scores = torch.where(chosen == end, NEVER, scores)
        totals, kept = scores.topk(beams, dim=1)
        words = words.take_along_dim(kept[:, :, None], 1)
        parents, last = parents.gather(1, kept), chosen.gather(1, kept)
        first = torch.arange(len(place), device=ids.device)[:, None] * beams
        cache.reorder((first + parents).flatten(), at + 1)
        if len(open_) < len(place):
            cache.keep(open_, at + 1)
            place, totals, words, last = place[open_], totals[open_], words[open_], last[open_]
    return [until(row, end) for row in finished.words.cpu().numpy()]


def _candidates(
    model: TranslationModel, last: Tensor, cache: Cache, at: int, totals: Tensor, *, last_place: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the best 2 x beams ways to go on: their hypotheses, words and scores, each (sentences, 2 x beams)."""
    groups, beams = groups_of(cache.languages), last.shape[1]
    parts = []
    for g, found in zip(groups, next_scores(model, last, cache, at, groups), strict=True):
        start = model.vocabulary.outputs(g.language).start
        logs = torch.log_softmax(found, -1)
        if last_place:
            only = torch.full_like(logs, NEVER)
            only[..., model.vocabulary.end - start] = logs[..., model.vocabulary.end - start]
            logs = only
        rows = (totals[g.start : g.stop, :, None] + logs).flatten(1)
        scores, flat = rows.topk(2 * beams, dim=1)
        parts.append((flat // logs.shape[-1], flat % logs.shape[-1] + start, scores))
    return tuple(torch.cat(part) for part in zip(*parts, strict=True))


BATCH_WORDS, ON_GPU = 4000, 64_000  # source words of a batch, with padding
WORTH_LEAVING = 0.75  # share of a batch that still goes on, below which the others are taken out of the cache


def longest_output(source: int, limit: int) -> int:
    """Return how many words a translation may have: 1.5 times the source's and ten (Lample et al.'s program)."""
    return min(int(1.5 * source) + 10, limit)


@torch.no_grad()
def greedy(
    model: TranslationModel, ids: Tensor, source: Groups, languages: Tensor, limits: Tensor
) -> list[np.ndarray]:
    """Return the most probable next word after the next, for each sentence of ids (sentences, time).

    `source` groups the sentences by language, and `languages` (sentences,) are the output languages. `limits`
    (sentences,) are the largest numbers of words, without the end mark, left out. Languages stay on the processor.
    """
    limit = int(limits.max())
    cache = Cache.of(model, *model.encode(ids, source), languages, 1, limit)
    said = torch.full((len(ids), limit), model.vocabulary.end, device=ids.device)
    place = torch.arange(len(ids), device=ids.device)  # which sentence a row of the cache is of
    going = torch.ones(len(ids), dtype=torch.bool, device=ids.device)
    last = (BEGIN + languages[:, None]).to(ids.device)
    for at in range(limit):
        groups = groups_of(cache.languages)
        scores = next_scores(model, last, cache, at, groups)
        starts = (model.vocabulary.outputs(g.language).start for g in groups)
        last = torch.cat([s.argmax(-1) + start for s, start in zip(scores, starts, strict=True)])
        said[place, at] = last[:, 0]
        going &= (last[:, 0] != model.vocabulary.end) & (at + 1 < limits[place])
        left = int(going.sum())
        if not left:
            break
        if left <= WORTH_LEAVING * len(place):
            rows = going.nonzero()[:, 0]
            cache.keep(rows, at + 1)
            place, last, going = place[rows], last[rows], going[rows]
    found = zip(said.cpu().numpy(), limits.tolist(), strict=True)
    return [until(words[:n], model.vocabulary.end) for words, n in found]


def translate(
    model: TranslationModel,
    sentences: Sequence[np.ndarray],
    source: int,
    target: int,
    *,
    beam: int = 1,
) -> list[np.ndarray]:
    """Return translations, word rows without end marks, of sentences (word rows without them) of language `source`.

    Sentences of like length are translated together. `beam` 1 is greedy; an empty sentence stays empty.
    """
    model.eval()
    device = model.table.device
    # A beam may make a sentence as long as the longest of its batch may be: the same batches on every device.
    batch_words = ON_GPU if device.type == "cuda" and beam == 1 else BATCH_WORDS
    lengths = np.array([len(words) + 1 for words in sentences])  # with the end mark
    order = np.argsort(lengths, kind="stable")
    found: list[np.ndarray] = [np.zeros(0, np.int64)] * len(sentences)
    for chosen in cut(order[lengths[order] > 1], lengths, batch_words // beam):
        words = [sentences[i][: LONGEST - 1] for i in chosen]
        ids = padded(words, model.vocabulary.end).to(device)
        groups = [Group(source, 0, len(chosen))]
        limits = [longest_output(len(sentences[i]), model.settings.max_length) for i in chosen]
        languages = torch.full((len(chosen),), target)
        if beam == 1:
            said = greedy(model, ids, groups, languages, torch.tensor(limits, device=ids.device))
        else:
            said = beam_search(model, ids, groups, languages, max(limits), beam)
        for i, words in zip(chosen, said, strict=True):
            found[i] = words
    return found
