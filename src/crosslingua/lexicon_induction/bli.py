"""Bilingual lexicon induction (joint_align section 4.1): predict translations; score them apart from that.

Conventions, for a dictionary with several translations a word:

- A query is a distinct source word; it is a hit at k if any of its gold translations is among its first k
  candidates (Conneau et al. 2018, MUSE's evaluation).
- `oov=muse`: pairs with either word out of vocabulary are skipped; queries left without a pair do not count.
- `oov=paper` (joint_align footnote 6, as its authors' program reads it): every query counts. A source word of
  which no pair is in vocabulary retrieves itself and nothing else, so it is a hit if the dictionary lists the
  word as its own translation. Any other word is a hit through its translations in vocabulary only.
- `oov=footnote6` (its letter): the same, but only a source word without a vector retrieves itself. One that has
  a vector, and no translation with one, is wrong.
- `drop_identical` (table 2) removes the pairs with equal words before anything else; a query with other
  translations stays.
- Coverage is the share of queries with a vector and at least one gold translation with a vector: the same
  number under all rules, and muse's `n_queries` is that share of the others'.

Words are compared as they are written; precision and coverage are 0-100.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from crosslingua.errors import ConfigError
from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction import RETRIEVALS
from crosslingua.lexicon_induction.predictions import Predictions
from crosslingua.lexicon_induction.significance import bootstrap_interval

OOV_RULES = ("paper", "footnote6", "muse")
PRECISIONS = (1, 5, 10)
Pairs = Iterable[tuple[str, str]]


def predict(
    source: WordVectors,
    target: WordVectors,
    pairs: Pairs,
    retrieval: str = "csls",
    *,
    neighbours: int = 10,
    max_vocabulary: int | None = 200_000,
    top: int = max(PRECISIONS),
) -> Predictions:
    """Return the `top` candidates of every source word of `pairs` that has a vector.

    The limit cuts both sides, and with them the neighbourhoods of CSLS (section 4.2: the 200k most frequent
    words; None keeps all). Raises ConfigError for an unknown retrieval, unequal dimensions, or when no pair
    has a vector on both sides.
    """
    source, target = cut(source, max_vocabulary), cut(target, max_vocabulary)
    golds = gold_translations(pairs)
    known = [word for word in golds if word in source]
    wanted = {word for translations in golds.values() for word in translations}
    if not any(translation in target for word in known for translation in golds[word]):
        raise ConfigError(
            f"no pair of the dictionary ({len(golds)} source words) has vectors on both sides "
            f"({len(source)} source, {len(target)} target words): are languages, direction and casing right, and are"
            " these words frequent enough to have vectors (minCount)?"
        )
    rows = np.array([source.index[word] for word in known])
    indices, scores = RETRIEVALS[retrieval](source.matrix, target.matrix, rows, k=top, neighbours=neighbours)
    return Predictions(
        convention=convention(retrieval, neighbours, max_vocabulary),
        translations=ranked_words(known, target, indices, scores),
        unknown_sources={word for word in golds if word not in source},
        unknown_targets={word for word in wanted if word not in target},
    )


def ranked_words(
    words: Iterable[str], target: WordVectors, indices: np.ndarray, scores: np.ndarray
) -> dict[str, list[tuple[str, float]]]:
    """Return the candidates of each of `words` (n) with their scores, of what a retrieval returns, (n, k) each."""
    return {
        word: [(target.words[column], float(score)) for column, score in zip(*ranked, strict=True)]
        for word, ranked in zip(words, zip(indices, scores, strict=True), strict=True)
    }


def score(
    predictions: Predictions,
    pairs: Pairs,
    oov: str = "paper",
    *,
    drop_identical: bool = False,
    samples: int = 1000,
    seed: int = 0,
) -> dict[str, Any]:
    """Return precision, coverage and their conventions (module docstring) as a flat, JSON-ready mapping.

    Keys: p_at_1, p_at_5, p_at_10 (0-100) and their 95% intervals p_at_1_ci, ... ([low, high], percentiles of
    `samples` bootstrap resamplings of the queries); coverage (0-100); n_queries, n_pairs; source_oov,
    target_oov (words); signature; ranks, the first correct rank of each query (0: none), which paired tests
    between systems need. Raises ConfigError when nothing is left to score, or a query has no prediction.
    """
    if oov not in OOV_RULES:
        raise ConfigError(f"unknown out-of-vocabulary rule {oov!r}: the rules are {', '.join(OOV_RULES)}")
    golds = gold_translations(pairs, drop_identical=drop_identical)
    covered = {
        word
        for word, translations in golds.items()
        if word not in predictions.unknown_sources and not translations <= predictions.unknown_targets
    }
    queries = [word for word in golds if word in covered or oov != "muse"]
    themselves = predictions.unknown_sources if oov == "footnote6" else golds.keys() - covered
    if not covered:
        raise ConfigError("no query of the dictionary is within both vocabularies: there is nothing to score")
    ranks = {
        word: int(word in golds[word])
        if word in themselves
        else _first_correct(word, golds[word], predictions)
        for word in queries
    }
    found = np.array(list(ranks.values()))
    result: dict[str, Any] = {}
    for k in PRECISIONS:
        hits = (found > 0) & (found <= k)
        result[f"p_at_{k}"] = 100 * float(hits.mean())
        result[f"p_at_{k}_ci"] = [100 * end for end in bootstrap_interval(hits, samples=samples, seed=seed)]
    identical = "dropped" if drop_identical else "kept"
    return result | {
        "coverage": 100 * len(covered) / len(golds),
        "n_queries": len(queries),
        "n_pairs": sum(len(golds[word]) for word in queries),
        "source_oov": sum(word in predictions.unknown_sources for word in golds),
        "target_oov": len(set().union(*golds.values()) & predictions.unknown_targets),
        "signature": f"{predictions.convention}|oov={oov}|identical={identical}",
        "ranks": ranks,
    }


def score_all(
    predictions: Sequence[Predictions],
    pairs: Pairs,
    oov: Sequence[str] = OOV_RULES,
    identical: Sequence[str] = ("kept",),
    **options: Any,
) -> list[dict[str, Any]]:
    """Score each set of predictions under each rule, nested so; `identical` holds `kept`, `dropped`."""
    pairs = list(pairs)
    return [
        score(block, pairs, rule, drop_identical=which == "dropped", **options)
        for block in predictions
        for rule in oov
        for which in identical
    ]


def gold_translations(pairs: Pairs, *, drop_identical: bool = False) -> dict[str, set[str]]:
    """Group `pairs` by source word, in order of appearance; raises ConfigError when none is left."""
    golds: dict[str, set[str]] = {}
    for word, translation in pairs:
        if not (drop_identical and word == translation):
            golds.setdefault(word, set()).add(translation)
    if not golds:
        raise ConfigError("the dictionary has no pairs" + (" of different words" if drop_identical else ""))
    return golds


def _first_correct(word: str, golds: set[str], predictions: Predictions) -> int:
    """Return the 1-based rank of the first gold translation among the candidates, 0 if there is none."""
    if word not in predictions.translations:
        raise ConfigError(f"the predictions do not answer {word!r}: they were made for another dictionary")
    ranked = predictions.translations[word]
    return next((rank for rank, (candidate, _) in enumerate(ranked, 1) if candidate in golds), 0)


def cut(vectors: WordVectors, limit: int | None) -> WordVectors:
    """Return the `limit` most frequent words; all for None."""
    if limit is None or len(vectors) <= limit:
        return vectors
    return WordVectors(vectors.words[:limit], vectors.matrix[:limit])


def convention(retrieval: str, neighbours: int, max_vocabulary: int | None) -> str:
    """Return the signature of a retrieval: `csls|k=10|vocab=200000`."""
    parts: Sequence[str] = (retrieval, *([f"k={neighbours}"] if retrieval == "csls" else []))
    return "|".join([*parts, f"vocab={'all' if max_vocabulary is None else max_vocabulary}"])
