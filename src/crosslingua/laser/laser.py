"""LASER: the encoder, its weights as published or new, and the folder in which it is kept."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from crosslingua.errors import InputError, check_finite
from crosslingua.io.json import read_json, write_json
from crosslingua.laser import fastbpe
from crosslingua.laser.fastbpe import (
    FastBPE,
    FastBPESubwords,
    Subwords,
    TokenizerSubwords,
    ended,
    read_codes,
    read_vocabulary,
)
from crosslingua.ragged import Ragged, offsets_of

RANGE = 0.1


def uniform_(module: nn.Module) -> None:
    """Draw all weights from [-0.1, 0.1]; the embedding of padding is zero, and so is its gradient."""
    for parameter in module.parameters():
        nn.init.uniform_(parameter, -RANGE, RANGE)
    for part in module.modules():
        if isinstance(part, nn.Embedding) and part.padding_idx is not None:
            nn.init.zeros_(part.weight[part.padding_idx])


class LaserEncoder(nn.Module):
    """Embeds sentences, of any language, given as ids of subwords that end in `</s>` (section 3, figure 1).

    The layers are modules of their own, so that the output of each can be had.
    """

    def __init__(
        self,
        vocabulary_size: int,
        padding: int,
        embedding_size: int = 320,
        hidden_size: int = 512,
        layers: int = 5,
        dropout: float = 0.0,
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary_size, embedding_size, padding_idx=padding)
        sizes = [embedding_size] + [2 * hidden_size] * (layers - 1)
        self.layers = nn.ModuleList(
            nn.LSTM(size, hidden_size, bidirectional=True, batch_first=True) for size in sizes
        )
        self.dropout = nn.Dropout(dropout)
        uniform_(self)

    @property
    def configuration(self) -> dict[str, int]:
        """The arguments that make an encoder of the same shape."""
        return {
            "vocabulary_size": self.embedding.num_embeddings,
            "padding": self.embedding.padding_idx,
            "embedding_size": self.embedding.embedding_dim,
            "hidden_size": self.layers[0].hidden_size,
            "layers": len(self.layers),
        }

    @property
    def size(self) -> int:
        """Dimensions of a sentence embedding: the forward states, then the backward ones."""
        return 2 * self.layers[0].hidden_size

    def forward(self, ids: Tensor, lengths: Tensor) -> Tensor:
        """Return sentence embeddings (batch, size): the last layer's maximum over time. `lengths` are on the CPU."""
        return max_over_time(self.layer_outputs(ids, lengths)[-1], lengths)

    def layer_outputs(self, ids: Tensor, lengths: Tensor) -> list[Tensor]:
        """Return the output (batch, time, size) of each layer, forward states first; zero on padding, which is never
        read.
        """
        packed = pack_padded_sequence(ids, lengths, batch_first=True, enforce_sorted=False)
        states = packed._replace(data=self.embedding(packed.data))
        outputs = []
        for layer in self.layers:
            states, _ = layer(states)
            states = states._replace(data=self.dropout(states.data))
            outputs.append(pad_packed_sequence(states, batch_first=True, total_length=ids.shape[1])[0])
        return outputs


def max_over_time(states: Tensor, lengths: Tensor) -> Tensor:
    """Return the maximum (batch, size) of `states` (batch, time, size) over the first `lengths` positions."""
    padding = ~real_positions(lengths, states.shape[1])
    return states.masked_fill(padding[:, :, None].to(states.device), float("-inf")).amax(dim=1)


def real_positions(lengths: Tensor, time: int) -> Tensor:
    """Return which of `time` positions are no padding, (batch, time) bool."""
    return torch.arange(time, device=lengths.device)[None] < lengths[:, None]


NO_WORD = -1


@dataclass(frozen=True)
class Readings:
    """Sentences as subwords, then `</s>`: `ids`, and `words`, the number of each one's word (-1 for `</s>`)."""

    ids: Ragged
    words: Ragged


@dataclass(frozen=True)
class SentenceBatch:
    """Sentences padded on the right: (batch, time) `ids` and `words` (as in Readings), and (batch,) `lengths`."""

    ids: Tensor
    lengths: Tensor
    words: Tensor


