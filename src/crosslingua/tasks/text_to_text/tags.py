"""Tagging as text: a marker before each word, and of each word the marker and its tag (Raman et al. 2022).

    read:     ner: <extra_id_0> ann <extra_id_1> left </s>
    written:  <extra_id_0> B-PER <extra_id_1> O </s>

The markers are T5's sentinels. Of the ways to put tags that the authors compare with mT5 this does best, and it never
has to count words.
"""

from collections.abc import Iterator, Sequence

from crosslingua.embedders.laser_pieces import Words
from crosslingua.embedders.text_to_text import TextToText
from crosslingua.errors import InputError
from crosslingua.io.conll import TaggedSentence
from crosslingua.tasks.kinds import Kind
from crosslingua.tasks.scores import UNPARSED
from crosslingua.tasks.text_to_text.form import Counted, Row, Spelling
from crosslingua.tasks.training import FineTuning

MARKERS = 100  # T5 has as many sentinels; a sentence of more words is divided


class TagText:
    """A `TextForm` of sentences with a tag a word."""

    def __init__(
        self, kind: Kind, model: TextToText, examples: Sequence[TaggedSentence], settings: FineTuning
    ):
        self.labels = sorted({label for sentence in examples for label in sentence.labels})
        self._fallback = "O" if kind.scheme == "bio2" else UNPARSED
        markers = [f"<extra_id_{number}>" for number in range(MARKERS)]
        spelling = Spelling(model, [*self.labels, f"{kind.name}:"], markers)
        self._markers = [spelling[name][0] for name in markers]
        self._ids = {label: spelling[label] for label in self.labels}
        self._labels = {tuple(ids): label for label, ids in self._ids.items()}
        self._prefix, self._end = spelling[f"{kind.name}:"], model.end
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
                labels = sentence.labels[start : start + len(window)]
                start += len(window)
                found.append(self._row(number, window, labels))
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

    def _row(self, number: int, words: Sequence[list[int]], labels: Sequence[str]) -> Row:
        """Return a row; a label that was not trained on is written as nothing."""
        source, target = list(self._prefix), []
        for marker, word, label in zip(self._markers, words, labels, strict=False):
            source += [marker, *word]
            target += [marker, *self._ids.get(label, [])]
        return Row(number, [*source, self._end], [*target, self._end], len(words))

    def most(self, size: int) -> int:
        """Return the pieces of the longest tags of so many words."""
        return size * (1 + max(map(len, self._ids.values()))) + 1

    def read_back(
        self, rows: Sequence[Row], written: Sequence[Sequence[int]], counted: Counted
    ) -> list[list[str]]:
        """Return the tags of each sentence; of words without a tag that can be read, O or UNPARSED."""
        found: list[list[str]] = [[] for _ in range(rows[-1].example + 1)]
        for row, pieces in zip(rows, written, strict=True):
            told = self._told(pieces)
            labels = [self._labels.get(told.get(number, ())) for number in range(row.size)]
            counted.unparsed += labels.count(None)
            found[row.example] += [label or self._fallback for label in labels]
        return found

    def _told(self, pieces: Sequence[int]) -> dict[int, tuple[int, ...]]:
        """Return what stands behind the first of each marker, by the marker's number."""
        numbers = {marker: number for number, marker in enumerate(self._markers)}
        places = [place for place, piece in enumerate(pieces) if piece in numbers]
        told: dict[int, tuple[int, ...]] = {}
        for place, end in zip(places, [*places[1:], len(pieces)], strict=False):
            told.setdefault(numbers[pieces[place]], tuple(pieces[place + 1 : end]))
        return told
