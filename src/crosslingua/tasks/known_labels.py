"""What a tagger can know of a test set's labels: those of its training data."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from crosslingua.errors import InputError
from crosslingua.io.conll import TaggedSentence

log = logging.getLogger(__name__)


def labels_of(sentences: Iterable[TaggedSentence]) -> set[str]:
    """Return the labels that occur."""
    return set(chain.from_iterable(sentence.labels for sentence in sentences))


def check_labels(path: str | Path, trained: set[str], tested: set[str]) -> dict[str, list[str]]:
    """Return the labels that were never trained and those that the test set lacks; warn of the former.

    Raises InputError if the two have nothing in common but O.
    """
    if not trained & tested - {"O"} and tested - {"O"} and trained - {"O"}:
        raise InputError(
            path, f"none of its labels ({', '.join(sorted(tested))}) was trained ({', '.join(sorted(trained))})",
            remedy="are training and test sets of the same task?",
        )  # fmt: skip
    if missing := sorted(tested - trained):
        log.warning("%s: %s never trained, and so never predicted", path, ", ".join(missing))
    return {"never_trained": missing, "not_in_test": sorted(trained - tested)}
