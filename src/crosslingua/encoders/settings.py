"""Settings of a pre-training run, by default the published ones; those of an objective are in the objective's file."""

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

from crosslingua.encoders.checked import Checked, types_of
from crosslingua.encoders.objectives import OBJECTIVES
from crosslingua.errors import ConfigError
from crosslingua.io.json import read_yaml
from crosslingua.settings import WIDTH, parse_settings, read_setting, settings_help, unknown_setting, word


@dataclass(frozen=True)
class Settings(Checked):
    """Settings of a run; the defaults are align_mlm's (table 10, and RoBERTa's where it is silent).

    - `preset`: whose defaults, `align_mlm` or `xlm_align` (table 11)

    Model (a new one; with `--init` these are the folder's):

    - `layers`, `hidden` (dimensions), `heads`, `feed_forward` (dimensions; 0: four times `hidden`)
    - `max_positions`: tokens that the model can read
    - `norm`: `post` normalises after each part of a layer, as published; `pre` before it, which trains at higher rates
      with less warm-up (Xiong et al. 2020)
    - `dropout`: share of hidden and attention weights dropped in training

    Data:

    - `max_length`: tokens of an instance, special ones included; sentences are packed up to it (App. G.3)
    - `pack`: several sentences an instance; false: one
    - `pack_bitext`: bitext too; false: a pair an instance, as always where `dwa` reads it
    - `parallel`: `mixed` draws bitext and text from one pool (App. G.3); `summed` takes a batch of either each
      step and adds up their losses (xlm_align, algorithm 1)
    - `parallel_share`: with `mixed`, sentence pairs as a share of the sentences of one language (table 1)
    - `dictionary_share`: share of the dictionary's pairs that is used (table 2)
    - `batch_size`: sequences, or with `batch_unit: tokens` tokens, of a step over all processes; with `summed`
      that of either batch
    - `restart_positions`: of bitext, the second half's positions begin at 0 again (Conneau and Lample 2019, and
      align_mlm's program); false: they count on (xlm_align's program)
    - `mask_probability`: share of tokens to predict; of them 80 % become the mask, 10 % another token (RoBERTa)
    - `language_ids`: an embedding of the language is added to each token's: `auto` (from scratch with
      tlm or dict_mlm, App. G.3 and G.4; with `--init` if that has them), `true`, `false`

    Optimisation:

    - `steps` (updates), `lr` (peak), `warmup` (steps of linear rise, fewer than `steps`), `schedule` (then linear
      to zero, or constant), `weight_decay`, `adam_beta1`, `adam_beta2`, `adam_epsilon`
    - `clip_norm`: largest norm of the gradient; 0: any
    - `accumulate`: parts of a step's batch that are computed one after the other

    Running:

    - `precision`: `fp32`, or `bf16` for matrix products; `compile`: torch.compile
    - `device`: `auto` is a GPU where there is one
    - `checkpoint_every`, `log_every`: steps
    """

    preset: str = "align_mlm"
    layers: int = 8
    hidden: int = 512
    heads: int = 8
    feed_forward: int = 0
    max_positions: int = 512
    norm: str = "post"
    dropout: float = 0.1
    max_length: int = 512
    pack: bool = True
    pack_bitext: bool = True
    parallel: str = "mixed"
    parallel_share: float = 0.25
    dictionary_share: float = 0.25
    batch_size: int = 128
    batch_unit: str = "sequences"
    restart_positions: bool = True
    mask_probability: float = 0.15
    language_ids: str = "auto"
    steps: int = 500_000
    lr: float = 1e-4
    warmup: int = 10_000
    schedule: str = "linear"
    weight_decay: float = 0.01
    adam_beta1: float = 0.9
    adam_beta2: float = 0.98
    adam_epsilon: float = 1e-6
    clip_norm: float = 0.0
    accumulate: int = 1
    precision: str = "fp32"
    compile: bool = False
    device: str = "auto"
    checkpoint_every: int = 1000
    log_every: int = 20

    choices: ClassVar = {
        "batch_unit": ("sequences", "tokens"),
        "norm": ("post", "pre"),
        "parallel": ("mixed", "summed"),
        "schedule": ("linear", "constant"),
        "precision": ("fp32", "bf16"),
        "device": ("auto", "cpu", "cuda"),
        "language_ids": ("auto", "true", "false"),
    }
    positive = (
        "layers", "hidden", "heads", "max_positions", "batch_size", "steps", "lr", "accumulate", "adam_epsilon",
        "checkpoint_every", "log_every", "dictionary_share", "parallel_share", "mask_probability",
    )  # fmt: skip
    not_negative = ("warmup", "weight_decay", "clip_norm", "feed_forward", "dropout")
    shares = ("dropout", "mask_probability", "dictionary_share", "parallel_share")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.hidden % self.heads:
            raise ConfigError(f"hidden {self.hidden} is no multiple of heads {self.heads}")
        self._check_lengths()

    def _check_lengths(self) -> None:
        if self.max_length > self.max_positions:
            raise ConfigError(
                f"max_length {self.max_length} is longer than the model reads: max_positions is {self.max_positions}"
            )
        if self.max_length < 8:
            raise ConfigError(f"max_length {self.max_length} leaves no room for a sentence: 8 or more")
        if self.warmup >= self.steps:  # the published warm-up in a short run: it would learn next to nothing
            raise ConfigError(
                f"warmup {self.warmup} is not below steps {self.steps}: the rate would hardly reach lr; set warmup "
                f"too, e.g. warmup={self.steps // 10}"
            )

    @property
    def feed_forward_size(self) -> int:
        """Dimensions of the feed-forward layer."""
        return self.feed_forward or 4 * self.hidden


