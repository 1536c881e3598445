"""Generation with a cache: what was computed of earlier words is kept, and sentences that are done leave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from crosslingua.translation.batches import padded
from crosslingua.translation.model import LONGEST, Group, Groups, TranslationModel
from crosslingua.translation.vocabulary import BEGIN

BATCH_WORDS = 4000  # source words of a batch, with padding
WORTH_LEAVING = 0.75  # share of a batch that still goes on, below which the others are taken out of the cache


def longest_output(source: int, limit: int) -> int:
    """Return how many words a translation may have: 1.5 times the source's and ten (Lample et al.'s program)."""
    return min(int(1.5 * source) + 10, limit)


@dataclass
class Cache:
    """A batch's state: keys and values of each layer, and of the encoder's states.

    `past[i]` are (sentences x beams, heads, places, size) of layer i; `source[i]` keys, values (sentences, heads, time,
    size) and the mask. `languages` (sentences,) are to be spoken; sentences of a language stand together.
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
    ) -> Cache:
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
        self.languages = self.languages[sentences]
        self.source = [tuple(part[sentences] for part in parts) for parts in self.source]
        rows = (sentences[:, None] * self.beams + torch.arange(self.beams)).flatten()
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
    stops = counts.cumsum(0).tolist()
    return [
        Group(v, stop - n, stop) for v, n, stop in zip(values.tolist(), counts.tolist(), stops, strict=True)
    ]


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


def first_output(model: TranslationModel, group: Group) -> int:
    """Return the row of the first word that a group's language can say."""
    return model.vocabulary.outputs(group.language).start


def until(words: np.ndarray, end: int) -> np.ndarray:
    """Return what stands before the first end mark."""
    return words[: int((words == end).argmax())] if (words == end).any() else words


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
    from crosslingua.translation.beam import beam_search

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
