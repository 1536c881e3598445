"""A parser: network, vocabulary, decoding of projective trees, training on a treebank, and scores."""

import json
import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import NamedTuple, Self

import numba
import numpy as np
import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from crosslingua.errors import InputError, check_finite
from crosslingua.io.atomic import atomic_path
from crosslingua.io.conllu_trees import Tree

logger = logging.getLogger(__name__)
ONE_ROOT = 1e6  # more than any sum of scores: a second word that hangs on the root never pays


def projective_heads(scores: np.ndarray) -> np.ndarray:
    """Return the heads (words,) of the best projective tree with one root (Eisner 1996); 0 is the root.

    `scores[head, word]` (words + 1, words + 1); row 0 is the root's. ValueError unless they are finite.
    """
    if scores.ndim != 2 or scores.shape[0] != scores.shape[1] or scores.shape[0] < 2:
        raise ValueError(f"scores of shape {scores.shape}: one row and column a word, and the root's")
    if not np.isfinite(scores[:, 1:]).all():
        raise ValueError("a score is not finite")
    shifted = scores.astype(np.float64, copy=True)
    shifted[0] -= ONE_ROOT
    return _eisner(shifted)


@numba.njit(cache=True)
def _best_sum(ones, others):
    """Return the largest sum of two scores at one place, and the first such place."""
    best, at = -np.inf, 0
    for place in range(len(ones)):
        value = ones[place] + others[place]
        if value > best:
            best, at = value, place
    return best, at


@numba.njit(cache=True)
def _eisner(scores):
    size = scores.shape[0]
    # spans [left, right]: complete and incomplete ones, whose head is on the right (0) or on the left (1)
    complete = np.zeros((size, size, 2))
    incomplete = np.zeros((size, size, 2))
    split_complete = np.zeros((size, size, 2), dtype=np.int64)
    split_incomplete = np.zeros((size, size), dtype=np.int64)
    for width in range(1, size):
        for left in range(size - width):
            right = left + width
            best, at = _best_sum(complete[left, left:right, 1], complete[left + 1 : right + 1, right, 0])
            split_incomplete[left, right] = left + at
            incomplete[left, right, 0] = best + scores[right, left] if left else -np.inf
            incomplete[left, right, 1] = best + scores[left, right]
            best, at = _best_sum(complete[left, left:right, 0], incomplete[left:right, right, 0])
            complete[left, right, 0], split_complete[left, right, 0] = best, left + at
            after = slice(left + 1, right + 1)
            best, at = _best_sum(incomplete[left, after, 1], complete[after, right, 1])
            complete[left, right, 1], split_complete[left, right, 1] = best, left + 1 + at
    return _followed(split_complete, split_incomplete, size)


@numba.njit(cache=True)
def _followed(split_complete, split_incomplete, size):
    heads = np.zeros(size, dtype=np.int64)
    waiting = [(0, size - 1, 1, 1)]  # left, right, side of the head, whether complete
    while waiting:
        left, right, side, whole = waiting.pop()
        if left == right:
            continue
        if whole:
            middle = split_complete[left, right, side]
            if side:
                waiting.append((left, middle, 1, 0))
                waiting.append((middle, right, 1, 1))
            else:
                waiting.append((left, middle, 0, 1))
                waiting.append((middle, right, 0, 0))
        else:
            if side:
                heads[right] = left
            else:
                heads[left] = right
            middle = split_incomplete[left, right]
            waiting.append((left, middle, 1, 1))
            waiting.append((middle + 1, right, 0, 1))
    return heads[1:]


class TreeScores(NamedTuple):
    """`arcs[b, word, head]`, head 0 the root; `relations[b, word, head, relation]`; `upos[b, word, tag]`."""

    arcs: Tensor
    relations: Tensor
    upos: Tensor


class Biaffine(nn.Module):
    """x W y, with a bias on the side of x and, if `both`, on the side of y."""

    def __init__(self, size: int, out: int, both: bool):
        super().__init__()
        self.both = both
        self.weight = nn.Parameter(torch.zeros(out, size + 1, size + both))

    def forward(self, words: Tensor, heads: Tensor) -> Tensor:
        """Return scores of shape (batch, out, rows of `one`, rows of `other`)."""
        words = torch.cat([words, words.new_ones(*words.shape[:-1], 1)], -1)
        if self.both:
            heads = torch.cat([heads, heads.new_ones(*heads.shape[:-1], 1)], -1)
        return torch.einsum("bxi,oij,byj->boxy", words, self.weight, heads)


