"""The CRF against the enumeration of all paths, and against the package pytorch-crf."""

import math
from itertools import pairwise, product

import pytest
import torch

from crosslingua.taggers.crf import CRF, Legal

LABELS = ["O", "B-A", "I-A", "B-B", "I-B"]


def random_crf(labels: int, seed: int = 0, size: float = 2.0) -> CRF:
    torch.manual_seed(seed)
    crf = CRF(labels)
    with torch.no_grad():
        for weights in crf.parameters():
            weights.normal_(std=size)
    return crf


def batch(lengths, labels, seed=1, size=3.0):
    torch.manual_seed(seed)
    longest = max(lengths)
    mask = torch.arange(longest) < torch.tensor(lengths)[:, None]
    gold = torch.randint(labels, (len(lengths), longest)).masked_fill(~mask, -100)
    return torch.randn(len(lengths), longest, labels) * size, gold, mask


def path_score(crf, emissions, path):
    """A path's score, by the definition (Lample et al. 2016, equation 1)."""
    score = crf.start[path[0]] + crf.end[path[-1]]
    score = score + sum(emissions[place, label] for place, label in enumerate(path))
    return score + sum(crf.transitions[a, b] for a, b in pairwise(path))


def every_path(crf, emissions, length):
    paths = list(product(range(len(crf.start)), repeat=length))
    return paths, torch.stack([path_score(crf, emissions, path) for path in paths])


def test_likelihood_and_gradient_are_those_of_all_paths_enumerated():
    crf = random_crf(3)
    emissions, gold, mask = batch([4, 1, 3], 3)
    emissions.requires_grad_()
    weights = [emissions, *crf.parameters()]
    scale = torch.tensor([1.0, -2.0, 0.5])  # so that rows are told apart
    found, known = crf.log_likelihood(emissions, gold, mask), []
    for row, length in enumerate([4, 1, 3]):
        paths, scores = every_path(crf, emissions[row], length)
        known.append(scores[paths.index(tuple(gold[row, :length].tolist()))] - scores.logsumexp(0))
    torch.testing.assert_close(found, torch.stack(known), atol=1e-5, rtol=0)
    gradients = (torch.autograd.grad((one * scale).sum(), weights) for one in (found, torch.stack(known)))
    for mine, theirs in zip(*gradients, strict=True):
        torch.testing.assert_close(mine, theirs, atol=1e-5, rtol=1e-4)


def test_viterbi_finds_the_best_of_all_paths():
    crf = random_crf(3)
    emissions, _, mask = batch([4, 1, 3], 3)
    found = crf.viterbi(emissions, mask)
    for row, length in enumerate([4, 1, 3]):
        paths, scores = every_path(crf, emissions[row], length)
        assert tuple(found[row, :length].tolist()) == paths[int(scores.argmax())]
    assert not found[~mask].any()


def test_agrees_with_pytorch_crf():
    theirs = pytest.importorskip("torchcrf").CRF(7, batch_first=True)
    crf = random_crf(7)
    known = {"start_transitions": crf.start, "end_transitions": crf.end, "transitions": crf.transitions}
    theirs.load_state_dict(known)
    emissions, gold, mask = batch([9, 2, 6, 1], 7)
    emissions.requires_grad_()
    other = theirs(emissions, gold.masked_fill(~mask, 0), mask, reduction="none")
    mine = crf.log_likelihood(emissions, gold, mask)
    torch.testing.assert_close(mine, other, atol=1e-4, rtol=1e-5)
    own = torch.autograd.grad(mine.sum(), [emissions, *known.values()])
    weights = [emissions, *(getattr(theirs, name) for name in known)]
    for one, two in zip(own, torch.autograd.grad(other.sum(), weights), strict=True):
        torch.testing.assert_close(one, two, atol=1e-4, rtol=1e-4)
    best = crf.viterbi(emissions.detach(), mask)
    for row, path in enumerate(theirs.decode(emissions, mask)):
        assert best[row, : len(path)].tolist() == path


@pytest.mark.parametrize("size", [1e4, 1e-4])
def test_stays_finite_where_exp_would_not(size):
    crf = random_crf(5)
    emissions, gold, mask = batch([12, 30], 5, size=size)
    emissions.requires_grad_()
    loss = crf.log_likelihood(emissions, gold, mask)
    assert (loss.isfinite() & (loss <= 0)).all()
    gradients = torch.autograd.grad(loss.sum(), [emissions, *crf.parameters()])
    assert all(one.isfinite().all() for one in gradients)
    # the gradient of a word's emissions is gold minus marginals, which both sum to 1
    torch.testing.assert_close(gradients[0].sum(dim=2), torch.zeros(2, 30), atol=1e-4, rtol=0)


def test_likelihood_of_long_sentences_does_not_drift():
    crf, words = random_crf(2, size=0.0), (1, 2000)  # all paths score 0
    gold, mask = torch.zeros(words, dtype=torch.int64), torch.ones(words, dtype=torch.bool)
    found = crf.log_likelihood(torch.zeros(*words, 2), gold, mask)
    assert found.item() == pytest.approx(-2000 * math.log(2), rel=1e-6)


def is_legal(path):
    names = [LABELS[label] for label in path]
    return all(
        not name.startswith("I-") or before in (name, "B" + name[1:])
        for before, name in zip(["O", *names], names, strict=False)
    )


def test_constrained_decoding_finds_the_best_of_the_legal_paths():
    crf, legal = random_crf(5, size=1.0), Legal(LABELS)
    emissions, _, mask = batch([4] * 8, 5, seed=3)
    free, bound = crf.viterbi(emissions, mask), crf.viterbi(emissions, mask, legal)
    assert not all(map(is_legal, free.tolist()))  # else nothing was asked of the constraint
    for row in range(8):
        paths, scores = every_path(crf, emissions[row], 4)
        allowed = [i for i, path in enumerate(paths) if is_legal(path)]
        assert tuple(bound[row].tolist()) == paths[allowed[int(scores[allowed].argmax())]]
