"""Score files of predictions against gold files, one function a form of data (`kinds.Form.scored`), and compare two."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, zip_longest
from math import comb
from pathlib import Path
from typing import Any

import numpy as np

from crosslingua.errors import InputError
from crosslingua.io.conll import Scheme, TaggedSentence, read_conll, split_tag
from crosslingua.io.decode import decoded_lines
from crosslingua.io.json import read_json
from crosslingua.io.pairs import read_pairs
from crosslingua.io.squad import questions, read_squad
from crosslingua.tasks.batches import lowered
from crosslingua.tasks.kinds import Kind
from crosslingua.tasks.scores import (
    UNPARSED,
    Tags,
    accuracy,
    exact_match,
    f1,
    normaliser,
    run_counts,
    seqeval_f1,
    span_counts,
    squad_normalise,
    tag_counts,
    weighted_f1,
)

REMEDY = "predict this gold file again"


def score_spans(kind: Kind, gold: str | Path, hypothesis: str | Path) -> dict[str, Any]:
    """Return `f1`, `precision` and `recall` of BIO2 spans, strict and micro-averaged, and `f1_conll` (see `scores`).

    `f1_gold_types` is without predicted spans of types that gold has none of; `majority` is of always giving gold's
    most frequent tag. If files have intents, `intent_accuracy` and `majority_intent_accuracy` follow. Raises InputError
    where the words differ, a tag is no BIO tag, or gold is not BIO2.
    """
    ours, theirs = _gold(gold, "bio2"), list(read_conll(hypothesis, "plain"))
    check_words(gold, hypothesis, ours, theirs)
    check_tags(hypothesis, theirs)
    wanted, found = labels(ours), labels(theirs)
    counts = span_counts(wanted, found)
    types = {split_tag(tag)[1] for tags in wanted for tag in tags}
    of_types = [[tag if split_tag(tag)[1] in types else "O" for tag in tags] for tags in found]
    return {
        "f1": counts.f1,
        "f1_conll": span_counts(wanted, found, "conll").f1,
        "f1_gold_types": span_counts(wanted, of_types).f1,
        "majority": span_counts(wanted, _most_frequent(wanted)).f1,
        "precision": counts.precision,
        "recall": counts.recall,
        "gold_spans": int(counts.gold.sum()),
        "predicted_spans": int(counts.predicted.sum()),
        **_intents(ours, theirs),
        **_sizes(ours),
        "signature": "spans|strict|IOB2|micro",
        **_items(counts.per_item()),
    }


def score_tags(kind: Kind, gold: str | Path, hypothesis: str | Path) -> dict[str, Any]:
    """Return of plain tags `f1` of runs, `f1_seqeval`, `accuracy`, and `weighted_f1` of single tags (see `scores`).

    `majority` and `majority_accuracy` are of always giving the most frequent tag. InputError where the words differ.
    """
    ours, theirs = _gold(gold, "plain"), list(read_conll(hypothesis, "plain"))
    check_words(gold, hypothesis, ours, theirs)
    wanted, found = labels(ours), labels(theirs)
    counts = run_counts(wanted, found)
    cheap = _most_frequent(wanted)
    return {
        "f1": counts.f1,
        "majority": run_counts(wanted, cheap).f1,
        "f1_seqeval": seqeval_f1(wanted, found),
        "accuracy": tag_counts(wanted, found).f1,
        "majority_accuracy": tag_counts(wanted, cheap).f1,
        "weighted_f1": weighted_f1(wanted, found),
        **_sizes(ours),
        "signature": "runs|micro",
        **_items(counts.per_item()),
        "accuracy_per_sentence": _items(tag_counts(wanted, found).per_item())["per_sentence"],
    }


def _gold(path: str | Path, scheme: Scheme) -> list[TaggedSentence]:
    """Read gold data once for every system and seed whose predictions are scored against it, until the file changes."""
    return _gold_of(path, scheme, Path(path).stat().st_mtime_ns if Path(path).exists() else 0)


@lru_cache(maxsize=32)
def _gold_of(path: str | Path, scheme: Scheme, written: int) -> list[TaggedSentence]:
    return list(read_conll(path, scheme))


def _most_frequent(wanted: Tags) -> Tags:
    """Return for every word the tag that is most frequent."""
    frequent, _ = Counter(chain.from_iterable(wanted)).most_common(1)[0]
    return [(frequent,) * len(tags) for tags in wanted]


def score_classes(kind: Kind, gold: str | Path, hypothesis: str | Path) -> dict[str, Any]:
    """Return `accuracy`, and `majority`, of always giving the most frequent label. InputError but for UNPARSED."""
    wanted, found = [pair.label for pair in read_pairs(gold, kind.pairs)], read_classes(kind, hypothesis)
    if len(found) != len(wanted):
        raise InputError(
            hypothesis, f"{len(found)} labels for the {len(wanted)} pairs of {gold}", remedy=REMEDY
        )
    items = 100.0 * np.array([a == b for a, b in zip(wanted, found, strict=True)])
    majority = 100.0 * max(Counter(wanted).values()) / len(wanted)
    scores = {"accuracy": accuracy(wanted, found), "majority": majority, "pairs": len(wanted)}
    return {**scores, "signature": "accuracy", **_items(items)}


def read_classes(kind: Kind, path: str | Path) -> list[str]:
    """Return the predicted label of each pair. Raises InputError with the line of one that is none, and without any."""
    found = list(decoded_lines(path))
    if not found:
        raise InputError(path, "no labels", remedy=REMEDY)
    for number, label in enumerate(found, 1):
        if label not in (*kind.pairs.labels, UNPARSED):
            legal = ", ".join(kind.pairs.labels)
            raise InputError(path, f"unknown label {label!r}: the labels are {legal}", line=number)
    return found


def score_answers(kind: Kind, gold: str | Path, hypothesis: str | Path, language: str = "") -> dict[str, Any]:
    """Return `em` and `f1` by SQuAD's rule and, if `language` is given, `em_mlqa` and `f1_mlqa` by MLQA's.

    `majority`: the F1 of always giving the most frequent answer. InputError where ids of questions differ.
    """
    wanted = {one.id: [answer.text for answer in one.answers] for _, one in questions(read_squad(gold))}
    found = read_answers(hypothesis)
    if other := sorted(set(found) ^ set(wanted)):
        which = "no prediction of" if other[0] in wanted else f"a prediction of a question that {gold} lacks,"
        raise InputError(hypothesis, f"{which} {other[0]}, and {len(other) - 1} more such ids", remedy=REMEDY)
    scores: dict[str, Any] = {"questions": len(wanted), "empty": sum(not text for text in found.values())}
    items = {}
    for convention, suffix in (("squad", ""), *([("mlqa", "_mlqa")] if language else [])):
        rule = normaliser(convention, language)
        for name, score in (("em", exact_match), ("f1", f1)):
            values = np.array(
                [score(found[key], right, rule) for key, right in wanted.items()], dtype=np.float64
            )
            scores[f"{name}{suffix}"] = 100 * values.mean()
            items[f"{name}{suffix}"] = _items(100 * values)
    rule = squad_normalise
    cheap, _ = Counter(rule(right[0]) for right in wanted.values()).most_common(1)[0]
    scores["majority"] = 100 * float(np.mean([f1(cheap, right, rule) for right in wanted.values()]))
    signature = f"squad1.1|mlqa={language}" if language else "squad1.1"
    per_question = {"id": list(wanted), **{name: item["per_sentence"] for name, item in items.items()}}
    return {**scores, "signature": signature, **items["f1"], "per_question": per_question}


def read_answers(path: str | Path) -> dict[str, str]:
    """Return the predicted answers by question. Raises InputError for a file of another shape or without answers."""
    found = read_json(path)
    if not found or not isinstance(found, dict) or not all(isinstance(text, str) for text in found.values()):
        raise InputError(
            path, "no predictions of SQuAD: an object of texts by the questions' ids is expected"
        )
    return found


def labels(sentences: Sequence[TaggedSentence]) -> list[tuple[str, ...]]:
    """Return the labels of each sentence."""
    return [sentence.labels for sentence in sentences]


def _intents(ours: Sequence[TaggedSentence], theirs: Sequence[TaggedSentence]) -> dict[str, float]:
    """Return scores of intents, over sentences whose intent both files have, and over gold alone."""
    both = [
        (one.comments["intent"], other.comments["intent"])
        for one, other in zip(ours, theirs, strict=True)
        if "intent" in one.comments and "intent" in other.comments
    ]
    found = {"intent_accuracy": accuracy(*zip(*both, strict=True))} if both else {}
    told = Counter(one.comments["intent"] for one in ours if "intent" in one.comments)
    if told:
        found["majority_intent_accuracy"] = 100.0 * max(told.values()) / told.total()
    return found


def _sizes(sentences: Sequence[TaggedSentence]) -> dict[str, int]:
    return {"sentences": len(sentences), "words": sum(len(sentence.labels) for sentence in sentences)}


def _items(values: np.ndarray) -> dict[str, list[float]]:
    return {"per_sentence": [round(value, 4) for value in values.tolist()]}


def check_words(
    gold: str | Path, hypothesis: str | Path, ours: list[TaggedSentence], theirs: list[TaggedSentence]
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


def check_tags(path: str | Path, sentences: Sequence[TaggedSentence]) -> None:
    """Raise InputError at the first tag that is no BIO tag; an I- that goes on nothing is one."""
    for number, sentence in enumerate(sentences):
        for place, tag in enumerate(sentence.labels):
            try:
                split_tag(tag)
            except ValueError as error:
                raise InputError(path, str(error), line=_line(path, number, place)) from None


# Two systems' tags of the same sentences, compared: a sign test, the confusion of B, I and O, and where they differ.
# `first` and `second` are the systems. laser_taggers compares a static embedder (MUSE) with a contextual one
# (LASER-top) in figure 5 and in its list of errors.


@dataclass(frozen=True)
class SignTest:
    """Items on which the first system is better (`wins`), worse (`losses`), or equal; Dixon and Mood (1946)."""

    wins: int
    losses: int
    ties: int

    @property
    def p_value(self) -> float:
        """Two-sided, exact: of as uneven a division of the items that are no ties, were both sides equally likely."""
        n, most = self.wins + self.losses, max(self.wins, self.losses)
        tail = sum(comb(n, k) for k in range(most, n + 1))
        return min(1.0, 2 * tail / 2**n)


def sign_test(first: Sequence[float], second: Sequence[float]) -> SignTest:
    """Compare two systems' scores of the same items; higher is better."""
    pairs = list(zip(first, second, strict=True))
    wins, losses = sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)
    return SignTest(wins, losses, len(pairs) - wins - losses)


