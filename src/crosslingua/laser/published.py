"""The published checkpoint, `bilstm.93langs.2018-12-26.pt`, with its BPE files `93langs.fcodes` and `.fvocab`.

The file is a pickled dictionary: `params`, the arguments of the authors' encoder; `model`, its weights under
the names of one `torch.nn.LSTM` (`lstm.weight_ih_l0`, `lstm.bias_hh_l4_reverse`); `dictionary`, subword -> id.
The layout is reconstructed from the authors' program, which reads it. That program pads on the left, but turns
this round before its LSTM (`left_pad`), and packs, so that the filler (`padding_value`) is never read either:
both leave the embeddings as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from crosslingua.errors import InputError
from crosslingua.laser.encoder import LaserEncoder
from crosslingua.laser.fastbpe import FastBPE, FastBPESubwords, read_codes, read_vocabulary
from crosslingua.laser.folder import fill
from crosslingua.laser.laser import Laser

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
    """Return the LASER of a checkpoint of the published layout.

    `codes` are fastBPE's merges; `vocabulary` its list of known subwords, with which the authors apply them.
    Raises InputError, with the key or the line, for files of another layout.
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
    missing = [
        part for part in PARTS if not (isinstance(parts, Mapping) and isinstance(parts.get(part), Mapping))
    ]
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
