"""All tasks as text that is read and text that is written (T5, mT5): one recipe without heads.

Each `TextForm` turns examples of a form of data into text, and written text into predictions.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from torch import Tensor, nn

from crosslingua.embedders.laser_pieces import Words
from crosslingua.embedders.text_to_text import TextToText
from crosslingua.errors import InputError
from crosslingua.io.conll import TaggedSentence
from crosslingua.io.pairs import SentencePair
from crosslingua.io.tokenizer_files import encode_as_text, special_ids_of
from crosslingua.nn.ragged import Ragged
from crosslingua.tasks.batches import reading_batches
from crosslingua.tasks.kinds import Kind, imported
from crosslingua.tasks.scores import UNPARSED, labels_of
from crosslingua.tasks.settings import FineTuning


@dataclass(frozen=True)
class Row:
    """Pieces to read and to write, the end included, of the example of that number; `size`: its words, if labelled."""

    example: int
    source: list[int]
    target: list[int]
    size: int = 1


@dataclass
class Counted:
    """Counts of cut input (`cut`: words, sentences or passages that lost pieces) and unreadable output."""

    divided: int = 0
    cut: int = 0
    unparsed: int = 0


class TextForm(ABC):
    """A form of data as text, made of a task's kind, a model, the examples of training and settings."""

    labels: Sequence[str] = ()

    def __init__(self, kind: Kind, model: TextToText, examples: Sequence[Any], settings: FineTuning):
        self._model, self._settings = model, settings

    @abstractmethod
    def rows(self, examples: Sequence[Any], counted: Counted) -> list[Row]:
        """Return the rows of examples, in order."""

    @abstractmethod
    def most(self, size: int) -> int:
        """Return how many pieces may be written for a row of `size` words, the end included."""

    @abstractmethod
    def read_back(self, rows: Sequence[Row], written: Sequence[Sequence[int]], counted: Counted) -> list[Any]:
        """Return a prediction for each example, whatever was written."""

    def _pieces(self, texts: Sequence[str]) -> list[list[int]]:
        return encode_as_text(self._encoded, texts, special_ids_of(self._model.tokenizer), lambda ids: ids)

    def _encoded(self, texts: Sequence[str], split: bool) -> list[list[int]]:
        tokenizer = self._model.tokenizer
        return tokenizer(list(texts), add_special_tokens=False, verbose=False, split_special_tokens=split)[
            "input_ids"
        ]


def spelled(model: TextToText, names: Iterable[str], markers: Iterable[str] = ()) -> dict[str, list[int]]:
    """Return the pieces of each of `names` and `markers`, which are names that must be one piece.

    If the tokenizer cannot spell a name, all become pieces of their own, so that none are spelled alike.
    """

    def pieces_of(name: str) -> list[int]:
        return model.tokenizer(name, add_special_tokens=False, verbose=False)["input_ids"]

    def reads_back(name: str) -> bool:
        pieces, tokenizer = pieces_of(name), model.tokenizer
        if tokenizer.unk_token_id in pieces:
            return False
        return tokenizer.decode(pieces, clean_up_tokenization_spaces=False).strip() == name

    names, markers = list(dict.fromkeys(names)), list(dict.fromkeys(markers))
    if not all(map(reads_back, names)):
        model.add_words(names)
    if unknown := [name for name in markers if len(pieces_of(name)) != 1 or not reads_back(name)]:
        model.add_words(unknown)
    return {name: pieces_of(name) for name in (*names, *markers)}


@dataclass(frozen=True)
class TextData:
    """Examples of one language as rows of pieces to read and to write."""

    rows: list[Row]
    sources: Ragged
    targets: Ragged
    counted: Counted
    examples: int

    @property
    def lengths(self) -> np.ndarray:
        """Pieces that are read of each row."""
        return self.sources.lengths

    def report(self) -> dict[str, int]:
        """Counts: examples, rows, pieces, cut input, and unreadable output."""
        pieces = {"pieces": int(self.lengths.sum()), "written_pieces": int(self.targets.lengths.sum())}
        return {"examples": self.examples, "rows": len(self.rows), **pieces, **vars(self.counted)}


