"""Bilingual lexicon induction (joint_align section 4.1): predict translations, and score them.

Conventions, for a dictionary with several translations a word:

- A query is a distinct source word. A query is a hit at k if a gold translation is among its first k candidates
  (Conneau et al. 2018, MUSE's evaluation).
- `oov=muse`: pairs with either word out of vocabulary are skipped; queries left without a pair do not count.
- `oov=paper` (joint_align footnote 6, as its authors' program reads it): every query counts. A source word without a
  pair in vocabulary retrieves itself alone: a hit if the dictionary lists the word as its own translation. Other words
  are hits through their translations in vocabulary only.
- `oov=footnote6` (its letter): the same, but only a source word without a vector retrieves itself. A word with a
  vector, but without a translation in vocabulary, is wrong.
- `drop_identical` (table 2) removes the pairs with equal words before anything else; a query with other
  translations stays.
- Coverage is the share of queries with a vector and at least one gold translation with a vector. Coverage is the same
  under all rules; muse's `n_queries` is that share of the other rules' `n_queries`.

Words are compared as they are written; precision and coverage are 0-100.
"""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from crosslingua.arrays import check_whole, real_array, word_pairs
from crosslingua.cli import natural_number, seed_number
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.atomic import atomic_open
from crosslingua.io.bitext import read_dictionary
from crosslingua.io.decode import decoded_lines
from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction import RETRIEVALS

# Rank 1 is the best candidate. At rank 0 stand words without a vector, sources with an empty target and the reverse.
HEADER = "source\trank\ttarget\tscore\tconvention"


@dataclass
class Predictions:
    """Ranked translations under one convention, source word -> [(target word, score)], and words without a vector."""

    convention: str
    translations: dict[str, list[tuple[str, float]]] = field(default_factory=dict)
    unknown_sources: set[str] = field(default_factory=set)
    unknown_targets: set[str] = field(default_factory=set)


def write_predictions(path: str | Path, predictions: Sequence[Predictions]) -> None:
    """Write one block of rows a convention, atomically; nine digits a score keep float32's bits."""
    with atomic_open(path) as stream:
        stream.write(HEADER + "\n")
        for block in predictions:
            end = f"\t{block.convention}\n"
            for source, ranked in block.translations.items():
                for rank, (target, score) in enumerate(ranked, 1):
                    stream.write(f"{source}\t{rank}\t{target}\t{score:.9g}{end}")
            stream.writelines(f"{source}\t0\t\t{end}" for source in sorted(block.unknown_sources))
            stream.writelines(f"\t0\t{target}\t{end}" for target in sorted(block.unknown_targets))


def read_predictions(path: str | Path) -> list[Predictions]:
    """Read what `write_predictions` wrote; raises InputError with file and line for anything else."""
    found: dict[str, Predictions] = {}
    lines = decoded_lines(path)
    if next(lines, None) != HEADER:
        raise InputError(
            path, "not a predictions file", line=1, remedy=f"expected the columns {HEADER.split()}"
        )
    for number, line in enumerate(lines, 2):
        try:
            source, rank, target, score, convention = line.split("\t")
            block, rank = found.setdefault(convention, Predictions(convention)), int(rank)
            if rank == 0:
                (block.unknown_sources if source else block.unknown_targets).add(source or target)
                continue
            ranked = block.translations.setdefault(source, [])
            if rank != len(ranked) + 1:
                raise ValueError(f"rank {rank} of {source!r} follows rank {len(ranked)}")
            ranked.append((target, float(np.float32(score))))  # the scores were float32
        except ValueError as error:
            raise InputError(path, f"not a row of predictions: {error}", line=number) from None
    if not found:
        raise InputError(path, "no predictions")
    return list(found.values())


DRAWS = 2**22  # random numbers held at a time
LEVEL = 0.95  # of intervals


