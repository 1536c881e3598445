"""All jobs of a configuration, and their plans: the one place where plans are written."""

from collections.abc import Callable, Iterable
from pathlib import Path

from crosslingua.workflow import (
    corpora,
    encoders,
    fine_tuning,
    lexicon_induction,
    results,
    samples,
    tagging,
    vectors,
)
from crosslingua.workflow.encoder_alignment import EncoderAlignment
from crosslingua.workflow.hashes import Hashes
from crosslingua.workflow.jobs import Job, Jobs
from crosslingua.workflow.translation import Translation
from crosslingua.workflow.word_alignment import WordAlignment
from crosslingua.workflow.workflow import Workflow

# Each function returns the jobs of a stage. Jobs of `results.report_jobs` come last, with the hashes of all others.
STAGES: tuple[Callable[[Workflow], Iterable[Job]], ...] = (
    corpora.text_jobs,
    corpora.dictionary_jobs,
    corpora.labelled_jobs,
    corpora.derivation_jobs,
    corpora.parallel_jobs,
    vectors.training_jobs,
    vectors.encoder_jobs,
    vectors.division_jobs,
    vectors.mapping_jobs,
    lexicon_induction.lexicon_jobs,
    lambda w: w.stage(lexicon_induction.Controls).jobs(),
    lexicon_induction.measure_jobs,
    lambda w: w.stage(WordAlignment).jobs(),
    lambda w: w.stage(Translation).jobs(),
    encoders.encoder_jobs,
    lambda w: w.stage(EncoderAlignment).jobs(),
    tagging.tagging_jobs,
    fine_tuning.fine_tuning_jobs,
    lambda w: [job for name in w.papers for job in w.paper(name).jobs()],
)


def stated(w: Workflow) -> Jobs:
    """Return the jobs of all stages."""
    jobs = Jobs(job for stage in STAGES for job in stage(w))
    jobs |= Jobs(encoders.pruning_jobs(w, jobs.values()))
    report = results.report_jobs(w, Hashes(w, jobs.values()), samples.samples(w, jobs))
    return Jobs([*jobs.values(), *report])


def plan(w: Workflow) -> Jobs:
    """Write the plans of all jobs, without touching equal ones; return the jobs."""
    jobs = stated(w)
    for job in jobs.values():
        job.write_plan(w)
    return jobs


def incomplete(w: Workflow, jobs: Jobs) -> frozenset[str]:
    """Return the folders of results that lack a file which a plan names, though the folder is there. Folders are those
    that rules make whole; a job reads or writes the file.
    """
    read = {word: word.made_by for job in jobs.values() for word in job.marked()}
    whole = {folder for word, made in read.items() for folder in made if word.startswith(f"{folder}/")}
    named = [*read, *(path for job in jobs.values() for path in job.written(w))]
    return frozenset(
        str(folder)
        for path in named
        for folder in Path(path).parents
        if str(folder) in whole and folder.is_dir() and not Path(path).exists()
    )