class TextModel(nn.Module):
    """Reads and writes the text of a task (`TextForm`)."""

    def __init__(self, encoder: TextToText, form: TextForm):
        super().__init__()
        self.encoder, self.form, self.labels = encoder, form, list(form.labels)

    def prepare(self, examples: Sequence[Any], language: str) -> TextData:
        """Encode examples once; all languages alike."""
        counted = Counted()
        rows = self.form.rows(examples, counted)
        sources, targets = (Ragged.of([getattr(row, side) for row in rows]) for side in ("source", "target"))
        return TextData(rows, sources, targets, counted, len(examples))

    def loss(self, data: TextData, rows: np.ndarray) -> Tensor:
        """Return the mean cross entropy of the target text of some rows."""
        return self.encoder.loss(data.sources, data.targets, rows)

    def predict(self, data: TextData) -> list[Any]:
        """Return a prediction for each example."""
        written: list[list[int]] = [[]] * len(data.rows)
        for rows in reading_batches(data.lengths):
            most = max(self.form.most(data.rows[row].size) for row in rows)
            for row, pieces in zip(rows, self.encoder.write(data.sources, rows, most), strict=True):
                written[row] = pieces
        data.counted.unparsed = 0  # of this prediction
        return self.form.read_back(data.rows, written, data.counted)


def text_model(kind: Kind, encoder: TextToText, examples: Sequence[Any], settings: FineTuning) -> TextModel:
    """Return the model of a task, for the labels of `examples`."""
    return TextModel(encoder, imported(kind.form.text)(kind, encoder, examples, settings))


FIELDS = ("question:", "context:")


class AnswerText(TextForm):
    """Questions as T5 puts SQuAD (Raffel et al. 2020, appendix D); a passage that is too long for the model is cut.

    read:     qa: question: who left ? context: ann left . </s>
    written:  ann </s>
    """

    def __init__(self, kind: Kind, model: TextToText, examples: Sequence[Any], settings: FineTuning):
        super().__init__(kind, model, examples, settings)
        task = f"{kind.name}:"
        spelling = spelled(model, [task, *FIELDS])
        self._before = [spelling[task] + spelling[FIELDS[0]], spelling[FIELDS[1]]]

    def rows(self, examples: Sequence[Any], counted: Counted) -> list[Row]:
        """Return a row a question; the answer to write is the first."""
        asked = self._pieces([one.question for one in examples])
        passages = self._pieces([one.context for one in examples])
        answers = self._pieces([one.answers[0].text if one.answers else "" for one in examples])
        found = []
        for number, (question, passage, answer) in enumerate(zip(asked, passages, answers, strict=True)):
            kept = [*self._before[0], *question[: self._settings.question_length], *self._before[1]]
            room = max(0, self._model.max_length - len(kept) - 1)
            counted.cut += len(passage) > room
            source = [*kept, *passage[:room], self._model.end]
            found.append(Row(number, source, [*answer[: self._settings.answer_length], self._model.end]))
        return found

    def most(self, size: int) -> int:
        """Return the longest answer that is written."""
        return self._settings.answer_length + 1

    def read_back(self, rows: Sequence[Row], written: Sequence[Sequence[int]], counted: Counted) -> list[str]:
        """Return the answers; one that is no text is empty, and equals none."""
        found = [self._model.text(pieces) for pieces in written]
        counted.unparsed += found.count("")
        return found


class ClassText(TextForm):
    """Pairs of sentences as T5 puts MNLI (Raffel et al. 2020, appendix D): the label is written.

    read:     nli: premise: a dog barks hypothesis: a dog </s>
    written:  entailment </s>
    """

    def __init__(self, kind: Kind, model: TextToText, examples: Sequence[SentencePair], settings: FineTuning):
        super().__init__(kind, model, examples, settings)
        self.labels = list(kind.pairs.labels)
        task, *fields = (f"{name}:" for name in (kind.name, *kind.pairs.header[:2]))
        spelling = spelled(model, [*self.labels, task, *fields])
        self._before = [spelling[task] + spelling[fields[0]], spelling[fields[1]]]
        self._ids = {label: spelling[label] for label in self.labels}
        self._labels = {tuple(ids): label for label, ids in self._ids.items()}
        self._room = max(0, model.max_length - sum(map(len, self._before)) - 1)

    def rows(self, examples: Sequence[SentencePair], counted: Counted) -> list[Row]:
        """Return a row a pair; of one that is too long the longer sentence loses its end."""
        sides = [self._pieces([getattr(pair, side) for pair in examples]) for side in ("first", "second")]
        found = []
        for number, (pair, first, second) in enumerate(zip(examples, *sides, strict=True)):
            one, other = longest_first(len(first), len(second), self._room)
            counted.cut += (one, other) != (len(first), len(second))
            source = [*self._before[0], *first[:one], *self._before[1], *second[:other], self._model.end]
            found.append(Row(number, source, [*self._ids[pair.label], self._model.end]))
        return found

    def most(self, size: int) -> int:
        """Return the pieces of the longest label."""
        return max(map(len, self._ids.values())) + 1

    def read_back(self, rows: Sequence[Row], written: Sequence[Sequence[int]], counted: Counted) -> list[str]:
        """Return the label of each pair, or UNPARSED."""
        found = [self._labels.get(tuple(pieces), UNPARSED) for pieces in written]
        counted.unparsed += found.count(UNPARSED)
        return found


