"""Monolingual text, each language in its own domain, and the dictionaries between two languages.

A few lines are questions and commands, so word vectors know their words too.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from crosslingua.corpora.world.bitext import join_lines, told_words
from crosslingua.corpora.world.concepts import ROLES
from crosslingua.corpora.world.dependencies import Trees, alone, parse
from crosslingua.corpora.world.lexicon import CASE_ID, CASES, N_FEATURES, noun_feature, verb_feature
from crosslingua.corpora.world.realise import CHUNK, SentenceEvents, Told, World, sample_sentences
from crosslingua.corpora.world.slots import habits, sample_commands
from crosslingua.corpora.world.syntax import question

COUNTED_SENTENCES = 6 * CHUNK  # the sample from which word frequencies are known
STATEMENT, QUESTION, COMMAND, QUOTED = range(4)  # QUOTED + k: quoted in the k-th other language
SHARES = (0.92, 0.04, 0.04)


class Piece(NamedTuple):
    """Lines of one kind: events, language, line numbers, and words ([tokens])."""

    code: str
    told: Told
    sentences: SentenceEvents
    rows: np.ndarray
    words: np.ndarray


def text_blocks(
    world: World, code: str, sentences: int, *, raw: bool = False, trees: Trees | None = None
) -> Iterator[str]:
    """Yield blocks of `sentences` lines in all, tokens separated by spaces or, if `raw`, as the language writes."""
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
    for number, start in enumerate(range(0, sentences, CHUNK)):
        wanted = min(CHUNK, sentences - start)
        rng = world.stream("text", code, number)
        drawn = sample_sentences(world.knowledge, rng, shares, CHUNK)
        kind = rng.choice(3, CHUNK, p=SHARES).astype(np.int8)
        for other, quoted in enumerate(world.family[code].code_switching.values()):
            kind[rng.random(CHUNK) < quoted.get("sentences", 0.0)] = QUOTED + other
        pieces = list(_pieces(world, code, rng, drawn, kind))
        words = np.concatenate([piece.words for piece in pieces])
        row = np.concatenate([piece.rows[piece.told.tokens()[0]] for piece in pieces])
        if trees:
            parsed = [parse(world, *piece) for piece in pieces]
            trees.add(world, code, *(lines.take(lines["row"] < wanted) for lines in parsed))
        order = np.argsort(row, kind="stable")
        words, row = words[order], row[order]
        yield words[row < wanted], np.bincount(row, minlength=CHUNK)[:wanted]


def _pieces(
    world: World, code: str, rng: np.random.Generator, drawn: SentenceEvents, kind: np.ndarray
) -> Iterator[Piece]:
    language = world.language(code)
    rows = np.flatnonzero(kind == STATEMENT)
    statements = drawn.take(rows)
    told = statements.tell(language)
    yield Piece(code, told, statements, rows, _switch_words(world, code, rng, told))
    # Questions are about one of the roles that each main clause fills; of a clause with none, about its subject.
    rows = np.flatnonzero(kind == QUESTION)
    clauses = drawn.a.take(rows)
    heads = np.stack([clauses[f"{role}.head"] for role in ROLES], axis=1)
    asked = np.argmax(rng.random(heads.shape) * (heads >= 0), axis=1)
    clauses, roles = question(clauses, asked, language.concepts)
    yield _plain(world, code, language.ask(clauses, roles), alone(clauses), rows)
    rows = np.flatnonzero(kind == COMMAND)
    clauses, _ = sample_commands(world.knowledge, rng, *habits(world, code), len(rows))
    yield _plain(world, code, language.tell(clauses), alone(clauses), rows)
    for number, other in enumerate(world.family[code].code_switching):
        rows = np.flatnonzero(kind == QUOTED + number)
        if len(rows):
            quoted = drawn.take(rows)
            yield _plain(world, other, quoted.tell(world.language(other)), quoted, rows)


def _plain(world: World, code: str, told: Told, sentences: SentenceEvents, rows: np.ndarray) -> Piece:
    return Piece(code, told, sentences, rows, told_words(world, code, told))


def _switch_words(world: World, code: str, rng: np.random.Generator, told: Told) -> np.ndarray:
    """Return the tokens with single words said in other languages."""
    words = told_words(world, code, told)
    row, slot = told.tokens()
    concept, u = told.concept[row, slot], rng.random(len(row))
    low = 0.0
    for other, shares in world.family[code].code_switching.items():
        high = low + shares.get("words", 0.0)
        chosen = (u >= low) & (u < high)
        words[chosen] = np.array(world.lexicon(other).words, dtype=object)[concept[chosen]]
        low = high
    return words


Pair = tuple[str, str]
TRAINABLE = 0.62  # share of the words, the most frequent, that may train
RARER = 4  # of so many words that may not one validates, the others test
MIN_COUNT = 5  # occurrences in the counted sample below which a word is left out
# Feature bundles that any language may leave unmarked: number, and the object case; tense and passive.
_PLAIN_NOUN = {noun_feature(plural, case) for plural in (0, 1) for case in (0, CASE_ID["object"])}
_PLAIN_VERB = {verb_feature(tense, singular, 0, 0) for tense in (0, 1) for singular in (0, 1)}


class Dictionary(NamedTuple):
    """Translation pairs by split, source words from the most to the least frequent."""

    train: list[Pair]
    valid: list[Pair]
    test: list[Pair]


def same_surface(pairs: list[Pair]) -> list[bool]:
    """Mark the pairs whose two words are spelled alike, capitals aside."""
    return [source.lower() == target.lower() for source, target in pairs]


def make_dictionary(
    world: World,
    source: str,
    target: str,
    *,
    lowercase: bool = False,
    share: float | None = None,
    trainable: float = TRAINABLE,
) -> Dictionary:
    """Return the dictionary from `source` to `target`, both languages' words as they occur in text.

    Punctuation, digits and words rarer than MIN_COUNT are left out. The share `trainable` of the source words, the
    most frequent, may train; of the rest a valid word is taken every few ranks.

    With `share`, only that share of the source language's word types trains, as MUSE's 5,000 of 200,000.
    """
    counts, target_counts = word_counts(world, source), word_counts(world, target)
    translations = _translations(world, source, target)
    frequent = [word for word, count in counts.most_common() if count >= MIN_COUNT]
    cased = str.lower if lowercase else str
    by_source: dict[str, list[str]] = {}
    for word in frequent:
        known = [t for t in translations.get(word, ()) if target_counts[t] >= MIN_COUNT]
        if known:
            targets = map(cased, sorted(known, key=lambda t: (-target_counts[t], t)))
            kept = by_source.setdefault(cased(word), [])
            kept += [t for t in targets if t not in kept]
    words = list(by_source)
    trained = words[: round(len(words) * trainable)]
    rest = words[len(trained) :]
    if share is not None:
        trained = trained[: max(1, round(share * len(set(map(cased, frequent)))))]
    parts = trained, rest[::RARER], [word for i, word in enumerate(rest) if i % RARER]
    return Dictionary(*([(s, t) for s in part for t in by_source[s]] for part in parts))


def _translations(world: World, source: str, target: str) -> dict[str, set[str]]:
    ours, theirs = world.language(source), world.language(target)
    translations: dict[str, set[str]] = defaultdict(set)
    for concept, group in enumerate(world.concepts.group):
        if group in ("punctuation", "year"):
            continue
        for feature in range(N_FEATURES):
            if _comparable(ours.forms.form, theirs.forms.form, world.concepts.pos[concept], concept, feature):
                for mine in np.unique(ours.forms.form[:, concept, feature]):
                    for yours in np.unique(theirs.forms.form[:, concept, feature]):
                        translations[ours.surfaces[mine]].add(theirs.surfaces[yours])
    return translations


def _comparable(ours: np.ndarray, theirs: np.ndarray, pos: str, concept: int, feature: int) -> bool:
    """Whether the two forms with this feature bundle translate each other as words.

    A form that says more than its partner (a case for an adposition, "not", the future) is left out. It stays if both
    languages, or the source word, say it by inflection.
    """
    if pos in ("NOUN", "PROPN", "PRON") and feature < 2 * len(CASES):
        plain = feature // len(CASES) * len(CASES)
        return feature in _PLAIN_NOUN or bool(ours[0, concept, feature] != ours[0, concept, plain])
    if pos in ("VERB", "AUX"):
        bare = verb_feature(0, 0, 0, 0)
        inflected = all(forms[0, concept, feature] != forms[0, concept, bare] for forms in (ours, theirs))
        return feature in _PLAIN_VERB or (inflected and feature % 2 == 0)
    return feature in (0, len(CASES))
