"""A trained parser: words in, projective trees with parts of speech out; saved as one file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor

from crosslingua.errors import InputError
from crosslingua.io.atomic import atomic_path
from crosslingua.io.conllu_trees import Tree
from crosslingua.parsing.decoding import projective_heads
from crosslingua.parsing.network import ParserNetwork
from crosslingua.parsing.vocabulary import SHAPES, TreeVocabulary

BATCH_WORDS = 4000
FORMAT = "crosslingua parser 1"


class Parser:
    """A vocabulary and its network."""

    def __init__(self, vocabulary: TreeVocabulary):
        self.vocabulary = vocabulary
        v = vocabulary
        sizes = (v.words, v.endings, SHAPES, v.upos, v.relations)
        self.network = ParserNetwork(*map(len, sizes))

    def parse(self, sentences: Sequence[Sequence[str]]) -> list[Tree]:
        """Return the trees of sentences, in their order. ValueError on one without words."""
        if not all(sentences):
            raise ValueError("a sentence without words has no tree")
        trees: dict[int, Tree] = {}
        for batch in _batches(sentences):
            trees |= zip(batch, self._trees([sentences[index] for index in batch]), strict=True)
        return [trees[index] for index in range(len(sentences))]

    @torch.no_grad()
    def _trees(self, sentences: Sequence[Sequence[str]]) -> Iterator[Tree]:
        self.network.eval()
        scores = self.network(*padded([self.vocabulary.features(words) for words in sentences]))
        upos, v = scores.upos.argmax(-1).tolist(), self.vocabulary
        arcs = scores.arcs.log_softmax(-1)
        for row, words in enumerate(sentences):
            n = len(words)
            table = torch.zeros(n + 1, n + 1)
            table[:, 1:] = arcs[row, :n, : n + 1].T
            heads = projective_heads(table.numpy())
            chosen = scores.relations[row, torch.arange(n), torch.from_numpy(heads)]
            relations = [v.relations[i] for i in _relations(chosen, heads.tolist(), v).tolist()]
            tags = tuple(v.upos[i] for i in upos[row][:n])
            yield Tree(tuple(words), tags, tuple(heads.tolist()), tuple(relations))

    def save(self, path: str | Path) -> None:
        """Write weights and vocabulary."""
        told = {"format": FORMAT, "vocabulary": json.dumps(self.vocabulary.as_dict(), ensure_ascii=False)}
        with atomic_path(path) as temporary:
            save_file(self.network.state_dict(), temporary, metadata=told)

    @classmethod
    def load(cls, path: str | Path) -> Parser:
        """Read what `save` wrote. InputError if the file is missing or is no parser."""
        try:
            with safe_open(path, "pt") as stream:
                told = stream.metadata() or {}
                weights = {name: stream.get_tensor(name) for name in stream.keys()}  # noqa: SIM118
        except Exception as error:
            raise InputError(path, f"no parser ({error})", remedy="train one: train_parser.py") from None
        if told.get("format") != FORMAT:
            raise InputError(path, "no parser", remedy="train one: train_parser.py")
        parser = cls(TreeVocabulary(**json.loads(told["vocabulary"])))
        parser.network.load_state_dict(weights)
        return parser


def _relations(chosen: Tensor, heads: list[int], v: TreeVocabulary) -> Tensor:
    """Return the best relation of each word: `root` for the root's, and for no other word."""
    if "root" in v.relations:
        root = v.relations.index("root")
        chosen[:, root] = -torch.inf
        chosen[heads.index(0), root] = torch.inf
    return chosen.argmax(-1)


def padded(rows: Sequence[Sequence[tuple[int, ...]]]) -> tuple[Tensor, Tensor]:
    """Return rows of different lengths as one tensor, 0 where they end, and their lengths."""
    lengths = torch.tensor([len(row) for row in rows])
    tensors = [torch.tensor(row) for row in rows]
    return torch.nn.utils.rnn.pad_sequence(tensors, batch_first=True), lengths


def _batches(sentences: Sequence[Sequence[str]]) -> Iterable[list[int]]:
    """Yield indices of sentences of similar length, so that little is padding."""
    batch: list[int] = []
    for index in sorted(range(len(sentences)), key=lambda i: len(sentences[i])):
        batch.append(index)
        if len(batch) * len(sentences[index]) >= BATCH_WORDS:
            yield batch
            batch = []
    if batch:
        yield batch