class ParserNetwork(nn.Module):
    """Scores of arcs, relations and parts of speech; the published network's parts at about a third of its sizes."""

    def __init__(self, words: int, endings: int, shapes: int, upos: int, relations: int, hidden: int = 128):
        super().__init__()
        self.embeddings = nn.ModuleList(
            nn.Embedding(number, size) for number, size in ((words, 100), (endings, 50), (shapes, 16))
        )
        self.lstm = nn.LSTM(166, hidden, num_layers=2, bidirectional=True, batch_first=True, dropout=0.33)
        self.root = nn.Parameter(torch.zeros(2 * hidden))
        sizes = {"arc_word": 128, "arc_head": 128, "relation_word": 64, "relation_head": 64}
        self.views = nn.ModuleDict(
            {
                name: nn.Sequential(nn.Linear(2 * hidden, size), nn.LeakyReLU(0.1))
                for name, size in sizes.items()
            }
        )
        self.arcs = Biaffine(128, 1, both=False)
        self.relations = Biaffine(64, relations, both=True)
        self.upos = nn.Linear(2 * hidden, upos)
        self.dropout = nn.Dropout(0.33)

    def forward(self, features: Tensor, lengths: Tensor) -> TreeScores:
        """Score sentences: `features` (batch, longest, 3) padded with 0, `lengths` (batch,)."""
        embedded = torch.cat([table(features[..., i]) for i, table in enumerate(self.embeddings)], -1)
        packed = pack_padded_sequence(self.dropout(embedded), lengths, batch_first=True, enforce_sorted=False)
        states = self.dropout(pad_packed_sequence(self.lstm(packed)[0], batch_first=True)[0])
        root = self.root.expand(len(states), 1, -1)
        with_root = torch.cat([root, states], 1)
        view = {name: self.dropout(layer(with_root)) for name, layer in self.views.items()}
        arcs = self.arcs(view["arc_word"], view["arc_head"])[:, 0, 1:]
        relations = self.relations(view["relation_word"], view["relation_head"])[:, :, 1:]
        return TreeScores(arcs, relations.permute(0, 2, 3, 1), self.upos(states))


UNKNOWN = 0  # also what pads
RARE = 2  # a word or ending of the treebank that occurs less often is unknown
SHAPES = ("", "lower", "capital", "upper", "digit", "other")
Triples = list[tuple[int, int, int]]  # three numbers of each word


def shape(form: str) -> str:
    """Return the shape of a word's spelling, which separates names, numbers and marks."""
    if any(map(str.isdigit, form)):
        return "digit"
    if not any(map(str.isalpha, form)):
        return "other"
    if form.islower():
        return "lower"
    return "upper" if form.isupper() and len(form) > 1 else "capital"


@dataclass(frozen=True)
class TreeVocabulary:
    """Numbers of words, endings, parts of speech and relations: each list's members in their order."""

    words: list[str]
    endings: list[str]
    upos: list[str]
    relations: list[str]

    def __post_init__(self) -> None:
        for field in fields(self):
            numbers = {name: number for number, name in enumerate(getattr(self, field.name))}
            object.__setattr__(self, f"_{field.name}", numbers)

    def features(self, forms: Sequence[str]) -> Triples:
        """Return (word, ending, shape) of each word, UNKNOWN where it is not in the vocabulary."""
        lowered = [form.lower() for form in forms]
        words = (self._words.get(word, UNKNOWN) for word in lowered)
        endings = (self._endings.get(word[-3:], UNKNOWN) for word in lowered)
        return list(zip(words, endings, map(SHAPES.index, map(shape, forms)), strict=True))

    def labels(self, tree: Tree) -> Triples:
        """Return (head, relation, part of speech) of each word."""
        columns = zip(tree.heads, map(plain, tree.relations), tree.upos, strict=True)
        return [(head, self._relations[relation], self._upos[upos]) for head, relation, upos in columns]


def plain(relation: str) -> str:
    """Return a relation without its language's subtype: `nsubj:pass` is `nsubj`."""
    return relation.partition(":")[0]


