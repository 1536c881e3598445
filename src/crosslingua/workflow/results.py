"""Jobs that end in numbers and pictures: rows, tables, figures, claims, the page; the same for every paper.

A paper's `cells.py` has, as functions of the workflow:

    check(w)            raises ConfigError for what is wrong in its section
    groups(w)           the names of its groups of cells: "main", others that can be asked for alone, and
                        "ablations", which the default target leaves out
    cells(w, group)     the cells of a group (crosslingua.cells.Cell), systems in the order of the tables
    scores(w, group)    the files and folders of scores that they read, as the rules make them
    tables(w)           {name: TableRequest}
    drawings(w)         {name: Drawing}; optional, as are
    evidence(w)         {name: files} that claims are tested on besides the cells
    targets(w)          {name: files} that can be asked for by name, as the paper can by its own
    shown(w)            {name: files} that the paper's part of the page (`section` of its page.py) may show besides

and what it needs of the stages (each is told of where it is read): encoders(w), tokenisers(w), fine_tunings(w),
taggings(w), mixtures(w), comparisons(w), alignments(w), aligned_encoders(w), exports(w), probes(w, group),
similarity(w, pair), hubness(w, pair)
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from crosslingua import paper_folders
from crosslingua.cells import cells_text
from crosslingua.errors import ConfigError
from crosslingua.names import check_defined, did_you_mean
from crosslingua.word_aligners import ALIGNERS
from crosslingua.workflow.workflow import Workflow, asked

SUFFIXES = {"tables": ("csv", "md", "tex", "html"), "plots": ("png", "svg")}
MAIN, ABLATIONS = "main", "ablations"
BESIDES = ("bli", "translation", "aer", "xtreme")  # which papers may name as targets


@dataclass(frozen=True)
class TableRequest:
    """A table of a paper: the groups whose rows it shows, and a note for this scale."""

    groups: tuple[str, ...] = (MAIN,)
    note: str = ""


@dataclass(frozen=True)
class Drawing:
    """A figure: its kind among the paper's FIGURES, the files that it shows, how, and the groups that make these."""

    kind: str
    inputs: Mapping[str, Sequence[str]]
    settings: Mapping[str, Any] = field(default_factory=dict)
    groups: tuple[str, ...] = (MAIN,)


def rows_file(w: Workflow, paper: str, group: str) -> str:
    """Return the metrics rows of a group."""
    return f"{w.results}/rows/{paper}.{group}.csv"


def cells_file(w: Workflow, paper: str, group: str) -> str:
    """Write the cells of a group, unless they are there as they are; return their file."""
    return w.keep(f"plans/cells/{paper}.{group}.csv", cells_text(asked(paper, "cells", w, group)))


def claims_brief(w: Workflow, paper: str, groups: Sequence[str]) -> str:
    """Write what a paper's claims are tested on; return the file."""
    cells = [cells_file(w, paper, group) for group in groups]
    runs = asked(paper, "encoder_runs", w)
    return w.brief(f"claims/{paper}", {"cells": cells, "inputs": asked(paper, "evidence", w), "runs": runs})


def claims_inputs(w: Workflow, paper: str, groups: Sequence[str]) -> list[str]:
    """Return the files that a paper's claims are tested on: scores, and other evidence."""
    scores = [path for group in groups for path in asked(paper, "scores", w, group)]
    return [*scores, *(path for paths in asked(paper, "evidence", w).values() for path in paths)]


def drawing_brief(w: Workflow, paper: str, figure: str) -> str:
    """Write what a figure shows and how; return the file."""
    drawing = drawing_of(w, paper, figure)
    return w.brief(f"figures/{paper}_{figure}", {"inputs": drawing.inputs, "settings": drawing.settings})


def drawing_of(w: Workflow, paper: str, figure: str) -> Drawing:
    """Return a figure of a paper."""
    drawings = asked(paper, "drawings", w)
    check_defined("a figure", figure, drawings, f"the figures of {paper} in this configuration")
    return drawings[figure]


def drawing_inputs(w: Workflow, paper: str, figure: str) -> list[str]:
    """Return the files that a figure shows."""
    return [path for paths in drawing_of(w, paper, figure).inputs.values() for path in paths]