BIO = "BIO"


def compare(
    kind: Kind, gold: str | Path, first: str | Path, second: str | Path, examples: int = 10
) -> dict[str, Any]:
    """Return how two files of predictions compare on a file of gold tags, as JSON values.

    `sign_test`: over sentences, by the number of right tags. Of spans, for either system: `bio` (`confusion`),
    `detection`, `ambiguous` (`ambiguous_words`); and up to `examples` sentences that only the second has right. Words
    are compared in lower case. Raises InputError where they differ or a tag is none of the kind.
    """
    ours = [lowered(one) for one in read_conll(gold, kind.scheme)]
    wanted, found = labels(ours), {}
    for name, path in (("first", first), ("second", second)):
        theirs = [lowered(one) for one in read_conll(path, "plain")]
        check_words(gold, path, ours, theirs)
        if kind.scheme == "bio2":
            check_tags(path, theirs)
        found[name] = labels(theirs)
    test = sign_test(*(tag_counts(wanted, tags).right.tolist() for tags in found.values()))
    result: dict[str, Any] = {
        "sentences": len(ours),
        "sign_test": {"wins": test.wins, "losses": test.losses, "ties": test.ties},
        "p_value": test.p_value,
        "signature": "sign_test|sentences|right_words",
    }
    if kind.scheme != "bio2":
        return result
    for name, tags in found.items():
        result[name] = {
            "bio": confusion(wanted, tags).tolist(),
            "detection": detection(wanted, tags).tolist(),
            "ambiguous": ambiguous_words(ours, tags).tolist(),
        }
    return result | {"examples": differing(ours, found["first"], found["second"])[:examples]}


