"""An aligned encoder's folder: Hugging Face's files, `alignment.json`, and `rotations.safetensors` if it is rotated."""

import os
import shutil
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from crosslingua.embedders.encoder import Encoder
from crosslingua.embedders.rotations import ROTATIONS, Rotations
from crosslingua.encoder_alignment.signal import Signal
from crosslingua.errors import InputError
from crosslingua.io.atomic import atomic_folder
from crosslingua.io.json import write_json
from crosslingua.provenance import sha256

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
            _save_quietly(tuned, temporary)
        if rotations is not None:
            rotations.save(temporary)
        write_json(temporary / "alignment.json", describe(signal, report))


def _save_quietly(encoder: Encoder, folder: Path) -> None:
    """Save without the library's progress bar, which counts files."""
    from transformers.utils import logging

    logging.disable_progress_bar()
    encoder.model.save_pretrained(folder)


def describe(signal: Signal, report: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of alignment.json: the method and the data of the alignment."""
    return {
        **report,
        "source": signal.languages[0],
        "target": signal.languages[1],
        "layers": signal.layers,
        "sentence_pairs": len(signal.text),
        "sha256": {name: sha256(path) for name, path in signal.files.items()},
    }


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
