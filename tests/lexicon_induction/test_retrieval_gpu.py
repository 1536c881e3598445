"""The GPU's search, run on the processor, finds the same as the exact search."""

import numpy as np
import pytest
import torch

from crosslingua.errors import ConfigError
from crosslingua.lexicon_induction import exact, gpu
from crosslingua.lexicon_induction.retrieval import device_type, unit_rows


@pytest.mark.parametrize(
    ("queries", "candidates", "dimension", "k"),
    [(50, 1003, 20, 10), (30, 12, 8, 10), (40, 700, 50, 3), (7, 5, 4, 10)],
)
@pytest.mark.parametrize("with_bias", [False, True])
def test_the_exact_search(queries, candidates, dimension, k, with_bias):
    rng = np.random.default_rng(1)
    left, right = unit_rows(rng.normal(size=(queries, dimension))), rng.normal(size=(candidates, dimension))
    biases = [rng.random(queries), rng.random(candidates)]
    for repeated in (right, biases[1]):  # so that there are equal scores
        repeated[candidates // 2 :] = repeated[: candidates - candidates // 2]
    right = unit_rows(right)
    given = (left, right, k, biases if with_bias else None)
    for found, expected in zip(gpu.top(*given, device="cpu"), exact.top(*given), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_more_groups_than_are_looked_into(monkeypatch):
    monkeypatch.setattr(gpu, "GROUPS", 1)
    rng = np.random.default_rng(2)
    left = unit_rows(rng.normal(size=(20, 10)))
    right = unit_rows(left[:1] + 1e-3 * rng.normal(size=(600, 10)))  # all alike: nothing can be excluded
    for found, expected in zip(gpu.top(left, right, 3, device="cpu"), exact.top(left, right, 3), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_a_device_is_cpu_or_cuda(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert [device_type(name) for name in ("cpu", "auto")] == ["cpu", "cpu"]
    with pytest.raises(ConfigError, match="torch finds no GPU"):
        device_type("cuda")
