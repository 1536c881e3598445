import logging
import os
import re
import subprocess
import sys
from io import StringIO
from itertools import count
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import pytest
from snakemake.exceptions import LockException
from snakemake_interface_logger_plugins.common import LogEvent

import snakemake_logger_plugin_crosslingua as plugin
from texts import written

MINUTES = {"train": 10.0, "score": 1.0}


def test_time_left_follows_from_costs_and_more_and_more_from_the_pace() -> None:
    progress = plugin.Progress({"train": 2, "score": 10}, MINUTES, cores=2, now=0.0)
    assert progress.minutes_left(0.0) == 15  # 30 minutes of work on two cores
    progress.start(1, "train", 0.0)
    progress.finish(1)
    # 10 of 30 minutes' work took 2 minutes; 3 more, a tenth of the work, count as done in 1.5 on two cores.
    assert progress.minutes_left(120.0) == pytest.approx(20 * 3.5 / 13)
    progress.start(2, "score", 120.0)
    assert progress.line(120.0) == "1 of 12 jobs, 33 % of the work; 2 min so far, about 5 min left; score"


def test_short_jobs_that_wait_for_others_hardly_lengthen_the_time_of_a_long_run() -> None:
    """At the pace of the first ten jobs alone, the ten hours left would be seventeen."""
    progress = plugin.Progress({"train": 119, "score": 10}, MINUTES, cores=2, now=0.0)
    for job in range(10):
        progress.start(job, "score", 0.0)
        progress.finish(job)
    assert progress.minutes_left(8.6 * 60.0) == pytest.approx(1190 * (8.6 + 60) / (10 + 120))


def test_jobs_at_work_count_up_to_their_cost_and_slow_the_pace_beyond_it() -> None:
    progress = plugin.Progress({"train": 2, "score": 10}, MINUTES, cores=2, now=0.0)
    progress.start(1, "train", 0.0)
    progress.start(2, "train", 0.0)
    assert progress.minutes_left(5 * 60.0) == pytest.approx(10)  # 10 of 30 minutes' work took 5 minutes
    assert progress.minutes_left(40 * 60.0) == pytest.approx(10 * (40 + 1.5) / (20 + 3))  # 20 took 40


def test_durations() -> None:
    assert list(map(plugin.duration, (0.5, 12.4, 185))) == ["30 s", "12 min", "3 h 5 min"]


def test_costs_are_those_of_a_job_over_all_papers(repository: Path, tmp_path: Path, monkeypatch) -> None:
    assert set(plugin.STAGES.values()) <= plugin.minutes_by_stage(repository / "results/reference").keys()
    head = "stage,paper,jobs,processor_minutes,wall_minutes\n"
    written(tmp_path / "demo/costs.csv", f"{head}train,a,1,4,3\ntrain,b,3,2,8\n")
    written(tmp_path / "full/costs.csv", f"{head}train,a,1,90,9\nscore,a,2,3,1\n")
    assert plugin.minutes_by_stage(tmp_path) == {"train": 3.0, "score": 1.5}
    assert plugin.minutes_by_stage(tmp_path / "none") == {}
    own = [str(tmp_path / scale / "costs.csv") for scale in ("missing", "full")]
    monkeypatch.setenv("CROSSLINGUA_COSTS", os.pathsep.join(own))
    assert plugin.minutes_by_stage(tmp_path) == {"train": 90.0, "score": 1.5}


def record(event: LogEvent | None, level: int = logging.INFO, **more) -> logging.LogRecord:
    made = logging.LogRecord("snakemake", level, "", 0, more.pop("message", ""), None, None)
    vars(made).update({"event": event, **more})
    return made


def run_info(rule: str, jobs: int) -> logging.LogRecord:
    return record(LogEvent.RUN_INFO, stats={rule: jobs, "total": jobs})


def output(*records: logging.LogRecord, dryrun: bool = False) -> str:
    """Return what is written of these records to a file."""
    handler = plugin.LogHandler(SimpleNamespace(stdout=False, dryrun=dryrun), None)
    handler.stream, handler.terminal = StringIO(), False
    for one in records:
        handler.emit(one)
    return handler.stream.getvalue()


