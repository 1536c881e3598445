"""Predict test files with a fine-tuned model. Predictions stay beside it: another test file is predicted alone."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import torch

from crosslingua.checkpoint import Checkpoints
from crosslingua.imports import digest_of_code
from crosslingua.tasks.files import Key, read
from crosslingua.tasks.kinds import kind_of
from crosslingua.tasks.settings import FineTuning
from crosslingua.tasks.tuner import Tuner, checksum


def predict(
    model: Any, key: Key, settings: FineTuning, tuner: Tuner, folder: Path
) -> dict[str, dict[str, int]]:
    """Write what a cell's model predicts for the tests of its task, `folder/LANGUAGE.conll`; return the counts of each.

    Where the tuner keeps models, predictions are kept as well. One that the same model made of the same file, with the
    same settings and code, is taken from there: its bytes are those that the model would write again.
    """
    record, counts = kind_of(key[0]), {}
    made_by = _fingerprint(model, key, settings, tuner) if tuner.models else ""
    for language, path in tuner.files.tests(key[0]).items():
        place = folder / f"{language}.{record.prediction_suffix}"
        kept = _kept(tuner, key, language, made_by + checksum(path))
        found = kept and kept.load()
        if found:
            place.write_bytes(found["file"])
        else:
            examples = read(key[0], path)
            prepared = model.prepare(examples, language)
            record.task().write(place, examples, model.predict(prepared))
            # the report counts what was predicted, too: it comes last
            found = {"file": place.read_bytes(), "counts": prepared.report()}
            if kept:
                kept.save(found)
        counts[language] = found["counts"]
    return counts


def _kept(tuner: Tuner, key: Key, language: str, fingerprint: str) -> Checkpoints | None:
    """Return where a prediction is kept: one for each language, which a later one replaces."""
    return Checkpoints(tuner.models / "-".join(key) / language, fingerprint) if tuner.models else None


def _fingerprint(model: Any, key: Key, settings: FineTuning, tuner: Tuner) -> str:
    """Return a digest of all that predictions depend on but the test file.

    The weights themselves are part of it: on a GPU a model that is trained again is another one.
    """
    kind = kind_of(key[0])
    code = digest_of_code(__name__, kind.model, kind.text)
    device = next(model.parameters()).device.type
    what = [tuner.fingerprint(key, settings), code, _digest(model), device]
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()


def _digest(model: Any) -> str:
    """Return a digest of a model's weights."""
    digest = hashlib.sha256()
    for name, weights in model.state_dict().items():
        digest.update(name.encode())
        digest.update(weights.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy())
    return digest.hexdigest()
