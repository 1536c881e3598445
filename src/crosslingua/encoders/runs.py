"""The pre-training runs that a configuration asks for: encoders of several languages, and align_mlm's pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from crosslingua.catalogue import pair_languages
from crosslingua.corpora.datasets.registry import DataSet
from crosslingua.encoders.laser.chosen import check_laser, laser_languages, trained_laser
from crosslingua.errors import ConfigError
from crosslingua.names import check_defined

Config = Mapping[str, Any]
WITH_DICTIONARY = ("dict_mlm", "align_mlm")
WITH_BITEXT = ("tlm", "dwa")
MULTILINGUAL = "multilingual"  # the name of the tokeniser that encoders of several languages share
LASER = "laser"  # of LASER's tokeniser


@dataclass(frozen=True)
class Run:
    """One encoder to train, for every seed.

    `tokeniser` is "" where `init`, another encoder's name or "", brings its own. `bitext` are pairs `source-target`;
    `derived`: of a language and one made of it, whose texts are parallel line by line.
    """

    objective: tuple[str, ...]
    tokeniser: str
    languages: tuple[str, ...]
    bitext: tuple[str, ...] = ()
    derived: bool = False
    dictionary: bool = False
    init: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Tokeniser:
    """A tokeniser to train: on the text of which languages, and how."""

    languages: tuple[str, ...]
    options: Mapping[str, Any]


def is_on_hub(member: Config) -> bool:
    """Whether an encoder is `pretrained` and named as the model hub names it, rather than by a path."""
    name = member.get("pretrained", "")
    return bool(name) and not name.startswith((".", "/")) and name.count("/") == 1


def hub_folder(member: Config) -> str:
    """Return the name of the folder that a model of the hub is kept in: `owner--name`, with its revision if named."""
    parts = [*member["pretrained"].split("/"), *([member["revision"]] if "revision" in member else [])]
    return "--".join(parts)


def present(members: Config) -> dict[str, Any]:
    """Return the members that a scale has not taken out by setting them to null."""
    return {name: member for name, member in members.items() if member is not None}


def multilingual_runs(config: Config) -> dict[str, Run]:
    """Return the encoders of several languages that are trained here, by name."""
    section = config["encoders"]["multilingual"]
    return {
        name: Run(
            objective=tuple(member["objective"]),
            tokeniser="" if _begins_with_published(name, section["members"]) else MULTILINGUAL,
            languages=tuple(section["languages"]),
            bitext=tuple(section["bitext"]) if _any(member["objective"], WITH_BITEXT) else (),
            init=member.get("init", ""),
            settings=_merged(config["encoders"], section, member),
        )
        for name, member in present(section["members"]).items()
        if "pretrained" not in member
    }


def _begins_with_published(name: str, members: Config) -> bool:
    """Whether training goes on from a published encoder, which brings its tokeniser."""
    while "init" in members[name] and "pretrained" not in members[name]:
        name = members[name]["init"]
    return "pretrained" in members[name]


def align_mlm_runs(config: Config) -> dict[str, Run]:
    """Return align_mlm's encoders by name, `system.transformation`; those of its ablations too."""
    return {cell.encoder: _pair_run(config, cell) for cell in cells_of(config)}


