"""A pre-training run: settings with published defaults, data and output. Objectives have their own."""

import dataclasses
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from crosslingua.encoders.objectives import OBJECTIVES
from crosslingua.errors import ConfigError
from crosslingua.io.json import read_yaml
from crosslingua.settings import (
    LARGEST_SIZE,
    WIDTH,
    Count,
    Dropout,
    NotNegative,
    Positive,
    Share,
    Size,
    SizeOrNone,
    SomeShare,
    Whole,
    definitions,
    parse_settings,
    read,
    read_value,
    settings,
    settings_help,
    unknown_setting,
    word,
)


@settings
class Settings:
    """Settings of a run; the defaults are align_mlm's (table 10, and RoBERTa's where it is silent)."""

    preset: Annotated[Literal["align_mlm", "xlm_align"], "whose defaults; of xlm_align: table 11"] = (
        "align_mlm"
    )
    # A new model; with --init these are the folder's.
    layers: Annotated[Size, "layers of a new model; --init keeps its architecture, down to norm"] = 8
    hidden: Annotated[Size, "dimensions"] = 512
    heads: Annotated[Size, "of attention"] = 8
    feed_forward: Annotated[SizeOrNone, "dimensions; 0: four times `hidden`"] = 0
    max_positions: Annotated[Size, "tokens that the model can read"] = 512
    norm: Annotated[
        Literal["post", "pre"],
        "normalise after each part of a layer, as published, or before, for higher rates (Xiong et al. 2020)",
    ] = "post"
    kept_layers: Annotated[Whole, "with --init, only this many of the first layers stay; 0: all"] = 0
    fresh_layers: Annotated[Whole, "with --init, this many of the last layers begin with new weights"] = 0
    dropout: Annotated[Share, "share of hidden and attention weights dropped in training"] = 0.1
    # Data.
    max_length: Annotated[
        int,
        Field(ge=8, le=LARGEST_SIZE),
        "tokens of an instance, with special tokens; the limit of packing (App. G.3)",
    ] = 512
    pack: Annotated[bool, "true: several sentences an instance; false: one sentence"] = True
    pack_bitext: Annotated[
        bool, "true: pack bitext too; false, and always with `dwa`: a pair an instance"
    ] = True
    parallel: Annotated[
        Literal["mixed", "summed"],
        "`mixed` draws bitext and text from one pool (App. G.3); `summed` takes a batch of each and adds the "
        "losses (xlm_align, algorithm 1)",
    ] = "mixed"
    parallel_share: Annotated[
        SomeShare, "with `mixed`: sentence pairs, as a share of the sentences of one language (table 1)"
    ] = 0.25
    dictionary_share: Annotated[SomeShare, "share of the dictionary's pairs that is used (table 2)"] = 0.25
    batch_size: Annotated[Count, "in `batch_unit`, of a step over all processes; `summed`: of either"] = 128
    batch_unit: Annotated[Literal["sequences", "tokens"], "unit of `batch_size`"] = "sequences"
    restart_positions: Annotated[
        bool,
        "of bitext, the second half's positions begin at 0 again (Conneau and Lample 2019, and align_mlm's program); "
        "false: they count on (xlm_align's program)",
    ] = True
    mask_probability: Annotated[
        SomeShare, "share of tokens to predict; of them 80 % become the mask, 10 % another token (RoBERTa)"
    ] = 0.15
    language_ids: Annotated[
        Literal["auto", "true", "false"],
        "an embedding of the language is added to each token's; auto: from scratch with tlm or dict_mlm (App. G.3 and "
        "G.4), with --init if that has them",
    ] = "auto"
    # Optimisation.
    trained: Annotated[
        Literal["all", "head"],
        "weights that learn; head: those of the language-model head alone, which an encoder without one needs first",
    ] = "all"
    steps: Annotated[Count, "updates"] = 500_000
    lr: Annotated[Positive, "peak rate"] = 1e-4
    copies_rate: Annotated[
        Positive,
        "rate of copied pieces' vectors, as a multiple of lr, where --init has copies with new vectors",
    ] = 1.0
    warmup: Annotated[Whole, "steps of linear rise, fewer than `steps`"] = 10_000
    schedule: Annotated[Literal["linear", "constant"], "of the rate after warm-up; linear: to zero"] = (
        "linear"
    )
    weight_decay: Annotated[NotNegative, "of AdamW"] = 0.01
    adam_beta1: Annotated[Dropout, "of AdamW"] = 0.9
    adam_beta2: Annotated[Dropout, "of AdamW"] = 0.98
    adam_epsilon: Annotated[Positive, "of AdamW"] = 1e-6
    clip_norm: Annotated[NotNegative, "largest norm of the gradient; 0: any"] = 0.0
    accumulate: Annotated[Count, "parts of a step's batch, computed one after the other"] = 1
    # Running.
    precision: Annotated[Literal["fp32", "bf16"], "of matrix products"] = "fp32"
    compile: Annotated[bool, "by torch.compile"] = False
    device: Annotated[Literal["auto", "cpu", "cuda"], "auto: a GPU if the machine has one"] = "auto"
    checkpoint_every: Annotated[Count, "steps between two checkpoints"] = 1000
    log_every: Annotated[Count, "steps between two points of the loss curve"] = 20

    def __post_init__(self) -> None:
        if self.hidden % self.heads:
            raise ConfigError(f"hidden {self.hidden} is no multiple of heads {self.heads}")
        if self.max_length > self.max_positions:
            raise ConfigError(
                f"max_length {self.max_length} is above max_positions {self.max_positions}, which the model reads"
            )
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

PRETRAINING = "pre-training"  # whose settings they are, in errors


