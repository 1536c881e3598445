"""The suite's own form of a LASER: a folder with config.json, model.safetensors and its subwords."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from crosslingua.errors import InputError
from crosslingua.io.json import read_json, write_json
from crosslingua.laser import fastbpe
from crosslingua.laser.encoder import LaserEncoder
from crosslingua.laser.fastbpe import FastBPESubwords
from crosslingua.laser.laser import Laser
from crosslingua.laser.subwords import Subwords
from crosslingua.laser.tokenizer_subwords import TokenizerSubwords

MODEL_TYPE = "laser"
REMEDY = "scripts/train_laser.py and scripts/import_laser.py write and read whole LASERs"


def save_laser(laser: Laser, folder: Path) -> None:
    """Write a LASER's files into an existing folder; wrap in `atomic_folder` for all or nothing."""
    write_json(folder / "config.json", {"model_type": MODEL_TYPE, **laser.encoder.configuration})
    weights = {
        name: tensor.detach().cpu().contiguous() for name, tensor in laser.encoder.state_dict().items()
    }
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    laser.subwords.save(folder)


def load_laser(folder: str | Path) -> Laser:
    """Return the LASER of a folder, in evaluation mode, on the CPU.

    Raises InputError if a file is missing or damaged, or is not of the shape that config.json tells.
    """
    path = Path(folder) / "config.json"
    config = read_json(path)
    if not isinstance(config, dict) or config.pop("model_type", None) != MODEL_TYPE:
        raise InputError(path, f"is not of model_type {MODEL_TYPE!r}", remedy=REMEDY)
    try:
        with torch.device("meta"):  # no time for starting values
            encoder = LaserEncoder(**config)
    except TypeError as error:
        raise InputError(path, f"does not describe a LASER: {error}", remedy=REMEDY) from None
    weights = Path(folder) / "model.safetensors"
    fill(encoder, _weights(weights), weights)
    return Laser(encoder.eval(), _subwords(Path(folder)))


def fill(
    encoder: LaserEncoder,
    weights: Mapping[str, Tensor],
    path: str | Path,
    stored_name: Callable[[str], str] = str,
) -> None:
    """Give a shapeless encoder its weights, which `stored_name` finds by ours.

    Raises InputError, naming `path` and the stored name, where they do not fit.
    """
    names = {name: stored_name(name) for name in encoder.state_dict()}
    for name, wanted in encoder.state_dict().items():
        stored = names[name]
        if stored not in weights:
            raise InputError(path, f"has no weight {stored}", remedy=REMEDY)
        shapes = [tuple(weight.shape) for weight in (weights[stored], wanted)]
        if shapes[0] != shapes[1]:
            raise InputError(path, f"{stored} is {shapes[0]}, but the configuration says {shapes[1]}")
    if surplus := sorted(weights.keys() - names.values()):
        raise InputError(path, f"has a weight too many: {surplus[0]}", remedy=REMEDY)
    encoder.load_state_dict({name: weights[stored] for name, stored in names.items()}, assign=True)


def _weights(path: Path) -> dict[str, Tensor]:
    try:
        return load_file(path)
    except FileNotFoundError:
        raise InputError(path, "no such file", remedy=REMEDY) from None
    except SafetensorError as error:
        raise InputError(path, f"truncated or damaged ({error})", remedy=REMEDY) from None


def _subwords(folder: Path) -> Subwords:
    return FastBPESubwords.load(folder) if (folder / fastbpe.FILE).is_file() else TokenizerSubwords(folder)
