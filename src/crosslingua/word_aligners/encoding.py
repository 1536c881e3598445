"""Vectors of words from an encoder's layers or from static vectors: units of a sentence pair, windows, batches."""

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import ceil
from typing import Any, NamedTuple, Protocol, Self, TypeVar

import numpy as np
import torch
from torch import Tensor

from crosslingua.embedders.encoder import Encoder
from crosslingua.embedders.laser_pieces import Words, special_tokens
from crosslingua.embedders.loading import load_encoder, longest_input
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.pharaoh import Link
from crosslingua.io.vectors import WordVectors
from crosslingua.nn.half import in_half


def windows_needed(length: int, width: int) -> int:
    """Return how many windows of `width` cover `length` if each overlaps the next by at least half."""
    return 1 if length <= width else 1 + ceil((length - width) / max(1, width // 2))


def best_window(length: int, width: int, starts: list[int]) -> np.ndarray:
    """Return the window in which each of `length` positions is farthest from a cut edge (the first of equals)."""
    position, left = np.arange(length)[:, None], np.array(starts)[None, :]
    right = left + width - 1
    before = np.where((left > 0) | (position < left), position - left, length)
    after = np.where((right < length - 1) | (position > right), right - position, length)
    return np.minimum(before, after).argmax(axis=1)


@dataclass(frozen=True)
class Template:
    """Special tokens before, (between,) and after the sentences of a sequence of at most `limit` tokens."""

    specials: list[list[int]]
    limit: int | None
    over_length: str = "window"  # what to do beyond, or "refuse"

    def __post_init__(self) -> None:
        if self.over_length not in ("window", "refuse"):
            raise ConfigError(f"over_length is {self.over_length!r}: say window or refuse")

    def widths(self, lengths: Sequence[int]) -> list[int]:
        """Return how much of each sentence fits in one sequence: all, or in proportion to the lengths."""
        room = sum(lengths)
        if self.limit is not None:
            room = self.limit - sum(map(len, self.specials))
        if sum(lengths) <= room:
            return list(lengths)
        if self.over_length == "refuse":
            raise ConfigError(
                f"sentences of {' and '.join(map(str, lengths))} subwords are too long for the encoder, which takes "
                f"{room}: shorten them, or let them be encoded in overlapping windows (--over-length window)"
            )
        if len(lengths) == 1:
            return [room]
        share = max(1, room * lengths[0] // sum(lengths))
        return [share, room - share]


@dataclass
class Layout:
    """Sequences: subwords, types and positions (from 0 in each share); rows and columns of each sentence's units."""

    frame: Template
    sequences: list[list[int]] = field(default_factory=list)
    types: list[list[int]] = field(default_factory=list)
    positions: list[list[int]] = field(default_factory=list)
    rows: list[list[int]] = field(default_factory=list)
    columns: list[list[int]] = field(default_factory=list)

    def add(self, sentences: Sequence[list[int]], types: Sequence[int]) -> None:
        """Add one sentence, or two that are encoded together, each with the type of its tokens.

        Windows show the same relative stretch of both; a unit is taken from where it has most context.
        """
        lengths = list(map(len, sentences))
        widths = self.frame.widths(lengths)
        count = max(map(windows_needed, lengths, widths))
        starts = []  # of a sentence's windows, evenly spread, the last one ending with it
        row, column = len(self.sequences), len(self.frame.specials[0])
        for length, width, specials in zip(lengths, widths, self.frame.specials[1:], strict=True):
            start = [window * max(0, length - width) // max(1, count - 1) for window in range(count)]
            starts.append(start)
            if count == 1:
                self.rows.append([row] * length)
                self.columns.append(list(range(column, column + length)))
            else:
                window = best_window(length, width, start)
                self.rows.append((row + window).tolist())
                self.columns.append((column + np.arange(length) - np.array(start)[window]).tolist())
            column += min(length, width) + len(specials)
        for window in zip(*starts, strict=True):
            self._append([s[a : a + w] for s, a, w in zip(sentences, window, widths, strict=True)], types)

    def _append(self, parts: Sequence[list[int]], types: Sequence[int]) -> None:
        """Add a sequence. The first special token after a sentence is that sentence's, any other the next one's."""
        first, *after = self.frame.specials
        shares = [list(first)]
        for part, specials in zip(parts, after, strict=True):
            shares[-1] += part + specials[:1]
            shares.append(specials[1:])
        shares[-2:] = [shares[-2] + shares[-1]]
        self.sequences.append([number for share in shares for number in share])
        self.types.append([own for own, share in zip(types, shares, strict=True) for _ in share])
        self.positions.append([place for share in shares for place in range(len(share))])


Pair = tuple[list[str], list[str]]


class Units(NamedTuple):
    """A sentence as units: their `ids` (subwords, or rows of a matrix), and the word, from 0, that each is part of."""

    ids: list[int]
    words: list[int]


class UnitPair(NamedTuple):
    """A sentence pair as units."""

    source: Units
    target: Units


class UnitEmbedding(Protocol):
    """Where vectors come from: an encoder, or static word vectors."""

    def units(self, pair: Pair) -> UnitPair:
        """Divide the words of a pair into units."""

    def vectors(self, pairs: Sequence[UnitPair], joint: bool) -> list[tuple[Tensor, Tensor]]:
        """Return source vectors (b, n, d) and target vectors (b, m, d), float32, once for each layer.

        n and m are the largest numbers of units, at least 1; what stands at padding is arbitrary but finite.
        `joint`: encode the two sentences as one sequence, if there is anything to encode.
        """

    def report(self) -> None:
        """Log which words could not be represented, if there were any."""


@dataclass(frozen=True)
class UnitBatch:
    """b padded pairs: vectors (b, n, d) and (b, m, d), masks bool (b, n) and (b, m), and the words of the units."""

    source: Tensor
    target: Tensor
    source_mask: Tensor
    target_mask: Tensor
    source_words: np.ndarray
    target_words: np.ndarray

    @classmethod
    def of(cls, pairs: Sequence[UnitPair], source: Tensor, target: Tensor) -> Self:
        """Make it from units and their vectors."""
        sides = [padded([pair[side].words for pair in pairs], -1) for side in (0, 1)]
        masks = [torch.from_numpy(words >= 0).to(source.device) for words in sides]
        return cls(source, target, *masks, *sides)

    def word_edges(self, links: Tensor) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return pair, source word and target word of every true unit pair in `links` (b, n, m)."""
        pair, i, j = links.cpu().numpy().nonzero()
        return pair, self.source_words[pair, i], self.target_words[pair, j]

    def word_links(self, links: Tensor) -> list[frozenset[Link]]:
        """Return each pair's word links: two words are linked if two of their units are (xlm_align, 4.3)."""
        result: list[set[Link]] = [set() for _ in self.source]
        for pair, i, j in zip(*(column.tolist() for column in self.word_edges(links)), strict=True):
            result[pair].add((i, j))
        return [frozenset(found) for found in result]


def padded(rows: Sequence[Sequence[int]], fill: int) -> np.ndarray:
    """Return rows of unequal length as one int64 matrix with at least one column, `fill` where there is nothing."""
    result = np.full((len(rows), max(1, *map(len, rows))), fill, dtype=np.int64)
    for row, values in zip(result, rows, strict=True):
        row[: len(values)] = values
    return result


log = logging.getLogger(__name__)


class EncoderEmbedding:
    """Hidden vectors of `layers` (0: the embeddings, k: the k-th layer) of an encoder.

    Joint pairs are joined as the tokeniser joins pairs (`<s> source </s></s> target </s>`; XLM-Align's aligner has
    one `</s>` there); the target's positions begin at 0 again if the encoder says `restart_positions`. `languages`
    are needed by encoders with `lang2id`. Too long sequences are windows, or an error (`over_length`).
    """

    def __init__(
        self,
        model: Any,
        tokeniser: Any,
        layers: Sequence[int],
        languages: Sequence[str] | None = None,
        over_length: str = "window",
    ):
        self.encoder = Encoder(model, tokeniser, model.config.name_or_path or "the encoder").eval()
        self.layers = tuple(layers)
        self.words = Words(tokeniser)
        limit = longest_input(model.config, tokeniser)
        self.alone, self.joint = (Template(special_tokens(tokeniser, n), limit, over_length) for n in (1, 2))
        self._padding = tokeniser.pad_token_id or 0
        self._languages = _language_numbers(self.encoder, languages)
        self._restart = getattr(model.config, "restart_positions", False)

    @classmethod
    def load(
        cls, name: str, layers: Sequence[int], device: str = "cpu", dtype: str = "float32", **options: Any
    ) -> Self:
        """Load the encoder in a folder, or by its name on the hub, up to the highest of `layers`.

        `dtype` is the precision of the encoder ("bfloat16": about twice as fast where a processor has it); the
        aligners compute with float32. Raises ConfigError for a device that torch does not find.
        """
        return cls(*load_on(device, dtype, name, max(layers)), layers, **options)

    def units(self, pair: Pair) -> UnitPair:
        """Divide the words of a pair into subwords."""
        return UnitPair(*map(self._units, pair))

    def vectors(self, pairs: Sequence[UnitPair], joint: bool) -> list[tuple[Tensor, Tensor]]:
        """Encode pairs; see `UnitEmbedding`. Raises InputError for vectors that are not finite."""
        if not joint:
            return list(zip(*(self._alone(pairs, side) for side in (0, 1)), strict=True))
        layout = Layout(self.joint)
        for pair in pairs:
            layout.add([side.ids for side in pair], self._languages or (0, 1))
        hidden = self._hidden(layout)
        sides = [self._gather(hidden, layout, slice(side, None, 2)) for side in (0, 1)]
        return list(zip(*sides, strict=True))

    def report(self) -> None:
        """Log the words of which the tokeniser drops every character."""
        if words := self.words.dropped:
            log.warning(
                "the tokeniser makes nothing of %d words, such as %r: unknown tokens", len(words), words[0]
            )

    def _units(self, sentence: list[str]) -> Units:
        pieces = self.words.pieces(sentence)
        return Units(
            [piece for word in pieces for piece in word],
            [number for number, word in enumerate(pieces) for _ in word],
        )

    def _alone(self, pairs: Sequence[UnitPair], side: int) -> list[Tensor]:
        """Encode the sentences of one side by themselves."""
        layout = Layout(self.alone)
        for pair in pairs:
            layout.add([pair[side].ids], [self._languages[side] if self._languages else 0])
        return self._gather(self._hidden(layout), layout, slice(None))

    def _hidden(self, layout: Layout) -> list[Tensor]:
        """Return the hidden states (sequences, longest, d) of the layers that are read."""
        ids, types = padded(layout.sequences, self._padding), padded(layout.types, 0)
        lengths = np.array([len(sequence) for sequence in layout.sequences])
        positions = padded(layout.positions, 0) if self._restart else None
        states = self.encoder.states(ids, lengths, types, positions)
        return [states[layer] for layer in self.layers]

    def _gather(self, hidden: list[Tensor], layout: Layout, sentences: slice) -> list[Tensor]:
        """Take the units' vectors (b, n, d) out of the hidden state of each layer."""
        rows, columns = (
            torch.from_numpy(padded(index[sentences], 0)).to(hidden[0].device)
            for index in (layout.rows, layout.columns)
        )
        found = [state[rows, columns].float() for state in hidden]
        for layer, vectors in zip(self.layers, found, strict=True):
            if not vectors.isfinite().all():  # any aligner would make links of some kind from them
                raise InputError(
                    self.encoder.folder, f"layer {layer} has vectors that are not finite (nan, inf)",
                    remedy="its weights are damaged or its training diverged: fetch or train it again",
                )  # fmt: skip
        return found


def load_on(device: torch.device | str, dtype: str, name: str, layer: int) -> tuple[Any, Any]:
    """Return model and tokeniser of `loading.load_encoder`, the model on `device` in the precision `dtype`, bfloat16
    where it is fast (`in_half`).
    """
    try:
        torch.empty(0, device=device)
    except (AssertionError, RuntimeError):  # a torch without CUDA asserts
        raise ConfigError(
            f"device is {device}, but torch finds none of this name: say cpu (--device)"
        ) from None
    model, tokeniser = load_encoder(name, layer)
    if dtype == "bfloat16" and not in_half("bf16", device):
        dtype = "float32"
    return model.to(device, getattr(torch, dtype)), tokeniser


def _language_numbers(encoder: Encoder, languages: Sequence[str] | None) -> tuple[int, int] | None:
    """Return the numbers of source and target language; None for an encoder without language embeddings."""
    if not encoder.languages:
        return None
    if not languages:
        names = ", ".join(sorted(encoder.languages))
        raise ConfigError(
            f"{encoder.folder} has language ids: name the source's and the target's (--languages) of {names}"
        )
    return tuple(map(encoder.language_id, languages))


class StaticEmbedding:
    """Vectors of source and target words in one space; words without one are counted (`missing`) and unlinked."""

    def __init__(self, source: WordVectors, target: WordVectors):
        if source.dimension != target.dimension:
            raise ConfigError(
                f"source vectors have {source.dimension} dimensions and target vectors {target.dimension}: "
                "they must be of one space (crosslingua align-vectors)"
            )
        self._matrices = [torch.from_numpy(side.matrix) for side in (source, target)]
        self._rows = [{w: row for w, row in v.index.items() if v.matrix[row].any()} for v in (source, target)]
        self.seen: Counter[str] = Counter()
        self.missing: Counter[str] = Counter()

    def units(self, pair: Pair) -> UnitPair:
        """Find the rows of the words that have vectors."""
        return UnitPair(*(self._side(side, words) for side, words in enumerate(pair)))

    def _side(self, side: int, sentence: list[str]) -> Units:
        rows = self._rows[side]
        known = [(rows[word], number) for number, word in enumerate(sentence) if word in rows]
        name = ("source", "target")[side]
        self.seen[name] += len(sentence)
        self.missing[name] += len(sentence) - len(known)
        return Units([row for row, _ in known], [number for _, number in known])

    def vectors(self, pairs: Sequence[UnitPair], joint: bool) -> list[tuple[Tensor, Tensor]]:
        """Look vectors up; there is one layer, and nothing to encode jointly."""
        rows = [torch.from_numpy(padded([pair[side].ids for pair in pairs], 0)) for side in (0, 1)]
        return [tuple(matrix[own] for matrix, own in zip(self._matrices, rows, strict=True))]

    def report(self) -> None:
        """Log how many words had no vector."""
        for side in +self.missing:
            share = 100 * self.missing[side] / self.seen[side]
            log.info("%s: %d of %d words (%.1f%%) have no vector and stay unlinked", side, self.missing[side],
                     self.seen[side], share)  # fmt: skip


T = TypeVar("T")


def pools(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield `items` in lists of `size`, the last one shorter."""
    stream = iter(items)
    while pool := list(islice(stream, size)):
        yield pool


def buckets(lengths: Sequence[tuple[int, int]], tokens: int) -> list[list[int]]:
    """Divide pairs of `lengths` into lists of their numbers, alike in length, longest first: memory peaks at once.

    Padded, a list has at most `tokens` units, or is one pair that is longer.
    """
    order = sorted(range(len(lengths)), key=lambda k: (-(lengths[k][0] // 4), -lengths[k][1]))
    result: list[list[int]] = []
    longest = (0, 0)
    for number in order:
        wider = tuple(map(max, longest, lengths[number]))
        if not result or sum(wider) * (len(result[-1]) + 1) > tokens:
            result.append([])
            wider = lengths[number]
        result[-1].append(number)
        longest = wider
    return result
