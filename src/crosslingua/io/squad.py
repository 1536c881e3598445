"""The contract of extractive questions: SQuAD 1.1 JSON, `answer_start` counting characters from 0."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from crosslingua.errors import MOST_LOST, InputError
from crosslingua.io.decode import decode_entities, open_source
from crosslingua.io.json import write_json

FORM = (
    'put it as {"data": [{"paragraphs": [{"context": .., "qas": [{"id": .., "question": .., "answers":'
    ' [{"text": .., "answer_start": 0}]}]}]}]}'
)
QUOTED = "write the answer as it stands in the context, in quotation marks"
UNQUOTED = (
    "write the character of the context where the answer begins, counted from 0, without quotation marks"
)


class Answer(NamedTuple):
    """The text of an answer and the character of the context where it starts (0-based)."""

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the answers that count as right."""

    id: str
    text: str
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A context and its questions."""

    context: str
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Article:
    """A title and its paragraphs."""

    title: str
    paragraphs: tuple[Paragraph, ...]


NEAR = 32  # characters between an answer and its offset, where its text occurs more than once


def read_squad(path: str | Path, counts: Counter[str] | None = None) -> list[Article]:
    """Read a SQuAD 1.1 file (`ARCHIVE::MEMBER` too).

    Raises InputError, naming file and question, on other JSON, missing keys, answers that are not at their offset, and
    repeated identifiers. A file without questions and a question without answers are errors too. With `counts`,
    entities of HTML are decoded (`decoded_entities`), and offsets count the characters after that. An answer is
    searched near its offset (`moved_answers`) or dropped (`dropped_answers`), and a question without answers too. More
    than MOST_LOST drops are an error.
    """
    with open_source(path) as stream:
        try:
            document = json.loads(stream.read())
        except ValueError as error:  # UnicodeDecodeError is one
            raise InputError(path, f"not JSON: {error}", line=getattr(error, "lineno", None)) from None
    if counts is not None:
        document = _repaired(path, document, counts)
    articles = []
    try:
        for entry in document["data"]:
            paragraphs = [
                Paragraph(raw["context"], tuple(_question(path, each, raw["context"]) for each in raw["qas"]))
                for raw in entry["paragraphs"]
            ]
            articles.append(Article(entry.get("title", ""), tuple(paragraphs)))
    except KeyError as error:
        raise InputError(path, f"not SQuAD 1.1: something lacks its key {error}", remedy=FORM) from None
    except (AttributeError, TypeError):
        raise InputError(path, "not SQuAD 1.1: its JSON has another shape", remedy=FORM) from None
    seen: set[str] = set()
    for _, question in questions(articles):
        if question.id in seen:
            raise InputError(path, f"question {question.id} occurs twice")
        seen.add(question.id)
    if not seen:
        raise InputError(path, "no questions", remedy="the file is empty; make or fetch it again")
    return articles


def _repaired(path: str | Path, document: Any, counts: Counter[str]) -> Any:
    """Return the document with its entities decoded, and its answers where they stand then. Anything but offsets is
    left for the reader to judge.
    """
    before, every = counts["dropped_answers"], 0
    try:
        for paragraph in (each for entry in document["data"] for each in entry["paragraphs"]):
            kept = []
            for question in paragraph["qas"]:
                answers = question.get("answers", [])
                every += len(answers)
                decoded = [_decoded(paragraph["context"], answer, counts) for answer in answers]
                context = decode_entities(paragraph["context"])
                placed = [_placed(context, answer, counts) for answer in decoded]
                if "question" in question:
                    question["question"] = decode_entities(question["question"], counts)
                question["answers"] = [answer for answer in placed if answer is not None]
                if question["answers"] or not answers:
                    kept.append(question)
            paragraph["qas"] = kept
            paragraph["context"] = decode_entities(paragraph["context"], counts)
    except (AttributeError, KeyError, TypeError):
        return document
    if (lost := counts["dropped_answers"] - before) > MOST_LOST * every:
        raise InputError(
            path, f"{lost} of {every} answers are not in their context near answer_start", remedy=UNQUOTED
        )
    return document


def _decoded(context: str, answer: dict[str, Any], counts: Counter[str]) -> dict[str, Any]:
    """Return an answer with its entities decoded; its offset counts characters of the decoded context."""
    text, start = answer["text"], answer["answer_start"]
    if type(start) is int and start > 0:
        start = len(decode_entities(context[:start]))
    return answer | {"text": decode_entities(text, counts), "answer_start": start}


def _placed(context: str, answer: dict[str, Any], counts: Counter[str]) -> dict[str, Any] | None:
    """Return an answer at its place: as given, at its only occurrence, or at the nearest one; None without any."""
    text, start = answer["text"], answer["answer_start"]
    if type(start) is not int or not text or (start >= 0 and context.startswith(text, start)):
        return answer
    places = [match.start() for match in re.finditer(f"(?={re.escape(text)})", context)]
    nearest = min(places, key=lambda place: abs(place - start), default=None)
    if nearest is None or (len(places) > 1 and abs(nearest - start) > NEAR):
        counts["dropped_answers"] += 1
        return None
    counts["moved_answers"] += 1
    return answer | {"answer_start": nearest}


def _question(path: str | Path, raw: dict[str, Any], context: str) -> Question:
    name = str(raw["id"])
    if "question" not in raw:
        raise InputError(path, f"question {name} has no text", remedy='give it one, as "question"')
    answers = []
    for answer in raw.get("answers", ()):
        text, start = answer.get("text"), answer.get("answer_start")
        if not isinstance(text, str):
            wrong = f"question {name}: text {text!r} of an answer is no string"
            raise InputError(path, wrong, remedy=QUOTED)
        if type(start) is not int:  # a bool is an int too
            wrong = f"question {name}: answer_start {start!r} is no whole number"
            raise InputError(path, wrong, remedy=UNQUOTED)
        answers.append(Answer(text, start))
    if raw.get("is_impossible"):
        raise InputError(path, f"question {name} is impossible (SQuAD 2.0); SQuAD 1.1 is expected")
    if not answers:
        raise InputError(path, f"question {name} has no answer", remedy="use a split with labels")
    for text, start in answers:
        if not text or start < 0 or context[start : start + len(text)] != text:
            there = context[max(start, 0) : max(start, 0) + len(text)]
            raise InputError(
                path, f"question {name}: answer {text!r} is not at character {start}, where {there!r} stands"
            )
    return Question(name, raw["question"], tuple(answers))


def questions(articles: Sequence[Article]) -> Iterator[tuple[Paragraph, Question]]:
    """Yield every question with its paragraph, in order."""
    for article in articles:
        for paragraph in article.paragraphs:
            for question in paragraph.questions:
                yield paragraph, question


def write_squad(path: str | Path, articles: Sequence[Article]) -> int:
    """Write articles atomically as SQuAD 1.1, without normalisation, which would move offsets; return the number of
    questions. Raises InputError without questions, ValueError for an answer that is not at its offset.
    """
    asked = list(questions(articles))
    if not asked:
        raise InputError(path, "no questions to write")
    for paragraph, question in asked:
        for text, start in question.answers:
            if start < 0 or paragraph.context[start : start + len(text)] != text:
                raise ValueError(f"question {question.id}: {text!r} is not at character {start}")
    data = [{"title": each.title, "paragraphs": list(map(_raw, each.paragraphs))} for each in articles]
    write_json(path, {"version": "1.1", "data": data})
    return len(asked)


def _raw(paragraph: Paragraph) -> dict[str, Any]:
    qas = []
    for question in paragraph.questions:
        answers = [{"text": text, "answer_start": start} for text, start in question.answers]
        qas.append({"id": question.id, "question": question.text, "answers": answers})
    return {"context": paragraph.context, "qas": qas}
