"""Train a parser on a treebank, and score it: unlabelled and labelled attachment, parts of speech."""

import logging
from collections.abc import Sequence

import torch
from torch.nn.functional import cross_entropy

from crosslingua.errors import InputError
from crosslingua.io.conllu_trees import Tree
from crosslingua.parsing.parser import UNKNOWN, Parser, TreeScores, padded, plain, vocabulary_of

logger = logging.getLogger(__name__)

Encoded = tuple[
    list[tuple[int, int, int]], list[tuple[int, int, int]]
]  # features; head, relation, part of speech


def train(
    trees: Sequence[Tree],
    seed: int,
    epochs: int = 20,
    batch: int = 32,
    lr: float = 2e-3,
    word_dropout: float = 0.25,
) -> Parser:
    """Return a parser trained on trees; the same on every run of a seed.

    A word of the input is unknown with probability `word_dropout`, so that unknown ones are learnt. Raises InputError
    if there are fewer than two trees.
    """
    if len(trees) < 2:
        raise InputError("treebank", f"{len(trees)} trees are too few to train a parser on")
    torch.manual_seed(seed)
    parser = Parser(vocabulary_of(trees))
    data = [_encoded(parser, tree) for tree in trees]
    optimiser = torch.optim.Adam(parser.network.parameters(), lr=lr, betas=(0.9, 0.9))
    steps = epochs * -(-len(data) // batch)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: 1 - step / steps)
    for epoch in range(epochs):
        parser.network.train()
        total = 0.0
        for rows in torch.randperm(len(data)).split(batch):
            loss = _loss(parser, [data[row] for row in rows.tolist()], word_dropout)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parser.network.parameters(), 5.0)
            optimiser.step()
            schedule.step()
            total += loss.item() * len(rows)
        logger.info("epoch %d: loss %.3f", epoch + 1, total / len(data))
    parser.network.eval()
    return parser


def _encoded(parser: Parser, tree: Tree) -> Encoded:
    labels = parser.vocabulary.labels(tree)
    gold = [(head, relation, upos) for head, (upos, relation) in zip(tree.heads, labels, strict=True)]
    return parser.vocabulary.features(tree.forms), gold


def _loss(parser: Parser, sentences: Sequence[Encoded], word_dropout: float) -> torch.Tensor:
    features, lengths = padded([features for features, _ in sentences])
    gold, _ = padded([gold for _, gold in sentences])
    dropped = torch.rand(features.shape[:2]) < word_dropout
    features[..., 0] = features[..., 0].masked_fill(dropped, UNKNOWN)
    scores = parser.network(features, lengths)
    here = torch.arange(features.shape[1]) < lengths[:, None]
    return _cross_entropies(_masked(scores, lengths), gold, here)


def _masked(scores: TreeScores, lengths: torch.Tensor) -> TreeScores:
    """Return the scores without heads beyond a sentence's end."""
    beyond = torch.arange(scores.arcs.shape[2]) > lengths[:, None]
    return scores._replace(arcs=scores.arcs.masked_fill(beyond[:, None, :], -torch.inf))


def _cross_entropies(scores: TreeScores, gold: torch.Tensor, here: torch.Tensor) -> torch.Tensor:
    heads, relations, upos = gold[here].unbind(-1)
    of_heads = scores.relations[here][torch.arange(len(heads)), heads]
    parts = ((scores.arcs[here], heads), (of_heads, relations), (scores.upos[here], upos))
    return torch.stack([cross_entropy(found, wanted) for found, wanted in parts]).sum()


def accuracies(parser: Parser, trees: Sequence[Tree]) -> dict[str, float]:
    """Return UAS, LAS (relations without subtypes) and accuracy of parts of speech of gold trees, 0 to 100, punctuation
    counted."""
    found = parser.parse([tree.forms for tree in trees])
    words = [
        (a.heads[i] == b.heads[i], plain(a.relations[i]) == plain(b.relations[i]), a.upos[i] == b.upos[i])
        for a, b in zip(trees, found, strict=True)
        for i in range(len(a.forms))
    ]
    right = {
        "uas": sum(head for head, _, _ in words),
        "las": sum(head and relation for head, relation, _ in words),
        "upos": sum(upos for _, _, upos in words),
    }
    return {name: 100 * number / len(words) for name, number in right.items()}
