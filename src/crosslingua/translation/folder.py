"""A trained system's folder: vocabulary, settings, the weights of every epoch, and the report of training."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from crosslingua.errors import ConfigError, InputError, check_finite
from crosslingua.io.json import read_json, write_json
from crosslingua.translation.data import Vocabulary
from crosslingua.translation.model import TranslationModel
from crosslingua.translation.settings import settings_of

CONFIG, REPORT = "config.json", "training.json"
FILES = (CONFIG, REPORT, "epoch*.safetensors")  # all that such a folder holds


def weights_name(epoch: int) -> str:
    """Return the name of the file of an epoch's weights."""
    return f"epoch{epoch:03d}.safetensors"


def save_config(model: TranslationModel, folder: Path) -> None:
    """Write the configuration, which loading needs besides weights."""
    vocabulary = dataclasses.asdict(model.vocabulary)
    shape = {"dimension": model.table.shape[1], "settings": dataclasses.asdict(model.settings)}
    write_json(folder / CONFIG, {**shape, "vocabulary": vocabulary})


def save_weights(model: TranslationModel, folder: Path, epoch: int) -> None:
    """Write an epoch's weights."""
    folder.mkdir(parents=True, exist_ok=True)
    save_file({name: t.contiguous() for name, t in model.state_dict().items()}, folder / weights_name(epoch))


def load_translator(folder: str | Path, epoch: int | None = None) -> TranslationModel:
    """Load the model of an epoch, by default of the best by round-trip BLEU. Raises InputError for a folder without a
    system, ConfigError for an unknown epoch.
    """
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
    chosen = read_report(folder)["chosen_epoch"] if epoch is None else epoch
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


def read_report(folder: str | Path) -> dict[str, Any]:
    """Return training.json."""
    found = read_json(Path(folder) / REPORT)
    if not isinstance(found, dict) or "chosen_epoch" not in found:
        raise InputError(Path(folder) / REPORT, "tells no chosen_epoch", remedy="train the system again")
    return found
