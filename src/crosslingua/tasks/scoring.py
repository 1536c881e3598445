"""Score files of predictions against gold files, one function a form of data; and whether a task was learnt."""

import logging
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, groupby, zip_longest
from pathlib import Path
from statistics import mean
from typing import Any, Literal

import numpy as np
from seqeval.scheme import IOB2, Entities

from crosslingua.errors import InputError
from crosslingua.io.conll import Scheme, TaggedSentence, read_conll, split_tag
from crosslingua.io.decode import decoded_lines
from crosslingua.io.json import read_json
from crosslingua.io.pairs import read_pairs
from crosslingua.io.squad import questions, read_squad
from crosslingua.tasks.answers import exact_match, f1, normaliser, squad_normalise
from crosslingua.tasks.kinds import Kind

# Scores of predicted labels. All are percentages; each can also be told sentence by sentence (`per_item`).
#
# Spans are read by seqeval, in one of its two modes. `strict` (with the scheme IOB2): an entity begins with
# B-X and goes on with I-X; an I-X that goes on nothing is no entity. `conll` (its default mode): such an
# I-X begins an entity, as the CoNLL scorer reads it. An entity is right if its type and both ends are.


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

        F1 is a ratio of sums, R / T with R the sum of 2 right and T that of gold + predicted, and is linear in
        a sentence's counts up to second order: F1 + n (2 right_i - F1 t_i) / T. The variance of the mean of these
        values is the delta method's variance of F1.
        """
        twice, total = 2 * self.right, self.gold + self.predicted
        if not total.any():
            return np.zeros(len(total))
        return self.f1 + 100 * len(total) * (twice - self.f1 / 100 * total) / total.sum()


def span_counts(gold: Tags, predicted: Tags, mode: Mode = "strict") -> SentenceCounts:
    """Count the spans of sentences of BIO tags."""
    return _count(*(_spans(tags, mode) for tags in (gold, predicted)))


def run_counts(gold: Tags, predicted: Tags) -> SentenceCounts:
    """Count runs of equal plain tags: what seqeval makes of parts of speech, and so XTREME and align_mlm's code.

    A run is right if its tag and both ends are. seqeval takes a tag's first letter for a prefix; where that is S
    (SCONJ, SYM) it does not join equal neighbours, and it may lose an X before a sentence's end. Here all tags are
    treated alike.
    """
    return _count([_runs(tuple(tags)) for tags in gold], [_runs(tuple(tags)) for tags in predicted])


def seqeval_f1(gold: Tags, predicted: Tags) -> float:
    """Return the F1 that seqeval makes of plain tags, its habits included: the number of XTREME's evaluation.

    Sentences are read together: seqeval lets an X that begins one go on with what ended before it in another.
    """
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


def tag_accuracy(gold: Tags, predicted: Tags) -> float:
    """Return the share of tags that are right."""
    return tag_counts(gold, predicted).f1


def weighted_f1(gold: Tags, predicted: Tags) -> float:
    """Return the F1 of each tag, in the mean over tags by their frequency in `gold` (scikit-learn's `weighted`)."""
    ours, theirs = list(chain.from_iterable(gold)), list(chain.from_iterable(predicted))
    wanted, found = Counter(ours), Counter(theirs)
    right = Counter(a for a, b in zip(ours, theirs, strict=True) if a == b)
    return sum(n * 200 * right[tag] / (n + found[tag]) for tag, n in wanted.items()) / len(ours)


def accuracy(gold: Sequence[str], predicted: Sequence[str]) -> float:
    """Return the share of labels that are right."""
    return _percent(sum(a == b for a, b in zip(gold, predicted, strict=True)), len(gold))


def _spans(sentences: Tags, mode: Mode) -> list[frozenset[tuple]]:
    return [_spans_of(tuple(tags), mode) for tags in sentences]


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
    right = [len(one & other) for one, other in zip(gold, predicted, strict=True)]
    return SentenceCounts(
        np.array(right), np.array([len(s) for s in gold]), np.array([len(s) for s in predicted])
    )


def _percent(part: float, whole: float) -> float:
    return 100.0 * float(part) / float(whole) if whole else 0.0


REMEDY = "predict this gold file again"


def score_spans(kind: Kind, gold: str | Path, hypothesis: str | Path) -> dict[str, Any]:
    """Return `f1`, `precision` and `recall` of BIO2 spans, strict and micro-averaged, and `f1_conll` (see `scores`).

    `f1_gold_types` leaves out predicted spans of types that gold has none of, such as MISC where it is not annotated.
    `majority` is the F1 of always giving gold's most frequent tag.
    Where both files tell intents, `intent_accuracy` is the share of sentences whose intent is right, in percent;
    `majority_intent_accuracy` that of always giving gold's most frequent one.

    Raises InputError with file and line where the words differ, a tag is no BIO tag, or gold is not BIO2.
    """
    ours, theirs = _gold(gold, "bio2"), list(read_conll(hypothesis, "plain"))
    check_words(gold, hypothesis, ours, theirs)
    check_tags(hypothesis, theirs)
    wanted, found = _labels(ours), _labels(theirs)
    counts = span_counts(wanted, found)
    return {
        "f1": counts.f1,
        "f1_conll": span_counts(wanted, found, "conll").f1,
        "f1_gold_types": span_counts(wanted, _of_types(found, wanted)).f1,
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

    `majority` and `majority_accuracy`: those of always giving the most frequent gold tag, whose F1 is hardly ever above
    0 (it makes a sentence one run). Raises InputError with file and line where the words differ.
    """
    ours, theirs = _gold(gold, "plain"), list(read_conll(hypothesis, "plain"))
    check_words(gold, hypothesis, ours, theirs)
    wanted, found = _labels(ours), _labels(theirs)
    counts = run_counts(wanted, found)
    cheap = _most_frequent(wanted)
    return {
        "f1": counts.f1,
        "majority": run_counts(wanted, cheap).f1,
        "f1_seqeval": seqeval_f1(wanted, found),
        "accuracy": tag_accuracy(wanted, found),
        "majority_accuracy": tag_accuracy(wanted, cheap),
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
    """Return the accuracy of labels, and `majority`, that of always giving the most frequent gold label.

    UNPARSED for a label is wrong. Raises InputError where a label is unknown or their number differs.
    """
    contract = kind.pairs
    wanted, found = [pair.label for pair in read_pairs(gold, contract)], []
    for number, label in enumerate(decoded_lines(hypothesis), 1):
        if label not in (*contract.labels, UNPARSED):
            legal = ", ".join(contract.labels)
            raise InputError(hypothesis, f"unknown label {label!r}: the labels are {legal}", line=number)
        found.append(label)
    if len(found) != len(wanted):
        raise InputError(
            hypothesis, f"{len(found)} labels for the {len(wanted)} pairs of {gold}", remedy=REMEDY
        )
    items = 100.0 * np.array([a == b for a, b in zip(wanted, found, strict=True)])
    majority = 100.0 * max(Counter(wanted).values()) / len(wanted)
    scores = {"accuracy": accuracy(wanted, found), "majority": majority, "pairs": len(wanted)}
    return {**scores, "signature": "accuracy", **_items(items)}


def score_answers(kind: Kind, gold: str | Path, hypothesis: str | Path, language: str = "") -> dict[str, Any]:
    """Return `em` and `f1` of a file of SQuAD's predictions by SQuAD's rule, and `em_mlqa`, `f1_mlqa` by MLQA's.

    MLQA's depends on the language of the answers; it is left out where none is told. `majority`: the F1 (SQuAD) of
    always giving the most frequent answer. Raises InputError where a
    question has no prediction, or a prediction no question.
    """
    wanted = {one.id: [answer.text for answer in one.answers] for _, one in questions(read_squad(gold))}
    found = _predictions(hypothesis, gold, wanted)
    scores: dict[str, Any] = {"questions": len(wanted), "empty": sum(not text for text in found.values())}
    items = {}
    for convention, suffix in (("squad", ""), *([("mlqa", "_mlqa")] if language else [])):
        rule = normaliser(convention, language)
        values = np.array(
            [
                (exact_match(found[name], right, rule), f1(found[name], right, rule))
                for name, right in wanted.items()
            ],
            dtype=np.float64,
        )
        scores |= {f"em{suffix}": 100 * values[:, 0].mean(), f"f1{suffix}": 100 * values[:, 1].mean()}
        items |= {f"em{suffix}": _items(100 * values[:, 0]), f"f1{suffix}": _items(100 * values[:, 1])}
    rule = squad_normalise
    cheap, _ = Counter(rule(right[0]) for right in wanted.values()).most_common(1)[0]
    scores["majority"] = 100 * float(np.mean([f1(cheap, right, rule) for right in wanted.values()]))
    signature = f"squad1.1|mlqa={language}" if language else "squad1.1"
    per_question = {"id": list(wanted), **{name: item["per_sentence"] for name, item in items.items()}}
    return {**scores, "signature": signature, **items["f1"], "per_question": per_question}


def _predictions(path: str | Path, gold: str | Path, wanted: Collection[str]) -> dict[str, str]:
    found = read_json(path)
    if not isinstance(found, dict) or not all(isinstance(text, str) for text in found.values()):
        raise InputError(
            path, "no predictions of SQuAD: an object of texts by the questions' ids is expected"
        )
    if other := sorted(set(found) ^ set(wanted)):
        which = "no prediction of" if other[0] in wanted else f"a prediction of a question that {gold} lacks,"
        raise InputError(path, f"{which} {other[0]}, and {len(other) - 1} more such ids", remedy=REMEDY)
    return found


def _labels(sentences: Sequence[TaggedSentence]) -> list[tuple[str, ...]]:
    return [sentence.labels for sentence in sentences]


def _of_types(found: Sequence[Sequence[str]], wanted: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the tags with O in place of those whose type does not occur in `wanted`."""
    known = {split_tag(tag)[1] for tags in wanted for tag in tags}
    return [[tag if split_tag(tag)[1] in known else "O" for tag in tags] for tags in found]


def _intents(ours: Sequence[TaggedSentence], theirs: Sequence[TaggedSentence]) -> dict[str, float]:
    """Return what is known of intents: over the sentences whose intent both files tell, and of gold alone."""
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


# What a tagger can know of a test set's labels: those of its training data.


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


# Was a task learnt at all? Where it was not, transfer loses nothing for no good reason.


# Points above always giving the most frequent answer, up to which a task is not learnt: transfer could lose hardly more
# than that, however bad.
MARGIN = 10.0
# The same as a share of what chance leaves of three classes. It is asked for of what random weights leave, which in
# tagging is little: many tags need no pre-training.
SHARE = 0.15


def is_learnt(supervised: Sequence[float], floor: float | None) -> bool:
    """Whether a task was learnt: scores in the language that it was trained in are, in their mean, well above `floor`.

    That is the score of always giving the most frequent answer; None where it is not known.
    """
    return floor is None or mean(supervised) > floor + MARGIN


def gains_by_pretraining(supervised: Sequence[float], untrained: Sequence[float]) -> bool:
    """Whether an encoder brings something to a task: in percent, means well above those of random weights, tuned alike.

    One that does not has nothing to lose in transfer: what it loses is what fine-tuning alone would.
    """
    floor = mean(untrained)
    return mean(supervised) > floor + SHARE * (100 - floor)
