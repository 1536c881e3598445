"""Jobs of rows, tables, figures, claims and the page, the same for every paper."""

import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from crosslingua import paper_folders
from crosslingua.cells import COLUMNS, Cell, cell_line
from crosslingua.config import digest
from crosslingua.errors import ConfigError
from crosslingua.io.json import read_json, write_json
from crosslingua.places import is_packed, suite
from crosslingua.word_aligners import ALIGNERS
from crosslingua.workflow.fine_tuning import export_folder
from crosslingua.workflow.hashes import Hashes
from crosslingua.workflow.jobs import Job, Jobs
from crosslingua.workflow.labelled import file_sets
from crosslingua.workflow.runs import stand_ins
from crosslingua.workflow.workflow import Workflow, once

SUFFIXES = {"tables": ("csv", "md", "tex", "html"), "plots": ("png", "svg")}
MAIN, ABLATIONS = "main", "ablations"
DATA = "data"  # in the plan of the page, where papers stand: the data sets
WANTED = "wanted"  # the plan of what the run at work makes


@dataclass(frozen=True)
class Target:
    """A named target other than a paper: one of its groups, and files besides the group's products."""

    paper: str
    group: str
    besides: tuple[str, ...] = ()


@dataclass(frozen=True)
class TableRequest:
    """A table of a paper: the groups whose rows it shows, and a note for this scale."""

    groups: tuple[str, ...] = (MAIN,)
    note: str = ""


@dataclass(frozen=True)
class Drawing:
    """A figure: its kind among the paper's FIGURES, its files and options, and the groups that make these."""

    kind: str
    inputs: Mapping[str, Sequence[str]]
    settings: Mapping[str, Any] = field(default_factory=dict)
    groups: tuple[str, ...] = (MAIN,)


Products = Mapping[str, Mapping[str, TableRequest | Drawing]]  # by their part of the results


def trained_on(share: float) -> str:
    """Return the note of a table on the share of training data; "" for all data."""
    return f"Trained on {100 * share:g} % of each training set." if share != 1 else ""


def rows_file(w: Workflow, paper: str, group: str) -> str:
    """Return the metrics rows of a group."""
    return f"{w.results}/rows/{paper}.{group}.csv"


def report_jobs(
    w: Workflow, hashes: Hashes, samples: Mapping[str, Sequence[Mapping[str, Any]]]
) -> Iterator[Job]:
    """Yield the jobs of rows, tables and figures of all papers, and of the page; see `claims_job` for claims.

    `samples` are those of each paper on the page (workflow/samples.py).
    """
    for name in w.papers:
        paper = w.paper(name)
        for group in paper.groups():
            lines = [_row_line(cell, hashes) for cell in paper.cells(group)]
            yield Job("write_rows.py", f"cells/{name}.{group}", lines)
        for (
            table,
            request,
        ) in paper.tables().items():  # a file holds its notes, which grow with languages and gold sets
            rows = [rows_file(w, name, group) for group in request.groups]
            yield Job(
                "write_table.py",
                f"tables/{name}_{table}",
                members=members_of(name, "tables"),
                named={"rows": rows, "published": published(name, table)},
                brief={"note": request.note, "made_by": made_by(w, name, table), "stand_ins": stand_ins(w)},
            )
        for figure, drawing in paper.drawings().items():
            aligner = drawing.settings.get("aligner")
            yield Job(
                "draw_figure.py",
                f"figures/{name}_{figure}",
                members=[*members_of(name, "figures"), *([ALIGNERS.module(aligner)] if aligner else [])],
                reads=[path for paths in drawing.inputs.values() for path in paths],
                brief={"inputs": drawing.inputs, "settings": drawing.settings},
            )
    yield _page_job(w, samples)


