"""Parallel sentences with gold word alignments (one event worded twice), and the splits and quotas of all data.

A link is sure between the words that say the same part of the event. It is possible between a word that only
one language uses (an article, an adposition, an auxiliary, "not") and the word that it belongs to.

Translations are free: each side has its own synonyms and order, and leaves something out that the other may say. The
target says some phrases differently. Words of what one side leaves out, or says differently, have no link. A few
training pairs are no translations; their full stops alone are linked.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from crosslingua.corpora.world.concepts import ADJUNCTS, ROLES
from crosslingua.corpora.world.edits import refill, reword
from crosslingua.corpora.world.events import Knowledge, absent
from crosslingua.corpora.world.realise import CHUNK, Language, SentenceEvents, Told, World, sample_sentences
from crosslingua.errors import ConfigError, CrosslinguaError

P_WRONG = 0.1  # of training pairs
P_LEFT_OUT = 0.3  # of adverbs, adjectives and phrases that a sentence can do without, on each side
P_DIFFERENT = {"object": 0.4} | dict.fromkeys(ADJUNCTS, 0.5)  # of phrases: the target says something else
PATIENCE = 60  # chunks in a row without anything usable before giving up


class Quota:
    """Iterates over chunk numbers until `wanted` rows were taken; CrosslinguaError when PATIENCE chunks give none."""

    def __init__(self, wanted: int, what: str):
        self.wanted, self.done, self._what, self._dry = wanted, 0, what, 0

    def __iter__(self) -> Iterator[int]:
        number = 0
        while self.done < self.wanted:
            if self._dry >= PATIENCE:
                raise CrosslinguaError(
                    f"{self._what}: {self.done} of {self.wanted} found, and none in the last {PATIENCE} chunks;"
                    " enlarge the world (nouns, verbs, adjectives, names, synonyms) or ask for fewer"
                )
            self._dry += 1
            yield number
            number += 1

    def take(self, rows: np.ndarray) -> np.ndarray:
        """Return as many of `rows` as are still wanted, and count them."""
        rows = rows[: self.wanted - self.done]
        self.done += len(rows)
        if len(rows):
            self._dry = 0
        return rows


SPLITS = ("train", "valid", "test")
_OF_TEN = np.array([0, 0, 0, 0, 0, 0, 1, 1, 2, 2], dtype=np.int8)  # residue of the signature -> split


def in_split(told: Told, language: Language, split: str) -> np.ndarray:
    """Return the mask of sentences that belong to `split`: the same words are always in the same split."""
    return _of_split(signatures(told, language), split)


def in_split_by_concepts(told: Told, language: Language, split: str) -> np.ndarray:
    """Return the mask of sentences that belong to `split`: the same concepts, in any voice, order and words, always do.

    Function words do not count.
    """
    row, slot = told.tokens()
    concept = told.concept[row, slot]
    content = np.array([group != "function" for group in language.concepts.group])[concept]
    return _of_split(_totals(told, row[content], concept[content].astype(np.uint64)), split)


def signatures(told: Told, language: Language) -> np.ndarray:
    """Return one 64-bit number for each sentence, a function of its words and their order only."""
    row, slot = told.tokens()
    words = language.hashes()[told.form[row, slot]]
    position = (np.arange(len(row)) - np.searchsorted(row, row)).astype(np.uint64)
    return _totals(told, row, words + position * np.uint64(0x9E3779B97F4A7C15))


def _of_split(signature: np.ndarray, split: str) -> np.ndarray:
    if split not in SPLITS:
        raise ConfigError(f"unknown split {split!r}: choose one of {', '.join(SPLITS)}")
    return _OF_TEN[signature % np.uint64(10)] == SPLITS.index(split)


def _totals(told: Told, row: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Return the sum of the mixed bits of `numbers`, one a token, of each sentence."""
    mixed = numbers * np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(31)
    mixed *= np.uint64(0x94D049BB133111EB)
    totals = np.zeros(len(told.form), np.uint64)
    np.add.at(totals, row, mixed ^ (mixed >> np.uint64(29)))
    return totals >> np.uint64(7)


