"""The configuration, checked by its types (of each paper's section too), and in the names that it uses."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import create_model

from crosslingua import paper_folders
from crosslingua.config import MISSING, at_their_place, merged, place, value_at
from crosslingua.corpora.datasets.registry import REGISTRY, DataSet, load_registry
from crosslingua.errors import ConfigError, check_defined, check_given, did_you_mean
from crosslingua.io.json import read_yaml
from crosslingua.settings import ELSEWHERE, today
from crosslingua.workflow.checks import check_sources
from crosslingua.workflow.mistakes import check, from_text
from crosslingua.workflow.references import check_references
from crosslingua.workflow.runs import check_bitext, check_settings
from crosslingua.workflow.sections import MEMBERS, Configuration, VectorsSection, inner_types, map_of
from crosslingua.workflow.sources import find_sources
from crosslingua.workflow.workflow import VECTORS, Workflow

# A null takes a member out of a map, such as a system. The member must exist, or a misspelt name would go unnoticed.
Config = Mapping[str, Any]


def check_taken_out(config: Config, files: Sequence[str | Path], kind: type) -> None:
    """Raise ConfigError for a null whose name is in none of the files before; `config`: what they and --config give."""
    before: Config = {}
    for file, own in [*((str(one), read_yaml(one)) for one in files), ("--config", config)]:
        _check(file, own, before, kind, ())
        before = merged(before, own)


def _check(place: str, own: Config, before: Config, kind: Any, way: tuple[str, ...]) -> None:
    """Check a map and the maps in it. Names that a user chooses have a form of their own; other nulls are values."""
    kind, _ = map_of(kind)
    chosen = get_origin(kind) is dict and get_args(kind)[0] is not str
    for name, value in own.items():
        if value is None and name not in before and chosen:
            raise ConfigError(
                f"{place}: {'.'.join((*way, name))}: null removes a key, and there is no {name!r}"
                f" ({', '.join(before) or 'nothing is'}){did_you_mean(name, before)}"
            )
        if isinstance(value, Mapping) and isinstance(before.get(name), Mapping):
            _check(place, value, before[name], inner_types(kind, [name]).get(name), (*way, name))


OWN = "own"  # the scale that is there to be made one's own


def open_workflow(config: Config, files: Sequence[str | Path] = ()) -> Workflow:
    """Return the workflow of a configuration that was read from `files`, the defaults first.
    Members of a map stand in the order of the defaults. Raises ConfigError or InputError where it is invalid.
    """
    whole = whole_type()
    config = of_today(at_their_place(config, files))
    with placed(config, files):
        check_values(config)
        config = from_text(config, whole)
        check_values(config)  # text can spell NaN as well
    # Defaults of dictionaries stand beside the user's.
    own = config.get("dictionaries")
    if own is None or isinstance(own, Mapping):
        defaults = (read_yaml(files[0]).get("dictionaries") if files else None) or {}
        config = {**config, "dictionaries": {**defaults, **(own or {})}}
    check(config, whole, files)
    if files:
        check_scale(config, files)
        check_taken_out(config, files, whole)
        config = in_order(config, read_yaml(files[0]))
    with placed(config, files):
        check_defined("papers", config["papers"], paper_folders.names(), "the papers")
        for paper in config["papers"]:
            if paper in whole.model_fields:
                check_given(
                    f"papers: {paper}", config, paper, "the section of the paper's name configures it"
                )
        typed = Configuration.from_values(config)
        workflow = Workflow(config, typed, find_sources(typed), _registry(), tuple(map(str, files)))
        check_sources(workflow)
        # Encoders are checked where a paper reads them: the defaults need not fit other data.
        check_references(workflow, Configuration, {**config, "encoders": None}, "")
        # Other papers read these keys too.
        systems = {key: config[VECTORS][key] for key in ("systems", "search")}
        check_references(workflow, VectorsSection, systems, VECTORS)
        check_papers(workflow)
        check_settings(workflow)
    return workflow


def check_papers(w: Workflow) -> None:
    """Raise ConfigError when a paper's section names what is not there, or cannot be used."""
    papers, read = [w.paper(name) for name in w.papers], []
    for stage in dict.fromkeys(stage for paper in papers for stage in paper.stages()):
        stage(w)
    for paper in papers:
        values = {key: own for key, own in w.written.get(paper.name, {}).items() if key not in paper.unread()}
        read += check_references(w, type(paper.section), values, paper.name)
    for paper in papers:
        paper.check()
    for key, name, mark in read:
        if mark.where == MEMBERS and not mark.taken_out:
            check_bitext(w, key, [name])


def of_today(config: Any) -> Any:
    """Return a configuration whose settings have the suite's names; another program's name overrides a default."""
    if not isinstance(config, Mapping):
        return config
    every = {name: of_today(value) for name, value in config.items()}
    for other in ELSEWHERE.keys() & every:
        every[today(other)] = every.pop(other)
    return every


