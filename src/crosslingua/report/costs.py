"""The cost of a run, by stage and paper, from Snakemake's benchmarks; and an estimate for another run."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from crosslingua.errors import InputError
from crosslingua.provenance import told

COLUMNS = {"s": float, "max_rss": float, "cpu_time": float}  # seconds, MB, seconds; others are not read
UNKNOWN = ["-", "NA"]  # of jobs too short to be measured
# Stages whose jobs are named by a paper first. Other names may match by chance: xlm_align is an encoder too.
OF_PAPERS = (
    "select_settings", "finetune", "score_predictions", "probe_embeddings", "embed_words", "train_tagger",
    "compare_tags", "write_rows", "write_table", "draw_figure", "judge_claims",
)  # fmt: skip


def costs(folder: str | Path, logs: str | Path, papers: Collection[str]) -> pd.DataFrame:
    """Return a row a stage and paper of `folder` (STAGE.tsv and STAGE/...tsv), the costliest first, and the total.

    Logs are named like benchmarks. Processor time without a log is the benchmark's. Columns: stage, paper ("" where
    papers share it), jobs, processor_minutes, wall_minutes, memory_mb. InputError where there is none.
    """
    jobs = []
    for name in sorted(path.relative_to(folder) for path in Path(folder).rglob("*.tsv")):
        stage = name.parts[0].removesuffix(".tsv")
        # Of STAGE/PAPER/..., STAGE/PAPER.tsv, STAGE/PAPER.GROUP.tsv and STAGE/PAPER_TABLE.tsv.
        owned = name.parts[1].removesuffix(".tsv") if stage in OF_PAPERS else ""
        owners = [paper for paper in papers if owned == paper or owned.startswith((f"{paper}.", f"{paper}_"))]
        path, paper = Path(folder, name), max(owners, key=len, default="")
        try:
            job = pd.read_csv(path, sep="\t", usecols=list(COLUMNS), dtype=COLUMNS, na_values=UNKNOWN)
        except ValueError as error:
            raise InputError(path, f"not a benchmark of Snakemake: {error}") from None
        seconds = told(Path(logs, name).with_suffix(".log"))
        known = job if seconds is None else job.assign(cpu_time=seconds)
        jobs.append(known.assign(stage=stage, paper=paper))
    if not jobs:
        raise InputError(folder, "holds no benchmarks")
    jobs = pd.concat(jobs)
    stages = _summary(jobs.groupby(["stage", "paper"]))
    total = _summary(jobs.assign(stage="total", paper="").groupby(["stage", "paper"]))
    costliest = stages.sort_values("processor_minutes", ascending=False, kind="stable")
    return pd.concat([costliest, total]).reset_index()


def _summary(jobs) -> pd.DataFrame:
    return jobs.agg(
        jobs=("s", "size"),
        processor_minutes=("cpu_time", lambda seconds: seconds.sum() / 60),
        wall_minutes=("s", lambda seconds: seconds.sum() / 60),
        memory_mb=("max_rss", "max"),
    )


def disk(folder: str | Path) -> float:
    """Return the size of a folder in MB."""
    return sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()) / 2**20


MINUTES = ["processor_minutes", "wall_minutes"]


def stats(dry_run: str) -> dict[str, int]:
    """Return the number of jobs of each stage, from what a dry run of Snakemake prints."""
    table = re.findall(r"^(\w+)\s+(\d+)$", dry_run, re.MULTILINE)
    return {stage: int(number) for stage, number in table if stage != "total"}


# Stages whose jobs read rows of results, which are as few at every scale as in the demo.
OF_ROWS = ("draw_figure", "judge_claims", "merge_", "write_")


@dataclass(frozen=True)
class PlannedRun:
    """What a configuration says of jobs that no finished run has measured.

    `memory_mb` is what the jobs of a stage ask for, and `downloads` are the sizes of files in bytes (None: unknown).
    `reads_world`: all text is the controlled world's, as in the demo.
    """

    reads_world: bool
    memory_mb: Mapping[str, float]
    downloads: Sequence[int | None]

    def has_basis(self, stage: str) -> bool:
        """Whether the demo's jobs of a stage say what those of this scale cost."""
        return self.reads_world or stage.startswith(OF_ROWS)