@dataclass(frozen=True)
class Laser:
    """Embeds sentences of words; `read` and `batch` give what word embeddings are made of."""

    encoder: LaserEncoder
    subwords: Subwords

    def read(self, sentences: Sequence[Sequence[str]]) -> Readings:
        """Split sentences of words into subwords, each distinct word once."""
        index: dict[str, int] = {}
        every = [index.setdefault(word, len(index)) for word in chain.from_iterable(sentences)]
        words = np.array(every, dtype=np.int64)
        subwords = Ragged.of(self.subwords.split(list(index)))
        sizes, first = subwords.lengths[words], offsets_of([len(sentence) for sentence in sentences])
        numbers = np.arange(len(words)) - np.repeat(first[:-1], np.diff(first))
        bounds = offsets_of(sizes)[first]
        return Readings(
            ended(subwords.joined(words), bounds, self.subwords.end),
            ended(np.repeat(numbers, sizes), bounds, NO_WORD),
        )

    def batch(self, readings: Readings, rows: np.ndarray) -> SentenceBatch:
        """Return the sentences `rows` side by side."""
        return SentenceBatch(
            torch.from_numpy(readings.ids.padded(rows, self.subwords.padding)),
            torch.from_numpy(readings.ids.lengths[rows]),
            torch.from_numpy(readings.words.padded(rows, NO_WORD)),
        )

    def embed(self, sentences: Sequence[Sequence[str]], batch_tokens: int = 12_000) -> np.ndarray:
        """Return the embeddings (n, size) float32 of sentences of words, `batch_tokens` subwords at a time."""
        readings = self.read(sentences)
        embeddings = np.empty((len(sentences), self.encoder.size), dtype=np.float32)
        device = self.encoder.embedding.weight.device
        self.encoder.eval()
        with torch.inference_mode():
            for rows in by_length(readings.ids.lengths, batch_tokens):
                batch = self.batch(readings, rows)
                embeddings[rows] = self.encoder(batch.ids.to(device), batch.lengths).cpu().numpy()
        return embeddings


def by_length(lengths: np.ndarray, batch_tokens: int) -> Iterator[np.ndarray]:
    """Yield the row numbers of batches of like length, longest first, of at most `batch_tokens` with padding."""
    return cut(np.argsort(-lengths, kind="stable"), lengths, batch_tokens)


def cut(order: np.ndarray, lengths: np.ndarray, batch_tokens: int) -> Iterator[np.ndarray]:
    """Yield consecutive parts of `order` that hold at most `batch_tokens` with padding; a longer row stands alone."""
    start = longest = 0
    for end, row in enumerate(order):
        longest = max(longest, int(lengths[row]))
        if end > start and longest * (end + 1 - start) > batch_tokens:
            yield order[start:end]
            start, longest = end, int(lengths[row])
    if len(order):
        yield order[start:]


MODEL_TYPE = "laser"
FOLDER_REMEDY = "scripts/train_laser.py and scripts/import_laser.py write and read whole LASERs"


def save_laser(laser: Laser, folder: Path) -> None:
    """Write a LASER's files into an existing folder; wrap in `atomic_folder` for all or nothing."""
    write_json(folder / "config.json", {"model_type": MODEL_TYPE, **laser.encoder.configuration})
    weights = {
        name: tensor.detach().cpu().contiguous() for name, tensor in laser.encoder.state_dict().items()
    }
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    laser.subwords.save(folder)


def load_laser(folder: str | Path) -> Laser:
    """Return the LASER of a folder, on the CPU. InputError on a missing or damaged file, or one of another shape."""
    path = Path(folder) / "config.json"
    config = read_json(path)
    if not isinstance(config, dict) or config.pop("model_type", None) != MODEL_TYPE:
        raise InputError(path, f"is not of model_type {MODEL_TYPE!r}", remedy=FOLDER_REMEDY)
    try:
        with torch.device("meta"):  # no time for starting values
            encoder = LaserEncoder(**config)
    except TypeError as error:
        raise InputError(path, f"does not describe a LASER: {error}", remedy=FOLDER_REMEDY) from None
    weights = Path(folder) / "model.safetensors"
    fill(encoder, _weights(weights), weights)
    is_fastbpe = (Path(folder) / fastbpe.FILE).is_file()
    return Laser(encoder.eval(), FastBPESubwords.load(folder) if is_fastbpe else TokenizerSubwords(folder))


