"""The translation model: one encoder and one decoder for both languages, with some layers shared; and its folder."""

import dataclasses
import math
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional as F

from crosslingua.errors import ConfigError, InputError, check_finite
from crosslingua.io.json import read_json, write_json
from crosslingua.translation.data import PAD, Vocabulary
from crosslingua.translation.settings import TranslationSettings, settings_of


class Attention(nn.Module):
    """Multi-head attention of `width` dimensions (Vaswani et al. 2017)."""

    def __init__(self, width: int, heads: int, dropout: float):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.query, self.memory = nn.Linear(width, width), nn.Linear(width, 2 * width)
        self.out = nn.Linear(width, width)

    def _split(self, states: Tensor) -> Tensor:
        """(batch, time, width) -> (batch, heads, time, width / heads)."""
        batch, time, width = states.shape
        return states.view(batch, time, self.heads, width // self.heads).transpose(1, 2)

    def remember(self, states: Tensor) -> tuple[Tensor, Tensor]:
        """Return the keys and values (batch, heads, time, width / heads) of states (batch, time, width)."""
        keys, values = self.memory(states).chunk(2, dim=-1)
        return self._split(keys), self._split(values)

    def forward(
        self, states: Tensor, memory: tuple[Tensor, Tensor], mask: Tensor | None = None, causal: bool = False
    ) -> Tensor:
        """Attend from states (batch, time, width); `mask` is true where a key is visible."""
        dropout = self.dropout if self.training else 0.0
        query, how = self._split(self.query(states)), {"attn_mask": mask, "is_causal": causal}
        seen = F.scaled_dot_product_attention(query, *memory, dropout_p=dropout, **how)
        return self.out(seen.transpose(1, 2).reshape(states.shape))


class TransformerLayer(nn.Module):
    """The common part of encoder and decoder layers: sublayers with residuals, normalised after or before."""

    sublayers: int

    def __init__(self, width: int, heads: int, feed_forward: int, dropout: float, norm_first: bool):
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(self.sublayers))
        self.inner, self.outer = nn.Linear(width, feed_forward), nn.Linear(feed_forward, width)
        self.attention = Attention(width, heads, dropout)
        self._dropout, self._norm_first = dropout, norm_first

    def _residual(self, number: int, states: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        norm = self.norms[number]
        if self._norm_first:
            return states + F.dropout(sublayer(norm(states)), self._dropout, self.training)
        return norm(states + F.dropout(sublayer(states), self._dropout, self.training))

    def _feed_forward(self, states: Tensor) -> Tensor:
        return self.outer(F.relu(self.inner(states)))


class EncoderLayer(TransformerLayer):
    """Self-attention, then a feed-forward network."""

    sublayers = 2

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """Return new states (batch, time, width); `mask` (batch, 1, 1, time) is true at words."""
        states = self._residual(0, states, lambda x: self.attention(x, self.attention.remember(x), mask))
        return self._residual(1, states, self._feed_forward)


class DecoderLayer(TransformerLayer):
    """Causal self-attention, attention to the encoder, then a feed-forward network."""

    sublayers = 3

    def __init__(self, width: int, heads: int, feed_forward: int, dropout: float, norm_first: bool):
        super().__init__(width, heads, feed_forward, dropout, norm_first)
        self.cross = Attention(width, heads, dropout)

    def forward(self, states: Tensor, encoded: Tensor, mask: Tensor) -> Tensor:
        """Return new states of whole sentences (batch, time, width); `mask` is the source's, as in `EncoderLayer`."""
        states = self._residual(
            0, states, lambda x: self.attention(x, self.attention.remember(x), causal=True)
        )
        memory = self.cross.remember(encoded)
        states = self._residual(1, states, lambda x: self.cross(x, memory, mask))
        return self._residual(2, states, self._feed_forward)

    def step(self, states: Tensor, past: tuple[Tensor, Tensor], source: tuple, at: int) -> Tensor:
        """Return new states (batch, beams, width) of the words at place `at`. Write their keys and values into `past`
        (batch x beams, heads, places, width / heads). The beams of a sentence share `source`: keys, values and mask.
        """
        keys, values, mask = source
        states = self._residual(0, states, lambda x: self._attend_back(x, past, at))
        states = self._residual(1, states, lambda x: self.cross(x, (keys, values), mask))
        return self._residual(2, states, self._feed_forward)

    def _attend_back(self, states: Tensor, past: tuple[Tensor, Tensor], at: int) -> Tensor:
        rows = states.reshape(-1, 1, states.shape[-1])
        for store, new in zip(past, self.attention.remember(rows), strict=True):
            store[:, :, at : at + 1] = new
        seen = tuple(store[:, :, : at + 1] for store in past)
        return self.attention(rows, seen).view(states.shape)


def sinusoids(length: int, width: int) -> Tensor:
    """Return position encodings (length, width): sines in the first half of the dimensions, cosines in the second."""
    half = width // 2
    rates = torch.exp(torch.arange(half) * -(torch.log(torch.tensor(10000.0)) / max(1, half - 1)))
    angles = torch.arange(length)[:, None] * rates
    found = torch.cat([angles.sin(), angles.cos()], 1)
    return F.pad(found, (0, width - found.shape[1]))


LONGEST = 512  # places


class Group(NamedTuple):
    """Rows `start` to `stop` of a batch, in one language."""

    language: int
    start: int
    stop: int


Groups = Sequence[Group]


def grouped(languages: Iterable[int], sizes: Sequence[int]) -> list[Group]:
    """Return the groups of so many rows each, one after another."""
    stops = accumulate(sizes)
    return [Group(v, stop - n, stop) for v, n, stop in zip(languages, sizes, stops, strict=True)]


class Stack(nn.Module):
    """Layers, each for both languages, or one for each."""

    def __init__(self, layers: Sequence[Sequence[nn.Module]]):
        super().__init__()
        self.layers = nn.ModuleList(nn.ModuleList(members) for members in layers)

    def forward(self, states: Tensor, groups: Groups, *rest: Tensor) -> Tensor:
        """Run whole sentences (batch, time, width) through every layer."""
        for members in self.layers:
            if len(members) == 1:
                states = members[0](states, *rest)
            else:
                states = torch.cat([
                    members[g.language](states[g.start : g.stop], *(x[g.start : g.stop] for x in rest))
                    for g in groups
                ])  # fmt: skip
        return states


class TranslationModel(nn.Module):
    """Encoder, decoder, and one table of word vectors, for both inputs and the output.

    As published, encoder, decoder, output layer and languages share the table, the latter for shared words. A language
    generates its own and shared words only; the begin mark names the language.
    """

    def __init__(self, settings: TranslationSettings, vocabulary: Vocabulary, table: np.ndarray):
        super().__init__()
        self.settings, self.vocabulary = settings, vocabulary
        dimension = table.shape[1]
        self.width = settings.width or dimension
        if self.width % settings.heads:
            raise ConfigError(f"heads={settings.heads}: must divide the width, {self.width}")
        self.table = nn.Parameter(torch.from_numpy(table.astype(np.float32)))
        mapped = self.width != dimension
        self.into = nn.Linear(dimension, self.width, bias=False) if mapped else nn.Identity()
        self.back = nn.Linear(self.width, dimension, bias=False) if mapped else nn.Identity()
        shape = (self.width, settings.heads, settings.feed_forward, settings.dropout, settings.norm_first)
        own = settings.layers - settings.shared_layers
        copies = [2] * own + [1] * settings.shared_layers
        self.encoder = Stack([[EncoderLayer(*shape) for _ in range(n)] for n in copies])
        self.decoder = Stack([[DecoderLayer(*shape) for _ in range(n)] for n in reversed(copies)])
        ends = [nn.LayerNorm(self.width) if settings.norm_first else nn.Identity() for _ in range(2)]
        self.encoder_end, self.decoder_end = ends
        self.register_buffer("places", sinusoids(LONGEST, self.width), persistent=False)
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)

    def embed(self, ids: Tensor, first: int = 0) -> Tensor:
        """Return inputs (batch, time, width) of word rows (batch, time) from place `first` on."""
        vectors = F.embedding(ids, self.table) * math.sqrt(self.table.shape[1])
        states = self.into(vectors) + self.places[first : first + ids.shape[1]]
        return F.dropout(states, self.settings.dropout, self.training)

    def encode(self, ids: Tensor, groups: Groups) -> tuple[Tensor, Tensor]:
        """Return states (batch, time, width) of sentences (batch, time), and their mask (batch, 1, 1, time)."""
        mask = (ids != PAD)[:, None, None, :]
        return self.encoder_end(self.encoder(self.embed(ids), groups, mask)), mask

    def decode(self, ids: Tensor, encoded: Tensor, mask: Tensor, groups: Groups) -> Tensor:
        """Return vectors (batch, time, d) that score the words after `ids` (batch, time)."""
        states = self.decoder(self.embed(ids), groups, encoded, mask)
        return self.back(self.decoder_end(states))

    def scores(self, vectors: Tensor, language: int) -> Tensor:
        """Return the scores of all words of a language: vectors (..., d) -> (..., rows of its outputs)."""
        return vectors @ self.table[self.vocabulary.outputs(language)].T