def vocabulary_of(trees: Iterable[Tree]) -> TreeVocabulary:
    """Return the vocabulary of a treebank: its tags, and its words and endings that are not rare."""
    words, endings, upos, relations = Counter(), Counter(), set(), set()
    for tree in trees:
        lowered = [form.lower() for form in tree.forms]
        words.update(lowered)
        endings.update(form[-3:] for form in lowered)
        upos.update(tree.upos)
        relations.update(map(plain, tree.relations))
    kept = [sorted(name for name, n in counts.items() if n >= RARE) for counts in (words, endings)]
    return TreeVocabulary(["", *kept[0]], ["", *kept[1]], sorted(upos), sorted(relations))


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
            heads = heads.tolist()
            if "root" in v.relations:  # the relation of the root's word, and of no other
                root = v.relations.index("root")
                chosen[:, root] = -torch.inf
                chosen[heads.index(0), root] = torch.inf
            relations = tuple(v.relations[i] for i in chosen.argmax(-1).tolist())
            yield Tree(tuple(words), tuple(v.upos[i] for i in upos[row][:n]), tuple(heads), relations)

    def save(self, path: str | Path) -> None:
        """Write weights and vocabulary."""
        metadata = {"format": FORMAT, "vocabulary": json.dumps(asdict(self.vocabulary), ensure_ascii=False)}
        with atomic_path(path) as temporary:
            save_file(self.network.state_dict(), temporary, metadata=metadata)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read what `save` wrote. InputError if the file is missing or is no parser."""
        try:
            with safe_open(path, "pt") as stream:
                metadata = stream.metadata() or {}
                weights = {name: stream.get_tensor(name) for name in stream.keys()}  # noqa: SIM118
        except Exception as error:
            raise InputError(path, f"no parser ({error})", remedy="train one: train_parser.py") from None
        if metadata.get("format") != FORMAT:
            raise InputError(path, "no parser", remedy="train one: train_parser.py")
        try:
            parser = cls(TreeVocabulary(**json.loads(metadata["vocabulary"])))
            parser.network.load_state_dict(weights)
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise InputError(path, f"no parser ({error})", remedy="train one: train_parser.py") from None
        check_finite(path, weights)
        return parser


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


BATCH_SENTENCES = 32  # of training
RATE = 2e-3
WORD_DROPOUT = 0.25  # share of the words that are made unknown, so that unknown ones are learnt


def train(trees: Sequence[Tree], seed: int, epochs: int = 20) -> Parser:
    """Return a parser trained on trees; the same on every run of a seed. InputError for fewer than two trees."""
    if len(trees) < 2:
        raise InputError("treebank", f"{len(trees)} trees are too few to train a parser on")
    torch.manual_seed(seed)
    parser = Parser(vocabulary_of(trees))
    data = [(parser.vocabulary.features(tree.forms), parser.vocabulary.labels(tree)) for tree in trees]
    optimiser = torch.optim.Adam(parser.network.parameters(), lr=RATE, betas=(0.9, 0.9))
    steps = epochs * -(-len(data) // BATCH_SENTENCES)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: 1 - step / steps)
    for epoch in range(epochs):
        parser.network.train()
        total = 0.0
        for rows in torch.randperm(len(data)).split(BATCH_SENTENCES):
            loss = _loss(parser, [data[row] for row in rows.tolist()])
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parser.network.parameters(), 5.0)
            optimiser.step()
            schedule.step()
            total += loss.item() * len(rows)
        logger.info("epoch %d: loss %.3f", epoch + 1, total / len(data))
    parser.network.eval()
    return parser


def _loss(parser: Parser, sentences: Sequence[tuple[Triples, Triples]]) -> Tensor:
    """Return the loss of sentences, each with its features and labels."""
    features, lengths = padded([features for features, _ in sentences])
    gold, _ = padded([labels for _, labels in sentences])
    dropped = torch.rand(features.shape[:2]) < WORD_DROPOUT
    features[..., 0] = features[..., 0].masked_fill(dropped, UNKNOWN)
    scores = parser.network(features, lengths)
    here = torch.arange(features.shape[1]) < lengths[:, None]
    beyond = torch.arange(scores.arcs.shape[2]) > lengths[:, None]  # heads behind a sentence's end
    arcs = scores.arcs.masked_fill(beyond[:, None, :], -torch.inf)
    heads, relations, upos = gold[here].unbind(-1)
    of_heads = scores.relations[here][torch.arange(len(heads)), heads]
    parts = ((arcs[here], heads), (of_heads, relations), (scores.upos[here], upos))
    return torch.stack([cross_entropy(scored, wanted) for scored, wanted in parts]).sum()


def accuracies(parser: Parser, trees: Sequence[Tree]) -> dict[str, float]:
    """Return UAS, LAS (without subtypes) and accuracy of parts of speech, 0 to 100, with punctuation."""
    right, words = Counter(uas=0, las=0, upos=0), 0
    for gold, made in zip(trees, parser.parse([tree.forms for tree in trees]), strict=True):
        words += len(gold.forms)
        for i in range(len(gold.forms)):
            head = gold.heads[i] == made.heads[i]
            right["uas"] += head
            right["las"] += head and plain(gold.relations[i]) == plain(made.relations[i])
            right["upos"] += gold.upos[i] == made.upos[i]
    return {name: 100 * number / words for name, number in right.items()}
