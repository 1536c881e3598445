"""What generation keeps of earlier words: a step computes the last one only, and sentences that are done leave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from crosslingua.translation.model import Group, Groups, TranslationModel


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


def first_output(model: TranslationModel, group: Group) -> int:
    """Return the row of the first word that a group's language can say."""
    return model.vocabulary.outputs(group.language).start


def until(words: np.ndarray, end: int) -> np.ndarray:
    """Return what stands before the first end mark."""
    return words[: int((words == end).argmax())] if (words == end).any() else words
