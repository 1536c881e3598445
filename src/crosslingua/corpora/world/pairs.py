"""Pairs of sentences with a label: what inference and paraphrase share."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from crosslingua.corpora.world.bitext import Quota, told_lines
from crosslingua.corpora.world.dependencies import Trees, parse
from crosslingua.corpora.world.events import Knowledge
from crosslingua.corpora.world.realise import CHUNK, Language, SentenceEvents, Told, World

Sampled = tuple[SentenceEvents, SentenceEvents, np.ndarray]  # first sentences, second ones, numbers of labels


@dataclass(frozen=True)
class PairKind:
    """How pairs of one kind are made: the columns of their file, the names of the labels, and two functions.

    `sample(world, rng, topics)` draws pairs; `kept(language, first, second, label, split)` returns the rows that are
    of the split and give no label away.
    """

    name: str
    header: str
    labels: Sequence[str]
    sample: Callable[[Knowledge, np.random.Generator, np.ndarray], Sampled]
    kept: Callable[[Language, Told, Told, np.ndarray, str], np.ndarray]


def pair_blocks(
    kind: PairKind, world: World, code: str, split: str, pairs: int, trees: Trees | None = None
) -> Iterator[str]:
    """Yield TSV blocks of `pairs` pairs in all, the first with the header; `trees`: where theirs are written."""
    language, shares = world.language(code), world.topics_of(code)
    yield f"{kind.header}\n"
    quota = Quota(pairs, f"{kind.name} {code} {split}")
    for number in quota:
        rng = world.stream(kind.name, code, split, number)
        topics = rng.choice(len(shares), CHUNK, p=shares / shares.sum())
        first, second, label = kind.sample(world.knowledge, rng, topics)
        rows = quota.take(kind.kept(language, first.tell(language), second.tell(language), label, split))
        if len(rows):
            batches = [batch.take(rows) for batch in (first, second)]
            told = [batch.tell(language) for batch in batches]
            if trees:
                parsed = [parse(world, code, *each) for each in zip(told, batches, strict=True)]
                trees.add(world, code, *parsed)
            columns = [told_lines(world, code, each).splitlines() for each in told]
            columns.append([kind.labels[i] for i in label[rows]])
            yield "".join("\t".join(row) + "\n" for row in zip(*columns, strict=True))
