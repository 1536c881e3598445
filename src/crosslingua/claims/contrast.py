"""Items whose mean is a weighted sum of the means of others."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from crosslingua.claims.evidence import Values

Part = tuple[float, Values]  # weight, values of a sample by item


def contrast(parts: Sequence[Part]) -> Values:
    """Return items whose mean is the weighted sum of the means of `parts`, and whose variance is that of this sum.

    A value v, one of the n of its part among N items in all, counts as sum + N weight / n (v - their mean). An item of
    several parts, such as a sentence that is translated into several languages, is one: what they have in common adds
    up. Parts whose items only bear the same names, and are independent, lose nothing by it but degrees of freedom.
    """
    number = len(set().union(*(values for _, values in parts)))
    means = [fmean(values.values()) for _, values in parts]
    effect = sum(weight * mean for (weight, _), mean in zip(parts, means, strict=True))
    found: dict[tuple[str, str], float] = {}
    for (weight, values), mean in zip(parts, means, strict=True):
        share = number * weight / len(values)
        for item, value in values.items():
            found[item] = found.get(item, effect) + share * (value - mean)
    return found