def told_words(world: World, code: str, told: Told) -> np.ndarray:
    """Return the written tokens of sentences ([tokens] strings)."""
    return np.array(world.language(code).surfaces, dtype=object)[told.form[told.tokens()]]


def told_lines(world: World, code: str, told: Told, *, raw_spaces: bool | None = None) -> str:
    """Return sentences as lines; `raw_spaces` as of `join_lines`."""
    return join_lines(told_words(world, code, told), told.lengths, raw_spaces=raw_spaces)


def join_lines(words: np.ndarray, lengths: np.ndarray, *, raw_spaces: bool | None = None) -> str:
    """Join tokens ([tokens] strings) into lines of `lengths` tokens.

    `raw_spaces`: None separates all tokens, True leaves out the space before the last, False every space.
    """
    separator = np.full(len(words), "" if raw_spaces is False else " ", dtype=object)
    ends = np.cumsum(lengths) - 1
    if raw_spaces is not None:
        separator[ends - 1] = ""
    separator[ends] = "\n"
    return "".join(np.stack([words, separator], axis=1).reshape(-1).tolist())


_HOSTS = {
    "article": ("second", "head"), "adposition": ("head",), "owner_adposition": ("owner",),
    "auxiliary": ("verb", "predicate"), "copula": ("predicate",), "passive": ("verb",),
    "negation": ("verb", "predicate"),
}  # fmt: skip
_WIDTH = 128  # tokens of a sentence, at most
_NAMES = [np.array([f"{i}{sign}{j}" for i in range(_WIDTH) for j in range(_WIDTH)], object) for sign in "-p"]


class Block(NamedTuple):
    """Blocks of lines: source, target, and Pharaoh links (0-based; `i-j` sure, `ipj` possible)."""

    source: str
    target: str
    links: str


def bitext_blocks(
    world: World, source: str, target: str, sentences: int, *, split: str = "train"
) -> Iterator[Block]:
    """Yield blocks of `sentences` sentence pairs in all. Splits share no source sentence.

    The share P_WRONG of the training pairs are no translations.
    """
    shares = world.topics_of(source) + world.topics_of(target)
    ours, theirs = world.language(source), world.language(target)
    quota = Quota(sentences, f"bitext {source}-{target} {split}")
    for number in quota:
        rng = world.stream("bitext", source, target, split, number)
        drawn = sample_sentences(world.knowledge, rng, shares, CHUNK)
        told, translated = _freely(rng, drawn).tell(ours), _freely(rng, drawn)
        _say_differently(world.knowledge, rng, translated)
        kept = np.flatnonzero(in_split(told, ours, split))
        wrong = kept[rng.random(len(kept)) < (P_WRONG if split == "train" else 0)]
        partner = np.arange(CHUNK)
        partner[wrong] = np.roll(wrong, 1)
        rows = quota.take(kept)
        told, other = told.take(rows), translated.take(partner[rows]).tell(theirs)
        # The full stops are always linked, so that no line is empty.
        row, i, j, sure = links = link(told, other)
        stops = (i == told.lengths[row] - 1) & (j == other.lengths[row] - 1)
        row, i, j, sure = links[:, stops | (partner[rows] == rows)[row]]
        names = np.where(sure, _NAMES[0][i * _WIDTH + j], _NAMES[1][i * _WIDTH + j])
        lines = join_lines(names, np.bincount(row, minlength=len(rows)))
        yield Block(told_lines(world, source, told), told_lines(world, target, other), lines)


def _freely(rng: np.random.Generator, sentences: SentenceEvents) -> SentenceEvents:
    """Return the sentences with other synonyms, in free order, and without the share P_LEFT_OUT of what may go."""
    said = SentenceEvents(sentences.a.copy(), sentences.b.copy(), sentences.link)
    for clause in (said.a, said.b):
        everywhere = np.ones(clause.size, bool)
        reword(rng, clause, everywhere)
        clause["free"] = everywhere
        for name in ("adverb", *(f"{role}.adjective" for role in ROLES)):
            clause[name][rng.random(clause.size) < P_LEFT_OUT] = -1
        for role in ADJUNCTS:
            clause.put(role, absent(clause.field(role), rng.random(clause.size) < P_LEFT_OUT))
    return said


