"""Word alignment as entropy-regularised optimal transport, for a batch of padded sentence pairs (xlm_align, 3.1).

A batch holds b pairs of at most n source and m target units (subwords or words); a mask is true where a pair has a
unit. What padding holds never changes a result, and padding is never linked.
"""

import torch
from torch import Tensor


def log_similarity(source: Tensor, target: Tensor, epsilon: float = 1e-6) -> Tensor:
    """Return log max(epsilon, h_i' h_j) (b, n, m) of source vectors (b, n, d) and target vectors (b, m, d); Eq. 1."""
    return torch.bmm(source, target.transpose(1, 2)).clamp_(min=epsilon).log_()


def sinkhorn(
    similarity: Tensor, source_mask: Tensor, target_mask: Tensor, mu: float = 1.0, iterations: int = 2
) -> Tensor:
    """Return the transport plan (b, n, m): Sinkhorn's algorithm from v = 1, Eq. 4 to 6, zero at padding.

    Computed on logarithms: no `mu`, the weight of the entropy, overflows. Columns sum to 1, rows in the limit.
    """
    valid = _pairs(source_mask, target_mask)
    kernel = (similarity / mu).masked_fill(~valid, -torch.inf)  # log K
    u, v = (torch.zeros_like(mask, dtype=kernel.dtype) for mask in (source_mask, target_mask))
    for _ in range(iterations):
        u = (-torch.logsumexp(kernel + v[:, None, :], dim=2)).masked_fill(~source_mask, 0.0)
        v = (-torch.logsumexp(kernel + u[:, :, None], dim=1)).masked_fill(~target_mask, 0.0)
    return (kernel + u[:, :, None] + v[:, None, :]).exp_().masked_fill(~valid, 0.0)


def mutual_best(score: Tensor, source_mask: Tensor, target_mask: Tensor) -> Tensor:
    """Return the bool (b, n, m) where i and j are each other's best, the first of equals; Eq. 7 and 8."""
    score = score.masked_fill(~_pairs(source_mask, target_mask), -torch.inf)
    return _best(score, 2) & _best(score, 1) & _pairs(source_mask, target_mask)


def filter_links(
    plan: Tensor,
    source_mask: Tensor,
    target_mask: Tensor,
    alpha: float = 0.9,
    iterations: int = 2,
    discount_linked: bool = False,
) -> Tensor:
    """Return the links, bool (b, n, m), of iterative alignment filtering; Eq. 7 to 9.

    Each iteration adds the mutual best of `plan`, takes them out of it and discounts their rows and columns. To the
    letter, Eq. 9 keeps pairs of units that are both linked (`discount_linked=True`), which links words to whatever is
    second best; Itermax, which the paper says it follows, takes them out, as is the default.
    """
    links = torch.zeros_like(plan, dtype=torch.bool)
    for _ in range(iterations):
        links = links | (mutual_best(plan, source_mask, target_mask) & (plan > 0))
        rows, columns = links.any(2, keepdim=True), links.any(1, keepdim=True)
        plan = torch.where(rows | columns, alpha * plan, plan)
        plan = plan.masked_fill(links if discount_linked else rows & columns, 0.0)
    return links


def _pairs(source_mask: Tensor, target_mask: Tensor) -> Tensor:
    return source_mask[:, :, None] & target_mask[:, None, :]


def _best(score: Tensor, dim: int) -> Tensor:
    """True at the first largest entry along `dim`."""
    index = score.argmax(dim, keepdim=True)
    return torch.zeros_like(score, dtype=torch.bool).scatter_(dim, index, True)
