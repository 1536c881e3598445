"""What a run cost: jobs, processor time, time and memory of each stage and paper, of Snakemake's benchmarks."""

from collections.abc import Collection
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
