"""Extractive questions in SQuAD 1.1 format; the passage holds wrong answers of the same class, too."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from crosslingua.corpora.world.batch import Columns
from crosslingua.corpora.world.dependencies import Trees, alone, parse
from crosslingua.corpora.world.grammar import SURFACE_ROLES
from crosslingua.corpora.world.passages import Passages, sample_passages
from crosslingua.corpora.world.questions import ASKABLE, question
from crosslingua.corpora.world.quota import Quota
from crosslingua.corpora.world.realise import Language, Told
from crosslingua.corpora.world.sentences import CHUNK
from crosslingua.corpora.world.splits import in_split
from crosslingua.corpora.world.wording import vocabulary
from crosslingua.corpora.world.world import World
from crosslingua.errors import ConfigError


class QuestionSample(NamedTuple):
    """A sample of questions: whether every language has the same, and the sentences of a passage besides the answer."""

    parallel: bool
    distractors: int
    others: int


VARIANTS = {
    "independent": QuestionSample(False, 3, 3),
    "translated": QuestionSample(True, 0, 1),  # as XQuAD: the same passages in every language
    "long": QuestionSample(True, 0, 3),  # as MLQA: the same, in longer passages
    "short": QuestionSample(False, 0, 1),  # as TyDiQA-GoldP: each language's own
}
_PARTS = ("numeral", "adjective", "modifier", "head", "second")


def qa_blocks(
    world: World,
    code: str,
    split: str,
    questions: int,
    *,
    raw: bool = False,
    variant: str = "independent",
    trees: Trees | None = None,
) -> Iterator[str]:
    """Yield the text of a SQuAD 1.1 JSON file with `questions` questions, one a passage, block by block.

    Tokens are separated by spaces; `raw`: written as the language writes. Splits share no answering sentence.
    `variant`: one of VARIANTS; questions that are the same in every language have the same id and order.
    `trees`: where those of a passage's sentences and of its question are written, if asked. Raises ConfigError for
    another variant.
    """
    if variant not in VARIANTS:
        raise ConfigError(f"unknown variant {variant!r}: choose one of {', '.join(VARIANTS)}")
    kind = VARIANTS[variant]
    pivot = next(iter(world.family)) if kind.parallel else code
    language, shares = world.language(pivot), world.topics_of(pivot)
    name = (code,) if variant == "independent" else (variant, pivot)
    spaces = world.family[code].spaces if raw else None
    yield '{"version": "1.1", "data": [\n'
    quota = Quota(questions, f"qa {code} {split}")
    for number in quota:
        rng = world.stream("qa", *name, split, number)
        topics = rng.choice(len(shares), CHUNK, p=shares / shares.sum())
        passages = sample_passages(world.knowledge, rng, topics, kind.distractors, kind.others)
        order = rng.permuted(np.tile(np.arange(len(passages.rest) + 1), (passages.target.size, 1)), axis=1)
        first, kept = quota.done, in_split(language.tell(passages.target), language, split)
        rows = quota.take(np.flatnonzero(kept))
        if len(rows):
            taken = passages.take(rows)
            if trees:
                _write_trees(world, code, taken, trees)
            articles = _articles(world, code, taken, order[rows], spaces, f"{'-'.join(name)}-{split}", first)
            lines = [json.dumps(article, ensure_ascii=False) for article in articles]
            yield (",\n" if first else "") + ",\n".join(lines)
    yield "\n]}\n"


def _articles(
    world: World, code: str, passages: Passages, order: np.ndarray, spaces: bool | None, name: str, first: int
) -> Iterator[dict]:
    language = world.language(code)
    target = language.tell(passages.target)
    spans = answer_spans(language, passages, target)
    asked = language.ask(*question(passages.wording, passages.asked, world.concepts))
    sentences = [_split_words(world, code, told) for told in (target, *map(language.tell, passages.rest))]
    questions = _split_words(world, code, asked)
    joint = " " if spaces is not False else ""
    for i, (start, stop) in enumerate(spans.tolist()):
        texts = [write(words[i], spaces) for words in sentences]
        place = order[i].tolist().index(0)
        before = sum(len(texts[j]) + len(joint) for j in order[i, :place])
        answer, offset = _answer(sentences[0][i], start, stop, joint)
        yield _article(
            f"{name}-{first + i}",
            joint.join(texts[j] for j in order[i]),
            write(questions[i], spaces),
            {"text": answer, "answer_start": before + offset},
        )


def _write_trees(world: World, code: str, passages: Passages, trees: Trees) -> None:
    """Write the trees of every passage's sentences, the answering one first, and of its question."""
    language = world.language(code)
    parsed = [
        parse(world, code, language.tell(batch), alone(batch)) for batch in (passages.target, *passages.rest)
    ]
    wording, asked = question(passages.wording, passages.asked, world.concepts)
    parsed.append(parse(world, code, language.ask(wording, asked), alone(wording)))
    trees.add(world, code, *parsed)


def answer_spans(language: Language, passages: Passages, told: Told) -> np.ndarray:
    """Return [n, 2] first token of the answer and the one after its last, in the telling of the target."""
    place = told.positions()
    _, role = question(passages.target, passages.asked, language.concepts)
    spans = np.full((passages.target.size, 2), -1)
    for number, name in enumerate(SURFACE_ROLES):
        found = np.stack([place.get(f"a.{name}.{part}", np.full(len(role), -1)) for part in _PARTS])
        titled = _is_name(passages.target, passages.asked)
        found[_PARTS.index("modifier")] = np.where(titled, -1, found[_PARTS.index("modifier")])
        rows = (role == number) & (found >= 0).any(axis=0)
        first = np.where(found >= 0, found, len(told.keys)).min(axis=0)
        spans[rows, 0], spans[rows, 1] = first[rows], found.max(axis=0)[rows] + 1
    return spans


def write(words: list[str], spaces: bool | None) -> str:
    """Write a sentence: all tokens apart (None), the last one attached (True), no spaces (False)."""
    if spaces is None:
        return " ".join(words)
    return (" " if spaces else "").join(words[:-1]) + words[-1]


def _is_name(target: Columns, asked: np.ndarray) -> np.ndarray:
    kinds = np.stack([target[f"{role}.kind"] for role in ASKABLE])
    return kinds[asked, np.arange(len(asked))] > 0


def _answer(words: list[str], start: int, stop: int, joint: str) -> tuple[str, int]:
    """Return the answer's text and its place in the sentence as written (in characters)."""
    return joint.join(words[start:stop]), sum(len(word) + len(joint) for word in words[:start])


def _split_words(world: World, code: str, told: Told) -> list[list[str]]:
    row, slot = told.tokens()
    words = vocabulary(world, code)[told.form[row, slot]].tolist()
    ends = np.cumsum(told.lengths).tolist()
    return [words[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _article(name: str, context: str, text: str, answer: dict) -> dict:
    qas = [{"id": name, "question": text, "answers": [answer]}]
    return {"title": name, "paragraphs": [{"context": context, "qas": qas}]}
