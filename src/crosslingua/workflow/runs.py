"""The encoders of a configuration: pre-training runs, tokenisers, published models, LASER."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
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
from crosslingua.workflow.sections import EncoderSection, LaserSection
from crosslingua.workflow.sources import present
from crosslingua.workflow.workflow import Workflow, once, pair_languages

Config = Mapping[str, Any]
LASER = "laser"  # the name of its tokeniser
FORMAT = "laser_checkpoint"  # the registry's name for data sets that hold a published LASER
TRAINING = ("pivots", "bitext", "test", "vocabulary_size", "settings")
SUFFIXES = {"checkpoint": ".pt", "codes": ".fcodes", "vocabulary": ".fvocab"}


def trained_laser(w: Workflow) -> LaserSection | None:
    """Return the settings of LASER's training; None if LASER is published or absent."""
    laser = w.config.encoders.laser
    return None if laser is None or laser.published else laser


def published_laser(w: Workflow) -> dict[str, str]:
    """Return the checkpoint, codes and vocabulary of the published LASER; {} if it is not used."""
    laser = w.config.encoders.laser
    if laser is None or not laser.published:
        return {}
    name = laser.published
    _check_name(w, name)  # whatever papers there are: rules are made of what this returns
    return {
        part: f"{w.data}/{name}/{file}"
        for part, suffix in SUFFIXES.items()
        for file in w.datasets[name].files
        if file.endswith(suffix)
    }


def names_if(taken: LaserSection | None) -> list[str]:
    """Return LASER's name, if a configuration has LASER."""
    return [LASER] if taken else []


def laser_bitext(w: Workflow) -> list[str]:
    """Return the training bitext of LASER: named bitext, or for `pairs` the first of each that has a pivot."""
    if not (laser := trained_laser(w)):
        return []
    pivots = set(laser.pivots or ())
    sets = (training_bitext(w, pair) for pair in w.pairs if pivots & set(pair))
    return chosen(laser.bitext, _firsts(sets))


def laser_test(w: Workflow) -> list[str]:
    """Return the gold alignments that test LASER: named ones, or for `pairs` the first of each in its languages."""
    if not (laser := trained_laser(w)):
        return []
    read = set(laser_languages(w))
    sets = (of_pair(w, "gold_alignment", pair) for pair in w.pairs if set(pair) <= read)
    return chosen(laser.test, _firsts(sets))


def _firsts(lists: Iterable[list[str]]) -> list[str]:
    return [names[0] for names in lists if names]


def laser_languages(w: Workflow) -> tuple[str, ...]:
    """Return the languages of the bitext that LASER is trained on."""
    return tuple(dict.fromkeys(language for pair in laser_bitext(w) for language in pair_languages(pair)))


def check_laser(w: Workflow) -> None:
    """Raise ConfigError when `encoders.laser` has none or both of the two forms, or names an unknown member."""
    laser = w.config.encoders.laser
    if laser is None:
        return
    if not laser.published:
        _check_training(w, laser)
        return
    # A scale inherits the training of the demo and has to set it to null.
    if training := [key for key in TRAINING if getattr(laser, key) is not None]:
        raise ConfigError(
            f"encoders.laser: published and {', '.join(training)} are given, but a published LASER is not trained;"
            f" set {'these' if len(training) > 1 else 'this'} to null, or published"
        )
    _check_name(w, laser.published)


def _check_name(w: Workflow, name: str) -> None:
    legal = [name for name, row in w.datasets.items() if row.format == FORMAT]
    check_defined("encoders.laser.published", name, legal, f"the registry with format {FORMAT}")


