"""Settings of training a tagger on features."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Literal, Self

from crosslingua.settings import Count, Dropout, NotNegative, Positive, Whole, read, settings

OF_TAGGER = "tagger."  # what a tagger's own settings begin with


@settings
class TaggerTraining:
    """How a tagger is trained: as laser_taggers' baselines ('Training')."""

    optimiser: Annotated[
        Literal["adam", "one_cycle"],
        "one_cycle: SGD with momentum under the 1cycle policy, which is how the LASER models are trained",
    ] = "adam"
    learning_rate: Annotated[Positive, "of adam; the highest of one_cycle"] = 1e-3
    l2: Annotated[NotNegative, "λ of L2 regularisation: λ w is added to the gradient of a weight w"] = 1e-3
    dropout: Annotated[Dropout, "of word vectors, between the embedder and the tagger"] = 0.25
    epochs: Annotated[Count, "passes over the training data, at most"] = 15
    patience: Annotated[Whole, "rounds of falling validation scores before training stops; 0: never"] = 2
    batch_size: Annotated[Count, "sentences"] = 32
    clip_norm: Annotated[NotNegative, "largest norm of the gradient (Lample et al. 2016: 5); 0: any"] = 5.0
    trials: Annotated[Whole, "of Bayesian search of both dropouts and `l2`, before training; 0: none"] = 0
    intents: Annotated[
        bool,
        "learn the intent of each sentence too, where the training data tell it; on frozen features labels are the "
        "same with and without",
    ] = False
    score_training: Annotated[bool, "predict the sentences of training too, and report their effect"] = False


@dataclass(frozen=True)
class TaggerOptions:
    """A member of TAGGERS by name, its settings as text, and how it is trained."""

    tagger: str
    own: tuple[str, ...]
    training: TaggerTraining

    @classmethod
    def of(cls, tagger: str, options: Iterable[str]) -> Self:
        """Sort `name=value` and `tagger.name=value`. Raises ConfigError for what is unknown or ill-typed."""
        options = list(options)
        own = tuple(one.removeprefix(OF_TAGGER) for one in options if one.startswith(OF_TAGGER))
        rest = [one for one in options if not one.startswith(OF_TAGGER)]
        return cls(tagger, own, read(TaggerTraining, "training a tagger", rest))

    def changed(self, values: Mapping[str, float]) -> Self:
        """Return these options with other values, named like options."""
        own = [
            f"{name.removeprefix(OF_TAGGER)}={v}" for name, v in values.items() if name.startswith(OF_TAGGER)
        ]
        rest = {name: value for name, value in values.items() if not name.startswith(OF_TAGGER)}
        return TaggerOptions(self.tagger, (*self.own, *own), replace(self.training, **rest))
