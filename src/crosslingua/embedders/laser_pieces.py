"""The common parts of embedders on LASER: subwords of words, pooling, and a mix of layers."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Annotated, Any, ClassVar

import numpy as np
import torch
from tokenizers.pre_tokenizers import ByteLevel
from torch import Tensor, nn

from crosslingua.embedders.embedder import Embedder, WordLayer
from crosslingua.embedders.features import Device, FeatureBatch, Features
from crosslingua.errors import ConfigError
from crosslingua.io.tokenizer_files import encode_as_text, special_ids_of
from crosslingua.laser.model import NO_WORD, Laser, Readings, by_length, load_laser
from crosslingua.nn.ragged import Ragged, offsets_of
from crosslingua.settings import settings


def max_over_directions(states: Tensor) -> Tensor:
    """Return the maximum (..., h) of forward and backward states, the halves of `states` (..., 2 h) (equation 2)."""
    return torch.maximum(*states.chunk(2, dim=-1))


class LayerMix(nn.Module):
    """Layers weighted by a softmax of learnt weights and scaled by a learnt γ (equations 2 and 3; Peters et al. 2018).
    Weights begin equal and γ at 1. A single layer has only γ: equation 2.
    """

    def __init__(self, layers: int):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(()))
        self.weights = nn.Parameter(torch.zeros(layers), requires_grad=layers > 1)

    def forward(self, states: Tensor) -> Tensor:
        """Return (pieces, h) of states (pieces, layers, h), each the maximum over directions."""
        shares = self.weights.softmax(dim=0)
        return self.scale * torch.einsum("plh,l->ph", states, shares)


def max_over_pieces(states: Tensor, sizes: Tensor) -> Tensor:
    """Return the maximum (words, d) of `states` (pieces, d) over the `sizes` (words,) pieces of each word
    (laser_taggers, 'LASER-top'). Words are consecutive, with at least one piece each.
    """
    # Unsafe: to check the sizes, the processor would wait for a GPU three times.
    return torch.segment_reduce(states, "max", lengths=sizes, axis=0, unsafe=states.is_cuda)


def mean_over_pieces(states: Tensor, sizes: Tensor) -> Tensor:
    """Return the mean (words, d) of `states` (pieces, d) over the `sizes` (words,) pieces of each word."""
    return torch.segment_reduce(states, "mean", lengths=sizes, axis=0)


def side_by_side(pieces: Tensor, sizes: Tensor) -> tuple[Tensor, Tensor]:
    """Return pieces (pieces, d) in rows of `sizes` (rows,): (rows, longest, d), and a mask (rows, longest)."""
    steps = torch.arange(int(sizes.max()), device=sizes.device)
    real = steps < sizes[:, None]
    first = sizes.cumsum(0) - sizes
    return pieces[torch.where(real, first[:, None] + steps, 0)], real


def in_sentences(words: Tensor, mask: Tensor) -> Tensor:
    """Return words (words, d) where `mask` (batch, words) is true, (batch, words, d); zero elsewhere."""
    found = words.new_zeros(*mask.shape, words.shape[-1])
    return found.masked_scatter(mask[:, :, None], words)


LOADED = cache(load_laser)  # one LASER for all data sets that a process embeds


@dataclass(frozen=True)
class LaserPieces:
    """Sentences as LASER's subwords, without `</s>`; a word has at least one."""

    laser: Laser
    readings: Readings

    @staticmethod
    def read(folder: str, sentences: Sequence[Sequence[str]]) -> "LaserPieces":
        """Split sentences of words by the LASER of a folder, once for consecutive embedders."""
        return _pieces(LOADED(folder), tuple(map(tuple, sentences)))

    @property
    def _real(self) -> np.ndarray:
        """Which subwords belong to a word."""
        return self.readings.words.values != NO_WORD

    @property
    def ids(self) -> np.ndarray:
        """The subwords (pieces,) of all sentences."""
        return self.readings.ids.values[self._real]

    @property
    def sizes(self) -> np.ndarray:
        """Pieces (words,) of each word of all sentences."""
        words, real = self.readings.words, self._real
        sentences = np.repeat(np.arange(len(words)), words.lengths)[real]
        changes = np.diff(words.values[real], prepend=-1) | np.diff(sentences, prepend=-1)
        return np.diff(np.append(np.flatnonzero(changes), len(sentences)))

    def report(self) -> dict[str, int]:
        """Return counts of words and of their pieces."""
        return {"words": len(self.sizes), "pieces": len(self.ids)}

    def embeddings(self) -> tuple[Tensor, Ragged]:
        """Return the embeddings (subwords, d) of the subwords that occur, and the rows of each word."""
        occurring, rows = np.unique(self.ids, return_inverse=True)
        table = self.laser.encoder.embedding.weight.detach().cpu()[torch.from_numpy(occurring)]
        return table, Ragged(rows, offsets_of(self.sizes))

    @cached_property
    def states(self) -> Tensor:
        """The states of all layers, lowest first, computed once."""
        return self.read_states()

    def read_states(self, batch_subwords: int = 12_000) -> Tensor:
        """Return the maximum over directions of hidden states (pieces, layers, h) of all layers. A sentence ends in
        `</s>`, as in LASER's training (equation 2, without γ); a batch has `batch_subwords`, padding included. LASER
        reads on the device where it is; the states are on the CPU.
        """
        encoder, readings = self.laser.encoder, self.readings
        device = encoder.embedding.weight.device
        found = torch.empty(len(readings.ids.values), len(encoder.layers), encoder.size // 2)
        with torch.inference_mode():
            for rows in by_length(readings.ids.lengths, batch_subwords):
                ids, lengths = self.laser.batch(readings, rows)
                outputs = encoder.layer_outputs(ids.to(device), lengths)
                states = torch.stack([max_over_directions(output) for output in outputs], dim=2).cpu()
                places, mask = map(torch.from_numpy, readings.ids.places(rows))
                found[places[mask]] = states[mask]
        return found[torch.from_numpy(self._real)]


@lru_cache(maxsize=1)
def _pieces(laser: Laser, sentences: tuple[tuple[str, ...], ...]) -> LaserPieces:
    return LaserPieces(laser, laser.read(sentences))


class MixedPieces(WordLayer):
    """Layers of each piece mixed (equation 3; of one layer equation 2), then the maximum over a word's pieces."""

    def __init__(self, features: Features):
        super().__init__()
        layers, self.dimension = features.shape
        self.mix = LayerMix(layers)

    def forward(self, batch: FeatureBatch) -> Tensor:
        """Return the vectors of the words."""
        words = max_over_pieces(self.mix(batch.vectors), batch.sizes)
        return in_sentences(words, batch.mask)


@settings
class LaserEmbedder(Embedder):
    """Reads pieces of words with LASER, or only LASER's embeddings of them."""

    encoder: Annotated[str, "LASER's folder; LASER is not tuned"]


@settings
class LaserStates(LaserEmbedder):
    """Hidden states of layers of LASER, a row a piece; what puts them together is learnt with the tagger."""

    member: ClassVar[str]  # its name in the registry
    layer = MixedPieces

    @abstractmethod
    def layers(self, total: int) -> Sequence[int]:
        """Return the numbers, from 0, of the layers that are read of `total`."""

    def embed(self, sentences: Sequence[Sequence[str]], language: str, device: Device = "cpu") -> Features:
        """Return the states of each word's pieces."""
        pieces = LaserPieces.read(self.encoder, sentences)
        pieces.laser.encoder.to(device)
        states = pieces.states[:, list(self.layers(pieces.states.shape[1]))]
        rows = Ragged(np.arange(len(states)), offsets_of(pieces.sizes))
        return Features.of_words(self.member, language, sentences, states, rows, report=pieces.report())


class Words:
    """A tokenizer that divides each distinct word once. Every word has at least one piece: the unknown piece stands for
    words of which the tokenizer drops every character (`dropped`).
    """

    def __init__(self, tokenizer: Any):
        self.tokenizer = tokenizer
        backend = getattr(tokenizer, "backend_tokenizer", None)
        if backend is not None and isinstance(backend.pre_tokenizer, ByteLevel):
            backend.pre_tokenizer.add_prefix_space = True  # as in a sentence (RoBERTa's tokenizer)
        self.dropped: list[str] = []
        self._never = special_ids_of(tokenizer)
        self._known: dict[str, list[int]] = {}

    def pieces(self, words: Sequence[str]) -> list[list[int]]:
        """Return the ids of each word's pieces."""
        if new := [word for word in dict.fromkeys(words) if word not in self._known]:
            encoded = encode_as_text(self._encoded, new, self._never, lambda ids: ids)
            self._known |= {
                word: ids or [self._unknown(word)] for word, ids in zip(new, encoded, strict=True)
            }
        return [self._known[word] for word in words]

    def _encoded(self, words: Sequence[str], split: bool) -> list[list[int]]:
        return self.tokenizer(
            [[word] for word in words], is_split_into_words=True, add_special_tokens=False, verbose=False,
            split_special_tokens=split,
        )["input_ids"]  # fmt: skip

    def _unknown(self, word: str) -> int:
        unknown = self.tokenizer.unk_token_id
        if unknown is None:
            raise ConfigError(
                f"the tokeniser makes nothing of {word!r} and has no unknown token to stand for it: remove the word"
            )
        self.dropped.append(word)
        return unknown


def special_tokens(tokenizer: Any, sentences: int) -> list[list[int]]:
    """Return the special tokens of a tokenizer before, between and after one sentence or two."""
    texts = [["a"]] * sentences
    given = tokenizer(*texts, is_split_into_words=True, return_special_tokens_mask=True)
    parts: list[list[int]] = [[]]
    was_special = True
    for number, special in zip(given["input_ids"], given["special_tokens_mask"], strict=True):
        if special:
            parts[-1].append(number)
        elif was_special:
            parts.append([])
        was_special = bool(special)
    if len(parts) == sentences:  # nothing between two sentences
        parts.insert(1, [])
    return parts
