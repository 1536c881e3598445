"""A lexicon of all words of a mapped pair, each translation with the probability that it is right.

The probability is a logistic regression on what is known of a translation without a dictionary: its CSLS, the lead over
the next candidate, whether the target word retrieves the source word back, in how many other training runs the same
word wins, and how frequent the source word is. The regression is fitted on dictionary entries that trained nothing.
Copies, which joint training finds at no cost, have a regression of their own.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from crosslingua.errors import ConfigError
from crosslingua.io.atomic import atomic_open
from crosslingua.io.bitext import Pair
from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction.retrieval import csls

FEATURES = ("csls", "lead", "mutual", "votes", "rank")
LEAST = 50  # entries with a translation that is right, and as many with one that is wrong, to fit on
FOLDS = 5
COLUMNS = ("source", "target", "confidence", "second", "origin", "frequency")  # of a file
EXAMPLE = ("example_source", "example_target")
GIVEN = "given"  # the origin of an entry of the user's dictionary
Space = tuple[WordVectors, WordVectors]  # mapped vectors of source and target


@dataclass(frozen=True)
class InducedLexicon:
    """Each word of the source language with its `best` and `second` translation and (n, FEATURES) `features`."""

    words: list[str]
    best: list[str]
    second: list[str]
    features: np.ndarray


def induce(spaces: Sequence[Space]) -> InducedLexicon:
    """Return the translations in the first of `spaces`; the others, of further training runs, vote."""
    source, target = spaces[0]
    indices, scores = csls(source.matrix, target.matrix, k=2)
    best = indices[:, 0]
    back = csls(target.matrix, source.matrix, k=1)[0][:, 0]
    words = [target.words[row] for row in best]
    votes = np.zeros(len(source))
    for others, targets in spaces[1:]:
        found = csls(others.matrix, targets.matrix, k=1)[0][:, 0]
        theirs = {word: targets.words[row] for word, row in zip(others.words, found, strict=True)}
        votes += [theirs.get(word) == own for word, own in zip(source.words, words, strict=True)]
    rank, shares = np.arange(len(source)), votes / max(1, len(spaces) - 1)
    lead, mutual = scores[:, 0] - scores[:, 1], back[best] == rank
    features = np.column_stack([scores[:, 0], lead, mutual, shares, np.log1p(rank)])  # as FEATURES
    return InducedLexicon(source.words, words, [target.words[row] for row in indices[:, 1]], features)


@dataclass(frozen=True)
class Calibrated:
    """Probabilities (n,) of a lexicon's translations, NaN of a kind with too few entries, and how they fare on
    dictionary entries that did not fit them: `entries`, `precision` and mean `confidence` in percent, and `error`, the
    expected calibration error in points.
    """

    confidence: np.ndarray
    entries: int
    precision: float
    mean: float
    error: float


def calibrate(lexicon: InducedLexicon, gold: Mapping[str, set[str]]) -> Calibrated:
    """Fit on `gold` (word -> translations), and test by cross-validation. ConfigError for too few entries.

    A kind, copies or other translations, of which fewer than 50 are right, or wrong, has one probability if it has 100
    entries.
    """
    rows = np.array([row for row, word in enumerate(lexicon.words) if word in gold], dtype=np.int64)
    right = np.array([lexicon.best[row] in gold[lexicon.words[row]] for row in rows], dtype=bool)
    copies = np.array(lexicon.best) == np.array(lexicon.words)
    confidence, tested = np.full(len(copies), np.nan), np.full(len(rows), np.nan)
    for of in (copies, ~copies):
        own = of[rows]
        if min(right[own].sum(), (~right[own]).sum()) >= LEAST:
            tested[own], confidence[of] = _regression(lexicon.features, rows[own], right[own], of)
        elif own.sum() >= 2 * LEAST:
            tested[own] = (right[own].sum() - right[own] + 1) / (own.sum() + 1)  # without itself
            confidence[of] = (right[own].sum() + 1) / (own.sum() + 2)
    known = ~np.isnan(tested)
    if not known.any():
        found = f"{right.sum()} of {len(right)} held-out translations are right"
        raise ConfigError(f"{found}: confidence needs {LEAST} right and {LEAST} wrong")
    tested, right_known = tested[known], right[known]
    shares = right_known.mean(), tested.mean(), calibration_error(tested, right_known)
    return Calibrated(confidence, int(known.sum()), *(100 * float(share) for share in shares))


def right_and_tested(lexicon: InducedLexicon, gold: Mapping[str, set[str]]) -> tuple[int, int]:
    """Return how many translations of words in `gold` (word -> translations) are right, and how many there are, without
    copies of the word.
    """
    pairs = zip(lexicon.words, lexicon.best, strict=True)
    tested = [target in gold[word] for word, target in pairs if word in gold and target != word]
    return sum(tested), len(tested)


def _regression(
    features: np.ndarray, rows: np.ndarray, right: np.ndarray, of: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Return the probabilities of `rows`, each by a model of other folds, and those of all words `of` a kind."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    tested = cross_val_predict(model, features[rows], right, cv=folds, method="predict_proba")[:, 1]
    model.fit(features[rows], right)
    return tested, model.predict_proba(features[of])[:, 1]


def calibration_error(confidence: np.ndarray, right: np.ndarray, bins: int = 10) -> float:
    """Return the expected calibration error: the mean gap of confidence and precision, over bins of equal size."""
    parts = np.array_split(np.argsort(confidence, kind="stable"), bins)
    gaps = [abs(confidence[part].mean() - right[part].mean()) * len(part) for part in parts if len(part)]
    return float(sum(gaps) / len(confidence))


def write(
    path: str | Path,
    lexicon: InducedLexicon,
    confidence: np.ndarray | None,
    given: Mapping[str, Collection[str]] | None = None,
    counts: Mapping[str, int] | None = None,
    examples: Mapping[Pair, Pair] | None = None,
) -> None:
    """Write source, target, confidence, the second candidate, origin and the source word's frequency, as TSV.

    Translations that are `given` stand in place of induced ones, without confidence; those of words without a vector
    come last. `counts` are occurrences of source words. `examples`, a sentence and its translation for some
    entries, are two more columns.
    """
    given, counts = given or {}, counts or {}
    with atomic_open(path) as stream:
        columns = COLUMNS if examples is None else (*COLUMNS, *EXAMPLE)
        stream.write("\t".join(columns) + "\n")

        def entry(word: str, target: str, probability: str, second: str, origin: str) -> None:
            cells = [word, target, probability, second, origin, str(counts.get(word, ""))]
            if examples is not None:
                cells += examples.get((word, target), ("", ""))
            stream.write("\t".join(cells) + "\n")

        for row, word in enumerate(lexicon.words):
            for target in given.get(word, ()):
                entry(word, target, "", "", GIVEN)
            if word not in given:
                unknown = confidence is None or np.isnan(confidence[row])
                told = "" if unknown else f"{confidence[row]:.3f}"
                entry(word, lexicon.best[row], told, lexicon.second[row], "induced")
        known = {*lexicon.words}
        for word in (word for word in given if word not in known):
            for target in given[word]:
                entry(word, target, "", "", GIVEN)
