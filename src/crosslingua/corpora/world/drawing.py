"""Draw the sentences of a labelled set: of one split and its share of the vocabulary, in one language."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crosslingua.corpora.world.knowledge import Knowledge
from crosslingua.corpora.world.quota import Quota
from crosslingua.corpora.world.realise import Told
from crosslingua.corpora.world.sentences import CHUNK, SentenceEvents, sample_sentences
from crosslingua.corpora.world.splits import in_split
from crosslingua.corpora.world.world import World


def knowledge_of_split(world: World, split: str, groups: tuple[str, ...], seen: float) -> Knowledge:
    """Return the world's knowledge with the vocabulary of a split.

    Concepts whose group begins with one of `groups` lie at a fixed random place in [0, 1): training has those
    below `seen`, validation and test those from 1 - `seen` on; (1 - seen) / seen of what the tests may say is
    therefore unseen in training, if `seen` is over one half.
    """
    place = world.stream("withheld", *groups).random(len(world.concepts))
    bound = np.array([group.startswith(groups) for group in world.concepts.group])
    admitted = (place < seen) if split == "train" else (place >= 1 - seen)
    return world.knowledge_of(lambda concepts: admitted[concepts] | ~bound[concepts])


def labelled_sentences(
    world: World, code: str, kind: str, split: str, sentences: int, knowledge: Knowledge
) -> Iterator[tuple[SentenceEvents, Told]]:
    """Yield chunks of `sentences` sentences in all, each sentence's words deciding that it is of `split`."""
    language, shares = world.language(code), world.topics_of(code)
    quota = Quota(sentences, f"{kind} {code} {split}")
    for number in quota:
        rng = world.stream(kind, code, split, number)
        drawn = sample_sentences(knowledge, rng, shares, CHUNK)
        told = drawn.tell(language)
        rows = quota.take(np.flatnonzero(in_split(told, language, split)))
        yield drawn.take(rows), told.take(rows)
