"""Gold alignments, and error rate, precision, recall and F1 against them (Och and Ney 2003).

With links A, sure links S and possible links P (S within P):

    AER = 1 - (|A & S| + |A & P|) / (|A| + |S|)    precision = |A & P| / |A|    recall = |A & S| / |S|
"""

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from crosslingua.arrays import check_whole
from crosslingua.errors import ConfigError
from crosslingua.io.pharaoh import Link, LinkFile, Links, checked_links

METRICS = ("aer", "precision", "recall", "f1")
LEVEL = 0.95  # of intervals
MOST_SAMPLES = 1_000_000  # of a bootstrap


def count_links(gold: Sequence[Links], chosen: Iterable[Iterable[Link]]) -> np.ndarray:
    """Return (pairs, 4) int64 for each sentence pair: |A|, |S|, |A & S|, |A & P|."""
    counts = [
        (len(links), len(pair.sure), len(links & pair.sure), len(links & pair.possible))
        for pair, links in zip(gold, map(frozenset, chosen), strict=True)
    ]
    return np.array(counts, dtype=np.int64).reshape(-1, 4)


def rates(counts: np.ndarray) -> dict[str, np.ndarray]:
    """Return aer, precision, recall and f1 in 0-100 for summed counts (..., 4); nothing chosen has precision 0."""
    chosen, sure, chosen_sure, chosen_possible = np.moveaxis(np.asarray(counts, dtype=np.float64), -1, 0)
    precision = chosen_possible / np.maximum(chosen, 1)
    recall = chosen_sure / np.maximum(sure, 1)
    f1 = 2 * precision * recall / np.where(precision + recall > 0, precision + recall, 1)
    aer = 1 - (chosen_sure + chosen_possible) / np.maximum(chosen + sure, 1)
    return {name: 100 * value for name, value in zip(METRICS, (aer, precision, recall, f1), strict=True)}


def intervals(counts: np.ndarray, *, samples: int = 1000, seed: int = 0) -> dict[str, list[float]]:
    """Return the 95% percentile bootstrap interval of each rate over sentence pairs (Efron and Tibshirani 1993)."""
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(len(counts), np.full(len(counts), 1 / len(counts)), size=samples)
    bounds = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
    return {name: np.quantile(values, bounds).tolist() for name, values in rates(drawn @ counts).items()}


def score(
    gold: Sequence[Links], chosen: Iterable[Iterable[Link]], *, samples: int = 1000, seed: int = 0
) -> dict[str, object]:
    """Return `rates`, their 95% `intervals` (if `samples`), `counts`, and `count_links` as `per_pair`.

    ConfigError without a sure link in the gold (AER is not defined), for other numbers of pairs, and for no links.
    """
    check_whole(samples, "samples")
    check_whole(seed, "seed")
    if not 0 <= samples <= MOST_SAMPLES:
        raise ConfigError(
            f"{samples} bootstrap samples: there must be 1 to {MOST_SAMPLES:,}, or 0 for no intervals"
        )
    chosen = [checked_links(links) for links in chosen]
    if len(chosen) != len(gold):
        raise ConfigError(f"links of {len(chosen)} sentence pairs for {len(gold)} of the gold alignment")
    counts = count_links(gold, chosen)
    if not counts[:, 1].sum():
        raise ConfigError("the gold alignment has no sure link: AER and recall are not defined")
    total = counts.sum(axis=0)
    sizes = {"pairs": len(counts), "chosen": int(total[0]), "sure": int(total[1])}
    return {
        **{name: float(value) for name, value in rates(total).items()},
        "intervals": intervals(counts, samples=samples, seed=seed) if samples else {},
        "counts": sizes | {"possible": sum(len(pair.possible) for pair in gold)},
        "per_pair": counts.tolist(),
    }


def signature(gold: Sequence[Links], index_base: int) -> str:
    """Return the convention of a score: first token's number in the gold file, and whether it has possible links."""
    kinds = "sure+possible" if any(pair.possible > pair.sure for pair in gold) else "sure"
    return f"index_base={index_base}|links={kinds}"


log = logging.getLogger(__name__)
DOUBTFUL_PAIRS = 10  # with as many, some link to a first word is expected


def read_alignment(
    source: str | Path | LinkFile,
    lengths: Sequence[tuple[int, int]] | None = None,
    index_base: int | None = None,
    counts: Counter[str] | None = None,
) -> list[Links]:
    """Return the links of a file, as `LinkFile` does; warn where it seems to count from another `index_base`."""
    counts = Counter() if counts is None else counts
    file = source if isinstance(source, LinkFile) else LinkFile.read(source)
    links, path = file.links(lengths, index_base, counts), file.path
    if counts["out_of_range"]:
        log.warning("%s: %d links out of range are left out", path, counts["out_of_range"])
    linked = [pair for pair in links if pair.possible]
    if len(linked) >= DOUBTFUL_PAIRS and not any(0 in link for pair in linked for link in pair.possible):
        log.warning("%s: no link to a first word in %d pairs: is the index base right?", path, len(linked))
    return links
