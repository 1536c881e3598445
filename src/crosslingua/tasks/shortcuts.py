"""What the cheapest readers of a task score: they know words by heart, count or compare them, and read no sentence.

    tags        each word gets the tag that it has most often in training; another word gets the most frequent tag
    pairs       linear models of the words of the first sentence, of the second, of both, and of those that only one of
                them has; a decision tree of lengths and of counts of shared and repeated words
    questions   in the sentence that shares most words with the question, the longest run of words that it lacks

The best of a task's readers on the test data is its shortcut. A system that has no more need not have read anything.
"""

import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from crosslingua.io.conll import TaggedSentence, read_conll, write_conll
from crosslingua.io.json import write_json
from crosslingua.io.pairs import SentencePair, read_pairs
from crosslingua.io.squad import questions, read_squad
from crosslingua.tasks.kinds import PAIRS, QUESTIONS, Kind, kind_of, score

PREFIX = "shortcut_"  # of the keys of a shortcut's scores
MOST = 20_000  # sentences or pairs that a reader learns from, the first
Predict = Callable[[Any], Any]  # of gold data, their labels unread


@cache
def shortcut_scores(task: str, train: str, gold: str, language: str = "") -> dict[str, Any]:
    """Return the scores of the best reader that learns from `train`, keys as in `score` behind PREFIX.

    `shortcut` names the reader. Files are read once a process.
    """
    kind, best = kind_of(task), {}
    with tempfile.TemporaryDirectory() as folder:
        for name, predict in _readers(task, train).items():
            hypothesis = Path(folder) / f"predicted.{kind.form.predictions}"
            _write(kind, hypothesis, predict(_read(kind, gold)))
            scores = score(task, gold, hypothesis, language)
            if not best or scores[kind.metric] > best[PREFIX + kind.metric]:
                numbers = {key: value for key, value in scores.items() if isinstance(value, float)}
                best = {PREFIX + key: value for key, value in numbers.items()} | {"shortcut": name}
    return best


@cache
def _readers(task: str, train: str) -> dict[str, Predict]:
    kind = kind_of(task)
    if kind.form is QUESTIONS:
        return {"overlap": _answers}
    data = _read(kind, train)[:MOST]
    if kind.form is PAIRS:
        return dict(_pair_readers(data))
    return {"words by heart": _by_heart(data)}


def _read(kind: Kind, path: str) -> list[Any]:
    if kind.form is QUESTIONS:
        return list(questions(read_squad(path)))
    return list(read_pairs(path, kind.pairs) if kind.form is PAIRS else read_conll(path, kind.scheme))


def _write(kind: Kind, path: Path, predicted: Any) -> None:
    if kind.form is QUESTIONS:
        write_json(path, predicted)
    elif kind.form is PAIRS:
        path.write_text("".join(f"{label}\n" for label in predicted), encoding="utf-8")
    else:
        write_conll(path, predicted)


def _by_heart(train: Sequence[TaggedSentence]) -> Predict:
    """Return what tags words by heart."""
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for sentence in train:
        for word, tag in zip(sentence.tokens, sentence.labels, strict=True):
            seen[word][tag] += 1
    tags = {word: counts.most_common(1)[0][0] for word, counts in seen.items()}
    frequent = sum(seen.values(), Counter()).most_common(1)[0][0]
    return lambda gold: [
        TaggedSentence(one.tokens, tuple(tags.get(word, frequent) for word in one.tokens)) for one in gold
    ]


def _pair_readers(train: Sequence[SentencePair]) -> Iterator[tuple[str, Predict]]:
    """Yield models by what they see of a pair."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import SGDClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.tree import DecisionTreeClassifier

    labels = [pair.label for pair in train]
    views = {
        "first sentence": lambda pair: pair.first.split(),
        "second sentence": lambda pair: pair.second.split(),
        "words of both": lambda pair: [f"{side} {word}" for side in (0, 1) for word in pair[side].split()],
        "changed words": _changes,
    }
    for name, view in views.items():
        words = CountVectorizer(analyzer=lambda pair, view=view: ["", *view(pair)])  # of no pair without any
        model = SGDClassifier(loss="log_loss", alpha=1e-3, random_state=0)
        yield name, make_pipeline(words, model).fit(train, labels).predict
    tree = DecisionTreeClassifier(max_depth=6, random_state=0).fit([*map(_counts, train)], labels)
    yield "counts", lambda gold: tree.predict([*map(_counts, gold)])


def _changes(pair: SentencePair) -> list[str]:
    """Return the words that stand in one of the sentences alone, such as a negation, marked by the sentence."""
    first, second = ({*sentence.split()} for sentence in pair[:2])
    return [
        *(f"- {word}" for word in sorted(first - second)),
        *(f"+ {word}" for word in sorted(second - first)),
    ]


def _counts(pair: SentencePair) -> list[int]:
    """Return lengths, and how many words are shared, lost, new, and repeated in either sentence."""
    first, second = pair.first.split(), pair.second.split()
    one, other = {*first}, {*second}
    repeated = [len(first) - len(one), len(second) - len(other)]
    return [len(first), len(second), len(one & other), len(one - other), len(other - one), *repeated]


def _answers(gold: Sequence[Any]) -> dict[str, str]:
    """Return an answer by question."""
    found = {}
    for paragraph, question in gold:
        asked = {word.strip(".,?!") for word in question.text.split()}
        sentences = [sentence.split() for sentence in paragraph.context.replace("\n", " ").split(". ")]
        nearest = max(sentences, key=lambda words: len(asked & {word.strip(".,?!") for word in words}))
        runs = groupby(nearest, key=lambda word: word.strip(".,?!") in asked)
        unasked = [list(words) for shared, words in runs if not shared]
        found[question.id] = " ".join(max(unasked, key=len, default=[])).rstrip(" .,?!")
    return found