def table_rows(w: Workflow, paper: str, table: str) -> list[str]:
    """Return the rows that a table shows."""
    tables = asked(paper, "tables", w)
    check_defined("a table", table, tables, f"the tables of {paper} in this configuration")
    return [rows_file(w, paper, group) for group in tables[table].groups]


def table_options(w: Workflow, paper: str, table: str) -> dict[str, Any]:
    """Return what write_table.py is told besides the rows and the output."""
    return {
        "paper": paper,
        "table": table,
        "reference": published(paper, table),
        "note": asked(paper, "tables", w)[table].note or None,
        "made_by": made_by(w, paper, table),
    }


def published(paper: str, table: str) -> list[str]:
    """Return the file of the paper's own numbers; none where it is not at hand."""
    path = f"reference/{paper}_{table}.csv"
    return [path] if Path(path).is_file() else []


def modules(paper: str, part: str) -> list[str]:
    """Return the modules of a file of a paper that scripts load by name."""
    found = (paper_folders.module_name(paper), paper_folders.module_name(paper, part))
    return [name for name in found if name]


def drawing_modules(w: Workflow, paper: str, figure: str) -> list[str]:
    """Return the modules that draw a figure: the paper's, and an aligner that it is drawn with."""
    aligner = drawing_of(w, paper, figure).settings.get("aligner")
    return [*modules(paper, "figures"), *([ALIGNERS.module(aligner)] if aligner else [])]


def configuration(w: Workflow) -> str:
    """Write the configuration beside its results, without where files are fetched from; return the file."""
    data = dict(w.config["data"]) | {"mirror": None, "user_supplied": {}}
    text = yaml.safe_dump(dict(w.config) | {"data": data}, allow_unicode=True, sort_keys=False)
    return w.keep("config.yaml", text)


def page_modules(w: Workflow) -> list[str]:
    """Return the modules of the papers that the page shows."""
    parts = ("tables", "figures", "page")
    return [module for paper in w.config["papers"] for part in parts for module in modules(paper, part)]


def page_brief(w: Workflow) -> str:
    """Write which tables, figures and other files the page shows, if they are made; return the file.

    The folder of results may hold those of an earlier configuration too.
    """
    shown = {
        paper: {
            "tables": list(asked(paper, "tables", w)),
            "figures": list(asked(paper, "drawings", w)),
            "besides": asked(paper, "shown", w),
        }
        for paper in w.config["papers"]
    }
    return w.brief("page", shown)


def made_by(w: Workflow, paper: str, table: str) -> str:
    """Return a sentence with the commands that make a table and that trace one of its numbers."""
    files = [shlex.quote(os.path.relpath(path)) for path in w.files[1:]]  # Snakemake has them absolute
    chosen = f" --configfile {' '.join(files)}" if files else ""
    target = ABLATIONS if ABLATIONS in asked(paper, "tables", w)[table].groups else paper
    return (
        f"Made by `snakemake {target}{chosen}`; how a number came about:"
        f" `python scripts/trace.py {w.results}/tables/{paper}_{table}.csv`."
    )


def groups_of(w: Workflow, paper: str) -> list[str]:
    """Return the groups of a paper's cells."""
    return list(asked(paper, "groups", w))


def table_files(w: Workflow, paper: str, groups: Sequence[str]) -> list[str]:
    """Return the files of a paper's tables that need no other groups than these."""
    wanted = [name for name, table in asked(paper, "tables", w).items() if set(table.groups) <= set(groups)]
    return [f"{w.results}/tables/{paper}_{name}.{suffix}" for name in wanted for suffix in SUFFIXES["tables"]]


def figure_files(w: Workflow, paper: str, groups: Sequence[str]) -> list[str]:
    """Return the pictures of a paper that need no other groups than these."""
    drawings = asked(paper, "drawings", w)
    wanted = [name for name, drawing in drawings.items() if set(drawing.groups) <= set(groups)]
    return [f"{w.results}/plots/{paper}_{name}.{suffix}" for name in wanted for suffix in SUFFIXES["plots"]]


