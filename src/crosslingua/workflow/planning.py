"""All jobs of a configuration, stage by stage, and their plans: the one place where plans are written."""

from collections.abc import Callable, Iterable

from crosslingua.workflow import vectors
from crosslingua.workflow.jobs import Job, Jobs
from crosslingua.workflow.workflow import Workflow

# Each returns the jobs of a stage.
STAGES: tuple[Callable[[Workflow], Iterable[Job]], ...] = (vectors.mapping_jobs,)


def plan(w: Workflow) -> Jobs:
    """Write the plans of all jobs, each unless it is there as it is; return the jobs."""
    jobs = Jobs(job for stage in STAGES for job in stage(w))
    for job in jobs.with_lines():
        w.plan(job.name, job.lines)
    return jobs
