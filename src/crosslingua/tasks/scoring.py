"""Score files of predictions against files of gold labels: what score_tags.py and score_classes.py write."""

from __future__ import annotations

from collections import Counter
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from crosslingua.errors import InputError
from crosslingua.io.bio2 import split_tag
from crosslingua.io.conll import TaggedSentence, read_conll
from crosslingua.io.decode import decoded_lines
from crosslingua.io.pairs import LABELS, Kind, read_pairs
from crosslingua.tasks.scores import (
    Counts,
    Mode,
    accuracy,
    run_counts,
    span_counts,
    tag_accuracy,
    weighted_f1,
)

REMEDY = "predict this gold file again"


def score_tags(gold: str | Path, hypothesis: str | Path, task: str, mode: Mode = "strict") -> dict[str, Any]:
    """Return the scores of tags for `task` (ner, slots or pos); scripts/score_tags.py says which.

    Raises InputError with file and line where the words differ or, for spans, a tag is no BIO tag; in strict mode
    gold spans must be BIO2.
    """
    spans = task != "pos"
    ours = list(read_conll(gold, "bio2" if spans and mode == "strict" else "plain"))
    theirs = list(read_conll(hypothesis, "plain"))
    _check_words(gold, hypothesis, ours, theirs, spans)
    wanted, found = [s.labels for s in ours], [s.labels for s in theirs]
    size = {"sentences": len(ours), "words": sum(map(len, wanted))}
    if spans:
        counts = span_counts(wanted, found, mode)
        return _spans(counts) | size | {"signature": f"spans|{mode}|IOB2|micro"} | _items(counts.per_item())
    counts = run_counts(wanted, found)
    scores = {
        "f1": counts.f1,
        "accuracy": tag_accuracy(wanted, found),
        "weighted_f1": weighted_f1(wanted, found),
    }
    return scores | size | {"signature": "runs|micro"} | _items(counts.per_item())


def score_classes(gold: str | Path, hypothesis: str | Path, task: Kind) -> dict[str, Any]:
    """Return the accuracy of labels, and `majority`, that of always giving the most frequent gold label.

    Raises InputError where a label is unknown or their number differs.
    """
    wanted = [pair.label for pair in read_pairs(gold, task)]
    found = []
    for number, label in enumerate(decoded_lines(hypothesis), 1):
        if label not in LABELS[task]:
            raise InputError(
                hypothesis, f"unknown label {label!r}: the labels are {', '.join(LABELS[task])}", line=number
            )
        found.append(label)
    if len(found) != len(wanted):
        raise InputError(
            hypothesis, f"{len(found)} labels for the {len(wanted)} pairs of {gold}", remedy=REMEDY
        )
    items = 100.0 * np.array([a == b for a, b in zip(wanted, found, strict=True)])
    majority = 100.0 * max(Counter(wanted).values()) / len(wanted)
    scores = {"accuracy": accuracy(wanted, found), "majority": majority, "pairs": len(wanted)}
    scores["signature"] = "accuracy"
    return scores | _items(items)


def _spans(counts: Counts) -> dict[str, Any]:
    scores = {"f1": counts.f1, "precision": counts.precision, "recall": counts.recall}
    return scores | {"gold_spans": int(counts.gold.sum()), "predicted_spans": int(counts.predicted.sum())}


def _items(values: np.ndarray) -> dict[str, list[float]]:
    return {"per_sentence": [round(value, 4) for value in values.tolist()]}


def _check_words(
    gold, hypothesis, ours: list[TaggedSentence], theirs: list[TaggedSentence], spans: bool
) -> None:
    """Raise InputError at the first line of `hypothesis` that does not belong to `gold`."""
    for number, (one, other) in enumerate(zip_longest(ours, theirs)):
        if one is None or other is None:
            message = f"{len(theirs)} sentences, {gold} has {len(ours)}"
            raise InputError(hypothesis, message, remedy=REMEDY)
        for place, (mine, word) in enumerate(zip_longest(one.tokens, other.tokens)):
            if word != mine:
                message = f"sentence {number + 1} has {_shown(word)} where {gold} has {_shown(mine)}"
                raise InputError(hypothesis, message, line=_line(hypothesis, number, place), remedy=REMEDY)
            if spans:
                _check_tag(gold, number, place, one.labels[place])
                _check_tag(hypothesis, number, place, other.labels[place])


def _line(path: str | Path, sentence: int, place: int) -> int:
    """Return the line of a token, or of the blank line behind its sentence; all counted from 0 but lines."""
    inside, seen = False, -1
    for number, line in enumerate(decoded_lines(path), 1):
        token = "\t" in line
        seen += token and not inside
        inside = token
        if seen == sentence and token:
            return number + place
    raise ValueError(f"{path} has no sentence {sentence}")


def _shown(word: str | None) -> str:
    return "no more words" if word is None else repr(word)


def _check_tag(path: str | Path, sentence: int, place: int, tag: str) -> None:
    try:
        split_tag(tag)
    except ValueError as error:
        raise InputError(path, str(error), line=_line(path, sentence, place)) from None
