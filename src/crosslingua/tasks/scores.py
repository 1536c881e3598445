"""Scores of predicted labels and answers, and what a tagger can know of a test set."""

import logging
import re
import string
import sys
import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import chain, groupby
from pathlib import Path
from typing import Literal

import numpy as np
from seqeval.scheme import IOB2, Entities

from crosslingua.errors import InputError
from crosslingua.io.conll import TaggedSentence
from crosslingua.io.decode import base_language

log = logging.getLogger(__name__)

# Spans are read by seqeval. In mode `strict` (IOB2) an I-X that goes on nothing is no entity; in `conll`, its default,
# it begins one. An entity is right if its type and both ends are. All scores are percentages.
UNPARSED = "_"  # a prediction that is no label, of a model that writes text: it is wrong
Mode = Literal["strict", "conll"]
Tags = Sequence[Sequence[str]]


@dataclass(frozen=True)
class SentenceCounts:
    """Things counted in each sentence: `right`, in the `gold` and in the `predicted` labels; each (n,)."""

    right: np.ndarray
    gold: np.ndarray
    predicted: np.ndarray

    @property
    def precision(self) -> float:
        """Share of the predicted ones that are right; 0 where there are none."""
        return _percent(self.right.sum(), self.predicted.sum())

    @property
    def recall(self) -> float:
        """Share of the gold ones that are found; 0 where there are none."""
        return _percent(self.right.sum(), self.gold.sum())

    @property
    def f1(self) -> float:
        """Micro F1: 2 right / (gold + predicted)."""
        return _percent(2 * self.right.sum(), self.gold.sum() + self.predicted.sum())

    def per_item(self) -> np.ndarray:
        """Return (n,) values whose mean is F1: F1, and by how much each sentence moves it.

        F1 = R / T (2 right, gold + predicted) is to the first order F1 + n (2 right_i - F1 t_i) / T (delta method).
        """
        twice, total = 2 * self.right, self.gold + self.predicted
        if not total.any():
            return np.zeros(len(total))
        return self.f1 + 100 * len(total) * (twice - self.f1 / 100 * total) / total.sum()


def span_counts(gold: Tags, predicted: Tags, mode: Mode = "strict") -> SentenceCounts:
    """Count the spans of sentences of BIO tags."""
    return _count(*([_spans_of(tuple(tags), mode) for tags in each] for each in (gold, predicted)))


def run_counts(gold: Tags, predicted: Tags) -> SentenceCounts:
    """Count runs of equal plain tags, as XTREME and align_mlm's code do; a run is right if its tag and both ends are.

    seqeval takes a tag's first letter for a prefix (SCONJ, SYM, X); here all tags are treated alike.
    """
    return _count([_runs(tuple(tags)) for tags in gold], [_runs(tuple(tags)) for tags in predicted])


