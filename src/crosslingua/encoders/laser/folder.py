"""The suite's own form of a LASER: a folder with config.json, model.safetensors and its subwords."""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from crosslingua.encoders.laser import fastbpe
from crosslingua.encoders.laser.encoder import LaserEncoder
from crosslingua.encoders.laser.fastbpe import FastBPESubwords
from crosslingua.encoders.laser.laser import Laser
from crosslingua.encoders.laser.subwords import Subwords
from crosslingua.encoders.laser.tokenizer_subwords import TokenizerSubwords
from crosslingua.errors import InputError
from crosslingua.io.json import read_json, write_json

MODEL_TYPE = "laser"
REMEDY = "scripts/train_laser.py and scripts/import_laser.py write whole folders"


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
    fill(encoder, _weights(Path(folder) / "model.safetensors"), Path(folder) / "model.safetensors")
    return Laser(encoder.eval(), _subwords(Path(folder)))


def fill(encoder: LaserEncoder, weights: dict[str, torch.Tensor], path: str | Path) -> None:
    """Give a shapeless encoder its weights. Raises InputError, naming `path`, where they do not fit."""
    for name, wanted in encoder.state_dict().items():
        if name not in weights:
            raise InputError(path, f"has no weight {name}", remedy=REMEDY)
        if weights[name].shape != wanted.shape:
            raise InputError(
                path,
                f"{name} is {tuple(weights[name].shape)}, but its configuration says {tuple(wanted.shape)}",
            )
    surplus = sorted(weights.keys() - encoder.state_dict().keys())
    if surplus:
        raise InputError(path, f"has a weight too many: {surplus[0]}", remedy="is it another architecture?")
    encoder.load_state_dict(weights, assign=True)


def _weights(path: Path) -> dict[str, torch.Tensor]:
    try:
        return load_file(path)
    except FileNotFoundError:
        raise InputError(path, "no such file", remedy=REMEDY) from None
    except SafetensorError as error:
        raise InputError(path, f"truncated or damaged ({error})", remedy=REMEDY) from None


def _subwords(folder: Path) -> Subwords:
    return FastBPESubwords.load(folder) if (folder / fastbpe.FILE).is_file() else TokenizerSubwords(folder)