def _row_line(cell: Cell, hashes: Hashes) -> dict[str, Any]:
    """Return the line of a cell with the hash of what its score depends on."""
    try:
        own = [hashes.of(score) for score in (cell.score, cell.less) if score]
        return cell_line(cell) | {"config_hash": digest(*own) if cell.less else own[0]}
    except ConfigError as error:
        raise ConfigError(
            f"{cell.paper}: {cell.table}, {cell.system}, {cell.source}-{cell.target}: {error}; leave the system out by"
            " null, or let the paper ask a stage for it"
        ) from None


def _page_job(w: Workflow, samples: Mapping[str, Sequence[Mapping[str, Any]]]) -> Job:
    """Return the job of the page. Its plan lists what to show, since the folder may hold older tables."""
    shown: dict[str, Any] = {}
    for paper in w.papers:
        made: Products = {"tables": w.paper(paper).tables(), "figures": w.paper(paper).drawings()}
        names = {part: [*every] for part, every in made.items()}
        further = {"besides": w.paper(paper).shown(), "explored": w.paper(paper).explored()}
        shown[paper] = {**names, **further, "samples": samples[paper]}
        if early := early_group(w, paper):
            names = {
                part: [name for name, one in every.items() if one.groups == (early,)]
                for part, every in made.items()
            }
            shown[f"{paper}.{early}"] = {**names, **further, "besides": {}}
    used = sorted({name for made in file_sets(w) for name, _ in made.inputs})
    facts = ("name", "title", "licence", "citation", "homepage")
    shown[DATA] = [{fact: getattr(w.datasets[name], fact) for fact in facts} for name in used]
    parts = ("tables", "figures", "page")
    members = [module for paper in w.papers for part in parts for module in members_of(paper, part)]
    return Job("write_page.py", "page", members=members, brief=shown)


def early_group(w: Workflow, paper: str) -> str:
    """Return the group of a paper that the page shows before the others are made; "" without one."""
    group = paper_folders.paper(paper).early
    return group if group in w.paper(paper).groups() else ""


def claims_job(w: Workflow, jobs: Jobs, part: str, groups: Sequence[str], before: Sequence[str] = ()) -> Job:
    """Return the job that judges a paper's claims on `groups`, and on earlier results of the groups `before`, whose
    scored cells have files of their own, which do not make rows stale. `part` is the paper, or PAPER.GROUP for what the
    page shows early.
    """
    paper = part.partition(".")[0]
    cells = [w.plan_file(f"cells/{paper}.{group}") for group in groups]
    for group in before:
        name = f"{paper}.{group}"
        scored = [
            line
            for line in jobs[f"cells/{name}"].lines
            if all(Path(path).is_file() for path in (line["score"], line["less"]) if path)
        ]
        cells.append(w.plan(f"claims/{name}", scored, COLUMNS))
    evidence: dict[str, list[str]] = {}
    reads = [path for group in groups for path in jobs[f"cells/{paper}.{group}"].files()]
    for group in (*groups, *before):
        for name, paths in w.paper(paper).evidence(group).items():
            there = paths if group in groups else [path for path in paths if Path(path).exists()]
            evidence[name] = [*evidence.get(name, []), *there]
            reads += paths if group in groups else []
    return Job(
        "judge_claims.py",
        f"claims/{part}",
        members=members_of(paper, "claims"),
        reads=reads,
        brief={
            "cells": cells,
            "inputs": evidence,
            "runs": w.paper(paper).encoder_runs(),
            "strategies": w.paper(paper).strategies(),
            "stand_ins": stand_ins(w),
            "planned": list(w.config.claims.planned_looks),
            "settings": {"scale": w.scale, "text": "generated" if w.config.world else "real"},
        },
    )


def published(paper: str, table: str) -> list[str]:
    """Return the file of the paper's own numbers; none where it is not at hand."""
    path = suite(f"reference/{paper}_{table}.csv")
    return [path] if Path(path).is_file() else []


def members_of(paper: str, part: str) -> list[str]:
    """Return the modules of a paper's part that scripts load by name."""
    modules = (paper_folders.module_name(paper), paper_folders.module_name(paper, part))
    return [name for name in modules if name]