PRESETS: dict[str, dict[str, Any]] = {
    "align_mlm": {},
    "xlm_align": {  # table 11; with DWA or without, an instance is one pair, so that steps read as much bitext
        "layers": 12, "hidden": 768, "heads": 12, "steps": 150_000, "batch_size": 2048, "lr": 2e-4,
        "clip_norm": 1.0, "parallel": "summed", "language_ids": "false", "restart_positions": False,
        "pack_bitext": False,
    },
}  # fmt: skip

TYPES = types_of(Settings)


def help_text() -> str:
    """Return what --help says of the settings: meanings, units and defaults, and what the presets change."""
    own = [OBJECTIVES[name].Settings for name in OBJECTIVES]
    changed = {
        name: " ".join(f"{k}={word(v)}" for k, v in values.items()) for name, values in PRESETS.items()
    }
    return "\n\n".join(
        ["settings (--set NAME=VALUE ..., or lines NAME: VALUE of --config):", settings_help(Settings)]
        + [settings_help(settings) for settings in own if fields(settings)]
        + [
            textwrap.fill(f"With preset={name}: {values}", WIDTH)
            for name, values in changed.items()
            if values
        ]
    )


def read_values(path: str | Path | None = None, overrides: Iterable[str] = ()) -> dict[str, Any]:
    """Return the values of a YAML file with those of `name=value` options in their place, which are text."""
    return (read_yaml(path) if path else {}) | parse_settings(overrides)


def divided(values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return those of the values that are settings of a run, and the others, which must be an objective's."""
    run = {name: value for name, value in values.items() if name in TYPES}
    return run, {name: value for name, value in values.items() if name not in TYPES}


def from_mapping(values: Mapping[str, Any]) -> Settings:
    """Return the settings `values`, which may be text, over those of their preset.

    Raises ConfigError for an unknown name or a wrong value, with the closest legal names.
    """
    preset = values.get("preset", "align_mlm")
    if preset not in PRESETS:
        raise ConfigError(f"preset is {preset!r}: say {' or '.join(PRESETS)}")
    for name in values:
        if name not in TYPES:
            raise unknown_setting("pre-training", name, TYPES)
    return Settings(**PRESETS[preset] | {name: _read(name, value) for name, value in values.items()})


def objective_settings(names: Sequence[str], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of each of the objectives `names`; `values` may hold those of others too.

    Raises ConfigError as `from_mapping`. Imports the objectives, and with them torch.
    """
    types = {name: types_of(OBJECTIVES[name].Settings) for name in OBJECTIVES}
    known = {setting: kind for own in types.values() for setting, kind in own.items()}
    for setting in values:
        if setting not in known:
            raise unknown_setting("pre-training", setting, [*TYPES, *known])
    read = {setting: read_setting(setting, value, known[setting]) for setting, value in values.items()}
    return {
        name: OBJECTIVES[name].Settings(
            **{setting: read[setting] for setting in types[name] if setting in read}
        )
        for name in names
    }


def _read(name: str, value: Any) -> Any:
    """Read text as the type of the setting, YAML's `1e-4` as a number, and its booleans as words where these are meant.

    What is of a wrong type all the same is left for `Settings` to refuse.
    """
    if isinstance(value, bool):
        return str(value).lower() if name == "language_ids" else value
    if isinstance(value, str):
        return read_setting(name, value, TYPES[name])
    return float(value) if TYPES[name] is float and isinstance(value, int) else value