class StageCost(NamedTuple):
    """What a job of a stage took on average, the most memory, the scale's disk (NaN: unknown), and in which run."""

    processor_minutes: float
    wall_minutes: float
    memory_mb: float
    disk_mb: float
    run: str


def _finished(folders: Sequence[str | Path], scale: str) -> dict[str, StageCost]:
    """Return the costs of stages, and of "total", in a finished run of a scale, or in the committed one; {} without."""
    path = next(filter(Path.is_file, (Path(folder, scale, "costs.csv") for folder in folders)), None)
    if path is None:
        return {}
    rows = (
        pd.read_csv(path)
        .reindex(columns=["stage", "jobs", *MINUTES, "memory_mb", "disk_mb"])
        .groupby("stage")
    )
    sums, most = rows[["jobs", *MINUTES]].sum(), rows[["memory_mb", "disk_mb"]].max()
    each = sums[MINUTES].div(sums["jobs"], axis=0).join(most)
    return {stage: StageCost(*values, str(path)) for stage, *values in each.itertuples()}


def estimate(
    jobs: Mapping[str, int],
    scale: str,
    cores: int,
    plan: PlannedRun | None = None,
    folders: Sequence[str | Path] = ("results", "results/reference"),
) -> str:
    """Return in words what so many jobs of a stage cost, by a finished run of `scale` in the first folder that has one.
    Of the stages that this run lacks, the plan says which cost what the demo's cost; without a plan all do.
    """
    if not jobs:
        return "Nothing is left to do."
    own, demo = _finished(folders, scale), _finished(folders, "demo")
    if not own and not demo:
        raise InputError(
            Path(folders[-1], "demo/costs.csv"), "no such file",
            remedy="finish a run of this scale, or of the demo, first",
        )  # fmt: skip
    lent = {stage: cost for stage, cost in demo.items() if plan is None or plan.has_basis(stage)}
    known = {stage: cost for stage, cost in (lent | own).items() if stage in jobs}
    # A job waits for files and for others, and one of several threads takes several cores.
    worked = sum(jobs[stage] * cost.processor_minutes for stage, cost in known.items())
    taken = sum(jobs[stage] * max(cost.processor_minutes, cost.wall_minutes) for stage, cost in known.items())
    lines = [f"{sum(jobs.values())} jobs."]
    if known:
        runs = " and ".join(sorted({cost.run for cost in known.values()}))
        lines.append(
            f"Processor: about {worked / 60:.2f} hours for {sum(jobs[stage] for stage in known)} jobs,"
            f" {taken / 60 / cores:.2f} on {cores} cores, by {runs}."
        )
    if lent := sum(jobs[stage] for stage in known if stage not in own):
        lines.append(
            f"Scale {scale} has not been measured in {lent} of these jobs: they are taken to cost what the demo's cost,"
            " which is too little where data or training are larger."
        )
    if own:
        largest = max((cost.memory_mb for stage, cost in own.items() if stage in jobs), default=0)
        lines.append(f"Memory: {largest / 1024:.1f} GB for the largest measured job.")
        if (size := own["total"].disk_mb) == size:
            lines.append(f"Disk: about {size / 1024:.1f} GB for the whole scale.")
    elif plan:
        lines += _asked_for(jobs, plan)
    if unknown := {stage: number for stage, number in jobs.items() if stage not in known}:
        told = (f"{stage} ({number})" for stage, number in sorted(unknown.items()))
        lines.append(f"Not estimated (jobs): {', '.join(told)}.")
    return "\n".join(lines)


def _asked_for(jobs: Mapping[str, int], plan: PlannedRun) -> list[str]:
    """Return the memory that jobs ask for and the size of downloads in words."""
    largest = max(jobs, key=lambda stage: plan.memory_mb.get(stage, 0))
    size = plan.memory_mb.get(largest, 0) / 1024
    sizes = [size for size in plan.downloads if size is not None]
    lines = [f"Memory: up to {size:.1f} GB, which {largest} asks for."]
    if plan.downloads:
        unknown = len(plan.downloads) - len(sizes)
        told = f"Disk: {sum(sizes) / 2**30:.1f} GB for {len(sizes)} downloads, without what is made of them"
        lines.append(told + (f", and without {unknown} of unknown size." if unknown else "."))
    return lines