def fill(
    encoder: LaserEncoder,
    weights: Mapping[str, Tensor],
    path: str | Path,
    stored_name: Callable[[str], str] = str,
) -> None:
    """Give a shapeless encoder its weights, which `stored_name` finds by ours. InputError where they do not fit."""
    names = {name: stored_name(name) for name in encoder.state_dict()}
    for name, wanted in encoder.state_dict().items():
        stored = names[name]
        if stored not in weights:
            raise InputError(path, f"has no weight {stored}", remedy=FOLDER_REMEDY)
        shapes = [tuple(weight.shape) for weight in (weights[stored], wanted)]
        if shapes[0] != shapes[1]:
            raise InputError(path, f"{stored} is {shapes[0]}, but the configuration says {shapes[1]}")
    if surplus := sorted(weights.keys() - names.values()):
        raise InputError(path, f"has a weight too many: {surplus[0]}", remedy=FOLDER_REMEDY)
    check_finite(path, weights)
    encoder.load_state_dict({name: weights[stored] for name, stored in names.items()}, assign=True)


def _weights(path: Path) -> dict[str, Tensor]:
    try:
        return load_file(path)
    except FileNotFoundError:
        raise InputError(path, "no such file", remedy=FOLDER_REMEDY) from None
    except SafetensorError as error:
        raise InputError(path, f"truncated or damaged ({error})", remedy=FOLDER_REMEDY) from None


# A checkpoint holds `params`, the arguments of the authors' encoder, `model`, its weights under the names of one
# `torch.nn.LSTM`, and `dictionary`, subword -> id. The layout is reconstructed from the authors' program.
PARTS = ("params", "model", "dictionary")
ARGUMENTS = {  # of the authors' encoder -> of ours
    "num_embeddings": "vocabulary_size",
    "padding_idx": "padding",
    "embed_dim": "embedding_size",
    "hidden_size": "hidden_size",
    "num_layers": "layers",
}
REMEDY = "expected the published bilstm.93langs.2018-12-26.pt, or a file of its layout"


def load_published(checkpoint: str | Path, codes: str | Path, vocabulary: str | Path | None = None) -> Laser:
    """Return the LASER of a checkpoint of the published layout. InputError for files of another.

    `codes` are fastBPE's merges; `vocabulary` its list of known subwords, with which the authors apply them.
    """
    parts = _read(checkpoint)
    with torch.device("meta"):
        encoder = LaserEncoder(**_arguments(parts["params"], checkpoint))
    fill(encoder, parts["model"], checkpoint, published_name)
    _check_dictionary(parts["dictionary"], encoder, checkpoint)
    known = None if vocabulary is None else read_vocabulary(vocabulary)
    subwords = FastBPESubwords(FastBPE(read_codes(codes), known), parts["dictionary"], checkpoint)
    return Laser(encoder.float().eval(), subwords)


def _read(path: str | Path) -> dict[str, Any]:
    try:
        parts = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise InputError(path, "no such file") from None
    except Exception as error:  # torch raises what its unpickler stumbles on: KeyError, RuntimeError...
        reason = f"{type(error).__name__}: {error}".partition("\n")[0]
        raise InputError(path, f"not a checkpoint of tensors ({reason})", remedy=REMEDY) from None
    held = parts if isinstance(parts, Mapping) else {}
    missing = [part for part in PARTS if not isinstance(held.get(part), Mapping)]
    if missing:
        raise InputError(path, f"has no {missing[0]!r} block", remedy=REMEDY)
    return parts


def _arguments(params: Mapping[str, Any], path: str | Path) -> dict[str, int]:
    missing = [name for name in ARGUMENTS if not isinstance(params.get(name), int)]
    if missing:
        raise InputError(path, f"params has no whole number {missing[0]!r}", remedy=REMEDY)
    if not params.get("bidirectional"):
        raise InputError(path, "params.bidirectional is not true: LASER reads both ways", remedy=REMEDY)
    return {own: params[name] for name, own in ARGUMENTS.items()}


def published_name(name: str) -> str:
    """Return the published name of a weight: `layers.4.bias_hh_l0_reverse` -> `lstm.bias_hh_l4_reverse`."""
    if name == "embedding.weight":
        return "embed_tokens.weight"
    _, layer, weight = name.split(".")
    return f"lstm.{weight.replace('_l0', f'_l{layer}')}"


def _check_dictionary(dictionary: Mapping[str, Any], encoder: LaserEncoder, path: str | Path) -> None:
    size = encoder.configuration["vocabulary_size"]
    for subword, number in dictionary.items():
        if not isinstance(number, int) or not 0 <= number < size:
            raise InputError(path, f"dictionary[{subword!r}] is {number!r}: must be an id below {size}")
    if dictionary.get("<pad>") != encoder.configuration["padding"]:
        raise InputError(
            path, f"dictionary['<pad>'] is not params.padding_idx {encoder.configuration['padding']}"
        )