@contextmanager
def placed(config: Config, files: Sequence[str | Path]) -> Iterator[None]:
    """Say the file and the line of the key that a ConfigError begins with."""
    try:
        yield
    except ConfigError as error:
        found = re.match(r"([\w.-]*)(?:: (\w+)(?=:))?", str(error))
        keys, inner = found.groups("") if found else ("", "")
        way = keys.split(".")
        way += [inner] if value_at(config, [*way, inner]) is not MISSING else []
        raise ConfigError(f"{place(way, config, files) if way[0] in config else ''}{error}") from None


def in_order(members: Config, defaults: Config) -> dict[str, Any]:
    """Return `members` in the order of `defaults`, new ones last, at every depth. Tables show systems in this order."""
    names = [*(name for name in defaults if name in members), *(n for n in members if n not in defaults)]
    both = {name: (members[name], defaults.get(name)) for name in names}
    return {
        name: in_order(own, default) if isinstance(own, dict) and isinstance(default, dict) else own
        for name, (own, default) in both.items()
    }


@cache
def _registry() -> dict[str, DataSet]:
    """The table of data sets, which takes longer to read than all else."""
    found = load_registry()
    for row in found.values():  # a row may name a paper that is not there, since families know of no paper
        papers = [use.partition(" ")[0] for use in row.used_by]
        check_defined(f"{REGISTRY.name}: {row.name}.used_by", papers, paper_folders.names(), "the papers")
    return found


def whole_type() -> type[Configuration]:
    """Return the type of a configuration of all papers."""
    found = {paper: paper_folders.load(paper, "section") for paper in paper_folders.names()}
    sections: dict[str, Any] = {paper: (own.SECTION, None) for paper, own in found.items() if own}
    return create_model("Whole", __base__=Configuration, **sections)


LONGEST_LIST = 1000


def check_values(value: Any, way: tuple[str, ...] = ()) -> None:
    """Raise ConfigError for NaN, infinity, dates, names that YAML reads as truth values, and lists too long to run."""
    place = ".".join(way)
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"{place}: {value} is no number that can be computed with")
    if isinstance(value, date):
        raise ConfigError(f"{place}: YAML reads {value} as a date; write it in quotes")
    if isinstance(value, list) and len(value) > LONGEST_LIST:
        raise ConfigError(f"{place}: a list of {len(value):,} entries; {LONGEST_LIST:,} are the most")
    inner = dict(enumerate(value)) if isinstance(value, list) else value if isinstance(value, Mapping) else {}
    for key, own in inner.items():
        if isinstance(key, bool):
            words = "yes, on or true" if key else "no, off or false"
            remedy = 'write it in quotes: "no"'
            raise ConfigError(f"{place}: YAML reads the name {words} as a truth value; {remedy}")
        check_values(key, way)
        check_values(own, (*way, str(key)))


def check_scale(config: Config, files: Iterable[str | Path]) -> None:
    """Raise ConfigError unless the scale is the one that the last of `files` with a scale names; the first is the
    defaults'. Each scale has a folder of results, which another configuration must not fill by mistake. So a scale of
    the project must have its file, and a file that changes `own` another name.
    """
    named = [(path, read_yaml(path).get("scale")) for path in files]
    own = [scale for _, scale in named[1:] if scale]
    if named[1:] and not own:
        raise ConfigError(
            f"{named[-1][0]}: the key 'scale' is missing: it names the folder of results, which no other"
            " configuration must fill"
        )
    told = [scale for _, scale in named if scale][-1]
    (defaults, first), *others = named
    template = Path(defaults).with_name("scales") / f"{OWN}.yaml"
    if others[1:] and Path(others[-1][0]).resolve() == template.resolve():
        raise ConfigError(
            f"{others[-1][0]}: the template stands last and would override what is yours: name it first, as in"
            f' CONFIG="{others[-1][0]} {others[0][0]}"'
        )
    own_file = template.with_name(f"{told}.yaml")
    lacks_file = own_file.is_file() and own_file.resolve() not in {Path(path).resolve() for path, _ in others}
    if others and (lacks_file or told == first):
        raise ConfigError(
            f"{others[-1][0]}: scale {told!r} is a scale of the project, and its folder of results would be"
            " overwritten: choose another name"
        )
    if told == OWN and others and not others[-1][1]:
        raise ConfigError(
            f"{others[-1][0]}: the key 'scale' is missing: all configurations that extend scales/{OWN}.yaml would"
            " share one folder of results"
        )
    if config["scale"] != told:
        raise ConfigError(
            f"scale: --config says {config['scale']!r}, but {named[-1][0]} says {told!r}; name the scale in a"
            " configuration file, so that results stay in one folder"
        )
