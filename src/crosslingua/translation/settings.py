"""Settings of a translation system, by default the published ones."""

from collections.abc import Iterable
from dataclasses import dataclass

from crosslingua.errors import ConfigError
from crosslingua.settings import from_text, parse_settings

LONGEST = 500  # words of a sentence, with a few places left for marks


@dataclass(frozen=True)
class TranslationSettings:
    """Defaults are those of Lample et al. 2018b and their program, which joint_align runs (appendix, section 4.2).

    - `layers`, `heads`, `feed_forward`: of the encoder and of the decoder; the width is that of the word vectors, or
      `width` where it is not 0 (vectors are then mapped to it linearly)
    - `shared_layers`: of each, how many both languages share: the encoder's last, the decoder's first
    - `norm_first`: normalise before each sublayer, not after it as published
    - `dropout`: of embeddings, attention and sublayers
    - `shuffle`, `drop`, `blank`: the noise: farthest displacement of a word, share of words left out, and replaced
      by a blank
    - `lambda_auto`, `lambda_back`: weights of the loss of denoising and of back-translation
    - `lambda_auto_steps`: steps over which the weight of denoising falls linearly to a tenth, and in twice as many more
      to none; 0: it stays
    - `batch_size`: sentences of each language in a step
    - `epoch_size`: sentences of each language in an epoch, read once a step; the program's 500,000 counts a step's
      four batches
    - `epochs`: passes of that length
    - `lr`, `warmup` (steps), `beta1`, `beta2`, `clip_norm`: of Adam; the rate is constant after warm-up,
      or with `decay` falls linearly to nothing at the end of the last epoch
    - `max_length`: words of a training sentence; longer ones are left out and counted
    - `min_count`, `max_vocabulary`: which words of a language's training text are in its vocabulary
    - `validation`: sentences of each language held out for the choice of an epoch, by round-trip BLEU or as pairs
    - `patience`: epochs without a better choice after which training stops; 0: it runs to its end
    - `back_after`: steps of denoising alone before back-translation begins
    - `centre`: take the mean of all word vectors off each, and bring it to unit length again; vectors of little text
      lie in one direction, and all words then look alike to the output layer
    """

    layers: int = 4
    heads: int = 8
    feed_forward: int = 2048
    width: int = 0
    shared_layers: int = 3
    norm_first: bool = False
    dropout: float = 0.0
    shuffle: int = 3
    drop: float = 0.1
    blank: float = 0.2
    lambda_auto: float = 1.0
    lambda_auto_steps: int = 100_000
    lambda_back: float = 1.0
    batch_size: int = 32
    epoch_size: int = 125_000
    epochs: int = 20
    lr: float = 1e-4
    warmup: int = 0
    decay: bool = False
    beta1: float = 0.5
    beta2: float = 0.999
    clip_norm: float = 5.0
    max_length: int = 175
    min_count: int = 1
    max_vocabulary: int = 200_000
    validation: int = 200
    patience: int = 0
    back_after: int = 0
    centre: bool = False

    def __post_init__(self) -> None:
        for name in ("layers", "heads", "feed_forward", "batch_size", "epoch_size", "epochs", "max_length",
                     "min_count", "max_vocabulary", "validation"):  # fmt: skip
            if getattr(self, name) < 1:
                raise ConfigError(f"{name}={getattr(self, name)}: must be at least 1")
        for name in ("width", "shuffle", "lambda_auto_steps", "warmup", "back_after", "patience", "lambda_auto",
                     "lambda_back"):  # fmt: skip
            if getattr(self, name) < 0:
                raise ConfigError(f"{name}={getattr(self, name)}: must not be below 0")
        for name in ("dropout", "drop", "blank", "beta1", "beta2"):
            if not 0 <= getattr(self, name) < 1:
                raise ConfigError(f"{name}={getattr(self, name)}: must be in [0, 1)")
        if not (self.lr > 0 and self.clip_norm > 0):
            raise ConfigError(f"lr={self.lr}, clip_norm={self.clip_norm}: must be above 0")
        if self.max_length > LONGEST:
            raise ConfigError(f"max_length={self.max_length}: must be at most {LONGEST}")
        if not 0 <= self.shared_layers <= self.layers:
            raise ConfigError(f"shared_layers={self.shared_layers}: must be from 0 to layers={self.layers}")

    @property
    def steps_per_epoch(self) -> int:
        """Updates of an epoch."""
        return max(1, self.epoch_size // self.batch_size)

    @property
    def steps(self) -> int:
        """Updates of a whole run."""
        return self.epochs * self.steps_per_epoch


def read_settings(options: Iterable[str]) -> TranslationSettings:
    """Return the settings with `name=value` options in place of defaults.

    Raises ConfigError for an unknown name and for a value that is not of its type or out of range.
    """
    return settings_of(parse_settings(options))


def settings_of(values: dict[str, object]) -> TranslationSettings:
    """Return the settings with `values`, which may be text, in place of defaults."""
    return from_text(TranslationSettings, "translation", values)
