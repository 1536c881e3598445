"""LASER: the encoder, its subwords, its weights as published or new, and the folder in which it is kept.

Subwords come from a Hugging Face tokeniser, or from byte-pair encoding as in fastBPE. The segmentation is reconstructed
from the program's documented behaviour and file formats. `codes` has a merge a line, `a b count`, most frequent first;
the last character of a word carries `</w>`. `@@` follows a subword that does not end its word. With a vocabulary
(`subword count` a line), subwords that are not in it are taken apart along the merges that made them.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from crosslingua.errors import InputError, check_finite
from crosslingua.io.decode import decoded_lines
from crosslingua.io.json import read_json, write_json
from crosslingua.io.tokenizer_files import copy_tokenizer, encode_words, read_tokenizer, special_ids_of
from crosslingua.nn.ragged import Ragged, cut, offsets_of

# Subwords. `padding` and `end` are ids; `split(words)` gives each word at least one; `save(folder)` writes the
# subwords' model into an encoder's folder.
PADDING, END, UNKNOWN = "<pad>", "</s>", "<unk>"


def ended(values: np.ndarray, offsets: np.ndarray, end: int) -> Ragged:
    """Return the rows `values[offsets[i]:offsets[i + 1]]` with `end` after each."""
    return Ragged(np.insert(values, offsets[1:], end).astype(np.int64), offsets + np.arange(len(offsets)))


def special_ids(path: str | Path, vocabulary: dict[str, int]) -> tuple[int, int, int]:
    """Return the ids of padding, end and unknown. Raises InputError, naming `path`, if one is missing."""
    if missing := [name for name in (PADDING, END, UNKNOWN) if name not in vocabulary]:
        raise InputError(path, f"has no subword {missing[0]}", remedy="<pad>, </s> and <unk> are needed")
    return vocabulary[PADDING], vocabulary[END], vocabulary[UNKNOWN]


FASTBPE, TOKENIZER = "fastbpe.json", "tokenizer.json"
END_OF_WORD, CONTINUES = "</w>", "@@"
Merges = Sequence[tuple[str, str]]


class FastBPE:
    """Splits a word by `merges`, best first, then splits results that are not in `known` (None: all are) again."""

    def __init__(self, merges: Merges, known: Collection[str] | None = None):
        self.merges = [tuple(pair) for pair in merges]
        self.known = None if known is None else frozenset(known)
        self._rank = {pair: rank for rank, pair in reversed(list(enumerate(self.merges)))}
        self._parts = {left + right: (left, right) for left, right in self.merges}
        self.split = lru_cache(maxsize=1_000_000)(self._split)

    def _split(self, word: str) -> tuple[str, ...]:
        """Return the subwords of a word, as fastBPE writes them: `("lo@@", "wer")`."""
        symbols = [*word[:-1], word[-1] + END_OF_WORD] if word else []
        while pairs := [pair for pair in pairwise(symbols) if pair in self._rank]:
            symbols = _merge(symbols, min(pairs, key=self._rank.__getitem__))
        return tuple(_write(part) for symbol in symbols for part in self._known_parts(symbol))

    def _known_parts(self, symbol: str) -> list[str]:
        if self.known is None or _write(symbol) in self.known or symbol not in self._parts:
            return [symbol]
        return [part for half in self._parts[symbol] for part in self._known_parts(half)]


def _merge(symbols: list[str], pair: tuple[str, str]) -> list[str]:
    """Merge every occurrence of `pair`, from the left."""
    merged: list[str] = []
    rest = iter(range(len(symbols)))
    for i in rest:
        if tuple(symbols[i : i + 2]) == pair:
            merged.append(symbols[i] + symbols[i + 1])
            next(rest)
        else:
            merged.append(symbols[i])
    return merged


def _write(symbol: str) -> str:
    """Return a symbol as it stands in text and vocabulary: `lo` -> `lo@@`, `wer</w>` -> `wer`."""
    return symbol.removesuffix(END_OF_WORD) if symbol.endswith(END_OF_WORD) else symbol + CONTINUES


class FastBPESubwords:
    """fastBPE's subwords of lower-cased words, as ids of a dictionary; missing subwords are `<unk>`."""

    def __init__(self, bpe: FastBPE, dictionary: Mapping[str, int], path: str | Path = FASTBPE):
        self._bpe, self._dictionary = bpe, dict(dictionary)
        self.padding, self.end, self._unknown = special_ids(path, self._dictionary)

    def split(self, words: Sequence[str]) -> list[list[int]]:
        """Return the ids of each word's subwords; an empty word is `<unk>`."""
        known, unknown = self._dictionary, self._unknown
        return [[known.get(s, unknown) for s in self._bpe.split(word.lower())] or [unknown] for word in words]

    def save(self, folder: Path) -> None:
        """Write fastbpe.json: merges, known subwords and dictionary."""
        merges, known = self._bpe.merges, None if self._bpe.known is None else sorted(self._bpe.known)
        write_json(folder / FASTBPE, {"merges": merges, "known": known, "dictionary": self._dictionary})

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Read fastbpe.json."""
        path = Path(folder) / FASTBPE
        value = read_json(path)
        if not isinstance(value, dict) or not {"merges", "known", "dictionary"} <= value.keys():
            raise InputError(
                path, "lacks merges, known or dictionary", remedy="run crosslingua import-laser again"
            )
        return cls(FastBPE(value["merges"], value["known"]), value["dictionary"], path)


def read_codes(path: str | Path) -> list[tuple[str, str]]:
    """Read a file of merges, `a b count` a line. Raises InputError with the line of another form."""
    merges = []
    for number, line in enumerate(decoded_lines(path), 1):
        fields = line.split(" ")
        if len(fields) != 3 or not fields[2].isdigit():
            raise InputError(
                path, f"expected `a b count`, got {line!r}", line=number, remedy="fastBPE's codes"
            )
        merges.append((fields[0], fields[1]))
    return merges


def read_vocabulary(path: str | Path) -> set[str]:
    """Read a vocabulary, `subword count` a line. Raises InputError with the line of another form."""
    known = set()
    for number, line in enumerate(decoded_lines(path), 1):
        subword, _, count = line.rpartition(" ")
        if not subword or not count.isdigit():
            raise InputError(
                path, f"expected `subword count`, got {line!r}", line=number, remedy="fastBPE's vocabulary"
            )
        known.add(subword)
    return known


class TokenizerSubwords:
    """Subwords of the folder's `tokenizer.json`, which must know `<pad>`, `</s>` and `<unk>`."""

    def __init__(self, folder: str | Path):
        self._folder = Path(folder)
        path = self._folder / TOKENIZER
        self._tokenizer = read_tokenizer(folder)
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._never = special_ids_of(self._tokenizer)
        vocabulary = self._tokenizer.get_vocab(with_added_tokens=True)
        self.padding, self.end, self._unknown = special_ids(path, vocabulary)

    def split(self, words: Sequence[str]) -> list[list[int]]:
        """Return the ids of each word's subwords; a word that leaves none is `<unk>`."""
        encodings = encode_words(self._tokenizer, words, self._never)
        return [encoding.ids or [self._unknown] for encoding in encodings]

    def save(self, folder: Path) -> None:
        """Copy the tokeniser's files."""
        copy_tokenizer(self._folder, folder)


