"""The input of train_tagger.py: settings of training a tagger on features, and files."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, Self

from crosslingua.errors import ConfigError
from crosslingua.io.atomic import file_name
from crosslingua.settings import Count, Dropout, NotNegative, Positive, Whole, read, settings
from crosslingua.tasks.kinds import kind_of, named_options

OF_TAGGER = "tagger."  # what a tagger's own settings begin with


@settings
class TaggerTraining:
    """How a tagger is trained: as laser_taggers' baselines ('Training')."""

    optimiser: Annotated[
        Literal["adam", "one_cycle"],
        "one_cycle: SGD with momentum under the 1cycle policy, which is how the LASER models are trained",
    ] = "adam"
    lr: Annotated[Positive, "of adam; the highest of one_cycle"] = 1e-3
    l2: Annotated[NotNegative, "λ of L2 regularisation: λ w is added to the gradient of a weight w"] = 1e-3
    dropout: Annotated[Dropout, "of word vectors, between the embedder and the tagger"] = 0.25
    epochs: Annotated[Count, "passes over the training data, at most"] = 15
    patience: Annotated[Whole, "rounds of falling validation scores before training stops; 0: never"] = 2
    batch_size: Annotated[Count, "sentences"] = 32
    clip_norm: Annotated[NotNegative, "largest norm of the gradient (Lample et al. 2016: 5); 0: any"] = 5.0
    vector_rate: Annotated[
        NotNegative,
        "of plain SGD that tunes static vectors, for a sentence's gradient (Lample et al. 2016: 0.01); 0: frozen",
    ] = 0.0
    trials: Annotated[Whole, "of Bayesian search of both dropouts and `l2`, before training; 0: none"] = 0
    intents: Annotated[
        bool,
        "true: also learn the intent of each sentence if the training data have intents; on frozen features, "
        "labels do not change",
    ] = False
    score_training: Annotated[bool, "predict the sentences of training too, and report their effect"] = False


@dataclass(frozen=True)
class TaggerOptions:
    """A member of TAGGERS by name, its settings as text, and the settings of its training."""

    tagger: str
    own: tuple[str, ...]
    training: TaggerTraining

    @classmethod
    def of(cls, tagger: str, options: Iterable[str]) -> Self:
        """Sort `name=value` and `tagger.name=value`. Raises ConfigError for unknown or ill-typed settings."""
        options = list(options)
        own = tuple(one.removeprefix(OF_TAGGER) for one in options if one.startswith(OF_TAGGER))
        rest = [one for one in options if not one.startswith(OF_TAGGER)]
        return cls(tagger, own, read(TaggerTraining, "training a tagger", rest))

    def changed(self, values: Mapping[str, float]) -> Self:
        """Return the options with other values, which are named like options."""
        rest = {name: value for name, value in values.items() if not name.startswith(OF_TAGGER)}
        own = [f"{name.removeprefix(OF_TAGGER)}={v}" for name, v in values.items() if name not in rest]
        return TaggerOptions(self.tagger, (*self.own, *own), replace(self.training, **rest))


@dataclass(frozen=True)
class TaggerFiles:
    """(data, features) by name of the set, all of one task; `share` of training sets is 1 by default."""

    task: str
    train: Mapping[str, tuple[str, str]]
    valid: Mapping[str, tuple[str, str]]
    test: Mapping[str, tuple[str, str]]
    share: Mapping[str, float]

    @classmethod
    def parse(
        cls, train: Iterable[str], valid: Iterable[str], test: Iterable[str], share: Iterable[str]
    ) -> Self:
        """Read `TASK/NAME=DATA,FEATURES` and `TASK/NAME=SHARE`. Raises ConfigError for contradictory options."""
        splits = [_values(options, DATA, _paths) for options in (train, valid, test)]
        shares = _values(share, "TASK/NAME=SHARE, e.g. ner/de=0.25", _number)
        tasks = {task for split in splits for task, _ in split}
        if len(tasks) != 1:
            raise ConfigError(
                f"files of several tasks ({', '.join(sorted(tasks))}): a tagger learns one task"
            )
        parts = [{name: value for (_, name), value in split.items()} for split in (*splits, shares)]
        if missing := [name for name in parts[0] if name not in parts[1]]:
            raise ConfigError(f"--valid has no {', '.join(missing)}: validation data select the model")
        if unknown := parts[3].keys() - parts[0].keys():
            raise ConfigError(f"--share {', '.join(sorted(unknown))}: not among the training sets")
        return cls(tasks.pop(), *parts)


DATA = "TASK/NAME=DATA,FEATURES, e.g. ner/en=train.conll,train.safetensors"


def _values(options: Iterable[str], form: str, read: Callable[[str], Any]) -> dict[tuple[str, str], Any]:
    """Return what options `TASK/NAME=VALUE` say, read by `read`."""
    values: dict[tuple[str, str], Any] = {}
    for option, task, name, text in named_options(options, form):
        if not kind_of(task).tagged:
            raise ConfigError(f"{option!r}: {task} is no task of tagging")
        file_name(name, option)
        if (task, name) in values:
            raise ConfigError(f"{task}/{name} is given twice")
        values[task, name] = read(text)
    return values


def _paths(text: str) -> tuple[str, str]:
    data, _, features = text.partition(",")
    if not features:
        raise ConfigError(
            f"{text!r}: write the data and, after a comma, the features that crosslingua embed-words made"
        )
    return data, features


def _number(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = 0.0
    if not 0 < share <= 1:
        raise ConfigError(f"share {text!r}: must be a number, above 0 and at most 1")
    return share
