"""Two systems' tags of the same sentences, compared: a sign test, the confusion of B, I and O, and where they differ.

`first` and `second` are the systems; laser_taggers sets a static embedder (MUSE) against a contextual one (LASER-top)
in figure 5 and in its list of errors.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from math import comb
from pathlib import Path
from typing import Any

import numpy as np

from crosslingua.io.conll import TaggedSentence, read_conll
from crosslingua.tasks.batches import lowered
from crosslingua.tasks.kinds import Kind
from crosslingua.tasks.scores import Tags, tag_counts
from crosslingua.tasks.scoring import check_tags, check_words, labels


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