def test_output_has_a_line_now_and_then_and_errors_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parent)  # no committed costs here
    monkeypatch.setattr("time.monotonic", map(float, count()).__next__)
    records = [record(LogEvent.RESOURCES_INFO, cores=2), run_info("train", 100)]
    for job in range(100):
        records.append(record(LogEvent.JOB_INFO, jobid=job, rule_name="train"))
        records.append(record(LogEvent.JOB_FINISHED, job_id=job))
    records.append(record(LogEvent.JOB_ERROR, logging.ERROR, message="Error in rule train"))
    expected = f"Warning: the following {plugin.EXPECTED} when the DAG was"
    lines = output(*records, record(None, logging.WARNING, message=expected)).splitlines()
    assert lines[0].startswith("100 jobs on 2 cores: about")
    assert lines[-2].startswith("100 of 100 jobs, 100 % of the work")
    assert lines[-1] == "Error in rule train"
    assert len(lines) <= 4 + 200 / plugin.EVERY


def test_a_terminal_shows_the_time_while_long_jobs_are_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("snakemake_logger_plugin_crosslingua.EVERY", 0.01)
    handler = plugin.LogHandler(SimpleNamespace(stdout=False, dryrun=False), None)
    lines, seen = [], Event()

    def write(text: str) -> None:
        lines.append(text)
        if len(lines) > 3:
            seen.set()

    handler.stream, handler.terminal = SimpleNamespace(write=write, flush=lambda: None), True
    handler.emit(run_info("train", 1))
    handler.emit(record(LogEvent.JOB_INFO, jobid=1, rule_name="train"))
    assert seen.wait(60)
    handler.close()
    assert all(line.endswith("; train") for line in lines[1:4])


SNAKEFILE = """
rule all:
    input: "b.txt"
rule first:
    output: "a.txt"
    shell: "echo 1 > {output}"
rule second:
    input: "a.txt"
    output: "b.txt"
    shell: "%s"
"""


@pytest.mark.parametrize(
    ("shell", "said"), [("cp {input} {output}", "3 of 3 jobs"), ("exit 3", "Error in rule second")]
)
def test_snakemake_writes_through_it(tmp_path: Path, shell: str, said: str) -> None:
    (tmp_path / "Snakefile").write_text(SNAKEFILE % shell)
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--logger", "crosslingua"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert said in done.stderr
    assert "Reason:" not in done.stderr
    assert re.search(r"^3 jobs on 1 cores", done.stderr, re.MULTILINE)
    if not done.returncode:
        again = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert "Nothing to be done" in again.stderr


def test_a_dry_run_tells_no_time_nor_does_a_cluster_before_it_has_worked() -> None:
    cluster = output(record(LogEvent.RESOURCES_INFO, nodes=50), run_info("train", 100))
    assert cluster == "100 jobs, at most 50 submitted at a time.\n"
    job = record(LogEvent.JOB_INFO, jobid=1, rule_name="train")
    told = output(run_info("train", 70), job, record(None, message="This was a dry-run"), dryrun=True)
    assert told == "70 jobs.\nThis was a dry-run\n"


def test_an_error_of_the_project_is_written_without_what_surrounds_it() -> None:
    told = "WorkflowError in file /x/rules/common.smk, line 8:\na.yaml:1: sedes\n  File /x/rules/common.smk"
    assert output(record(LogEvent.ERROR, logging.ERROR, message=told)) == "error: a.yaml:1: sedes\n"


def test_control_characters_of_names_are_written_as_escapes() -> None:
    told = "MissingInputException: a\x1b[2Jb\u202ec"
    written = output(record(LogEvent.ERROR, logging.ERROR, message=told))
    assert written == "MissingInputException: a\\x1b[2Jb\\u202ec\n"


def test_what_a_cluster_ended_is_told_with_the_cause_also_in_the_jobs_empty_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end of a log of SLURM 22.05, and a job beside that wrote its own log."""
    monkeypatch.chdir(tmp_path)
    slurm = "srun: job 5\nslurmstepd-vm: error: Exceeded job memory limit\n*** JOB 5 ON vm CANCELLED AT 2026 ***\n"
    spent = "processor time: 1 s\n"
    for name, text in (("train.log", ""), ("score.log", spent), ("slurm/5.log", slurm)):
        written(tmp_path / name, text)
    said = "train, score needed more memory than it asked for, by the cluster's log slurm/5.log"
    jobs = [{"rule_name": rule, "log": [f"{rule}.log"]} for rule in ("train", "score")]
    (told,) = plugin.causes(record(LogEvent.GROUP_ERROR, aux_logs=["slurm/5.log"], job_error_info=jobs))
    assert (told, Path("train.log").read_text(), Path("score.log").read_text()) == (said, f"{said}\n", spent)
    cancelled = "slurmstepd: error: *** JOB 6 ON n1 CANCELLED AT 2026 DUE TO TIME LIMIT ***\n"
    late = written(tmp_path / "6.log", cancelled)
    told = plugin.causes(record(LogEvent.JOB_ERROR, rule_name="train", log=["none.log", str(late)]))
    assert told == [f"train needed more time than it asked for, by the cluster's log {late}"]
    assert plugin.causes(record(LogEvent.JOB_ERROR, rule_name="train", log=["score.log"])) == []


def test_of_what_snakemake_writes_about_an_error_of_the_project_its_message_is_taken() -> None:
    of_a_target = """Building DAG of jobs...
