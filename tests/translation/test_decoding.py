"""Decoding with a cache equals decoding of whole sentences, a beam of one greedy; a wide beam finds the best."""

import itertools

import numpy as np
import pytest
import torch

from crosslingua.translation import decoding
from crosslingua.translation.data import BEGIN, padded
from crosslingua.translation.decoding import beam_search, greedy, longest_output, translate, until
from crosslingua.translation.model import Group, TranslationModel
from crosslingua.translation.training import LossPart, losses
from translation.translators import sentences, translator, vocabulary

SHARED = (0, 1, 2)


def log_probabilities(
    model: TranslationModel, source: int, ids: np.ndarray, said: list[int], target: int
) -> torch.Tensor:
    """Return log-probabilities (len(said) + 1, outputs) of each next word, from whole sentences without a cache."""
    encoded, mask = model.encode(padded([ids], model.vocabulary.end), [Group(source, 0, 1)])
    before = torch.tensor([[BEGIN + target, *said]])
    vectors = model.decode(before, encoded, mask, [Group(target, 0, 1)])
    return torch.log_softmax(model.scores(vectors[0], target), -1)


@torch.no_grad()
def uncached(model: TranslationModel, source: int, ids: np.ndarray, target: int, limit: int) -> list[int]:
    said: list[int] = []
    while len(said) < limit:
        best = int(log_probabilities(model, source, ids, said, target)[-1].argmax())
        said.append(best + model.vocabulary.outputs(target).start)
        if said[-1] == model.vocabulary.end:
            return said[:-1]
    return said


def restless(model: TranslationModel) -> TranslationModel:
    """Train a little on sentences of many lengths, so that translations end at different places.

    Weights come back in double precision: in single, the best two words are at times as close (1e-6) as rounding is,
    and which of them is said then hangs on the processor.
    """
    optimiser = torch.optim.Adam(model.parameters(), lr=2e-2)
    for step in range(40):
        lengths = [1, 2, 3, 5, 7, 9]
        sides = [sentences(model.vocabulary, side, lengths, step) for side in (0, 1)]
        parts = [LossPart("translation", 1 - side, side, sides[1 - side], sides[side]) for side in (0, 1)]
        optimiser.zero_grad()
        losses(model, parts)["translation"].backward()
        optimiser.step()
    return model.double()


def both_ways(model: TranslationModel) -> list[list[int]]:
    """Check that cached and uncached decoding agree to the word, in both directions; return what they said."""
    said = []
    for source in (0, 1):
        text = sentences(model.vocabulary, source, [1, 3, 4, 6, 9, 2, 5, 7] * 2)
        found = translate(model, text, source, 1 - source)
        limits = [longest_output(len(s), model.settings.max_length) for s in text]
        wanted = [uncached(model, source, s, 1 - source, n) for s, n in zip(text, limits, strict=True)]
        assert [s.tolist() for s in found] == wanted
        said += [s.tolist() for s in found]
    return said


@pytest.mark.parametrize("shared_layers", SHARED)
def test_cached_and_uncached_decoding_agree_to_the_word(shared_layers: int) -> None:
    both_ways(translator(shared_layers=shared_layers).double())
    said = both_ways(restless(translator(shared_layers=shared_layers, norm_first=True, width=12)))
    assert len({len(s) for s in said}) > 2  # sentences end at different places, and leave the batch


def test_batches_change_nothing(monkeypatch) -> None:
    model = restless(translator(norm_first=True))
    text = sentences(model.vocabulary, 0, [4, 1, 7, 4, 2, 7])
    whole = translate(model, text, 0, 1)
    monkeypatch.setattr(decoding, "BATCH_WORDS", 1)
    np.testing.assert_equal(translate(model, text, 0, 1), whole)


def test_an_empty_sentence_stays_empty() -> None:
    model = translator()
    found = translate(model, [np.zeros(0, np.int64), *sentences(model.vocabulary, 0, [3])], 0, 1)
    assert len(found[0]) == 0
    assert translate(model, [], 0, 1) == []


@pytest.mark.parametrize("shared_layers", SHARED)
def test_a_beam_of_one_is_greedy(shared_layers: int) -> None:
    model = restless(translator(shared_layers=shared_layers, norm_first=True))
    text = sentences(model.vocabulary, 1, [1, 3, 4, 6, 9, 2, 5] * 4)
    ids, groups = padded(text, model.vocabulary.end), [Group(1, 0, len(text))]
    said, limit = torch.zeros(len(text), dtype=torch.int64), 12
    found = beam_search(model, ids, groups, said, limit, 1, 1.0)
    wanted = greedy(model, ids, groups, said, torch.full((len(text),), limit))
    assert [s.tolist() for s in found] == [s.tolist() for s in wanted]


@torch.no_grad()
def best_of_all(model: TranslationModel, ids: np.ndarray, limit: int, exponent: float) -> list[int]:
    """Score every sequence of at most `limit` words."""
    outputs = range(model.vocabulary.size)[model.vocabulary.outputs(1)]
    end, start = model.vocabulary.end, outputs.start
    found = []
    for n in range(limit + 1):
        for said in itertools.product([row for row in outputs if row != end], repeat=n):
            logs = log_probabilities(model, 0, ids, list(said), 1)
            total = sum(float(logs[i, row - start]) for i, row in enumerate([*said, end]))
            found.append((total / (n + 1) ** exponent, list(said)))
    return max(found)[1]


@pytest.mark.parametrize("exponent", [0.0, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_a_wide_beam_finds_the_best_of_all(seed: int, exponent: float) -> None:
    words, limit = vocabulary(own=2, shared=1), 3
    model = translator(seed, words)
    text = sentences(words, 0, [2, 3, 4], seed)
    wide = 3**limit * 4  # more hypotheses than there are: none is dropped, and the search ends at the limit
    ids = padded(text, words.end)
    said = torch.ones(len(text), dtype=torch.int64)
    found = beam_search(model, ids, [Group(0, 0, len(text))], said, limit, wide, exponent)
    assert [s.tolist() for s in found] == [best_of_all(model, s, limit, exponent) for s in text]


def test_a_beam_scores_at_least_as_well_as_greedy_on_the_whole() -> None:
    model = restless(translator(3, norm_first=True))
    text = sentences(model.vocabulary, 0, [5] * 30)

    @torch.no_grad()
    def mean_log(found: list[np.ndarray]) -> float:
        end, start = model.vocabulary.end, model.vocabulary.outputs(1).start
        values = []
        for ids, said in zip(text, found, strict=True):
            logs = log_probabilities(model, 0, ids, said.tolist(), 1)
            rows = [row - start for row in (*said, end)]
            values.append(logs[range(len(rows)), rows].mean().item())
        return float(np.mean(values))

    assert mean_log(translate(model, text, 0, 1, beam=5)) >= mean_log(translate(model, text, 0, 1))


def test_until() -> None:
    assert until(np.array([4, 5, 9, 4]), 9).tolist() == [4, 5]
    assert until(np.array([4, 5]), 9).tolist() == [4, 5]