def confusion(gold: Tags, predicted: Tags) -> np.ndarray:
    """Return counts (3, 3) of words by gold (rows) and predicted tag (columns), cut down to B, I and O."""
    counts = np.zeros((3, 3), dtype=np.int64)
    for wanted, found in zip(chain.from_iterable(gold), chain.from_iterable(predicted), strict=True):
        counts[BIO.index(wanted[0]), BIO.index(found[0])] += 1
    return counts


def detection(gold: Tags, predicted: Tags) -> np.ndarray:
    """Return counts (sentences, 3) of the words in an entity of any type: in both, in gold, in the prediction."""
    pairs = zip(_inside(gold), _inside(predicted), strict=True)
    return np.array([(sum(map(min, one, other)), sum(one), sum(other)) for one, other in pairs])


def ambiguous_words(gold: Sequence[TaggedSentence], predicted: Tags) -> np.ndarray:
    """Return counts (sentences, 2) of gold's entity words that occur outside entities too: found in one, and all."""
    inside = _inside(labels(gold))
    outside = {
        word
        for sentence, entity in zip(gold, inside, strict=True)
        for word, within in zip(sentence.tokens, entity, strict=True)
        if not within
    }
    counts = []
    for sentence, entity, other in zip(gold, inside, _inside(predicted), strict=True):
        places = [n for n, word in enumerate(sentence.tokens) if entity[n] and word in outside]
        counts.append((sum(other[n] for n in places), len(places)))
    return np.array(counts)


def differing(gold: Sequence[TaggedSentence], first: Tags, second: Tags) -> list[dict[str, Any]]:
    """Return the sentences, from 1, in which the second errs nowhere and the first takes words of entities for none.

    In `text` such words stand in capitals with their tag (`PACE/O`).
    """
    found = []
    for number, (sentence, one, other) in enumerate(zip(gold, first, second, strict=True), 1):
        missed = [a != b and b == "O" for a, b in zip(sentence.labels, one, strict=True)]
        if any(missed) and list(other) == list(sentence.labels):
            words = zip(sentence.tokens, one, missed, strict=True)
            text = " ".join(f"{word.upper()}/{tag}" if mark else word for word, tag, mark in words)
            found.append({"sentence": number, "text": text})
    return found


def _inside(tags: Tags) -> list[list[bool]]:
    return [[tag != "O" for tag in sentence] for sentence in tags]
