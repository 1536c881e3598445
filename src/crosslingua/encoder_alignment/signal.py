"""The supervision of an alignment: an encoder, parallel text, links or a dictionary, and the moments of word pairs.

And its result, a folder: Hugging Face's files, `alignment.json`, and `rotations.safetensors` if it is rotated.
"""

import logging
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from crosslingua.embedders.encoder import Encoder
from crosslingua.embedders.word_states import ROTATIONS, Rotations, WordStates, last_layers
from crosslingua.encoder_alignment import DICTIONARY, PARALLEL
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.atomic import atomic_folder
from crosslingua.io.bitext import Pair, read_bitext
from crosslingua.io.decode import lowercase, tokens_of
from crosslingua.io.json import write_json
from crosslingua.io.pharaoh import read_pharaoh
from crosslingua.nn.ragged import offsets_of
from crosslingua.provenance import sha256

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
        """Read the first `take` pairs of tokenised text and the sure links of a Pharaoh file; `reverse`: links from
        target to source. Raises InputError for an empty text, files of unequal length, invalid links, and no links.
        """
        if take < 1:
            raise ConfigError(f"{take} sentence pairs: at least 1")
        pairs = [tuple(tokens_of(line) for line in pair) for pair in read_bitext(source, target)]
        if not pairs:
            raise InputError(source, "is empty: there is nothing to align with")
        left, right = (list(side) for side in zip(*pairs[:take], strict=True))
        if links is None:
            return cls(left, right)
        step = -1 if reverse else 1
        every = read_pharaoh(links, [(len(a), len(b))[::step] for a, b in pairs])[:take]
        sure = [
            np.array(sorted(pair.sure), dtype=np.int64).reshape(-1, 2)[:, ::step].copy() for pair in every
        ]
        if not any(map(len, sure)):
            raise InputError(links, f"no sure link (i-j) in the first {take} sentence pairs")
        return cls(left, right, sure)

    def __len__(self) -> int:
        return len(self.source)

    def chunks(self, size: int) -> Iterator[Self]:
        """Yield the pairs in chunks of at most `size`."""
        for start in range(0, len(self), size):
            part = slice(start, start + size)
            yield AlignedText(self.source[part], self.target[part], self.links and self.links[part])

    def flat_links(self) -> np.ndarray:
        """Return all links (n, 2), with words counted through the whole of each side."""
        starts = np.stack([offsets_of(list(map(len, side))) for side in (self.source, self.target)], axis=1)
        shifted = [links + start for links, start in zip(self.links or [], starts[:-1], strict=False)]
        return np.concatenate([np.empty((0, 2), dtype=np.int64), *shifted])


class Anchors:
    """Average word anchors (mbert_align, Eq. 6) of `words`: sums (layers, d). `lowercase`: lower-case the text."""

    def __init__(
        self, words: Iterable[str], layers: int, dimension: int, lowercase: bool = False, language: str = ""
    ):
        self._rows = {word: row for row, word in enumerate(dict.fromkeys(words))}
        self._lowercase, self._language = lowercase, language
        self._sums = torch.zeros(len(self._rows), layers, dimension, dtype=torch.float64)
        self.counts = np.zeros(len(self._rows), dtype=np.int64)

    def add(self, sentences: Sequence[Sequence[str]], vectors: Tensor) -> None:
        """Count the words of some sentences, whose `vectors` are (words, layers, d)."""
        words = (word for sentence in sentences for word in sentence)
        rows = [
            self._rows.get(lowercase(word, self._language) if self._lowercase else word) for word in words
        ]
        places = [place for place, row in enumerate(rows) if row is not None]
        chosen = torch.tensor([rows[place] for place in places], dtype=torch.int64)
        self._sums.index_add_(0, chosen, vectors[places].double())
        self.counts += np.bincount(chosen.numpy(), minlength=len(self.counts))

    def __contains__(self, word: str) -> bool:
        row = self._rows.get(word)
        return row is not None and bool(self.counts[row])

    def of(self, words: Sequence[str]) -> np.ndarray:
        """Return the anchors (words, layers, d) of words that occurred."""
        rows = np.array([self._rows[word] for word in words], dtype=np.int64)
        counts = torch.from_numpy(self.counts[rows])[:, None, None]
        return (self._sums[torch.from_numpy(rows)] / counts).numpy()


