"""What a scale costs: Snakemake's benchmarks, with the processor time that logs tell, a row a stage and paper."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pandas as pd

from crosslingua.cost import told
from crosslingua.errors import InputError

COLUMNS = {"s": float, "max_rss": float, "cpu_time": float}  # seconds, MB, seconds; others are not read
UNKNOWN = ["-", "NA"]  # of jobs too short to be measured
# Stages whose jobs are named by a paper first. Those of others may be so by chance: xlm_align is an encoder too.
OF_PAPERS = (
    "select_settings", "finetune", "score_predictions", "probe_embeddings", "embed_words", "train_tagger",
    "compare_tags", "write_rows", "write_table", "draw_figure", "judge_claims",
)  # fmt: skip


def costs(folder: str | Path, logs: str | Path, papers: Collection[str]) -> pd.DataFrame:
    """Return a row a stage and paper of `folder`, which holds STAGE.tsv and STAGE/...tsv, the costliest first.

    Logs are named as benchmarks are; processor time that a log does not tell is that of the benchmark. Papers are those
    of `papers`; the last row is the total.

    Columns: stage, paper ("" where papers share the stage), jobs, processor_minutes, wall_minutes (of all jobs one
    after another), memory_mb (the most that a job took). Raises InputError where there are no benchmarks, or a file is
    none.
    """
    names = sorted(path.relative_to(folder) for path in Path(folder).rglob("*.tsv"))
    jobs = [
        _read(Path(folder, name), Path(logs, name).with_suffix(".log")).assign(
            stage=_stage(name), paper=_paper(name, papers)
        )
        for name in names
    ]
    if not jobs:
        raise InputError(folder, "holds no benchmarks")
    jobs = pd.concat(jobs)
    stages = _summary(jobs.groupby(["stage", "paper"]))
    total = _summary(jobs.assign(stage="total", paper="").groupby(["stage", "paper"]))
    costliest = stages.sort_values("processor_minutes", ascending=False, kind="stable")
    return pd.concat([costliest, total]).reset_index()


def _stage(path: Path) -> str:
    return path.parts[0].removesuffix(".tsv")


def _paper(path: Path, papers: Collection[str]) -> str:
    """Return whose a job is: of STAGE/PAPER/..., STAGE/PAPER.tsv, STAGE/PAPER.GROUP.tsv and STAGE/PAPER_TABLE.tsv."""
    if _stage(path) not in OF_PAPERS:
        return ""
    job = path.parts[1].removesuffix(".tsv")
    found = [paper for paper in papers if job == paper or job.startswith((f"{paper}.", f"{paper}_"))]
    return max(found, key=len, default="")


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