def configuration(w: Workflow) -> str:
    """Write the configuration beside its results, without where files are fetched from; return the file."""
    data = dict(w.written["data"]) | {"mirror": None, "user_supplied": {}}
    text = yaml.safe_dump(dict(w.written) | {"data": data}, allow_unicode=True, sort_keys=False)
    return w.keep("config.yaml", text)


def made_by(w: Workflow, paper: str, table: str) -> str:
    """Return a sentence with the commands that make a table and that trace one of its numbers."""
    program, option = ("crosslingua run", "config") if is_packed() else ("snakemake", "configfile")
    own = suite("")
    files = [
        shlex.quote(path.removeprefix(own) if own and path.startswith(own) else os.path.relpath(path))
        for path in w.files[1:]  # Snakemake has them absolute
    ]
    chosen = f" --{option} {' '.join(files)}" if files else ""
    target = f"ablations_{paper}" if ABLATIONS in w.paper(paper).tables()[table].groups else paper
    return (
        f"Made by `{program} {target}{chosen}`; how a number came about:"
        f" `crosslingua trace {w.results}/tables/{paper}_{table}.csv`."
    )


@once
def targets(w: Workflow) -> dict[str, Target]:
    """Return the targets other than papers, with their groups and products."""
    return {
        name: Target(paper, group, (export_folder(w),) if group in w.paper(paper).exports() else ())
        for paper in w.papers
        for name, group in paper_folders.paper(paper).targets.items()
        if group in w.paper(paper).groups()
    }


def every_target() -> list[str]:
    """Return all papers and the named targets of each."""
    papers = paper_folders.names()
    return [*papers, *(name for paper in papers for name in paper_folders.paper(paper).targets)]


def named_targets(w: Workflow, summary: Sequence[str], wanted: Callable[[], "Wanted"]) -> dict[str, Any]:
    """Return the functions that give the files of each named target. Targets that this configuration lacks raise
    ConfigError when asked for. `wanted` returns the wanted products, once the targets are known.
    """
    papers = {paper: paper for paper in w.papers}
    papers |= {name: target.paper for name, target in targets(w).items()}
    there = {
        name: lambda _, paper=paper: [*summary, *wanted().products(paper)] for name, paper in papers.items()
    }

    def refuse(target: str) -> list[str]:
        raise ConfigError(
            f"{target}: not of this configuration, whose `papers` are {', '.join(w.papers)}: add the paper, or the data"
            " that it lacks"
        )

    for paper in w.papers:
        there |= {name: lambda _, files=files: files for name, files in w.paper(paper).further().items()}
    absent = [name for name in every_target() if name not in there]
    return there | {name: lambda _, name=name: refuse(name) for name in absent}


def claims_file(w: Workflow, part: str, suffix: str = "csv") -> list[str]:
    """Return the file of a paper's verdicts, or of those on one group; none for a paper without claims."""
    if not Path(suite(f"reference/{part.partition('.')[0]}_claims.yaml")).is_file():
        return []
    return [f"{w.results}/claims/{part}.{suffix}"]


