"""What an alignment learns from: an encoder, parallel text, and which words translate each other."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from tqdm import tqdm

from crosslingua.embedders.encoder import Encoder
from crosslingua.embedders.word_states import WordStates
from crosslingua.encoder_alignment import DICTIONARY, PARALLEL
from crosslingua.encoder_alignment.aligned_text import AlignedText
from crosslingua.encoder_alignment.anchors import Anchors
from crosslingua.encoder_alignment.layers import LAST, last_layers
from crosslingua.encoder_alignment.moments import Moments
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.dictionaries import Pair

log = logging.getLogger(__name__)
CHUNK = 512  # sentence pairs whose vectors are held at once


@dataclass(frozen=True)
class Signal:
    """An encoder's folder and the text that both kinds of supervision read, of two `languages`.

    `dictionary` pairs are in lower case if `lowercase` is set; the text is read with its case. `number`: how many of
    the last layers are aligned. Whatever supervises, the text is encoded once.
    """

    folder: Path
    text: AlignedText
    languages: tuple[str, str]
    dictionary: Sequence[Pair] | None = None
    lowercase: bool = False
    number: int = LAST
    files: Mapping[str, str | Path] = field(default_factory=dict)

    @cached_property
    def encoder(self) -> Encoder:
        """The encoder, as it was before any alignment."""
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
        """Return the moments of the pairs of vectors that a supervision gives.

        Raises ConfigError for a supervision that was not given, InputError for a dictionary without a pair in the text.
        """
        if supervision not in self._moments:
            wanted = {DICTIONARY: "a dictionary", PARALLEL: "links"}.get(supervision)
            raise ConfigError(f"supervision {supervision!r}: " + (f"give {wanted}" if wanted else "unknown"))
        found = self._moments[supervision]
        _check_number(found, supervision)
        return found

    @cached_property
    def _moments(self) -> dict[str, Moments]:
        """Encode the text once; return the moments of every supervision that was given."""
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
        """Return the moments of the anchors of the dictionary's pairs of which the text has both words."""
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
