"""A linear-chain conditional random field (Lafferty, McCallum and Pereira 2001), for a batch of sentences at once.

A path's score is the sum of its words' emissions, of the transitions between them, and of a start and an end (Lample
et al. 2016, equation 1). The recursions stand in log space; a step sums over the previous labels by a matrix product of
what is left after the greatest is taken off, in double precision. That is exact to rounding as long as transitions
differ by less than 700 from one another, whatever the emissions.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from crosslingua.io.bio2 import split_tag

FORBIDDEN = -1e9  # score of what is not legal, in decoding


class CRF(nn.Module):
    """Scores of start, end and transitions between `labels` labels; `transitions[i, j]` is that of j after i.

    First weights are uniform between -0.1 and 0.1.
    """

    def __init__(self, labels: int):
        super().__init__()
        self.start = nn.Parameter(torch.empty(labels).uniform_(-0.1, 0.1))
        self.end = nn.Parameter(torch.empty(labels).uniform_(-0.1, 0.1))
        self.transitions = nn.Parameter(torch.empty(labels, labels).uniform_(-0.1, 0.1))

    def log_likelihood(self, emissions: Tensor, labels: Tensor, mask: Tensor) -> Tensor:
        """Return (rows,): the log probability of labels (rows, words) given emissions (rows, words, labels).

        `mask` (rows, words) says which are words: the first of each row, at least one.
        """
        return self.score(emissions, labels, mask) - self.log_partition(emissions, mask)

    def score(self, emissions: Tensor, labels: Tensor, mask: Tensor) -> Tensor:
        """Return the score of a path, (rows,)."""
        labels = labels.masked_fill(~mask, 0)
        own = emissions.gather(2, labels[..., None])[..., 0]
        moves = self.transitions[labels[:, :-1], labels[:, 1:]]
        last = labels.gather(1, mask.sum(dim=1, keepdim=True) - 1)[:, 0]
        inside = (own * mask).sum(dim=1) + (moves * mask[:, 1:]).sum(dim=1)
        return inside + self.start[labels[:, 0]] + self.end[last]

    def log_partition(self, emissions: Tensor, mask: Tensor) -> Tensor:
        """Return the logarithm of the sum over all paths of exp(score), (rows,)."""
        return _LogPartition.apply(emissions, self.start, self.end, self.transitions, mask)

    @torch.no_grad()
    def viterbi(self, emissions: Tensor, mask: Tensor, legal: Legal | None = None) -> Tensor:
        """Return the path of the highest score, (rows, words); 0 behind a row's words. `legal`: which are allowed."""
        start, moves = self.start, self.transitions
        if legal is not None:
            start, moves = start + legal.start, moves + legal.transitions
        best = start + emissions[:, 0]
        back = []
        for place in range(1, emissions.shape[1]):
            values, choice = (best[:, :, None] + moves).max(dim=1)
            words = mask[:, place, None]
            best = torch.where(words, values + emissions[:, place], best)
            # behind the last word a label follows itself
            back.append(torch.where(words, choice, torch.arange(len(moves), device=choice.device)))
        label = (best + self.end).argmax(dim=1)
        path = [label]
        for choice in reversed(back):
            label = choice.gather(1, label[:, None])[:, 0]
            path.append(label)
        return torch.stack(path[::-1], dim=1) * mask


class Legal(nn.Module):
    """Which labels may begin a sentence, and follow which: FORBIDDEN where they may not, 0 where they may.

    Of BIO2 labels an I-X follows B-X or I-X only; other labels may stand anywhere.
    """

    def __init__(self, labels: Sequence[str]):
        super().__init__()
        start = [not label.startswith("I-") for label in labels]
        follows = [[_may_follow(one, other) for other in labels] for one in labels]
        self.register_buffer("start", torch.where(torch.tensor(start), 0.0, FORBIDDEN))
        self.register_buffer("transitions", torch.where(torch.tensor(follows), 0.0, FORBIDDEN))


def _may_follow(one: str, other: str) -> bool:
    return not other.startswith("I-") or one in (other, "B-" + split_tag(other)[1])


class _LogPartition(torch.autograd.Function):
    """The forward recursion; its gradient is the marginals, which the backward recursion gives (Rabiner 1989)."""

    @staticmethod
    def forward(
        ctx, emissions: Tensor, start: Tensor, end: Tensor, transitions: Tensor, mask: Tensor
    ) -> Tensor:
        own, begin, stop, moves = (part.double() for part in (emissions, start, end, transitions))
        highest = moves.max()
        factors = (moves - highest).exp()
        forward = [begin + own[:, 0]]
        for place in range(1, own.shape[1]):
            after = _step(forward[-1], factors) + highest + own[:, place]
            forward.append(torch.where(mask[:, place, None], after, forward[-1]))
        total = (forward[-1] + stop).logsumexp(dim=1)
        ctx.save_for_backward(own, stop, factors, highest, mask, torch.stack(forward, dim=1), total)
        ctx.precisions = emissions.dtype, transitions.dtype
        return total.to(emissions.dtype)

    @staticmethod
    def backward(ctx, gradient: Tensor) -> tuple[Tensor | None, ...]:
        own, stop, factors, highest, mask, forward, total = ctx.saved_tensors
        gradient = gradient.double()
        behind = stop.expand_as(own[:, 0])
        marginals = torch.zeros_like(own)
        pairs = torch.zeros_like(factors)
        for place in range(own.shape[1] - 1, -1, -1):
            words = mask[:, place, None]
            weights = gradient[:, None] * words
            marginals[:, place] = weights * (forward[:, place] + behind - total[:, None]).exp()
            if place:
                ahead = own[:, place] + behind
                shift = (highest - total)[:, None].masked_fill(~words, -torch.inf)
                pairs += _pairs(forward[:, place - 1], ahead, shift, weights)
                behind = torch.where(words, _step(ahead, factors.T) + highest, behind)
        last = mask.sum(dim=1) - 1
        ends = marginals[torch.arange(len(last)), last].sum(dim=0)
        emission, transition = ctx.precisions
        starts = marginals[:, 0].sum(dim=0)
        return (
            marginals.to(emission), starts.to(transition), ends.to(transition), (pairs * factors).to(transition), None,
        )  # fmt: skip


def _step(scores: Tensor, factors: Tensor) -> Tensor:
    """Return log(exp(scores) @ factors) of scores (rows, labels), without overflow."""
    highest = scores.max(dim=1, keepdim=True).values
    return ((scores - highest).exp() @ factors).log() + highest


def _pairs(before: Tensor, ahead: Tensor, shift: Tensor, weights: Tensor) -> Tensor:
    """Return the sum over rows of weights exp(before_i + ahead_j + shift), (labels, labels)."""
    first, second = (part.max(dim=1, keepdim=True).values for part in (before, ahead))
    scale = weights * (first + second + shift).exp()
    return ((before - first).exp() * scale).T @ (ahead - second).exp()
