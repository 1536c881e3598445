"""A linear-chain conditional random field (Lafferty, McCallum and Pereira 2001), for a batch of sentences.

A path's score is the sum of its words' emissions, the transitions between them, a start and an end (Lample et al. 2016,
equation 1). The recursions are in log space and double precision; a step is a matrix product after the maximum is
subtracted. That is exact to rounding while transitions differ by less than 700, whatever the emissions. They run on
the processor also where the tagger is on a GPU: a step is too small for it. Viterbi runs where the tagger is.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numba import njit
from torch import Tensor, nn

from crosslingua.io.conll import split_tag
from crosslingua.taggers.tagger import PADDING, Tagger


@njit(cache=True, nogil=True)
def _ahead(scores, factors, shift, out):
    """Write log(exp(scores) @ factors) + shift into `out` (labels,), without overflow (Rabiner 1989)."""
    highest = scores.max()
    weights = np.exp(scores - highest)
    for j in range(len(out)):
        total = 0.0
        for i in range(len(weights)):
            total += weights[i] * factors[i, j]
        out[j] = np.log(total) + highest + shift


@njit(cache=True, nogil=True)
def forward_scores(emissions, lengths, start, end, factors, shift):
    """Return (rows, words, labels), the log sum over all paths to each label of a word, and (rows,), over all paths.
    `factors` (labels, labels) are exp(transitions - `shift`). Values behind a sentence's end are undefined.
    """
    rows, _, labels = emissions.shape
    forward = np.empty(emissions.shape)
    total = np.empty(rows)
    reached = np.empty(labels)
    for row in range(rows):
        forward[row, 0] = start + emissions[row, 0]
        for place in range(1, lengths[row]):
            _ahead(forward[row, place - 1], factors, shift, reached)
            forward[row, place] = reached + emissions[row, place]
        last = forward[row, lengths[row] - 1] + end
        highest = last.max()
        total[row] = np.log(np.exp(last - highest).sum()) + highest
    return forward, total


@njit(cache=True, nogil=True)
def marginals(emissions, lengths, end, factors, shift, forward, total, weights):
    """Return the probabilities of labels (rows, words, labels), 0 behind the end, and of pairs, divided by `factors`
    and summed over all places. Each sentence counts its weight (rows,) times.
    """
    rows, _, labels = emissions.shape
    single = np.zeros(emissions.shape)
    pairs = np.zeros((labels, labels))
    turned = factors.T.copy()
    behind, ahead = np.empty(labels), np.empty(labels)
    for row in range(rows):
        behind[:] = end
        for place in range(lengths[row] - 1, -1, -1):
            single[row, place] = weights[row] * np.exp(forward[row, place] + behind - total[row])
            if place:
                ahead[:] = emissions[row, place] + behind
                before = forward[row, place - 1]
                first, second = before.max(), ahead.max()
                left = np.exp(before - first) * (weights[row] * np.exp(first + second + shift - total[row]))
                right = np.exp(ahead - second)
                for i in range(labels):
                    for j in range(labels):
                        pairs[i, j] += left[i] * right[j]
                _ahead(ahead, turned, shift, behind)
    return single, pairs


@njit(cache=True, nogil=True)
def add_path(paths, lengths, weights, single, start, end, pairs):
    """Add the path of each sentence (rows, words), weighted by (rows,), to the counts `single` (rows, words, labels),
    `start`, `end` (labels,) and `pairs` (labels, labels).
    """
    for row in range(len(lengths)):
        path, weight = paths[row], weights[row]
        start[path[0]] += weight
        end[path[lengths[row] - 1]] += weight
        for place in range(lengths[row]):
            single[row, place, path[place]] += weight
            if place:
                pairs[path[place - 1], path[place]] += weight


FORBIDDEN = -1e9  # score of what is not legal, in decoding


class CRF(nn.Module):
    """Scores of start, end and transitions between `labels` labels; `transitions[i, j]` scores j after i."""

    def __init__(self, labels: int):
        super().__init__()
        self.start = nn.Parameter(torch.empty(labels).uniform_(-0.1, 0.1))
        self.end = nn.Parameter(torch.empty(labels).uniform_(-0.1, 0.1))
        self.transitions = nn.Parameter(torch.empty(labels, labels).uniform_(-0.1, 0.1))

    def log_likelihood(self, emissions: Tensor, labels: Tensor, mask: Tensor) -> Tensor:
        """Return (rows,): the log probability of labels (rows, words) given emissions (rows, words, labels). `mask`
        (rows, words) is true at words, at least one, which come first.
        """
        return _LogLikelihood.apply(emissions, self.start, self.end, self.transitions, labels, mask)

    @torch.no_grad()
    def viterbi(self, emissions: Tensor, mask: Tensor, legal: "Legal | None" = None) -> Tensor:
        """Return the path of the highest score, (rows, words); 0 behind a row's words. `legal` restricts labels."""
        start, moves = self.start, self.transitions
        if legal is not None:
            start, moves = start + legal.start, moves + legal.transitions
        best = start + emissions[:, 0]
        back = []
        for place in range(1, emissions.shape[1]):
            values, choice = (best[:, :, None] + moves).max(dim=1)
            words = mask[:, place, None]
            best = torch.where(words, values + emissions[:, place], best)
            # behind the last word, a label follows itself
            back.append(torch.where(words, choice, torch.arange(len(moves), device=choice.device)))
        label = (best + self.end).argmax(dim=1)
        path = [label]
        for choice in reversed(back):
            label = choice.gather(1, label[:, None])[:, 0]
            path.append(label)
        return torch.stack(path[::-1], dim=1) * mask


