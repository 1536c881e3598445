"""The supervision of an alignment: an encoder, parallel text, links or a dictionary, and the moments of word pairs."""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Self

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from crosslingua.embedders.encoder import Encoder
from crosslingua.embedders.word_states import WordStates
from crosslingua.encoder_alignment import DICTIONARY, PARALLEL
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.bitext import Pair, read_bitext
from crosslingua.io.pharaoh import read_pharaoh

log = logging.getLogger(__name__)
Sentence = Sequence[str]
SENTENCES = 30_000  # pairs (mbert_align, section 4.1)


@dataclass(frozen=True)
class AlignedText:
    """Sentence pairs as words, and the links (n, 2) of each pair's words, or None."""

    source: list[Sentence]
    target: list[Sentence]
    links: list[np.ndarray] | None = None

    @classmethod
    def read(
        cls,
        source: str | Path,
        target: str | Path,
        links: str | Path | None = None,
        take: int = SENTENCES,
        reverse: bool = False,
    ) -> Self:
        """Read the first `take` pairs of tokenised text, and the sure links of a file in Pharaoh's format, which go
        from target to source if `reverse`. Raises InputError for an empty text, files of unequal length, invalid links,
        and no links.
        """
        if take < 1:
            raise ConfigError(f"{take} sentence pairs: at least 1")
        pairs = [tuple(line.split() for line in pair) for pair in read_bitext(source, target)]
        if not pairs:
            raise InputError(source, "is empty: there is nothing to align with")
        found = None if links is None else _links(links, pairs, reverse)[:take]
        if found is not None and not any(map(len, found)):
            raise InputError(links, f"no sure link (i-j) in the first {take} sentence pairs")
        left, right = (list(side) for side in zip(*pairs[:take], strict=True))
        return cls(left, right, found)

    def __len__(self) -> int:
        return len(self.source)

    def chunks(self, size: int) -> Iterator[Self]:
        """Yield the pairs in chunks of at most `size`."""
        for start in range(0, len(self), size):
            part = slice(start, start + size)
            yield AlignedText(self.source[part], self.target[part], self.links and self.links[part])

    def flat_links(self) -> np.ndarray:
        """Return all links (n, 2), with words counted through the whole of each side."""
        starts = np.zeros((len(self) + 1, 2), dtype=np.int64)
        lengths = [(len(a), len(b)) for a, b in zip(self.source, self.target, strict=True)]
        np.cumsum(lengths, axis=0, out=starts[1:])
        shifted = [
            links + start for links, start in zip(self.links or [], islice(starts, len(self)), strict=False)
        ]
        return np.concatenate(shifted) if shifted else np.empty((0, 2), dtype=np.int64)


def _links(path: str | Path, pairs: Sequence[Sequence[Sentence]], reverse: bool) -> list[np.ndarray]:
    step = -1 if reverse else 1
    lengths = [(len(a), len(b))[::step] for a, b in pairs]
    every = read_pharaoh(path, lengths)
    return [np.array(sorted(one.sure), dtype=np.int64).reshape(-1, 2)[:, ::step].copy() for one in every]


class Anchors:
    """Average word anchors (mbert_align, Eq. 6) of `words`, lower-cased if `lowercase`: sums (layers, d) of vectors."""

    def __init__(self, words: Iterable[str], layers: int, dimension: int, lowercase: bool = False):
        self._rows = {word: row for row, word in enumerate(dict.fromkeys(words))}
        self._lowercase = lowercase
        self._sums = torch.zeros(len(self._rows), layers, dimension, dtype=torch.float64)
        self.counts = np.zeros(len(self._rows), dtype=np.int64)

    def add(self, sentences: Sequence[Sequence[str]], vectors: Tensor) -> None:
        """Count the words of some sentences, whose `vectors` are (words, layers, d)."""
        rows = [self._row(word) for sentence in sentences for word in sentence]
        places = [place for place, row in enumerate(rows) if row is not None]
        chosen = torch.tensor([rows[place] for place in places], dtype=torch.int64)
        self._sums.index_add_(0, chosen, vectors[places].double())
        self.counts += np.bincount(chosen.numpy(), minlength=len(self.counts))

    def _row(self, word: str) -> int | None:
        return self._rows.get(word.lower() if self._lowercase else word)

    def __contains__(self, word: str) -> bool:
        row = self._rows.get(word)
        return row is not None and bool(self.counts[row])

    def of(self, words: Sequence[str]) -> np.ndarray:
        """Return the anchors (words, layers, d) of words that occurred."""
        rows = np.array([self._rows[word] for word in words], dtype=np.int64)
        return (
            self._sums[torch.from_numpy(rows)] / torch.from_numpy(self.counts[rows])[:, None, None]
        ).numpy()


LAST = 4


def last_layers(total: int, number: int | None = None) -> list[int]:
    """Return the numbers of the last `number` of `total` layers (0 is the embeddings); without a number four, as in
    section 4.1 of mbert_align, or all where there are fewer. Raises ConfigError for a number that there are not.
    """
    if number is not None and not 1 <= number <= total:
        raise ConfigError(f"{number} layers to align: the encoder has {total}, so name 1 to {total}")
    return list(range(max(1, total - (number or LAST) + 1), total + 1))


