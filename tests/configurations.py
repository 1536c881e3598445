"""Configurations of the scales, merged as Snakemake does, and opened as the rules do."""

import copy
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import yaml
from snakemake.utils import update_config

from crosslingua.corpora.datasets.registry import load_registry
from crosslingua.errors import ConfigError
from crosslingua.io.json import read_yaml
from crosslingua.workflow import configuration, planning
from crosslingua.workflow.jobs import Job, Jobs
from crosslingua.workflow.workflow import Workflow
from texts import csv_rows

NAMED = ("config.yaml", "world.yaml", "scales", "studies", "schemas", "reference", "scripts")
SCRATCH = "real studies/from_scratch"
# A line of a sheet: a second dictionary beside scale real's.
XLING_EVAL = (
    "dictionary\txling_eval\txling-eval\tyacle.train.freq.5k.{source}-{target}.tsv"
    "\t\tyacle.test.freq.2k.{source}-{target}.tsv"
)
_read = cache(read_yaml)
_registry = cache(load_registry)
shared_jobs: dict[str, Jobs] = {}  # by configuration
# Few of xlm_align's alignments: two aligners, one encoder.
FEW_ALIGNMENTS = {
    "seeds": [5, 6],
    "encoders": {"seeds": [7]},
    "word_alignment": {
        "aligners": {
            "gibbs": None,
            "simalign_argmax": None,
            "simalign_itermax": None,
            "optimal_transport": {"reads": "vectors", "settings": {"mu": 0.5}},
        }
    },
    "xlm_align": {"encoders": {"xlmr": {"layer": 2, "layers": [1, 2]}, "xlm_align": None}},
}


class Opener:
    """Opens configurations in `folder`, which links to the files of the repository that they name."""

    def __init__(self, repository: Path, folder: Path):
        self.repository, self.folder = repository, folder
        folder.mkdir()
        for name in NAMED:
            (folder / name).symlink_to(repository / name)

    def __call__(self, scale: str = "", change: Mapping[str, Any] | None = None) -> Workflow:
        """Return what config.yaml, a scale (`full studies/more_words`: with a study) and a change over all ask for."""
        files = ["config.yaml", *map(file_of, scale.split())]
        with patch.object(configuration, "load_registry", _registry):
            return configuration.open_workflow(self.merged(scale, change), files)

    def merged(self, scale: str = "", change: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the configuration, merged."""
        config = copy.deepcopy(_read(self.repository / "config.yaml"))
        for name in scale.split():
            update_config(config, copy.deepcopy(_read(self.repository / file_of(name))))
            update_config(config, example(self.repository) if name == "own" else {})
        update_config(config, copy.deepcopy(change or {}))
        return config

    def refuses(self, key: str, value: object, message: str, scale: str = "") -> None:
        """Check that a key (`a.b`) is refused with this value, by an error in which `message` follows its name."""
        with pytest.raises(ConfigError, match=rf"{re.escape(key)}\W+{message}"):
            self(scale, nested(key, value))

    def sheet(self, *lines: str) -> str:
        """Write a data sheet of these lines; columns that are empty at the end may be left out."""
        text = "task\tset\tfrom\ttrain\tvalid\ttest\toptions\n" + "".join(f"{line}\n" for line in lines)
        (self.folder / "own.tsv").write_text(text, encoding="utf-8")
        return "own.tsv"

    def with_sheet(self, *lines: str) -> dict[str, Any]:
        """Return the change that names a data sheet of these lines, and no other."""
        return {"data": {"sheets": [self.sheet(*lines)]}}


def example(repository: Path) -> dict[str, Any]:
    """Return what a comment of scales/own.yaml shows of a pair: its text and its dictionary."""
    text = (repository / "scales/own.yaml").read_text(encoding="utf-8")
    shown = re.findall(r"^#   (\w+: .*)$", text.partition("\nscale:")[0], re.MULTILINE)
    return {key: value for key, value in yaml.safe_load("\n".join(shown)).items() if key != "scale"}


def file_of(name: str) -> str:
    """Return the file of a scale, or of a study: `studies/more_seeds`."""
    return f"{name}/overlay.yaml" if name.startswith("studies/") else f"scales/{name}.yaml"


def nested(key: str, value: object = None) -> dict[str, Any]:
    """Return the configuration with one key: `a.b` -> {a: {b: value}}."""
    *outer, last = key.split(".")
    change = {last: value}
    for name in reversed(outer):
        change = {name: change}
    return change


def jobs(w: Workflow) -> Jobs:
    """Return the jobs of a configuration, planned once for all tests unless the folder has files of its own."""
    if "jobs" not in w.computed:
        shared = shared_jobs if all(path.is_symlink() for path in Path().iterdir()) else {}
        key = repr((w.files, w.written))
        w.computed["jobs"] = shared.get(key) or shared.setdefault(key, planning.stated(w))
    return w.computed["jobs"]


def job(w: Workflow, name: str) -> Job:
    """Return the job of that name, of any stage."""
    return jobs(w)[name]


def rows(w: Workflow, paper: str) -> Iterator[Mapping[str, Any]]:
    """Yield the lines of a paper's plans of rows, with hashes."""
    for group in w.paper(paper).groups():
        yield from job(w, f"cells/{paper}.{group}").lines


def lines(w: Workflow, name: str) -> list[dict[str, str]]:
    """Return the lines of a job's plan, as its script reads them."""
    own = job(w, name)
    own.write_plan(w)
    return csv_rows(Path(own.inputs(w)["cells"]))
