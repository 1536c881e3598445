"""SimAlign against the authors' package; optimal transport against Eq. 1 to 9 and POT."""

import math

import numpy as np
import ot
import pytest
import torch
from simalign import SentenceAligner

from crosslingua.word_aligners import ALIGNERS
from crosslingua.word_aligners.encoding import EncoderEmbedding
from crosslingua.word_aligners.simalign import SimAlignArgmax, distortion_matrix, itermax
from crosslingua.word_aligners.transport import filter_links, log_similarity, sinkhorn
from word_aligners.encoders import make_pairs
from word_aligners.slow_transport import literal_filter, literal_sinkhorn

NAMES = {"simalign_argmax": "inter", "simalign_itermax": "itermax"}
SHAPES = [(1, 1), (1, 4), (5, 1), (2, 2), (6, 3), (4, 7), (7, 7)]


@pytest.mark.parametrize("distortion", [0.0, 0.5])
@pytest.mark.parametrize("layer", [0, 2, 3])
def test_links_are_the_packages(bert, layer, distortion):
    pairs = make_pairs(60, seed=layer)
    package = SentenceAligner(str(bert), "bpe", distortion, "ai", layer=layer)
    expected = [package.get_word_aligns(*pair) for pair in pairs]
    for name, theirs in NAMES.items():
        aligner = ALIGNERS[name](EncoderEmbedding.load(str(bert), [layer]), distortion=distortion)
        assert list(aligner.align(pairs)) == [frozenset(links[theirs]) for links in expected]


def random_batch(shapes, seed=0):
    """Random similarities with rubbish at padding, and masks."""
    n, m = (max(shape[side] for shape in shapes) for side in (0, 1))
    similarity = torch.rand(len(shapes), n, m, generator=torch.Generator().manual_seed(seed)).double()
    lengths = torch.tensor(shapes)
    masks = [torch.arange(k) < lengths[:, side, None] for side, k in ((0, n), (1, m))]
    similarity[~(masks[0][:, :, None] & masks[1][:, None, :])] = 9.0
    return similarity, masks


@pytest.mark.parametrize("iterations", [1, 2, 3, 6])
def test_itermax_on_any_number_of_iterations(iterations):
    shapes = [(1, 1), (2, 5), (3, 3), (8, 5), (4, 9), (9, 9)] * 5
    similarity, masks = random_batch(shapes)
    links = itermax(similarity, *masks, iterations=iterations)
    for row, (n, m) in enumerate(shapes):
        expected = SentenceAligner.iter_max(similarity[row, :n, :m].numpy(), iterations)
        np.testing.assert_array_equal(links[row, :n, :m].numpy(), expected > 0)
        assert links[row].sum() == expected.sum()


def test_distortion_is_the_packages():
    shapes = [(1, 4), (2, 2), (5, 3), (4, 9)]
    similarity, masks = random_batch(shapes)
    distorted = similarity * distortion_matrix(*masks, 0.5)
    for row, (n, m) in enumerate(shapes):
        expected = SentenceAligner.apply_distortion(similarity[row, :n, :m].numpy(), 0.5)
        np.testing.assert_allclose(distorted[row, :n, :m].numpy(), expected, rtol=1e-6)


def entropy(values: np.ndarray) -> float:
    """Section 2.3, Null, written out."""
    shares = values / values.sum()
    return -sum(p * math.log(p) for p in shares) / math.log(len(shares)) if len(shares) > 1 else 0.0