def _check_training(w: Workflow, laser: LaserSection) -> None:
    if missing := [key for key in ("pivots", "vocabulary_size") if getattr(laser, key) is None]:
        raise ConfigError(
            f"encoders.laser: {', '.join(missing)} null: say how to train it, or name a published LASER"
        )
    if not laser_bitext(w):
        raise ConfigError(
            "encoders.laser.bitext: there is none, of no pair with a pivot: add bitext to a data sheet"
            " (docs/your-data.md), or set encoders.laser to null"
        )
    languages = laser_languages(w)
    check_defined("encoders.laser.bitext", laser_bitext(w), w.sources.sets["bitext"], "bitext")
    check_defined("encoders.laser.test", laser_test(w), w.sources.sets["gold_alignment"], "gold alignments")
    check_defined("encoders.laser.bitext: languages", languages, w.sources.languages, "the text of languages")
    check_defined("encoders.laser.pivots", laser.pivots, languages, "encoders.laser.bitext")


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


def needs(objective: tuple[str, ...] | list[str], what: str) -> bool:
    """Whether one of the objectives reads `bitext`, or a `dictionary`."""
    return any(what in OBJECTIVES.needs(name) for name in objective)


def members(w: Workflow) -> dict[str, EncoderSection]:
    """Return the encoders of several languages that a scale has."""
    return present(w.config.encoders.multilingual.members)


@once
def runs(w: Workflow) -> dict[str, Run]:
    """Return every encoder that is trained here, by name: multilingual encoders, and encoders of papers."""
    trained = _multilingual_runs(w)
    for paper in w.papers:
        trained |= w.paper(paper).encoders()
    return trained


@once
def tokenisers(w: Workflow) -> dict[str, Tokeniser]:
    """Return every tokeniser that the runs need, by name."""
    size = w.config.encoders.multilingual.vocabulary_size
    needed = {MULTILINGUAL: Tokeniser(tuple(languages(w)), {"vocabulary_size": size})}
    if laser := trained_laser(w):
        options = {"vocabulary_size": laser.vocabulary_size, "lowercase": True}  # as the published one
        needed[LASER] = Tokeniser(laser_languages(w), options)
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
        return _firsts(training_bitext(w, pair) for pair in w.pairs)
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
    name = member.pretrained
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
        | (kept if member.pretrained.startswith(PACKAGE) else {})
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


def _multilingual_runs(w: Workflow) -> dict[str, Run]:
    key, encoders = "encoders.multilingual", w.config.encoders
    return {
        name: Run(
            objective=tuple(member.objective),
            tokeniser="" if _begins_with_published(name, members(w)) else MULTILINGUAL,
            languages=tuple(languages(w)),
            bitext=tuple(bitext(w)) if needs(member.objective, "bitext") else (),
            init=member.init or "",
            settings=merged_settings(encoders.settings, encoders.multilingual.settings, member.settings),
            keys=("encoders.settings", f"{key}.settings", f"{key}.members.{name}.settings"),
        )
        for name, member in members(w).items()
        if not member.pretrained
    }


def _begins_with_published(name: str, every: Mapping[str, EncoderSection]) -> bool:
    """Whether training starts from a published encoder, which brings its tokeniser."""
    while (member := every[name]).init and not member.pretrained:
        name = member.init
    return bool(member.pretrained)


def check_encoders(w: Workflow) -> None:
    """Raise ConfigError when `encoders` names an unknown language, pair, ..."""
    key, every = "encoders.multilingual", members(w)
    check_defined(f"{key}.languages", languages(w), w.sources.languages, "the text of languages")
    named = w.config.encoders.multilingual.bitext or []
    check_defined(f"{key}.bitext", [*named, *bitext(w)], w.sources.sets["bitext"], "bitext")
    for pair in bitext(w):
        check_defined(f"{key}.bitext: {pair}", pair_languages(pair), languages(w), f"{key}.languages")
    for name, member in every.items():
        check_defined(f"{key}.members.{name}.objective", member.objective or (), OBJECTIVES, "the objectives")
        if member.init:
            check_defined(f"{key}.members.{name}.init", member.init, every, f"{key}.members")
            _check_chain(name, every)
    for name, member in stand_ins(w).items():
        check_defined(f"{key}.stand_ins.{name}", member, every, f"{key}.members")
        if name in every:
            raise ConfigError(f"{key}.stand_ins.{name}: {name} is itself one of {key}.members")
    check_laser(w)


