"""What a scale costs: Snakemake's benchmarks, with the processor time that logs tell, a stage a row."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from crosslingua.cost import told
from crosslingua.errors import InputError

COLUMNS = {"s": float, "max_rss": float, "cpu_time": float}  # seconds, MB, seconds; others are not read
UNKNOWN = ["-", "NA"]  # of jobs too short to be measured


def costs(folder: str | Path, logs: str | Path) -> pd.DataFrame:
    """Return a row a stage of `folder`, which holds STAGE.tsv and STAGE/...tsv, the costliest first; then the total.

    Logs are named as benchmarks are; processor time that a log does not tell is that of the benchmark.

    Columns: stage, jobs, processor_minutes, wall_minutes (of all jobs one after another), memory_mb (the most that a
    job took). Raises InputError where there are no benchmarks, or a file is none.
    """
    names = sorted(path.relative_to(folder) for path in Path(folder).rglob("*.tsv"))
    jobs = [
        _read(Path(folder, name), Path(logs, name).with_suffix(".log")).assign(stage=_stage(name))
        for name in names
    ]
    if not jobs:
        raise InputError(folder, "holds no benchmarks")
    jobs = pd.concat(jobs)
    stages = _summary(jobs.groupby("stage")).sort_values("processor_minutes", ascending=False, kind="stable")
    total = _summary(jobs.groupby(lambda _: "total"))
    return pd.concat([stages, total]).rename_axis("stage").reset_index()


def _stage(path: Path) -> str:
    return path.parts[0].removesuffix(".tsv")


def _read(path: Path, log: Path) -> pd.DataFrame:
    try:
        job = pd.read_csv(path, sep="\t", usecols=list(COLUMNS), dtype=COLUMNS, na_values=UNKNOWN)
    except ValueError as error:
        raise InputError(path, f"not a benchmark of Snakemake: {error}") from None
    seconds = told(log)
    return job if seconds is None else job.assign(cpu_time=seconds)


def _summary(jobs) -> pd.DataFrame:
    return jobs.agg(
        jobs=("s", "size"),
        processor_minutes=("cpu_time", lambda seconds: seconds.sum() / 60),
        wall_minutes=("s", lambda seconds: seconds.sum() / 60),
        memory_mb=("max_rss", "max"),
    )