InputFunctionException in rule unknown_target in file "/x/Snakefile", line 95:
Error:
  ConfigError: bil: no target; did you mean 'bli'?
Wildcards:
  unknown=bil
Traceback:
  File "/x/Snakefile", line 98, in <lambda>"""
    assert plugin.own_error(of_a_target) == "bil: no target; did you mean 'bli'?"
    of_a_key = """WorkflowError in file "/x/rules/common.smk", line 48:
the configuration is not valid:
  - unknown key sedes
  - seed: 1
  File "/x/rules/common.smk", line 48, in <module>
"""
    assert plugin.own_error(of_a_key) == "the configuration is not valid:\n  - unknown key sedes\n  - seed: 1"
    for other in ('WorkflowError in file "/x/Snakefile", line 3:\nno rule', "Error in rule a:\n    jobid: 1"):
        assert plugin.own_error(other) == ""


def test_a_folder_in_use_or_that_cannot_be_written_is_told_in_our_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    locked = str(LockException())
    assert plugin.in_words(locked) == (
        "a run that was killed left the files of this folder locked: make, or crosslingua run, unlocks them"
    )
    script = tmp_path / "bin/snakemake"
    script.parent.mkdir()
    script.write_text("print('started', flush=True)\ninput()\n")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "bin/snakemake"], cwd=tmp_path, **pipes) as process:
        process.stdout.readline()
        told = plugin.in_words(locked)
        process.kill()
    works = f"a run is at work in this folder (process {process.pid})"
    assert told == f"{works}: wait until it has ended, or work in another folder"
    readonly = "OSError: [Errno 30] Read-only file system: '.snakemake'"
    told = f"read-only file system ({tmp_path}): work in a folder that you can write to"
    assert plugin.in_words(readonly) == told
    assert output(*(record(LogEvent.ERROR, msg=readonly) for _ in range(2))) == f"error: {told}\n"
    assert plugin.in_words("Error in rule second") == ""


NO_ROOM = """OSError in file "/x/rules/common.smk", line 48:
[Errno 28] No space left on device: 'results/tiny/plans/a.csv'
  File "/x/rules/common.smk", line 48, in <module>"""
NO_METADATA = "Error recording metadata for finished job ([Errno 28] No space left on device). Please ensure"


def test_a_full_disk_is_one_line_with_the_folder_and_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    remedy = "free space, and the same command goes on from what is finished"
    told = f"the disk of {tmp_path}/results/tiny/plans is full: {remedy}"
    assert plugin.in_words(NO_ROOM) == told
    assert plugin.in_words(NO_METADATA) == f"the disk of {tmp_path} is full: {remedy}"
    of_a_job = "Error in rule a:\n====\nerror: /b/c.txt: the disk of /b is full: free space, or write elsewhere\n===="
    assert plugin.in_words(of_a_job) == f"the disk of /b is full: {remedy}"
    records = [record(LogEvent.ERROR, logging.ERROR, message=one) for one in (NO_ROOM, NO_METADATA, of_a_job)]
    assert output(*records) == f"error: {told}\n"


@pytest.mark.parametrize(("free", "log"), [(4096, ""), (4096, None), (10**9, ""), (4096, "ValueError")])
def test_a_job_whose_log_had_no_room_is_told_as_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, log: str | None
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=free))
    path = tmp_path / "train.log"
    if log is not None:
        written(path, log)
    failed = record(LogEvent.JOB_ERROR, logging.ERROR, message="Error in rule train", log=[str(path)])
    is_full = free == 4096 and not log
    assert output(failed).startswith(f"error: the disk of {tmp_path} is full: ") == is_full
    assert ("Error in rule train" in output(failed)) == (not is_full)


def test_snakemakes_own_log_on_a_full_disk_gives_no_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    output()
    full = logging.FileHandler("/dev/full")
    full.emit(record(None, message="Building DAG of jobs..."))
    full.stream = None  # what is left in its buffer can't be written either
    assert capsys.readouterr().err == ""