class Moments:
    """Number, sums (layers, d), squared norms and products (layers, d, d) of k pairs of vectors (layers, d), which give
    rotations, centroids and spreads in constant memory.
    """

    def __init__(self, layers: int, dimension: int):
        self.pairs = 0
        self._sums = np.zeros((2, layers, dimension))
        self._squares = np.zeros((2, layers))
        self._products = np.zeros((layers, dimension, dimension))

    def add(self, source: np.ndarray, target: np.ndarray) -> None:
        """Count pairs: row i of `source` (n, layers, d) translates row i of `target`."""
        self.pairs += len(source)
        sides = [np.asarray(side, dtype=np.float64).transpose(1, 0, 2) for side in (source, target)]
        self._sums += [side.sum(axis=1) for side in sides]
        self._squares += [(side**2).sum(axis=(1, 2)) for side in sides]
        self._products += sides[0].transpose(0, 2, 1) @ sides[1]

    @property
    def means(self) -> tuple[np.ndarray, np.ndarray]:
        """The centroids of both sides, (layers, d) (Eq. 4)."""
        source, target = self._sums / self.pairs
        return source, target

    @property
    def spread(self) -> np.ndarray:
        """Return the root mean square distance of a vector to the centroid of its side, (layers,)."""
        own = self._squares / self.pairs - (np.stack(self.means) ** 2).sum(axis=2)
        return np.sqrt(own.mean(axis=0))

    def products(self, centred: bool) -> np.ndarray:
        """Return X_sᵀ X_t of every layer, (layers, d, d); rows are pairs, centred if `centred`."""
        if not centred:
            return self._products
        source, target = self.means
        return self._products - self.pairs * source[:, :, None] * target[:, None, :]


log = logging.getLogger(__name__)
CHUNK = 512  # sentence pairs whose vectors are held at once


@dataclass(frozen=True)
class Signal:
    """An encoder's folder and the text that both kinds of supervision read, of two `languages`.

    `dictionary` pairs are in lower case if `lowercase`; the text is cased. The last `number` layers are aligned. The
    text is encoded once for all supervision.
    """

    folder: Path
    text: AlignedText
    languages: tuple[str, str]
    dictionary: Sequence[Pair] | None = None
    lowercase: bool = False
    number: int | None = None
    files: Mapping[str, str | Path] = field(default_factory=dict)

    @cached_property
    def encoder(self) -> Encoder:
        """The encoder before alignment."""
        return Encoder.load(self.folder).eval()

    @property
    def layers(self) -> list[int]:
        """The layers to align."""
        return last_layers(self.encoder.config.num_hidden_layers, self.number)

    @property
    def language_ids(self) -> tuple[int | None, int | None]:
        """The ids of the languages, for an encoder that has them."""
        source, target = (self.encoder.language_id(language) for language in self.languages)
        return source, target

    def moments(self, supervision: str) -> Moments:
        """Return the moments of the pairs of vectors of a supervision. Raises ConfigError if it is missing, InputError
        for a dictionary without a pair in the text.
        """
        if supervision not in self._moments:
            wanted = {DICTIONARY: "a dictionary", PARALLEL: "links"}.get(supervision)
            raise ConfigError(f"supervision {supervision!r}: " + (f"give {wanted}" if wanted else "unknown"))
        found = self._moments[supervision]
        _check_number(found, supervision)
        return found

    @cached_property
    def _moments(self) -> dict[str, Moments]:
        """Encode the text once; return the moments of every given supervision."""
        states = WordStates(self.encoder, self.layers)
        shape = len(self.layers), self.encoder.dimension
        linked = Moments(*shape)
        anchors = [
            Anchors(words, *shape, self.lowercase) for words in zip(*(self.dictionary or []), strict=True)
        ]
        progress = tqdm(
            total=len(self.text), unit=" pairs", desc=f"encode {'-'.join(self.languages)}", mininterval=1.0
        )
        for chunk in self.text.chunks(CHUNK):
            self._add(chunk, states, linked, anchors)
            progress.update(len(chunk))
        progress.close()
        found = {PARALLEL: linked} if self.text.links is not None else {}
        return found | ({DICTIONARY: self._anchored(*anchors)} if anchors else {})

    def _add(
        self, chunk: AlignedText, states: WordStates, linked: Moments, anchors: Iterable[Anchors]
    ) -> None:
        sides = chunk.source, chunk.target
        vectors = [states.all(side, number) for side, number in zip(sides, self.language_ids, strict=True)]
        for side, anchor, own in zip(sides, anchors, vectors, strict=False):
            anchor.add(side, own)
        if chunk.links is not None:
            links = torch.from_numpy(chunk.flat_links())
            linked.add(vectors[0][links[:, 0]].numpy(), vectors[1][links[:, 1]].numpy())

    def _anchored(self, source: Anchors, target: Anchors) -> Moments:
        """Return the moments of the anchors of dictionary pairs whose words both occur."""
        pairs = [pair for pair in self.dictionary or [] if pair[0] in source and pair[1] in target]
        if not pairs:
            raise InputError(
                self.files.get(DICTIONARY, DICTIONARY), "of none of its pairs does the text have both words",
                remedy="check the order of its columns and its case (--lowercase)",
            )  # fmt: skip
        log.info(
            "%d of %d dictionary pairs have both words in the text", len(pairs), len(self.dictionary or [])
        )
        found = Moments(len(self.layers), self.encoder.dimension)
        for start in range(0, len(pairs), CHUNK):
            left, right = zip(*pairs[start : start + CHUNK], strict=True)
            found.add(source.of(left), target.of(right))
        return found


def _check_number(moments: Moments, supervision: str) -> None:
    dimensions = np.shape(moments.products(False))[-1]
    if moments.pairs < dimensions:
        log.warning(
            "%s: %d pairs of words for %d dimensions: the rotation is not determined in every direction",
            supervision, moments.pairs, dimensions,
        )  # fmt: skip