# The encoder.
RANGE = 0.1


def uniform_(module: nn.Module) -> None:
    """Draw all weights from [-0.1, 0.1]; the embedding of padding is zero, and so is its gradient."""
    for parameter in module.parameters():
        nn.init.uniform_(parameter, -RANGE, RANGE)
    for part in module.modules():
        if isinstance(part, nn.Embedding) and part.padding_idx is not None:
            nn.init.zeros_(part.weight[part.padding_idx])


class LaserEncoder(nn.Module):
    """Embeds sentences, of any language, given as ids of subwords that end in `</s>` (section 3, figure 1)."""

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
        """Return the output (batch, time, size) of each layer, forward states first; zero on padding, never read."""
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
    """Return whether each of `time` positions is real, not padding: (batch, time) bool."""
    return torch.arange(time, device=lengths.device)[None] < lengths[:, None]


NO_WORD = -1


@dataclass(frozen=True)
class Readings:
    """Sentences as subwords, then `</s>`: `ids`, and `words`, the number of each one's word (-1 for `</s>`)."""

    ids: Ragged
    words: Ragged


@dataclass(frozen=True)
class Laser:
    """Embeds sentences of words; `read` and `batch` give what word embeddings are made of."""

    encoder: LaserEncoder
    subwords: FastBPESubwords | TokenizerSubwords

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

    def batch(self, readings: Readings, rows: np.ndarray) -> tuple[Tensor, Tensor]:
        """Return the ids (batch, time) of the sentences `rows`, padded on the right, and their lengths (batch,)."""
        ids = readings.ids.padded(rows, self.subwords.padding)
        return torch.from_numpy(ids), torch.from_numpy(readings.ids.lengths[rows])

    def embed(self, sentences: Sequence[Sequence[str]], batch_tokens: int = 12_000) -> np.ndarray:
        """Return the embeddings (n, size) float32 of sentences of words, `batch_tokens` subwords at a time."""
        readings = self.read(sentences)
        embeddings = np.empty((len(sentences), self.encoder.size), dtype=np.float32)
        device = self.encoder.embedding.weight.device
        self.encoder.eval()
        with torch.inference_mode():
            for rows in by_length(readings.ids.lengths, batch_tokens):
                ids, lengths = self.batch(readings, rows)
                embeddings[rows] = self.encoder(ids.to(device), lengths).cpu().numpy()
        return embeddings


