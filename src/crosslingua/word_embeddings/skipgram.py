"""Skip-gram with negative sampling, with fastText's subwords or on whole words (Bojanowski et al. 2017).

For a word w with subwords S(w), itself among them, and each word c of its window, v the input and u the output vectors,
h the mean of v over S(w), n noise words:

    - log sigma(u_c h) - sum_n log sigma(-u_n h)

As in fastText 0.9.3: passes in the text's order, line ends as words, a random window size, noise from counts^0.5 in a
shuffled table, subsampling, a rate that falls linearly to zero, and a table for sigma. Each v of S(w) takes the whole
step of h, so that h moves by the step times sum(m^2) / |S|, m being how often a subword occurs in S. Therefore the
windows of one word need one reading and one writing of its subwords, where fastText has one for each word c. Results
differ by rounding, random numbers, and two details: a noise word that is c is skipped, as in word2vec, where fastText
draws another; and all subwords start at random, of which fastText with one thread leaves nine tenths undrawn.
"""

import logging

import numpy as np
from numba import njit

from crosslingua.word_embeddings.draws import (
    FAST,
    below,
    keep_probability,
    keep_words,
    noise_table,
    random_state,
)
from crosslingua.word_embeddings.prefetch import prefetch_row

NOISE_POWER = 0.5  # of fastText; word2vec has 0.75
BOUND, STEPS = 8.0, 1024  # of the table of sigma: scores beyond the bound are as at the bound
log = logging.getLogger(__name__)


def learn(
    tokens: np.ndarray,
    bounds: np.ndarray,
    counts: np.ndarray,
    inputs: np.ndarray,
    subwords: tuple[np.ndarray, np.ndarray],
    *,
    passes: int,
    lr: float,
    window: int,
    negative: int,
    sample: float,
    seed: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Train on sentences of word numbers, `tokens[bounds[i]:bounds[i + 1]]` int32; return the words' vectors h and
    output vectors, both (n, dim) float32.

    `counts` (n,) are the words' occurrences. Word w is the mean of the rows `rows[starts[w]:starts[w + 1]]` of `inputs`
    (r, dim), the initial input vectors; `subwords` are (starts, rows). One thread: the same seed gives the same bits.
    """
    rng = np.random.default_rng(seed)
    v, u = inputs.astype(np.float32), np.zeros((len(counts), inputs.shape[1]), dtype=np.float32)
    keep, noise, state = keep_probability(counts, sample), noise_table(counts, NOISE_POWER), random_state(rng)
    rng.shuffle(noise)
    scores = np.linspace(-BOUND, BOUND, STEPS + 1)
    sigmoid = (1 / (1 + np.exp(-scores))).astype(np.float32)
    shared = (*subwords, _own_share(*subwords)), noise, (sigmoid, np.log(sigmoid))
    place, total = 0, passes * len(tokens)
    for number in range(passes):
        rates = lr, number * len(tokens), total
        loss, pairs, place = read_once(
            tokens, bounds, v, u, keep, *shared, place, window, negative, rates, state
        )
        log.info("pass %d of %d: loss %.4f a pair of words", number + 1, passes, loss / max(pairs, 1))
    return means(v, *subwords), u


def _own_share(starts: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return sum(m^2) / |S| (n,) float32 of each word."""
    words = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    _, place, times = np.unique(np.stack([words, rows]), axis=1, return_index=True, return_counts=True)
    squares = np.bincount(words[place], weights=times.astype(float) ** 2, minlength=len(starts) - 1)
    return (squares / np.diff(starts)).astype(np.float32)


@njit(cache=True, fastmath=FAST)
def mean_of(v, rows, out):
    """Write the mean of `v[rows]` to `out`."""
    out[:] = np.float32(0)
    for row in rows:
        vector = v[row]
        for i in range(out.size):
            out[i] += vector[i]
    scale = np.float32(1 / rows.size)
    for i in range(out.size):
        out[i] *= scale


@njit(cache=True)
def means(v, starts, rows):
    """Return the mean (n, dim) of each word's rows of `v`."""
    out = np.empty((starts.size - 1, v.shape[1]), dtype=np.float32)
    for word in range(out.shape[0]):
        mean_of(v, rows[starts[word] : starts[word + 1]], out[word])
    return out


@njit(cache=True, fastmath=FAST, nogil=True)
def read_once(tokens, bounds, v, u, keep, subwords, noise, tables, place, window, negative, rates, state):
    """Train on every sentence `tokens[bounds[i]:bounds[i + 1]]` once; return the summed loss, the number of pairs of
    words, and the next place of the noise table.

    `subwords` are starts, rows and each word's sum(m^2) / |S|; `tables` hold sigma and log sigma; `rates` are the
    initial rate, which falls linearly to zero, and of how many words how many precede.
    """
    (starts, rows, shares), (sigmoid, log_sigmoid), (lr, done, total) = subwords, tables, rates
    dim = v.shape[1]
    hidden, step, steps = np.empty(dim, np.float32), np.empty(dim, np.float32), np.empty(dim, np.float32)
    kept = np.empty(np.diff(bounds).max(), dtype=np.int64)
    bound, scale = np.float32(BOUND), np.float32(STEPS / BOUND / 2)
    loss, pairs = 0.0, 0
    for sentence in range(bounds.size - 1):
        rate = np.float32(lr * (1 - done / total))
        done += bounds[sentence + 1] - bounds[sentence]
        size = keep_words(tokens[bounds[sentence] : bounds[sentence + 1]], keep, state, kept)
        for centre in range(size):
            own, share = rows[starts[kept[centre]] : starts[kept[centre] + 1]], shares[kept[centre]]
            mean_of(v, own, hidden)
            steps[:] = np.float32(0)
            reach = 1 + below(state, window)
            for other in range(max(0, centre - reach), min(size, centre + reach + 1)):
                if other == centre:
                    continue
                context = kept[other]
                step[:] = np.float32(0)
                # Noise words of the next pair: without this, a third of the time is waiting for memory.
                for number in range(negative, 2 * negative):
                    prefetch_row(u, noise[(place + number) % noise.size])
                for number in range(negative + 1):
                    word = context
                    if number:
                        word = noise[place]
                        place = (place + 1) % noise.size
                        if word == context:
                            continue
                    out, score = u[word], np.float32(0)
                    for i in range(dim):
                        score += out[i] * hidden[i]
                    entry = int((min(max(score, -bound), bound) + bound) * scale)
                    if number:
                        loss -= log_sigmoid[STEPS - entry]
                        pull = -rate * sigmoid[entry]
                    else:
                        loss -= log_sigmoid[entry]
                        pull = rate * (1 - sigmoid[entry])
                    for i in range(dim):
                        step[i] += pull * out[i]
                        out[i] += pull * hidden[i]
                for i in range(dim):
                    hidden[i] += share * step[i]
                    steps[i] += step[i]
                pairs += 1
            for row in own:
                vector = v[row]
                for i in range(dim):
                    vector[i] += steps[i]
    return loss, pairs, place
