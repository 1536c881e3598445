"""The encoders of a configuration: pre-training runs, tokenisers, published models, LASER."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from crosslingua.config import place, value_at
from crosslingua.corpora.datasets.registry import PACKAGE, PackageSource, packaged
from crosslingua.encoders.objectives import OBJECTIVES
from crosslingua.encoders.settings import Settings, divided, from_mapping
from crosslingua.errors import ConfigError, check_defined
from crosslingua.io.atomic import file_name
from crosslingua.workflow.checks import check_braces
from crosslingua.workflow.labelled import chosen, of_pair, training_bitext
from crosslingua.workflow.references import check_references
from crosslingua.workflow.sections import EncoderSection, EncodersSection
from crosslingua.workflow.sources import present
from crosslingua.workflow.workflow import Workflow, once, pair_languages

Config = Mapping[str, Any]
LASER = "laser"  # the name of its tokeniser
FORMAT = "laser_checkpoint"  # the registry's name for data sets that hold a published LASER
TRAINING = ("pivots", "bitext", "test", "vocabulary_size", "settings")
SUFFIXES = {"checkpoint": ".pt", "codes": ".fcodes", "vocabulary": ".fvocab"}


class Laser:
    """LASER as a configuration has it: trained here, published, or absent. Open it with `Workflow.stage`."""

    def __init__(self, w: Workflow):
        self.w, self.section = w, w.config.encoders.laser
        self.published = self.section.published if self.section else None
        self.trained = None if self.published else self.section  # the settings of the training here

    def published_files(self) -> dict[str, str]:
        """Return the checkpoint, codes and vocabulary of the published LASER; {} if it is not used."""
        if not self.published:
            return {}
        self._check_name()  # whatever papers there are: rules are made of what this returns
        return {
            part: f"{self.w.data}/{self.published}/{file}"
            for part, suffix in SUFFIXES.items()
            for file in self.w.datasets[self.published].files
            if file.endswith(suffix)
        }

    @cached_property
    def bitext(self) -> list[str]:
        """The training bitext: named bitext, or for `pairs` the first of each that has a pivot."""
        if not self.trained:
            return []
        pivots = set(self.trained.pivots or ())
        sets = (training_bitext(self.w, pair) for pair in self.w.pairs if pivots & set(pair))
        return chosen(self.trained.bitext, [names[0] for names in sets if names])

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages of the training bitext."""
        return tuple(dict.fromkeys(language for pair in self.bitext for language in pair_languages(pair)))

    @cached_property
    def test(self) -> list[str]:
        """The gold alignments for a test: named ones, or for `pairs` the first of each in its languages."""
        if not self.trained:
            return []
        read = set(self.languages)
        sets = (of_pair(self.w, "gold_alignment", pair) for pair in self.w.pairs if set(pair) <= read)
        return chosen(self.trained.test, [names[0] for names in sets if names])

    def check(self) -> None:
        """Raise ConfigError when the section has none or both of the two forms, or names an unknown member."""
        key, laser, sets = "encoders.laser", self.section, self.w.sources.sets
        if self.published:
            # A scale inherits the training of the demo and has to set it to null.
            if training := [name for name in TRAINING if getattr(laser, name) is not None]:
                raise ConfigError(
                    f"{key}: published and {', '.join(training)} are given, but a published LASER is not trained;"
                    f" set {'these' if len(training) > 1 else 'this'} to null, or published"
                )
            self._check_name()
        if not (trained := self.trained):
            return
        if missing := [name for name in ("pivots", "vocabulary_size") if getattr(trained, name) is None]:
            raise ConfigError(
                f"{key}: {', '.join(missing)} null: say how to train it, or name a published LASER"
            )
        if not self.bitext:
            raise ConfigError(
                f"{key}.bitext: there is none, of no pair with a pivot: add bitext to a data sheet"
                " (docs/your-data.md), or set encoders.laser to null"
            )
        check_defined(f"{key}.bitext", self.bitext, sets["bitext"], "bitext")
        check_defined(f"{key}.test", self.test, sets["gold_alignment"], "gold alignments")
        texts = self.w.sources.languages
        check_defined(f"{key}.bitext: languages", self.languages, texts, "the text of languages")
        check_defined(f"{key}.pivots", trained.pivots or (), self.languages, f"{key}.bitext")

    def _check_name(self) -> None:
        legal = [name for name, row in self.w.datasets.items() if row.format == FORMAT]
        check_defined(
            "encoders.laser.published", self.published or (), legal, f"the registry with format {FORMAT}"
        )


