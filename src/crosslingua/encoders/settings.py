"""Settings of a pre-training run, by default the published ones."""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

from crosslingua.errors import ConfigError, InputError
from crosslingua.settings import unknown_setting
from crosslingua.settings_help import WIDTH, settings_help, word

CHOICES = {
    "batch_unit": ("sequences", "tokens"),
    "parallel": ("mixed", "summed"),
    "schedule": ("linear", "constant"),
    "precision": ("fp32", "bf16"),
    "device": ("auto", "cpu", "cuda"),
    "language_ids": ("auto", "true", "false"),
    "dwa_queries": ("masked", "unmasked", "all_aligned", "none"),
}


@dataclass(frozen=True)
class Settings:
    """Settings of a run; the defaults are align_mlm's (table 10, and RoBERTa's where it is silent).

    - `preset`: whose defaults, `align_mlm` or `xlm_align` (table 11)

    Model (a new one; with `--init` these are the folder's):

    - `layers`, `hidden` (dimensions), `heads`, `feed_forward` (dimensions; 0: four times `hidden`)
    - `max_positions`: tokens that the model can read
    - `dropout`: share of hidden and attention weights dropped in training

    Data:

    - `max_length`: tokens of an instance, special ones included; sentences are packed up to it (App. G.3)
    - `pack`: several sentences an instance; false: one. Bitext read by `dwa` is never packed
    - `parallel`: `mixed` draws bitext and text from one pool (App. G.3); `summed` takes a batch of either each
      step and adds up their losses (xlm_align, algorithm 1)
    - `parallel_share`: with `mixed`, sentence pairs as a share of the sentences of one language (table 1)
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

    Objectives:

    - `dictionary_share`: share of the dictionary's pairs that is used (table 2)
    - `dict_probability`: share of the tokens to predict that are not masked but translated (App. G.4)
    - `align_alpha`: weight of the alignment loss (section 3, App. G.5)
    - `dwa_labelling_layer`: whose hidden states are aligned; 0: layer 10 of 12, or at that relative depth
    - `dwa_query_layer`: whose hidden states the pointer network reads; 0: the last
    - `dwa_mu` (entropic regularisation), `dwa_sinkhorn_iterations`, `dwa_epsilon` (Eq. 1; the paper gives none)
    - `dwa_filter`: filter the alignments (Eq. 8 and 9) `dwa_filter_iterations` times with factor
      `dwa_filter_alpha`; false: the union of both directions (section 5.4)
    - `dwa_discount_linked`: Eq. 9 to the letter, see `crosslingua.word_aligners.transport.filter_links`
    - `dwa_queries`: `masked`, `unmasked`, `all_aligned` or `none` (section 5.5)

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
    dropout: float = 0.1
    max_length: int = 512
    pack: bool = True
    parallel: str = "mixed"
    parallel_share: float = 0.25
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
    dictionary_share: float = 0.25
    dict_probability: float = 0.5
    align_alpha: float = 10.0
    dwa_labelling_layer: int = 0
    dwa_query_layer: int = 0
    dwa_mu: float = 1.0
    dwa_sinkhorn_iterations: int = 2
    dwa_epsilon: float = 1e-6
    dwa_filter: bool = True
    dwa_filter_iterations: int = 2
    dwa_filter_alpha: float = 0.9
    dwa_discount_linked: bool = False
    dwa_queries: str = "masked"
    precision: str = "fp32"
    compile: bool = False
    device: str = "auto"
    checkpoint_every: int = 1000
    log_every: int = 20

    def __post_init__(self) -> None:
        _check_type(self)
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise ConfigError(f"{name} is {getattr(self, name)!r}: say {' or '.join(choices)}")
        _check_ranges(self)

    @property
    def feed_forward_size(self) -> int:
        """Dimensions of the feed-forward layer."""
        return self.feed_forward or 4 * self.hidden


PRESETS: dict[str, dict[str, Any]] = {
    "align_mlm": {},
    "xlm_align": {  # table 11
        "layers": 12, "hidden": 768, "heads": 12, "steps": 150_000, "batch_size": 2048, "lr": 2e-4,
        "clip_norm": 1.0, "parallel": "summed", "language_ids": "false", "restart_positions": False,
    },
}  # fmt: skip

TYPES: dict[str, type] = get_type_hints(Settings)


def help_text() -> str:
    """Return what --help says of the settings: meanings, units and defaults, and what the presets change."""
    changed = {
        name: " ".join(f"{k}={word(v)}" for k, v in values.items()) for name, values in PRESETS.items()
    }
    return "\n\n".join(
        ["settings (--set NAME=VALUE ..., or lines NAME: VALUE of --config):", settings_help(Settings)]
        + [
            textwrap.fill(f"With preset={name}: {values}", WIDTH)
            for name, values in changed.items()
            if values
        ]
    )


POSITIVE = (
    "layers", "hidden", "heads", "max_positions", "batch_size", "steps", "lr", "accumulate", "adam_epsilon",
    "dwa_mu", "dwa_epsilon", "dwa_sinkhorn_iterations", "dwa_filter_iterations", "checkpoint_every",
    "log_every", "dictionary_share", "parallel_share", "mask_probability",
)  # fmt: skip
NOT_NEGATIVE = ("warmup", "weight_decay", "clip_norm", "align_alpha", "dwa_labelling_layer", "dwa_query_layer",
                "feed_forward", "dropout", "dict_probability", "dwa_filter_alpha")  # fmt: skip
SHARES = ("dropout", "mask_probability", "dictionary_share", "dict_probability", "dwa_filter_alpha",
          "parallel_share")  # fmt: skip


def read_settings(path: str | Path | None = None, overrides: Iterable[str] = ()) -> Settings:
    """Return the settings of a YAML file and `name=value` options over those of their preset.

    Raises ConfigError for an unknown name or a wrong value, with the closest legal names.
    """
    values = _read_file(path) if path else {}
    for option in overrides:
        name, equals, value = option.partition("=")
        if not equals:
            raise ConfigError(f"setting {option!r}: write name=value, e.g. steps=1000")
        values[name] = _parse(name, value)
    return from_mapping(values)


def from_mapping(values: Mapping[str, Any]) -> Settings:
    """Return the settings `values` over those of their preset."""
    preset = values.get("preset", "align_mlm")
    if preset not in PRESETS:
        raise ConfigError(f"preset is {preset!r}: say {' or '.join(PRESETS)}")
    for name in values:
        if name not in TYPES:
            raise unknown_setting("pre-training", name, TYPES)
    return Settings(**{**PRESETS[preset], **values})


def _read_file(path: str | Path) -> dict[str, Any]:
    import yaml

    try:
        loaded = yaml.safe_load(Path(path).read_text(encoding="utf-8")) or {}
    except FileNotFoundError:
        raise InputError(path, "no such file") from None
    except yaml.YAMLError as error:
        raise InputError(path, f"not YAML: {error}") from None
    if not isinstance(loaded, dict):
        raise InputError(path, "expected `name: value` lines")
    return {name: _number(name, value) for name, value in loaded.items()}


def _parse(name: str, text: str) -> Any:
    """Read text as the type of the setting; an unknown name is left for `from_mapping` to refuse."""
    kind = TYPES.get(name, str)
    if kind is bool:
        return {"true": True, "false": False}.get(text.lower(), text)
    try:
        return int(text) if kind is int else float(text) if kind is float else text
    except ValueError:
        raise ConfigError(f"{name}={text}: must be a {'whole ' if kind is int else ''}number") from None


def _number(name: Any, value: Any) -> Any:
    """Take YAML's `1` and `1e-4` (which YAML calls text) as numbers where one is asked for, and booleans as words."""
    kind = TYPES.get(name)
    if kind is float and isinstance(value, int | str) and not isinstance(value, bool):
        return _parse(name, str(value))
    if name == "language_ids" and isinstance(value, bool):
        return str(value).lower()
    return value


