"""A lexicon of all words of a mapped pair, each translation with the probability that it is right.

The probability is a logistic regression on what is known of a translation without a dictionary: its CSLS, the lead over
the next candidate, whether the target word retrieves the source word back, in how many other training runs the same
word wins, and how frequent the source word is. The regression is fitted on dictionary entries that trained nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from crosslingua.errors import ConfigError
from crosslingua.io.atomic import atomic_open
from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction.retrieval import csls

FEATURES = ("csls", "lead", "mutual", "votes", "rank")
LEAST = 50  # entries with a translation that is right, and as many with one that is wrong, to fit on
FOLDS = 5
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
    """Probabilities (n,) of a lexicon's translations, and how they fare on dictionary entries that did not fit them:
    `entries`, `precision` and mean `confidence` in percent, and `error`, the expected calibration error in points.
    """

    confidence: np.ndarray
    entries: int
    precision: float
    mean: float
    error: float


def calibrate(lexicon: InducedLexicon, gold: Mapping[str, set[str]]) -> Calibrated:
    """Fit on `gold` (word -> translations), and test by cross-validation. ConfigError for too few entries."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    rows = [row for row, word in enumerate(lexicon.words) if word in gold]
    right = np.array([lexicon.best[row] in gold[lexicon.words[row]] for row in rows], dtype=bool)
    if min(right.sum(), (~right).sum()) < LEAST:
        found = f"{right.sum()} of {len(right)} held-out translations are right"
        raise ConfigError(f"{found}: confidence needs {LEAST} right and {LEAST} wrong")
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    known = lexicon.features[rows]
    tested = cross_val_predict(model, known, right, cv=folds, method="predict_proba")[:, 1]
    model.fit(known, right)
    shares = right.mean(), tested.mean(), calibration_error(tested, right)
    confidence = model.predict_proba(lexicon.features)[:, 1]
    return Calibrated(confidence, len(rows), *(100 * float(share) for share in shares))


def calibration_error(confidence: np.ndarray, right: np.ndarray, bins: int = 10) -> float:
    """Return the expected calibration error: the mean gap of confidence and precision, over bins of equal size."""
    parts = np.array_split(np.argsort(confidence, kind="stable"), bins)
    gaps = [abs(confidence[part].mean() - right[part].mean()) * len(part) for part in parts if len(part)]
    return float(sum(gaps) / len(confidence))


def write(path: str | Path, lexicon: InducedLexicon, confidence: np.ndarray | None) -> None:
    """Write source, target, confidence and the second candidate, the most frequent words first, as TSV."""
    with atomic_open(path) as stream:
        stream.write("source\ttarget\tconfidence\tsecond\n")
        for row, word in enumerate(lexicon.words):
            probability = "" if confidence is None else f"{confidence[row]:.3f}"
            stream.write(f"{word}\t{lexicon.best[row]}\t{probability}\t{lexicon.second[row]}\n")