MULTILINGUAL = "multilingual"  # the name of the tokeniser that encoders of several languages share


@dataclass(frozen=True)
class Tokeniser:
    """A tokeniser to train, with its languages and settings."""

    languages: tuple[str, ...]
    options: Mapping[str, Any]


@dataclass(frozen=True)
class Run:
    """One encoder to train, for each of `seeds`, by default `encoders.seeds`.

    `tokeniser` is "" where the encoder `init` brings its own. `bitext` are pairs `source-target`; `derived` are pairs
    of a language and a language derived from it, whose texts are parallel. `keys` are those of the sections that give
    `settings`, the most general first.
    """

    objective: tuple[str, ...]
    tokeniser: str
    languages: tuple[str, ...]
    bitext: tuple[str, ...] = ()
    derived: bool = False
    init: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    seeds: tuple[int, ...] = ()
    keys: tuple[str, ...] = ("encoders.settings",)

    @property
    def needs_dictionary(self) -> bool:
        """Whether an objective reads pairs of tokens."""
        return needs(self.objective, "dictionary")


def needs(objective: Sequence[str], what: str) -> bool:
    """Whether one of the objectives reads `bitext`, or a `dictionary`."""
    return any(what in OBJECTIVES.needs(name) for name in objective)


def members(w: Workflow) -> dict[str, EncoderSection]:
    """Return the encoders of several languages that a scale has."""
    return present(w.config.encoders.multilingual.members)


@once
def runs(w: Workflow) -> dict[str, Run]:
    """Return every encoder that is trained here, by name: multilingual encoders, and encoders of papers."""
    trained = dict(_multilingual_runs(w))
    for paper in w.papers:
        trained |= w.paper(paper).encoders()
    return trained


@once
def tokenisers(w: Workflow) -> dict[str, Tokeniser]:
    """Return every tokeniser that the runs need, by name."""
    size = w.config.encoders.multilingual.vocabulary_size
    needed = {MULTILINGUAL: Tokeniser(tuple(languages(w)), {"vocabulary_size": size})}
    if (laser := w.stage(Laser)).trained:
        options = {
            "vocabulary_size": laser.trained.vocabulary_size,
            "lowercase": True,
        }  # as the published one
        needed[LASER] = Tokeniser(laser.languages, options)
    for paper in w.papers:
        needed |= w.paper(paper).tokenisers()
    return needed


def languages(w: Workflow) -> list[str]:
    """Return the languages of the multilingual encoders: named, or of the pairs."""
    named = w.config.encoders.multilingual.languages
    return named or list(dict.fromkeys(language for pair in w.pairs for language in pair))


@once
def bitext(w: Workflow) -> list[str]:
    """Return the bitext of the multilingual encoders: named bitext, or the first of each pair.

    Where the pairs give the languages, named bitext of others is left out.
    """
    section = w.config.encoders.multilingual
    if (named := section.bitext) is None:
        return [names[0] for names in (training_bitext(w, pair) for pair in w.pairs) if names]
    return named if section.languages else [one for one in named if {*pair_languages(one)} <= {*languages(w)}]


def merged_settings(*settings: Config | None) -> dict[str, Any]:
    """Return the merged settings of sections, where later ones override; null removes a setting."""
    return present({name: value for own in settings for name, value in (own or {}).items()})