def _check_type(settings: Settings) -> None:
    for field in dataclasses.fields(settings):
        value, kind = getattr(settings, field.name), TYPES[field.name]
        wanted = (int, float) if kind is float else get_args(kind) or kind
        if not isinstance(value, wanted) or (kind is not bool and isinstance(value, bool)):
            raise ConfigError(f"{field.name} is {value!r}: must be of type {kind.__name__}")


def _check_ranges(settings: Settings) -> None:
    for names, wrong, words in (
        (POSITIVE, lambda value: not value > 0, "above 0"),
        (NOT_NEGATIVE, lambda value: not value >= 0, "0 or more"),
        (SHARES, lambda value: value > 1, "at most 1"),
    ):
        for name in names:
            if wrong(getattr(settings, name)):
                raise ConfigError(f"{name} is {getattr(settings, name)}: must be {words}")
    if settings.hidden % settings.heads:
        raise ConfigError(f"hidden {settings.hidden} is no multiple of heads {settings.heads}")
    if settings.max_length > settings.max_positions:
        raise ConfigError(
            f"max_length {settings.max_length} is longer than the model reads: max_positions is "
            f"{settings.max_positions}"
        )
    if (
        settings.warmup >= settings.steps
    ):  # the published warm-up in a short run: it would learn next to nothing
        raise ConfigError(
            f"warmup {settings.warmup} is not below steps {settings.steps}: the rate would hardly reach lr; set warmup "
            f"too, e.g. warmup={settings.steps // 10}"
        )
    if settings.max_length < 8:
        raise ConfigError(f"max_length {settings.max_length} leaves no room for a sentence: 8 or more")