def _say_differently(world: Knowledge, rng: np.random.Generator, sentences: SentenceEvents) -> None:
    """Put other things of the same class into the share P_DIFFERENT of the phrases."""
    for clause in (sentences.a, sentences.b):
        for role, share in P_DIFFERENT.items():
            before = clause.field(role)
            refill(world, rng, clause, role, rng.random(clause.size) < share)
            clause.put(role, before, clause[f"{role}.head"] == before["head"])


def link(source: Told, target: Told) -> np.ndarray:
    """Return the gold links between two tellings of events. Phrases that say different things have none.

    [4, links]: sentence, source token, target token, whether sure; sorted, a pair of words once.
    """
    ours, theirs = source.positions(), target.positions()
    for key, differs in _differing(source, target).items():
        for side in (ours, theirs):
            if key in side:
                side[key] = np.where(differs, -1, side[key])
    links = []
    for key in ours.keys() | theirs.keys():
        i, j = ours.get(key), theirs.get(key)
        if i is not None and j is not None:
            rows = np.flatnonzero((i >= 0) & (j >= 0))
            links.append(_stack(rows, i[rows], j[rows], True))
        links += _possible(key, i, j, theirs, swap=False) + _possible(key, j, i, ours, swap=True)
    row, i, j, sure = stacked = np.concatenate(links, axis=1)
    code = (row * _WIDTH + i) * _WIDTH + j
    order = np.lexsort((-sure, code))
    _, first = np.unique(code[order], return_index=True)
    return stacked[:, order[first]]


def _differing(source: Told, target: Told) -> dict[str, np.ndarray]:
    """Return for each part of a phrase in which sentences both say the phrase, and its head or second word differs."""
    said: list[dict[str, np.ndarray]] = [{}, {}]
    for found, told in zip(said, (source, target), strict=True):
        for slot, key in enumerate(told.keys):
            if key.endswith((".head", ".second")):
                found[key] = np.maximum(found.get(key, -1), told.concept[:, slot])
    differs: dict[str, np.ndarray] = {}
    for key in said[0].keys() & said[1].keys():
        one, other = said[0][key], said[1][key]
        phrase = key.rpartition(".")[0]
        differs[phrase] = differs.get(phrase, False) | ((one != other) & (one >= 0) & (other >= 0))
    keys = {*source.keys, *target.keys, *source.merged, *target.merged}
    return {key: differs[phrase] for key in keys if (phrase := key.rpartition(".")[0]) in differs}


def _possible(
    key: str, mine: np.ndarray | None, yours: np.ndarray | None, their: dict[str, np.ndarray], *, swap: bool
) -> list[np.ndarray]:
    """Link a word that has no counterpart to its host's counterpart."""
    if mine is None:
        return []
    lonely = mine >= 0 if yours is None else (mine >= 0) & (yours < 0)
    prefix, _, part = key.rpartition(".")
    hosts = _HOSTS.get(part, ())
    if part == "head" and prefix.endswith(".subject"):  # a pronoun that the other language drops
        prefix, hosts = prefix.removesuffix(".subject"), ("verb", "predicate")
    links = []
    for host in hosts:
        place = their.get(f"{prefix}.{host}")
        if place is not None:
            rows = np.flatnonzero(lonely & (place >= 0))
            first, second = (place, mine) if swap else (mine, place)
            links.append(_stack(rows, first[rows], second[rows], False))
            lonely = lonely & (place < 0)
    return links


def _stack(rows: np.ndarray, i: np.ndarray, j: np.ndarray, sure: bool) -> np.ndarray:
    return np.stack([rows, i, j, np.full(len(rows), int(sure))])
