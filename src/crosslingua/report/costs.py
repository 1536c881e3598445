"""What a run cost, by stage and paper, of Snakemake's benchmarks; and what another will cost."""

import re
from collections.abc import Collection, Mapping
from pathlib import Path

import pandas as pd

from crosslingua.errors import InputError
from crosslingua.provenance import told

COLUMNS = {"s": float, "max_rss": float, "cpu_time": float}  # seconds, MB, seconds; others are not read
UNKNOWN = ["-", "NA"]  # of jobs too short to be measured
# Stages whose jobs are named by a paper first. Those of others may be so by chance: xlm_align is an encoder too.
OF_PAPERS = (
    "select_settings", "finetune", "score_predictions", "probe_embeddings", "embed_words", "train_tagger",
    "compare_tags", "write_rows", "write_table", "draw_figure", "judge_claims",
)  # fmt: skip


def costs(folder: str | Path, logs: str | Path, papers: Collection[str]) -> pd.DataFrame:
    """Return a row a stage and paper of `folder` (STAGE.tsv and STAGE/...tsv), the costliest first, and the total.

    Logs are named as benchmarks are; processor time that a log does not tell is the benchmark's. Columns: stage,
    paper ("" where papers share it), jobs, processor_minutes, wall_minutes, memory_mb. InputError where there is
    none.
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
STATS = re.compile(r"^(\w+)\s+(\d+)$", re.MULTILINE)  # a line of Snakemake's table of jobs


def stats(dry_run: str) -> dict[str, int]:
    """Return the number of jobs of each stage, from what a dry run of Snakemake prints."""
    return {stage: int(number) for stage, number in STATS.findall(dry_run) if stage != "total"}


def estimate(jobs: Mapping[str, int], scale: str, cores: int, results: str | Path = "results") -> str:
    """Return in words what so many jobs of a stage cost, by a finished run of `scale`, or the demo."""
    if not jobs:
        return "Nothing is left to do."
    known = [
        Path(results, folder, name, "costs.csv") for name in (scale, "demo") for folder in ("", "reference")
    ]
    path = next((path for path in known if path.is_file()), None)
    if path is None:
        raise InputError(
            known[-1], "no such file", remedy="finish a run of this scale, or of the demo, first"
        )
    whole = pd.read_csv(path)
    rows = whole[whole["stage"] != "total"].groupby("stage")[["jobs", *MINUTES]].sum()
    each = rows[MINUTES].div(rows["jobs"], axis=0)
    asked = each.reindex(list(jobs)).fillna(0.0).mul(list(jobs.values()), axis=0)
    # A job waits for files and for others, and one of several threads takes several cores.
    minutes, taken = asked["processor_minutes"].sum(), asked.max(axis=1).sum()
    unknown = sorted(set(jobs) - set(each.index))
    lines = [
        f"{sum(jobs.values())} jobs: about {minutes:.0f} processor minutes, {taken / cores:.0f} on {cores} cores.",
        f"Memory: {whole[whole['stage'].isin(jobs)]['memory_mb'].max() / 1024:.1f} GB for the largest job.",
    ]
    if "disk_mb" in whole and (size := whole["disk_mb"].max()) == size:
        lines.append(f"Disk: about {size / 1024:.1f} GB for the whole scale.")
    lines.append(f"By the costs of {path}.")
    if path.parent.name != scale:
        lines.append(
            f"Scale {scale} has not been measured: these are jobs of the demo's size, and others cost more."
        )
    if unknown:
        lines.append(f"Not counted: {', '.join(unknown)}.")
    return "\n".join(lines)