def longest_first(first: int, second: int, room: int) -> tuple[int, int]:
    """Return the lengths of two sequences that fit into `room`: a piece at a time is taken off the longer."""
    over = first + second - room
    if over <= 0:
        return first, second
    shorter = min(first, second, room // 2)
    longer = room - shorter
    return (shorter, longer) if first < second else (longer, shorter)


MARKERS = 100  # T5 has as many sentinels; a sentence of more words is divided


class TagText(TextForm):
    """Tagging: a marker before each word, and of each word the marker and its tag (Raman et al. 2022).

        read:     ner: <extra_id_0> ann <extra_id_1> left </s>
        written:  <extra_id_0> B-PER <extra_id_1> O </s>

    The markers are T5's sentinels. Of the ways to put tags that the authors compare with mT5 this does best, and it
    never has to count words.
    """

    def __init__(
        self, kind: Kind, model: TextToText, examples: Sequence[TaggedSentence], settings: FineTuning
    ):
        super().__init__(kind, model, examples, settings)
        self.labels = sorted(labels_of(examples))
        self._fallback = "O" if kind.scheme == "bio2" else UNPARSED
        markers = [f"<extra_id_{number}>" for number in range(MARKERS)]
        spelling = spelled(model, [*self.labels, f"{kind.name}:"], markers)
        self._markers = [spelling[name][0] for name in markers]
        self._ids = {label: spelling[label] for label in self.labels}
        self._labels = {tuple(ids): label for label, ids in self._ids.items()}
        self._prefix = spelling[f"{kind.name}:"]
        self._words = Words(model.tokenizer)
        self._room = model.max_length - len(self._prefix) - 1
        if self._room < 2:
            raise InputError(
                model.folder, f"a maximum length of {model.max_length} leaves no room for a word"
            )

    def rows(self, examples: Sequence[TaggedSentence], counted: Counted) -> list[Row]:
        """Return the rows of sentences; one that is too long is divided between words."""
        found = []
        for number, sentence in enumerate(examples):
            windows = list(self._windows(self._words.pieces(sentence.tokens), counted))
            counted.divided += len(windows) > 1
            start = 0
            for window in windows:
                source, target = list(self._prefix), []
                for marker, word, label in zip(self._markers, window, sentence.labels[start:], strict=False):
                    source += [marker, *word]
                    target += [marker, *self._ids.get(label, [])]  # nothing for one that was not trained on
                start += len(window)
                ends = [self._model.end]
                found.append(Row(number, source + ends, target + ends, len(window)))
        return found

    def _windows(self, words: Sequence[list[int]], counted: Counted) -> Iterator[list[list[int]]]:
        window: list[list[int]] = []
        for pieces in words:
            counted.cut += len(pieces) > self._room - 1
            kept = pieces[: self._room - 1]
            used = sum(map(len, window)) + len(window)
            if len(window) == MARKERS or used + len(kept) + 1 > self._room:
                yield window
                window = []
            window.append(kept)
        yield window

    def most(self, size: int) -> int:
        """Return the pieces of the longest tags of so many words."""
        return size * (1 + max(map(len, self._ids.values()))) + 1

    def read_back(
        self, rows: Sequence[Row], written: Sequence[Sequence[int]], counted: Counted
    ) -> list[list[str]]:
        """Return the tags of each sentence; of words without a tag that can be read, O or UNPARSED."""
        numbers = {marker: number for number, marker in enumerate(self._markers)}
        found: list[list[str]] = [[] for _ in range(rows[-1].example + 1)]
        for row, pieces in zip(rows, written, strict=True):
            places = [place for place, piece in enumerate(pieces) if piece in numbers]
            behind: dict[int, tuple[int, ...]] = {}  # what stands behind the first of each marker
            for place, end in zip(places, [*places[1:], len(pieces)], strict=False):
                behind.setdefault(numbers[pieces[place]], tuple(pieces[place + 1 : end]))
            labels = [self._labels.get(behind.get(number, ())) for number in range(row.size)]
            counted.unparsed += labels.count(None)
            found[row.example] += [label or self._fallback for label in labels]
        return found
