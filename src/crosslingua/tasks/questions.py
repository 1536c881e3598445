"""Extractive questions: passages in windows, and an encoder that points at the answer (BERT, section 4.2)."""

import logging
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor, nn

from crosslingua.embedders.encoder import Encoder, widest
from crosslingua.embedders.laser_pieces import Words, special_tokens
from crosslingua.errors import ConfigError
from crosslingua.io.json import write_json
from crosslingua.io.squad import Answer, questions, read_squad
from crosslingua.io.tokenizer_files import encode_as_text, special_ids_of
from crosslingua.nn.ragged import Ragged
from crosslingua.tasks.batches import reading_batches
from crosslingua.tasks.scores import f1, squad_normalise
from crosslingua.tasks.settings import FineTuning
from crosslingua.tasks.training import Task

log = logging.getLogger(__name__)

JOINERS = "\u200c\u200d"  # zero width: what they join to is one character to its reader
WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class LocatedPieces:
    """A text's pieces: ids (n,), and the first character and the one after the last of each, `spans` (n, 2)."""

    ids: np.ndarray
    spans: np.ndarray

    def __len__(self) -> int:
        return len(self.ids)

    def covering(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the first and the last piece that have a character of start to end; None where no piece has."""
        inside = np.flatnonzero((self.spans[:, 1] > start) & (self.spans[:, 0] < end))
        return (int(inside[0]), int(inside[-1])) if len(inside) else None

    def characters(self, first: int, last: int) -> tuple[int, int]:
        """Return the characters of the pieces first to last: the first one, and the one after the last."""
        return int(self.spans[first, 0]), int(self.spans[last, 1])


class TextPieces:
    """Divides running text into pieces; a text that comes again is divided once."""

    def __init__(self, tokenizer: Any):
        self.tokenizer = tokenizer
        self._never = special_ids_of(tokenizer)
        self._words = None if getattr(tokenizer, "is_fast", False) else Words(tokenizer)
        self._known: dict[str, LocatedPieces] = {}

    def __call__(self, texts: Sequence[str]) -> list[LocatedPieces]:
        """Return the pieces of each text; there are none of a text of invisible characters."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            pieces = self._fast(new) if self._words is None else map(self._slow, new)
            self._known |= zip(new, pieces, strict=True)
        return [self._known[text] for text in texts]

    def _fast(self, texts: list[str]) -> list[LocatedPieces]:
        encoded = encode_as_text(self._encoded, texts, self._never, lambda pieces: pieces[0])
        every = zip(encoded, texts, strict=True)
        return [_pieces(ids, [_visible(text, *span) for span in spans]) for (ids, spans), text in every]

    def _encoded(self, texts: Sequence[str], split: bool) -> list[tuple[list[int], list[tuple[int, int]]]]:
        encoded = self.tokenizer(
            list(texts), add_special_tokens=False, return_offsets_mapping=True, verbose=False,
            split_special_tokens=split,
        )  # fmt: skip
        return list(zip(encoded["input_ids"], encoded["offset_mapping"], strict=True))

    def _slow(self, text: str) -> LocatedPieces:
        words = list(WORD.finditer(text))
        pieces = self._words.pieces([word.group() for word in words])
        spans = [word.span() for word, ids in zip(words, pieces, strict=True) for _ in ids]
        return _pieces([number for ids in pieces for number in ids], spans)


def _pieces(ids: Sequence[int], spans: Sequence[tuple[int, int]]) -> LocatedPieces:
    return LocatedPieces(np.array(ids, dtype=np.int64), np.array(spans, dtype=np.int64).reshape(-1, 2))


def _visible(text: str, start: int, end: int) -> tuple[int, int]:
    """Take white space off the ends of a piece; XLM-R's pieces may begin with it."""
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())