def is_fetched(member: EncoderSection) -> bool:
    """Whether an encoder is `pretrained` and from the hub or a package, not from a local folder `owner/name`."""
    name = member.pretrained or ""
    if name.startswith(PACKAGE):
        return True
    named_so = bool(name) and not name.startswith((".", "/")) and name.count("/") == 1
    return named_so and not Path(name).is_dir()


def published_folder(member: EncoderSection) -> str:
    """Return the folder of a fetched model: `owner--name`, with its revision if named, or `package--version--file`."""
    name = member.pretrained or ""
    if name.startswith(PACKAGE):
        source = PackageSource.of(name.removeprefix(PACKAGE))
        packaged(source)  # without a checksum it is refused now
        told = (*source.requirement.split("=="), Path(source.path).stem)
    else:
        told = (name, *([member.revision] if member.revision else []))
    return file_name("--".join(told).replace("/", "--"), "pretrained, revision")


def published(w: Workflow) -> dict[str, dict[str, Any]]:
    """Return the models that are fetched by folder, as options of fetch_encoder.py."""
    kept = {"data_dir": w.data}
    return {
        published_folder(member): {"name": member.pretrained, "revision": member.revision}
        | (kept if (member.pretrained or "").startswith(PACKAGE) else {})
        for member in members(w).values()
        if is_fetched(member)
    }


def packaged_files(w: Workflow, folders: Iterable[str]) -> list[tuple[str, str]]:
    """Return the (data set, file) of the encoders among `folders`, of `published`, that packages carry."""
    named = (published(w)[folder]["name"] for folder in folders)
    sources = (name.removeprefix(PACKAGE) for name in named if name.startswith(PACKAGE))
    return [(row.name, file) for row, file in (packaged(PackageSource.of(source)) for source in sources)]


def pruned(w: Workflow) -> list[str]:
    """Return the members that are published and keep only the pieces that the scale's data use."""
    is_pruned = w.config.encoders.multilingual.pruned
    return [name for name, one in members(w).items() if is_pruned and one.pretrained]


@once
def _multilingual_runs(w: Workflow) -> dict[str, Run]:
    key, encoders, every = "encoders.multilingual", w.config.encoders, members(w)
    return {
        name: Run(
            objective=tuple(member.objective or ()),
            # A published encoder brings its tokeniser.
            tokeniser="" if every[begun_with(name, every)[-1]].pretrained else MULTILINGUAL,
            languages=tuple(languages(w)),
            bitext=tuple(bitext(w)) if needs(member.objective or (), "bitext") else (),
            init=member.init or "",
            settings=merged_settings(encoders.settings, encoders.multilingual.settings, member.settings),
            keys=("encoders.settings", f"{key}.settings", f"{key}.members.{name}.settings"),
        )
        for name, member in every.items()
        if not member.pretrained
    }


def begun_with(name: str, every: Mapping[str, EncoderSection]) -> list[str]:
    """Return an encoder and those that its training starts from, in turn. Raises ConfigError where they repeat."""
    seen = [name]
    while (member := every.get(seen[-1])) and member.init and not member.pretrained:
        seen.append(member.init)
        if member.init in seen[:-1]:
            raise ConfigError(f"encoders.multilingual.members: {' starts from '.join(seen)}: a circle")
    return seen


def stand_ins(w: Workflow) -> dict[str, str]:
    """Return the members that stand for encoders which statements name."""
    return present(w.config.encoders.multilingual.stand_ins)


def check_encoders(w: Workflow) -> None:
    """Raise ConfigError when `encoders` names an unknown language, pair, ..."""
    key, every = "encoders.multilingual", members(w)
    check_references(w, EncodersSection, w.written["encoders"], "encoders")
    for pair in bitext(w):
        check_defined(f"{key}.bitext: {pair}", pair_languages(pair), languages(w), f"{key}.languages")
    for name in every:
        begun_with(name, every)
    for name in stand_ins(w).keys() & every:
        raise ConfigError(f"{key}.stand_ins.{name}: {name} is itself one of {key}.members")
    w.stage(Laser).check()


