"""What the cheapest readers of a task score: they know words by heart, count or compare them, and read no sentence.

    tags        each word gets the tag that it has most often in training; logistic regression over the letters of a
                word (affixes of 1 to 5 letters, capitals, shape) and its neighbours
    pairs       linear models of the words of the first sentence, of the second, of both, and of those that only one of
                them has; a decision tree of lengths and of counts of shared and repeated words, another of the places
                at which each sentence has the other's words
    questions   in the sentence that shares most words with the question, the longest run of words that it lacks;
                logistic regression over the places of the question's words about each word

The best of a task's readers on the test data, by each metric, is its shortcut. A system that has no more need not have
read anything.
"""

import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from crosslingua.io.conll import TaggedSentence, read_conll, write_conll
from crosslingua.io.json import write_json
from crosslingua.io.pairs import read_pairs
from crosslingua.io.squad import questions, read_squad
from crosslingua.tasks.batches import lowered, share_of, shared_rows
from crosslingua.tasks.kinds import PAIRS, QUESTIONS, Kind, kind_of, score
from crosslingua.tasks.readers import Reader, pair_readers, question_readers, tag_readers

PREFIX = "shortcut_"  # of the keys of a shortcut's scores
MOST = 20_000  # sentences, pairs or questions that a reader learns from, the first


@cache
def shortcut_scores(
    task: str, train: str, gold: str, language: str = "", share: float = 1.0, lowercase: bool = False
) -> dict[str, Any]:
    """Return the scores of the readers that learn from `train`, of each key (as in `score`, behind PREFIX) the best.

    `shortcut` names the reader with the best score of the task. Readers learn from a `share` of the data, 0 to 1, the
    same as encoders and taggers, and see words of tags in `lowercase`, as taggers may. Files are read once a process.
    """
    kind, best, leading = kind_of(task), {}, ""
    data = _read(kind, gold)
    shown = [lowered(sentence, language) for sentence in data] if lowercase else data
    with tempfile.TemporaryDirectory() as folder:
        seen = lowercase, language if lowercase else ""
        for name, read in _readers(kind.data_kind, train, share, *seen).items():
            hypothesis = Path(folder) / f"predicted.{kind.form.predictions}"
            _write(kind, hypothesis, data, read(shown))
            scores = score(task, gold, hypothesis, language)
            numbers = {PREFIX + key: value for key, value in scores.items() if isinstance(value, float)}
            if numbers[PREFIX + kind.metric] > best.get(PREFIX + kind.metric, -1.0):
                leading = name
            best |= {key: max(value, best.get(key, value)) for key, value in numbers.items()}
    return best | {"shortcut": leading}


@cache
def _readers(task: str, train: str, share: float, lowercase: bool, language: str) -> dict[str, Reader]:
    kind = kind_of(task)
    if kind.tagged:
        return dict(tag_readers(share_of(train, kind.scheme, share, lowercase, language)[:MOST], kind.scheme))
    every = _read(kind, train)
    learnt = [every[row] for row in shared_rows(len(every), share)][:MOST]
    return dict((pair_readers if kind.form is PAIRS else question_readers)(learnt))


def _read(kind: Kind, path: str) -> list[Any]:
    if kind.form is QUESTIONS:
        return list(questions(read_squad(path)))
    return list(read_pairs(path, kind.pairs) if kind.form is PAIRS else read_conll(path, kind.scheme))


def _write(kind: Kind, path: Path, data: Sequence[Any], predicted: Any) -> None:
    if kind.form is QUESTIONS:
        write_json(path, predicted)
    elif kind.form is PAIRS:
        path.write_text("".join(f"{label}\n" for label in predicted), encoding="utf-8")
    else:
        pairs = zip(data, predicted, strict=True)
        write_conll(path, (TaggedSentence(one.tokens, labels) for one, labels in pairs))
