"""Write sampled pairs of clauses as the lines of a TSV file; inference and paraphrase share it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from crosslingua.corpora.world.batch import Columns
from crosslingua.corpora.world.dependencies import Trees, alone, parse
from crosslingua.corpora.world.edits import Editor
from crosslingua.corpora.world.quota import Quota
from crosslingua.corpora.world.realise import Language, Told
from crosslingua.corpora.world.sentences import CHUNK
from crosslingua.corpora.world.wording import told_lines
from crosslingua.corpora.world.world import World

Sampled = tuple[Columns, Columns, np.ndarray]  # first clauses, second ones, numbers of labels


@dataclass(frozen=True)
class PairKind:
    """How pairs of one kind are made: the columns of their file, the names of the labels, and two functions.

    `sample(editor, rng, topics)` draws pairs; `kept(language, first, second, label, split)` returns the rows that are
    of the split and give no label away.
    """

    name: str
    header: str
    labels: Sequence[str]
    sample: Callable[[Editor, np.random.Generator, np.ndarray], Sampled]
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
        first, second, label = kind.sample(Editor(world.knowledge, rng), rng, topics)
        rows = quota.take(kind.kept(language, language.tell(first), language.tell(second), label, split))
        if len(rows):
            batches = [batch.take(rows) for batch in (first, second)]
            yield _block(world, code, batches, [kind.labels[i] for i in label[rows]], trees)


def _block(
    world: World, code: str, batches: Sequence[Columns], labels: Sequence[str], trees: Trees | None
) -> str:
    told = [world.language(code).tell(batch) for batch in batches]
    if trees:
        parsed = [parse(world, code, *each) for each in zip(told, map(alone, batches), strict=True)]
        trees.add(world, code, *parsed)
    columns = (told_lines(world, code, each).splitlines() for each in told)
    return "".join("\t".join(row) + "\n" for row in zip(*columns, labels, strict=True))
