# What every stage shares: the checked configuration, folders, and the command lines' surroundings.
import gc
import os
import shlex
import sys
from functools import cache
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake_interface_executor_plugins.jobs import JobExecutorInterface

from crosslingua import places
from crosslingua.errors import ConfigError, CrosslinguaError, did_you_mean
from crosslingua.places import suite
from crosslingua.workflow import (
    word_alignment,
    cluster,
    corpora,
    encoder_alignment,
    encoders,
    fine_tuning,
    labelled,
    lexicon_induction,
    planning,
    results,
    runs,
    tagging,
    text,
    translation,
    vectors,
)
from crosslingua.workflow.checks import check_own_files
from crosslingua.workflow.jobs import files_of as code
from crosslingua.workflow.locks import note_run
from crosslingua.workflow.configuration import open_workflow, placed
from crosslingua.workflow.workflow import options

# Jobs and their files stay: looking for garbage among them takes a tenth of the planning.
gc.set_threshold(100_000)
if workflow.storage_settings.default_storage_provider:
    raise WorkflowError(
        "--default-storage-provider: results cannot lie in a storage, since plans name files by path; let all machines "
        "share a volume (docs/clusters.md)"
    )
try:
    files = [suite("config.yaml"), *workflow.config_settings.configfiles]
    W = open_workflow(config, files)
    with placed(W.written, W.files):
        check_own_files(W)
    JOBS = planning.plan(W)
    CONFIGURATION = results.configuration(W)
except CrosslinguaError as error:
    raise WorkflowError(str(error))

# What jobs of this scale cost, here and in the committed run, tells the time left.
os.environ.setdefault(
    "CROSSLINGUA_COSTS",
    os.pathsep.join([f"{W.results}/costs.csv", suite(f"results/reference/{W.scale}/costs.csv")]),
)
RESULTS, CORPORA, DATA = W.results, W.corpora, W.data
MERGED_CLAIMS = [f"{RESULTS}/claims.{suffix}" for suffix in ("csv", "json") if results.all_claims(W)]
LOGS, BENCHMARKS = f"{RESULTS}/logs", f"{RESULTS}/benchmarks"
PAIR = "{source}-{target}.{dictionary}"
PAIR_NAME = "{source}-{target}{what}"  # of parallel text: en-de, or en-de.test2016


def quoted(text):
    """A word of the shell in a text that Snakemake formats: braces would be read as expressions of Python."""
    return shlex.quote(text).replace("{", "{{").replace("}", "}}")


# The suite's folders in commands: relative in a checkout, absolute where the user stands elsewhere.
SCRIPTS, REFERENCE = quoted(suite("scripts")), quoted(suite("results/reference"))

# The scripts run under the interpreter that runs the workflow, whatever `python` means in the user's shell; in a
# container or conda's environment, under the one there, with the package of this checkout.
# The mirror travels beside the command, so that results do not depend on where files were fetched from.
DEPLOYED = workflow.deployment_settings.deployment_method
if DEPLOYED and places.is_packed():
    raise WorkflowError(
        "--software-deployment-method: containers and conda's environments have the code of a checkout; run in a clone"
        " of the repository (docs/clusters.md)"
    )
PACKAGE = os.path.abspath(places.code(""))
SURROUNDINGS = (
    f"PYTHONPATH={quoted(PACKAGE)}"
    if DEPLOYED
    else f'PATH={quoted(str(Path(sys.executable).parent))}:"$PATH"'
)
shell.prefix(
    f"set -euo pipefail; export CROSSLINGUA_DEBUG=1 {SURROUNDINGS}"
    f" CROSSLINGUA_MIRROR={quoted(W.config.data.mirror or '')}; "
)
# Folders that lost a file are made again; Snakemake itself looks only whether a folder is there.
INCOMPLETE = planning.incomplete(W, JOBS)

# Snakemake's own number is too large for the solver of its scheduler, which then heeds no priority.
JobExecutorInterface.HIGHEST_PRIORITY = 1000


