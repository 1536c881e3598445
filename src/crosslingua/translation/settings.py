"""Settings of a translation system, by default the published ones."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import Field

from crosslingua.errors import ConfigError
from crosslingua.settings import (
    Count,
    Dropout,
    NotNegative,
    Positive,
    Size,
    SizeOrNone,
    Whole,
    read,
    settings,
)

LONGEST = 500  # words of a sentence, with a few places left for marks


@settings
class TranslationSettings:
    """Defaults follow Lample et al. 2018b and their program, which joint_align runs (appendix, section 4.2)."""

    layers: Annotated[Size, "of the encoder and of the decoder"] = 4
    heads: Annotated[Size, "of attention"] = 8
    feed_forward: Annotated[Size, "dimensions"] = 2048
    width: Annotated[
        SizeOrNone, "dimensions, to which vectors are mapped linearly; 0: as many as the vectors"
    ] = 0
    shared_layers: Annotated[SizeOrNone, "layers in common: the encoder's last, the decoder's first"] = 3
    norm_first: Annotated[bool, "true: normalise before each sublayer; false: after, as published"] = False
    dropout: Annotated[Dropout, "of embeddings, attention and sublayers"] = 0.0
    word_shuffle: Annotated[
        NotNegative,
        "noise: sort words by place + U(0, this), so that 3 moves them by 2 places at most; 0: not at all",
    ] = 3.0
    word_dropout: Annotated[Dropout, "noise: share of words left out"] = 0.1
    word_blank: Annotated[Dropout, "noise: share of words replaced by a blank"] = 0.2
    lambda_auto: Annotated[NotNegative, "weight of the loss of denoising"] = 1.0
    lambda_auto_steps: Annotated[
        Whole,
        "steps in which the weight of denoising falls linearly to a tenth; twice as many more bring the weight to "
        "zero; 0: constant",
    ] = 100_000
    lambda_back: Annotated[NotNegative, "weight of the loss of back-translation"] = 1.0
    batch_size: Annotated[Count, "sentences of each language in a step"] = 32
    epoch_size: Annotated[
        Count,
        "sentences of each language in an epoch, read once a step; the program's 500,000 counts a step's four batches",
    ] = 125_000
    epochs: Annotated[Count, "passes of `epoch_size`"] = 20
    lr: Annotated[Positive, "rate of Adam, constant after warm-up"] = 1e-4
    warmup: Annotated[Whole, "steps of linear rise"] = 0
    decay: Annotated[bool, "the rate falls linearly to nothing at the end of the last epoch"] = False
    beta1: Annotated[Dropout, "of Adam"] = 0.5
    beta2: Annotated[Dropout, "of Adam"] = 0.999
    clip_norm: Annotated[Positive, "largest norm of the gradient"] = 5.0
    max_length: Annotated[
        int,
        Field(ge=1, le=LONGEST),
        "words of a training sentence; longer sentences are left out and counted",
    ] = 175
    min_count: Annotated[Count, "least occurrences in the training text of a word of the vocabulary"] = 1
    max_vocabulary: Annotated[Count, "most frequent words of a language's vocabulary"] = 200_000
    validation: Annotated[
        Count,
        "sentences of each language held out for the choice of an epoch, by round-trip BLEU or as pairs",
    ] = 200
    patience: Annotated[Whole, "epochs without a better choice before training stops; 0: never"] = 0
    back_after: Annotated[Whole, "steps of denoising alone before back-translation begins"] = 0
    centre: Annotated[
        bool,
        "true: subtract the mean of all word vectors and normalise again; vectors of little text lie in one "
        "direction, and the output layer cannot separate them",
    ] = False

    def __post_init__(self) -> None:
        if self.shared_layers > self.layers:
            raise ConfigError(f"shared_layers={self.shared_layers}: must be from 0 to layers={self.layers}")
        if 0 < self.word_shuffle <= 1:
            raise ConfigError(
                f"word_shuffle={self.word_shuffle:g}: must be 0 or above 1, below which no word moves"
            )

    @property
    def steps_per_epoch(self) -> int:
        """Updates of an epoch."""
        return max(1, self.epoch_size // self.batch_size)

    @property
    def steps(self) -> int:
        """Updates of a whole run."""
        return self.epochs * self.steps_per_epoch


def settings_of(given: Mapping[str, Any] | Iterable[str]) -> TranslationSettings:
    """Return the settings of a mapping or of `name=value` words; ConfigError as `crosslingua.settings.read`."""
    return read(TranslationSettings, "translation", given)