def check_bitext(w: Workflow, key: str, names: Iterable[str]) -> None:
    """Raise ConfigError for an encoder at `key` that learns from bitext, where there is none."""
    trained = _multilingual_runs(w)
    for name in names:
        runs_before = (trained[one] for one in begun_with(name, members(w)) if one in trained)
        if any(needs(run.objective, "bitext") and not run.bitext for run in runs_before):
            raise ConfigError(
                f"{key}: {name} is trained on parallel text, and there is none: add bitext of `pairs` to a data"
                " sheet (docs/your-data.md), or leave that encoder out"
            )


def check_layers(w: Workflow, key: str, name: str, layers: Iterable[int]) -> None:
    """Raise ConfigError for a layer at `key` that a member which is trained here lacks; 0 are the embeddings."""
    first = begun_with(name, members(w))[-1]
    if run := _multilingual_runs(w).get(first):
        most = _settings_of(w, first, run).layers
        if beyond := [layer for layer in layers if layer > most]:
            raise ConfigError(f"{key}: {name} has {most} layers, and no layer {beyond[0]}: name 0 to {most}")


def check_settings(w: Workflow) -> None:
    """Raise ConfigError for an encoder with contradictory settings, or with braces in its path."""
    for name, member in members(w).items():
        check_braces(f"encoders.multilingual.members.{name}.pretrained", member.pretrained or "")
    for name, run in runs(w).items():
        _settings_of(w, name, run)


def _settings_of(w: Workflow, name: str, run: Run) -> Settings:
    """Return the settings of a training. An error says where they are given: in the last section with that value."""
    try:
        return from_mapping(divided(run.settings)[0])
    except ConfigError as error:
        told = [(str(error).find(f"{one} {value}"), one) for one, value in run.settings.items()]
        keys = []
        for setting in [one for at, one in sorted(told) if at >= 0]:
            every = [f"{key}.{setting}" for key in reversed(run.keys)]
            giving = [key for key in every if value_at(w.written, key.split(".")) == run.settings[setting]]
            keys += [*giving, run.keys[-1]][:1]
        places = [f"{place(key.split('.'), w.written, w.files)}{key}" for key in keys or run.keys[-1:]]
        raise ConfigError(f"{', '.join(places)}: encoder {name}: {error}") from None


def multilingual_origins(w: Workflow, names: Iterable[str]) -> str:
    """Say what the named encoders of several languages are: `xlmr: FacebookAI/xlm-roberta-base.`"""
    beside = {member: f"; beside the papers' figures of {name}" for name, member in stand_ins(w).items()}
    trained, told = runs(w), []
    for name in names:
        if name in trained:
            text = origin(trained[name])
        else:
            member = members(w)[name]
            text = "@".join(filter(None, (member.pretrained, member.revision)))
        pieces = ", with the pieces that the data use alone" if name in pruned(w) else ""
        told.append(f"{name}: {text}{pieces}{beside.get(name, '')}.")
    return " ".join(dict.fromkeys(told))


def told_apart(encoders: Mapping[str, Run]) -> str:
    """Return a sentence on how encoders were trained, by system where trainings differ."""
    origins: dict[str, list[str]] = {}
    for name, run in encoders.items():
        origins.setdefault(origin(run), []).append(name)
    if len(origins) == 1:
        return f"Encoders: {next(iter(origins))}."
    return " ".join(f"{', '.join(names)}: {text}." for text, names in origins.items())


def origin(run: Run) -> str:
    """Return how a run trains: its initial encoder or size, and its length."""
    s = from_mapping(divided(run.settings)[0])
    begin = f"continued from {run.init}" if run.init else f"{s.layers} layers of {s.hidden} dimensions"
    return f"trained here ({begin}, {s.steps:,} steps of {s.batch_size:,} {s.batch_unit})"
