"""Parallel sentences with gold word alignments: one event told twice, linked part by part.

A link is sure between the words that say the same part of the event. It is possible between a word that only
one language uses (an article, an adposition, an auxiliary, "not") and the word that it belongs to.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from crosslingua.corpora.world.quota import Quota
from crosslingua.corpora.world.realise import Told
from crosslingua.corpora.world.sentences import CHUNK, sample_sentences
from crosslingua.corpora.world.splits import in_split
from crosslingua.corpora.world.wording import join_lines, told_lines
from crosslingua.corpora.world.world import World

_HOSTS = {
    "article": ("second", "head"), "adposition": ("head",), "owner_adposition": ("owner",),
    "auxiliary": ("verb", "predicate"), "copula": ("predicate",), "passive": ("verb",),
    "negation": ("verb", "predicate"),
}  # fmt: skip
_WIDTH = 128  # tokens of a sentence, at most


class Block(NamedTuple):
    """Blocks of lines: source, target, and Pharaoh links (0-based; `i-j` sure, `ipj` possible)."""

    source: str
    target: str
    links: str


class LinkArrays(NamedTuple):
    """Gold links of many sentences, sorted: sentence, source token, target token, whether sure."""

    row: np.ndarray
    source: np.ndarray
    target: np.ndarray
    sure: np.ndarray


def bitext_blocks(
    world: World, source: str, target: str, sentences: int, *, split: str = "train"
) -> Iterator[Block]:
    """Yield blocks of `sentences` sentence pairs in all. Splits share no source sentence."""
    shares = world.topics_of(source) + world.topics_of(target)
    ours, theirs = world.language(source), world.language(target)
    quota = Quota(sentences, f"bitext {source}-{target} {split}")
    for number in quota:
        rng = world.stream("bitext", source, target, split, number)
        drawn = sample_sentences(world.knowledge, rng, shares, CHUNK)
        told = drawn.tell(ours)
        rows = quota.take(np.flatnonzero(in_split(told, ours, split)))
        told, other = told.take(rows), drawn.take(rows).tell(theirs)
        links = link(told, other)
        yield Block(
            told_lines(world, source, told), told_lines(world, target, other), pharaoh(links, len(rows))
        )


def link(source: Told, target: Told) -> LinkArrays:
    """Return the gold links between two tellings of the same events."""
    ours, theirs = source.positions(), target.positions()
    found = []
    for key in ours.keys() | theirs.keys():
        i, j = ours.get(key), theirs.get(key)
        if i is not None and j is not None:
            rows = np.flatnonzero((i >= 0) & (j >= 0))
            found.append(_stack(rows, i[rows], j[rows], True))
        found += _possible(key, i, j, theirs, swap=False) + _possible(key, j, i, ours, swap=True)
    return _sorted(np.concatenate(found, axis=1))


def pharaoh(links: LinkArrays, n: int) -> str:
    """Write links as `n` lines of Pharaoh format."""
    return join_lines(_named(links), np.bincount(links.row, minlength=n))  # the full stops are always linked


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
    found = []
    for host in hosts:
        place = their.get(f"{prefix}.{host}")
        if place is not None:
            rows = np.flatnonzero(lonely & (place >= 0))
            first, second = (place, mine) if swap else (mine, place)
            found.append(_stack(rows, first[rows], second[rows], False))
            lonely = lonely & (place < 0)
    return found


def _stack(rows: np.ndarray, i: np.ndarray, j: np.ndarray, sure: bool) -> np.ndarray:
    return np.stack([rows, i, j, np.full(len(rows), int(sure))])


def _sorted(found: np.ndarray) -> LinkArrays:
    """Sort by sentence, source, target; a sure link displaces a possible one between the same words."""
    row, i, j, sure = found
    code = (row * _WIDTH + i) * _WIDTH + j
    order = np.lexsort((-sure, code))
    code = code[order]
    first = np.ones(len(code), bool)
    first[1:] = code[1:] != code[:-1]
    return LinkArrays(*found[:, order[first]])


_NAMES = [np.array([f"{i}{sign}{j}" for i in range(_WIDTH) for j in range(_WIDTH)], object) for sign in "-p"]


def _named(links: LinkArrays) -> np.ndarray:
    code = links.source * _WIDTH + links.target
    return np.where(links.sure == 1, _NAMES[0][code], _NAMES[1][code])