def help_text() -> str:
    """Return the text of --help on settings: meanings, ranges, defaults and presets."""
    objectives = {name: OBJECTIVES.settings(name) for name in OBJECTIVES}
    changed = [
        textwrap.fill(f"With preset={name}: {' '.join(f'{k}={word(v)}' for k, v in values.items())}", WIDTH)
        for name, values in PRESETS.items()
        if values
    ]
    return "\n\n".join(
        ["settings (--set NAME=VALUE ..., or lines NAME: VALUE of --config):", settings_help(Settings)]
        + [f"Objective {name}: {settings_help(own)}" for name, own in objectives.items() if definitions(own)]
        + changed
    )


def read_values(path: str | Path | None, overrides: Iterable[str]) -> dict[str, Any]:
    """Return the values of a YAML file, overridden by `name=value` options, which are text."""
    return (read_yaml(path) if path else {}) | parse_settings(overrides)


def divided(values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the values that are settings of a run, and the others, which must belong to an objective."""
    run = {name: value for name, value in values.items() if name in definitions(Settings)}
    return run, {name: value for name, value in values.items() if name not in run}


def from_mapping(values: Mapping[str, Any]) -> Settings:
    """Return the settings `values`, which may be text, over their preset; ConfigError as `settings.read`."""
    preset = read_value(Settings, PRETRAINING, "preset", values.get("preset", "align_mlm"))
    return read(Settings, PRETRAINING, PRESETS[preset] | dict(values))


def objective_settings(names: Sequence[str], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of each of the objectives `names`; `values` may hold settings of others."""
    kinds = {name: OBJECTIVES.settings(name) for name in OBJECTIVES}
    owner = {setting: kind for kind in kinds.values() for setting in definitions(kind)}
    if unknown := [setting for setting in values if setting not in owner]:
        known = [*definitions(Settings), *owner]
        raise ConfigError("\n".join(str(unknown_setting(PRETRAINING, each, known)) for each in unknown))
    made = {}
    for kind in kinds.values():
        own = {setting: value for setting, value in values.items() if owner[setting] is kind}
        made[kind] = read(kind, PRETRAINING, own)
    return {name: made[kinds[name]] for name in names}


@dataclass(frozen=True)
class Pretraining:
    """A pre-training: objectives, data and output. `text` is language -> file, `bitext` pair of languages -> two files.

    `init` is an encoder folder to go on from. The entries of `dictionary` are tokens. `own` are settings of
    objectives, by name.
    """

    objectives: Sequence[str]
    settings: Settings
    tokenizer: str | Path
    text: Mapping[str, str]
    out: str | Path
    bitext: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    dictionary: str | Path | None = None
    init: str | Path | None = None
    own: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 1

    def __post_init__(self) -> None:
        names = ", ".join(self.objectives)
        # Missing data, and data that no objective reads, since the user means the run to use them.
        for what in ("text", "bitext", "dictionary"):
            given = bool(getattr(self, what))
            if self.needs(what) and not given:
                raise ConfigError(f"{', '.join(self._who(what))}: needs --{what}")
            if given and not self.needs(what) and what != "text":  # text may be named for its languages alone
                readers = ", ".join(name for name in OBJECTIVES if what in OBJECTIVES.needs(name))
                raise ConfigError(
                    f"{names}: reads no --{what}, which is for {readers}: leave it out, or name one of them"
                )
        if len(set(self.objectives)) < len(self.objectives):
            raise ConfigError(f"{names}: name each objective once")
        if len(self._who("text")) > 1:
            raise ConfigError(f"{names}: name only one objective that reads text; each contains MLM")
        mixes = self.needs("text") and all(OBJECTIVES[name].mixes for name in self._who("bitext"))
        if self.mixed and not mixes:
            raise ConfigError(
                f"{names}: parallel=mixed draws rows of mlm and tlm alone from one pool; set parallel=summed"
            )
        for name in self.objectives:
            OBJECTIVES[name].check(self)
        self.architecture  # noqa: B018 (what does not fit is told now)

    def _who(self, what: str) -> list[str]:
        return [name for name in self.objectives if what in OBJECTIVES.needs(name)]

    def needs(self, what: str) -> bool:
        """Whether an objective needs text, bitext or a dictionary."""
        return bool(self._who(what))

    @property
    def architecture(self) -> Any:
        """The kind of model that the objectives train. Raises ConfigError if they train different ones."""
        parts = objective_settings(self.objectives, self.own)
        (first, chosen), *others = ((name, OBJECTIVES[name].architecture(own)) for name, own in parts.items())
        for name, kind in others:
            if type(kind) is not type(chosen):
                raise ConfigError(f"{first} and {name} train different kinds of model: name one of them")
        return chosen

    @property
    def mixed(self) -> bool:
        """Whether bitext is drawn from one pool with text."""
        return self.settings.parallel == "mixed" and self.needs("bitext")

    @property
    def all_settings(self) -> dict[str, Any]:
        """The settings of the run and of its objectives, by name."""
        own = objective_settings(self.objectives, self.own).values()
        return dict(chain.from_iterable(dataclasses.asdict(part).items() for part in (self.settings, *own)))

    @property
    def languages(self) -> list[str]:
        """All languages in the order of their ids; without text, the languages of bitext."""
        pairs = (pair.partition("-")[::2] for pair in self.bitext)
        return list(self.text or dict.fromkeys(chain.from_iterable(pairs)))

    @property
    def language_ids(self) -> bool:
        """Whether tokens carry their language's embedding."""
        if self.settings.language_ids != "auto":
            return self.settings.language_ids == "true"
        if self.init is not None:
            from crosslingua.encoders.folder import load_config  # torch, which no plan needs

            return "lang2id" in load_config(self.init)
        return any(OBJECTIVES[name].language_ids for name in self.objectives)