def bootstrap_interval(values: np.ndarray, *, samples: int = 1000, seed: int = 0) -> tuple[float, float]:
    """Return the 95% percentile interval (Efron and Tibshirani 1993) of the mean of `values` (n,), one a query.
    Raises ConfigError for no values, values that are not finite, and numbers of samples or seeds that are none.
    """
    values = real_array(values, "values", 1, finite=True).astype(np.float64)
    check_whole(seed, "seed")
    check_whole(samples, "samples")
    if not len(values) or samples < 1:
        raise ConfigError(f"cannot resample {len(values)} queries {samples} times")
    rng, means = np.random.default_rng(seed), np.empty(samples)
    step = max(1, DRAWS // len(values))
    for start in range(0, samples, step):
        draws = rng.integers(0, len(values), (min(step, samples - start), len(values)))
        means[start : start + len(draws)] = values[draws].mean(axis=1)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


OOV_RULES = ("paper", "footnote6", "muse")
PRECISIONS = (1, 5, 10)
Pairs = Iterable[tuple[str, str]]


def predict(
    source: WordVectors,
    target: WordVectors,
    pairs: Pairs,
    name: str = "csls",
    *,
    neighbours: int = 10,
    max_vocabulary: int | None = 200_000,
    top: int = max(PRECISIONS),
    device: str = "cpu",
) -> Predictions:
    """Return the `top` candidates of every source word of `pairs` that has a vector, by the retrieval `name`.

    `max_vocabulary` cuts both sides, and with them the neighbourhoods of CSLS. Raises ConfigError for unequal
    dimensions, or when no pair has a vector on both sides.
    """
    for side, vectors in (("source", source), ("target", target)):
        if not isinstance(vectors, WordVectors):
            raise ConfigError(
                f"{side}: {vectors!r:.60} are no WordVectors: read_vectors reads them of a file"
            )
    if max_vocabulary is not None:
        check_whole(max_vocabulary, "max_vocabulary", 1)
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
    how = {"k": top, "neighbours": neighbours, "device": device}
    indices, scores = RETRIEVALS[name](source.matrix, target.matrix, rows, **how)
    return Predictions(
        convention=convention(name, neighbours, max_vocabulary),
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
    """Return precision and coverage (0-100) and their conventions (module docstring) as a flat, JSON-ready mapping.

    `p_at_1_ci` is the 95% interval of `p_at_1`; `ranks` is the first correct rank of each query (0: none);
    `spelled_alike` is the precision of who answers with the query itself. ConfigError when nothing is to score.
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
    skipped = predictions.unknown_targets if oov == "muse" else frozenset()
    themselves = predictions.unknown_sources if oov == "footnote6" else golds.keys() - covered
    if not covered:
        raise ConfigError("no query of the dictionary is within both vocabularies: there is nothing to score")

    def rank(word: str) -> int:
        if word in themselves:
            return int(word in golds[word])
        if word not in predictions.translations:
            raise ConfigError(
                f"the predictions do not answer {word!r}: they were made for another dictionary"
            )
        ranked = enumerate(predictions.translations[word], 1)
        return next((place for place, (candidate, _) in ranked if candidate in golds[word]), 0)

    ranks = {word: rank(word) for word in queries}
    places = np.array(list(ranks.values()))
    result: dict[str, Any] = {}
    for k in PRECISIONS:
        hits = (places > 0) & (places <= k)
        result[f"p_at_{k}"] = 100 * float(hits.mean())
        result[f"p_at_{k}_ci"] = [100 * end for end in bootstrap_interval(hits, samples=samples, seed=seed)]
    identical = "dropped" if drop_identical else "kept"
    return result | {
        "spelled_alike": 100 * sum(word in golds[word] - skipped for word in queries) / len(queries),
        "coverage": 100 * len(covered) / len(golds),
        "n_queries": len(queries),
        "n_pairs": sum(len(golds[word]) for word in queries),
        "source_oov": sum(word in predictions.unknown_sources for word in golds),
        "target_oov": len(set().union(*golds.values()) & predictions.unknown_targets),
        "signature": f"{predictions.convention}|oov={oov}|identical={identical}",
        "ranks": ranks,
    }


def gold_translations(pairs: Pairs, *, drop_identical: bool = False) -> dict[str, set[str]]:
    """Group `pairs` by source word, in order of appearance; raises ConfigError when none is left."""
    golds: dict[str, set[str]] = {}
    for word, translation in word_pairs(pairs):
        if not (drop_identical and word == translation):
            golds.setdefault(word, set()).add(translation)
    if not golds:
        raise ConfigError("the dictionary has no pairs" + (" of different words" if drop_identical else ""))
    return golds


def cut(vectors: WordVectors, limit: int | None) -> WordVectors:
    """Return the `limit` most frequent words; all for None."""
    if limit is None or len(vectors) <= limit:
        return vectors
    return WordVectors(vectors.words[:limit], vectors.matrix[:limit])


def convention(name: str, neighbours: int, max_vocabulary: int | None) -> str:
    """Return the signature of a retrieval: `csls|k=10|vocab=200000`."""
    k = [f"k={neighbours}"] if name == "csls" else []
    return "|".join([name, *k, f"vocab={'all' if max_vocabulary is None else max_vocabulary}"])


dictionary = cache(read_dictionary)  # cells share it


def add_scoring(parser: argparse.ArgumentParser, *, optional_dictionary: bool = False) -> None:
    """Add the dictionary, the conventions of scoring and the output."""
    told = "; without one, the most frequent words are translated" if optional_dictionary else ""
    parser.add_argument(
        "--dictionary", type=Path, required=not optional_dictionary,
        help=f"test dictionary, `source target` a line{told}",
    )  # fmt: skip
    parser.add_argument("--out", type=Path, required=True, help="JSON to write")
    parser.add_argument(
        "--oov", nargs="+", default=["paper"], choices=OOV_RULES,
        help="words without a vector: paper (joint_align's program) and footnote6 (joint_align's text) count them; "
             "muse skips them",
    )  # fmt: skip
    parser.add_argument(
        "--identical", nargs="+", default=["kept"], choices=("kept", "dropped"),
        help="dropped: without test pairs of the same surface form (table 2)",
    )  # fmt: skip
    parser.add_argument(
        "--drop-identical", dest="identical", action="store_const", const=["dropped"],
        default=argparse.SUPPRESS, help="short for --identical dropped",
    )  # fmt: skip
    parser.add_argument(
        "--bootstrap-samples", type=natural_number, default=1000, help="resamplings of the queries"
    )
    parser.add_argument("--seed", type=seed_number, default=0, help="of the resampling")


def scored(predictions: Sequence[Predictions], pairs: Pairs, args: argparse.Namespace, by: str) -> Any:
    """Return the scores of all predictions under all conventions asked for, nested so, as `signed`."""
    pairs, resampling = list(pairs), {"samples": args.bootstrap_samples, "seed": args.seed}
    results = [
        score(block, pairs, rule, drop_identical=which == "dropped", **resampling)
        for block, rule, which in product(predictions, args.oov, args.identical)
    ]
    return signed(results, by)


def signed(results: Sequence[Mapping[str, Any]], by: str) -> Any:
    """Return the only result, or the list of all of them, each with the script that scored it."""
    named = [{"by": by, **result} for result in results]
    return named[0] if len(named) == 1 else named
