"""A lexicon of the most frequent words, without a dictionary: candidates, and two criteria that need no gold."""

from typing import Any

import numpy as np

from crosslingua.errors import ConfigError
from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction import RETRIEVALS
from crosslingua.lexicon_induction.bli import PRECISIONS, Predictions, convention, cut, ranked_words
from crosslingua.lexicon_induction.retrieval import mean_cosine, retrieve_back

QUERIES = 10_000


def induce(
    source: WordVectors,
    target: WordVectors,
    name: str = "csls",
    *,
    queries: int = QUERIES,
    neighbours: int = 10,
    max_vocabulary: int | None = 200_000,
    top: int = max(PRECISIONS),
    device: str = "cpu",
) -> tuple[Predictions, dict[str, Any]]:
    """Return the `top` candidates of the `queries` most frequent source words, and two criteria that need no gold.

    - `mean_cosine`: the mean cosine (-1 to 1) of the queries with their best candidate. By CSLS and with 10,000
      queries, this is MUSE's criterion for the choice of a map (Conneau et al. 2018, section 3.5).
    - `mutual`: per cent of the queries whose best candidate retrieves them back, among all source words.

    Both say how well two spaces fit, not whether translations are right. Spaces of nearly equal vectors fit well, and a
    shared word of a joint space retrieves itself at cosine 1. Limits and errors are as in `predict`.
    """
    if queries < 1:
        raise ConfigError(f"a lexicon needs at least one query, got {queries}")
    source, target = cut(source, max_vocabulary), cut(target, max_vocabulary)
    rows, retrieve = np.arange(min(queries, len(source))), RETRIEVALS[name]
    how = {"neighbours": neighbours, "device": device}
    indices, scores = retrieve(source.matrix, target.matrix, rows, k=top, **how)
    best = indices[:, 0]
    mutual = retrieve_back(source.matrix, target.matrix, best, retrieve, **how) == rows
    signature = convention(name, neighbours, max_vocabulary)
    words = [source.words[row] for row in rows]
    return Predictions(signature, ranked_words(words, target, indices, scores)), {
        "mean_cosine": mean_cosine(source.matrix[rows], target.matrix[best]),
        "mutual": 100 * float(mutual.mean()),
        "n_queries": len(rows),
        "signature": signature,
    }