def whole_characters(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen start to end until it cuts no character: letters keep their marks, emojis their joined parts."""
    while 0 < start < len(text) and _continues(text, start):
        start -= 1
    while end < len(text) and _continues(text, end):
        end += 1
    return start, end


def _continues(text: str, place: int) -> bool:
    """Whether a character belongs to the previous one: a mark, a joiner or its next character, a skin tone."""
    char, before = text[place], text[place - 1]
    tone = "\U0001f3fb" <= char <= "\U0001f3ff"
    return unicodedata.category(char).startswith("M") or char in JOINERS or tone or before == "\u200d"


@dataclass(frozen=True)
class Window:
    """A stretch of a passage, pieces `start` to `stop`, that is read with a question at once."""

    question: int
    start: int
    stop: int


def windows(number: int, length: int, room: int, stride: int) -> list[Window]:
    """Return the windows of a passage of `length` pieces, at most `room` each, one every `stride`."""
    stride = min(stride, max(1, room // 2))
    starts = range(0, max(1, length - room + stride), stride)  # the last one reaches the end
    return [Window(number, start, min(start + room, length)) for start in starts]


@dataclass(frozen=True)
class QuestionFrame:
    """The special tokens of a question with a passage, and how much of either is read at once."""

    before: list[int]
    between: list[int]
    after: list[int]
    max_length: int
    question_length: int

    @classmethod
    def of(cls, tokenizer: Any, max_length: int, question_length: int) -> Self:
        """Raise ConfigError if less than half of a window is left for the passage; questions are cut before that."""
        before, between, after = special_tokens(tokenizer, sentences=2)
        frame = cls(before, between, after, max_length, min(question_length, max_length // 2))
        if frame.room(frame.question_length) < 1:
            raise ConfigError(f"max_length is {max_length}: no room for a passage beside a question")
        return frame

    def room(self, question: int) -> int:
        """Return how many pieces of a passage fit beside a question of so many."""
        return self.max_length - question - len(self.before) - len(self.between) - len(self.after)

    def offset(self, question: int) -> int:
        """Return where the passage begins behind a question of so many pieces."""
        return len(self.before) + question + len(self.between)

    def join(self, question: np.ndarray, passage: np.ndarray) -> np.ndarray:
        """Return the ids of a window."""
        return np.concatenate([self.before, question, self.between, passage, self.after]).astype(np.int64)


@dataclass(frozen=True)
class Candidate:
    """Pieces first to last of a passage, with the sum of the scores of its ends."""

    score: float
    first: int
    last: int


def widest_context(windows: Sequence[Window]) -> list[np.ndarray]:
    """Return, for each window of one passage, the pieces with more context in this window than in others."""
    bounds = np.array([(window.start, window.stop) for window in windows])
    pieces = np.arange(bounds.max())
    owner = widest(bounds, np.stack([pieces, pieces + 1], axis=1))
    return [owner[window.start : window.stop] == number for number, window in enumerate(windows)]


def candidates(
    starts: np.ndarray, ends: np.ndarray, allowed: np.ndarray, first: int, n_best: int, longest: int
) -> list[Candidate]:
    """Return the best spans of a window, of the `n_best` best starts and ends of its part of the passage.

    `starts`, `ends` (n,) score pieces from `first` on; spans begin where `allowed` and have at most `longest` pieces.
    """
    masked = np.where(allowed, starts, -np.inf)
    begin, end = (np.argsort(-scores, kind="stable")[:n_best] for scores in (masked, ends))
    length = end[None, :] - begin[:, None] + 1
    fits = (length > 0) & (length <= longest) & allowed[begin][:, None]
    scores = np.where(fits, starts[begin][:, None] + ends[end][None, :], -np.inf)
    rows, columns = np.nonzero(np.isfinite(scores))
    if not len(rows) and allowed.any():  # every good end stands before every good start
        place = int(np.argmax(np.where(allowed, starts + ends, -np.inf)))
        return [Candidate(float(starts[place] + ends[place]), first + place, first + place)]
    order = np.argsort(-scores[rows, columns], kind="stable")[:n_best]
    return [
        Candidate(float(scores[r, c]), first + int(begin[r]), first + int(end[c]))
        for r, c in zip(rows[order], columns[order], strict=True)
    ]


def best_of(found: Sequence[Candidate]) -> Candidate:
    """Return the best of all windows' candidates; of equal scores the first in the passage."""
    return min(found, key=lambda each: (-each.score, each.first, each.last))


NO_ANSWER = 0  # the first piece, `<s>`: where a window that lacks the answer is taught to point


@dataclass(frozen=True)
class Example:
    """A question, its passage, and the answers that count as right."""

    id: str
    question: str
    context: str
    answers: tuple[Answer, ...]


@dataclass(frozen=True)
class QuestionData:
    """Questions of one language in windows.

    `ids` are per window. `places` (windows, 2): begin and end of the first answer, NO_ANSWER if the answer is outside
    the window. `offsets` (windows,): begin of the passage. `types`: see Encoder. `passages`: pieces by question.
    """

    examples: Sequence[Example]
    passages: list[LocatedPieces]
    windows: list[Window]
    ids: Ragged
    places: np.ndarray
    offsets: np.ndarray
    types: Ragged | int | None
    counts: dict[str, int]

    @property
    def lengths(self) -> np.ndarray:
        """Pieces of each window."""
        return self.ids.lengths

    def report(self) -> dict[str, int]:
        """Counts: questions, windows, and what did not fit or does not follow the tokeniser's pieces."""
        sizes = {"questions": len(self.examples), "windows": len(self.windows)}
        return sizes | {"pieces": int(self.lengths.sum())} | self.counts


class QuestionModel(nn.Module):
    """An encoder with two linear scores of each piece: that the answer begins, and that it ends there."""

    labels: Sequence[str] = ("start", "end")

    def __init__(self, encoder: Encoder, settings: FineTuning):
        super().__init__()
        self.encoder, self.settings = encoder, settings
        self.scores = nn.Linear(encoder.dimension, 2).to(encoder.device)
        nn.init.normal_(self.scores.weight, std=encoder.head_deviation)
        nn.init.zeros_(self.scores.bias)

    def prepare(self, examples: Sequence[Example], language: str) -> QuestionData:
        """Divide and frame questions once; cuts are counted."""
        settings, divide = self.settings, TextPieces(self.encoder.tokenizer)
        frame = QuestionFrame.of(self.encoder.tokenizer, self.encoder.max_length, settings.question_length)
        asked = [pieces.ids for pieces in divide([one.question for one in examples])]
        passages = divide([one.context for one in examples])
        found: list[Window] = []
        for number, (question, passage) in enumerate(zip(asked, passages, strict=True)):
            room = frame.room(min(len(question), frame.question_length))
            found += windows(number, len(passage), room, settings.stride)
        kept = [question[: frame.question_length] for question in asked]
        ids = [frame.join(kept[w.question], passages[w.question].ids[w.start : w.stop]) for w in found]
        offsets = np.array([frame.offset(len(kept[w.question])) for w in found])
        answers = [answer_pieces(one, passage) for one, passage in zip(examples, passages, strict=True)]
        places = [_place(answers[w.question], w, int(at)) for w, at in zip(found, offsets, strict=True)]
        counts = _counts(examples, passages, answers, found)
        counts["cut_questions"] = sum(len(question) > frame.question_length for question in asked)
        return QuestionData(
            examples, passages, found, Ragged.of(ids), np.array(places), offsets,
            self._types(language, [len(row) for row in ids], offsets), counts,
        )  # fmt: skip

    def _types(self, language: str, lengths: Sequence[int], offsets: np.ndarray) -> Ragged | int | None:
        """Return the language's id, or segments: 0 up to the passage, 1 from there on; None where there are none."""
        number = self.encoder.language_id(language)
        if number is not None or "token_type_ids" not in self.encoder.tokenizer.model_input_names:
            return number
        halves = zip(offsets.tolist(), lengths, strict=True)
        return Ragged.of([0] * at + [1] * (length - at) for at, length in halves)

    def forward(self, data: QuestionData, rows: np.ndarray) -> Tensor:
        """Return the scores of starts and ends, (2, rows, pieces); minus infinity behind shorter windows."""
        lengths = data.lengths[rows]
        ids = data.ids.padded(rows, self.encoder.tokenizer.pad_token_id)
        types = data.types.padded(rows, 0) if isinstance(data.types, Ragged) else data.types
        scores = self.scores(self.encoder(ids, lengths, types)).permute(2, 0, 1)
        padding = np.arange(ids.shape[1]) >= lengths[:, None]
        return scores.masked_fill(torch.from_numpy(padding).to(scores.device), float("-inf"))

    def loss(self, data: QuestionData, rows: np.ndarray) -> Tensor:
        """Return the mean cross entropy of starts and ends over some windows."""
        scores = self(data, rows)
        places = torch.from_numpy(data.places[rows]).T.to(scores.device)
        return nn.functional.cross_entropy(scores.flatten(0, 1), places.flatten())

    @torch.inference_mode()
    def predict(self, data: QuestionData) -> list[str]:
        """Return the answer to each question, as it is written in its passage."""
        self.eval()
        scores: list[np.ndarray] = [np.empty(0)] * len(data.windows)
        for rows in reading_batches(data.lengths):
            for row, found in zip(rows, self(data, rows).permute(1, 0, 2).cpu().numpy(), strict=True):
                scores[row] = found
        numbered = groupby(range(len(data.windows)), key=lambda row: data.windows[row].question)
        return [self._best(data, question, list(rows), scores) for question, rows in numbered]

    def _best(self, data: QuestionData, question: int, rows: list[int], scores: list[np.ndarray]) -> str:
        """Return the best answer of a question's windows; nothing where its passage has no pieces."""
        own, settings = [data.windows[row] for row in rows], self.settings
        if not len(data.passages[question]):
            return ""
        found = []
        for row, window, allowed in zip(rows, own, widest_context(own), strict=True):
            inside = slice(data.offsets[row], data.offsets[row] + window.stop - window.start)
            starts, ends = scores[row][:, inside]
            found += candidates(starts, ends, allowed, window.start, settings.n_best, settings.answer_length)
        best = best_of(found)
        context = data.examples[question].context
        start, end = data.passages[question].characters(best.first, best.last)
        return context[slice(*whole_characters(context, start, end))]


# The first and last piece of an answer, and whether they have other characters than it.
Gold = tuple[int, int, bool] | None


def answer_pieces(example: Example, passage: LocatedPieces) -> Gold:
    """Return the pieces of the first answer; None where no piece has a character of it."""
    if not example.answers:
        return None
    text, start = example.answers[0]
    span = start, start + len(text)
    pieces = passage.covering(*whole_characters(example.context, *span))  # a mark alone may have no piece
    return pieces and (*pieces, passage.characters(*pieces) != span)


def _place(answer: Gold, window: Window, offset: int) -> tuple[int, int]:
    """Return where an answer stands in a window."""
    if answer is None or answer[0] < window.start or answer[1] >= window.stop:
        return NO_ANSWER, NO_ANSWER
    return offset + answer[0] - window.start, offset + answer[1] - window.start


def _counts(
    examples: Sequence[Example],
    passages: Sequence[LocatedPieces],
    answers: Sequence[Gold],
    found: list[Window],
) -> dict[str, int]:
    inside = {w.question for w in found if _place(answers[w.question], w, 1) != (NO_ANSWER, NO_ANSWER)}
    answered = [number for number, one in enumerate(examples) if one.answers]
    counts = {
        "long_passages": sum(w.start > 0 and w.stop == len(passages[w.question]) for w in found),
        "split_answers": sum(answer is not None and answer[2] for answer in answers),
        "lost_answers": sum(number not in inside for number in answered),
    }
    if counts["lost_answers"]:
        log.warning("%d of %d answers fit into no window", counts["lost_answers"], len(answered))
    return counts


class QuestionTask(Task):
    """A kind of extractive questions, selected by SQuAD's F1."""

    @property
    def published(self) -> FineTuning:
        """Return the published settings: of XTREME's code, with four epochs (xlm_align, table 12)."""
        return FineTuning(epochs=self.kind.epochs, max_length=384, lr=3e-5)

    def read(self, path: str | Path) -> list[Example]:
        """Read a SQuAD 1.1 file."""
        found = questions(read_squad(path))
        return [Example(q.id, q.text, paragraph.context, q.answers) for paragraph, q in found]

    def model(self, encoder: Encoder, examples: Sequence[Example], settings: FineTuning) -> QuestionModel:
        """Return the encoder with scores of starts and ends."""
        return QuestionModel(encoder, settings)

    def score(self, gold: Sequence[Example], predicted: Sequence[str]) -> float:
        """Return the mean F1 of the answers' words, 0 to 100."""
        pairs = zip([[answer.text for answer in one.answers] for one in gold], predicted, strict=True)
        values = [f1(text, answers, squad_normalise) for answers, text in pairs]
        return 100 * sum(values) / len(values)

    def write(self, path: str | Path, examples: Sequence[Example], predicted: Sequence[str]) -> None:
        """Write SQuAD's predictions: an object of the answer's text by the question's id."""
        write_json(path, {one.id: text for one, text in zip(examples, predicted, strict=True)})
