"""Monolingual text: each language tells events of its own domain, with a few foreign words.

A few lines are questions and commands, so that word vectors know the words that only those use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from crosslingua.corpora.world.dependencies import Parsed, Trees, alone, parse
from crosslingua.corpora.world.questions import ASKABLE, question
from crosslingua.corpora.world.realise import Language, Told
from crosslingua.corpora.world.sentences import CHUNK, SentenceEvents, chunks, sample_sentences
from crosslingua.corpora.world.slots import habits, sample_commands
from crosslingua.corpora.world.wording import join_lines, vocabulary
from crosslingua.corpora.world.world import World

COUNTED_SENTENCES = 6 * CHUNK  # the sample from which word frequencies are known
STATEMENT, QUESTION, COMMAND, QUOTED = range(4)  # QUOTED + k: quoted in the k-th other language
SHARES = (0.92, 0.04, 0.04)


class Piece(NamedTuple):
    """Lines of one kind: what they tell, in which language, their line numbers, and the words ([tokens])."""

    code: str
    told: Told
    sentences: SentenceEvents
    rows: np.ndarray
    words: np.ndarray

    @property
    def line(self) -> np.ndarray:
        """Each token's line number."""
        return self.rows[self.told.tokens()[0]]

    def parsed(self, world: World, wanted: int) -> Parsed:
        """Return the trees of the lines up to `wanted`."""
        parsed = parse(world, self.code, self.told, self.sentences, self.rows, self.words)
        return parsed.take(parsed.row < wanted)


def text_blocks(
    world: World, code: str, sentences: int, *, raw: bool = False, trees: Trees | None = None
) -> Iterator[str]:
    """Yield blocks of `sentences` lines in all, one sentence a line, tokens separated by spaces.

    `raw`: written as the language writes, without spaces where it has none, and none before a full stop.
    `trees`: where those of the lines are written, if asked.
    """
    for words, lengths in _chunks(world, code, sentences, trees):
        yield join_lines(words, lengths, raw_spaces=world.family[code].spaces if raw else None)


def word_counts(world: World, code: str, sentences: int = COUNTED_SENTENCES) -> Counter[str]:
    """Count the words of the first `sentences` sentences of a language's text."""
    counts: Counter[str] = Counter()
    for words, _ in _chunks(world, code, sentences):
        counts.update(words.tolist())
    return counts


def _chunks(
    world: World, code: str, sentences: int, trees: Trees | None = None
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the tokens (strings) and sentence lengths of each chunk."""
    shares = world.topics_of(code)
    for number, wanted in chunks(sentences):
        rng = world.stream("text", code, number)
        drawn = sample_sentences(world.knowledge, rng, shares, CHUNK)
        kind = _kinds(world, code, rng)
        pieces = list(_pieces(world, code, rng, drawn, kind))
        words = np.concatenate([piece.words for piece in pieces])
        row = np.concatenate([piece.line for piece in pieces])
        if trees:
            trees.add(world, code, *(piece.parsed(world, wanted) for piece in pieces))
        order = np.argsort(row, kind="stable")
        words, row = words[order], row[order]
        yield words[row < wanted], np.bincount(row, minlength=CHUNK)[:wanted]


def _kinds(world: World, code: str, rng: np.random.Generator) -> np.ndarray:
    """Decide which lines are statements, questions, commands, or quotations in another language."""
    kind = rng.choice(3, CHUNK, p=SHARES).astype(np.int8)
    for number, shares in enumerate(world.family[code].code_switching.values()):
        kind[rng.random(CHUNK) < shares.get("sentences", 0.0)] = QUOTED + number
    return kind


def _pieces(
    world: World, code: str, rng: np.random.Generator, drawn: SentenceEvents, kind: np.ndarray
) -> Iterator[Piece]:
    language = world.language(code)
    rows = np.flatnonzero(kind == STATEMENT)
    statements = drawn.take(rows)
    told = statements.tell(language)
    yield Piece(code, told, statements, rows, _switch_words(world, code, rng, told))
    rows = np.flatnonzero(kind == QUESTION)
    yield _plain(world, code, *_ask(language, rng, drawn.take(rows)), rows)
    rows = np.flatnonzero(kind == COMMAND)
    commands = sample_commands(world.knowledge, rng, *habits(world, code), len(rows))
    yield _plain(world, code, language.tell(commands.clauses), alone(commands.clauses), rows)
    for number, other in enumerate(world.family[code].code_switching):
        rows = np.flatnonzero(kind == QUOTED + number)
        if len(rows):
            quoted = drawn.take(rows)
            yield _plain(world, other, quoted.tell(world.language(other)), quoted, rows)


def _ask(language: Language, rng: np.random.Generator, drawn: SentenceEvents) -> tuple[Told, SentenceEvents]:
    """Ask about one of the roles that each main clause fills; of a clause with none, about its subject."""
    heads = np.stack([drawn.a[f"{role}.head"] for role in ASKABLE], axis=1)
    asked = np.argmax(rng.random(heads.shape) * (heads >= 0), axis=1)
    clauses, roles = question(drawn.a, asked, language.concepts)
    return language.ask(clauses, roles), alone(clauses)


def _plain(world: World, code: str, told: Told, sentences: SentenceEvents, rows: np.ndarray) -> Piece:
    return Piece(code, told, sentences, rows, _words(world, code, told))


def _words(world: World, code: str, told: Told) -> np.ndarray:
    row, slot = told.tokens()
    return vocabulary(world, code)[told.form[row, slot]]


def _switch_words(world: World, code: str, rng: np.random.Generator, told: Told) -> np.ndarray:
    """Return the tokens with single words said in other languages."""
    words = _words(world, code, told)
    row, slot = told.tokens()
    concept, u = told.concept[row, slot], rng.random(len(row))
    low = 0.0
    for other, shares in world.family[code].code_switching.items():
        high = low + shares.get("words", 0.0)
        chosen = (u >= low) & (u < high)
        words[chosen] = np.array(world.lexicon(other).words, dtype=object)[concept[chosen]]
        low = high
    return words
