"""One direction of `gibbs`: samples of which given word each generated word comes from (Östling and Tiedemann 2016).

A generated word f comes from the null word with probability p0, or from one of the n given words e. Parameters are
integrated out under symmetric Dirichlet priors, so that counts of all other links give a link's conditional
distribution:

    translation     (count of e with f + alpha) / (count of e + alpha V)
    Model 1         (1 - p0) / n
    jumps           (count of the jump + beta) / (count of jumps + beta K), of the jumps from and to the neighbouring
                    links; those before the first word and after the last are positions too
    fertility       the count of e's tokens with one more link by those with as many as this, both + gamma

All priors are Dirichlet; Pitman-Yor priors are left out. Links change one by one, and so do the counts: samples are
exact, with equal jumps counted twice. SAMPLERS run side by
side with their counts of a word pair together in memory. A sentence's translation counts are copied to rows of floats,
where a link's weights are products of rows; counts of repeated words change together (`_twins`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit

from crosslingua.word_aligners.cooccurrence import Cooccurrence

if TYPE_CHECKING:
    from crosslingua.word_aligners.gibbs import Gibbs

SAMPLERS = 4
FERTILITIES = 8  # 0 to 6, and 7 or more
LANES = 8  # rows are padded to a multiple
NULL, UNLINKED = -1, -2
# Sums may be taken in any order. Unsigned indexes are not tested for being negative.
FAST = {"reassoc", "contract", "nsz", "arcp"}
U = np.uint64


class Reading(NamedTuple):
    """A text as one direction reads it; `given_twins` and `twins` name the next place of the same word (`_twins`)."""

    given: np.ndarray
    given_bounds: np.ndarray
    given_twins: np.ndarray
    words: np.ndarray
    bounds: np.ndarray
    twins: np.ndarray
    starts: np.ndarray
    entries: np.ndarray
    across: bool  # the given words are the rows of the cells


class State(NamedTuple):
    """Links (tokens, SAMPLERS) and their counts, flat; samplers change fastest, but for jumps.

    `jumps` are counts by sampler and length, `jump_weights` the same with the prior added, and `jump_mirror` these from
    the longest to the shortest.
    """

    links: np.ndarray
    pairs: np.ndarray
    given: np.ndarray
    null: np.ndarray
    null_total: np.ndarray
    jumps: np.ndarray
    jump_weights: np.ndarray
    jump_mirror: np.ndarray
    jump_total: np.ndarray
    fertilities: np.ndarray
    random: np.ndarray


class Priors(NamedTuple):
    """Odds of the null word, alpha, alpha V, beta, beta K, gamma, and the place of a jump of length 0."""

    odds: np.float32
    alpha: np.float32
    alpha_sum: np.float32
    beta: np.float32
    beta_sum: np.float32
    gamma: np.float32
    middle: int


class LinkSampler:
    """The samplers of p(target | source), or with `reverse` of p(source | target); marginals of the first `number`."""

    def __init__(self, text: Cooccurrence, reverse: bool, number: int, settings: Gibbs):
        given, words = (text.target, text.source) if reverse else (text.source, text.target)
        twins = [_twins(side.words, side.bounds) for side in (given, words)]
        self._text = Reading(
            given.words, given.bounds, twins[0], words.words, words.bounds, twins[1], text.starts, text.entries,
            across=not reverse,
        )  # fmt: skip
        middle = int(given.lengths.max()) + 1
        width = -(-(2 * middle + 1 + LANES) // LANES) * LANES  # rows are read beyond the longest jump
        floats = (
            settings.null_probability / (1 - settings.null_probability), settings.alpha,
            settings.alpha * words.vocabulary, settings.jump_alpha, settings.jump_alpha * (2 * middle + 1),
            settings.fertility_alpha,
        )  # fmt: skip
        self._priors = Priors(*map(np.float32, floats), middle)
        seeds = np.random.SeedSequence([settings.seed, int(reverse)]).generate_state(SAMPLERS, U)

        def zeros(size: int, dtype: type = np.int32) -> np.ndarray:
            return np.zeros(size * SAMPLERS, dtype)

        self._state = State(
            np.full(len(words.words) * SAMPLERS, UNLINKED, np.int32), zeros(text.types.shape[1]),
            zeros(given.vocabulary), zeros(words.vocabulary), zeros(1), zeros(width), zeros(width, np.float32) + 1,
            zeros(width, np.float32) + 1, zeros(1), zeros(given.vocabulary * FERTILITIES), seeds | U(1),
        )  # fmt: skip
        cells = text.starts[number] if number < len(text) else len(text.entries)
        self._number = number
        self._marginals = np.zeros(cells, np.float32)  # by generated word, in each sentence pair
        self._null_marginals = np.zeros(words.bounds[number], np.float32)

    def sweep(
        self,
        passes: int,
        *,
        null: bool = True,
        jumps: bool = False,
        fertility: bool = False,
        collect: bool = False,
    ) -> None:
        """Draw every link `passes` times, without `null` only to given words.

        With `collect`, the distributions that they are drawn from are added.
        """
        if jumps:
            _recount(self._text, self._state, self._priors)
        number = self._number if collect else 0
        priors = self._priors if null else self._priors._replace(odds=np.float32(0))
        for _ in range(passes):
            _sweep(
                self._text, self._state, priors, jumps, fertility, number, self._marginals, self._null_marginals
            )  # fmt: skip

    def marginals(self, pair: int) -> np.ndarray:
        """Return the mean distribution of each generated word of a pair; the last column is the null word."""
        start, first, end = self._text.starts[pair], *self._text.bounds[pair : pair + 2]
        given = self._text.given_bounds[pair + 1] - self._text.given_bounds[pair]
        rows = self._marginals[start : start + (end - first) * given].reshape(end - first, given)
        grid = np.hstack([rows, self._null_marginals[first:end, None]])
        return grid / grid.sum(axis=1, keepdims=True)

    def decode(self) -> np.ndarray:
        """Return the most probable position for each generated token of the first pairs, -1 for the null word."""
        out = np.full(len(self._text.words), NULL, np.int32)
        _decode(self._text, self._marginals, self._null_marginals, self._number, out)
        return out


@njit(cache=True)
def _twins(words, bounds):
    """Return, for each token, the next position of its word in its sentence, going round: its own if it is alone."""
    out = np.empty(words.size, np.int32)
    for pair in range(bounds.size - 1):
        first, end = bounds[pair], bounds[pair + 1]
        for place in range(first, end):
            other = place
            while True:
                other = other + 1 if other + 1 < end else first
                if words[other] == words[place]:
                    break
            out[place] = other - first
    return out


@njit(cache=True)
def _recount(text, state, priors):
    """Count the jumps and fertilities of the present links."""
    middle = priors.middle
    width = state.jumps.size // SAMPLERS
    state.jumps[:] = 0
    state.fertilities[:] = 0
    state.jump_total[:] = 0
    for pair in range(text.starts.size):
        first = text.given_bounds[pair]
        n = text.given_bounds[pair + 1] - first
        for s in range(SAMPLERS if n else 0):
            linked, previous = np.zeros(n, np.int32), -1
            for place in range(text.bounds[pair], text.bounds[pair + 1]):
                link = state.links[place * SAMPLERS + s]
                if link >= 0:
                    linked[link] += 1
                    state.jumps[s * width + middle + link - previous] += 1
                    state.jump_total[s] += 1
                    previous = link
            state.jumps[s * width + middle + n - previous] += 1
            state.jump_total[s] += 1
            for i in range(n):
                word = text.given[first + i] * SAMPLERS + s
                state.fertilities[word * FERTILITIES + min(linked[i], FERTILITIES - 1)] += 1
    for s in range(SAMPLERS):
        for length in range(2 * middle + 1):
            weight = np.float32(state.jumps[s * width + length]) + priors.beta
            state.jump_weights[s * width + length] = weight
            state.jump_mirror[s * width + 2 * middle - length] = weight


@njit(inline="always")
def _uniform(random, s):
    """Return a number from [0, 1) of 24 bits, by xorshift64* (Vigna 2016)."""
    x = random[s]
    x ^= x >> U(12)
    x ^= x << U(25)
    x ^= x >> U(27)
    random[s] = x
    return np.float32((x * U(2685821657736338717)) >> U(40)) * np.float32(1 / (1 << 24))


@njit(inline="always")
def _count_jump(jumps, weights, mirror, row, length, last, by, beta):
    """Count a jump; `length` is from 0 to `last`."""
    jumps[row + length] += by
    weight = np.float32(jumps[row + length]) + beta
    weights[row + length] = weight
    mirror[row + last - length] = weight


@njit(inline="always")
def _factor(fertilities, given, word, linked, fertility, gamma, alpha_sum):
    """Return what does not depend on the generated word: how ready a token with `linked` links is for one more."""
    total = np.float32(given[word]) + alpha_sum
    if not fertility or linked >= FERTILITIES - 1:
        return np.float32(1) / total
    place = word * FERTILITIES + linked
    more = np.float32(fertilities[place + 1]) + gamma
    return more / ((np.float32(fertilities[place] - 1) + gamma) * total)


@njit(inline="always")
def _copy_counts(rows, pairs, entries, start, n, m, padded, across, alpha):
    """Copy the translation counts of a sentence, with their prior, to `rows`: of each generated word and sampler."""
    cell = start  # in the order of memory
    for outer in range(n if across else m):
        for inner in range(m if across else n):
            i, j = (outer, inner) if across else (inner, outer)
            slot, row = entries[cell] * SAMPLERS, j * SAMPLERS * padded + i
            for s in range(SAMPLERS):
                rows[row + s * padded] = np.float32(pairs[slot + s]) + alpha
            cell += 1


@njit(inline="always")
def _read_links(links, linked, following, first, own, s, n, m):
    """Count the links of each given word of a sentence, from `own` in `linked`; note the next link of each place."""
    right = n
    linked[own : own + n] = 0
    for j in range(m - 1, -1, -1):
        following[j * SAMPLERS + s] = right
        link = links[(first + j) * SAMPLERS + s]
        if link >= 0:
            linked[own + link] += 1
            right = link


@njit(inline="always")
def _weigh(weight, rows, factors, weights, mirror, row, own, forth, back, padded):
    """Write the weight of each given word, from `own` on: a product of rows. Return the sum."""
    total = np.float32(0)
    at, here, there, behind = U(row), U(own), U(forth), U(back)
    for block in range(U(0), U(padded), U(LANES)):
        for lane in range(LANES):
            i = block + U(lane)
            value = rows[at + i] * factors[here + i] * weights[there + i] * mirror[behind + i]
            weight[here + i] = value
            total += value
    return total


@njit(inline="always")
def _collect(sums, weight, row, own, padded, share):
    """Add a distribution of given words to a row of `sums`."""
    to, here = U(row), U(own)
    for block in range(U(0), U(padded), U(LANES)):
        for lane in range(LANES):
            i = block + U(lane)
            sums[to + i] += weight[here + i] * share


@njit(inline="always")
def _drawn(weight, own, n, base, old, rest):
    """Return the given word, or NULL of weight `base`, at which the weights add up to `rest`. Most links stay: the old
    one is asked first.
    """
    new = np.int64(NULL)
    if old >= 0:
        rest -= weight[own + old]
        weight[own + old] = 0
        if rest < 0:
            new = old
    if new < 0:
        rest -= base
        if rest >= 0:
            new = n - 1
            for i in range(n):
                rest -= weight[own + i]
                if rest < 0:
                    new = i
                    break
    return new


@njit(inline="always")
def _count_fertility(fertilities, word, before, by):
    """Count a token of a given word that had `before` links, and has one more or less."""
    kind = word * FERTILITIES
    fertilities[kind + min(before, FERTILITIES - 1)] -= 1
    fertilities[kind + min(before + by, FERTILITIES - 1)] += 1


@njit(inline="always")
def _change_rows(rows, twins, first, j, s, i, padded, by):
    """Count a link of a given word in the rows of a generated word and of its twins."""
    k = j
    while True:
        rows[(k * SAMPLERS + s) * padded + i] += by
        k = np.int64(twins[first + k])
        if k == j:
            break


@njit(inline="always")
def _count_jumps(jumps, weights, mirror, row, middle, left, new, right, by, beta):
    """Count the jumps between the links on the left and on the right, by way of a new one if any; return how many."""
    last = 2 * middle
    if new < 0:
        _count_jump(jumps, weights, mirror, row, middle + right - left, last, by, beta)
        return by
    _count_jump(jumps, weights, mirror, row, middle + new - left, last, by, beta)
    _count_jump(jumps, weights, mirror, row, middle + right - new, last, by, beta)
    return 2 * by


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def _sweep(text, state, priors, with_jumps, fertility, number, marginals, null_marginals):
    """Draw each link of each sampler once, given all others; add distributions of the first `number` pairs."""
    given_words, given_bounds, given_twins, words, bounds, twins, starts, entries, across = text
    links, pairs, given, null, null_total, jumps, weights, mirror, jump_total, fertilities, random = state
    odds, alpha, alpha_sum, beta, beta_sum, gamma, middle = priors
    width, one = jumps.size // SAMPLERS, np.float32(1)
    longest = -(-np.diff(given_bounds).max() // LANES) * LANES
    # Of the sentence: each given token's factor and number of links; the next link's position; the last one's.
    factors, weight = np.zeros(longest * SAMPLERS, np.float32), np.zeros(longest * SAMPLERS, np.float32)
    linked = np.zeros(longest * SAMPLERS, np.int32)
    following, previous = np.empty(np.diff(bounds).max() * SAMPLERS, np.int32), np.empty(SAMPLERS, np.int64)
    rows, sums = np.ones(1, np.float32), np.zeros(1, np.float32)
    for pair in range(starts.size):
        given_first, first, start = given_bounds[pair], bounds[pair], starts[pair]
        n, m = given_bounds[pair + 1] - given_first, bounds[pair + 1] - first
        step, stride = (1, m) if across else (n, 1)  # in cells: of a generated and of a given word
        padded = -(-n // LANES) * LANES
        if padded * m * SAMPLERS > rows.size:
            rows = np.ones(2 * padded * m * SAMPLERS, np.float32)
            sums = np.zeros(2 * padded * m, np.float32)
        _copy_counts(rows, pairs, entries, start, n, m, padded, across, alpha)
        for s in range(SAMPLERS):
            own = s * longest
            previous[s] = -1
            _read_links(links, linked, following, first, own, s, n, m)
            factors[own + n : own + padded] = 0
            for i in range(n):
                word, number_of_links = given_words[given_first + i] * SAMPLERS + s, linked[own + i]
                factors[own + i] = _factor(
                    fertilities, given, word, number_of_links, fertility, gamma, alpha_sum
                )
        collect = pair < number
        if collect:
            sums[: padded * m] = 0
        for j in range(m):
            place, generated = first + j, words[first + j]
            for s in range(SAMPLERS):
                own, row, jump_row = s * longest, (j * SAMPLERS + s) * padded, s * width
                left, right = previous[s], following[j * SAMPLERS + s]
                old = np.int64(links[place * SAMPLERS + s])
                new = old
                for by in (-1, 1):  # take the old link away; put the new one in its place
                    if by > 0:
                        base = odds * (np.float32(null[generated * SAMPLERS + s]) + alpha)
                        base /= np.float32(null_total[s]) + alpha_sum
                        if with_jumps:
                            skip = weights[jump_row + middle + right - left]
                            base *= skip * (np.float32(jump_total[s] + 1) + beta_sum)
                        else:
                            base *= np.float32(n)
                        forth, back = jump_row + middle - left, jump_row + middle - right
                        total = _weigh(weight, rows, factors, weights, mirror, row, own, forth, back, padded)
                        half = (left + right) // 2
                        is_middle = with_jumps and 2 * half == left + right and 0 <= half < n
                        if is_middle:  # two jumps of one length
                            more = weight[own + half] / weights[jump_row + middle + half - left]
                            weight[own + half] += more
                            total += more
                        total += base
                        if collect:
                            share = one / total
                            _collect(sums, weight, j * padded, own, padded, share)
                            null_marginals[place] += base * share
                        new = _drawn(weight, own, n, base, old, _uniform(random, s) * total)
                        links[place * SAMPLERS + s] = new
                    if new >= 0:
                        pairs[entries[start + j * step + new * stride] * SAMPLERS + s] += by
                        word = given_words[given_first + new] * SAMPLERS + s
                        given[word] += by
                        if fertility:
                            _count_fertility(fertilities, word, linked[own + new], by)
                        linked[own + new] += by
                        i = new
                        while True:  # of the given word and its twins
                            factors[own + i] = _factor(
                                fertilities, given, word, linked[own + i], fertility, gamma, alpha_sum
                            )
                            _change_rows(rows, twins, first, j, s, i, padded, by)
                            i = np.int64(given_twins[given_first + i])
                            if i == new:
                                break
                        if by > 0:
                            previous[s] = new
                    elif new == NULL:
                        null[generated * SAMPLERS + s] += by
                        null_total[s] += by
                    if with_jumps and new != UNLINKED:
                        jump_total[s] += _count_jumps(
                            jumps, weights, mirror, jump_row, middle, left, new, right, by, beta
                        )
        if collect:
            for j in range(m):
                for i in range(n):
                    marginals[start + j * n + i] += sums[j * padded + i]


@njit(cache=True, nogil=True)
def _decode(text, marginals, null_marginals, number, out):
    """Write the most probable given word of each token of the first `number` pairs."""
    for pair in range(number):
        n = text.given_bounds[pair + 1] - text.given_bounds[pair]
        for j in range(text.bounds[pair + 1] - text.bounds[pair]):
            place = text.bounds[pair] + j
            best = null_marginals[place]
            for i in range(n):
                value = marginals[text.starts[pair] + j * n + i]
                if value > best:
                    best, out[place] = value, i
