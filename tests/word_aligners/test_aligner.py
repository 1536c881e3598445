"""What all aligners on vectors promise: order, layers, empty sides, threads, batches."""

import numpy as np
import pytest
import torch

from crosslingua.errors import ConfigError
from crosslingua.word_aligners import ALIGNERS, aligner
from crosslingua.word_aligners.encoding import EncoderEmbedding
from crosslingua.word_aligners.options import build, needs_vectors
from crosslingua.word_aligners.transport import filter_links, log_similarity, sinkhorn
from word_aligners.encoders import make_pairs

ON_VECTORS = [name for name in ALIGNERS if name not in ("fast_align", "gibbs")]


@pytest.fixture(scope="module")
def embed(bert):
    return EncoderEmbedding.load(str(bert), [2])


@pytest.mark.parametrize("name", ON_VECTORS)
def test_batches_and_pools_change_nothing(embed, name, monkeypatch):
    pairs = make_pairs(50)
    one_by_one = [next(build(name, {}, embed).align([pair])) for pair in pairs]
    assert list(build(name, {"batch_tokens": 100}, embed).align(pairs)) == one_by_one
    monkeypatch.setattr(aligner, "POOL", 7)
    assert list(build(name, {}, embed).align(iter(pairs))) == one_by_one


@pytest.mark.parametrize("name", ON_VECTORS)
def test_same_links_with_any_number_of_threads(embed, name, monkeypatch):
    pairs = make_pairs(50, seed=1)
    before = torch.get_num_threads()
    results = []
    for threads in ("1", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        results.append(list(build(name, {"batch_tokens": 60}, embed).align(pairs)))
    assert results[0] == results[1]
    assert torch.get_num_threads() == before


@pytest.mark.parametrize("name", ON_VECTORS)
def test_pair_with_an_empty_side_has_no_links(embed, name):
    pairs = [(["ab"], []), (["ab"], ["cd"]), ([], ["ab", "cd"]), ([], [])]
    assert list(build(name, {}, embed).align(pairs)) == [frozenset(), {(0, 0)}, frozenset(), frozenset()]
    assert list(build(name, {}, embed).align([([], [])])) == [frozenset()]


@pytest.mark.parametrize("name", ON_VECTORS)
def test_layers_at_once_are_the_layers_one_by_one(bert, name):
    pairs = make_pairs(30)
    together = list(build(name, {}, EncoderEmbedding.load(str(bert), [3, 0, 1])).align_layers(pairs))
    for layer, links in zip([3, 0, 1], zip(*together, strict=True), strict=True):
        assert list(build(name, {}, EncoderEmbedding.load(str(bert), [layer])).align(pairs)) == list(links)


def test_optimal_transport_is_its_steps(embed):
    """Joint encoding, then Eq. 1 to 9 on the pair alone, then words of linked subwords."""
    for pair in make_pairs(10, seed=2):
        units = embed.units(pair)
        with torch.inference_mode():
            source, target = embed.vectors([units], joint=True)[0]
        masks = [torch.ones(1, side.shape[1], dtype=torch.bool) for side in (source, target)]
        links = filter_links(sinkhorn(log_similarity(source, target), *masks), *masks)[0]
        expected = {(units.source.words[i], units.target.words[j]) for i, j in links.nonzero().tolist()}
        assert next(build("optimal_transport", {}, embed).align([pair])) == expected


@pytest.mark.parametrize("name", ON_VECTORS)
def test_explain_scores_words_by_their_best_subwords(embed, name):
    pair = (["abc", "d"], ["efghi", "ja", "bc"])
    member = build(name, {}, embed)
    grid, links = member.explain(pair)
    assert grid.shape == (2, 3)
    assert [links] == list(member.align([pair]))
    units = embed.units(pair)
    with torch.inference_mode():
        batch = aligner.UnitBatch.of([units], *embed.vectors([units], member.joint_encoding)[0])
        score = member.score(batch)[0].numpy()
    assert grid[0, 0] == pytest.approx(score[:2, :3].max())
    assert grid[1, 2] == pytest.approx(score[2, 4])
    empty, none = member.explain(([], ["ab"]))
    assert np.shape(empty) == (0, 1)
    assert not none


def test_settings(embed):
    assert all(map(needs_vectors, ON_VECTORS))
    assert build("optimal_transport", {"mu": "0.5", "joint_encoding": "false"}, embed).mu == 0.5
    with pytest.raises(ConfigError, match=r"has no setting 'alfa': .* did you mean 'alpha'\?"):
        build("simalign_itermax", {"alfa": "0.5"}, embed)
    with pytest.raises(ConfigError, match="simalign_argmax needs vectors"):
        build("simalign_argmax")
    with pytest.raises(ConfigError, match="mu=0: must be a number, above 0"):
        build("optimal_transport", {"mu": "0"}, embed)
    with pytest.raises(ConfigError, match="batch_tokens=0"):
        build("simalign_argmax", {"batch_tokens": "0"}, embed)