def seqeval_f1(gold: Tags, predicted: Tags) -> float:
    """Return seqeval's F1 of plain tags read together, its habits included: the number of XTREME's evaluation."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that these are no tags of named entities
        return _count(*([_entities_together(tuple(map(tuple, each)))] for each in (gold, predicted))).f1


@lru_cache(maxsize=64)
def _entities_together(sentences: tuple[tuple[str, ...], ...]) -> frozenset[tuple]:
    """Return what seqeval reads in sentences on end: of gold data once."""
    return frozenset(_entities([list(tags) for tags in sentences]))


def tag_counts(gold: Tags, predicted: Tags) -> SentenceCounts:
    """Count tags: right, and all (twice), of each sentence; F1 over all tags is their accuracy."""
    pairs = list(zip(gold, predicted, strict=True))
    right = [sum(a == b for a, b in zip(one, other, strict=True)) for one, other in pairs]
    lengths = np.array([len(one) for one, _ in pairs])
    return SentenceCounts(np.array(right), lengths, lengths)


def weighted_f1(gold: Tags, predicted: Tags) -> float:
    """Return the F1 of each tag, in the mean over tags by their frequency in `gold` (scikit-learn's `weighted`)."""
    ours, theirs = list(chain.from_iterable(gold)), list(chain.from_iterable(predicted))
    wanted, found = Counter(ours), Counter(theirs)
    right = Counter(a for a, b in zip(ours, theirs, strict=True) if a == b)
    return sum(n * 200 * right[tag] / (n + found[tag]) for tag, n in wanted.items()) / len(ours)


def accuracy(gold: Sequence[str], predicted: Sequence[str]) -> float:
    """Return the share of labels that are right."""
    return _percent(sum(a == b for a, b in zip(gold, predicted, strict=True)), len(gold))


@lru_cache(maxsize=100_000)
def _spans_of(tags: tuple[str, ...], mode: Mode) -> frozenset[tuple]:
    """Return the spans of a sentence, read once: most come again, in gold data of every system and seed."""
    if mode == "conll":
        return frozenset(_entities(list(tags)))
    (found,) = Entities([list(tags)], IOB2).entities
    return frozenset(span.to_tuple() for span in found)


def _entities(tags: list[str] | list[list[str]]) -> list[tuple]:
    from seqeval.metrics.sequence_labeling import get_entities  # with scikit-learn: 1.5 s of processor time

    return get_entities(tags)


@lru_cache(maxsize=100_000)
def _runs(tags: tuple[str, ...]) -> frozenset[tuple]:
    found, start = set(), 0
    for tag, group in groupby(tags):
        end = start + len(list(group))
        found.add((tag, start, end))
        start = end
    return frozenset(found)


def _count(gold: Sequence[Set], predicted: Sequence[Set]) -> SentenceCounts:
    right = [one & other for one, other in zip(gold, predicted, strict=True)]
    return SentenceCounts(*(np.array([len(found) for found in each]) for each in (right, gold, predicted)))


def _percent(part: float, whole: float) -> float:
    return 100.0 * float(part) / float(whole) if whole else 0.0


def labels_of(sentences: Iterable[TaggedSentence]) -> set[str]:
    """Return the labels that occur."""
    return set(chain.from_iterable(sentence.labels for sentence in sentences))


def check_labels(path: str | Path, trained: set[str], tested: set[str]) -> dict[str, list[str]]:
    """Return labels never trained, with a warning, and labels not in the test. InputError if only O is common."""
    if not trained & tested - {"O"} and tested - {"O"} and trained - {"O"}:
        raise InputError(
            path,
            f"none of its labels ({', '.join(sorted(tested - {'O'}))}) was trained: the training set has "
            f"{', '.join(sorted(trained - {'O'}))}",
            remedy="name a training and a test set of the same task, whose labels are spelled alike",
        )  # fmt: skip
    if missing := sorted(tested - trained):
        log.warning("%s: labels %s are not in the training data", path, ", ".join(missing))
    return {"never_trained": missing, "not_in_test": sorted(trained - tested)}


# Right answers: SQuAD's exact match and F1, under the two normalisations that XTREME scores with.
#
# `squad`: SQuAD 1.1 (Rajpurkar et al. 2016), XTREME's rule for XQuAD and TyDiQA-GoldP in every language: lower case, no
# ASCII punctuation, no English articles, words at white space. `mlqa`: MLQA (Lewis et al. 2020): Unicode punctuation
# off, the articles of the answer's language off, Chinese characters words of their own. MLQA has seven languages;
# others keep all their words there, and are divided at white space.
Normalise = Callable[[str], str]

_ENGLISH = r"\b(a|an|the)\b"
# As MLQA's evaluation has them; Hindi and Chinese have none. Its Arabic pattern takes the article off wherever the
# two letters stand.
ARTICLES = {
    "en": _ENGLISH,
    "es": r"\b(un|una|unos|unas|el|la|los|las)\b",
    "de": r"\b(ein|eine|einen|einem|eines|einer|der|die|das|den|dem|des)\b",
    "vi": r"\b(của|là|cái|chiếc|những)\b",
    "ar": r"\sال^|ال",
}
CHINESE = re.compile("[\u4e00-\u9fa5]")


def normaliser(convention: Literal["squad", "mlqa"], language: str) -> Normalise:
    """Return how answers of `language` are normalised."""
    return squad_normalise if convention == "squad" else partial(mlqa_normalise, language=language)


def squad_normalise(text: str) -> str:
    """Return lower-cased words without ASCII punctuation and English articles, one space between."""
    bare = "".join(char for char in text.lower() if char not in string.punctuation)
    return " ".join(re.sub(_ENGLISH, " ", bare).split())


def mlqa_normalise(text: str, language: str) -> str:
    """Return lower-cased words without punctuation and the language's articles, one space between."""
    language = base_language(language)
    bare = "".join(char for char in text.lower() if char not in _punctuation())
    if pattern := ARTICLES.get(language):
        bare = re.sub(pattern, " ", bare)
    if language == "zh":  # characters are words, the rest is divided at white space
        bare = CHINESE.sub(r" \g<0> ", bare)
    return " ".join(bare.split())


@cache
def _punctuation() -> frozenset[str]:
    """All characters of a category P, and what ASCII calls punctuation: $ + < = > ^ ` | ~ are symbols."""
    every = map(chr, range(sys.maxunicode))
    return frozenset(c for c in every if unicodedata.category(c).startswith("P")) | set(string.punctuation)


def exact_match(prediction: str, answers: Sequence[str], normalise: Normalise) -> bool:
    """Whether a prediction is one of the answers, both normalised."""
    return normalise(prediction) in map(normalise, answers)


def f1(prediction: str, answers: Sequence[str], normalise: Normalise) -> float:
    """Return the highest F1 (0 to 1) of the words of a prediction and of an answer; 0 if one has none."""
    found, best = Counter(normalise(prediction).split()), 0.0
    for answer in answers:
        wanted = Counter(normalise(answer).split())
        if shared := (found & wanted).total():
            best = max(best, 2 * shared / (found.total() + wanted.total()))
    return best