onstart:
    # Let the scheduler start jobs at any rate, but for a given --max-jobs-per-timespan. Snakemake 9 limits the rate and
    # wakes its scheduler once more for each finished job, at 40% of a core after 75 jobs.
    if (limit := workflow.scheduler.job_rate_limiter) and (limit.max_jobs, limit.timespan) == (100, 1):
        workflow.scheduler.job_rate_limiter = None
    if workflow.is_main_process:
        note_run(workflow.executor_plugin.name, W.scale)
        requested().note()
        fetched = [job.wildcards for job in workflow.dag.needrun_jobs() if job.rule.name == "fetch_file"]
        packed = [
            job.wildcards.published
            for job in workflow.dag.needrun_jobs()
            if job.rule.name == "fetch_encoder"
        ]
        files = [(wildcards.dataset, wildcards.file) for wildcards in fetched] + runs.packaged_files(
            W, packed
        )
        if told := corpora.told_downloads(W, files):
            print(told, file=sys.stderr)
        for job in workflow.dag.needrun_jobs():  # until it has run, its part is of an earlier run
            if job.rule.name == "write_page_so_far":
                Path(job.output[0]).unlink(missing_ok=True)


wildcard_constraints:
    lang="[a-z0-9_]+",
    source="[a-z0-9_]+",
    target="[a-z0-9_]+",
    dictionary="[a-z0-9_]+",
    name="[a-z0-9_]+",
    what="([.][a-z0-9_]+)?",
    early="([.][a-z_]+)?",
    seed="[0-9]+",
    variant="(published[.])?",
    split="train|valid|test",
    suffix="conll|conllu|tsv|json",
    system=labelled.either(vectors.all_systems(W)),
    paper=labelled.either(W.papers),
    group=labelled.either({group: None for paper in W.papers for group in W.paper(paper).groups()}),
    pair="[a-z0-9_]+-[a-z0-9_]+([.][a-z0-9_]+)?",


def inputs_of(name):
    """The input function of a rule whose jobs have this name, in wildcards."""

    def inputs(wildcards):
        workflow.dag.forcefiles |= INCOMPLETE
        return JOBS[name.format(**wildcards)].inputs(W)

    return inputs


def options_of(name):
    """The options on the command line of the jobs of this name, in wildcards."""
    return lambda wildcards: JOBS[name.format(**wildcards)].words()


def resources_of(rule):
    """Memory and time of a rule's jobs by the attempt, but for those that the command line gives."""
    given = workflow.resource_settings.overwrite_resources.get(rule.name, {})
    first = cluster.needs(W, rule.name)
    return {name: cluster.doubled(value) for name, value in first.items() if name not in given}


def two_threads(wildcards=None):
    """Two, but one where there are two cores only: a job of two threads waits until both are free at once, and one of
    them idles meanwhile."""
    return 1 if workflow.resource_settings.cores in (1, 2) else 2


def threads_of_text(wildcards):
    """One for the small texts of the world; other texts may be large."""
    return (
        1
        if W.sources.root("text", wildcards.lang) in W.sources.named_from("text", "world")
        else two_threads()
    )


@cache
def requested():
    """What this run makes, by the targets that were asked for. A job's own Snakemake reads what the main one noted."""
    if workflow.is_main_process:
        return results.wanted(W, workflow.dag_settings.targets)
    return results.noted(W)


def first_page(products):
    """The products of the part that the page shows first. What they need is made before anything else."""
    workflow.dag.priorityfiles |= set(requested().pages()[:1])
    return products


def targets_here():
    """The names that can be asked for: the rules of the Snakefile itself, and the page of all data."""
    rules = [rule for rule in workflow.rules if rule.snakefile == workflow.main_snakefile]
    return [*(rule.name for rule in rules if not rule.has_wildcards()), "data_card"]


def refuse(wildcards):
    """Raise an error for an unknown target."""
    name, known = wildcards.unknown, targets_here()
    raise ConfigError(f"{name}: no target; there are {', '.join(known)}{did_you_mean(name, known)}")


def judged(wildcards):
    """What a paper's claims are judged on: what this run makes, and what earlier ones have left, which no rule makes.
    Early claims are judged on one group alone.
    """
    paper, early, main = wildcards.paper, wildcards.early[1:], workflow.is_main_process
    before = requested().before(paper) if main and not early else ()
    groups = [early] if early else requested().groups(paper)
    job = results.claims_job(W, JOBS, paper + wildcards.early, groups, before)
    if main:
        job.write_plan(W)
    return job.inputs(W)
