"""Random draws of word2vec's kernels: bits, words kept of frequent ones, and noise words (Mikolov et al. 2013)."""

import numpy as np
from numba import njit

NOISE_TABLE = 2**20  # entries to draw negative samples from
FAST = {"reassoc", "contract", "nsz", "arcp"}  # sums may be reordered; NaN and infinity keep their meaning


def keep_probability(counts: np.ndarray, sample: float) -> np.ndarray:
    """Return word2vec's probability (n,) of keeping an occurrence: sqrt(s / f) + s / f at relative frequency f."""
    ratio = sample * counts.sum() / counts
    return np.sqrt(ratio) + ratio


def noise_table(counts: np.ndarray, power: float) -> np.ndarray:
    """Return word numbers (NOISE_TABLE,) int32 in ascending order, each in proportion to its count^power."""
    bounds = np.cumsum(counts.astype(np.float64) ** power)
    middles = (np.arange(NOISE_TABLE) + 0.5) / NOISE_TABLE * bounds[-1]
    return np.searchsorted(bounds, middles, side="right").astype(np.int32)


def random_state(rng: np.random.Generator) -> np.ndarray:
    """Return a state (1,) uint64 for the functions below."""
    return np.array([rng.integers(1, 2**63)], dtype=np.uint64)


@njit(cache=True)
def _bits(state):
    """Return the next 64 random bits of `state` (1,) uint64 (xorshift64*, Vigna 2016)."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return x * np.uint64(2685821657736338717)


@njit(cache=True)
def below(state, limit):
    """Return a random integer in [0, limit), limit < 2^32."""
    return np.int64(((_bits(state) >> np.uint64(32)) * np.uint64(limit)) >> np.uint64(32))


@njit(cache=True)
def uniform(state):
    """Return a random number in [0, 1)."""
    return (_bits(state) >> np.uint64(11)) * 2.0**-53


@njit(cache=True)
def keep_words(tokens, keep, state, out):
    """Write the occurrences that subsampling keeps to `out`; return how many."""
    size = 0
    for token in tokens:
        if keep[token] >= 1 or uniform(state) < keep[token]:
            out[size] = token
            size += 1
    return size