def of_group(w: Workflow, paper: str, group: str) -> list[str]:
    """Return the tables and pictures of a paper that need one group alone."""
    return [*table_files(w, paper, [group]), *figure_files(w, paper, [group])]


def targets(w: Workflow) -> dict[str, list[str]]:
    """Return what papers name besides themselves."""
    return {name: files for paper in w.config["papers"] for name, files in asked(paper, "targets", w).items()}


def named_targets(w: Workflow, summary: Sequence[str], wanted: Callable[[], Wanted]) -> dict[str, Any]:
    """Return what can be asked for by name, as rules have it: files, or a function that returns them.

    Papers, what they name besides, and what of either this configuration has not, which raises ConfigError when it is
    asked for. `wanted` returns what a run makes, once its targets are known.
    """
    papers = {
        paper: lambda _, name=paper: [*summary, *wanted().products(name)] for paper in w.config["papers"]
    }
    there = papers | targets(w)
    absent = [name for name in (*paper_folders.names(), *BESIDES) if name not in there]
    return there | {name: lambda _, name=name: _refuse(w, name) for name in absent}


def _refuse(w: Workflow, target: str) -> list[str]:
    raise ConfigError(
        f"{target}: not of this configuration, whose `papers` are {', '.join(w.config['papers'])}: add the paper, or"
        " the data that it lacks"
    )


def refuse_unknown(target: str, known: Sequence[str]) -> list[str]:
    """Raise ConfigError for a target that there is not."""
    raise ConfigError(f"{target}: no target; there are {', '.join(known)}{did_you_mean(target, known)}")


def no_file_of(folder: str | Path) -> str:
    """Return what a word matches that could be a misspelt target: no suffix, and no file of the folder."""
    files = [re.escape(path.name) for path in Path(folder).iterdir() if path.is_file()]
    return rf"(?!({'|'.join(files)})$)[\w-]+"


def claims_file(w: Workflow, paper: str, suffix: str = "csv") -> list[str]:
    """Return the file of a paper's verdicts; none where the paper states nothing that is tested."""
    if not Path(f"reference/{paper}_claims.yaml").is_file():
        return []
    return [f"{w.results}/claims/{paper}.{suffix}"]


@dataclass(frozen=True)
class Wanted:
    """What a run makes: which papers, and which groups of each.

    A paper's ablations are made where they are asked for, and kept up to date where they were made before.
    """

    w: Workflow
    targets: frozenset[str]

    @property
    def papers(self) -> list[str]:
        """The papers that are asked for, by name or for their ablations; all where none is, or `all` are."""
        known = self.w.config["papers"]
        ablated = ABLATIONS in self.targets
        named = [p for p in known if p in self.targets or (ablated and ABLATIONS in groups_of(self.w, p))]
        return list(known) if "all" in self.targets or not named else named

    def groups(self, paper: str) -> list[str]:
        """The groups of a paper."""
        return [
            group
            for group in groups_of(self.w, paper)
            if group != ABLATIONS
            or ABLATIONS in self.targets
            or Path(rows_file(self.w, paper, group)).is_file()
        ]

    def rows(self) -> list[str]:
        """The metrics rows of all that is made."""
        return [rows_file(self.w, paper, group) for paper in self.papers for group in self.groups(paper)]

    def claims(self) -> list[str]:
        """The verdicts of all that is made."""
        return [file for paper in self.papers for file in claims_file(self.w, paper)]

    def every_product(self) -> list[str]:
        """The tables, figures and verdicts of all that is made."""
        return [file for paper in self.papers for file in self.products(paper)]

    def products(self, paper: str) -> list[str]:
        """The tables, figures and verdicts of a paper."""
        return [
            *table_files(self.w, paper, self.groups(paper)),
            *figure_files(self.w, paper, self.groups(paper)),
            *claims_file(self.w, paper),
        ]


def all_rows(w: Workflow) -> list[str]:
    """Return the rows that there may be: of every paper and group."""
    return [rows_file(w, paper, group) for paper in w.config["papers"] for group in groups_of(w, paper)]


def all_claims(w: Workflow, suffix: str = "csv") -> list[str]:
    """Return the verdicts that there may be."""
    return [file for paper in w.config["papers"] for file in claims_file(w, paper, suffix)]
