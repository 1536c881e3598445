"""Settings of training a tagger on features."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Self

from crosslingua.errors import ConfigError
from crosslingua.settings import from_options

OPTIMISERS = ("adam", "one_cycle")
OF_TAGGER = "tagger."  # what a tagger's own settings begin with


@dataclass(frozen=True)
class TaggerTraining:
    """How a tagger is trained: as laser_taggers' baselines ('Training').

    - `optimiser`: `adam`, or `one_cycle`: SGD with momentum under the 1cycle policy, which is how the LASER models are
      trained
    - `learning_rate`: of adam; the highest of one_cycle
    - `l2`: λ of L2 regularisation: λ w is added to the gradient of a weight w
    - `dropout`: of word vectors, between the embedder and the tagger
    - `epochs`: passes over the training data, at most
    - `patience`: rounds of consecutive decreased validation scores after which training stops; 0: it never does
    - `batch_size`: sentences
    - `clip_norm`: largest norm of the gradient (Lample et al. 2016: 5); 0: any
    - `trials`: of Bayesian optimisation of both dropouts and `l2` on validation data, before training; 0: none
    - `intents`: learn the intent of each sentence too, where the training data tell it; on frozen features labels are
      the same with and without
    - `score_training`: predict the sentences of training too, and report how each of them moves the score
    """

    optimiser: str = "adam"
    learning_rate: float = 1e-3
    l2: float = 1e-3
    dropout: float = 0.25
    epochs: int = 15
    patience: int = 2
    batch_size: int = 32
    clip_norm: float = 5.0
    trials: int = 0
    intents: bool = False
    score_training: bool = False

    def __post_init__(self) -> None:
        if self.optimiser not in OPTIMISERS:
            raise ConfigError(f"optimiser={self.optimiser}: must be {' or '.join(OPTIMISERS)}")
        for name in ("learning_rate", "epochs", "batch_size"):
            if not getattr(self, name) > 0:
                raise ConfigError(f"{name}={getattr(self, name)}: must be above 0")
        for name in ("l2", "patience", "trials", "clip_norm"):
            if not getattr(self, name) >= 0:
                raise ConfigError(f"{name}={getattr(self, name)}: must not be negative")
        if not 0 <= self.dropout < 1:
            raise ConfigError(f"dropout={self.dropout}: must be 0 to 1")


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
        return cls(tagger, own, from_options(TaggerTraining, rest, "training a tagger"))

    def changed(self, values: Mapping[str, float]) -> Self:
        """Return these options with other values, named like options."""
        own = [
            f"{name.removeprefix(OF_TAGGER)}={v}" for name, v in values.items() if name.startswith(OF_TAGGER)
        ]
        rest = {name: value for name, value in values.items() if not name.startswith(OF_TAGGER)}
        return TaggerOptions(self.tagger, (*self.own, *own), replace(self.training, **rest))