class Legal(nn.Module):
    """0 for labels that may begin a sentence or follow each other, else FORBIDDEN; I-X follows B-X or I-X only."""

    def __init__(self, labels: Sequence[str]):
        super().__init__()
        start = [not label.startswith("I-") for label in labels]
        follows = [
            [not after.startswith("I-") or label in (after, "B-" + split_tag(after)[1]) for after in labels]
            for label in labels
        ]
        self.register_buffer("start", torch.where(torch.tensor(start), 0.0, FORBIDDEN))
        self.register_buffer("transitions", torch.where(torch.tensor(follows), 0.0, FORBIDDEN))


def _score(
    emissions: Tensor, start: Tensor, end: Tensor, transitions: Tensor, labels: Tensor, mask: Tensor
) -> Tensor:
    labels = labels.masked_fill(~mask, 0)
    of_labels = emissions.gather(2, labels[..., None])[..., 0]
    moves = transitions[labels[:, :-1], labels[:, 1:]]
    last = labels.gather(1, mask.sum(dim=1, keepdim=True) - 1)[:, 0]
    inside = (of_labels * mask).sum(dim=1) + (moves * mask[:, 1:]).sum(dim=1)
    return inside + start[labels[:, 0]] + end[last]


class _LogLikelihood(torch.autograd.Function):
    """The log likelihood, whose gradient is the path's counts less the marginals of all paths."""

    @staticmethod
    def forward(ctx, *given: Tensor) -> Tensor:
        *weights, labels, mask = given
        emissions, start, end, moves = (part.detach().cpu().double().numpy() for part in weights)
        highest, lengths = moves.max(), mask.sum(dim=1).cpu().numpy()
        with np.errstate(invalid="ignore"):  # a loss that is no longer finite is an error further up
            factors = np.exp(moves - highest)
        reached, total = forward_scores(emissions, lengths, start, end, factors, highest)
        ctx.recursion = emissions, lengths, end, factors, highest, reached, total  # the input of `marginals`
        ctx.labels, ctx.precision, ctx.place = labels.cpu(), weights[0].dtype, weights[0].device
        return _score(*given) - torch.from_numpy(total).to(ctx.place, ctx.precision)

    @staticmethod
    def backward(ctx, gradient: Tensor) -> tuple[Tensor | None, ...]:
        gradient = gradient.cpu()
        _, lengths, _, factors, *_ = ctx.recursion
        single, pairs = marginals(*ctx.recursion, -gradient.double().contiguous().numpy())
        starts, ends = single[:, 0].sum(axis=0), single[np.arange(len(lengths)), lengths - 1].sum(axis=0)
        every = [torch.from_numpy(part).to(ctx.precision) for part in (single, starts, ends, pairs * factors)]
        counts = [torch.zeros_like(part) for part in every[1:]]
        arrays = [part.numpy() for part in (gradient.contiguous(), every[0], *counts)]
        add_path(ctx.labels.numpy(), lengths, *arrays)
        sums = (less + count for less, count in zip(every[1:], counts, strict=True))
        return *(part.to(ctx.place) for part in (every[0], *sums)), None, None


class CrfTagger(Tagger):
    """A network that scores the labels of each word, with a CRF on top; `constrained` decodes legal BIO2 only."""

    def __init__(self, settings: Any, labels: Sequence[str]):
        super().__init__()
        self.crf = CRF(len(labels))
        self.legal = Legal(labels) if settings.constrained else None

    @abstractmethod
    def emissions(self, vectors: Tensor, mask: Tensor) -> Tensor:
        """Return scores (rows, words, labels) of word vectors (rows, words, d)."""

    def loss(self, vectors: Tensor, labels: Tensor) -> Tensor:
        """Return the mean over sentences of the negative log-likelihood of their labels."""
        mask = labels != PADDING
        return -self.crf.log_likelihood(self.emissions(vectors, mask), labels, mask).mean()

    def decode(self, vectors: Tensor, mask: Tensor) -> Tensor:
        """Return the most probable labels of each sentence."""
        return self.crf.viterbi(self.emissions(vectors, mask), mask, self.legal)