def stand_ins(w: Workflow) -> dict[str, str]:
    """Return the members that stand for encoders which statements name."""
    given = w.config.encoders.multilingual.stand_ins
    return {name: member for name, member in given.items() if member}


def check_bitext(w: Workflow, key: str, names: Iterable[str]) -> None:
    """Raise ConfigError for an encoder at `key` that learns from bitext, where there is none."""
    trained = _multilingual_runs(w)
    for name in names:
        encoder = name
        while run := trained.get(encoder):
            if needs(run.objective, "bitext") and not run.bitext:
                raise ConfigError(
                    f"{key}: {name} is trained on parallel text, and there is none: add bitext of `pairs` to a data"
                    " sheet (docs/your-data.md), or leave that encoder out"
                )
            encoder = run.init


def _check_chain(name: str, every: Mapping[str, EncoderSection]) -> None:
    seen = [name]
    while begun := every[seen[-1]].init:
        seen.append(begun)
        if seen[-1] in seen[:-1]:
            raise ConfigError(f"encoders.multilingual.members: {' starts from '.join(seen)}: a circle")


def multilingual_origins(w: Workflow, names: Iterable[str]) -> str:
    """Say what the named encoders of several languages are: `xlmr: FacebookAI/xlm-roberta-base.`"""
    trained, every = runs(w), members(w)
    pieces = dict.fromkeys(pruned(w), ", with the pieces that the data use alone")
    origins = {
        name: origin(trained[name]) if name in trained else _published(every[name]) + pieces.get(name, "")
        for name in names
    }
    beside = {member: f"; beside the papers' figures of {name}" for name, member in stand_ins(w).items()}
    return " ".join(f"{name}: {text}{beside.get(name, '')}." for name, text in origins.items())


def _published(member: EncoderSection) -> str:
    return "@".join(filter(None, (member.pretrained, member.revision)))


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


def check_settings(w: Workflow) -> None:
    """Raise ConfigError for an encoder with contradictory settings, or with braces in its path."""
    for name, member in members(w).items():
        check_braces(f"encoders.multilingual.members.{name}.pretrained", member.pretrained or "")
    for name, run in runs(w).items():
        _settings_of(w, name, run)


def _settings_of(w: Workflow, name: str, run: Run) -> Settings:
    try:
        return from_mapping(divided(run.settings)[0])
    except ConfigError as error:
        told = [(str(error).find(f"{one} {value}"), one) for one, value in run.settings.items()]
        keys = [_key_of(w, run, one) for at, one in sorted(told) if at >= 0] or [run.keys[-1]]
        places = [f"{place(key.split('.'), w.written, w.files)}{key}" for key in keys]
        raise ConfigError(f"{', '.join(places)}: encoder {name}: {error}") from None


def _key_of(w: Workflow, run: Run, setting: str) -> str:
    """Return the key of the last section that gives the setting this value, of the last section if none does."""
    every = [f"{key}.{setting}" for key in reversed(run.keys)]
    told = run.settings[setting]
    return next((key for key in every if value_at(w.written, key.split(".")) == told), run.keys[-1])


def check_layers(w: Workflow, key: str, name: str, layers: Iterable[int]) -> None:
    """Raise ConfigError for a layer at `key` that a member which is trained here lacks; 0 are the embeddings."""
    trained, first = _multilingual_runs(w), name
    while first in trained and trained[first].init:
        first = trained[first].init
    if first in trained:
        most = _settings_of(w, first, trained[first]).layers
        if beyond := [layer for layer in layers if layer > most]:
            raise ConfigError(f"{key}: {name} has {most} layers, and no layer {beyond[0]}: name 0 to {most}")
