"""A checked configuration, and what every stage needs of it: sources, pairs, papers, and paths."""

import csv
import io
import json
import shlex
import shutil
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from crosslingua import paper_folders, places
from crosslingua.corpora.datasets.registry import DataSet
from crosslingua.errors import ConfigError
from crosslingua.io.atomic import atomic_open
from crosslingua.workflow.locks import check_unread
from crosslingua.workflow.sections import Configuration, Section, VectorsSection
from crosslingua.workflow.sources import Sources, dictionaries_of

if TYPE_CHECKING:
    from crosslingua.workflow.paper import Paper


def options(values: Mapping[str, Any]) -> str:
    """Return command-line options, quoted for the shell: {"dim": 64} is --dim=64, true a bare flag, null nothing."""
    parts: list[str] = []
    for name, value in values.items():
        flag = f"--{name.replace('_', '-')}"
        if value is True:
            parts.append(flag)
        elif isinstance(value, (list, tuple)):
            parts += [flag, *(shlex.quote(no_flag(str(one))) for one in value)] if value else []
        elif value is not False and value is not None:
            parts.append(shlex.quote(f"{flag}={value}"))
    return " ".join(parts)


def no_flag(word: str) -> str:
    """Return a word that no script takes for an option. Only paths may begin with a dash."""
    return f"./{word}" if word.startswith("-") else word


def settings_words(settings: Mapping[str, Any] | None) -> list[str]:
    """Return the values of `--set`: name=value, name=value,value for lists; null removes a setting."""
    return [f"{name}={_word(value)}" for name, value in (settings or {}).items() if value is not None]