def test_null_takes_out_links_above_the_percentile(bert):
    """One batch for the similarities, formulas for the entropies, numpy for the percentile."""
    pairs = make_pairs(40, seed=5)
    embed = EncoderEmbedding.load(str(bert), [1])
    with_all, fewer = SimAlignArgmax(embed), SimAlignArgmax(embed, null_percentile=80)
    edges = []
    for number, pair in enumerate(pairs):
        units = embed.units(pair)
        with torch.inference_mode():
            source, target = (side[0].double().numpy() for side in embed.vectors([units], False)[0])
        unit = [side / np.linalg.norm(side, axis=1, keepdims=True) for side in (source, target)]
        similarity = (unit[0] @ unit[1].T + 1) / 2
        for i, j in zip(*np.nonzero(similarity == similarity.max(1, keepdims=True)), strict=True):
            if similarity[i, j] == similarity[:, j].max():
                lower = min(entropy(similarity[i]), entropy(similarity[:, j]))
                edges.append((number, units.source.words[i], units.target.words[j], lower))
    most = np.percentile([edge[3] for edge in edges], 80)
    expected = [frozenset((i, j) for k, i, j, e in edges if k == n and e <= most) for n in range(len(pairs))]
    assert sum(map(len, with_all.align(pairs))) > sum(map(len, expected))
    assert list(fewer.align(pairs)) == expected


@pytest.fixture
def batch():
    """Vectors of pairs of all SHAPES in one batch, padded with rubbish, in float64."""
    generator = torch.Generator().manual_seed(3)
    n, m = (max(shape[side] for shape in SHAPES) for side in (0, 1))
    source, target = (torch.randn(len(SHAPES), k, 5, generator=generator).double() for k in (n, m))
    lengths = torch.tensor(SHAPES)
    masks = [torch.arange(k) < lengths[:, side, None] for side, k in ((0, n), (1, m))]
    source[~masks[0]] = 1e3
    target[~masks[1]] = -1e3
    return source, target, *masks


@pytest.mark.parametrize(("mu", "iterations"), [(1.0, 2), (1.0, 1), (0.3, 4)])
def test_plan_is_that_of_the_equations(batch, mu, iterations):
    source, target, *masks = batch
    plan = sinkhorn(log_similarity(source, target), *masks, mu=mu, iterations=iterations)
    for row, (n, m) in enumerate(SHAPES):
        f = np.array([[math.log(max(1e-6, float(h @ g))) for g in target[row, :m]] for h in source[row, :n]])
        np.testing.assert_allclose(plan[row, :n, :m].numpy(), literal_sinkhorn(f, mu, iterations), rtol=1e-9)
        assert plan[row].sum() == pytest.approx(float(plan[row, :n, :m].sum()))


@pytest.mark.parametrize("iterations", [1, 2, 3, 5])
@pytest.mark.parametrize("alpha", [0.9, 0.5])
@pytest.mark.parametrize("to_the_letter", [False, True])
def test_links_are_those_of_the_equations(batch, alpha, iterations, to_the_letter):
    source, target, *masks = batch
    plan = sinkhorn(log_similarity(source, target), *masks)
    links = filter_links(plan, *masks, alpha=alpha, iterations=iterations, discount_linked=to_the_letter)
    for row, (n, m) in enumerate(SHAPES):
        found = {tuple(link) for link in links[row].nonzero().tolist()}
        assert found == literal_filter(plan[row, :n, :m].numpy(), alpha, iterations, to_the_letter)


def test_plan_converges_to_pot():
    f = np.random.default_rng(0).normal(size=(6, 6))
    ones = np.ones(6)
    expected = ot.sinkhorn(ones, ones, -f, reg=0.7, stopThr=1e-13, numItermax=5000)
    mask = torch.ones(1, 6, dtype=torch.bool)
    plan = sinkhorn(torch.from_numpy(f)[None], mask, mask, mu=0.7, iterations=500)[0]
    np.testing.assert_allclose(plan.numpy(), expected, atol=1e-10)


def test_small_mu_neither_overflows_nor_vanishes():
    similarity = torch.tensor([[[400.0, -400.0], [-400.0, 400.0]]])
    mask = torch.ones(1, 2, dtype=torch.bool)
    plan = sinkhorn(similarity, mask, mask, mu=0.01)
    assert torch.equal(plan, torch.eye(2)[None])


def test_pair_with_an_empty_side_has_no_links():
    mask, none = torch.ones(1, 3, dtype=torch.bool), torch.zeros(1, 3, dtype=torch.bool)
    for masks in ((mask, none), (none, mask), (none, none)):
        plan = sinkhorn(torch.ones(1, 3, 3), *masks)
        assert not plan.any()
        assert not filter_links(plan, *masks).any()
