"""fast_align as plain dictionaries and loops, written down once more for the tests."""

import math
from collections import defaultdict

from scipy.special import digamma


def prior(j, m, n, tension):
    """p(a_j = i) for i = 1..n without the null word; j counts from 1."""
    weights = [math.exp(-tension * abs(i / n - j / m)) for i in range(1, n + 1)]
    return [weight / sum(weights) for weight in weights]


def expectations(pairs, table, tension, p0):
    """Return (counts, log likelihood, summed feature); `table(e, f)` is t(f | e), e = None the null word."""
    counts = defaultdict(lambda: defaultdict(float))
    likelihood = feature = 0.0
    for given, generated in pairs:
        n, m = len(given), len(generated)
        rows = weights(given, generated, table, tension, p0)
        for j, (f, row) in enumerate(zip(generated, rows, strict=True), 1):
            likelihood += math.log(sum(row))
            for i, (e, weight) in enumerate(zip([None, *given], row, strict=True)):
                posterior = weight / sum(row)
                counts[e][f] += posterior
                if i:
                    feature -= posterior * abs(i / n - (j - 1) / m)
    return counts, likelihood, feature


def estimated(counts, alpha):
    """Return t as a function; exp E[log theta] with `alpha`."""
    table = {}
    for e, row in counts.items():
        total = sum(row.values()) + alpha * len(row)
        for f, count in row.items():
            table[e, f] = math.exp(digamma(count + alpha) - digamma(total)) if alpha else count / total
    return lambda e, f: table[e, f]


def climbed(pairs, tension, feature):
    """Eight gradient steps on the tension; `feature` is the posterior mean."""
    tokens = sum(len(generated) for _, generated in pairs)
    for _ in range(8):
        model = 0.0
        for given, generated in pairs:
            n, m = len(given), len(generated)
            for j in range(1, m + 1):
                model -= sum(p * abs(i / n - j / m) for i, p in enumerate(prior(j, m, n, tension), 1))
        tension = min(max(tension + 20 * (feature - model / tokens), 0.1), 14.0)
    return tension


def weights(given, generated, table, tension, p0):
    """Return for each generated word the weights of the null word and of every given word."""
    found = []
    for j, f in enumerate(generated, 1):
        row = prior(j, len(generated), len(given), tension)
        others = [(1 - p0) * p * table(e, f) for e, p in zip(given, row, strict=True)]
        found.append([p0 * table(None, f), *others])
    return found