def _word(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(_word, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


T = TypeVar("T")
Asks = TypeVar("Asks", bound=Callable[..., Any])
Config = Mapping[str, Any]
# The section of the systems of word vectors, in the paper that compares them. All papers refer to its systems.
VECTORS = "joint_align"
SYSTEMS = f"{VECTORS}.systems"


def once(function: Asks) -> Asks:
    """Cache a method of a workflow or a paper, or a function of a workflow, by its other, hashable arguments.

    Callers share the value: do not change it.
    """

    @wraps(function)
    def computed_once(w: Any, *more: Hashable) -> Any:
        key = (function, *more)
        if key not in w.computed:
            w.computed[key] = function(w, *more)
        return w.computed[key]

    return cast(Asks, computed_once)


@dataclass(frozen=True)
class LexiconPair:
    """A language pair with the dictionary for training, selection and test, or "". `curve`: the pair belongs to the
    curve over dictionary sizes, under chosen settings only.
    """

    source: str
    target: str
    dictionary: str
    curve: bool = False

    @property
    def name(self) -> str:
        """`source-target.dictionary`: the pair in paths and tables; `source-target.none` without a dictionary."""
        return f"{self.source}-{self.target}.{self.dictionary or 'none'}"

    def language(self, name: str) -> str:
        """Return the language of a file that one side has alone: `source.vec` or `target.vec`."""
        return {"source.vec": self.source, "target.vec": self.target}[name]


def in_turn(runs: Sequence[int], seeds: Sequence[int]) -> list[int]:
    """Return the run that each of `seeds` reads; `runs` are used in turn."""
    return [runs[place % len(runs)] for place in range(len(seeds))]


def pair_languages(name: str) -> tuple[str, str]:
    """Return the languages of a pair's name: `en-de` or `en-de.valid` -> ("en", "de")."""
    source, _, target = name.partition(".")[0].partition("-")
    return source, target


@dataclass(frozen=True)
class Workflow:
    """A configuration, as written and typed, and the files that it was read from."""

    written: Config
    config: Configuration
    sources: Sources
    datasets: Mapping[str, DataSet]
    files: tuple[str, ...] = ()

    @cached_property
    def computed(self) -> dict[Hashable, Any]:
        """Results of functions marked `once`."""
        return {}

    @property
    def scale(self) -> str:
        """The scale's name."""
        return self.config.scale

    @property
    def papers(self) -> list[str]:
        """The papers that are made."""
        return self.config.papers

    @property
    def threads(self) -> int:
        """The threads of encoder training, on which its sums depend."""
        return self.config.encoders.threads

    @property
    def device(self) -> str:
        """Where training and search run, `cpu` or `cuda`; `auto` is the GPU if this machine has one of NVIDIA's."""
        chosen = self.config.device
        return ("cuda" if shutil.which("nvidia-smi") else "cpu") if chosen == "auto" else chosen

    @property
    def on_gpu(self) -> dict[str, str]:
        """The option of scripts that can use a GPU; {} without one."""
        return {"device": self.device} if self.gpu else {}

    @property
    def gpus(self) -> int:
        """The GPUs of pre-training; 0: on the processor."""
        return self.config.encoders.gpus if self.gpu else 0

    @property
    def gpu(self) -> int:
        """The GPUs of any other work: one at most."""
        return int(self.device == "cuda")

    @property
    def results(self) -> str:
        """The folder of this scale's results."""
        return f"{places.results()}/{self.scale}"

    @property
    def corpora(self) -> str:
        """The folder of text and of every task's data."""
        return f"{self.results}/corpora"

    @property
    def data(self) -> str:
        """The folder of downloaded files."""
        return self.config.data.folder

    @property
    def seeds(self) -> list[int]:
        """The seeds of everything but encoders."""
        return self.config.seeds

    @property
    def encoder_seeds(self) -> list[int]:
        """The seeds of encoders."""
        return self.config.encoders.seeds

    @property
    def tagged_encoder_seeds(self) -> list[int]:
        """The seeds of encoders that taggers read, and of LASER."""
        return self.encoder_seeds[: self.config.encoders.tagged]

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        """The language pairs."""
        return [pair_languages(pair) for pair in self.config.pairs]

    def of_source(self, name: str) -> str:
        """Return a name with the source language of the first pair in place of `{source}`."""
        if "{source}" not in name:
            return name
        if not self.pairs:
            raise ConfigError(
                "pairs: no pair is given, and {source} stands for the source of the first: name one, as [source-target]"
            )
        return name.replace("{source}", self.pairs[0][0])

    @cached_property
    def lexicon_pairs(self) -> dict[str, LexiconPair]:
        """Every language pair with each of its dictionaries, or without one, by name; none of the curve."""
        return self._with_dictionaries(curve=False)

    @cached_property
    def curve_pairs(self) -> dict[str, LexiconPair]:
        """The language pairs with dictionaries of other sizes, for the curve, by name."""
        return self._with_dictionaries(curve=True)

    def _with_dictionaries(self, *, curve: bool) -> dict[str, LexiconPair]:
        pairs = []
        for pair in self.pairs:
            every = dictionaries_of(self.sources, pair, self.datasets)
            named = [name for name in every if self.sources.dictionaries[name].get("curve", False) == curve]
            pairs += [LexiconPair(*pair, name, curve) for name in named or ([] if curve else [""])]
        return {pair.name: pair for pair in pairs}

    @once
    def section(self, paper: str) -> Any:
        """Return the section of a paper."""
        typed = paper_folders.load(paper, "section")
        return typed.SECTION.from_values(self.written[paper]) if typed else Section()

    @property
    def vectors(self) -> VectorsSection:
        """The section of the systems of word vectors."""
        section: VectorsSection = self.section(VECTORS)
        return section

    @once
    def paper(self, name: str) -> "Paper[Any]":
        """Return a paper, opened once."""
        return paper_folders.paper(name)(self)

    @once
    def stage(self, kind: Callable[["Workflow"], T]) -> T:
        """Return a stage, opened once."""
        return kind(self)

    def of_papers(self, ask: Callable[["Paper[Any]"], Iterable[T]]) -> list[T]:
        """Return what all papers answer, without repeats."""
        found: list[T] = []
        for name in self.papers:
            found += [one for one in ask(self.paper(name)) if one not in found]
        return found

    def plan(self, name: str, lines: Iterable[Mapping[str, Any]], columns: Iterable[str] = ()) -> str:
        """Write a plan, a CSV with one line a call for `--cells`; return its path. `columns` come first, also without
        lines. A list becomes shell words. An equal file is not touched, so that nothing is made again.
        """
        lines = [{key: _field(value) for key, value in line.items()} for line in lines]
        columns = list(dict.fromkeys([*columns, *(column for line in lines for column in line)]))
        stream = io.StringIO()
        writer = csv.DictWriter(stream, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
        return self.keep(f"plans/{name}.csv", stream.getvalue())

    def plan_file(self, name: str, suffix: str = "csv") -> str:
        """Return the path of a plan."""
        return f"{self.results}/plans/{name}.{suffix}"

    def brief(self, name: str, content: Config) -> str:
        """Write a job's plan as JSON, as `plan` does; return its path."""
        return self.keep(f"plans/{name}.json", json.dumps(content, ensure_ascii=False, indent=1) + "\n")

    def keep(self, name: str, text: str) -> str:
        """Write a file under the results unless it has this content; return its path. Raises ConfigError where the
        content differs and another run of this scale, whose jobs read the file, is at work.
        """
        path = Path(self.results, name)
        if path.is_file():
            if path.read_text(encoding="utf-8") == text:
                return str(path)
            check_unread(path, self.scale)
        with atomic_open(path) as file:
            file.write(text)
        return str(path)


def _field(value: Any) -> str:
    if value is None or value is False:
        return ""
    if value is True:
        return "true"
    return shlex.join(no_flag(str(one)) for one in value) if isinstance(value, (list, tuple)) else str(value)
