"""How near translations are to each other in the stages of joint_align (section 3.1), and which words are hubs.

Reallocation moves no vector: it takes words out of a language's reach. Reallocation therefore changes the rivals of a
word, the target words that do not translate it. The nearest rival of a shared word is that word itself.

A translation pair is `shared` if both languages use one of its words before reallocation. All stages have the same
split, so they can be compared. Pairs of one surface form are left out: while shared, word and translation have one
vector, with cosine 1.
"""

from collections.abc import Collection, Container, Mapping, Sequence
from typing import Any

import numpy as np

from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction import exact
from crosslingua.lexicon_induction.bli import gold_translations
from crosslingua.lexicon_induction.retrieval import nearest, unit_rows

Pair = tuple[str, str]
STAGES = {
    "joint": "joint training",
    "reallocated": "after vocabulary reallocation",
    "refined": "after alignment refinement",
}


def random_partners(pairs: Sequence[Pair], seed: int, known: Container[str]) -> list[str | None]:
    """Return, for each pair, the `known` translation of another one that is none of its own word's, or None.

    Translations of other words are as frequent as translations are; they are drawn by `seed`.
    """
    golds = gold_translations(pairs)
    targets = sorted({target for _, target in pairs if target in known})
    rng = np.random.default_rng(seed)
    partners: list[str | None] = []
    for source, _ in pairs:
        if golds[source].issuperset(targets):
            partners.append(None)
            continue
        partner = targets[rng.integers(len(targets))]
        while partner in golds[source]:
            partner = targets[rng.integers(len(targets))]
        partners.append(partner)
    return partners


def measure(
    source: WordVectors,
    target: WordVectors,
    pairs: Sequence[Pair],
    partners: Sequence[str | None],
    shared: Collection[str],
) -> list[dict[str, Any]]:
    """Return the cosines of each pair of `pairs` with different words whose vectors (and whose partner's) are there.

    `random` is the cosine with the partner, `rival` with the nearest wrong word; `shared`: a word is in `shared`.
    """
    known = [
        (one, other, partner)
        for (one, other), partner in zip(pairs, partners, strict=True)
        if one != other and one in source and other in target and partner in target
    ]
    if not known:
        return []
    rows, places = np.array([source.index[one] for one, _, _ in known]), np.arange(len(known))
    columns = ([target.index[words[i]] for words in known] for i in (1, 2))
    unit = unit_rows(source.matrix[rows])
    found = [exact.pair_cosines(unit, unit_rows(target.matrix[own]), places, places) for own in columns]
    golds, rivals = gold_translations(pairs), []
    near = nearest(source.matrix, target.matrix, rows, k=1 + max(map(len, golds.values())))
    for (one, _, _), others, cosines in zip(known, *near, strict=True):
        wrong = (v for i, v in zip(others, cosines, strict=True) if target.words[i] not in golds[one])
        rivals.append(next(wrong, -1.0))  # where every target word is a translation
    found.append(rivals)
    return [
        {"source": one, "target": other, "shared": one in shared or other in shared}
        | {name: round(float(v), 6) for name, v in zip(("cosine", "random", "rival"), values, strict=True)}
        for (one, other, _), *values in zip(known, *found, strict=True)
    ]


def separability(cosines: Sequence[float] | np.ndarray, randoms: Sequence[float] | np.ndarray) -> float:
    """Return how often a translation pair is nearer than a random one (area under the ROC curve; a tie is half)."""
    from scipy.stats import rankdata

    ranks = rankdata(np.concatenate([cosines, randoms]))[: len(cosines)]
    wins = ranks.sum() - len(cosines) * (len(cosines) + 1) / 2
    return float(wins / (len(cosines) * len(randoms)))


def by_panel(cells: Sequence[Mapping[str, Any]]) -> dict[tuple[str, bool], np.ndarray]:
    """Return (stage, shared) -> cosines (3, n) of translations, random pairs and rivals, of all seeds together."""
    found: dict[tuple[str, bool], list[tuple[float, float, float]]] = {}
    for cell in cells:
        for pair in cell["pairs"]:
            values = (pair["cosine"], pair["random"], pair["rival"])
            found.setdefault((cell["stage"], pair["shared"]), []).append(values)
    return {key: np.array(values).T for key, values in found.items()}


def occurrences(source: WordVectors, target: WordVectors, k: int = 10) -> np.ndarray:
    """Return N_k (m,): of how many source words each target word is among the `k` nearest."""
    indices, _ = nearest(source.matrix, target.matrix, k=k)
    return np.bincount(indices.ravel(), minlength=len(target))


def skewness(counts: np.ndarray) -> float:
    """Return the skewness of `counts` (m,), E[(N_k - mean)^3] / deviation^3; 0 where all are equal."""
    centred = counts - counts.mean()
    deviation = np.sqrt((centred**2).mean())
    return 0.0 if deviation == 0 else float((centred**3).mean() / deviation**3)


def describe(source: WordVectors, target: WordVectors, k: int = 10, examples: int = 5) -> dict[str, Any]:
    """Return k, numbers of words, skewness, antihubs (percent of targets near nobody), distribution, top hubs."""
    counts = occurrences(source, target, k)
    values, words = np.unique(counts, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:examples]
    return {
        "k": k,
        "source_words": len(source),
        "target_words": len(target),
        "skewness": skewness(counts),
        "antihubs": 100 * float((counts == 0).mean()),
        "n": values.tolist(),
        "words": words.tolist(),
        "hubs": [[target.words[column], int(counts[column])] for column in order],
    }