def by_length(lengths: np.ndarray, batch_tokens: int) -> Iterator[np.ndarray]:
    """Yield the row numbers of batches of like length, longest first, of at most `batch_tokens` with padding."""
    return cut(np.argsort(-lengths, kind="stable"), lengths, batch_tokens)


MODEL_TYPE = "laser"
FOLDER_REMEDY = "crosslingua train-laser and crosslingua import-laser write and read whole LASERs"


def save_laser(laser: Laser, folder: Path) -> None:
    """Write a LASER's files into an existing folder; wrap in `atomic_folder` for all or nothing."""
    write_json(folder / "config.json", {"model_type": MODEL_TYPE, **laser.encoder.configuration})
    state = laser.encoder.state_dict()
    weights = {name: tensor.detach().cpu().contiguous() for name, tensor in state.items()}
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
    path = Path(folder) / "model.safetensors"
    try:
        weights = load_file(path)
    except FileNotFoundError:
        raise InputError(path, "no such file", remedy=FOLDER_REMEDY) from None
    except SafetensorError as error:
        raise InputError(path, f"truncated or damaged ({error})", remedy=FOLDER_REMEDY) from None
    fill(encoder, weights, path)
    is_fastbpe = (Path(folder) / FASTBPE).is_file()
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
    params = parts["params"]
    if missing := [name for name in ARGUMENTS if not isinstance(params.get(name), int)]:
        raise InputError(checkpoint, f"params has no whole number {missing[0]!r}", remedy=REMEDY)
    if not params.get("bidirectional"):
        message = "params.bidirectional is not true: LASER reads both ways"
        raise InputError(checkpoint, message, remedy=REMEDY)
    with torch.device("meta"):
        encoder = LaserEncoder(**{own: params[name] for name, own in ARGUMENTS.items()})
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
    if missing := [part for part in PARTS if not isinstance(held.get(part), Mapping)]:
        raise InputError(path, f"has no {missing[0]!r} block", remedy=REMEDY)
    return parts


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