class Moments:
    """Number, sums (layers, d), squared norms and products (layers, d, d) of k pairs of vectors (layers, d). They give
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


CHUNK = 512  # sentence pairs whose vectors are held at once


@dataclass(frozen=True)
class Signal:
    """An encoder's folder and the text that both kinds of supervision read, of two `languages`.

    `dictionary` pairs are in lower case if `lowercase`; the text is cased. The last `number` layers are aligned. The
    text is encoded once for all supervision, on `device`; what is counted of its vectors is counted on the CPU.
    """

    folder: Path
    text: AlignedText
    languages: tuple[str, str]
    dictionary: Sequence[Pair] | None = None
    lowercase: bool = False
    number: int | None = None
    files: Mapping[str, str | Path] = field(default_factory=dict)
    device: torch.device | str = "cpu"

    @cached_property
    def encoder(self) -> Encoder:
        """The encoder before alignment."""
        return Encoder.load(self.folder).eval().to(self.device)

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
        """Return the moments of a supervision. ConfigError: it is missing; InputError: no pair is in the text."""
        if supervision not in self._moments:
            wanted = {DICTIONARY: "a dictionary", PARALLEL: "links"}.get(supervision)
            raise ConfigError(f"supervision {supervision!r}: " + (f"give {wanted}" if wanted else "unknown"))
        moments = self._moments[supervision]
        dimensions = self.encoder.dimension
        if moments.pairs < dimensions:
            log.warning(
                "%s: %d pairs of words for %d dimensions: the rotation is not determined in every direction",
                supervision, moments.pairs, dimensions,
            )  # fmt: skip
        return moments

    @cached_property
    def _moments(self) -> dict[str, Moments]:
        """Encode the text once; return the moments of every given supervision."""
        states = WordStates(self.encoder, self.layers)
        shape = len(self.layers), self.encoder.dimension
        linked = Moments(*shape)
        anchors = [
            Anchors(words, *shape, self.lowercase, language)
            for language, words in zip(self.languages, zip(*self.dictionary or [], strict=True), strict=False)
        ]
        looks = {"unit": " pairs", "desc": f"encode {'-'.join(self.languages)}", "mininterval": 1.0}
        with tqdm(total=len(self.text), **looks) as progress:
            for chunk in self.text.chunks(CHUNK):
                sides = chunk.source, chunk.target
                numbered = zip(sides, self.language_ids, strict=True)
                vectors = [states.all(side, number) for side, number in numbered]
                for side, anchor, states_of in zip(sides, anchors, vectors, strict=False):
                    anchor.add(side, states_of)
                if chunk.links is not None:
                    links = torch.from_numpy(chunk.flat_links())
                    linked.add(vectors[0][links[:, 0]].numpy(), vectors[1][links[:, 1]].numpy())
                progress.update(len(chunk))
        moments = {PARALLEL: linked} if self.text.links is not None else {}
        return moments | ({DICTIONARY: self._anchored(*anchors)} if anchors else {})

    def _anchored(self, source: Anchors, target: Anchors) -> Moments:
        """Return the moments of the anchors of dictionary pairs whose words both occur."""
        pairs = [pair for pair in self.dictionary or [] if pair[0] in source and pair[1] in target]
        if not pairs:
            raise InputError(
                self.files.get(DICTIONARY, DICTIONARY), "the text has both words of no pair",
                remedy="check the order of the columns and the case (--lowercase)",
            )  # fmt: skip
        log.info(
            "%d of %d dictionary pairs have both words in the text", len(pairs), len(self.dictionary or [])
        )
        moments = Moments(len(self.layers), self.encoder.dimension)
        for start in range(0, len(pairs), CHUNK):
            left, right = zip(*pairs[start : start + CHUNK], strict=True)
            moments.add(source.of(left), target.of(right))
        return moments


# The folder.


WEIGHTS = ("config.json", "model*.safetensors", "model.safetensors.index.json", "pytorch_model*")
TOKENISER = (
    "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "vocab.txt",
    "vocab.json", "merges.txt", "*.model",
)  # fmt: skip
ALIGNED = (*WEIGHTS, *TOKENISER, ROTATIONS, "alignment.json")  # what a folder may hold that is replaced


def write_aligned(
    signal: Signal,
    out: str | Path,
    report: Mapping[str, Any],
    *,
    rotations: Rotations | None = None,
    tuned: Encoder | None = None,
) -> None:
    """Write the folder `out` atomically: the initial encoder with `rotations`, or the encoder `tuned`. Unchanged
    weights are hard links where possible, so that many rotations take no space.
    """
    with atomic_folder(out, ALIGNED) as temporary:
        _take(signal.folder, temporary, TOKENISER if tuned else (*WEIGHTS, *TOKENISER))
        if tuned is not None:
            from transformers.utils import logging as library

            library.disable_progress_bar()  # which counts files
            tuned.to("cpu").model.save_pretrained(temporary)
        if rotations is not None:
            rotations.save(temporary)
        data = dict(zip(("source", "target"), signal.languages, strict=True))
        data |= {"layers": signal.layers, "sentence_pairs": len(signal.text)}
        checksums = {name: sha256(path) for name, path in signal.files.items()}
        write_json(temporary / "alignment.json", {**report, **data, "sha256": checksums})


def _take(source: Path, out: Path, patterns: tuple[str, ...]) -> None:
    """Copy the files of a folder that match a pattern; large ones become links."""
    for path in sorted(source.iterdir()):
        if any(fnmatchcase(path.name, pattern) for pattern in patterns):
            large = path.suffix in (".safetensors", ".bin")
            (_link if large else shutil.copyfile)(path.resolve(), out / path.name)
    if not any(out.iterdir()):
        raise InputError(source, "holds no file of an encoder", remedy="give a Hugging Face folder")


def _link(source: Path, out: Path) -> None:
    try:
        os.link(source, out)
    except OSError:  # another file system, or one without links
        shutil.copyfile(source, out)
