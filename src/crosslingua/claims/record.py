"""What all runs of a measure tell about failures that the few seeds of one comparison do not show.

A system that fails in a share p of its runs shows no failure in S seeds with probability (1 - p)^S: 51, 33 and 11%
for p = 0.2 and 3, 5 and 10 seeds. Its mean is then too high by p times the loss, and no interval of these seeds says
so. The other runs of the measure limit p. A run failed if it is OUTLIER typical deviations below its best.

    unseen failures    p <= 1 - a^(1 / n), of n runs without a failure (the "rule of three"; Hanley and Lippman-Hand
                       1983); the n runs are the S seeds and, at half weight, all others (a power prior; Ibrahim and
                       Chen 2000); p is RARE at most. The loss is all that a system has above the worst run, or nothing.
    failures as seen   p is at most the 1 - a / 2 quantile, given S seeds without a failure, of rates that follow a beta
                       distribution over systems (Skellam 1948), whose mean and whose correlation within a system
                       are uniform a priori. The loss is the mean one of the runs that failed,
                       no larger than the one above.

Here a = (1 - level) / 2. One system of a comparison is in doubt at a time, by the larger of the two; one that shows
failures has them in its interval. A failure that no run of the measure comes near cannot be excluded by any rule.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import fmean

import numpy as np

from crosslingua.claims.interval import Evidence, Spread
from crosslingua.claims.skew import largest_skewness

OUTLIER = 8.0  # times the median deviation from a system's median
OTHERS = 0.5  # weight of a run of the record beside one of the comparison's own
RARE = 0.25  # the greatest rate of failures of a kind that no run shows
ROUNDING = 1e-9  # half the width that equal values may have
LEAST = 3  # runs of a system that tell a failure

Unit = tuple[str, str]  # language pair, system


@dataclass(frozen=True)
class Record:
    """All runs of a measure: of each pair and system how many there are, how many failed, and the mean of all.

    `worst` is the worst score, `loss` the mean loss of a failed run (negative where scores are better the lower),
    `skewness` the largest that the runs do not exclude.
    """

    units: Mapping[Unit, tuple[int, int]] = field(default_factory=dict)
    means: Mapping[Unit, float] = field(default_factory=dict)
    worst: float = 0.0
    loss: float = 0.0
    skewness: float = 0.0

    def doubt(self, pairs: Sequence[str], system: str, over: str | None) -> "Doubt":
        """Return what failures could have done to the mean over `pairs` of `system`, less that of `over`."""
        sides = []
        for sign, name in ((1, system), (-1, over)):
            if name is not None:
                units = [(pair, name) for pair in pairs]
                reach = fmean(self.worst - self.means[unit] for unit in units)
                sides.append((sign, reach, fmean(not self.units[unit][1] for unit in units)))
        return Doubt(self, tuple(sides))


@dataclass(frozen=True)
class Doubt:
    """How far failures that seeds do not show could move an effect; `sides` are its systems: the sign with which one
    counts, the way to the worst score, and the share of pairs in which none of its runs failed.
    """

    record: Record = Record()
    sides: tuple[tuple[int, float, float], ...] = ()

    def unseen(self, level: float, seeds: int) -> float:
        """Return the greatest rate of failures of a kind that no run of the measure shows."""
        if not self.sides:
            return 0.0
        runs = [number for number, _ in self.record.units.values()]
        others = sum(runs) / max(runs) - 1
        return min(RARE, 1 - ((1 - level) / 2) ** (1 / (seeds * (1 + OTHERS * others))))

    def margins(self, level: float, seeds: int) -> tuple[float, float]:
        """Return how far down and how far up, were there `seeds` of each system."""
        unseen, seen, moves = self.unseen(level, seeds), 0.0, [0.0]
        if self.sides and self.record.loss:
            alike = tuple(sorted(Counter(self.record.units.values()).items()))
            seen = _rate(alike, seeds, (1 - level) / 4)
        for sign, reach, clean in self.sides:
            fall = np.sign(reach) * min(abs(self.record.loss), abs(reach))  # no deeper than the worst score
            moves += [float(sign * unseen * reach), float(sign * seen * clean * fall)]
        return -min(moves), max(moves)

    def around(self, spread: Spread, level: float) -> tuple[float, float]:
        """Return how far the interval of `spread` at `level` reaches down and up, failures included."""
        margin = spread.margin(level)
        down, up = self.margins(level, spread.seeds) if margin > ROUNDING else (0.0, 0.0)
        return margin + down, margin + up


def record_of(found: Evidence) -> Record:
    """Return what the runs of a measure tell."""
    runs = {
        (pair, system): np.array([fmean(values.values()) for values in seeds.values() if values])
        for pair, systems in found.values.items()
        for system, seeds in systems.items()
    }
    runs = {unit: scores for unit, scores in runs.items() if len(scores)}
    if not runs:
        return Record()
    every = np.concatenate(list(runs.values()))
    sign = 1 if found.worst <= np.median(every) else -1  # whether more is better
    several = {unit: scores for unit, scores in runs.items() if len(scores) >= LEAST}
    sizes = np.concatenate([np.abs(scores - np.median(scores)) for scores in several.values()] or [[0.0]])
    typical = np.median(sizes[sizes > 0]) if sizes.any() else 0.0
    failed = {
        unit: sign * (scores - (sign * scores).max() * sign) < -OUTLIER * typical
        for unit, scores in several.items()
    }
    regular = [scores for unit, scores in several.items() if not failed[unit].any()]
    losses = [several[unit][~bad].mean() - several[unit][bad] for unit, bad in failed.items() if bad.any()]
    return Record(
        units={
            unit: (len(scores), int(failed[unit].sum()) if unit in failed else 0)
            for unit, scores in runs.items()
        },
        means={unit: float(scores.mean()) for unit, scores in runs.items()},
        worst=float(sign * min(sign * found.worst, (sign * every).min())),
        loss=float(np.concatenate(losses).mean()) if losses else 0.0,
        skewness=largest_skewness(regular),
    )


@lru_cache(1024)
def _rate(counts: Sequence[tuple[tuple[int, int], int]], seeds: int, tail: float) -> float:
    """Return the failure rate that a system without a failure in `seeds` exceeds with probability `tail`.

    `counts` say how many systems have so many runs, so many of which failed.
    """
    from scipy.optimize import brentq
    from scipy.special import betainc, betaln

    steps = (np.arange(40) + 0.5) / 40
    mean, correlation = (grid.ravel() for grid in np.meshgrid(steps, steps[::2]))
    a, b = mean * (1 / correlation - 1), (1 - mean) * (1 / correlation - 1)
    weights = sum(n * (betaln(a + bad, b + runs - bad) - betaln(a, b)) for (runs, bad), n in counts)
    weights = np.exp(weights - weights.max())
    weights /= weights.sum()
    return float(brentq(lambda rate: weights @ betainc(a, b + seeds, rate) - (1 - tail), 0, 1, xtol=1e-4))