@dataclass(frozen=True)
class Cell:
    """A system on a transformation: of the main table, or of an ablation that changes one thing."""

    system: str
    transformation: str
    language: str
    objective: tuple[str, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    changed: str = ""  # e.g. parallel_100: the ablation's factor and its value in percent

    @property
    def name(self) -> str:
        """The system with what was changed: `xlm`, `xlm_parallel_100`."""
        return f"{self.system}_{self.changed}" if self.changed else self.system

    @property
    def encoder(self) -> str:
        """The name of its encoder."""
        return f"{self.name}.{self.transformation}"


Cells = Mapping[tuple[str, str], Cell]


def cells_of(config: Config) -> list[Cell]:
    """Return every cell of align_mlm's tables."""
    return [*main_cells(config["align_mlm"]), *ablation_cells(config)]


def main_cells(section: Config) -> list[Cell]:
    """Return table 3: every system on every transformation."""
    return [
        Cell(system, transformation, language, tuple(choice["objective"]), choice.get("settings", {}))
        for system, choice in present(section["systems"]).items()
        for transformation, language in present(section["transformations"]).items()
    ]


def ablation_cells(config: Config) -> list[Cell]:
    """Return what tables 1, 2, 5 and 7 change: parallel data, size of the dictionary, overlap of vocabularies."""
    section = config["align_mlm"]
    cells = {(cell.system, cell.transformation): cell for cell in main_cells(section)}
    makers = {"parallel": _parallel, "dictionary": _dictionary, "overlap": _overlap}
    ablations = present(section["ablations"])
    return [cell for name, ablation in ablations.items() for cell in makers[name](config, cells, ablation)]


def ablation_tables(section: Config) -> list[str]:
    """Return the tables that the ablations of a scale fill."""
    ablations = present(section["ablations"])
    tables = {"parallel": ["table1"], "dictionary": ["table2", "table5"], "overlap": ["table7"]}
    wanted = {"table2": "trans_inv", "table5": "trans_syn"}
    transformations = ablations.get("dictionary", {}).get("transformations", [])
    return [
        table
        for name in ablations
        for table in tables[name]
        if table not in wanted or wanted[table] in transformations
    ]


def tasks_of(section: Config) -> dict[str, dict[str, Any]]:
    """Return the settings of every task that the encoders are fine-tuned on; null leaves a task out."""
    return present(section["tasks"])


def _parallel(config: Config, cells: Cells, ablation: Config) -> list[Cell]:
    base = cells[ablation["system"], ablation["transformation"]]
    return [_changed(base, "parallel", share) for share in ablation["shares"]]


def _dictionary(config: Config, cells: Cells, ablation: Config) -> list[Cell]:
    return [
        _changed(cells[system, transformation], "dictionary", share)
        for system in ablation["systems"]
        for transformation in ablation["transformations"]
        for share in ablation["shares"]
    ]


def _overlap(config: Config, cells: Cells, ablation: Config) -> list[Cell]:
    base = cells[ablation["system"], ablation["transformation"]]
    return [
        replace(base, language=language, changed=f"overlap_{round(100 * overlap_of(config, language))}")
        for language in ablation["languages"]
    ]


def _changed(cell: Cell, factor: str, share: float) -> Cell:
    settings = {**cell.settings, f"{factor}_share": share}
    return replace(cell, settings=settings, changed=f"{factor}_{round(100 * share)}")


def _pair_run(config: Config, cell: Cell) -> Run:
    section = config["align_mlm"]
    pair = (section["natural"], cell.language)
    return Run(
        objective=cell.objective,
        tokeniser=tokeniser_of(config, cell.language),
        languages=pair,
        bitext=("-".join(pair),) if _any(cell.objective, WITH_BITEXT) else (),
        derived=True,
        dictionary=_any(cell.objective, WITH_DICTIONARY),
        settings=_merged(config["encoders"], section, {"settings": cell.settings}),
    )


def tokeniser_of(config: Config, language: str) -> str:
    """Return the name of the tokeniser of a derived language: its parent's, copied; one for each overlap."""
    return f"{config['align_mlm']['natural']}_copied_{round(100 * overlap_of(config, language))}"


def overlap_of(config: Config, language: str) -> float:
    """Return the share of the vocabulary that a derived language keeps."""
    return config["languages"][language].get("overlap", config["tasks"]["derived"]["overlap"])


def tokenisers(config: Config) -> dict[str, Tokeniser]:
    """Return every tokeniser that the runs need, by name."""
    section, encoders = config["align_mlm"], config["encoders"]["multilingual"]
    result = {
        MULTILINGUAL: Tokeniser(
            tuple(encoders["languages"]), {"vocabulary_size": encoders["vocabulary_size"]}
        )
    }
    if laser := trained_laser(config):
        result[LASER] = Tokeniser(laser_languages(laser), {"vocabulary_size": laser["vocabulary_size"]})
    derived = config["tasks"]["derived"]
    for run in align_mlm_runs(config).values():
        result[run.tokeniser] = Tokeniser(
            (section["natural"],),
            {"vocabulary_size": section["vocabulary_size"], "transliterate": True, "seed": derived["seed"],
             "script": derived["script"], "overlap": overlap_of(config, run.languages[1])},
        )  # fmt: skip
    return result


def _merged(*sections: Config) -> dict[str, Any]:
    """Return the settings of the sections, later ones first in force; null is none."""
    return {name: value for section in sections for name, value in (section.get("settings") or {}).items()}


def check_encoders(config: Config, datasets: Mapping[str, DataSet]) -> None:
    """Raise ConfigError when `encoders` or `align_mlm` names a language, pair, ... that is not there."""
    section, pairs = config["encoders"]["multilingual"], config["tasks"]["bitext"]["sources"]
    members = present(section["members"])
    check_defined("encoders.multilingual.languages", section["languages"], config["languages"], "languages")
    check_defined("encoders.multilingual.bitext", section["bitext"], pairs, "tasks.bitext.sources")
    for pair in section["bitext"]:
        key = "encoders.multilingual"
        check_defined(f"{key}.bitext: {pair}", pair_languages(pair), section["languages"], f"{key}.languages")
    for name, member in members.items():
        if "init" in member:
            key = "encoders.multilingual.members"
            check_defined(f"{key}.{name}.init", member["init"], members, key)
            _check_chain(name, members)
    check_laser(config, datasets)
    _check_align_mlm(config)


def _check_chain(name: str, members: Config) -> None:
    seen = [name]
    while "init" in members[seen[-1]]:
        seen.append(members[seen[-1]]["init"])
        if seen[-1] in seen[:-1]:
            raise ConfigError(f"encoders.multilingual.members: {' starts from '.join(seen)}: a circle")


def _check_align_mlm(config: Config) -> None:
    section = config["align_mlm"]
    systems, transformations = present(section["systems"]), present(section["transformations"])
    ablations = present(section["ablations"])
    languages = [*transformations.values(), *ablations.get("overlap", {"languages": []})["languages"]]
    check_defined("align_mlm.natural", section["natural"], config["languages"], "languages")
    check_defined("align_mlm: derived languages", languages, config["languages"], "languages")
    for language in languages:
        if config["languages"][language].get("derived_from") != section["natural"]:
            raise ConfigError(
                f"align_mlm: {language!r} is not derived from {section['natural']!r} (languages)"
            )
    for task in present(section["tasks"]):
        names, sources = [section["natural"], *languages], config["tasks"][task]["sources"]
        check_defined(f"align_mlm.tasks.{task}", names, sources, f"tasks.{task}.sources")
    for kind, known in (("system", systems), ("transformation", transformations)):
        for name, ablation in ablations.items():
            named = ablation.get(f"{kind}s", [ablation.get(kind)])
            check_defined(f"align_mlm.ablations.{name}.{kind}", named, known, f"align_mlm.{kind}s")


def _any(objective: tuple[str, ...] | list[str], names: tuple[str, ...]) -> bool:
    return any(name in names for name in objective)