@dataclass(frozen=True)
class Wanted:
    """The papers, and the groups of each, that a run makes. Ablations are made where they are asked for or were made
    before. A target that is a group makes that group alone.
    """

    w: Workflow
    targets: frozenset[str]
    there: frozenset[str]  # rows that were there before the run

    def note(self) -> None:
        """Write what is wanted, for `noted` and for the page of a run at work; no other run writes it meanwhile."""
        told = {"targets": sorted(self.targets), "there": sorted(self.there), "parts": self.parts()}
        later = {  # the tables of a paper that no early part has
            paper: [
                name
                for name, table in self.w.paper(paper).tables().items()
                if {early_group(self.w, paper)} != set(table.groups) <= set(self.groups(paper))
            ]
            for paper in self.papers
        }
        write_json(self.w.plan_file(WANTED, "json"), told | {"later": later})

    @property
    def papers(self) -> list[str]:
        """The papers that are asked for, by name or by a group; all without any target."""
        asked_for = {*self.targets, *(part.paper for part in self._parts())}
        named = [paper for paper in self.w.papers if paper in asked_for]
        return list(self.w.papers) if "all" in self.targets or not named else named

    def _parts(self) -> list[Target]:
        return [
            part
            for name, part in targets(self.w).items()
            if name in self.targets or (part.group == ABLATIONS and ABLATIONS in self.targets)
        ]

    def groups(self, paper: str) -> list[str]:
        """The groups of a paper that the run makes."""
        parts = {part.group for part in self._parts() if part.paper == paper}
        if not parts or ABLATIONS in parts or self.targets & {"all", paper}:
            parts |= {g for g in self.w.paper(paper).groups() if g != ABLATIONS or self._is_there(paper, g)}
        return [group for group in self.w.paper(paper).groups() if group in parts]

    def before(self, paper: str) -> list[str]:
        """The groups of a paper that earlier runs made and this run does not."""
        made = self.groups(paper)
        return [g for g in self.w.paper(paper).groups() if g not in made and self._is_there(paper, g)]

    def _is_there(self, paper: str, group: str) -> bool:
        return rows_file(self.w, paper, group) in self.there

    def parts(self) -> list[str]:
        """What the page is written after while the run is at work: papers, and PAPER.GROUP for what is done early."""
        found = []
        for paper in self.papers:
            groups, early = self.groups(paper), early_group(self.w, paper)
            found += [f"{paper}.{early}"] if early in groups and groups != [early] else []
            found += [paper] if len(self.papers) > 1 else []
        return found

    def pages(self) -> list[str]:
        """The files that say which parts the page has shown; so made, they are of this run."""
        return [f"{self.w.results}/pages/{part}.done" for part in self.parts()]

    def rows(self) -> list[str]:
        """The metrics rows of the run."""
        return [rows_file(self.w, paper, group) for paper in self.papers for group in self.groups(paper)]

    def every_product(self) -> list[str]:
        """The products of the run."""
        return [file for paper in self.papers for file in self.products(paper)]

    def products(self, part: str) -> list[str]:
        """The tables, figures and verdicts of a paper, with its further files and those of its targets; or of
        PAPER.GROUP.
        """
        paper, _, early = part.partition(".")
        groups = [early] if early else self.groups(paper)
        named = [target for target in self._parts() if target.paper == paper and not early]
        made: Products = {"tables": self.w.paper(paper).tables(), "plots": self.w.paper(paper).drawings()}
        further = self.w.paper(paper).further() if not early and MAIN in groups else {}
        return [
            *(
                f"{self.w.results}/{folder}/{paper}_{name}.{suffix}"
                for folder, every in made.items()
                for name, one in every.items()
                if set(one.groups) <= set(groups)
                for suffix in SUFFIXES[folder]
            ),
            *(file for suffix in ("csv", "json") for file in claims_file(self.w, part, suffix)),
            *(file for target in named for file in target.besides),
            *dict.fromkeys(file for files in further.values() for file in files),
        ]


def wanted(w: Workflow, targets: Iterable[str]) -> Wanted:
    """Return what a run with these targets makes, by what there is now."""
    return Wanted(w, frozenset(targets), frozenset(path for path in all_rows(w) if Path(path).is_file()))


def noted(w: Workflow) -> Wanted:
    """Return what the run at work makes. Jobs of a cluster ask: they know no targets, and rows change meanwhile."""
    told = read_json(w.plan_file(WANTED, "json"), dict)
    return Wanted(w, frozenset(told["targets"]), frozenset(told["there"]))


def all_rows(w: Workflow) -> list[str]:
    """Return the rows of every paper and group."""
    return [rows_file(w, paper, group) for paper in w.papers for group in w.paper(paper).groups()]


def all_claims(w: Workflow, suffix: str = "csv") -> list[str]:
    """Return the verdicts of every paper."""
    return [file for paper in w.papers for file in claims_file(w, paper, suffix)]
