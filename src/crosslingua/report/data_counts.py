"""Count what a contract file holds and take three samples of it, one function a kind of data, one pass each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from crosslingua.io import bio2
from crosslingua.io.bitext import read_bitext
from crosslingua.io.conll import Scheme, TaggedSentence, read_conll
from crosslingua.io.decode import decoded_lines
from crosslingua.io.dictionaries import read_dictionary
from crosslingua.io.pairs import read_pairs
from crosslingua.io.pharaoh import read_pharaoh
from crosslingua.io.squad import read_squad
from crosslingua.tasks.kinds import KINDS, Kind

SAMPLES = 3
_KEPT = 48


@dataclass
class Counts:
    """Numbers by name in the order of a table, labels by type, and samples as lines of plain text."""

    numbers: dict[str, int]
    labels: dict[str, int] = field(default_factory=dict)
    samples: tuple[str, ...] = ()


class Samples:
    """Samples spread evenly over a stream of unknown length, the first included; the same for the same stream."""

    def __init__(self) -> None:
        self._kept: list[str] = []
        self._step, self._seen = 1, 0

    def add(self, make: Callable[[], str]) -> None:
        """Offer the next item; `make` gives its text if it is kept."""
        if self._seen % self._step == 0:
            self._kept.append(make())
            if len(self._kept) == _KEPT:
                self._kept, self._step = self._kept[::2], 2 * self._step
        self._seen += 1

    def chosen(self) -> tuple[str, ...]:
        """Return SAMPLES items, or all where there are fewer."""
        last = len(self._kept) - 1
        picks = (
            sorted({round(last * i / SAMPLES) for i in range(SAMPLES)})
            if last >= SAMPLES
            else range(last + 1)
        )
        return tuple(self._kept[i] for i in picks)


class _Words:
    """Lines, tokens and types of what passes by."""

    def __init__(self) -> None:
        self.lines, self.tokens, self.types = 0, 0, set[str]()

    def add(self, tokens: Sequence[str]) -> None:
        self.lines += 1
        self.tokens += len(tokens)
        self.types.update(tokens)


def count(task: str, files: Sequence[str | Path]) -> Counts:
    """Return the counts of one data set's files (in the order of `catalogue.FileSet.files`).

    Raises InputError where a file breaks its contract.
    """
    if task in COUNTERS:
        return COUNTERS[task](files)
    return LABELLED[KINDS[task].form.name](KINDS[task], files)


def _text(files: Sequence[str | Path]) -> Counts:
    words, samples = _Words(), Samples()
    for line in decoded_lines(files[0]):
        words.add(line.split())
        samples.add(lambda line=line: line)
    numbers = {"sentences": words.lines, "tokens": words.tokens, "types": len(words.types)}
    return Counts(numbers, samples=samples.chosen())


def _dictionary(files: Sequence[str | Path]) -> Counts:
    pairs, samples = read_dictionary(files[0]), Samples()
    for source, target in pairs:
        samples.add(lambda source=source, target=target: f"{source} → {target}")
    numbers = {
        "pairs": len(pairs),
        "source words": len({source for source, _ in pairs}),
        "target words": len({target for _, target in pairs}),
        "spelled alike": sum(source == target for source, target in pairs),
    }
    return Counts(numbers, samples=samples.chosen())


def _parallel(files: Sequence[str | Path]) -> Counts:
    sides, samples, lengths = (_Words(), _Words()), Samples(), []
    links = decoded_lines(files[2]) if len(files) > 2 else iter(())
    for pair in read_bitext(files[0], files[1]):
        line = next(links, "")
        tokens = [text.split() for text in pair]
        for side, found in zip(sides, tokens, strict=True):
            side.add(found)
        lengths.append((len(tokens[0]), len(tokens[1])))
        samples.add(lambda parts=(*pair, line): " ||| ".join(filter(None, parts)))
    numbers = {"pairs": len(lengths)}
    for name, side in zip(("source", "target"), sides, strict=True):
        numbers |= {f"{name} tokens": side.tokens, f"{name} types": len(side.types)}
    return Counts(numbers | _links(files, lengths), samples=samples.chosen())


def _links(files: Sequence[str | Path], lengths: list[tuple[int, int]]) -> dict[str, int]:
    if len(files) < 3:
        return {}
    links = read_pharaoh(files[2], lengths)
    sure = sum(len(each.sure) for each in links)
    return {"sure links": sure, "only possible": sum(len(each.possible) for each in links) - sure}


def _tagged(kind: Kind, files: Sequence[str | Path]) -> Counts:
    scheme, show = kind.scheme, SHOWN[kind.scheme]
    words, samples, labels, intents = _Words(), Samples(), Counter[str](), set[str]()
    for sentence in read_conll(files[0], scheme):
        words.add(sentence.tokens)
        found = sentence.labels if scheme == "plain" else [span.type for span in bio2.spans(sentence.labels)]
        labels.update(found)
        intents.update(filter(None, [sentence.comments.get("intent")]))
        samples.add(lambda sentence=sentence: show(sentence))
    numbers = {"sentences": words.lines, "tokens": words.tokens, "types": len(words.types)}
    if scheme == "bio2":
        numbers["spans"] = labels.total()
    if intents:
        numbers["intents"] = len(intents)
    return Counts(numbers, _by_name(labels), samples.chosen())


def bracketed(sentence: TaggedSentence) -> str:
    """Return a sentence with its spans in brackets, and its intent: `wake [me PER] up  (alarm/set)`."""
    words = list(sentence.tokens)
    for span in bio2.spans(sentence.labels):
        words[span.start] = f"[{words[span.start]}"
        words[span.end - 1] += f" {span.type}]"
    intent = sentence.comments.get("intent")
    return " ".join(words) + (f"  ({intent})" if intent else "")


def slashed(sentence: TaggedSentence) -> str:
    """Return a sentence with the label after each token: `it/PRON rains/VERB`."""
    return " ".join(f"{token}/{label}" for token, label in zip(sentence.tokens, sentence.labels, strict=True))


SHOWN: Mapping[Scheme, Callable[[TaggedSentence], str]] = {"bio2": bracketed, "plain": slashed}


def _pairs(kind: Kind, files: Sequence[str | Path]) -> Counts:
    labels, words, samples = Counter[str](), _Words(), Samples()
    for pair in read_pairs(files[0], kind.pairs):
        labels[pair.label] += 1
        words.add([*pair.first.split(), *pair.second.split()])
        samples.add(lambda pair=pair: f"{pair.label}: {pair.first} ||| {pair.second}")
    numbers = {"pairs": labels.total(), "tokens": words.tokens, "types": len(words.types)}
    return Counts(numbers, _by_name(labels), samples.chosen())


def _questions(kind: Kind, files: Sequence[str | Path]) -> Counts:
    articles, samples, words = read_squad(files[0]), Samples(), _Words()
    paragraphs = [paragraph for article in articles for paragraph in article.paragraphs]
    answers = 0
    for paragraph in paragraphs:
        words.add(paragraph.context.split())
        for question in paragraph.questions:
            words.add(question.text.split())
            answers += len(question.answers)
            samples.add(lambda q=question, p=paragraph: f"{q.text} → {q.answers[0].text}  (in: {p.context})")
    return Counts(
        {
            "articles": len(articles),
            "paragraphs": len(paragraphs),
            "questions": sum(len(paragraph.questions) for paragraph in paragraphs),
            "answers": answers,
            "tokens": words.tokens,
            "types": len(words.types),
        },
        samples=samples.chosen(),
    )


def _by_name(labels: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(labels.items()))


NO_REPAIRS = ("slots", "no_slots")  # readers count these, too


def flatten(report: Mapping[str, object]) -> Iterator[tuple[str, int]]:
    """Yield what a reader's report says that it dropped, repaired or removed: (what, how many), zeros left out."""
    for group in ("counts", "dropped"):
        yield from (
            (name, number)
            for name, number in report.get(group, {}).items()
            if number and name not in NO_REPAIRS
        )
    for name in ("sentences_split", "removed_characters", "replaced_characters"):
        if report.get(name):
            yield name, report[name]


COUNTERS: Mapping[str, Callable[[Sequence[str | Path]], Counts]] = {
    "text": _text,
    "dictionary": _dictionary,
    "bitext": _parallel,
    "gold_alignment": _parallel,
}
# By the form of a task's data (`tasks.kinds.Form`).
LABELLED: Mapping[str, Callable[[Kind, Sequence[str | Path]], Counts]] = {
    "spans": _tagged,
    "tags": _tagged,
    "pairs": _pairs,
    "questions": _questions,
}