# A trained system's folder: vocabulary, settings, the weights of every epoch, and the report of training.

CONFIG, REPORT = "config.json", "training.json"
FILES = (CONFIG, REPORT, "epoch*.safetensors")  # all that such a folder holds


def weights_name(epoch: int) -> str:
    """Return the name of the file of an epoch's weights."""
    return f"epoch{epoch:03d}.safetensors"


def save_config(model: TranslationModel, folder: Path) -> None:
    """Write the configuration, which loading needs beside weights."""
    vocabulary = dataclasses.asdict(model.vocabulary)
    shape = {"dimension": model.table.shape[1], "settings": dataclasses.asdict(model.settings)}
    write_json(folder / CONFIG, {**shape, "vocabulary": vocabulary})


def save_weights(model: TranslationModel, folder: Path, epoch: int) -> None:
    """Write an epoch's weights."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: tensor.cpu().contiguous() for name, tensor in model.state_dict().items()}
    save_file(weights, folder / weights_name(epoch))


def load_translator(folder: str | Path, epoch: int | None = None) -> TranslationModel:
    """Load the model of an epoch, by default the chosen one; InputError, or for the epoch ConfigError, without it."""
    folder = Path(folder)
    config = read_json(folder / CONFIG)
    try:
        words = config["vocabulary"]
        vocabulary = Vocabulary(
            tuple(words["languages"]), tuple(map(tuple, words["own"])), tuple(words["shared"])
        )
        table = np.zeros((vocabulary.size, config["dimension"]), np.float32)
        model = TranslationModel(settings_of(config["settings"]), vocabulary, table)
    except (KeyError, TypeError) as error:
        raise InputError(folder / CONFIG, f"is not of a translation system: {error}") from None
    chosen = read_json(folder / REPORT, dict)["chosen_epoch"] if epoch is None else epoch
    path = folder / weights_name(chosen)
    if not path.is_file():
        raise ConfigError(
            f"{folder}: epoch {chosen} was not trained: it has {', '.join(map(str, epochs(folder)))}"
        )
    try:
        weights = load_file(path)
        model.load_state_dict(weights)
    except (SafetensorError, RuntimeError) as error:  # of another shape
        raise InputError(path, f"no weights of this system: {error}", remedy="train it again") from None
    check_finite(path, weights)
    return model.eval()


def epochs(folder: str | Path) -> list[int]:
    """Return the epochs that have weights."""
    return sorted(int(path.stem.removeprefix("epoch")) for path in Path(folder).glob("epoch*.safetensors"))
